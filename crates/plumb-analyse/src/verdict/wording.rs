//! How are workloads, rates and latencies worded in sentences?

use plumb_model::engines;
use plumb_model::results::series::CurvePoint;
use plumb_model::results::summary::{Latency, SentenceEvidence, StepSummary};
use plumb_model::statement::{Argument, Statement, Unit};
use plumb_model::workload::{Job, Mix, Offsets, Sync, Workload};

use crate::phrases::rests_on;
pub(super) use crate::phrases::{none, optional, several};

/// Rounds that differ by more than this fraction of the figure make it a range.
const APART: f64 = 0.25;

/// ` (text)`, if there is one.
pub(super) fn in_brackets(text: Option<Statement>) -> Statement {
    optional(text.map(|text| Statement::new("in-brackets").part("text", text)))
}

/// The job of a step in words: `Random 4 KiB reads`, `Sequential 1 MiB writes (O_DSYNC) through the page cache`.
pub(super) fn workload(job: &Job, step: &StepSummary, with_block: bool) -> Statement {
    let workload = &job.workload;
    let of_files = workload
        .mix
        .0
        .iter()
        .all(|(kind, _)| kind.is_file_operation());
    // Operations on small files have the size of those, not a block.
    let block = match workload.only_block() {
        _ if of_files => match workload.file_size {
            Some(sizes) if sizes.from_bytes < sizes.to_bytes => None,
            _ => Some(workload.largest_file_bytes() as f64),
        },
        Some(block) => Some(block.0 as f64),
        None => None,
    };
    let with_block = with_block && step.states("block");
    let order = match step.states("offsets") {
        true => order(workload),
        false => Statement::new("order-unstated"),
    };
    let buffered = step
        .engine_record
        .as_ref()
        .is_some_and(|engine| engine.direct == Some(false));
    let cached = buffered.then(|| Statement::new("through-the-page-cache"));
    let nowhere = engines::is_null(&step.engine)
        .then(|| Statement::new("by-an-engine-without-storage").name("engine", &step.engine));
    match block {
        _ if !with_block => Statement::new("workload"),
        Some(bytes) => Statement::new("workload-of-block").bytes("block", bytes),
        None => Statement::new("workload-of-mixed-sizes"),
    }
    .part("order", order)
    .part("operations", operations(&workload.mix))
    .part("durable", durable(workload))
    .part("cached", optional(cached))
    .part("nowhere", optional(nowhere))
}

/// A workload with the name of its step, to distinguish it from similar ones.
pub(super) fn of_named_step(workload: Statement, step: &str) -> Statement {
    Statement::new("workload-of-step")
        .part("workload", workload)
        .name("step", step)
}

fn order(workload: &Workload) -> Statement {
    Statement::new(match workload.offsets {
        _ if workload.replay.is_some() => "order-replayed",
        _ if workload.is_partly_random() => "order-partly-random",
        Offsets::Sequential => "order-sequential",
        Offsets::Reverse => "order-reverse",
        Offsets::Strided(_) | Offsets::StridedBlocks(_) => "order-strided",
        Offsets::First => "order-first",
        Offsets::Random | Offsets::RandomMap | Offsets::RandomWithReplacement => "order-random",
        Offsets::Zipf(_) => "order-zipf",
        Offsets::Pareto(_) => "order-pareto",
        Offsets::HotSpot { .. } => "order-hot-spot",
        Offsets::Normal(_) => "order-normal",
        Offsets::Zoned(_) => "order-zoned",
        Offsets::RandomRuns(_) => "order-random-runs",
        Offsets::RandomRepeats(_) => "order-random-repeats",
        Offsets::Listed(_) | Offsets::ListedMoving(_) => "order-listed",
        Offsets::Precondition(_) => "order-precondition",
    })
}

