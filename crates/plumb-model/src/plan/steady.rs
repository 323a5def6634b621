//! When have enough rounds run? When the tracked figures are steady over a window of rounds.

use serde::{Deserialize, Serialize};

use super::steady_figure::SteadyFigure;
use super::{Order, Plan, PlanError, Step};
use crate::text::nearest::{nearest, plain_name};
use crate::text::wildcard::fits;
use crate::units::UnitError;

/// Rounds in the measurement window (SNIA Solid State Storage Performance Test Specification 2.0.2, definition 2.1.24).
pub const WINDOW: u32 = 5;
/// Largest excursion of the data in the window, in percent of its average (there).
pub const DATA_EXCURSION_PERCENT: f64 = 20.0;
/// Largest excursion of the best linear fit over the window, in percent of the average (there).
pub const SLOPE_EXCURSION_PERCENT: f64 = 10.0;

/// Rounds repeat until the figures of these steps are steady; the plan's `rounds` is the maximum.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Steady {
    /// Names of the steps that are tracked, or patterns with `*`; all of them must be steady at once.
    pub steps: Vec<String>,
    pub figure: SteadyFigure,
    /// Number of last rounds that are judged together.
    pub window: u32,
    /// Largest allowed difference of highest and lowest round of the window, in percent of their average.
    pub data_excursion_percent: f64,
    /// Largest allowed change of the best linear fit over the window, up or down, in percent of the average.
    pub slope_excursion_percent: f64,
    /// Rounds end, steady or not, once the tracked steps have written the part of the target in use this many times. Missing: no such limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capacities: Option<f64>,
}

/// The keys of `[steady]`.
pub const STEADY_KEYS: &[&str] = &[
    "steps",
    "figure",
    "window",
    "data-excursion-percent",
    "slope-excursion-percent",
    "capacities",
];

impl Default for Steady {
    fn default() -> Self {
        Steady {
            steps: vec!["*".into()],
            figure: SteadyFigure::Iops,
            window: WINDOW,
            data_excursion_percent: DATA_EXCURSION_PERCENT,
            slope_excursion_percent: SLOPE_EXCURSION_PERCENT,
            capacities: None,
        }
    }
}

impl Steady {
    /// Sets one key. The error says what is expected.
    pub fn set(&mut self, key: &str, texts: &[String]) -> Result<(), String> {
        let plain = plain_name(key);
        let text = texts.first().map_or("", |text| text.trim());
        match plain.as_str() {
            "steps" if texts.iter().all(|text| !text.trim().is_empty()) && !texts.is_empty() => {
                self.steps = texts.iter().map(|text| text.trim().to_string()).collect();
            }
            "steps" => return Err("steps names the steps that are tracked: write for example steps = [\"random-write*\"]".into()),
            "figure" => self.figure = text.parse().map_err(|error: UnitError| format!("figure: {error}"))?,
            "window" => {
                let window = text.parse::<u32>().ok().filter(|window| (3..=1000).contains(window));
                self.window = window.ok_or_else(|| format!("window: '{text}' is not a whole number of rounds from 3 to 1000"))?;
            }
            "data-excursion-percent" => self.data_excursion_percent = percent(&plain, text)?,
            "slope-excursion-percent" => self.slope_excursion_percent = percent(&plain, text)?,
            "capacities" => {
                let times = text.parse::<f64>().ok().filter(|times| *times > 0.0 && *times <= 1e6);
                let wrong = || format!("capacities: '{text}' is no number of times above 0: write 4, or leave it out");
                self.capacities = Some(times.ok_or_else(wrong)?);
            }
            other => return Err(format!("unknown key '{key}'{}; [steady] has {}", nearest(other, STEADY_KEYS), STEADY_KEYS.join(", "))),
        }
        Ok(())
    }

    /// True if the step is tracked.
    pub fn tracks(&self, step: &Step) -> bool {
        !step.once && self.steps.iter().any(|pattern| fits(pattern, &step.name))
    }
}

fn percent(key: &str, text: &str) -> Result<f64, String> {
    let share = text
        .trim_end_matches('%')
        .trim()
        .parse::<f64>()
        .ok()
        .filter(|share| *share > 0.0 && *share <= 1000.0);
    share.ok_or_else(|| {
        format!("{key}: '{text}' is no share of the average: write a number above 0, such as 20")
    })
}

/// Refuses a plan whose rounds can never be judged. The error says what to write instead.
pub fn refuse_unjudgeable(plan: &Plan) -> Result<(), PlanError> {
    let rounds = plan.steps.iter().filter(|step| !step.once).count();
    if rounds == 0 && !plan.steps.is_empty() {
        return Err(PlanError::at(
            format!("plan {}", plan.name),
            "every step runs once, so that no round is left: leave once out of one of them",
        ));
    }
    let Some(steady) = &plan.steady else {
        return Ok(());
    };
    let refuse = |message: String| Err(PlanError::at("steady", message));
    let names = || {
        plan.steps
            .iter()
            .filter(|step| !step.once)
            .map(|step| step.name.as_str())
            .collect::<Vec<_>>()
            .join(", ")
    };
    if let Some(pattern) = steady.steps.iter().find(|pattern| {
        !plan
            .steps
            .iter()
            .any(|step| !step.once && fits(pattern, &step.name))
    }) {
        return refuse(format!(
            "no step that runs in every round is named '{pattern}': there are {}; name one with steps, or --set steady.steps=NAME",
            names()
        ));
    }
    if plan.rounds < steady.window {
        return refuse(format!(
            "{} rounds are fewer than the window of {} that is judged: write rounds = {} or more, or a smaller window (--set steady.window=3)",
            plan.rounds, steady.window, steady.window
        ));
    }
    if plan.order == Order::Sequential && rounds > 1 {
        return refuse("rounds can only be judged when each goes through all steps: write order = \"interleaved\"".into());
    }
    Ok(())
}
