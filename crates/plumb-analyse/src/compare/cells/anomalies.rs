//! Which anomalies do the rounds of a cell have? Caveats of its value.

use std::collections::{BTreeMap, BTreeSet};

use plumb_model::results::comparison::{ComparedMetric, side_letter};
use plumb_model::run::tick::{Phase, Tick};
use plumb_model::statement::Statement;
use plumb_model::workload::OperationKind;

use crate::compare::figures::Measured;
use crate::compare::matching::StepRow;
use crate::compare::wording::{figure, metric_name};
use crate::figures::executions::{Execution, LeftOut};
use crate::phrases::change;
use crate::phrases::{named, times};
use crate::statistics::drift::drift;
use crate::statistics::median;
use crate::statistics::modes::two_modes;
use crate::statistics::outliers::outliers;
use crate::statistics::steady_state::steadiness;

/// Factor from which the widening of an interval is reported.
pub(in crate::compare) const WIDENED: f64 = 1.2;
/// Probability below which a drift is taken to be real. Six rounds in perfect order have 0.003.
const SIGNIFICANT: f64 = 0.01;
/// Smallest change from the first round to the last that is reported.
const LEAST_DRIFT: f64 = 0.05;
/// Rounds from which on their modes are looked for; with fewer, those of the intervals within them.
const LEAST_ROUNDS_FOR_MODES: usize = 8;
/// Intervals from which on their modes are looked for.
const LEAST_INTERVALS: usize = 20;
/// Operations of an interval below which its rate comes in steps that look like modes.
const LEAST_OPERATIONS: u64 = 200;
/// Share of the longest interval from which an interval is complete.
const COMPLETE_INTERVAL: f64 = 0.9;

/// What one side of a cell, or a step, shows.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::compare) enum Trait {
    /// Rounds that do not count.
    LeftOut { reason: LeftOut, rounds: usize },
    /// A figure that some rounds cannot state.
    TooFew(&'static ComparedMetric),
    /// The interval was widened by this factor.
    Widened(f64),
    /// The figure changes from round to round in one direction: last over first, by a straight line.
    Drift(f64),
    /// The throughput changes within most rounds in one direction: last third over first third.
    DriftWithin(f64),
    /// Two levels, and the share of the upper one; of rounds, or of the intervals within them.
    TwoModes {
        low: f64,
        high: f64,
        upper: f64,
        of: Of,
        metric: &'static ComparedMetric,
    },
    /// Rounds (from 1) far from the others.
    Far(Vec<usize>),
}

/// What falls into two modes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::compare) enum Of {
    Rounds,
    /// The intervals within the rounds.
    Intervals,
}

/// A trait with its place.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::compare) struct Anomaly {
    /// Index of the side; missing when it is of all.
    pub side: Option<usize>,
    pub step: String,
    pub kind: Trait,
}

impl Trait {
    /// For the cell itself.
    pub fn of_cell(&self) -> Statement {
        match self {
            Trait::LeftOut { reason, rounds } => Statement::new("rounds-left-out")
                .count("rounds", *rounds as u64)
                .part("reason", reason.statement()),
            Trait::TooFew(metric) => {
                Statement::new("too-few-operations-for").part("figure", metric_name(metric.id))
            }
            Trait::Widened(factor) => {
                Statement::new("rounds-resemble-their-neighbours").with("factor", times(*factor))
            }
            Trait::Drift(ratio) => {
                Statement::new("drifts-over-rounds").with("ratio", change(*ratio))
            }
            Trait::DriftWithin(ratio) => {
                Statement::new("drifts-within-rounds").with("ratio", change(*ratio))
            }
            Trait::TwoModes {
                low,
                high,
                upper,
                of,
                metric,
            } => Statement::new(match of {
                Of::Rounds => "two-modes-of-rounds",
                Of::Intervals => "two-modes-of-intervals",
            })
            .percent("share", (100.0 * upper).round())
            .with("high", figure(metric, *high))
            .with("low", figure(metric, *low)),
            Trait::Far(rounds) => Statement::new("rounds-far-from-the-others")
                .names("rounds", rounds.iter().map(|round| (round + 1).to_string())),
        }
    }

