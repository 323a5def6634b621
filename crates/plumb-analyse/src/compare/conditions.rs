//! Did the comparison fail by the user's own condition? `--fail-if`: beyond the limit, and shown to differ.

use plumb_model::comparison::{Cell, Condition, ConditionOutcome, Effect, Side, Verdict};
use plumb_model::wildcard::fits;

use super::Settings;
use super::wording::{cell_name, change};

/// What came of a condition.
pub(super) fn outcome(condition: &Condition, cells: &[Cell], sides: &[Side], settings: &Settings) -> ConditionOutcome {
    let alpha = 1.0 - settings.confidence;
    let (mut looked_at, mut failed, mut unproven) = (0, Vec::new(), Vec::new());
    for cell in cells.iter().filter(|cell| cell.metric == condition.metric && fits(&condition.steps, &cell.step)) {
        looked_at += 1;
        for effect in cell.effects.iter().filter(|effect| is_beyond(condition, effect)) {
            let letter = sides.get(effect.side as usize).map_or("", |side| side.letter.as_str());
            let text = format!("{} of {letter}: {}", cell_name(cell), effect.ratio.map(change).unwrap_or_default());
            let shown = matches!(effect.verdict, Verdict::Better | Verdict::Worse) || effect.adjusted_p_value.is_some_and(|p| p < alpha);
            if shown { failed.push(text) } else { unproven.push(format!("{text}: {}", effect.reason)) }
        }
    }
    let explanation = match (looked_at, failed.is_empty(), unproven.is_empty()) {
        (0, ..) => format!("no figure of this comparison is looked at by '{condition}': check the step's name and the metric"),
        (_, false, true) => format!("failed: {}", shortened(&failed)),
        (_, false, false) => format!("failed: {}; beyond the limit, but not shown: {}", shortened(&failed), shortened(&unproven)),
        (_, true, false) => format!("beyond the limit, but not shown to differ: {}", shortened(&unproven)),
        (_, true, true) => format!("none of {looked_at} figures is beyond the limit"),
    };
    ConditionOutcome { condition: condition.clone(), failed: !failed.is_empty(), cells: looked_at, explanation }
}

fn is_beyond(condition: &Condition, effect: &Effect) -> bool {
    effect.ratio.is_some_and(|ratio| if condition.above { ratio - 1.0 > condition.change } else { ratio - 1.0 < condition.change })
}

/// At most three, and how many more.
fn shortened(texts: &[String]) -> String {
    let shown: Vec<&str> = texts.iter().take(3).map(String::as_str).collect();
    match texts.len().saturating_sub(shown.len()) {
        0 => shown.join("; "),
        more => format!("{}; and {more} more", shown.join("; ")),
    }
}
