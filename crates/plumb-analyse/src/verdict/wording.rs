//! How is a workload, a rate, a latency named in a sentence?

use plumb_model::engines;
use plumb_model::series::CurvePoint;
use plumb_model::summary::{Latency, StepSummary};
use plumb_model::units::{show_bandwidth, show_bytes, show_count, show_time_ns};
use plumb_model::workload::{Job, Mix, Offsets, OperationKind, Sync};

/// Rounds that lie farther apart than this part of the figure make it a range.
const APART: f64 = 0.25;

/// The job of a step in words: `Random 4 KiB reads`, `Sequential 1 MiB writes (O_DSYNC) through the page cache`.
pub(super) fn workload(job: &Job, step: &StepSummary, with_block: bool) -> String {
    let workload = &job.workload;
    let order = match workload.offsets {
        _ if workload.replay.is_some() => "Replayed",
        _ if workload.is_partly_random() => "Partly random",
        Offsets::Sequential => "Sequential",
        Offsets::Reverse => "Backward",
        Offsets::Strided(_) | Offsets::StridedBlocks(_) => "Strided",
        Offsets::First => "Same-place",
        Offsets::Random | Offsets::RandomWithReplacement => "Random",
        Offsets::Zipf(_) => "Zipf-distributed",
        Offsets::Pareto(_) => "Pareto-distributed",
        Offsets::HotSpot { .. } => "Hot-spot",
    };
    let of_files = workload
        .mix
        .0
        .iter()
        .all(|(kind, _)| kind.is_file_operation());
    let block = match workload.block.0.as_slice() {
        // Operations on small files have the size of those, not a block.
        _ if with_block && of_files => match workload.file_size {
            Some(sizes) if sizes.from_bytes < sizes.to_bytes => " mixed-size".to_string(),
            _ => format!(" {}", show_bytes(workload.largest_file_bytes() as f64)),
        },
        [(block, _)] if with_block => format!(" {}", show_bytes(block.0 as f64)),
        _ if with_block => " mixed-size".to_string(),
        _ => String::new(),
    };
    let durable = match (workload.sync, workload.fsync_every) {
        (Sync::Sync, _) => " (O_SYNC)".to_string(),
        (Sync::Dsync, _) => " (O_DSYNC)".to_string(),
        (Sync::None, 0) if workload.flush_at_end => " (fsync at the end)".to_string(),
        (Sync::None, 0) => String::new(),
        (Sync::None, 1) => " (fsync after each write)".to_string(),
        (Sync::None, every) => format!(" (fsync every {every} writes)"),
    };
    let buffered = step
        .engine_record
        .as_ref()
        .is_some_and(|engine| engine.direct == Some(false));
    let cached = if buffered {
        " through the page cache"
    } else {
        ""
    };
    let nowhere = if engines::is_null(&step.engine) {
        " by the null engine"
    } else {
        ""
    };
    format!(
        "{order}{block} {}{durable}{cached}{nowhere}",
        operations(&workload.mix)
    )
}

/// The mix in words: `reads`, `reads and writes (70/30)`.
fn operations(mix: &Mix) -> String {
    let names = mix
        .0
        .iter()
        .map(|(kind, _)| plural(*kind))
        .collect::<Vec<_>>();
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
    match names.as_slice() {
        [only] => only.to_string(),
        [rest @ .., last] => format!("{} and {last} ({})", rest.join(", "), shares()),
        [] => "operations".to_string(),
    }
}

/// `a`, `a and b`, `a, b and c`.
pub(super) fn listed(words: &[&str]) -> String {
    match words {
        [] => String::new(),
        [only] => only.to_string(),
        [rest @ .., last] => format!("{} and {last}", rest.join(", ")),
    }
}

/// Several operations of a kind.
pub(crate) fn plural(kind: OperationKind) -> &'static str {
    match kind {
        OperationKind::Read => "reads",
        OperationKind::Write => "writes",
        OperationKind::Rewrite => "rewrites",
        OperationKind::Trim => "trims",
        OperationKind::Flush => "flushes",
        OperationKind::Create => "creates",
        OperationKind::Open => "opens",
        OperationKind::Stat => "stats",
        OperationKind::ReadFile => "whole-file reads",
        OperationKind::Rename => "renames",
        OperationKind::Delete => "deletes",
        OperationKind::Fsync => "fsyncs",
        OperationKind::List => "listings",
        OperationKind::Send => "sends",
        OperationKind::Receive => "receives",
        OperationKind::PingPong => "round trips",
        OperationKind::Copy => "copies",
    }
}

