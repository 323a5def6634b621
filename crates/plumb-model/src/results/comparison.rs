//! Is B better than A, worse, the same, or undecided? Sides, cells of rounds, effects with intervals, and differences of the environment.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::environment::Fact;
use crate::results::published::PublishedTable;
use crate::results::series::Series;
use crate::results::summary::Sentence;
use crate::statement::Statement;
use crate::text::word::{serde_as_text, words};
use crate::units::UnitError;

/// Name and version of the schema of `plumb compare --json`. Names may be added under one version, never changed.
pub const COMPARISON_SCHEMA: &str = "plumb-comparison-2";

words! {
    /// Verdict of a comparison on one cell.
    Verdict, "verdict" {
        /// Shown to differ by more than the practical threshold, in the direction that is better for this metric: the whole interval lies beyond it.
        Better = "better",
        /// Shown to differ by more than the practical threshold, in the direction that is worse for this metric: the whole interval lies beyond it.
        Worse = "worse",
        /// The whole interval of the ratio lies within the practical threshold: shown to be equivalent.
        Same = "same",
        /// The rounds do not decide it.
        Undecided = "undecided",
    }
}

words! {
    /// Why a cell is undecided.
    Undecided, "reason for being undecided" {
        /// A side lacks the figure, has too few operations to state it, or a round made no progress.
        NoFigure = "no-figure",
        /// A published figure is a single round on another set-up.
        Published = "published",
        /// Too few rounds per side.
        FewRounds = "few-rounds",
        /// The rounds scatter too much to show a difference or equivalence.
        Scatter = "scatter",
        /// Decided on its own, but not after correction for the number of figures.
        ManyFigures = "many-figures",
        /// Shown to differ, but not by more than the practical threshold.
        NotBeyondThreshold = "not-beyond-threshold",
        /// The state of the machine differed between the two sides, measured at different times: see [`Comparison::machine`].
        MachineNotSame = "machine-not-same",
        /// Faster, but with more failed operations.
        Failing = "failing",
        /// Both sides are the same record.
        SameRecord = "same-record",
    }
}

words! {
    /// Which direction is better.
    Direction, "direction" {
        Higher = "higher",
        Lower = "lower",
    }
}

words! {
    /// Kind of a side.
    SideKind, "kind of side" {
        /// A run that plumb recorded.
        Run = "run",
        /// Published figures.
        Reference = "reference",
    }
}

words! {
    /// How the rounds of two sides are paired.
    Design, "design" {
        /// Each side was measured separately: whatever changed in between is part of their difference.
        Independent = "independent",
        /// Both sides ran in the same blocks, in random order within each: rounds are compared block by block.
        Blocks = "blocks",
    }
}

/// A compared figure, per round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ComparedMetric {
    /// Name for `--metric`, `--fail-if` and JSON.
    pub id: &'static str,
    /// For tables.
    pub name: &'static str,
    /// `operations/s`, `bytes/s`, `ns`.
    pub unit: &'static str,
    pub better: Direction,
    /// One sentence.
    pub meaning: &'static str,
}

/// Every figure that can be compared.
pub const COMPARED_METRICS: &[ComparedMetric] = &[
    ComparedMetric {
        id: "iops",
        name: "IOPS",
        unit: "operations/s",
        better: Direction::Higher,
        meaning: "completed operations per second of measured time",
    },
    ComparedMetric {
        id: "bandwidth",
        name: "bandwidth",
        unit: "bytes/s",
        better: Direction::Higher,
        meaning: "bytes moved per second of measured time",
    },
    ComparedMetric {
        id: "mean",
        name: "mean latency",
        unit: "ns",
        better: Direction::Lower,
        meaning: "mean response time",
    },
    ComparedMetric {
        id: "p50",
        name: "p50",
        unit: "ns",
        better: Direction::Lower,
        meaning: "median response time",
    },
    ComparedMetric {
        id: "p90",
        name: "p90",
        unit: "ns",
        better: Direction::Lower,
        meaning: "90th percentile of the response time",
    },
    ComparedMetric {
        id: "p99",
        name: "p99",
        unit: "ns",
        better: Direction::Lower,
        meaning: "99th percentile of the response time",
    },
    ComparedMetric {
        id: "p99.9",
        name: "p99.9",
        unit: "ns",
        better: Direction::Lower,
        meaning: "99.9th percentile of the response time",
    },
    ComparedMetric {
        id: "cpu",
        name: "CPU per operation",
        unit: "ns",
        better: Direction::Lower,
        meaning: "CPU time of the load generator's threads per operation, all kinds together",
    },
    ComparedMetric {
        id: "cores",
        name: "busy cores",
        unit: "cores",
        better: Direction::Lower,
        meaning: "CPU time of the load generator's threads per second: 1 is one core kept busy",
    },
    ComparedMetric {
        id: "iops-per-core",
        name: "IOPS per core",
        unit: "operations/s",
        better: Direction::Higher,
        meaning: "completed operations per second of CPU time of the load generator's threads",
    },
];

