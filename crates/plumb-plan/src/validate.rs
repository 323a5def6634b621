//! Which values of a step contradict each other or cannot be carried out anywhere?

mod by_traits;
mod engine_options;
mod file_set;
mod goals;
mod misfit;
mod nowhere;
mod preparation;
mod replay;
mod smb_options;

use std::collections::BTreeMap;

use self::engine_options::{engine_options, owner_of_what_is_set, polling};
use self::misfit::{BLOCK_MAX, Misfit, misfit};
use self::nowhere::{is_nowhere, is_nowhere_by};
use plumb_model::engines;
use plumb_model::keys::{Keys, WHOLE_MAX};
use plumb_model::plan::{Origin, PlanError, Step};
use plumb_model::target::Target;
use plumb_model::units::Bytes;
use plumb_model::workload::{
    Arrivals, Content, Direct, FileOrder, Job, Layout, OperationKind, Pin, PingPongBy,
};

/// Smallest logical block of any device: offset and length of direct I/O are multiples of it (open(2), NOTES on O_DIRECT).
const SECTOR_BYTES: u64 = 512;
/// A thousand million operations per second: one each nanosecond.
const RATE_MAX: f64 = 1e9;

/// Judges every job of the step. The error names the step, the key, where its value came from, and what to write instead.
pub(crate) fn refuse_misfits(step: &Step, keys: &Keys) -> Result<(), PlanError> {
    for (job, origins) in step.jobs.iter().zip(&step.origins) {
        // What a log holds is judged when it is known.
        let is_known = job.workload.replay.is_none() || job.workload.replay_holds.is_some();
        let judges = if is_known { JUDGES } else { &[] };
        let own = |(key, message): Misfit| (key.to_string(), message);
        let found = replay::judge(job, origins)
            .map(own)
            .or_else(|| is_known.then(|| by_traits::judge(job, keys)).flatten())
            .or_else(|| judges.iter().find_map(|judge| judge(job)).map(own));
        if let Some((key, message)) = found {
            let name = if job.name.is_empty() || job.name == "main" {
                String::new()
            } else {
                format!(", job '{}'", job.name)
            };
            return Err(PlanError::at(
                format!("step '{}'{name}", step.name),
                format!("{message}{}", source(origins, &key)),
            ));
        }
    }
    goals::refuse_beside(step)
}

/// Where the value of the key came from, when it was chosen by someone.
fn source(origins: &BTreeMap<String, Origin>, key: &str) -> String {
    origins
        .get(key)
        .map(|origin| format!(" ({key} comes from: {origin})"))
        .unwrap_or_default()
}

const JUDGES: &[fn(&Job) -> Option<Misfit>] = &[
    messages,
    peers,
    ping_pongs_by_writes,
    blocks,
    access,
    sizes,
    concurrency,
    arrivals,
    stops,
    goals::until_steady,
    goals::latency_limit,
    percentages,
    direct,
    durability,
    preparation::fresh,
    preparation::cold,
    verification,
    file_operations,
    file_set::shape,
    file_set::order,
    engine_and_target,
    engine_options,
    smb_options::judge,
    polling,
];

fn has(job: &Job, kind: OperationKind) -> bool {
    job.workload.mix.0.iter().any(|(item, _)| *item == kind)
}

fn blocks(job: &Job) -> Option<Misfit> {
    let (smallest, largest) = (
        job.workload.smallest_block_bytes(),
        job.workload.largest_block_bytes(),
    );
    misfit(smallest == 0, "block", || "a block of 0 bytes moves nothing: write for example block = 4k".into())
        .or_else(|| {
            misfit(largest > BLOCK_MAX, "block", || {
                format!("a block of {} is larger than one call can move: at most {BLOCK_MAX} bytes", Bytes(largest))
            })
        })
        .or_else(|| {
            // Offsets of an access specification have an alignment of their own, those of a log any.
            let blocks = job.workload.block.0.iter().filter(|_| job.workload.access.is_none() && job.workload.replay.is_none());
            let uneven = blocks.into_iter().find(|(block, _)| !block.0.is_multiple_of(smallest.max(1)));
            uneven.map(|(block, _)| {
                ("block", format!("block {block} is no multiple of the smallest block {}: offsets are multiples of that", Bytes(smallest)))
            })
        })
}