/// Swept keys that are not told otherwise: ` (pin=each)`.
pub(super) fn settings(step: &StepSummary, told: &[&str]) -> String {
    let rest = step
        .swept
        .iter()
        .filter(|(key, _)| !told.contains(&key.as_str()));
    let text = rest
        .map(|(key, value)| format!("{key}={value}"))
        .collect::<Vec<_>>()
        .join(", ");
    if text.is_empty() {
        String::new()
    } else {
        format!(" ({text})")
    }
}

/// A rate with its honesty: a range when the rounds disagree.
pub(super) fn rate(value: f64, range: Option<(f64, f64)>, show: fn(f64) -> String) -> String {
    match range {
        Some((low, high)) if high - low > APART * value => {
            format!("between {} and {}", show(low), show(high))
        }
        _ => format!("about {}", show(value)),
    }
}

/// `92,100 IOPS`.
pub(super) fn iops(value: f64) -> String {
    format!("{} IOPS", show_count(value))
}

/// `median 340 us, 99 % under 1.2 ms`, or what of it can be said. `None` when nothing completed.
pub(super) fn latency(
    p50_ns: Option<f64>,
    p99_ns: Option<f64>,
    mean_ns: Option<f64>,
) -> Option<String> {
    match (p50_ns, p99_ns) {
        (Some(p50), Some(p99)) => Some(format!(
            "median {}, 99 % under {}",
            show_time_ns(p50),
            show_time_ns(p99)
        )),
        (Some(p50), None) => Some(format!(
            "median {}, too few samples for the 99 % figure",
            show_time_ns(p50)
        )),
        _ => mean_ns.map(|mean| {
            format!(
                "{} on the mean, too few samples for percentiles",
                show_time_ns(mean)
            )
        }),
    }
}

/// The latency of a point of a curve.
pub(super) fn point_latency(point: &CurvePoint) -> Option<String> {
    latency(point.p50_ns, point.p99_ns, point.mean_ns)
}

/// The latency of a step or an operation.
pub(super) fn of(latency_ns: &Latency) -> Option<String> {
    latency(latency_ns.p50, latency_ns.p99, latency_ns.mean)
}

/// Latencies as evidence, as far as they are known.
pub(super) fn latency_evidence(p50_ns: Option<f64>, p99_ns: Option<f64>) -> Vec<(String, String)> {
    let shown =
        |name: &str, value: Option<f64>| value.map(|ns| (name.to_string(), show_time_ns(ns)));
    [
        shown("response time, median", p50_ns),
        shown("response time, 99 %", p99_ns),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// The range of the rounds as evidence.
pub(super) fn range_evidence(
    range: Option<(f64, f64)>,
    show: fn(f64) -> String,
) -> Vec<(String, String)> {
    range
        .map(|(low, high)| {
            (
                "rounds".to_string(),
                format!("{} to {}", show(low), show(high)),
            )
        })
        .into_iter()
        .collect()
}

/// Throughput of a step: IOPS, and bandwidth where blocks are large enough for it to be the figure; flushes beside other operations by themselves.
pub(super) fn throughput(step: &StepSummary, large_blocks: bool) -> Option<String> {
    let range = |of: fn(&plumb_model::summary::RoundSummary) -> Option<f64>| {
        crate::curves::round_range(step, of)
    };
    let data = match step
        .total
        .bandwidth_bytes_per_s
        .filter(|bandwidth| large_blocks && *bandwidth > 0.0)
    {
        Some(bandwidth) => rate(
            bandwidth,
            range(|round| round.bandwidth_bytes_per_s),
            show_bandwidth,
        ),
        None => rate(step.total.iops?, range(|round| round.iops), iops),
    };
    Some(match step.flushes().and_then(|flushes| flushes.iops) {
        Some(flushes) => format!("{data} with {} flushes/s", show_count(flushes)),
        None => data,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summarise::summarise;
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
            let told = workload(
                &run.header.plan.steps[0].jobs[0],
                &summarise(&run).steps[0],
                true,
            );
            assert!(told.contains(expected), "{mix}: {told}");
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