fn durable(workload: &Workload) -> Statement {
    let call = match workload.flush_metadata {
        true => "fsync",
        false => "fdatasync",
    };
    match (workload.sync, workload.fsync_every) {
        (Sync::Sync, _) => Statement::new("durable-sync"),
        (Sync::Dsync, _) => Statement::new("durable-dsync"),
        (Sync::None, 0) if workload.flush_at_end => Statement::new("durable-flush-at-end"),
        (Sync::None, 0) => none(),
        (Sync::None, 1) => Statement::new("durable-fsync-each").name("call", call),
        (Sync::None, every) => Statement::new("durable-fsync-every")
            .name("call", call)
            .count("every", every),
    }
}

/// The mix in words: `reads`, `reads and writes (70/30)`.
fn operations(mix: &Mix) -> Statement {
    let total: f64 = mix.0.iter().map(|(_, weight)| weight).sum();
    // The mix of a replay counts its requests.
    let share = |weight: f64| {
        if total > 100.0 {
            (weight * 100.0 / total).round()
        } else {
            weight
        }
    };
    let shares = || {
        mix.0
            .iter()
            .map(|(_, weight)| format!("{}", share(*weight)))
            .collect::<Vec<_>>()
            .join("/")
    };
    match mix.0.as_slice() {
        [(only, _)] => several(*only),
        [] => Statement::new("operations-any"),
        kinds => Statement::new("operations-mixed")
            .parts("kinds", kinds.iter().map(|(kind, _)| several(*kind)))
            .name("shares", shares()),
    }
}

/// Swept keys that are not stated otherwise: ` (pin=each)`.
pub(super) fn settings(step: &StepSummary, found: &[&str]) -> Statement {
    let rest: Vec<String> = step
        .swept
        .iter()
        .filter(|(key, _)| !found.contains(&key.as_str()))
        .map(|(key, value)| format!("{key}={value}"))
        .collect();
    if rest.is_empty() {
        none()
    } else {
        Statement::new("settings").name("settings", rest.join(", "))
    }
}

/// A rate with its honesty: a range when the rounds disagree.
pub(super) fn rate(value: f64, range: Option<(f64, f64)>, shown: fn(f64) -> Argument) -> Statement {
    match range {
        Some((low, high)) if high - low > APART * value => Statement::new("between")
            .with("low", shown(low))
            .with("high", shown(high)),
        _ => Statement::new("about").with("value", shown(value)),
    }
}

/// `92,100 IOPS`.
pub(super) fn iops(value: f64) -> Argument {
    let statement = Statement::new("iops").quantity("rate", value, Unit::PerSecond);
    Argument::Statement(Box::new(statement))
}

/// `1.23 GB/s`.
pub(super) fn bandwidth(value: f64) -> Argument {
    Argument::Quantity {
        value,
        unit: Unit::BytesPerSecond,
    }
}

/// `read of 'both-directions'`, to name a piece of evidence.
pub(super) fn kind_of(kind: &str, name: &str) -> Statement {
    Statement::new("evidence-kind-of")
        .name("kind", kind)
        .name("name", name)
}

/// `920/s, median 340 us`, as evidence.
pub(super) fn rate_and_median(rate: f64, median_ns: Option<f64>) -> Statement {
    match median_ns {
        Some(median) => Statement::new("evidence-rate-and-median")
            .number("rate", rate)
            .time_ns("median", median),
        None => Statement::new("operations-each-second").number("rate", rate),
    }
}

/// `median 340 us, 99 % under 1.2 ms`, or the parts of it that are known. `None` if nothing completed.
pub(super) fn latency(
    p50_ns: Option<f64>,
    p99_ns: Option<f64>,
    mean_ns: Option<f64>,
) -> Option<Statement> {
    match (p50_ns, p99_ns) {
        (Some(p50), Some(p99)) => Some(
            Statement::new("latency-median-and-99")
                .time_ns("median", p50)
                .time_ns("p99", p99),
        ),
        (Some(p50), None) => Some(Statement::new("latency-median").time_ns("median", p50)),
        _ => mean_ns.map(|mean| Statement::new("latency-mean").time_ns("mean", mean)),
    }
}

/// The latency of a point of a curve.
pub(super) fn point_latency(point: &CurvePoint) -> Option<Statement> {
    latency(point.p50_ns, point.p99_ns, point.mean_ns)
}

