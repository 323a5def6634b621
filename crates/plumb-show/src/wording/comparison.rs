//! How is a comparison written as text, for the page, the terminal and Markdown? Changes, intervals, verdicts and differences.

use plumb_words::Words;

use plumb_model::results::comparison::{
    Cell, Comparison, Design, Difference, Effect, Side, SideKind, Tally, Verdict, compared_metric,
};
use plumb_model::statement::Statement;
use plumb_words::numbers::{group_thousands, is_many_times, show_count, times_apart};

use super::{MISSING, date_text, fact_text, sentence, with_micro_sign};
use crate::figure::Quantity;

/// Steps listed in a sentence before the rest is only counted.
const STEPS_NAMED: usize = 3;

/// The name of a verdict with a mark, independent of color.
pub(crate) fn verdict_mark(verdict: Verdict, words: Words) -> String {
    words.label(match verdict {
        Verdict::Better => "label-verdict-better",
        Verdict::Worse => "label-verdict-worse",
        Verdict::Same => "label-verdict-same",
        Verdict::Undecided => "label-verdict-undecided",
    })
}

/// The quantity of a unit of the model; `None` for a unit without one.
pub(crate) fn quantity_of(unit: &str) -> Option<Quantity> {
    match unit {
        "operations/s" => Some(Quantity::OperationsPerSecond),
        "bytes/s" => Some(Quantity::Bandwidth),
        "ns" => Some(Quantity::Latency),
        "percent" => Some(Quantity::Percent),
        _ => None,
    }
}

/// A value with its unit, or an en dash if missing.
pub(crate) fn value_text(unit: &str, value: Option<f64>) -> String {
    match (value.filter(|value| value.is_finite()), quantity_of(unit)) {
        (None, _) => MISSING.into(),
        (Some(value), Some(quantity)) => quantity.text(value),
        (Some(value), None) => format!("{} {unit}", show_count(value)),
    }
}

/// The figure compared in a cell: `p99`, `read IOPS`.
pub(crate) fn figure_name(cell: &Cell) -> String {
    let name = compared_metric(&cell.metric).map_or(cell.metric.as_str(), |metric| metric.name);
    cell.kind
        .as_ref()
        .map_or_else(|| name.to_string(), |kind| format!("{kind} {name}"))
}

/// A ratio as percent with its sign: +0.8, −12.
fn signed_percent(ratio: f64, decimals: usize) -> String {
    let percent = (ratio - 1.0) * 100.0;
    let text = format!("{:.decimals$}", percent.abs());
    match text.trim_end_matches(['0', '.']).is_empty() {
        true => "0".into(),
        false => format!("{}{text}", if percent < 0.0 { '−' } else { '+' }),
    }
}

/// Decimals of the percentages of an effect, the same for change and interval: one if all are below ten, or if one would
/// be rounded to 0.
fn decimals(effect: &Effect) -> usize {
    let ends: Vec<f64> = finite(effect.interval)
        .map(|(low, high)| [low, high])
        .into_iter()
        .flatten()
        .chain(effect.ratio)
        .collect();
    let size = |ratio: &f64| (ratio - 1.0).abs();
    usize::from(
        ends.iter().all(|ratio| size(ratio) < 0.0995)
            || ends.iter().any(|ratio| size(ratio) < 0.005),
    )
}

fn finite(range: Option<(f64, f64)>) -> Option<(f64, f64)> {
    range.filter(|(low, high)| low.is_finite() && high.is_finite())
}

/// A ratio as a change, in plumb's common form: `−12 %`, beyond a factor of ten `134 times lower`.
pub(crate) fn ratio_text(ratio: f64, decimals: usize, words: Words) -> String {
    if !is_many_times(ratio) {
        return format!("{} %", signed_percent(ratio, decimals));
    }
    let factor = show_count(times_apart(ratio));
    words.sentence(&match ratio < 1.0 {
        true => Statement::new("times-lower").name("factor", factor),
        false => Statement::new("times-higher").name("factor", factor),
    })
}

/// The change of an effect; an en dash without a ratio.
pub(crate) fn change_text(effect: &Effect, words: Words) -> String {
    match effect.ratio.filter(|ratio| ratio.is_finite()) {
        None => MISSING.into(),
        Some(ratio) => ratio_text(ratio, decimals(effect), words),
    }
}

/// The interval of a change in the form of [`change_text`]: `−15 to −9 %`, `98 to 180 times lower`; an en dash if unknown.
pub(crate) fn interval_text(effect: &Effect, words: Words) -> String {
    let Some((low, high)) = finite(effect.interval) else {
        return MISSING.into();
    };
    let is_lower = |ratio: f64| ratio < 1.0;
    let (low, high) = match (is_many_times(low), is_many_times(high)) {
        (true, true) if is_lower(low) == is_lower(high) => {
            // Both ends are far on one side: the word is written once, and the smaller factor first.
            let (near, far) = match is_lower(low) {
                true => (high, low),
                false => (low, high),
            };
            (show_count(times_apart(near)), ratio_text(far, 0, words))
        }
        // Many times lower and many times higher: a percentage would say less.
        (true, true) => (ratio_text(low, 0, words), ratio_text(high, 0, words)),
        // One scale for both ends.
        _ => (
            signed_percent(low, decimals(effect)),
            format!("{} %", signed_percent(high, decimals(effect))),
        ),
    };
    words.sentence(
        &Statement::new("compared-interval")
            .name("low", low)
            .name("high", high),
    )
}