/// The metric of this id.
pub fn compared_metric(id: &str) -> Option<&'static ComparedMetric> {
    COMPARED_METRICS.iter().find(|metric| metric.id == id)
}

/// Method of the comparison.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Method {
    /// Share of intervals that cover the truth: 0.95.
    pub confidence: f64,
    /// Ratios from 1 / (1 + threshold) to 1 + threshold count as the same: 0.05.
    pub threshold: f64,
    pub design: Design,
    /// Number of effects tested; the p-values are adjusted for it (Holm).
    pub tested: u32,
    /// Steps of the method, one sentence each, with source.
    pub steps: Vec<Statement>,
}

/// `A` for the first side, `Z` for the twenty-sixth, then `A2`, `B2`, ...
pub fn side_letter(index: usize) -> String {
    let letter = char::from(b'A' + (index % 26) as u8);
    if index < 26 {
        letter.to_string()
    } else {
        format!("{letter}{}", index / 26 + 1)
    }
}

/// One side. The first one is the baseline.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Side {
    /// `A`, `B`, ...
    pub letter: String,
    /// As the user named it: a folder, a target, `ref:optane-p4800x`; short enough for a table.
    pub label: String,
    pub kind: SideKind,
    /// Name of the run, or of the reference.
    pub id: String,
    /// Start of the run (RFC 3339), or the year of publication.
    pub started: String,
    /// Name of the plan; missing for a reference.
    pub plan: Option<String>,
    /// Targets; missing for a reference.
    pub target: Option<String>,
    /// Source of published figures; missing for a run.
    pub source: Option<String>,
    /// The other program that measured an imported run; missing for a run of plumb, and for a reference.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    /// Caveats of this side: an interrupted run, doubts of the record, flaws of the published measurement.
    pub doubts: Vec<Statement>,
}

/// A difference between sides.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Difference {
    /// Id of a fact (`device.scheduler`), a key of a workload (`block`), or a condition of a reference.
    pub what: String,
    /// Its meaning.
    pub meaning: Statement,
    /// One per side, in order; missing if a side does not have it.
    pub values: Vec<Option<Fact>>,
    /// The steps it applies to; empty for all.
    pub steps: Vec<String>,
}

/// A step that was not compared.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Refusal {
    /// Name of the step or of the published figure.
    pub step: String,
    /// Index of the side that has it; missing if several do.
    pub side: Option<u32>,
    pub reason: Statement,
}

/// One figure of one step, on all sides.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Cell {
    /// Name of the step on the baseline's side.
    pub step: String,
    /// Name shared by the steps of one sweep.
    pub group: String,
    /// The swept keys with their values in this step.
    pub swept: BTreeMap<String, String>,
    /// Kind of operation, when the step has several: `read`.
    pub kind: Option<String>,
    /// Id of the metric: `p99`.
    pub metric: String,
    pub unit: String,
    pub better: Direction,
    /// As [`Comparison::sides`].
    pub sides: Vec<CellSide>,
    /// Each other side against the baseline: one fewer than sides.
    pub effects: Vec<Effect>,
}

/// One side of a cell.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CellSide {
    /// The figure of each round, in order of execution; missing if a round has none. A published figure is one round.
    pub rounds: Vec<Option<f64>>,
    /// Trimmed geometric mean of the rounds. Missing without rounds, or if a round is not above 0.
    pub value: Option<f64>,
    /// Interval of that mean; missing below two rounds.
    pub interval: Option<(f64, f64)>,
    /// Anomalies of these rounds: drift, two modes, an outlier.
    pub remarks: Vec<Statement>,
}

