//! Did the comparison fail by the user's own condition? `--fail-if`: shown to lie beyond the limit that the condition names.

use plumb_model::comparison::{Cell, Condition, ConditionOutcome, Effect, Side, Undecided};
use plumb_model::wildcard::fits;

use super::effects::Pending;
use super::entrants::Settings;
use super::wording::{cell_name, change};
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
        let letter = sides
            .get(effect.side as usize)
            .map_or("", |side| side.letter.as_str());
        let text = format!(
            "{} of {letter}: {}",
            cell_name(cell),
            effect.ratio.map(change).unwrap_or_default()
        );
        let is_shown = p.is_some_and(|p| p < 1.0 - settings.confidence);
        if is_shown {
            failed.push(text)
        } else {
            unproven.push(format!("{text}{}", why_not(condition, effect, p.is_some())))
        }
    }
    let looked_at = named.len() as u32;
    let explanation = match (looked_at, failed.is_empty(), unproven.is_empty()) {
        (0, ..) => format!(
            "no figure of this comparison is looked at by '{condition}': check the step's name and the metric"
        ),
        (_, false, true) => format!("failed: {}", shortened(&failed)),
        (_, false, false) => format!(
            "failed: {}; beyond the limit, but not shown to be: {}",
            shortened(&failed),
            shortened(&unproven)
        ),
        (_, true, false) => format!(
            "beyond the limit, but not shown to be: {}",
            shortened(&unproven)
        ),
        (1, true, true) => "the one figure is not beyond the limit".to_string(),
        (_, true, true) => format!("none of {looked_at} figures is beyond the limit"),
    };
    ConditionOutcome {
        condition: condition.clone(),
        failed: !failed.is_empty(),
        cells: looked_at,
        explanation,
    }
}

/// Probability of a ratio at least this far beyond the limit when the true one lies at it; `None` where nothing can be tested.
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

/// What keeps a figure beyond the limit from being shown to be there, as the end of a sentence.
fn why_not(condition: &Condition, effect: &Effect, was_tested: bool) -> String {
    if !was_tested || effect.undecided == Some(Undecided::MachineNotSame) {
        return format!(" ({})", effect.reason);
    }
    let Some((low, high)) = effect.interval else {
        return String::new();
    };
    let limit = 1.0 + condition.change;
    let reaches = if condition.above {
        low <= limit
    } else {
        high >= limit
    };
    if reaches {
        format!(" (between {} and {})", change(low), change(high))
    } else {
        " (by itself, but not among so many figures)".into()
    }
}

/// At most three, and how many more.
fn shortened(texts: &[String]) -> String {
    let shown: Vec<&str> = texts.iter().take(3).map(String::as_str).collect();
    match texts.len().saturating_sub(shown.len()) {
        0 => shown.join("; "),
        more => format!("{}; and {more} more", shown.join("; ")),
    }
}