    /// True if both are stated in one sentence.
    fn is_alike(&self, other: &Trait) -> bool {
        match (self, other) {
            (Trait::LeftOut { reason: a, .. }, Trait::LeftOut { reason: b, .. }) => a == b,
            (Trait::TooFew(a), Trait::TooFew(b)) => a.id == b.id,
            (Trait::TwoModes { of: a, .. }, Trait::TwoModes { of: b, .. }) => a == b,
            _ => std::mem::discriminant(self) == std::mem::discriminant(other),
        }
    }

    /// Over several steps, of one side.
    fn of_steps(&self, side: &str, steps: Statement) -> Statement {
        match self {
            Trait::LeftOut { reason, .. } => {
                Statement::new("rounds-of-side-left-out").part("reason", reason.statement())
            }
            Trait::TooFew(metric) => {
                Statement::new("figure-not-compared").part("figure", metric_name(metric.id))
            }
            Trait::Widened(_) => Statement::new("intervals-are-widened"),
            Trait::Drift(_) => Statement::new("side-drifts-over-rounds"),
            Trait::DriftWithin(_) => Statement::new("side-drifts-within-rounds"),
            Trait::TwoModes { of, .. } => Statement::new(match of {
                Of::Rounds => "side-has-two-modes-of-rounds",
                Of::Intervals => "side-has-two-modes-of-intervals",
            }),
            Trait::Far(_) => Statement::new("side-has-rounds-far-from-the-others"),
        }
        .name("side", side)
        .part("steps", steps)
    }
}

/// Peculiarities of one kind and side in one sentence.
pub(in crate::compare) fn gathered(anomalies: &[Anomaly]) -> Vec<Statement> {
    let mut groups: Vec<(Option<usize>, &Trait, Vec<&str>)> = Vec::new();
    let mut named_of: BTreeSet<(usize, &str)> = BTreeSet::new();
    for anomaly in anomalies {
        let alike = |(side, kind, _): &(Option<usize>, &Trait, Vec<&str>)| {
            *side == anomaly.side && kind.is_alike(&anomaly.kind)
        };
        let index = groups.iter().position(alike).unwrap_or_else(|| {
            groups.push((anomaly.side, &anomaly.kind, Vec::new()));
            groups.len() - 1
        });
        // There may be thousands of steps: named ones are looked up, not searched.
        if let Some((.., steps)) = groups
            .get_mut(index)
            .filter(|_| named_of.insert((index, anomaly.step.as_str())))
        {
            steps.push(&anomaly.step);
        }
    }
    groups
        .into_iter()
        .map(|(side, kind, steps)| {
            let side = side.map(side_letter).unwrap_or_default();
            kind.of_steps(&side, named(&steps))
        })
        .collect()
}

/// Anomalies of one side of a cell. `measured` is the run with the step, if there is one.
pub(in crate::compare) fn anomalies(
    rounds: &[Option<f64>],
    measured: Option<(&Measured, usize)>,
    kind: Option<OperationKind>,
    metric: &ComparedMetric,
) -> Vec<Trait> {
    let numbered: Vec<(usize, f64)> = rounds
        .iter()
        .enumerate()
        .filter_map(|(number, value)| Some((number, (*value).filter(|value| *value > 0.0)?)))
        .collect();
    let values: Vec<f64> = numbered.iter().map(|(_, value)| *value).collect();
    let mut found: Vec<Trait> = Vec::new();
    let drifting = drift_over(&values);
    let modes = (values.len() >= LEAST_ROUNDS_FOR_MODES)
        .then(|| modes(&values, Of::Rounds, metric))
        .flatten();
    // A drift has its ends far from the middle, and two modes have one of them far away.
    if drifting.is_none() && modes.is_none() {
        let far: Vec<usize> = outliers(&values)
            .into_iter()
            .filter_map(|index| numbered.get(index).map(|(number, _)| *number))
            .collect();
        found.extend((!far.is_empty()).then_some(Trait::Far(far)));
    }
    found.extend(drifting);
    if let Some((measured, step)) = measured.filter(|_| matches!(metric.id, "iops" | "bandwidth")) {
        let intervals = Intervals::of(measured, step, kind);
        found.extend(intervals.drift());
        if values.len() < LEAST_ROUNDS_FOR_MODES {
            found.extend(intervals.modes(metric));
        }
    }
    found.extend(modes);
    found
}