/// Rounds that would probably decide it: `about 14 more rounds a side`; `None` if decided or unknown.
pub(crate) fn more_rounds_text(effect: &Effect, words: Words) -> Option<String> {
    let rounds = effect
        .more_rounds
        .filter(|_| effect.verdict == Verdict::Undecided)?;
    Some(words.sentence(&Statement::new("compared-more-rounds").count("rounds", rounds.into())))
}

/// Why it is undecided; `None` if decided, or without a reason.
pub(crate) fn undecided_reason(effect: &Effect, words: Words) -> Option<String> {
    let undecided = effect.verdict == Verdict::Undecided;
    let reason = effect.reason.as_ref().filter(|_| undecided)?;
    Some(sentence(reason, words))
}

/// Additional rounds, then the reason: `about 14 more rounds a side; ...`; empty if decided.
pub(crate) fn undecided_text(effect: &Effect, words: Words) -> String {
    more_rounds_text(effect, words)
        .into_iter()
        .chain(undecided_reason(effect, words))
        .collect::<Vec<_>>()
        .join("; ")
}

/// A count with all digits.
pub(crate) fn whole(count: impl TryInto<i64>) -> String {
    group_thousands(count.try_into().unwrap_or(i64::MAX))
}

/// `A`, `B`, ... ; a question mark for a missing side.
pub(crate) fn letter(comparison: &Comparison, side: usize) -> &str {
    comparison
        .sides
        .get(side)
        .map_or("?", |side| side.letter.as_str())
}

/// Description of a side, after its letter and label: plan, date and target of a run, source of published figures.
pub(crate) fn side_facts(side: &Side, words: Words) -> Vec<String> {
    let when = Some(&side.started).filter(|started| !started.is_empty());
    match side.kind {
        SideKind::Run => {
            let plan = side
                .plan
                .as_ref()
                .map(|plan| words.sentence(&Statement::new("compared-plan").name("plan", plan)));
            let target = side.target.clone().filter(|target| *target != side.label);
            plan.into_iter()
                .chain(when.map(|started| date_text(started)))
                .chain(target)
                .collect()
        }
        SideKind::Reference => {
            let published = when.map_or_else(
                || words.label("label-compared-published"),
                |year| words.sentence(&Statement::new("compared-published-in").name("year", year)),
            );
            std::iter::once(published)
                .chain(side.source.clone())
                .collect()
        }
    }
}

/// The values of a difference, grouped by equal value: (letters, value). Sides without a value are included.
pub(crate) fn difference_values(
    comparison: &Comparison,
    difference: &Difference,
    words: Words,
) -> Vec<(String, String)> {
    let mut values: Vec<(String, String)> = Vec::new();
    for (side, fact) in difference.values.iter().enumerate() {
        let text = match fact
            .as_ref()
            .map(|fact| fact_text(&difference.what, fact, words))
        {
            None => words.label("label-compared-not-stated"),
            Some(Ok(value)) => with_micro_sign(&value),
            Some(Err(reason)) => {
                words.sentence(&Statement::new("compared-not-known").name("reason", reason))
            }
        };
        match values.iter_mut().find(|(_, value)| *value == text) {
            Some((letters, _)) => *letters += &format!(", {}", letter(comparison, side)),
            None => values.push((letter(comparison, side).to_string(), text)),
        }
    }
    values
}

/// Name of a difference: its meaning, or its id if it has none.
pub(crate) fn difference_name(difference: &Difference, words: Words) -> String {
    let fact = words.fact(&difference.what);
    let name = fact.unwrap_or_else(|| words.sentence(&difference.meaning));
    if name.is_empty() {
        difference.what.clone()
    } else {
        name
    }
}

/// The first few names, and the number of the others; empty without names.
pub(crate) fn some_names(names: &[String], words: Words) -> String {
    let named = names
        .iter()
        .take(STEPS_NAMED)
        .map(String::as_str)
        .collect::<Vec<_>>()
        .join(", ");
    match names.len().saturating_sub(STEPS_NAMED) {
        0 => named,
        rest => words.sentence(
            &Statement::new("compared-and-more")
                .name("names", named)
                .count("count", rest as u64),
        ),
    }
}

/// Refused steps, the letter of the side, and the reason.
pub(crate) type Refused<'c> = (Vec<String>, Option<&'c str>, &'c Statement);

/// Refused steps with one reason and one side together: (steps, side's letter, reason), in the given order.
pub(crate) fn refusals(comparison: &Comparison) -> Vec<Refused<'_>> {
    let mut out: Vec<Refused<'_>> = Vec::new();
    for refusal in &comparison.refused {
        let side = refusal.side.map(|side| letter(comparison, side as usize));
        match out
            .iter_mut()
            .find(|(_, other, reason)| *other == side && **reason == refusal.reason)
        {
            Some((steps, _, _)) => steps.push(refusal.step.clone()),
            None => out.push((vec![refusal.step.clone()], side, &refusal.reason)),
        }
    }
    out
}

