//! What did plumb's own load do in a step? Its figures as input of the rules.

use plumb_model::explain::observed::{CallShare, Observed, ObservedFrom, Processors};
use plumb_model::results::summary::{OperationSummary, StepSummary, Summary};
use plumb_model::statement::Statement;
use plumb_model::trace::summary::DepthFigures;
use plumb_model::workload::OperationKind;

/// The figures of step `name`; steps that differ from it only in depth show how the rate scales. `source` is the folder as given.
pub fn observed_in_load(summary: &Summary, step: &StepSummary, source: &str) -> Observed {
    let of = |kind: OperationKind| step.operations.get(kind.word());
    let moves = [OperationKind::Read, OperationKind::Write].map(of);
    let mut moves: Vec<&OperationSummary> = moves.into_iter().flatten().collect();
    // What another program reported for reads and writes together.
    if step.operations.is_empty() && step.total.is_measured() {
        moves.push(&step.total);
    }
    // Other programs report rates and times without numbers.
    let rate = |kind: &OperationSummary| kind.iops.unwrap_or(0.0);
    let busy_ns_per_s = |kind: &OperationSummary| kind.service_ns.mean.unwrap_or(0.0) * rate(kind);
    let counted = |kind: &&OperationSummary| match kind.uncounted {
        false => Some(kind.count),
        true => (kind.service_ns.count > 0).then_some(kind.service_ns.count),
    };
    let all = |of: fn(&OperationSummary) -> Option<f64>| -> Option<f64> {
        moves.iter().map(|kind| of(kind)).sum()
    };
    let per_s = all(|kind| kind.iops).filter(|_| !moves.is_empty());
    let bytes_per_s = all(|kind| kind.bandwidth_bytes_per_s).filter(|_| !moves.is_empty());
    let sum_ns: f64 = moves.iter().map(|kind| busy_ns_per_s(kind)).sum();
    let others_ns: f64 = step
        .operations
        .values()
        .filter(|kind| !moves.iter().any(|of| std::ptr::eq(*of, *kind)))
        .map(busy_ns_per_s)
        .sum();
    let all_ns = sum_ns + others_ns;
    let per_request = |value: f64| {
        per_s
            .filter(|per_s| *per_s > 0.0)
            .map(|per_s| value / per_s)
    };
    let share = |kinds: Vec<(&String, &OperationSummary)>| {
        let sum: f64 = kinds.iter().map(|(_, kind)| busy_ns_per_s(kind)).sum();
        let per_s: f64 = kinds.iter().map(|(_, kind)| rate(kind)).sum();
        let longest = kinds
            .iter()
            .max_by(|a, b| busy_ns_per_s(a.1).total_cmp(&busy_ns_per_s(b.1)));
        CallShare {
            per_s: Some(per_s),
            mean_ns: (per_s > 0.0).then(|| sum / per_s),
            time_share: (all_ns > 0.0).then(|| sum / all_ns),
            most: longest.map(|(name, _)| name.to_string()),
        }
    };
    let is = |name: &str, kind: OperationKind| name == kind.word();
    let (flushes, others): (Vec<_>, Vec<_>) = step
        .operations
        .iter()
        .filter(|(name, _)| !is(name, OperationKind::Read) && !is(name, OperationKind::Write))
        .partition(|(name, _)| is(name, OperationKind::Flush));
    let reads = of(OperationKind::Read).map_or(0.0, rate);
    Observed {
        target: step
            .engine_record
            .as_ref()
            .map(|record| record.target.clone()),
        span_ns: (step.duration_s * 1e9) as u64,
        requests: moves.iter().map(counted).sum(),
        requests_per_s: per_s,
        bytes_per_s,
        bytes_per_request: bytes_per_s.and_then(per_request),
        read_share: (!step.operations.is_empty())
            .then(|| per_request(reads))
            .flatten(),
        request_ns: per_request(sum_ns).filter(|_| sum_ns > 0.0),
        outstanding: (all_ns > 0.0).then_some(all_ns / 1e9),
        outstanding_most: step.requested_depth.map(|depth| depth as u64),
        by_outstanding: depths(summary, step),
        metadata: share(others),
        processors: Processors {
            busiest_core: step.cpu.busiest_worker_percent.map(|of| of / 100.0),
            ..Processors::default()
        },
        flushes: share(flushes),
        invalid: (step.total.errors > 0)
            .then(|| Statement::new("explain-load-failed").count("errors", step.total.errors))
            .into_iter()
            .collect(),
        ..Observed::unknown(ObservedFrom::Load, source)
    }
}

/// The rate at each depth of the steps that differ from this one in nothing else.
fn depths(summary: &Summary, step: &StepSummary) -> Vec<DepthFigures> {
    let but_depth = |of: &StepSummary| {
        let mut swept = of.swept.clone();
        swept.remove("depth");
        swept
    };
    let family = |of: &&StepSummary| {
        of.swept.contains_key("depth")
            && but_depth(of) == but_depth(step)
            && group(summary, of) == group(summary, step)
    };
    let figures = |of: &StepSummary| {
        Some(DepthFigures {
            outstanding: of.achieved_depth?.round() as u64,
            time_ns: (of.duration_s * 1e9) as u64,
            answered: of.total.count,
        })
    };
    let steps = summary.steps.iter().filter(family);
    steps.filter_map(figures).collect()
}

/// The name that the steps of one sweep share.
fn group<'a>(summary: &'a Summary, step: &StepSummary) -> Option<&'a str> {
    let planned = summary.plan.steps.get(step.step as usize)?;
    Some(planned.group.as_str())
}