/// An access specification draws kind, size and place of each operation together.
fn access(job: &Job) -> Option<Misfit> {
    let workload = &job.workload;
    workload.access.as_ref()?;
    misfit(workload.layout == Layout::Stream, "layout", || {
        "layout = stream feeds one order of blocks to all workers, and each worker draws from access by itself: write layout = shared or own".into()
    })
    .or_else(|| {
        misfit(workload.verify, "verify", || {
            "verify needs blocks that never overlap in part, and offsets of access are aligned to less than a block: leave one of them out".into()
        })
    })
}

fn sizes(job: &Job) -> Option<Misfit> {
    let workload = &job.workload;
    let largest = workload.largest_block_bytes();
    let parts = if workload.layout == Layout::Own {
        u64::from(workload.workers)
    } else {
        1
    };
    let blocks_only = !workload
        .mix
        .0
        .iter()
        .all(|(kind, _)| kind.is_file_operation());
    workload
        .size
        .filter(|_| blocks_only)
        .and_then(|size| {
            misfit(size.0 / parts.max(1) < largest, "size", || {
                let share = if parts > 1 { format!(" for each of {parts} workers (layout own)") } else { String::new() };
                format!("size {size} holds not one block of {}{share}: ask for a larger size or a smaller block", Bytes(largest))
            })
        })
        .or_else(|| {
            let step = workload.stride_bytes().unwrap_or(0);
            misfit(step > 0 && step < largest, "offsets", || {
                format!(
                    "a stride of {} is shorter than the block of {}: blocks would overlap; write for example strided:{}",
                    Bytes(step),
                    Bytes(largest),
                    Bytes(largest * 2)
                )
            })
        })
}

fn concurrency(job: &Job) -> Option<Misfit> {
    let workload = &job.workload;
    misfit(
        matches!(&workload.pin, Pin::Cpus(cpus) if cpus.is_empty()),
        "pin",
        || "pin names no CPU".into(),
    )
    .or_else(|| {
        misfit(
            workload.seed.is_some_and(|seed| seed > WHOLE_MAX),
            "seed",
            || format!("seed: at most {WHOLE_MAX}"),
        )
    })
}

fn arrivals(job: &Job) -> Option<Misfit> {
    let workload = &job.workload;
    let rate = workload.rate;
    misfit(rate.is_some_and(|rate| !(rate > 0.0 && rate <= RATE_MAX)), "rate", || {
        format!("rate {} is not between 0 and {RATE_MAX} operations per second: leave rate out for a closed loop", rate.unwrap_or_default())
    })
    .or_else(|| {
        misfit(rate.is_none() && workload.arrivals == Arrivals::Poisson, "arrivals", || {
            "arrivals = poisson needs a rate: without one the next operation starts when one ends".into()
        })
    })
    .or_else(|| {
        misfit(rate.is_some() && workload.think_time.0 > 0, "think-time", || {
            "rate and think-time contradict each other: rate says when operations start, think-time waits for completions; write one of them".into()
        })
    })
    .or_else(|| {
        misfit(rate.is_some() && workload.burst_operations > 0, "burst-operations", || {
            "rate and bursts contradict each other: with a rate operations start on its schedule; write one of them".into()
        })
    })
    .or_else(|| {
        misfit((workload.burst_operations > 0) != (workload.burst_pause.0 > 0), "burst-operations", || {
            "burst-operations and burst-pause belong together: write both, or neither".into()
        })
    })
}