/// Verdict counts of a side: `3 worse, 1 better, 12 same, 8 undecided`.
pub(crate) fn tally_text(tally: &Tally, words: Words) -> String {
    let (worse, better) = (u64::from(tally.worse), u64::from(tally.better));
    let (same, undecided) = (u64::from(tally.same), u64::from(tally.undecided));
    let counts = [
        (
            worse,
            Statement::new("compared-worse").count("count", worse),
        ),
        (
            better,
            Statement::new("compared-better").count("count", better),
        ),
        (same, Statement::new("compared-same").count("count", same)),
        (
            undecided,
            Statement::new("compared-undecided").count("count", undecided),
        ),
    ];
    let told = counts.iter().filter(|(count, _)| *count > 0);
    let texts: Vec<String> = told
        .map(|(_, statement)| words.sentence(statement))
        .collect();
    if texts.is_empty() {
        words.label("label-nothing-was-compared")
    } else {
        texts.join(", ")
    }
}

/// The overall verdict: worse if any is worse, else undecided, better or the same.
pub(crate) fn overall(comparison: &Comparison) -> Verdict {
    let sum = |count: fn(&Tally) -> u32| comparison.tallies.iter().map(count).sum::<u32>();
    if comparison.any_worse() {
        Verdict::Worse
    } else if sum(|tally| tally.better) > 0 {
        Verdict::Better
    } else if sum(|tally| tally.undecided) > 0 || sum(|tally| tally.same) == 0 {
        Verdict::Undecided
    } else {
        Verdict::Same
    }
}

/// Method of the comparison, in two sentences.
pub(crate) fn method_text(comparison: &Comparison, words: Words) -> [String; 2] {
    let method = &comparison.method;
    let confidence = show_count(method.confidence * 100.0);
    let (design, cover) = match method.design {
        Design::Independent => (
            "label-compared-independently",
            Statement::new("compared-cover").name("confidence", confidence),
        ),
        Design::Blocks => (
            "label-compared-in-blocks",
            Statement::new("compared-cover-of-blocks").name("confidence", confidence),
        ),
    };
    let tested = match method.tested {
        0 => Statement::new("label-compared-none-tested"),
        tested => Statement::new("compared-tested").count("count", tested.into()),
    };
    let intervals = Statement::new("compared-method")
        .part("cover", cover)
        .name("threshold", show_count(method.threshold * 100.0))
        .part("tested", tested);
    [words.label(design), words.sentence(&intervals)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn effect(ratio: Option<f64>, interval: Option<(f64, f64)>) -> Effect {
        Effect {
            side: 1,
            ratio,
            interval,
            p_value: None,
            adjusted_p_value: None,
            threshold_p_value: None,
            verdict: Verdict::Undecided,
            undecided: None,
            reason: None,
            more_rounds: None,
            widened: 1.0,
            resolution: 0.0,
            machine: None,
        }
    }

    #[test]
    fn changes_are_percent_up_to_a_factor_of_ten() {
        let check = |ratio: f64, interval: (f64, f64), change: &str, between: &str| {
            let effect = effect(Some(ratio), Some(interval));
            assert_eq!(
                (
                    change_text(&effect, Words::english()).as_str(),
                    interval_text(&effect, Words::english()).as_str()
                ),
                (change, between)
            );
        };
        check(0.88, (0.85, 0.91), "−12 %", "−15 to −9 %");
        check(1.008, (0.988, 1.029), "+0.8 %", "−1.2 to +2.9 %");
        check(1.0004, (0.9996, 1.1), "0 %", "0 to +10.0 %");
        check(1.11, (1.003, 1.23), "+11.0 %", "+0.3 to +23.0 %");
        check(3.1, (2.8, 3.4), "+210 %", "+180 to +240 %");
        check(0.48, (0.3, 0.55), "−52 %", "−70 to −45 %");
        check(1.5, (0.2, 11.0), "+50 %", "−80 to +1000 %");
        check(
            0.007_46,
            (0.005_5, 0.010_2),
            "134 times lower",
            "98 to 182 times lower",
        );
        check(
            12.0,
            (11.0, 13.0),
            "12 times higher",
            "11 to 13 times higher",
        );
    }

    #[test]
    fn what_is_not_known_is_a_dash() {
        for (ratio, interval) in [
            (None, None),
            (Some(f64::NAN), Some((f64::NAN, 1.0))),
            (None, Some((1.0, f64::INFINITY))),
        ] {
            let effect = effect(ratio, interval);
            assert_eq!(
                (
                    change_text(&effect, Words::english()).as_str(),
                    interval_text(&effect, Words::english()).as_str()
                ),
                (MISSING, MISSING)
            );
        }
        assert_eq!(value_text("ns", Some(f64::NAN)), MISSING);
        assert_eq!(value_text("apples", Some(3.0)), "3 apples");
    }
}
