//! What is peculiar about the rounds of a cell? What a reader must know before believing its value.

use plumb_model::comparison::ComparedMetric;
use plumb_model::tick::{Phase, Tick};
use plumb_model::workload::OperationKind;

use super::figures::Measured;
use crate::executions::Execution;
use crate::statistics::drift::drift;
use crate::statistics::median;
use crate::statistics::modes::two_modes;
use crate::statistics::outliers::outliers;
use crate::steady_state::steadiness;

/// Factor from which on the widening of an interval is told.
pub(super) const WIDENED: f64 = 1.2;
/// Probability below which a drift is taken to be real. Six rounds in perfect order have 0.003.
const SIGNIFICANT: f64 = 0.01;
/// Least change from the first round to the last that is told.
const LEAST_DRIFT: f64 = 0.05;
/// Rounds from which on their modes are looked for; with fewer, those of the intervals within them.
const LEAST_ROUNDS_FOR_MODES: usize = 8;
/// Intervals from which on their modes are looked for.
const LEAST_INTERVALS: usize = 20;
/// Operations of an interval below which its rate comes in steps that look like modes.
const LEAST_OPERATIONS: u64 = 200;
/// Share of the longest interval from which on an interval is a whole one.
const WHOLE_INTERVAL: f64 = 0.9;

/// What one side of a cell, or a step, shows.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Trait {
    /// Rounds that do not count.
    LeftOut { reason: &'static str, rounds: usize },
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
        of: &'static str,
        metric: &'static str,
    },
    /// Rounds (from 1) far from the others.
    Far(Vec<usize>),
}

/// A trait with its place.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Peculiarity {
    /// Index of the side; missing when it is of all.
    pub side: Option<usize>,
    pub step: String,
    pub kind: Trait,
}

impl Trait {
    /// For the cell itself.
    pub fn in_words(&self) -> String {
        match self {
            Trait::LeftOut { reason, rounds: 1 } => format!("1 round left out: it {reason}"),
            Trait::LeftOut { reason, rounds } => format!("{rounds} rounds left out: each {reason}"),
            Trait::TooFew(metric) => format!("too few operations for {}", metric.name),
            Trait::Widened(factor) => {
                format!("rounds resemble their neighbours: interval {factor:.1} times as wide")
            }
            Trait::Drift(ratio) => {
                format!("drifts over the rounds: the last is {ratio:.2} times the first")
            }
            Trait::DriftWithin(ratio) => {
                format!("drifts within the rounds: the last third is {ratio:.2} times the first")
            }
            Trait::TwoModes {
                low,
                high,
                upper,
                of,
                metric,
            } => {
                let shown = |value: f64| {
                    plumb_model::comparison::compared_metric(metric)
                        .map_or(String::new(), |metric| {
                            super::wording::figure(metric, value)
                        })
                };
                format!(
                    "two modes: {:.0} % of the {of} near {}, the others near {}",
                    100.0 * upper,
                    shown(*high),
                    shown(*low)
                )
            }
            Trait::Far(rounds) => format!("{} far from the others", numbered(rounds)),
        }
    }

    /// What is told in one sentence.
    pub fn group(&self) -> String {
        match self {
            Trait::LeftOut { reason, .. } => format!("left out {reason}"),
            Trait::TooFew(metric) => format!("too few {}", metric.id),
            Trait::Widened(_) => "widened".into(),
            Trait::Drift(_) => "drift".into(),
            Trait::DriftWithin(_) => "drift within".into(),
            Trait::TwoModes { of, .. } => format!("modes of {of}"),
            Trait::Far(_) => "far".into(),
        }
    }

    /// Over several steps, of one side where there is one.
    pub fn gathered(&self, letter: Option<&str>, steps: &str) -> String {
        let side = letter.unwrap_or("the sides");
        match self {
            Trait::LeftOut { reason, .. } => {
                format!("Rounds of {side} are left out of {steps}: each {reason}.")
            }
            Trait::TooFew(metric) => {
                format!(
                    "{} is not compared in {steps}: rounds have too few operations to state it. Longer rounds would help.",
                    metric.name
                )
            }
            Trait::Widened(_) => format!(
                "Rounds resemble their neighbours in {steps}: the intervals of {side} against A are widened. `plumb compare --live` is free of that."
            ),
            Trait::Drift(_) => {
                format!(
                    "The figures of {side} drift from round to round in {steps}: its value depends on when it was measured."
                )
            }
            Trait::DriftWithin(_) => {
                format!(
                    "The throughput of {side} drifts within the rounds of {steps}: it had not settled, and longer rounds would give another value."
                )
            }
            Trait::TwoModes { of, .. } => {
                format!(
                    "The {of} of {side} fall into two modes in {steps}: its value lies between two that occur."
                )
            }
            Trait::Far(_) => format!("Single rounds of {side} lie far from the others in {steps}."),
        }
    }
}

/// `round 3`, `rounds 3 and 5`.
fn numbered(rounds: &[usize]) -> String {
    let texts: Vec<String> = rounds.iter().map(|round| (round + 1).to_string()).collect();
    match texts.as_slice() {
        [only] => format!("round {only}"),
        [rest @ .., last] => format!("rounds {} and {last}", rest.join(", ")),
        [] => String::new(),
    }
}

/// What is peculiar about one side of a cell. `measured` is the run with the step, where there is one.
pub(super) fn peculiarities(
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
        .then(|| modes(&values, "rounds", metric))
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

fn drift_over(values: &[f64]) -> Option<Trait> {
    let logarithms: Vec<f64> = values.iter().map(|value| value.ln()).collect();
    let found = drift(&logarithms).filter(|found| found.p_value < SIGNIFICANT)?;
    let ratio = (found.slope * (values.len() as f64 - 1.0)).exp();
    (ratio.is_finite() && ratio.max(1.0 / ratio) - 1.0 >= LEAST_DRIFT)
        .then_some(Trait::Drift(ratio))
}

fn modes(values: &[f64], of: &'static str, metric: &ComparedMetric) -> Option<Trait> {
    let (low, high, upper) = two_modes(values)?;
    let metric = plumb_model::comparison::compared_metric(metric.id)?.id;
    Some(Trait::TwoModes {
        low,
        high,
        upper,
        of,
        metric,
    })
}

/// The whole intervals of the rounds of a step.
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
            let whole = WHOLE_INTERVAL * ticks().map(|tick| length(tick)).max().unwrap_or(0) as f64;
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
                .filter(|tick| length(tick) > 0 && length(tick) as f64 >= whole)
                .map(rates)
                .collect::<Option<Vec<_>>>()
        };
        let rounds = measured.whole(step).filter(|_| single).filter_map(of_round);
        Intervals {
            rounds: rounds.collect(),
        }
    }

    /// A drift in one direction in more than half of the rounds that are long enough to tell.
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
            .then(|| modes(&values, "intervals", metric))
            .flatten()
    }
}
