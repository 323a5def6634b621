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
    let moves: Vec<&OperationSummary> = moves.into_iter().flatten().collect();
    let count: u64 = moves.iter().map(|kind| kind.count).sum();
    let bytes: u64 = moves.iter().map(|kind| kind.bytes).sum();
    let in_service = |kind: &OperationSummary| {
        kind.service_ns.mean.unwrap_or(0.0) * kind.service_ns.count as f64
    };
    let sum_ns: f64 = moves.iter().map(|kind| in_service(kind)).sum();
    let all_ns: f64 = step.operations.values().map(in_service).sum();
    let per_s = |value: f64| (step.duration_s > 0.0).then(|| value / step.duration_s);
    let per_request = |value: f64| (count > 0).then(|| value / count as f64);
    let share = |kinds: Vec<(&String, &OperationSummary)>| {
        let sum: f64 = kinds.iter().map(|(_, kind)| in_service(kind)).sum();
        let calls: u64 = kinds.iter().map(|(_, kind)| kind.count).sum();
        let longest = kinds
            .iter()
            .max_by(|a, b| in_service(a.1).total_cmp(&in_service(b.1)));
        CallShare {
            per_s: per_s(calls as f64),
            mean_ns: (calls > 0).then(|| sum / calls as f64),
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
    let reads = of(OperationKind::Read).map_or(0, |kind| kind.count);
    Observed {
        target: step
            .engine_record
            .as_ref()
            .map(|record| record.target.clone()),
        span_ns: (step.duration_s * 1e9) as u64,
        requests: Some(count),
        requests_per_s: per_s(count as f64),
        bytes_per_s: per_s(bytes as f64),
        bytes_per_request: per_request(bytes as f64),
        read_share: per_request(reads as f64),
        request_ns: per_request(sum_ns),
        outstanding: (all_ns > 0.0).then(|| per_s(all_ns / 1e9)).flatten(),
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
