//! What is asked of the storage? Operation mix, block sizes, offsets, arrivals, stop rule, content: values that combine.

pub mod access;
mod block_span;
mod content;
mod default;
pub mod engine_choice;
mod file_shape;
mod io_priority;
pub mod iolog;
mod memory_policy;
mod mix;
pub mod offsets;
pub mod operation;
pub mod paths;
pub mod pin;
mod rank_share;
pub mod replay;
mod sizes;
mod until_steady;
mod weighted;
pub mod zones;

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::keys::traits::Compared::{How, Never, WhatOrDefault};
use crate::keys::traits::{Needs, key};
pub(crate) use crate::text::word::{serde_as_text, words};
use crate::units::{Bytes, Nanos, UnitError};
pub use crate::workload::access::{AccessLine, AccessLines, After};
pub use crate::workload::block_span::BlockSpan;
pub use crate::workload::content::{Content, DedupeSet};
pub use crate::workload::engine_choice::{
    BusyPoll, Channels, Dialect, EngineChoice, NfsSecurity, NfsVersion, PingPongBy, Protection,
    Stamping,
};
pub use crate::workload::file_shape::{FileNames, FileOrder, FileSizes};
pub use crate::workload::io_priority::{IoPriority, UrgentShare};
pub use crate::workload::memory_policy::MemoryPolicy;
pub use crate::workload::offsets::Offsets;
pub use crate::workload::operation::OperationKind;
pub use crate::workload::paths::{PathList, PathOrder};
pub use crate::workload::pin::Pin;
pub use crate::workload::rank_share::{
    FilesOf, JointWorkers, RankChoice, RankPosition, RankSharing,
};
pub use crate::workload::replay::{ReplayFiles, ReplayHolds, ReplayPace, ReplaySkip};
pub use crate::workload::sizes::ZoneSteps;
pub use crate::workload::until_steady::{
    INTERVALS_MIN, MinRate, SteadyCriterion, SteadyLimit, SteadyWatch, SteadyWindow, UntilSteady,
};
pub use crate::workload::weighted::Weighted;

/// Which operations, in which shares.
pub type Mix = Weighted<OperationKind>;
/// Which block sizes, in which shares.
pub type BlockSizes = Weighted<BlockSpan>;

serde_as_text!(
    Mix,
    "Mix",
    "operations with weights: read, or read:70,write:30; kinds: read write rewrite trim flush create open stat read-file rename delete fsync list send receive ping-pong copy"
);
serde_as_text!(
    BlockSizes,
    "BlockSizes",
    "block sizes with weights: 4k, or 4k:70,64k:30; 512-1m stands for all multiples of 512 up to 1m, in equal shares"
);

words! {
    /// How workers share the target.
    Layout, "layout" {
        /// One file, each worker goes over all of it by itself.
        Shared = "shared",
        /// Each worker has a file of its own (directory), or an own equal part (file, device).
        Own = "own",
        /// One stream of offsets, fed to whichever worker asks next.
        Stream = "stream",
    }
}

words! {
    /// When operations start in an open loop.
    Arrivals, "arrivals" {
        /// At equal distances.
        Fixed = "fixed",
        /// A Poisson process: exponential distances, as independent users make.
        Poisson = "poisson",
    }
}

words! {
    /// Page cache or not.
    Direct, "direct" {
        /// Through the page cache.
        No = "false",
        /// O_DIRECT; a step that cannot have it fails with the reason.
        Yes = "true",
        /// O_DIRECT where the target takes it, else buffered, and the record says which.
        Try = "try",
    }
}

words! {
    /// Durability of each write.
    Sync, "sync" {
        /// None asked.
        None = "none",
        /// O_SYNC: data and all metadata.
        Sync = "sync",
        /// O_DSYNC: data and what is needed to read it back.
        Dsync = "dsync",
    }
}