fn stops(job: &Job) -> Option<Misfit> {
    let workload = &job.workload;
    let zero = [
        ("time", workload.time.is_some_and(|time| time.0 == 0)),
        ("bytes", workload.bytes.is_some_and(|bytes| bytes.0 == 0)),
        ("operations", workload.operations == Some(0)),
        ("passes", workload.passes == Some(0)),
    ];
    zero.into_iter()
        .find(|(_, zero)| *zero)
        .map(|(key, _)| (key, format!("{key} = 0 ends before anything was measured: ask for more")))
        .or_else(|| {
            misfit(workload.passes.is_some() && workload.bytes.is_some(), "passes", || {
                "passes and bytes both say how much is moved: write one of them".into()
            })
        })
        .or_else(|| {
            misfit(workload.passes.is_some() && workload.access.is_some(), "passes", || {
                "the blocks of access have no end at which a pass would be over: write bytes, operations or time instead of passes".into()
            })
        })
        .or_else(|| {
            let blocks = workload.reads_blocks() || workload.modifies_blocks();
            misfit(workload.passes.is_some() && !blocks, "passes", || {
                format!("passes go over the blocks or files of a target, and the mix {} has none: write operations or time", workload.mix)
            })
        })
}

fn percentages(job: &Job) -> Option<Misfit> {
    let shares = [
        ("compress-percent", job.workload.compress_percent),
        ("dedupe-percent", job.workload.dedupe_percent),
    ];
    let shared = shares.into_iter().find(|(_, share)| *share > 0.0);
    shared
        .filter(|_| job.workload.content != Content::Random)
        .map(|(key, _)| {
            (
                key,
                format!(
                    "{key} shapes random content, but content = {}: leave one of them out",
                    job.workload.content
                ),
            )
        })
}

fn direct(job: &Job) -> Option<Misfit> {
    let workload = &job.workload;
    let odd = !workload.unit_bytes().is_multiple_of(SECTOR_BYTES);
    misfit(workload.direct == Direct::Yes && odd && workload.access.is_some(), "access", || {
        format!("direct I/O needs sizes and alignments that are multiples of {SECTOR_BYTES} bytes: change the access lines or write direct = false")
    })
    .or_else(|| {
        misfit(workload.direct == Direct::Yes && odd, "block", || {
        format!(
            "direct I/O needs blocks that are multiples of {SECTOR_BYTES} bytes, and block = {}: change the block or write direct = false",
                workload.block
            )
        })
    })
    .or_else(|| {
        misfit(workload.direct == Direct::Yes && !workload.start.0.is_multiple_of(SECTOR_BYTES), "start", || {
            format!("direct I/O needs a start that is a multiple of {SECTOR_BYTES} bytes, and start = {}", workload.start)
        })
    })
    .or_else(|| {
        // Who sets an option of an engine gets that one.
        let engine = engines::named(&job.engine.engine).or_else(|| owner_of_what_is_set(job))?;
        let why = engine.never_direct?;
        misfit(workload.direct == Direct::Yes, "direct", || {
            format!("the {} engine {why}: choose another engine or write direct = false", engine.name)
        })
    })
}

fn durability(job: &Job) -> Option<Misfit> {
    let workload = &job.workload;
    let by_name = workload.flush_at_end && !workload.modifies_blocks();
    misfit(
        by_name && job.target.remote().is_some(),
        "flush-at-end",
        || {
            "flush-at-end syncs the file system of the files, which a share does not offer: leave it out, or mount the share".into()
        },
    )
}