/// The latency of a step or an operation.
pub(super) fn of(latency_ns: &Latency) -> Option<Statement> {
    latency(latency_ns.p50, latency_ns.p99, latency_ns.mean)
}

/// Share of the requested depth from which it counts as achieved.
const DEPTH_ENOUGH: f64 = 0.8;

/// Note if the requested depth was not achieved; empty if it was.
pub(super) fn shortfall(requested: Option<f64>, achieved: Option<f64>) -> Statement {
    let fell_short = requested
        .zip(achieved)
        .filter(|(requested, achieved)| *requested >= 2.0 && *achieved < DEPTH_ENOUGH * requested);
    optional(fell_short.map(|(_, achieved)| in_flight(achieved)))
}

/// Fewer in flight than requested.
pub(super) fn in_flight(count: f64) -> Statement {
    Statement::new("in-flight").number("count", count)
}

/// Latencies as evidence, as far as they are known.
pub(super) fn latency_evidence(p50_ns: Option<f64>, p99_ns: Option<f64>) -> Vec<SentenceEvidence> {
    let shown = |what: Statement, value: Option<f64>| {
        value.map(|ns| rests_on(what, (ns, Unit::Nanoseconds)))
    };
    [
        shown(Statement::new("evidence-response-time-median"), p50_ns),
        shown(Statement::new("evidence-response-time-99"), p99_ns),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// The range of the rounds as evidence.
pub(super) fn range_evidence(
    range: Option<(f64, f64)>,
    shown: fn(f64) -> Argument,
) -> Option<SentenceEvidence> {
    let (low, high) = range?;
    let rounds = Statement::new("from-to")
        .with("low", shown(low))
        .with("high", shown(high));
    Some(rests_on(Statement::new("evidence-rounds"), rounds))
}

/// Throughput of a step: IOPS, and bandwidth if blocks are large enough; flushes among other operations separately.
pub(super) fn throughput(step: &StepSummary, large_blocks: bool) -> Option<Statement> {
    let range = |of: fn(&plumb_model::results::summary::RoundSummary) -> Option<f64>| {
        crate::plots::curves::round_range(step, of)
    };
    let data = match step
        .total
        .bandwidth_bytes_per_s
        .filter(|bandwidth| large_blocks && *bandwidth > 0.0)
    {
        Some(moved) => rate(moved, range(|round| round.bandwidth_bytes_per_s), bandwidth),
        None => rate(step.total.iops?, range(|round| round.iops), iops),
    };
    Some(match step.flushes().and_then(|flushes| flushes.iops) {
        Some(flushes) => Statement::new("rate-with-flushes")
            .part("rate", data)
            .number("flushes", flushes),
        None => data,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::summarise::summarise;
    use crate::synthetic::{Builder, Interval, step};
    use plumb_model::workload::Workload;

    #[test]
    fn small_files_are_named_by_their_size_and_not_by_the_block() {
        let check = |mix: &str, size: Option<&str>, expected: &str| {
            let file_size = size.map(|size| size.parse().expect("a size"));
            let planned = Workload {
                mix: mix.parse().expect("a mix"),
                file_size,
                ..Workload::default()
            };
            let mut builder = Builder::new(vec![step("small", "small", &[], planned)]);
            builder.execute(0, 0, &[Interval::default()]);
            let run = builder.finish();
            let found = plumb_words::Words::english().sentence(&workload(
                &run.header.plan.steps[0].jobs[0],
                &summarise(&run).steps[0],
                true,
            ));
            assert!(found.contains(expected), "{mix}: {found}");
        };
        check(
            "create:60,delete:40",
            Some("64k"),
            " 64 KiB creates and deletes (60/40)",
        );
        check(
            "create:60,delete:40",
            Some("1k-64k"),
            " mixed-size creates and deletes (60/40)",
        );
        check(
            "create:60,delete:40",
            None,
            " 4 KiB creates and deletes (60/40)",
        );
        check(
            "read:60,create:40",
            Some("64k"),
            " 4 KiB reads and creates (60/40)",
        );
    }
}
