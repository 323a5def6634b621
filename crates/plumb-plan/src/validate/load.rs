//! Are the keys for start times, the end of the load, and written content consistent?

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
            .then(|| "pin contains no CPU".into())
    }),
    rule("arrivals", |job| {
        let workload = &job.workload;
        (workload.rate.is_none() && workload.arrivals == Arrivals::Poisson).then(|| {
            "arrivals = poisson needs a rate; without one each operation starts when another ends".into()
        })
    }),
    rule("think-time", |job| {
        let workload = &job.workload;
        (workload.rate.is_some() && workload.think_time.0 > 0).then(|| {
            "rate and think-time exclude each other: rate sets the start times of operations, think-time waits for completions; use one of them".into()
        })
    }),
    rule("trim-first", |job| {
        let kinds: Vec<OperationKind> = job.workload.mix.0.iter().map(|(kind, _)| *kind).collect();
        let fits =
            kinds == [OperationKind::Trim, OperationKind::Write] && job.workload.access.is_none();
        (job.workload.trim_first && !fits).then(|| {
            "trim-first trims each block and then writes it; use mix = trim:1,write:1, and remove access".into()
        })
    }),
    rule("urgent", |job| {
        let has = engines::is(&job.engine.engine, |engine| engine.request_priorities);
        (job.workload.urgent.is_some() && !has).then(|| {
            "urgent sets priorities of single operations, which needs engine = io_uring or libaio; use one of them, or remove urgent".into()
        })
    }),
    rule("serialize-overlap", |job| {
        let workload = &job.workload;
        let has_blocks = workload.reads_blocks() || workload.modifies_blocks();
        (workload.serialize_overlap && !has_blocks).then(|| {
            format!(
                "serialize-overlap is for blocks, and the mix {} has none; remove it",
                workload.mix
            )
        })
    }),
    rule("rate-ignores-pauses", |job| {
        let workload = &job.workload;
        (workload.rate_ignores_pauses && workload.burst_operations == 0).then(|| {
            "rate-ignores-pauses is for pauses between bursts; set burst-operations and burst-pause, or remove it".into()
        })
    }),
    rule("burst-operations", |job| {
        let workload = &job.workload;
        ((workload.burst_operations > 0) != (workload.burst_pause.0 > 0))
            .then(|| "burst-operations and burst-pause need each other; use both or neither".into())
    }),
    rule("prefetch", |job| {
        let workload = &job.workload;
        let has_batches = workload.burst_operations > 0 && workload.rate.is_none();
        (workload.prefetch.is_some() && !has_batches).then(|| {
            "prefetch is for batches in a closed loop: set burst-operations (reads of a batch) and burst-pause (compute time of a batch), and remove rate".into()
        })
    }),
    rule("burst-samples", |job| {
        let workload = &job.workload;
        let samples = workload.burst_samples?;
        (samples == 0 || workload.prefetch.is_none()).then(|| {
            "burst-samples is the number of samples of a batch, at least 1, for the figures of prefetch; set prefetch, or remove it".into()
        })
    }),
];

fn ends_at_once(key: &str, is_zero: bool) -> Option<String> {
    is_zero.then(|| format!("{key} = 0 ends before anything is measured; use a larger value"))
}

/// Limits of a job besides its rate.
pub(super) const LIMITS: &[Rule] = &[
    rule("kind-rates", |job| {
        let workload = &job.workload;
        let rates = &workload.kind_rates.as_ref()?.0;
        let kinds = || workload.mix.0.iter().map(|(kind, _)| *kind);
        let is_limited = |kind| rates.iter().any(|(of, _)| *of == kind);
        let known = rates.iter().all(|(of, _)| kinds().any(|kind| kind == *of));
        (!known || kinds().all(is_limited)).then(|| {
            format!(
                "kind-rates must limit some but not all kinds of the mix {}; limit one of several, or use rate for all",
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
            "with kind-rates reads and writes replace each other, which does not work with access, a replay, file operations or fsync-every; use one job per kind".into()
        })
    }),
    rule("refill-at", |job| {
        let (left, depth) = (job.workload.refill_at?, job.workload.depth);
        (left >= depth).then(|| {
            format!(
                "refill-at = {left} is not below depth = {depth}; use a smaller value, or remove it"
            )
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
            .then(|| "passes and bytes both set the amount of data; use one of them".into())
    }),
    rule("passes", |job| {
        (job.workload.passes.is_some() && job.workload.access.is_some()).then(|| {
            "access has no end of a pass; use bytes, operations or time instead of passes".into()
        })
    }),
    rule("passes", |job| {
        let workload = &job.workload;
        let blocks = workload.reads_blocks() || workload.modifies_blocks();
        (workload.passes.is_some() && !blocks).then(|| {
            format!(
                "passes count over the blocks or files of a target, and the mix {} has none; use operations or time",
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
            "dedupe-set is the source of repeated blocks for dedupe-percent; use both, or remove it".into()
        })
    }),
    rule("dedupe-percent", |job| {
        shapes_random_content(job, "dedupe-percent", job.workload.dedupe_percent)
    }),
];

fn shapes_random_content(job: &Job, key: &str, share: f64) -> Option<String> {
    let content = &job.workload.content;
    (share > 0.0 && *content != Content::Random).then(|| {
        format!("{key} applies to random content, but content = {content}; remove one of them")
    })
}
