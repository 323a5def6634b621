//! Do the keys go together that say when operations start, when the load ends, and what is written?

use plumb_model::engines;
use plumb_model::keys::INTEGER_MAX;
use plumb_model::workload::{Arrivals, Content, Job, OperationKind, Pin};

use super::rule::{Rule, rule};

/// A thousand million operations per second: one each nanosecond.
const RATE_MAX: f64 = 1e9;

pub(super) const ARRIVALS: &[Rule] = &[
    rule("seed", |job| {
        let seed = job.workload.seed.filter(|seed| *seed > INTEGER_MAX);
        seed.map(|_| format!("seed: at most {INTEGER_MAX}"))
    }),
    rule("rate", |job| {
        let rate = job
            .workload
            .rate
            .filter(|rate| !(*rate > 0.0 && *rate <= RATE_MAX))?;
        Some(format!(
            "rate {rate} is not between 0 and {RATE_MAX} operations per second: leave rate out for a closed loop"
        ))
    }),
    rule("pin", |job| {
        matches!(&job.workload.pin, Pin::Cpus(cpus) if cpus.is_empty())
            .then(|| "pin names no CPU".into())
    }),
    rule("arrivals", |job| {
        let workload = &job.workload;
        (workload.rate.is_none() && workload.arrivals == Arrivals::Poisson).then(|| {
            "arrivals = poisson needs a rate: without one the next operation starts when one ends".into()
        })
    }),
    rule("think-time", |job| {
        let workload = &job.workload;
        (workload.rate.is_some() && workload.think_time.0 > 0).then(|| {
            "rate and think-time contradict each other: rate says when operations start, think-time waits for completions; write one of them".into()
        })
    }),
    rule("trim-first", |job| {
        let kinds: Vec<OperationKind> = job.workload.mix.0.iter().map(|(kind, _)| *kind).collect();
        let fits =
            kinds == [OperationKind::Trim, OperationKind::Write] && job.workload.access.is_none();
        (job.workload.trim_first && !fits).then(|| {
            "trim-first trims each block and then writes it: write mix = trim:1,write:1, and leave access out".into()
        })
    }),
    rule("urgent", |job| {
        let has = engines::is(&job.engine.engine, |engine| engine.request_priorities);
        (job.workload.urgent.is_some() && !has).then(|| {
            "urgent gives operations a priority of their own, which takes engine = io_uring or libaio: write one of them, or leave urgent out".into()
        })
    }),
    rule("serialize-overlap", |job| {
        let workload = &job.workload;
        let has_blocks = workload.reads_blocks() || workload.modifies_blocks();
        (workload.serialize_overlap && !has_blocks).then(|| {
            format!(
                "serialize-overlap concerns blocks, and the mix {} has none: leave it out",
                workload.mix
            )
        })
    }),
    rule("burst-operations", |job| {
        let workload = &job.workload;
        (workload.rate.is_some() && workload.burst_operations > 0).then(|| {
            "rate and bursts contradict each other: with a rate operations start on its schedule; write one of them".into()
        })
    }),
    rule("burst-operations", |job| {
        let workload = &job.workload;
        ((workload.burst_operations > 0) != (workload.burst_pause.0 > 0)).then(|| {
            "burst-operations and burst-pause belong together: write both, or neither".into()
        })
    }),
];

fn ends_at_once(key: &str, is_zero: bool) -> Option<String> {
    is_zero.then(|| format!("{key} = 0 ends before anything was measured: ask for more"))
}

/// What holds a job back beside its rate.
pub(super) const LIMITS: &[Rule] = &[
    rule("kind-rates", |job| {
        let workload = &job.workload;
        let rates = &workload.kind_rates.as_ref()?.0;
        let kinds = || workload.mix.0.iter().map(|(kind, _)| *kind);
        let is_limited = |kind| rates.iter().any(|(of, _)| *of == kind);
        let known = rates.iter().all(|(of, _)| kinds().any(|kind| kind == *of));
        (!known || kinds().all(is_limited)).then(|| {
            format!(
                "kind-rates limits some kinds of the mix {}, and another takes their place: name one of several, or write rate for all",
                workload.mix
            )
        })
    }),
    rule("kind-rates", |job| {
        let workload = &job.workload;
        let counts = workload.access.is_some()
            || workload.replay.is_some()
            || workload.has_file_operations()
            || workload.fsync_every > 0;
        (counts && workload.kind_rates.is_some()).then(|| {
            "with kind-rates reads and writes take each other's place, which goes neither with access, a replay or file operations nor with fsync-every: make a job of each kind".into()
        })
    }),
    rule("refill-at", |job| {
        let (left, depth) = (job.workload.refill_at?, job.workload.depth);
        (left >= depth).then(|| {
            format!("refill-at = {left} is not below depth = {depth}: write fewer, or leave it out")
        })
    }),
];

pub(super) const STOPS: &[Rule] = &[
    rule("time", |job| {
        ends_at_once("time", job.workload.time.is_some_and(|time| time.0 == 0))
    }),
    rule("bytes", |job| {
        ends_at_once(
            "bytes",
            job.workload.bytes.is_some_and(|bytes| bytes.0 == 0),
        )
    }),
    rule("operations", |job| {
        ends_at_once("operations", job.workload.operations == Some(0))
    }),
    rule("passes", |job| {
        ends_at_once("passes", job.workload.passes == Some(0))
    }),
    rule("passes", |job| {
        (job.workload.passes.is_some() && job.workload.bytes.is_some())
            .then(|| "passes and bytes both say how much is moved: write one of them".into())
    }),
    rule("passes", |job| {
        (job.workload.passes.is_some() && job.workload.access.is_some()).then(|| {
            "the blocks of access have no end at which a pass would be over: write bytes, operations or time instead of passes".into()
        })
    }),
    rule("passes", |job| {
        let workload = &job.workload;
        let blocks = workload.reads_blocks() || workload.modifies_blocks();
        (workload.passes.is_some() && !blocks).then(|| {
            format!(
                "passes go over the blocks or files of a target, and the mix {} has none: write operations or time",
                workload.mix
            )
        })
    }),
];

pub(super) const CONTENT: &[Rule] = &[
    rule("compress-percent", |job| {
        shapes_random_content(job, "compress-percent", job.workload.compress_percent)
    }),
    rule("dedupe-set", |job| {
        let workload = &job.workload;
        (workload.dedupe_set.is_some() && workload.dedupe_percent == 0.0).then(|| {
            "dedupe-set says what dedupe-percent takes its repeated blocks from: write both, or leave it out".into()
        })
    }),
    rule("dedupe-percent", |job| {
        shapes_random_content(job, "dedupe-percent", job.workload.dedupe_percent)
    }),
];

fn shapes_random_content(job: &Job, key: &str, share: f64) -> Option<String> {
    let content = &job.workload.content;
    (share > 0.0 && *content != Content::Random).then(|| {
        format!("{key} shapes random content, but content = {content}: leave one of them out")
    })
}
