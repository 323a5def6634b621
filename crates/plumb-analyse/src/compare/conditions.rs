//! Did the comparison fail by the user's condition (`--fail-if`)? It does if a figure is shown to be beyond the limit.

use plumb_model::results::comparison::{
    Cell, Condition, ConditionOutcome, Effect, Side, Undecided,
};
use plumb_model::statement::Statement;
use plumb_model::text::wildcard::fits;

use crate::compare::effects::Pending;
use crate::compare::entrants::Settings;
use crate::compare::wording::cell_name;
use crate::phrases::change;
use crate::phrases::{none, phrase, some_clauses};
use crate::statistics::holm::holm;

/// What came of a condition. Each figure is tested against the limit of the condition, not against the practical threshold.
pub(super) fn outcome(
    condition: &Condition,
    (cells, pending): (&[Cell], &[Vec<Pending>]),
    sides: &[Side],
    settings: &Settings,
) -> ConditionOutcome {
    let is_named =
        |cell: &Cell| cell.metric == condition.metric && fits(&condition.steps, &cell.step);
    let named: Vec<(&Cell, &Vec<Pending>)> = cells
        .iter()
        .zip(pending)
        .filter(|(cell, _)| is_named(cell))
        .collect();
    let effects = || {
        named.iter().flat_map(|(cell, pending)| {
            cell.effects
                .iter()
                .zip(*pending)
                .map(|(effect, held)| (*cell, effect, held))
        })
    };
    let p_values: Vec<f64> = effects()
        .filter_map(|(.., held)| p_value(condition, held))
        .collect();
    let mut adjusted = holm(&p_values).into_iter();
    let (mut failed, mut unproven) = (Vec::new(), Vec::new());
    for (cell, effect, held) in effects() {
        let p = p_value(condition, held).and_then(|_| adjusted.next());
        if !is_beyond(condition, effect) {
            continue;
        }
        let is_shown = p.is_some_and(|p| p < 1.0 - settings.confidence);
        let why = match is_shown {
            true => None,
            false => why_not(condition, effect, p.is_some()),
        };
        let letter = sides
            .get(effect.side as usize)
            .map_or("", |side| side.letter.as_str());
        if is_shown {
            failed.push(changed(cell, effect, letter, why))
        } else {
            unproven.push(changed(cell, effect, letter, why))
        }
    }
    let looked_at = named.len() as u32;
    let is_untested = |held: &Pending| p_value(condition, held).is_none();
    let untested = named
        .iter()
        .filter(|(_, pending)| pending.iter().any(is_untested))
        .count();
    let is_failed = !failed.is_empty();
    let undecided = !is_failed && (untested > 0 || !unproven.is_empty());
    let explanation = explanation(condition, looked_at, untested, failed, unproven);
    ConditionOutcome {
        condition: condition.clone(),
        failed: is_failed,
        undecided,
        cells: looked_at,
        explanation,
    }
}

/// Probability of a ratio at least this far beyond the limit if the true one is at the limit; `None` if nothing can be tested.
fn p_value(condition: &Condition, held: &Pending) -> Option<f64> {
    let (shift, bound) = (held.tested()?, condition.change.ln_1p());
    Some(if condition.above {
        shift.p_value_above(bound)
    } else {
        shift.p_value_below(bound)
    })
}

fn is_beyond(condition: &Condition, effect: &Effect) -> bool {
    effect.ratio.is_some_and(|ratio| {
        if condition.above {
            ratio - 1.0 > condition.change
        } else {
            ratio - 1.0 < condition.change
        }
    })
}

/// Its outcome, with the figures beyond the limit.
fn explanation(
    condition: &Condition,
    looked_at: u32,
    untested: usize,
    failed: Vec<Statement>,
    unproven: Vec<Statement>,
) -> Statement {
    match (looked_at, failed.is_empty(), unproven.is_empty()) {
        (0, ..) => Statement::new("condition-looks-at-nothing"),
        (_, false, true) => Statement::new("condition-failed"),
        (_, false, false) => Statement::new("condition-failed-and-unproven"),
        (_, true, false) => Statement::new("condition-unproven"),
        (_, true, true) if untested > 0 => Statement::new("condition-not-tested"),
        (_, true, true) => Statement::new("condition-held"),
    }
    .name("condition", condition.to_string())
    .part("failed", some_clauses(failed))
    .part("unproven", some_clauses(unproven))
    .count("figures", u64::from(looked_at))
    .count("untested", untested as u64)
}

/// `random-read depth=1, IOPS of B: -20 %`, and in parentheses why it is not shown to be beyond the limit.
fn changed(cell: &Cell, effect: &Effect, letter: &str, why: Option<Statement>) -> Statement {
    let change = effect.ratio.map(change).unwrap_or_else(|| phrase(none()));
    match why {
        None => Statement::new("figure-changed"),
        Some(why) => Statement::new("figure-changed-not-shown").part("why", why),
    }
    .part("figure", cell_name(cell))
    .name("side", letter)
    .with("change", change)
}

/// What keeps a figure beyond the limit from being shown to be there.
fn why_not(condition: &Condition, effect: &Effect, was_tested: bool) -> Option<Statement> {
    if !was_tested || effect.undecided == Some(Undecided::MachineNotSame) {
        return effect.reason.clone();
    }
    let (low, high) = effect.interval?;
    let limit = 1.0 + condition.change;
    let reaches = if condition.above {
        low <= limit
    } else {
        high >= limit
    };
    Some(if reaches {
        Statement::new("between")
            .with("low", change(low))
            .with("high", change(high))
    } else {
        Statement::new("not-among-so-many-figures")
    })
}