/// What is asked: all values of one job but target and engine. Every key can be written in a plan, given with `--set`, or swept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Workload {
    /// Operations with weights, such as read:70,write:30.
    #[schemars(extend("x-key" = key().flag("MIX").compared(WhatOrDefault)))]
    pub mix: Mix,
    /// Block sizes with weights, such as 4k or 4k:70,64k:30; 512-1m stands for all multiples of 512 up to 1m, in equal shares.
    #[schemars(extend("x-key" = key().flag("SIZE").compared(WhatOrDefault)))]
    pub block: BlockSizes,
    /// Order of offsets.
    #[schemars(extend("x-key" = key().flag("ORDER").compared(WhatOrDefault)))]
    pub offsets: Offsets,
    /// Zones: each worker does so many bytes in one zone, then goes on to the next, and from the end back to the first. For sequential and random offsets.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-key" = key().written_for_fio("zonesize")))]
    pub zone_size: Option<Bytes>,
    /// Length of a zone, where it is not zone-size: a shorter one is gone over several times, a longer one in part.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-key" = key().written_for_fio("zonerange")))]
    pub zone_range: Option<Bytes>,
    /// Bytes between the end of a zone and the start of the next.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-key" = key().written_for_fio("zoneskip")))]
    pub zone_skip: Option<Bytes>,
    /// Access specification of Iometer, instead of mix, block and offsets: lines such as 4k share 67 reads 100 random 100 delay 0ms burst 1 align 0 in a
    /// list, or with semicolons between them. For each burst a line is drawn by its share (percent); an operation is a read with reads percent, at a random
    /// place with random percent, and otherwise begins where the one before ended (after any, or the last of its kind: after same); offsets are rounded up to
    /// align (0 = 512), and one that would pass the end goes to the start; delay is the pause before a burst. Missing words: share 100, reads 100, random 0,
    /// after any, delay 0s, burst 1, align 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub access: Option<AccessLines>,
    /// Replay of a recorded pattern, instead of mix, block and offsets: a file in the form of fio's iolog, version 2 or 3. Every worker carries out the whole
    /// log, in its order; the step ends with the log, after passes with the last of them. What the log calls its files is not touched: all goes to the target.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replay: Option<String>,
    /// When the requests of a replay start: recorded (at the moments of the log, whether or not earlier ones have ended), or none (as soon as depth leaves
    /// room, or by rate). Missing: recorded where the log holds times.
    #[serde(skip_serializing_if = "ReplayPace::is_recorded")]
    pub replay_pace: ReplayPace,
    /// Speed of a replay at its recorded pace, in percent: 200 is twice as fast. Missing: 100.
    #[serde(skip_serializing_if = "crate::workload::replay::is_full_speed")]
    pub replay_speed_percent: f64,
    /// All offsets of a replay are divided by this, so that a large pattern fits a small target. Missing: 1.
    #[serde(skip_serializing_if = "crate::workload::replay::is_one")]
    pub replay_divisor: u64,
    /// All offsets of a replay are rounded down to a multiple of this, a power of two. Missing: 1.
    #[serde(skip_serializing_if = "crate::workload::replay::is_one_byte")]
    pub replay_align: Bytes,
    /// Requests that a replay leaves out: kinds such as write,trim; the others keep their moments. Missing: none.
    #[serde(skip_serializing_if = "ReplaySkip::is_empty")]
    pub replay_skip: ReplaySkip,
    /// Where the files of a log of several lie in the target: apart (one after the other), or together (all at the same place). Missing: apart.
    #[serde(skip_serializing_if = "ReplayFiles::is_apart")]
    pub replay_files: ReplayFiles,
    /// Only in a printed plan: what the log of a replay holds, found out from it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replay_holds: Option<ReplayHolds>,
    /// Offsets of random places are multiples of this. Missing: of the smallest block.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-key" = key().written_for_fio("ba")))]
    pub align: Option<Bytes>,
    /// How workers share the target: shared, own, or stream.
    #[schemars(extend("x-key" = key().flag("WORD").compared(WhatOrDefault)))]
    pub layout: Layout,
    /// With layout = shared: workers go over the target from its start in step, and each does all of its blocks, as fio's clones do. Otherwise each begins at a part of its own.
    #[serde(skip_serializing_if = "crate::workload::is_off")]
    pub same_start: bool,
    /// Operations that each worker keeps outstanding (closed loop), or the most it may have outstanding (open loop).
    // io_uring's largest ring (IORING_MAX_ENTRIES, io_uring/io_uring.h); no device queue is deeper.
    #[schemars(extend("x-key" = key().range(1.0, 32_768.0).flag("N").compared(WhatOrDefault)))]
    pub depth: u32,
    /// Of a mix of trims and writes: each block is trimmed, and then written.
    #[serde(skip_serializing_if = "crate::workload::is_off")]
    pub trim_first: bool,
    /// An operation waits until none of its worker's is in flight that shares bytes with it.
    #[serde(skip_serializing_if = "crate::workload::is_off")]
    #[schemars(extend("x-key" = key().fio("serialize_overlap")))]
    pub serialize_overlap: bool,
    /// Threads that generate load.
    #[schemars(extend("x-key" = key().range(1.0, 4096.0).flag("N").compared(WhatOrDefault)))]
    pub workers: u32,
    /// On many hosts, how ranks share the job: each (every rank carries it out by itself, with files of its own), or together (their workers are those of
    /// one job: they share its files, and size, files, rate and the stops are of all ranks together).
    #[serde(skip_serializing_if = "crate::workload::is_each")]
    pub ranks: RankSharing,
    /// On many hosts, which ranks carry out the job: all, even, odd, hosts:N (those of the first N hosts; a step that asks for more hosts than there are is
    /// left out), or numbers such as 0-3,8.
    #[serde(skip_serializing_if = "crate::workload::is_all")]
    pub on_ranks: RankChoice,
    /// With ranks = together: on whose part of the file, or whose files, each rank works: own, next-host (of a rank on another host, so that what it reads
    /// is not in the cache of its host; IOR's -C), or a number (of the rank so many further on).
    #[serde(skip_serializing_if = "FilesOf::is_own")]
    pub files_of: FilesOf,
    /// With layout = shared: the file is made of segments, each of a block of this length for every worker of every rank, one after the other (IOR's -b); each
    /// worker goes over its own blocks. As long as the block of the operations: strided. Missing: no segments.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub segment_block: Option<Bytes>,
    /// Where this process stands among the ranks; settled when they have met.
    #[serde(skip)]
    #[schemars(skip)]
    pub rank_position: RankPosition,
    /// Operations per second over all workers: makes the loop open. Missing: closed loop, as fast as the target answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-key" = key().flag("PER_SECOND").compared(WhatOrDefault)))]
    pub rate: Option<f64>,
    /// When operations start in an open loop: fixed or poisson.
    #[schemars(extend("x-key" = key().flag("WORD").needs(Needs::Rate)))]
    pub arrivals: Arrivals,
    /// Most operations of single kinds in a second, over all workers, such as write:3200: what is drawn before it is due becomes the other kind of the mix.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind_rates: Option<Mix>,
    /// Weight of each worker in its flow group: the jobs of a group start operations in the proportion of their weights. 0: it is in none.
    #[serde(skip_serializing_if = "crate::workload::is_nothing")]
    #[schemars(extend("x-key" = key().written_for_fio("flow")))]
    pub flow_weight: u32,
    /// Number of the flow group.
    #[serde(skip_serializing_if = "crate::workload::is_nothing")]
    #[schemars(extend("x-key" = key().written_for_fio("flow_id")))]
    pub flow_group: u32,
    /// How long a worker pauses that is ahead of its share of the flow group; 0: until another has caught up.
    #[serde(skip_serializing_if = "crate::workload::is_no_time")]
    pub flow_pause: Nanos,
    /// Once depth operations are outstanding, no more start until so few are left. Missing: each that ends makes room for the next.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-key" = key().written_for_fio("iodepth_low")))]
    pub refill_at: Option<u32>,
    /// Pause of a slot between a completion and its next operation (closed loop).
    pub think_time: Nanos,
    /// Operations of a worker between two pauses of burst-pause; 0 means no bursts.
    pub burst_operations: u64,
    /// Length of the pause between bursts.
    pub burst_pause: Nanos,
    /// Stop after this much measured time.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-key" = key().flag("TIME").compared(How).stop().written_for_fio("runtime")))]
    pub time: Option<Nanos>,
    /// Stop after this many bytes over all workers.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-key" = key().flag("SIZE").stop()))]
    pub bytes: Option<Bytes>,
    /// Stop after this many operations over all workers.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-key" = key().flag("N").stop()))]
    pub operations: Option<u64>,
    /// Stop after going over the part in use, or the small files, this many times, all workers together.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-key" = key().stop()))]
    pub passes: Option<u64>,
    /// A target without room for more (ENOSPC, EDQUOT) ends the writing, and is no error; nothing is kept free. Where no size is said, the part in use is
    /// as large as the file system.
    #[serde(skip_serializing_if = "crate::workload::is_off")]
    #[schemars(extend("x-key" = key().written_for_fio("fill_device")))]
    pub until_full: bool,
    /// Stop when the last intervals are steady, such as iops deviation 2% over 30s after 10s: of the figure (iops, bandwidth, latency) of each interval
    /// either the greatest departure from the mean of the window (deviation) or the least-squares slope for each interval (slope) is within the limit, in
    /// percent of the mean or in operations/s, bytes/s or time. The other stops are the upper limit; without one ten windows are.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-key" = key().compared(How).stop()))]
    pub until_steady: Option<UntilSteady>,
    /// Load before the measuring begins; recorded, but left out of the figures.
    #[schemars(extend("x-key" = key().flag("TIME").compared(How).written_for_fio("ramp_time")))]
    pub warm_up: Nanos,
    /// The job begins so much later than its step, with its warm-up. Missing: at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-key" = key().written_for_fio("startdelay")))]
    pub start_delay: Option<Nanos>,
    /// Response time that is judged: the report says whether the share of operations in latency-limit-percentile ended within it, and of a ladder of depths
    /// the greatest at which they did.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-key" = key().compared(Never)))]
    pub latency_limit: Option<Nanos>,
    /// Share of the operations, in percent, that is to end within latency-limit. Missing: 100, all of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-key" = key().compared(Never).written_for_fio("latency_percentile")))]
    pub latency_limit_percentile: Option<f64>,
    /// An operation that takes longer ends the step with an error.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-key" = key().compared(How).written_for_fio("max_latency")))]
    pub max_latency: Option<Nanos>,
    /// A worker whose operations of a kind come to less than its share of this in a second, over an interval, ends the step with an error: iops 100, or
    /// bandwidth 4m. The first two seconds are not judged.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-key" = key().compared(How)))]
    pub min_rate: Option<MinRate>,
    /// Tell each worker by itself, with latencies of its own, as fio does without group_reporting.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schemars(extend("x-key" = key().compared(Never)))]
    pub workers_apart: bool,
    /// A job beside the main one goes on to its own end, instead of ending with the main one; the step ends when all such jobs have ended.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub to_its_end: bool,
    /// Part of the target that is used, over all workers, such as 1g (1024^3) or 10GB (1000^3); k, m, g and KiB, MiB, GiB are 1024s as in fio, kB, MB, GB are 1000s. Missing: the whole of an existing target, else chosen from the free space.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-key" = key().flag("SIZE").run_wide().written_for_fio("size")))]
    pub size: Option<Bytes>,
    /// Several files or devices that the job goes over instead of one, with colons between them (\\: for one in a name): relative to the target, which is a
    /// directory. size is that of all together. Missing: one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paths: Option<PathList>,
    /// In which order several files are taken: in-turn (each operation goes to the next file) or one-by-one (the next one when a file is gone over).
    #[serde(skip_serializing_if = "PathOrder::is_in_turn")]
    pub path_order: PathOrder,
    /// Where in an existing target that part begins.
    #[schemars(extend("x-key" = key().compared(How)))]
    pub start: Bytes,
    /// Bypass the page cache: true, false, or try (where the target takes that; so plumb check and a workload from flags do where nothing is said).
    #[schemars(extend("x-key" = key().switch("WORD", "true").run_wide()))]
    pub direct: Direct,
    /// Durability of each write: none, sync (O_SYNC) or dsync (O_DSYNC).
    #[schemars(extend("x-key" = key().flag("WORD").written_for_fio("sync")))]
    pub sync: Sync,
    /// Flush (fdatasync) after every this many writes of a worker; 0 means never.
    #[schemars(extend("x-key" = key().refused_without(Needs::Writes, "counts writes")))]
    pub fsync_every: u64,
    /// A flush brings all metadata of the file to stable storage (fsync), and not only what is needed to read the data back (fdatasync).
    #[serde(skip_serializing_if = "crate::workload::is_off")]
    pub flush_metadata: bool,
    /// The last operation of each worker is an fsync of what was written, after file operations a sync of their file system, and its time counts.
    #[schemars(extend("x-key" = key().refused_without(Needs::Changes, "brings what was changed to stable storage").fio("end_fsync")))]
    pub flush_at_end: bool,
    /// Flushes after each pass but the last, each for all that was written; where fsync-every has one due there, it is carried out twice instead. So fio flushes
    /// between its loops. Missing: passes have no flushes of their own.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-key" = key().compared(Never).refused_without(Needs::Writes, "flushes what was written")))]
    pub pass_flushes: Option<u32>,
    /// With fsync-every: a flush that the last write makes due is carried out too, where an amount ends the step.
    #[serde(skip_serializing_if = "crate::workload::is_off")]
    #[schemars(extend("x-key" = key().compared(Never)))]
    pub last_flush: bool,
    /// With fsync-every: a read is followed by a flush too, where no write has come since the last one. So fio flushes among reads and writes.
    #[serde(skip_serializing_if = "crate::workload::is_off")]
    #[schemars(extend("x-key" = key().compared(Never)))]
    pub flush_after_reads: bool,
    /// Empty the file before the step, so that its blocks are allocated anew: files that plumb makes only. On a share only where the step ends by passes.
    pub fresh: bool,
    /// A file that is not there yet is not filled before it is written; one that is there is written over as it is.
    #[serde(skip_serializing_if = "crate::workload::is_off")]
    pub unfilled: bool,
    /// With fresh or unfilled: the blocks of the file are allocated before it is written (fallocate(2)), where its file system does that.
    #[serde(skip_serializing_if = "crate::workload::is_off")]
    pub preallocate: bool,
    /// A file of the name NAME.N.N (fio's names: job.0.0) that is there and has exactly the size that the job gives it is used again, written over
    /// without --overwrite.
    #[serde(skip_serializing_if = "crate::workload::is_off")]
    #[schemars(extend("x-key" = key().compared(Never)))]
    pub reuse: bool,
    /// Drop the target's pages from the page cache before the step. Of a share that plumb speaks to by itself this machine caches nothing, and the server's
    /// cache stays as it is.
    pub cold: bool,
    /// Read the part in use into the page cache before the step.
    #[serde(skip_serializing_if = "crate::workload::is_off")]
    #[schemars(extend("x-key" = key().written_for_fio("pre_read")))]
    pub pre_read: bool,
    /// Make the files ready, and do nothing else: the step ends without an operation.
    #[serde(skip_serializing_if = "crate::workload::is_off")]
    #[schemars(extend("x-key" = key().written_for_fio("create_only")))]
    pub prepare_only: bool,
    /// What is written: random (incompressible and unique), reused (random bytes made once), zeros, or pattern:HEX.
    pub content: Content,
    /// Share of each written block that compresses to almost nothing, in percent.
    #[schemars(extend("x-key" = key().range(0.0, 100.0)))]
    pub compress_percent: f64,
    /// Share of written blocks that repeat an earlier one, in percent.
    #[schemars(extend("x-key" = key().range(0.0, 100.0)))]
    pub dedupe_percent: f64,
    /// Repeated blocks are taken from so many different ones, which stay the same throughout, for each worker and block size, such as 1000; 1000 shared:
    /// the same ones for all workers, and for jobs of the same seed. Missing: from the 256 that were written last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dedupe_set: Option<DedupeSet>,
    /// Write each block with its place, write count and checksum, and check every block read.
    #[schemars(extend("x-key" = key().switch("FLAG", "true").compared(How)))]
    pub verify: bool,
    /// With verify: what no step of the plan reads is read back at its end, in a step of its own; false leaves it unread.
    #[serde(skip_serializing_if = "crate::workload::is_on")]
    #[schemars(extend("x-key" = key().compared(Never)))]
    pub read_back: bool,
    /// With verify: read only what was written in this run, each block once; the job ends when all of that was read.
    #[serde(skip_serializing_if = "crate::workload::is_off")]
    #[schemars(extend("x-key" = key().compared(How)))]
    pub written_only: bool,
    /// With verify: what is there before the run was written by an earlier verified run, whichever it was: each block of it that is read must be whole and at
    /// its place. Without it such blocks are counted as not judged.
    #[serde(skip_serializing_if = "crate::workload::is_off")]
    #[schemars(extend("x-key" = key().compared(How)))]
    pub verify_existing: bool,
    /// A file that gets the operations as they are issued, as an iolog of fio, version 3; another worker than the first of the first job adds its numbers
    /// (FILE.JOB.WORKER). An earlier iolog of this name is written over, any other file is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-key" = key().compared(How).written_for_fio("write_iolog")))]
    pub write_iolog: Option<String>,
    /// Where workers may run: false, each, CPUs such as 0-3,8, or numa:NODE.
    #[schemars(extend("x-key" = key().switch("WHERE", "each").compared(How)))]
    pub pin: Pin,
    /// Priority of the requests at the disk scheduler (ioprio_set(2)): realtime:0 to realtime:7, best-effort:0 to best-effort:7, or idle; Linux. Missing: as
    /// plumb was started.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-key" = key().compared(How)))]
    pub io_priority: Option<IoPriority>,
    /// Memory nodes that the buffers of each worker lie on (set_mempolicy(2)): local, prefer:NODE, bind:NODES or interleave:NODES; Linux. Missing: as plumb was
    /// started.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-key" = key().compared(How).written_for_fio("numa_mem_policy")))]
    pub memory_policy: Option<MemoryPolicy>,
    /// Operations that have a priority of their own in place of the worker's, such as 20% realtime:0 (io-priority tells the priorities); engines io_uring
    /// and libaio. Missing: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-key" = key().written_for_fio("cmdprio_percentage")))]
    pub urgent: Option<UrgentShare>,
    /// Start of all random sequences. Missing: drawn anew for each run, and recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-key" = key().flag("N").compared(Never).run_wide()))]
    pub seed: Option<u64>,
    /// Length of an interval of the record.
    #[schemars(extend("x-key" = key().at_least(10e6).flag("TIME").compared(Never)))]
    pub interval: Nanos,
    /// Files in the set that file operations (create, stat, delete, ...) work on, over all workers.
    #[schemars(extend("x-key" = key().flag("N").needs(Needs::FileOperations)))]
    pub files: u64,
    /// Size of each file of the set: one, such as 16k, or one drawn evenly from a span, such as 1k-16k; 0 makes empty files; directory makes empty directories in the place of files, for create, stat, rename and delete. Missing: the block.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-key" = key().refused_without(Needs::FileOperations, "shapes a set of small files")))]
    pub file_size: Option<FileSizes>,
    /// Directories that the files of the set are dealt to, one after the other filled; 0 means 1000 files to each.
    #[schemars(extend("x-key" = key().refused_without(Needs::FileOperations, "shapes a set of small files")))]
    pub folders: u64,
    /// Names of the files of the set: numbered, or random (the order of the names is not that of their creation).
    #[schemars(extend("x-key" = key().refused_without(Needs::FileOperations, "shapes a set of small files")))]
    pub names: FileNames,
    /// In which order file operations take the files: offsets (as that key says; delete takes the oldest), listed (each once, as the directory lists them) or shuffled (each once, at random).
    #[schemars(extend("x-key" = key().refused_without(Needs::FileOperations, "shapes a set of small files")))]
    pub file_order: FileOrder,
    /// Keep the files of blocks that plumb makes instead of removing them at the end, for later runs; small files always go.
    #[schemars(extend("x-key" = key().switch("FLAG", "true").compared(Never).run_wide()))]
    pub keep: bool,
}

