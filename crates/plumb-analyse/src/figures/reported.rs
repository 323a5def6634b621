//! What do the stated figures of an imported run add to those of its ticks? They fill in missing figures, and override those of ticks: an importer states only
//! what ticks cannot represent.
//!
//! Nothing is invented: percentiles of several jobs or rounds cannot be merged, and are missing then; minima and maxima can, and means by numbers of samples.

use std::collections::{BTreeMap, BTreeSet};

use plumb_model::plan::Step;
use plumb_model::results::summary::{Latency, OperationSummary};
use plumb_model::run::histogram::Histogram;
use plumb_model::run::imported::{Reported, ReportedFigure, ReportedLatency};
use plumb_model::run::tick::{KindTick, Phase};
use plumb_model::workload::OperationKind;

use crate::figures::executions::Execution;
use crate::figures::tally::rate;

/// Executions, one job of them or all, one kind of operation or all together.
#[derive(Clone, Copy)]
pub(crate) struct Scope<'s, 'a> {
    pub runs: &'s [&'s Execution<'a>],
    pub job: Option<u32>,
    pub kind: Option<OperationKind>,
}

/// One job, and one kind or what its source states of all kinds together.
type Pair = (u32, Option<OperationKind>);

/// What is known of the times of one pair in one execution.
struct Part {
    count: u64,
    min: Option<f64>,
    mean: Option<f64>,
    max: Option<f64>,
    quantiles: Vec<(f64, f64)>,
    /// The ticks have its histogram, which the summary holds already.
    counted: bool,
    reported: bool,
}

/// A rate or a time, not only a figure by name.
fn is_measure(reported: &Reported) -> bool {
    reported.iops.is_some()
        || reported.bandwidth_bytes_per_s.is_some()
        || reported.response.is_some()
        || reported.service.is_some()
}

impl<'s, 'a> Scope<'s, 'a> {
    /// True when nothing in this scope comes from a source that states figures.
    pub fn is_plain(self) -> bool {
        self.runs
            .iter()
            .all(|execution| execution.reported.is_empty())
    }