/// One side against the baseline.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Effect {
    /// Index of the side.
    pub side: u32,
    /// This side's figure divided by the baseline's, whichever direction is better. Missing if either has none.
    pub ratio: Option<f64>,
    /// Interval of the ratio at [`Method::confidence`], of this cell by itself, with [`Effect::resolution`] and [`Effect::machine`] in it. Missing when the
    /// spread of either side is not known, and if the ends are more than a factor of 1,000 apart, which is meaningless.
    pub interval: Option<(f64, f64)>,
    /// Probability of a difference at least this large if there is none.
    pub p_value: Option<f64>,
    /// The same, adjusted for all tested effects.
    pub adjusted_p_value: Option<f64>,
    /// Probability of a difference at least this large if the true one is exactly the practical threshold, adjusted for all tested effects:
    /// the basis of better and worse.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threshold_p_value: Option<f64>,
    pub verdict: Verdict,
    /// Kind of reason, if undecided. Missing in comparisons of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undecided: Option<Undecided>,
    /// Reason: `the interval lies within 5 %`, `one round shows no spread`. Missing until judged.
    pub reason: Option<Statement>,
    /// If undecided: additional rounds per side that would probably decide it. Missing if unknown.
    pub more_rounds: Option<u32>,
    /// Factor by which the interval was widened for autocorrelation of rounds; 1 without.
    pub widened: f64,
    /// Relative uncertainty of the ratio from the resolution of the rounds' figures: half a histogram bucket on each side, half an operation of a
    /// count. Included in the interval: 0.008 is 0.8 % at each end.
    #[serde(default)]
    pub resolution: f64,
    /// Relative widening of the interval below and above because the state of the machine differed ([`Comparison::machine`]). Missing if it
    /// is not known to have differed, and in a live comparison, where both sides ran on the same machine state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<(f64, f64)>,
}

/// A difference in the state of the machine between two sides measured at different times.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MachineEvidence {
    /// Affected steps.
    pub steps: Vec<String>,
    /// Index of the side compared with the baseline.
    pub side: u32,
    /// `waited_for_cpu`, `others_cpu`, `stolen_cpu`, `cpu_pressure`, `cpu_per_operation`.
    pub what: String,
    /// Its meaning.
    pub meaning: Statement,
    /// `percent` or `ns`.
    pub unit: String,
    /// Mean over the rounds of the first of the steps, for the baseline; missing if not recorded.
    pub baseline: Option<f64>,
    /// The same for the other side.
    pub value: Option<f64>,
}

/// Verdict counts of one side.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Tally {
    /// Index of the side.
    pub side: u32,
    pub better: u32,
    pub worse: u32,
    pub same: u32,
    pub undecided: u32,
}

/// Two or more sides, compared.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Comparison {
    /// `plumb-comparison-2`.
    pub schema: String,
    pub plumb_version: String,
    pub method: Method,
    pub sides: Vec<Side>,
    /// Facts of the environment that differ.
    #[serde(rename = "ground")]
    pub environment: Vec<Difference>,
    /// Differences in the state of the machine between sides measured at different times, if they can explain more than 1 % of a
    /// difference. The intervals are widened by them ([`Effect::machine`]).
    #[serde(default)]
    pub machine: Vec<MachineEvidence>,
    /// Keys of the workloads, or of how they ran, that differ in steps that were compared nevertheless.
    pub work: Vec<Difference>,
    /// Steps that were not compared, each with the reason.
    pub refused: Vec<Refusal>,
    /// The verdict; each sentence is based on a number.
    pub verdict: Vec<Sentence>,
    /// One per side except the baseline.
    pub tallies: Vec<Tally>,
    /// Indexes of the sides with clearly more failures (errors, mismatches) than another side in some step.
    #[serde(default)]
    pub failing: Vec<u32>,
    pub cells: Vec<Cell>,
    /// Caveats of the comparison: measured at different times, few rounds, drift.
    pub remarks: Vec<Statement>,
    /// Conditions of `--fail-if` with their outcomes.
    pub conditions: Vec<ConditionOutcome>,
    /// The published figures of each experiment among the sides, with the measured ones beside them. Empty without published figures or without a run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub published: Vec<PublishedTable>,
}

impl Comparison {
    /// True if nothing could be compared: neither figures of two sides nor a measured figure with a published one.
    pub fn is_empty(&self) -> bool {
        let measured = |table: &PublishedTable| table.measured().next().is_some();
        self.cells.is_empty() && !self.published.iter().any(measured)
    }

    /// True if any cell of any side is worse than the baseline, or a side fails where the baseline does not.
    pub fn any_worse(&self) -> bool {
        self.tallies.iter().any(|tally| tally.worse > 0)
            || self.failing.iter().any(|side| *side > 0)
    }
}