fn verification(job: &Job) -> Option<Misfit> {
    let workload = &job.workload;
    if !workload.verify {
        return None;
    }
    let smallest = workload.smallest_block_bytes();
    misfit(smallest < SECTOR_BYTES, "block", || {
        format!("verify keeps place, count and checksum in each block: at least {SECTOR_BYTES} bytes, and block = {}", workload.block)
    })
    .or_else(|| {
        misfit(workload.has_file_operations(), "verify", || {
            format!("verify checks blocks, and the mix {} has operations on files: leave one of them out", workload.mix)
        })
    })
    .or_else(|| {
        misfit(has(job, OperationKind::Trim), "verify", || {
            "verify cannot know what a trimmed block holds: leave trim out of the mix".into()
        })
    })
    .or_else(|| {
        misfit(has(job, OperationKind::Rewrite), "verify", || {
            "verify writes blocks that it can recognise, and a rewrite changes a byte of what it finds: leave one of them out".into()
        })
    })
    .or_else(|| {
        misfit(workload.dedupe_percent > 0.0, "dedupe-percent", || {
            "verify makes every block unique, so none can repeat another: leave dedupe-percent out".into()
        })
    })
    .or_else(|| {
        misfit(is_nowhere(job), "verify", || {
            "nothing is stored on null, so nothing can be verified: leave verify out".into()
        })
    })
}

fn file_operations(job: &Job) -> Option<Misfit> {
    let workload = &job.workload;
    if !workload.has_file_operations() {
        return None;
    }
    let ordered = workload.file_order != FileOrder::Offsets;
    let once =
        workload.mix.0.iter().all(|(kind, _)| {
            ordered || matches!(kind, OperationKind::Create | OperationKind::Delete)
        });
    misfit(is_nowhere(job), "target", || {
        format!("the mix {} works on files, and null: has none: name a directory as target", workload.mix)
    })
    .or_else(|| {
        misfit(workload.files == 0, "files", || {
            "files = 0 leaves file operations nothing to work on: write for example files = 1000".into()
        })
    })
    .or_else(|| {
        misfit(
            once && workload.mix.0.len() == 1 && workload.operations.is_some_and(|operations| operations > workload.files),
            "operations",
            || {
                format!(
                    "the mix {} takes each of the {} files once: ask for at most that many operations, or for more files",
                    workload.mix, workload.files
                )
            },
        )
    })
    .or_else(|| {
        misfit(workload.rate.is_none() && workload.layout == Layout::Stream, "layout", || {
            "layout = stream feeds blocks to workers; operations on files have none".into()
        })
    })
}

/// Messages need a peer that answers them.
fn messages(job: &Job) -> Option<Misfit> {
    let mix = &job.workload.mix;
    let message = mix
        .0
        .iter()
        .map(|(kind, _)| *kind)
        .find(|kind| kind.is_message())?;
    let nowhere = is_nowhere(job);
    let peer = job
        .target
        .remote()
        .filter(|remote| !remote.scheme.is_share());
    misfit(peer.is_none() && !nowhere, "target", || {
        format!("{message} exchanges messages with a peer, and {} is none: name one as tcp://host, iperf3://host or rdma://host", job.target)
    })
    .or_else(|| {
        misfit(mix.0.iter().any(|(kind, _)| !kind.is_message()), "mix", || {
            format!("the mix {mix} has messages and other operations, which no target has together: make two jobs of them")
        })
    })
    .or_else(|| {
        misfit(has(job, OperationKind::PingPong) && peer.is_some_and(|remote| !remote.scheme.operations().contains(&OperationKind::PingPong)), "mix", || {
            "iperf3 servers only stream, they send nothing back: ask for send or receive, or start 'plumb serve-net --listen any' there and name it as tcp://host".into()
        })
    })
}

/// Peers store nothing: no blocks, no files, nothing to verify.
fn peers(job: &Job) -> Option<Misfit> {
    let remote = job
        .target
        .remote()
        .filter(|remote| !remote.scheme.is_share())?;
    let scheme = remote.scheme;
    let mix = &job.workload.mix;
    let other = mix
        .0
        .iter()
        .map(|(kind, _)| *kind)
        .find(|kind| !kind.is_message() && !scheme.operations().contains(kind));
    other
        .map(|kind| {
            let does = one_of(scheme.operations());
            (
                "mix",
                format!(
                    "{remote} is a peer without files, which cannot {kind}: write mix = {does}, or name a share, a directory or a device"
                ),
            )
        })
        .or_else(|| {
            misfit(job.workload.verify && !scheme.is(|of| of.lends_memory), "verify", || {
                format!("nothing is stored at {remote}, so nothing can be verified: leave verify out")
            })
        })
}