    fn reported(
        self,
        execution: &'s Execution<'a>,
    ) -> impl Iterator<Item = (Pair, &'a Reported)> + 's {
        let of_all = self.kind.is_none()
            && execution
                .reported
                .iter()
                .any(|(_, reported)| reported.kind.is_none() && is_measure(reported));
        execution
            .reported
            .iter()
            .filter(move |(job, reported)| {
                self.job.is_none_or(|job_index| *job == job_index) && is_measure(reported)
            })
            .filter(move |(_, reported)| {
                if of_all {
                    reported.kind.is_none()
                } else {
                    reported.kind.is_some() && (self.kind.is_none() || reported.kind == self.kind)
                }
            })
            .map(|(job, reported)| ((*job, reported.kind), *reported))
    }

    /// The ticks of a pair.
    fn ticks(
        self,
        execution: &'s Execution<'a>,
        (job, kind): Pair,
    ) -> impl Iterator<Item = (&'a KindTick, bool)> + 's {
        let of_job = execution
            .ticks
            .iter()
            .filter(move |tick| tick.job == job && tick.phase != Phase::WarmUp);
        of_job
            .flat_map(move |tick| {
                tick.kinds
                    .iter()
                    .map(|held| (held, execution.in_rates(tick)))
            })
            .filter(move |(held, _)| Some(held.kind) == kind)
    }

    /// Every pair that is stated or counted, each once.
    fn pairs(self, execution: &'s Execution<'a>) -> BTreeSet<Pair> {
        let mut pairs: BTreeSet<Pair> = self.reported(execution).map(|(pair, _)| pair).collect();
        if !pairs.iter().any(|(_, kind)| kind.is_none()) {
            for tick in execution
                .ticks
                .iter()
                .filter(|tick| self.job.is_none_or(|job_index| tick.job == job_index))
            {
                pairs.extend(
                    tick.kinds
                        .iter()
                        .map(|held| (tick.job, Some(held.kind)))
                        .filter(|(_, kind)| self.kind.is_none() || *kind == self.kind),
                );
            }
        }
        // Flushes among other operations are separate.
        if self.kind.is_none()
            && pairs
                .iter()
                .any(|(_, kind)| *kind != Some(OperationKind::Flush))
        {
            pairs.retain(|(_, kind)| *kind != Some(OperationKind::Flush));
        }
        pairs
    }

    /// The stated rate: jobs and kinds that ran together added up, the mean of the executions. `None` when it is not stated of any.
    fn rate(self, of: fn(&Reported) -> Option<f64>, amount: fn(&KindTick) -> u64) -> Option<f64> {
        let mut rates = Vec::new();
        let mut any = false;
        for execution in self.runs {
            let mut sum: Option<f64> = None;
            for pair in self.pairs(execution) {
                let reported = self
                    .reported(execution)
                    .filter(|(of, _)| *of == pair)
                    .find_map(|(_, reported)| of(reported));
                any |= reported.is_some();
                let counted = || {
                    let counted: u64 = self
                        .ticks(execution, pair)
                        .filter(|(_, in_rates)| *in_rates)
                        .map(|(held, _)| amount(held))
                        .sum();
                    rate(
                        counted as f64,
                        execution.job_duration_ns(pair.0) as f64 / 1e9,
                    )
                    .filter(|_| counted > 0)
                };
                if let Some(value) = reported.or_else(counted) {
                    *sum.get_or_insert(0.0) += value;
                }
            }
            rates.extend(sum);
        }
        (any && !rates.is_empty()).then(|| rates.iter().sum::<f64>() / rates.len() as f64)
    }

    fn parts(self, of_response: bool) -> Vec<Part> {
        let mut parts = Vec::new();
        for execution in self.runs {
            for pair in self.pairs(execution) {
                let mut own = Histogram::default();
                let mut service = true;
                for (held, _) in self.ticks(execution, pair) {
                    service &= held.response.is_none();
                    own.merge(if of_response {
                        held.response.as_ref().unwrap_or(&held.service)
                    } else {
                        &held.service
                    });
                }
                // In a closed loop whose source reports one of both times, the response time is the service time.
                let of_kind = |reported: &'a Reported| match of_response {
                    true => reported
                        .response
                        .as_ref()
                        .or(reported.service.as_ref().filter(|_| service)),
                    false => reported.service.as_ref(),
                };
                let reported = self
                    .reported(execution)
                    .filter(|(of, _)| *of == pair)
                    .find_map(|(_, reported)| of_kind(reported));
                parts.extend(part(&own, reported));
            }
        }
        parts
    }
}

fn part(own: &Histogram, reported: Option<&ReportedLatency>) -> Option<Part> {
    let counted = own.count() > 0;
    let exact = |ns: Option<u64>| ns.map(|ns| ns as f64);
    let Some(reported) = reported else {
        let (min, max) = (exact(own.min_ns()), exact(own.max_ns()));
        return counted.then(|| Part {
            count: own.count(),
            min,
            mean: own.mean_ns(),
            max,
            quantiles: Vec::new(),
            counted,
            reported: false,
        });
    };
    let quantile = |share: f64| {
        reported
            .quantiles_ns
            .iter()
            .find(|(of, _)| (of - share).abs() < 1e-9)
            .map(|(_, ns)| *ns)
    };
    Some(Part {
        count: reported.count.unwrap_or(own.count()),
        min: reported
            .min_ns
            .or_else(|| quantile(0.0))
            .or(exact(own.min_ns())),
        mean: reported.mean_ns.or(own.mean_ns()),
        max: reported
            .max_ns
            .or_else(|| quantile(1.0))
            .or(exact(own.max_ns())),
        quantiles: reported.quantiles_ns.clone(),
        counted,
        reported: true,
    })
}

/// Merges the parts into the figures of the histograms.
fn complete_latency(latency: &mut Latency, parts: &[Part]) {
    if !parts.iter().any(|part| part.reported) {
        return;
    }
    let all = |of: fn(&Part) -> Option<f64>| parts.iter().map(of).collect::<Option<Vec<f64>>>();
    latency.count = parts
        .iter()
        .fold(0u64, |sum, part| sum.saturating_add(part.count));
    latency.min = all(|part| part.min).and_then(|values| values.into_iter().reduce(f64::min));
    latency.max = all(|part| part.max).and_then(|values| values.into_iter().reduce(f64::max));
    latency.mean = all(|part| part.mean).map(|means| {
        // Where a number of samples is missing, all parts weigh alike.
        let weight = |part: &Part| {
            if parts.iter().all(|part| part.count > 0) {
                part.count as f64
            } else {
                1.0
            }
        };
        let weights: f64 = parts.iter().map(weight).sum();
        parts
            .iter()
            .zip(means)
            .map(|(part, mean)| weight(part) * mean)
            .sum::<f64>()
            / weights
    });
    let counted = parts.iter().all(|part| part.counted);
    let only = if let [only] = parts {
        only.quantiles.as_slice()
    } else {
        &[]
    };
    let (min, max) = (
        latency.min.unwrap_or(0.0),
        latency.max.unwrap_or(f64::INFINITY),
    );
    for (share, figure) in quantiles_mut(latency) {
        *figure = match counted {
            // The middle of the outermost bucket may be beyond the exact end.
            true => figure.map(|ns| ns.max(min).min(max)),
            false => only
                .iter()
                .find(|(of, _)| (of - share).abs() < 1e-9)
                .map(|(_, ns)| *ns),
        };
    }
}

fn quantiles_mut(latency: &mut Latency) -> [(f64, &mut Option<f64>); 8] {
    [
        (0.5, &mut latency.p50),
        (0.9, &mut latency.p90),
        (0.95, &mut latency.p95),
        (0.99, &mut latency.p99),
        (0.999, &mut latency.p99_9),
        (0.9999, &mut latency.p99_99),
        (0.99999, &mut latency.p99_999),
        (0.999999, &mut latency.p99_9999),
    ]
}

/// Completes the figures of one scope; of a run of plumb they stay as they are.
pub(crate) fn complete(summary: &mut OperationSummary, scope: Scope<'_, '_>) {
    if scope.is_plain() {
        return;
    }
    let (iops, bandwidth) = (
        scope.rate(|reported| reported.iops, |held| held.count),
        scope.rate(|reported| reported.bandwidth_bytes_per_s, |held| held.bytes),
    );
    // Nothing was counted: a rate of zero would be a claim.
    summary.uncounted = summary.count == 0;
    summary.iops = iops.or(summary.iops.filter(|_| summary.count > 0));
    summary.bandwidth_bytes_per_s =
        bandwidth.or(summary.bandwidth_bytes_per_s.filter(|_| summary.bytes > 0));
    complete_latency(&mut summary.response_ns, &scope.parts(true));
    complete_latency(&mut summary.service_ns, &scope.parts(false));
}

/// Completes the figures by kind of operation, and adds kinds that are stated only.
pub(crate) fn complete_kinds(
    operations: &mut BTreeMap<String, OperationSummary>,
    scope: Scope<'_, '_>,
) {
    for kind in OperationKind::ALL {
        let of_kind = Scope {
            kind: Some(*kind),
            ..scope
        };
        if scope
            .runs
            .iter()
            .any(|execution| of_kind.reported(execution).next().is_some())
        {
            complete(
                operations.entry(kind.word().to_string()).or_default(),
                of_kind,
            );
        }
    }
}

/// Sum of the service times of a job's operations of one kind, in nanoseconds, if the source reports the mean: for an interval without a histogram.
pub(crate) fn operation_ns(execution: &Execution<'_>, job: u32, held: &KindTick) -> Option<f64> {
    let mut of_kind = execution
        .reported
        .iter()
        .filter(|(of, reported)| *of == job && reported.kind == Some(held.kind))
        .map(|(_, reported)| reported);
    let mean_ns =
        |latency: &Option<ReportedLatency>| latency.as_ref().and_then(|latency| latency.mean_ns);
    let mean =
        of_kind.find_map(|reported| mean_ns(&reported.service).or(mean_ns(&reported.response)))?;
    Some(mean * held.count as f64)
}

/// One value that the source states of an execution, by the name of the metric in a comparison: `iops`, `bandwidth`, `mean`, or the quantile.
pub(crate) fn value(
    execution: &Execution<'_>,
    kind: Option<OperationKind>,
    metric: &str,
    quantile: Option<f64>,
) -> Option<f64> {
    let runs = [execution];
    let scope = Scope {
        runs: &runs,
        job: None,
        kind,
    };
    let mut latency = Latency::default();
    match metric {
        _ if scope.is_plain() => None,
        "iops" => scope.rate(|reported| reported.iops, |held| held.count),
        "bandwidth" => scope.rate(|reported| reported.bandwidth_bytes_per_s, |held| held.bytes),
        _ => {
            complete_latency(&mut latency, &scope.parts(true));
            match quantile {
                Some(quantile) => quantiles_mut(&mut latency)
                    .into_iter()
                    .find(|(share, _)| (share - quantile).abs() < 1e-9)
                    .and_then(|(_, ns)| *ns),
                None => latency.mean.filter(|_| metric == "mean"),
            }
        }
    }
}

/// The other stated figures, named by kind, job and round if there are several.
pub(crate) fn figures(step: &Step, runs: &[&Execution<'_>]) -> Vec<ReportedFigure> {
    let mut figures = Vec::new();
    for execution in runs {
        for (job, reported) in &execution.reported {
            let name = step
                .jobs
                .get(*job as usize)
                .map(|job| job.name.as_str())
                .filter(|_| step.jobs.len() > 1);
            let before = [name, reported.kind.map(OperationKind::word)]
                .into_iter()
                .flatten()
                .map(|word| format!("{word}: "))
                .collect::<String>();
            let after = if runs.len() > 1 {
                format!(", round {}", execution.round + 1)
            } else {
                String::new()
            };
            let own = reported
                .figures
                .iter()
                .filter(|figure| figure.value.is_finite());
            figures.extend(own.map(|figure| ReportedFigure {
                name: format!("{before}{}{after}", figure.name),
                ..figure.clone()
            }));
        }
    }
    figures
}

#[cfg(test)]
mod tests;