/// Rounds of a step that do not count.
pub(in crate::compare) fn left_out(
    row: &StepRow,
    side: usize,
    measured: &Measured,
    step: usize,
) -> Vec<Anomaly> {
    let mut counts: BTreeMap<LeftOut, usize> = BTreeMap::new();
    measured
        .executions(step)
        .iter()
        .filter_map(crate::figures::executions::left_out)
        .for_each(|reason| *counts.entry(reason).or_default() += 1);
    let of = |(reason, rounds)| Anomaly {
        side: Some(side),
        step: row.name.clone(),
        kind: Trait::LeftOut { reason, rounds },
    };
    counts.into_iter().map(of).collect()
}

fn drift_over(values: &[f64]) -> Option<Trait> {
    let logarithms: Vec<f64> = values.iter().map(|value| value.ln()).collect();
    let found = drift(&logarithms).filter(|found| found.p_value < SIGNIFICANT)?;
    let ratio = (found.slope * (values.len() as f64 - 1.0)).exp();
    (ratio.is_finite() && ratio.max(1.0 / ratio) - 1.0 >= LEAST_DRIFT)
        .then_some(Trait::Drift(ratio))
}

fn modes(values: &[f64], of: Of, metric: &ComparedMetric) -> Option<Trait> {
    let (low, high, upper) = two_modes(values)?;
    let metric = plumb_model::results::comparison::compared_metric(metric.id)?;
    Some(Trait::TwoModes {
        low,
        high,
        upper,
        of,
        metric,
    })
}

/// The complete intervals of the rounds of a step.
struct Intervals {
    /// For each round that counts: operations per second and bytes per second of its intervals.
    rounds: Vec<Vec<(f64, f64)>>,
}

impl Intervals {
    /// Of a step with one job: intervals of several do not add up. Intervals of few operations are left out with their round.
    fn of(measured: &Measured, step: usize, kind: Option<OperationKind>) -> Intervals {
        let single = measured.step(step).is_some_and(|step| step.jobs.len() == 1);
        let of_round = |execution: &Execution| {
            let length = |tick: &Tick| tick.end_ns.saturating_sub(tick.start_ns);
            let ticks = || {
                execution
                    .ticks
                    .iter()
                    .filter(|tick| tick.phase == Phase::Measure)
            };
            let complete =
                COMPLETE_INTERVAL * ticks().map(|tick| length(tick)).max().unwrap_or(0) as f64;
            let rates = |tick: &&Tick| {
                let held = || {
                    tick.kinds
                        .iter()
                        .filter(|held| kind.is_none_or(|kind| held.kind == kind))
                };
                let seconds = length(tick) as f64 / 1e9;
                let operations: u64 = held().map(|held| held.count).fold(0, u64::saturating_add);
                let bytes: u64 = held().map(|held| held.bytes).fold(0, u64::saturating_add);
                (operations >= LEAST_OPERATIONS)
                    .then(|| (operations as f64 / seconds, bytes as f64 / seconds))
            };
            ticks()
                .filter(|tick| length(tick) > 0 && length(tick) as f64 >= complete)
                .map(rates)
                .collect::<Option<Vec<_>>>()
        };
        let rounds = measured
            .complete_rounds(step)
            .filter(|_| single)
            .filter_map(of_round);
        Intervals {
            rounds: rounds.collect(),
        }
    }

    /// A drift in one direction in more than half of the rounds that are long enough.
    fn drift(&self) -> Option<Trait> {
        let judged: Vec<_> = self
            .rounds
            .iter()
            .filter_map(|round| {
                steadiness(&round.iter().map(|(rate, _)| *rate).collect::<Vec<_>>())
            })
            .collect();
        let drifting: Vec<f64> = judged
            .iter()
            .filter(|round| round.drifts())
            .map(|round| round.last_to_first)
            .collect();
        let rising = drifting.iter().filter(|ratio| **ratio > 1.0).count();
        let most = rising.max(drifting.len() - rising);
        (most * 2 > judged.len())
            .then(|| median(&drifting))
            .flatten()
            .map(Trait::DriftWithin)
    }

    fn modes(&self, metric: &ComparedMetric) -> Option<Trait> {
        let of = |(operations, bytes): &(f64, f64)| {
            if metric.id == "bandwidth" {
                *bytes
            } else {
                *operations
            }
        };
        let values: Vec<f64> = self.rounds.iter().flatten().map(of).collect();
        (values.len() >= LEAST_INTERVALS)
            .then(|| modes(&values, Of::Intervals, metric))
            .flatten()
    }
}