/// Whoever polls the last byte of a message must know where it will be, and can wait for one message at a time.
fn ping_pongs_by_writes(job: &Job) -> Option<Misfit> {
    let workload = &job.workload;
    if job.engine.ping_pong_by != PingPongBy::Write || !has(job, OperationKind::PingPong) {
        return None;
    }
    let remote = job
        .target
        .remote()
        .filter(|remote| !remote.scheme.is(|of| of.lends_memory));
    misfit(remote.is_some(), "ping-pong-by", || {
        format!(
            "ping-pong-by = write writes to the memory of a peer, which {} does not lend: leave it out, or name rdma://host",
            job.target
        )
    })
    .or_else(|| {
        misfit(workload.depth > 1, "depth", || {
            format!(
                "with ping-pong-by = write one message is under way at a time, and depth = {}: write depth = 1, or ping-pong-by = send",
                workload.depth
            )
        })
    })
    .or_else(|| {
        misfit(workload.block.0.len() > 1, "block", || {
            format!(
                "ping-pong-by = write polls the last byte of messages of one size, and block = {}: write one size, or ping-pong-by = send",
                workload.block
            )
        })
    })
}

fn engine_and_target(job: &Job) -> Option<Misfit> {
    let engine = job.engine.engine.as_str();
    misfit(
        job.target == Target::Null && engine != "auto" && !is_nowhere_by(engine),
        "engine",
        || {
            format!(
                "the target null: has only the engine null, not {engine}: leave engine out, or name a real target (/dev/null takes any engine)"
            )
        },
    )
}

