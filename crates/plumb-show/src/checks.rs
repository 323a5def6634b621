//! What does a comparison check for a CI system? Each figure, or each condition of `--fail-if`, with its outcome.

use plumb_model::results::comparison::{Comparison, Verdict};
use plumb_model::statement::Statement;
use plumb_words::Words;
use plumb_words::numbers::show_count;

use crate::tables::comparison_rows::{CellRow, all};
use crate::wording::comparison::{
    change_text, figure_name, interval_text, letter, undecided_text, value_text, verdict_mark,
};
use crate::wording::sentence;

/// Outcome of a check. The exit code of `plumb compare` is 2 if any is `NotDone`, else 1 if any `Failed`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CheckOutcome {
    Passed,
    /// Proven worse, or a condition is met.
    Failed,
    /// The rounds do not decide it, or the step was not compared.
    Undecided,
    /// There was nothing to check.
    NotDone,
}

/// One check. Group and name are the same in every language, so that a CI system recognizes a check from run to run.
#[derive(Debug)]
pub(crate) struct Check {
    /// Name of the step; `--fail-if` for a condition.
    pub group: String,
    /// Name of the figure, or the condition.
    pub name: String,
    pub outcome: CheckOutcome,
    /// Figures and reason, one sentence.
    pub text: String,
}

impl Check {
    fn new(group: &str, name: String, outcome: CheckOutcome, text: String) -> Check {
        let group = group.to_string();
        Check {
            group,
            name,
            outcome,
            text,
        }
    }
}

/// The checks of a comparison: its conditions, without any its figures, and the steps that were not compared.
pub(crate) fn checks(comparison: &Comparison, words: Words) -> Vec<Check> {
    let mut checks = Vec::new();
    if comparison.is_empty() {
        let text = words.label("label-nothing-was-compared-sentence");
        let name = "nothing compared".to_string();
        checks.push(Check::new(
            "plumb compare",
            name,
            CheckOutcome::NotDone,
            text,
        ));
    }
    if comparison.conditions.is_empty() {
        checks.extend(all(comparison).map(|row| of_figure(comparison, &row, words)));
        checks.extend(of_failures(comparison, words));
    } else {
        checks.extend(of_conditions(comparison, words));
    }
    checks.extend(comparison.refused.iter().map(|refusal| {
        let side = refusal.side.map(|side| letter(comparison, side as usize));
        let name = named("not compared", side);
        let text = sentence(&refusal.reason, words);
        Check::new(&refusal.step, name, CheckOutcome::Undecided, text)
    }));
    checks
}

/// `p99`, and if there are several sides `p99 (C)`.
fn named(name: &str, side: Option<&str>) -> String {
    match side {
        Some(side) => format!("{name} ({side})"),
        None => name.to_string(),
    }
}

fn of_figure(comparison: &Comparison, row: &CellRow, words: Words) -> Check {
    let CellRow { cell, effect } = row;
    let side = effect.side as usize;
    let value = |side: usize| {
        let value = cell.sides.get(side).and_then(|side| side.value);
        value_text(&cell.unit, value)
    };
    let reason = match effect.verdict {
        Verdict::Undecided => undecided_text(effect, words),
        _ => {
            let reason = effect.reason.as_ref();
            reason.map_or_else(String::new, |reason| sentence(reason, words))
        }
    };
    let text = Statement::new("checked-figure")
        .name("verdict", verdict_mark(effect.verdict, words))
        .name("baseline-letter", letter(comparison, 0))
        .name("baseline", value(0))
        .name("letter", letter(comparison, side))
        .name("value", value(side))
        .name("change", change_text(effect, words))
        .name(
            "confidence",
            show_count(comparison.method.confidence * 100.0),
        )
        .name("interval", interval_text(effect, words))
        .name("reason", reason);
    let several = comparison.sides.len() > 2;
    let outcome = match effect.verdict {
        Verdict::Worse => CheckOutcome::Failed,
        Verdict::Better | Verdict::Same => CheckOutcome::Passed,
        Verdict::Undecided => CheckOutcome::Undecided,
    };
    let name = named(
        &figure_name(cell),
        several.then(|| letter(comparison, side)),
    );
    Check::new(&cell.step, name, outcome, words.sentence(&text))
}

/// Sides whose operations fail where those of another side do not, which is worse whatever the figures are.
fn of_failures(comparison: &Comparison, words: Words) -> impl Iterator<Item = Check> {
    let failing = comparison.failing.iter().filter(|side| **side > 0);
    failing.map(move |side| {
        let name = named(
            "failed operations",
            Some(letter(comparison, *side as usize)),
        );
        let text = words.label("label-checked-side-fails");
        Check::new("plumb compare", name, CheckOutcome::Failed, text)
    })
}

fn of_conditions(comparison: &Comparison, words: Words) -> impl Iterator<Item = Check> {
    comparison.conditions.iter().map(move |condition| {
        let outcome = match (condition.cells, condition.failed, condition.undecided) {
            (0, ..) => CheckOutcome::NotDone,
            (_, true, _) => CheckOutcome::Failed,
            (.., true) => CheckOutcome::Undecided,
            _ => CheckOutcome::Passed,
        };
        let text = sentence(&condition.explanation, words);
        Check::new("--fail-if", condition.condition.to_string(), outcome, text)
    })
}

/// How many checks have this outcome.
pub(crate) fn count(checks: &[Check], outcome: CheckOutcome) -> usize {
    checks
        .iter()
        .filter(|check| check.outcome == outcome)
        .count()
}