/// A condition under which a comparison fails: `p99 > +10%`, `iops < -5%`, `random-read* p99 > +10%`.
#[derive(Debug, Clone, PartialEq)]
pub struct Condition {
    /// Name of the step, `*` matches anything; `*` if not given.
    pub steps: String,
    /// Id of the metric.
    pub metric: String,
    /// True for `>`.
    pub above: bool,
    /// Change against the baseline as a fraction: +10 % is 0.1.
    pub change: f64,
}

impl FromStr for Condition {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let expected = || {
            UnitError(format!(
                "'{text}' is no condition: write for example 'p99 > +10%' or 'random-read* iops < -5%'"
            ))
        };
        let (left, right) = text.split_once(['>', '<']).ok_or_else(expected)?;
        let above = text.contains('>');
        let (steps, metric) = match left.trim().rsplit_once(char::is_whitespace) {
            Some((steps, metric)) => (steps.trim().to_string(), metric),
            None => ("*".to_string(), left.trim()),
        };
        if compared_metric(metric).is_none() {
            let ids: Vec<&str> = COMPARED_METRICS.iter().map(|metric| metric.id).collect();
            return Err(UnitError(format!(
                "'{metric}' in '{text}' is no metric: choose one of {}",
                ids.join(", ")
            )));
        }
        let percent = right.trim().strip_suffix('%').ok_or_else(expected)?.trim();
        let change: f64 = percent.parse().map_err(|_| expected())?;
        // Below -100 % is impossible.
        if !change.is_finite() || change <= -100.0 || right.contains(['<', '>', '=']) {
            return Err(expected());
        }
        Ok(Condition {
            steps,
            metric: metric.to_string(),
            above,
            change: change / 100.0,
        })
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.steps != "*" {
            write!(f, "{} ", self.steps)?;
        }
        write!(
            f,
            "{} {} {:+}%",
            self.metric,
            if self.above { '>' } else { '<' },
            (self.change * 1e4).round() / 100.0
        )
    }
}

serde_as_text!(
    Condition,
    "condition",
    "a condition of --fail-if: [STEPS] METRIC > or < CHANGE%"
);

/// Outcome of a condition.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ConditionOutcome {
    pub condition: Condition,
    /// Some cell is shown to lie beyond the limit: its entire interval does, and the p-value against the limit holds among all cells that the
    /// condition covers (Holm).
    pub failed: bool,
    /// Not failed, but not shown to hold either: some cell lies beyond the limit without significance, or cannot be tested.
    #[serde(default)]
    pub undecided: bool,
    /// Cells that the condition covers.
    pub cells: u32,
    /// Which cell failed, that none did, or which ones lie beyond the limit without significance.
    pub explanation: Statement,
}

/// Latency percentiles of one step on all sides.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StepPercentiles {
    pub step: String,
    /// (index of the side, line): x is the number of nines, value in `ns`; as [`crate::results::series::Plots::percentiles`].
    pub lines: Vec<(u32, Series)>,
}

/// Data of the charts of a comparison.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ComparisonPlots {
    /// One per compared step with latencies on two sides.
    pub percentiles: Vec<StepPercentiles>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_read_and_written() {
        let check =
            |text: &str, steps: &str, metric: &str, above: bool, change: f64, written: &str| {
                let condition: Condition = text
                    .parse()
                    .unwrap_or_else(|error| panic!("{text}: {error}"));
                let expected = Condition {
                    steps: steps.into(),
                    metric: metric.into(),
                    above,
                    change,
                };
                assert_eq!(condition, expected, "{text}");
                assert_eq!(condition.to_string(), written);
            };
        check("p99 > +10%", "*", "p99", true, 0.1, "p99 > +10%");
        check("iops<-5 %", "*", "iops", false, -0.05, "iops < -5%");
        check(
            "random-read depth=* p99.9 > 2.5%",
            "random-read depth=*",
            "p99.9",
            true,
            0.025,
            "random-read depth=* p99.9 > +2.5%",
        );
    }

    #[test]
    fn what_is_no_condition_is_told() {
        for text in [
            "",
            "p99",
            "p99 > 10",
            "p98 > 10%",
            "> 5%",
            "p99 > x%",
            "p99 >= 5%",
            "p99 > nan%",
            "iops < -100%",
        ] {
            let error = text.parse::<Condition>().expect_err(text).to_string();
            assert!(error.contains("p99"), "{text}: {error}");
        }
    }
}