/// `send, receive or ping-pong`.
fn one_of(kinds: &[OperationKind]) -> String {
    let words: Vec<&str> = kinds.iter().map(|kind| kind.word()).collect();
    match words.split_last() {
        Some((last, [])) => (*last).to_string(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use crate::{Overrides, PlanFile, PlanKind, resolve};

    /// Each nonsense with a word that its message must hold.
    const NONSENSE: &[(&[&str], &str)] = &[
        (&["block=0"], "0 bytes"),
        (&["block=4g"], "larger than one call"),
        (&["block=4k,5k"], "no multiple of the smallest"),
        (&["size=4k", "block=64k"], "holds not one block"),
        (
            &["size=64k", "block=64k", "layout=own", "workers=4"],
            "each of 4 workers",
        ),
        (&["offsets=strided:4k", "block=64k"], "overlap"),
        (&["offsets=strided:1-block", "block=4k:1,64k:1"], "overlap"),
        (&["replay-speed-percent=50"], "there is none"),
        (&["replay=x", "replay-speed-percent=0"], "not between"),
        (
            &["replay=x", "replay-speed-percent=50", "replay-pace=none"],
            "leave one of them out",
        ),
        (&["replay=x", "replay-divisor=0"], "divided by 0"),
        (&["replay=x", "replay-align=3k"], "no power of two"),
        (
            &["replay=x", "replay-skip=read,write,trim,flush"],
            "skip fewer",
        ),
        (&["replay="], "names no file"),
        (
            &[
                "replay=x",
                "replay-holds=requests:1,read:0,written:0,end:1,length:0s,files:1",
            ],
            "found out from the log",
        ),
        (&["replay=x", "block=4k"], "has no say"),
        (&["replay=x", "access=4k"], "has no say"),
        (&["replay=x", "think-time=1ms"], "replay-pace = none"),
        (
            &["replay=x", "warm-up=1s"],
            "every request of the log counts",
        ),
        (&["replay=x", "fsync-every=4"], "when to flush"),
        (&["replay=x", "verify=true"], "overlap in part"),
        (&["replay=x", "layout=stream"], "each worker replays"),
        (&["replay=x", "target=rdma://host"], "name a file"),
        (&["access=4k", "layout=stream"], "each worker draws"),
        (&["access=4k", "verify=true"], "overlap in part"),
        (&["access=4k", "passes=1"], "have no end"),
        (
            &["access=4k align 100", "direct=true"],
            "sizes and alignments",
        ),
        (&["access=4k", "target=tcp://host"], "cannot read"),
        (&["access=4k delay 1ms burst 4", "rate=100"], "contradict"),
        (&["depth=0"], "at least 1"),
        (&["depth=40000"], "at most 32768"),
        (&["workers=0"], "at least 1"),
        (&["workers=100000"], "at most 4096"),
        (&["rate=0"], "closed loop"),
        (&["rate=-5"], "closed loop"),
        (&["arrivals=poisson"], "needs a rate"),
        (&["rate=100", "think-time=1ms"], "contradict"),
        (
            &["rate=100", "burst-operations=5", "burst-pause=1ms"],
            "contradict",
        ),
        (&["burst-operations=5"], "belong together"),
        (&["time=0"], "before anything was measured"),
        (&["operations=0"], "before anything was measured"),
        (&["bytes=0"], "before anything was measured"),
        (&["interval=1ms"], "at least 10ms"),
        (&["until-steady=iops slope 1% over 2s"], "at least 3"),
        (
            &["until-steady=iops slope 1% over 10s after 5s", "time=14s"],
            "before one window of 10s is over",
        ),
        (
            &["until-steady=bandwidth slope 1% over 10s", "mix=stat"],
            "moves no data",
        ),
        (&["latency-limit=0s"], "nothing ends within"),
        (&["latency-limit-percentile=99"], "latency-limit = 2ms"),
        (
            &["latency-limit=1ms", "latency-limit-percentile=0"],
            "above 0 and at most 100",
        ),
        (
            &["latency-limit=1ms", "latency-limit-percentile=101"],
            "above 0 and at most 100",
        ),
        (&["compress-percent=120"], "at most 100"),
        (&["dedupe-percent=-1"], "at least 0"),
        (
            &["dedupe-percent=10", "content=zeros"],
            "leave one of them out",
        ),
        (&["direct=true", "block=1000"], "multiples of 512"),
        (&["direct=true", "start=100"], "multiple of 512"),
        (&["direct=true", "engine=mmap"], "page cache"),
        (&["fsync-every=8"], "has none"),
        (&["flush-at-end=true"], "has none"),
        (&["flush-at-end=true", "mix=stat"], "has none"),
        (
            &[
                "flush-at-end=true",
                "mix=create",
                "target=nfs://server/export",
            ],
            "does not offer",
        ),
        (&["passes=0"], "before anything was measured"),
        (&["passes=1", "bytes=1m"], "write one of them"),
        (&["passes=1", "mix=send", "target=tcp://host"], "has none"),
        (&["fresh=true"], "nothing to read"),
        (&["fresh=true", "mix=rewrite"], "nothing to rewrite"),
        (
            &["fresh=true", "mix=write", "target=null:"],
            "none that could be emptied",
        ),
        (
            &["fresh=true", "mix=write", "target=smb://server/share"],
            "none that could be emptied",
        ),
        (&["fresh=true", "mix=write", "start=4k"], "before start"),
        (
            &["fresh=true", "mix=write", "verify=true"],
            "throws them away",
        ),
        (&["cold=true", "target=null:"], "nothing of null"),
        (&["cold=true", "target=smb://server/share"], "read past it"),
        (&["cold=true", "mix=read-file"], "names and attributes"),
        (&["verify=true", "mix=rewrite"], "changes a byte"),
        (
            &["positioned=false", "engine=io_uring"],
            "option of the engine sync",
        ),
        (&["positioned=false", "target=null:"], "not of null:"),
        (
            &["per-character=true", "engine=sync"],
            "option of the engine stdio",
        ),
        (
            &["stdio-buffer=64k", "engine=mmap"],
            "option of the engine stdio",
        ),
        (&["stdio-buffer=2g"], "at most 1g"),
        (
            &["positioned=false", "per-character=true"],
            "choose one of them",
        ),
        (&["direct=true", "engine=stdio"], "buffers of the C library"),
        (
            &["direct=true", "per-character=true"],
            "buffers of the C library",
        ),
        (&["verify=true", "block=256"], "at least 512"),
        (&["verify=true", "mix=stat"], "operations on files"),
        (&["verify=true", "mix=write:1,trim:1"], "trimmed"),
        (&["verify=true", "dedupe-percent=5", "mix=write"], "unique"),
        (&["verify=true", "target=null:"], "nothing can be verified"),
        (&["mix=create", "target=null:"], "name a directory"),
        (&["mix=stat", "files=0"], "files = 1000"),
        (&["mix=create", "files=10", "operations=11"], "once"),
        (
            &["mix=stat", "files=10", "operations=11", "file-order=listed"],
            "once",
        ),
        (
            &["mix=create", "file-order=shuffled"],
            "nothing to put into an order",
        ),
        (
            &["mix=create:1,stat:1", "file-order=listed"],
            "one kind of operation",
        ),
        (
            &["mix=stat", "file-order=listed", "target=smb://server/share"],
            "file-order = shuffled",
        ),
        (&["file-size=4k"], "has no operations on files"),
        (&["folders=4"], "has no operations on files"),
        (&["mix=create", "file-size=1k-3g"], "at most"),
        (&["mix=create", "files=3", "folders=4"], "at most 3"),
        (
            &[
                "mix=read-file",
                "file-size=0-4k",
                "target=smb://server/share",
            ],
            "nothing to read",
        ),
        (&["target=null:", "engine=sync"], "only the engine null"),
        (&["iopoll=true", "engine=sync", "direct=true"], "io_uring"),
        (&["iopoll=true"], "needs direct"),
        (
            &["signing=true", "target=nfs://server/export"],
            "signing is an option of smb:// targets",
        ),
        (
            &["encryption=true", "target=nfs://server/export"],
            "sec=krb5i (signed) or krb5p (encrypted)",
        ),
        (
            &["dialect=3.0", "target=nfs://server/export"],
            "dialect is an option of smb:// targets",
        ),
        (
            &["channels=multichannel", "target=nfs://server/export"],
            "channels is an option of smb:// targets",
        ),
        (&["mix=send"], "name one as tcp://host"),
        (
            &["mix=ping-pong", "target=smb://server/share"],
            "exchanges messages with a peer",
        ),
        (&["mix=send:1,read:1", "target=tcp://host"], "make two jobs"),
        (&["mix=ping-pong", "target=iperf3://host"], "only stream"),
        (
            &["target=tcp://host"],
            "cannot read: write mix = send, receive or ping-pong",
        ),
        (
            &["mix=write", "target=iperf3://host"],
            "write mix = send or receive",
        ),
        (&["mix=create", "target=rdma://host"], "without files"),
        (
            &["mix=send", "verify=true", "target=tcp://host"],
            "nothing is stored",
        ),
        (
            &["mix=ping-pong", "ping-pong-by=write", "target=tcp://host"],
            "name rdma://host",
        ),
        (
            &[
                "mix=ping-pong",
                "ping-pong-by=write",
                "target=rdma://host",
                "depth=2",
            ],
            "one message is under way at a time",
        ),
        (
            &[
                "mix=ping-pong",
                "ping-pong-by=write",
                "target=rdma://host",
                "block=8:50,4k:50",
            ],
            "messages of one size",
        ),
    ];

    fn set(pairs: &[&str]) -> Overrides {
        let set = pairs
            .iter()
            .filter_map(|pair| pair.split_once('='))
            .map(|(key, text)| (key.into(), text.into()))
            .collect();
        Overrides {
            set,
            flags: Vec::new(),
        }
    }

    #[test]
    fn nonsense_is_refused_with_a_remedy_and_the_origin() {
        for (pairs, expected) in NONSENSE {
            let error = resolve(&PlanFile::ad_hoc(), &set(pairs), PlanKind::AdHoc)
                .expect_err(&format!("{pairs:?}"))
                .to_string();
            assert!(error.contains(expected), "{pairs:?}: {error}");
            assert!(error.starts_with("step '"), "{error}");
        }
        let error = resolve(&PlanFile::ad_hoc(), &set(&["depth=0"]), PlanKind::AdHoc)
            .expect_err("depth")
            .to_string();
        assert!(error.contains("depth comes from: --set"), "{error}");
    }

    #[test]
    fn sense_is_taken() {
        for pairs in [
            &["block=4k:70,64k:30"][..],
            &["offsets=strided:18-blocks", "block=64k"],
            &[
                "access=4k share 50 reads 0; 6k share 50 random 100",
                "direct=true",
            ],
            &["direct=try", "block=1000"],
            &["rate=100000", "arrivals=poisson"],
            &["verify=true", "mix=read:50,write:50", "compress-percent=40"],
            &["engine=null", "target=/tmp"],
            &["mix=write", "fsync-every=8"],
            &["mix=create", "file-size=0", "folders=7", "names=random"],
            &["mix=delete", "file-order=shuffled", "flush-at-end=true"],
            &["mix=rewrite", "fsync-every=8", "flush-at-end=true"],
            &["mix=write", "fresh=true", "flush-at-end=true", "passes=2"],
            &["mix=read", "cold=true", "passes=1", "time=5s"],
            &["until-steady=iops deviation 2% over 3s"],
            &[
                "until-steady=latency slope 2us over 1s after 1s",
                "interval=100ms",
                "passes=9",
                "start-delay=3s",
            ],
            &["latency-limit=1ms", "latency-limit-percentile=99.99"],
            &["positioned=false"],
            &["positioned=false", "engine=sync", "direct=true"],
            &["per-character=true"],
            &["stdio-buffer=64k", "engine=stdio"],
            &["size=64k", "block=64k"],
            &["mix=send", "target=tcp://host"],
            &[
                "mix=send:1,ping-pong:1",
                "block=1:50,64k:50",
                "target=tcp://host",
            ],
            &["mix=receive", "target=iperf3://host"],
            &["mix=read", "target=rdma://host"],
            &["mix=read", "target=rdma://host", "iopoll=true"],
            &["mix=ping-pong", "ping-pong-by=write", "target=rdma://host"],
            &[
                "mix=read",
                "ping-pong-by=write",
                "target=rdma://host",
                "depth=8",
            ],
            &["mix=ping-pong", "target=null:"],
            &[
                "signing=false",
                "encryption=false",
                "target=nfs://server/export",
            ],
            &[
                "signing=true",
                "dialect=3.1.1",
                "channels=multichannel",
                "target=smb://server/share",
            ],
            &[
                "replay=x",
                "replay-pace=none",
                "rate=100",
                "direct=true",
                "fresh=true",
            ],
            &[
                "replay=x",
                "replay-skip=none",
                "replay-divisor=2",
                "replay-align=4k",
                "passes=3",
                "flush-at-end=true",
            ],
        ] {
            resolve(&PlanFile::ad_hoc(), &set(pairs), PlanKind::AdHoc)
                .unwrap_or_else(|error| panic!("{pairs:?}: {error}"));
        }
    }
}
