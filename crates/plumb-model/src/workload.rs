//! What is asked of the storage? Operation mix, block sizes, offsets, arrivals, stop rule, content: values that combine.

pub mod access;
pub mod block_list;
mod block_span;
mod content;
mod default;
mod ends_step;
pub mod engine_choice;
mod file_shape;
mod fio_marks;
mod io_priority;
pub mod iolog;
mod memory_policy;
mod mix;
pub mod offsets;
pub mod operation;
pub mod paths;
pub mod pin;
pub mod preconditioning;
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
pub use crate::workload::ends_step::EndsStep;
pub use crate::workload::engine_choice::{
    Addressing, BusyPoll, Channels, Dialect, EngineChoice, NfsSecurity, NfsVersion, ObjectChecksum,
    PingPongBy, Protection, Stamping,
};
pub use crate::workload::file_shape::{FileNames, FileOrder, FileSizes};
pub use crate::workload::fio_marks::{FioCheck, FioHeader, FioMarks, FioVersion, PatternPart};
pub use crate::workload::io_priority::{IoPriority, UrgentShare, UrgentShares};
pub use crate::workload::memory_policy::MemoryPolicy;
pub use crate::workload::offsets::Offsets;
pub use crate::workload::operation::OperationKind;
pub use crate::workload::paths::{AccessHint, PathList, PathOrder};
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
    /// Block sizes with weights, such as 4k or 4k:70,64k:30. 512-1m means all multiples of 512 up to 1m, equally weighted.
    #[schemars(extend("x-key" = key().flag("SIZE").compared(WhatOrDefault)))]
    pub block: BlockSizes,
    /// Order of offsets.
    #[schemars(extend("x-key" = key().flag("ORDER").compared(WhatOrDefault)))]
    pub offsets: Offsets,
    /// Bytes that each worker transfers in one zone before it moves to the next; after the last zone it returns to the first. For sequential and random
    /// offsets.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-key" = key().written_for_fio("zonesize")))]
    pub zone_size: Option<Bytes>,
    /// Length of a zone, if it differs from zone-size: a shorter zone is covered several times, a longer one in part.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-key" = key().written_for_fio("zonerange")))]
    pub zone_range: Option<Bytes>,
    /// Bytes between the end of a zone and the start of the next.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-key" = key().written_for_fio("zoneskip")))]
    pub zone_skip: Option<Bytes>,
    /// Iometer access specification, instead of mix, block and offsets: a list of lines, or lines separated by semicolons, such as 4k share 67 reads 100 random
    /// 100 delay 0ms burst 1 align 0. Each burst draws a line by its share (percent). An operation is a read in reads percent of cases, and at a random offset
    /// in random percent; otherwise it starts where the previous operation ended (after any), or the previous one of its kind (after same). Offsets are rounded
    /// up to align (0 = 512); an operation that would pass the end starts at offset 0. delay is the pause before a burst. Defaults: share 100, reads 100,
    /// random 0, after any, delay 0s, burst 1, align 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub access: Option<AccessLines>,
    /// Replay a recorded pattern, instead of mix, block and offsets: path of an fio iolog, version 2 or 3. Every worker replays the complete log in order; the
    /// step ends with the log, or with passes after the last pass. The files named in the log are not touched: all requests go to the target.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replay: Option<String>,
    /// Start of the requests of a replay: recorded (at the recorded times, even if earlier requests are still outstanding), or none (as soon as depth allows,
    /// or by rate). If omitted: recorded, if the log has times.
    #[serde(skip_serializing_if = "ReplayPace::is_recorded")]
    pub replay_pace: ReplayPace,
    /// Speed of a replay at recorded pace, in percent: 200 is twice as fast. If omitted: 100.
    #[serde(skip_serializing_if = "crate::workload::replay::is_full_speed")]
    pub replay_speed_percent: f64,
    /// Divide all offsets of a replay by this number, to fit a large pattern into a small target. If omitted: 1.
    #[serde(skip_serializing_if = "crate::workload::replay::is_one")]
    pub replay_divisor: u64,
    /// Round all offsets of a replay down to a multiple of this power of two. If omitted: 1.
    #[serde(skip_serializing_if = "crate::workload::replay::is_one_byte")]
    pub replay_align: Bytes,
    /// Kinds of requests that a replay skips, such as write,trim; the others keep their start times. If omitted: none.
    #[serde(skip_serializing_if = "ReplaySkip::is_empty")]
    pub replay_skip: ReplaySkip,
    /// Layout in the target of the files of a log that names several: apart (one after the other) or together (all at the same offset). If omitted: apart.
    #[serde(skip_serializing_if = "ReplayFiles::is_apart")]
    pub replay_files: ReplayFiles,
    /// Only in a printed plan: contents of the replay log, derived from it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replay_holds: Option<ReplayHolds>,
    /// Alignment of random offsets. If omitted: the smallest block size.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-key" = key().written_for_fio("ba")))]
    pub align: Option<Bytes>,
    /// How workers share the target: shared, own, or stream.
    #[schemars(extend("x-key" = key().flag("WORD").compared(WhatOrDefault)))]
    pub layout: Layout,
    /// With layout = shared: every worker covers all blocks of the target from its start, as fio's clones do. If off: each worker starts in a different part.
    #[serde(skip_serializing_if = "crate::workload::is_off")]
    pub same_start: bool,
    /// Queue depth: operations that each worker keeps outstanding (closed loop), or its maximum outstanding (open loop).
    // io_uring's largest ring (IORING_MAX_ENTRIES, io_uring/io_uring.h); no device queue is deeper.
    #[schemars(extend("x-key" = key().range(1.0, 32_768.0).flag("N").compared(WhatOrDefault)))]
    pub depth: u32,
    /// In a mix of trims and writes: trim each block, then write it.
    #[serde(skip_serializing_if = "crate::workload::is_off")]
    pub trim_first: bool,
    /// Delay an operation while another one of the same worker that overlaps it is in flight.
    #[serde(skip_serializing_if = "crate::workload::is_off")]
    #[schemars(extend("x-key" = key().fio("serialize_overlap")))]
    pub serialize_overlap: bool,
    /// Threads that generate load.
    #[schemars(extend("x-key" = key().range(1.0, 4096.0).flag("N").compared(WhatOrDefault)))]
    pub workers: u32,
    /// With several hosts, how ranks share the job: each (every rank runs it independently, with its own files), or together (their workers form one job: they
    /// share its files, and size, files, rate and stop limits apply to all ranks in total).
    #[serde(skip_serializing_if = "crate::workload::is_each")]
    pub ranks: RankSharing,
    /// With several hosts, ranks that run the job: all, even, odd, hosts:N (ranks of the first N hosts; a step that needs more hosts than there are is
    /// skipped), or numbers such as 0-3,8.
    #[serde(skip_serializing_if = "crate::workload::is_all")]
    pub on_ranks: RankChoice,
    /// With ranks = together: whose part of the file, or whose files, each rank uses: own, next-host (those of a rank on another host, so that reads miss the
    /// local cache; IOR's -C), or a number N (those of the rank N further on).
    #[serde(skip_serializing_if = "FilesOf::is_own")]
    pub files_of: FilesOf,
    /// With layout = shared: build the file from segments, each with one block of this length per worker of every rank (IOR's -b); each worker uses its own
    /// blocks. If equal to the block size of the operations: strided. If omitted: no segments.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub segment_block: Option<Bytes>,
    /// Where this process stands among the ranks; settled when they have met.
    #[serde(skip)]
    #[schemars(skip)]
    pub rank_position: RankPosition,
    /// Operations per second over all workers; makes the loop open. If omitted: closed loop, as fast as the target completes operations.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-key" = key().flag("PER_SECOND").compared(WhatOrDefault)))]
    pub rate: Option<f64>,
    /// Arrival times of operations in an open loop: fixed or poisson.
    #[schemars(extend("x-key" = key().flag("WORD").needs(Needs::Rate)))]
    pub arrivals: Arrivals,
    /// Maximum operations per second of single kinds, over all workers, such as write:3200. An operation drawn before it is due becomes the other kind of the
    /// mix.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind_rates: Option<Mix>,
    /// Weight of each worker in its flow group: the jobs of a group start operations in proportion to their weights. 0: no group.
    #[serde(skip_serializing_if = "crate::workload::is_nothing")]
    #[schemars(extend("x-key" = key().written_for_fio("flow")))]
    pub flow_weight: u32,
    /// Number of the flow group.
    #[serde(skip_serializing_if = "crate::workload::is_nothing")]
    #[schemars(extend("x-key" = key().written_for_fio("flow_id")))]
    pub flow_group: u32,
    /// Pause of a worker that is ahead of its share of the flow group; 0: until another worker has caught up.
    #[serde(skip_serializing_if = "crate::workload::is_no_time")]
    pub flow_pause: Nanos,
    /// After depth operations are outstanding, start no more until only this many are left. If omitted: each completion starts the next operation.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-key" = key().written_for_fio("iodepth_low")))]
    pub refill_at: Option<u32>,
    /// Pause between a completion and the next operation (closed loop).
    pub think_time: Nanos,
    /// Operations of a worker between two pauses of burst-pause; 0: no bursts.
    pub burst_operations: u64,
    /// Length of the pause between bursts. It begins when all operations of the burst are done.
    pub burst_pause: Nanos,
    /// Batches that a training reader reads ahead. Each worker is an accelerator, burst-operations the reads of a batch, burst-pause the compute time of a batch:
    /// during it, operations continue until so many more batches are read or being read. The report states the accelerator utilization. 0: no operations during
    /// the compute time. If omitted: bursts are not batches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prefetch: Option<u64>,
    /// With prefetch: samples of a batch, for the figure samples per second. If omitted: as many as burst-operations.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-key" = key().compared(Never)))]
    pub burst_samples: Option<u64>,
    /// With rate and bursts: operations that would be due during a pause are left out. If false, they start together after the pause.
    #[serde(skip_serializing_if = "crate::workload::is_off")]
    #[schemars(extend("x-key" = key().needs(Needs::Rate)))]
    pub rate_ignores_pauses: bool,
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
    /// Stop after this many passes over the part in use, or over the small files, by all workers in total.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-key" = key().stop()))]
    pub passes: Option<u64>,
    /// End the writing without an error when the target is full (ENOSPC, EDQUOT); reserve no free space. If no size is given, the part in use is as large as
    /// the file system.
    #[serde(skip_serializing_if = "crate::workload::is_off")]
    #[schemars(extend("x-key" = key().written_for_fio("fill_device")))]
    pub until_full: bool,
    /// Stop at steady state, such as iops deviation 2% over 30s after 10s: the figure (iops, bandwidth, latency) of each interval in the window stays within
    /// the limit by its greatest deviation from the window's mean (deviation) or by its least-squares slope per interval (slope). The limit is in percent of
    /// the mean, or in operations/s, bytes/s or time. Other stop limits are the upper bound; if there is none: ten windows.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-key" = key().compared(How).stop()))]
    pub until_steady: Option<UntilSteady>,
    /// Warm-up time; recorded, excluded from results.
    #[schemars(extend("x-key" = key().flag("TIME").compared(How).written_for_fio("ramp_time")))]
    pub warm_up: Nanos,
    /// Delay of the job, including its warm-up, after the start of its step. If omitted: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-key" = key().written_for_fio("startdelay")))]
    pub start_delay: Option<Nanos>,
    /// Latency target: the report states whether the share of operations in latency-limit-percentile completed within it, and for a series of depths the
    /// highest depth that met it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-key" = key().compared(Never)))]
    pub latency_limit: Option<Nanos>,
    /// Share of operations, in percent, that must complete within latency-limit. If omitted: 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-key" = key().compared(Never).written_for_fio("latency_percentile")))]
    pub latency_limit_percentile: Option<f64>,
    /// End the step with an error if an operation takes longer than this.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-key" = key().compared(How).written_for_fio("max_latency")))]
    pub max_latency: Option<Nanos>,
    /// End the job with an error at its first operation that fails, as fio does without continue_on_error. If off: failures are counted, and the job ends after 1,000
    /// in a row. Blocks that differ have stop-at-mismatch.
    #[serde(skip_serializing_if = "crate::workload::is_off")]
    #[schemars(extend("x-key" = key().compared(How)))]
    pub stop_at_error: bool,
    /// End the step with an error if a worker falls below its share of this minimum over an interval (over two operations where those take longer), per kind of
    /// operation: iops 100, or bandwidth 4m. The first two seconds are exempt.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-key" = key().compared(How)))]
    pub min_rate: Option<MinRate>,
    /// Report each worker separately, with its own latencies, as fio does without group_reporting.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schemars(extend("x-key" = key().compared(Never)))]
    pub workers_apart: bool,
    /// Run a job beside the main one to its own end instead of ending it with the main job; the step ends when all such jobs have ended.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub to_its_end: bool,
    /// When the first worker of this job ends, end all jobs of its step: never, always (as exitall of fio), or on-error.
    #[serde(skip_serializing_if = "EndsStep::is_never")]
    #[schemars(extend("x-key" = key().compared(How)))]
    pub ends_step: EndsStep,
    /// Part of the target in use, over all workers, such as 1g (1024^3) or 10GB (1000^3); k, m, g and KiB, MiB, GiB are powers of 1024 as in fio, kB, MB, GB
    /// powers of 1000. If omitted: all of an existing target, otherwise derived from the free space.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-key" = key().flag("SIZE").run_wide().written_for_fio("size")))]
    pub size: Option<Bytes>,
    /// Several files or devices instead of one, separated by colons (\\: for a colon in a name), relative to the target, which is a directory. size is their
    /// total. If omitted: one file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paths: Option<PathList>,
    /// Order of several files: in-turn (each operation uses the next file) or one-by-one (the next file after all of the current one).
    #[serde(skip_serializing_if = "PathOrder::is_in_turn")]
    pub path_order: PathOrder,
    /// Offset of that part in an existing target.
    #[schemars(extend("x-key" = key().compared(How)))]
    pub start: Bytes,
    /// Bypass the page cache: true, false, or try (if the target supports it; the default of plumb check and of a workload from flags).
    #[schemars(extend("x-key" = key().switch("WORD", "true").run_wide()))]
    pub direct: Direct,
    /// Durability of each write: none, sync (O_SYNC) or dsync (O_DSYNC).
    #[schemars(extend("x-key" = key().flag("WORD").written_for_fio("sync")))]
    pub sync: Sync,
    /// Flush (fdatasync) after this many writes of a worker; 0: never.
    #[schemars(extend("x-key" = key().refused_without(Needs::Writes, "counts writes")))]
    pub fsync_every: u64,
    /// Flush all metadata of the file (fsync), not only what is needed to read the data back (fdatasync).
    #[serde(skip_serializing_if = "crate::workload::is_off")]
    pub flush_metadata: bool,
    /// End each worker with an fsync of its written data, or after file operations with a sync of the file system; its time counts.
    #[schemars(extend("x-key" = key().refused_without(Needs::Changes, "brings what was changed to stable storage").fio("end_fsync")))]
    pub flush_at_end: bool,
    /// Flushes after each pass except the last, each for all data written; one that coincides with a flush of fsync-every runs twice, as fio flushes between
    /// its loops. If omitted: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-key" = key().compared(Never).refused_without(Needs::Writes, "flushes what was written")))]
    pub pass_flushes: Option<u32>,
    /// With fsync-every: also run a flush that becomes due with the last write, if an amount ends the step.
    #[serde(skip_serializing_if = "crate::workload::is_off")]
    #[schemars(extend("x-key" = key().compared(Never)))]
    pub last_flush: bool,
    /// With fsync-every: also flush after a read if no write followed the previous flush, as fio does in mixes of reads and writes.
    #[serde(skip_serializing_if = "crate::workload::is_off")]
    #[schemars(extend("x-key" = key().compared(Never)))]
    pub flush_after_reads: bool,
    /// Empty the file before the step, so that its blocks are allocated again; only for files that plumb creates. On a share, only if the step ends by passes.
    pub fresh: bool,
    /// Do not fill a new file before the step writes to it; an existing file is overwritten as it is.
    #[serde(skip_serializing_if = "crate::workload::is_off")]
    pub unfilled: bool,
    /// With fresh or unfilled: allocate the blocks of the file before writing (fallocate(2)), if the file system supports it.
    #[serde(skip_serializing_if = "crate::workload::is_off")]
    pub preallocate: bool,
    /// Use an existing file named NAME.N.N (fio's names: job.0.0) again if it has exactly the size of the job; overwrite it without --overwrite.
    #[serde(skip_serializing_if = "crate::workload::is_off")]
    #[schemars(extend("x-key" = key().compared(Never)))]
    pub reuse: bool,
    /// Lengthen an existing file that is only read and shorter than the part in use: its content stays, and with keep = false its length is restored at the
    /// end. If false, such a file is refused.
    #[serde(skip_serializing_if = "crate::workload::is_off")]
    #[schemars(extend("x-key" = key().compared(Never)))]
    pub extend: bool,
    /// Drop the target's pages from the page cache before the step. For a share that plumb accesses directly, this host caches nothing, and the server's cache
    /// is not dropped.
    pub cold: bool,
    /// With cold: drop the pages again each time a worker has moved as many bytes as the part of the target in use has, as fio's invalidate does.
    #[serde(skip_serializing_if = "crate::workload::is_off")]
    pub cold_passes: bool,
    /// Announce the order of buffered accesses to the kernel (posix_fadvise(2), for mmap madvise(2)): none, sequential, random, or noreuse. Linux reads twice as
    /// far ahead with sequential, and nothing ahead with random; Windows and macOS ignore it.
    #[serde(skip_serializing_if = "AccessHint::is_none")]
    #[schemars(extend("x-key" = key().written_for_fio("fadvise_hint")))]
    pub access_hint: AccessHint,
    /// Read the part in use into the page cache before the step.
    #[serde(skip_serializing_if = "crate::workload::is_off")]
    #[schemars(extend("x-key" = key().written_for_fio("pre_read")))]
    pub pre_read: bool,
    /// Prepare the files and end the step without an operation.
    #[serde(skip_serializing_if = "crate::workload::is_off")]
    #[schemars(extend("x-key" = key().written_for_fio("create_only")))]
    pub prepare_only: bool,
    /// Content of writes: random (incompressible and unique), reused (random bytes generated once), zeros, or pattern:HEX.
    pub content: Content,
    /// Share of each written block that compresses to almost nothing, in percent.
    #[schemars(extend("x-key" = key().range(0.0, 100.0)))]
    pub compress_percent: f64,
    /// Share of written blocks that repeat an earlier one, in percent.
    #[schemars(extend("x-key" = key().range(0.0, 100.0)))]
    pub dedupe_percent: f64,
    /// Number of different blocks that repeated blocks are drawn from, fixed for each worker and block size, such as 1000. 1000 shared: the same blocks for all
    /// workers, and for jobs with the same seed. If omitted: the 256 blocks written last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dedupe_set: Option<DedupeSet>,
    /// Write each block with its offset, write count and checksum, and check every block read.
    #[schemars(extend("x-key" = key().switch("FLAG", "true").compared(How)))]
    pub verify: bool,
    /// With verify: mark and check blocks as fio does, with its header and this check of fio (such as crc32c, md5 or pattern_hdr pattern=deadbeef), so that fio
    /// verifies what plumb wrote, and the other way round. If omitted: plumb's own header.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-key" = key().compared(How)))]
    pub verify_as: Option<FioMarks>,
    /// With verify: the first block that differs from what was written ends the job. If off: all blocks are checked.
    #[serde(skip_serializing_if = "crate::workload::is_off")]
    #[schemars(extend("x-key" = key().compared(How).written_for_fio("verify_fatal")))]
    pub stop_at_mismatch: bool,
    /// With verify: after every so many writes, read back and check blocks that were written since. 0: blocks are read back at the end.
    #[serde(skip_serializing_if = "crate::workload::is_zero")]
    #[schemars(extend("x-key" = key().compared(How).written_for_fio("verify_backlog")))]
    pub verify_backlog: u64,
    /// With verify-backlog: blocks that are read back at once. If omitted: as many as verify-backlog.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-key" = key().compared(How).written_for_fio("verify_backlog_batch")))]
    pub verify_backlog_batch: Option<u64>,
    /// With verify: threads of each worker that check the blocks it has read, while it continues; each block is copied for them. 0: the worker checks them.
    #[serde(skip_serializing_if = "crate::workload::is_nothing")]
    #[schemars(extend("x-key" = key().range(0.0, 1024.0).compared(How).written_for_fio("verify_async")))]
    pub verify_threads: u32,
    /// CPUs that these threads run on, such as 0-3,8; Linux and Windows. If omitted: any.
    #[serde(skip_serializing_if = "crate::workload::is_unpinned")]
    #[schemars(extend("x-key" = key().compared(How).written_for_fio("verify_async_cpus")))]
    pub verify_pin: Pin,
    /// With verify: write the blocks that differ to files in this folder, FILE.OFFSET.received, and what they should contain to FILE.OFFSET.expected.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-key" = key().compared(Never).written_for_fio("verify_dump")))]
    pub dump_mismatches: Option<String>,
    /// With verify: read back, in a step at the end, the data that no step of the plan reads; false leaves it unread.
    #[serde(skip_serializing_if = "crate::workload::is_on")]
    #[schemars(extend("x-key" = key().compared(Never)))]
    pub read_back: bool,
    /// With verify: read only blocks written in this run, each once; the job ends when all of them have been read.
    #[serde(skip_serializing_if = "crate::workload::is_off")]
    #[schemars(extend("x-key" = key().compared(How)))]
    pub written_only: bool,
    /// With verify: the existing data was written by an earlier verified run, and every block read must be intact and at its offset. If off: such blocks count
    /// as not verified.
    #[serde(skip_serializing_if = "crate::workload::is_off")]
    #[schemars(extend("x-key" = key().compared(How)))]
    pub verify_existing: bool,
    /// Write the operations as issued to this file, as an fio iolog, version 3; workers other than the first of the first job append their numbers
    /// (FILE.JOB.WORKER). An earlier iolog of this name is overwritten, any other file is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-key" = key().compared(How).written_for_fio("write_iolog")))]
    pub write_iolog: Option<String>,
    /// Keep every operation in the record (file operations.bin): its times, kind, offset and size. 4 to 10 bytes and about 0.2 microseconds of another thread per
    /// operation; a worker waits if that thread falls behind, and the run reports for how long.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schemars(extend("x-key" = key().compared(How)))]
    pub log_each: bool,
    /// CPUs that workers may run on: false, each, CPUs such as 0-3,8, or NUMA nodes such as numa:0 or numa:0-1.
    #[schemars(extend("x-key" = key().switch("WHERE", "each").compared(How)))]
    pub pin: Pin,
    /// I/O priority of the requests (ioprio_set(2)): realtime:0 to realtime:7, best-effort:0 to best-effort:7, or idle; Linux. If omitted: that of the plumb
    /// process.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-key" = key().compared(How)))]
    pub io_priority: Option<IoPriority>,
    /// NUMA nodes of the buffers of each worker (set_mempolicy(2)): local, prefer:NODE, bind:NODES or interleave:NODES; Linux. If omitted: that of the plumb
    /// process.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-key" = key().compared(How).written_for_fio("numa_mem_policy")))]
    pub memory_policy: Option<MemoryPolicy>,
    /// Share of operations with a different I/O priority, such as 20% realtime:0 (priorities as in io-priority), or several shares, each of one kind and
    /// block size, such as read 64k 20% realtime:0, write 50% idle; engines io_uring and libaio. If omitted: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-key" = key().written_for_fio("cmdprio_percentage")))]
    pub urgent: Option<UrgentShares>,
    /// Seed of all random sequences. If omitted: drawn for each run, and recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-key" = key().flag("N").compared(Never).run_wide()))]
    pub seed: Option<u64>,
    /// Length of an interval of the record.
    #[schemars(extend("x-key" = key().at_least(10e6).flag("TIME").compared(Never)))]
    pub interval: Nanos,
    /// Number of files for file operations (create, stat, delete, ...), over all workers.
    #[schemars(extend("x-key" = key().flag("N").needs(Needs::FileOperations)))]
    pub files: u64,
    /// Size of each of these files: fixed, such as 16k, or drawn uniformly from a range, such as 1k-16k. 0: empty files. directory: empty directories instead
    /// of files, for create, stat, rename and delete. If omitted: the block size.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-key" = key().refused_without(Needs::FileOperations, "shapes a set of small files")))]
    pub file_size: Option<FileSizes>,
    /// Directories that these files are distributed over, filled one after the other; 0: 1000 files in each.
    #[schemars(extend("x-key" = key().refused_without(Needs::FileOperations, "shapes a set of small files")))]
    pub folders: u64,
    /// Names of these files: numbered, or random (the order of names differs from the order of creation).
    #[schemars(extend("x-key" = key().refused_without(Needs::FileOperations, "shapes a set of small files")))]
    pub names: FileNames,
    /// Order of files in file operations: offsets (by the key offsets; delete takes the oldest), listed (each once, in directory order) or shuffled (each once,
    /// at random).
    #[schemars(extend("x-key" = key().refused_without(Needs::FileOperations, "shapes a set of small files")))]
    pub file_order: FileOrder,
    /// Keep the test files after the run, for later runs; small files are always removed.
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

fn is_zero(number: &u64) -> bool {
    *number == 0
}

fn is_unpinned(pin: &Pin) -> bool {
    *pin == Pin::No
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
            "listed:2,0,1",
            "listed-moving:2,0,1",
        ] {
            assert_eq!(text.parse::<Offsets>().expect(text).to_string(), text);
        }
        for text in ["read", "read:70,write:30", "create:1,stat:2,delete:1"] {
            assert_eq!(text.parse::<Mix>().expect(text).to_string(), text);
        }
        for text in ["false", "each", "0,1,2,3,8", "numa:1", "numa:0,2"] {
            assert_eq!(text.parse::<Pin>().expect(text).to_string(), text);
        }
        for text in ["random", "scrambled", "reused", "zeros", "pattern:deadbeef"] {
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
            "listed",
            "listed:",
            "listed-moving:x",
        ] {
            assert!(text.parse::<Offsets>().is_err(), "{text}");
        }
    }
}