fn is_off(flag: &bool) -> bool {
    !flag
}

fn is_each(sharing: &RankSharing) -> bool {
    *sharing == RankSharing::Each
}

fn is_all(choice: &RankChoice) -> bool {
    *choice == RankChoice::All
}

fn is_on(flag: &bool) -> bool {
    *flag
}

fn is_nothing(number: &u32) -> bool {
    *number == 0
}

fn is_no_time(time: &Nanos) -> bool {
    time.0 == 0
}

/// One workload on one target by one engine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Job {
    /// Name within the step; empty when the step has one job.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    pub target: crate::target::Target,
    pub engine: EngineChoice,
    pub workload: Workload,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_form_reads_back() {
        for text in [
            "sequential",
            "reverse",
            "strided:64k",
            "strided:18-blocks",
            "first",
            "random",
            "random-with-replacement",
            "zipf:1.1",
            "pareto:0.2",
            "hot-spot:80/20",
            "normal:5",
            "zoned:60/10:30/20:10/70",
            "random-runs:8",
            "random-repeats:8",
        ] {
            assert_eq!(text.parse::<Offsets>().expect(text).to_string(), text);
        }
        for text in ["read", "read:70,write:30", "create:1,stat:2,delete:1"] {
            assert_eq!(text.parse::<Mix>().expect(text).to_string(), text);
        }
        for text in ["false", "each", "0,1,2,3,8", "numa:1"] {
            assert_eq!(text.parse::<Pin>().expect(text).to_string(), text);
        }
        for text in ["random", "reused", "zeros", "pattern:deadbeef"] {
            assert_eq!(text.parse::<Content>().expect(text).to_string(), text);
        }
    }

    #[test]
    fn nonsense_is_refused_with_the_choices() {
        let error = "sideways"
            .parse::<Offsets>()
            .expect_err("nonsense")
            .to_string();
        assert!(error.contains("sequential"), "{error}");
        for text in ["read:x", "read:0", "", "reed"] {
            assert!(text.parse::<Mix>().is_err(), "{text}");
        }
        for text in ["3-1", "x", "numa:x", ""] {
            assert!(text.parse::<Pin>().is_err(), "{text}");
        }
        for text in [
            "zipf:-1",
            "pareto:1",
            "strided",
            "strided:0",
            "strided:0-blocks",
            "strided:-blocks",
            "strided:x-blocks",
            "hot-spot:80/0",
            "normal:100",
            "zoned:60/10",
            "zoned:60/10:50/90",
            "random-runs:0",
            "random-repeats:0",
        ] {
            assert!(text.parse::<Offsets>().is_err(), "{text}");
        }
    }
}
