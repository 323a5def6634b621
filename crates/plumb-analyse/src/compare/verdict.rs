//! What is the verdict of a comparison? Sentences for a reader without statistics, and their caveats.

use std::collections::BTreeMap;

use plumb_model::results::comparison::{
    Cell, Comparison, Design, Effect, SideKind, Tally, Undecided, Verdict, side_letter,
};
use plumb_model::results::summary::Sentence;
use plumb_model::statement::Statement;

use super::cells::against_published;
use super::more_rounds;
use super::published;
use crate::compare::cells::side_cells::{
    MOST_DIFFERENCES, cells_of, evidence, fewest_rounds, sentence,
};
use crate::compare::effects::LEAST_ROUNDS;
use crate::compare::failures::FailingSide;
use crate::compare::wording::{effect_in_words, percent_of};
use crate::phrases::{NAMED, clauses, named, none, optional, rests_on};

/// Further rounds from which on other means are named.
const MANY_ROUNDS: u32 = 30;
/// The verdict: what failed first, then side by side how it came out, the largest differences, and what would decide the rest. `again` has for each side
/// the command line that measures it with rounds enough.
pub(super) fn verdict(
    comparison: &Comparison,
    failures: &[FailingSide],
    again: &[Option<String>],
) -> Vec<Sentence> {
    let mut sentences = failing(failures);
    for table in &comparison.published {
        sentences.extend(published::sentences::sentences(table));
    }
    if comparison.cells.is_empty() {
        if comparison
            .published
            .iter()
            .any(|table| table.measured().next().is_some())
        {
            return sentences;
        }
        let refused = comparison.refused.len();
        let statement = Statement::new(match refused {
            0 => "nothing-could-be-compared",
            _ => "nothing-could-be-compared-but-refused",
        })
        .count("refused", refused as u64);
        sentences.push(sentence(
            statement,
            vec![rests_on(Statement::new("evidence-refused"), refused as u64)],
        ));
        return sentences;
    }
    for tally in &comparison.tallies {
        let side = tally.side as usize;
        let is_published = |index: usize| {
            comparison
                .sides
                .get(index)
                .is_some_and(|side| side.kind == SideKind::Reference)
        };
        if cells_of(comparison, side, |effect| {
            effect.undecided == Some(Undecided::SameRecord)
        })
        .next()
        .is_some()
        {
            let statement =
                Statement::new("compares-a-run-with-itself").name("side", side_letter(side));
            sentences.push(sentence(
                statement,
                vec![rests_on(
                    Statement::new("evidence-record"),
                    comparison.sides[side].id.as_str(),
                )],
            ));
        } else if is_published(0) != is_published(side) {
            // The article's table has said it.
        } else if is_published(side) {
            sentences.extend(against_published::sentences(comparison, side));
        } else {
            sentences.push(overall(comparison, tally, again));
            sentences.extend(differences(comparison, side));
            if tally.undecided > 0 && fewest_rounds(comparison, side).0 >= LEAST_ROUNDS {
                sentences.extend(what_would_decide(comparison, side));
            }
        }
    }
    sentences
}

/// Sides that fail where others do not.
fn failing(failures: &[FailingSide]) -> Vec<Sentence> {
    let mut by_side: BTreeMap<usize, Vec<&FailingSide>> = BTreeMap::new();
    for failing_side in failures {
        by_side
            .entry(failing_side.side)
            .or_default()
            .push(failing_side);
    }
    let of_side = |(side, failures): (usize, Vec<&FailingSide>)| {
        let steps: Vec<&str> = failures
            .iter()
            .map(|failing_side| failing_side.step.as_str())
            .collect();
        let first = failures
            .first()
            .map(|failing_side| failing_side.failures.statements());
        let statement = match steps.len() {
            1 => Statement::new("side-fails"),
            _ => Statement::new("side-fails-in-several-steps"),
        }
        .name("side", side_letter(side))
        .part("steps", named(&steps))
        .parts("failures", first.unwrap_or_default());
        let evidence = failures.iter().take(NAMED).flat_map(|failing_side| {
            let failures = failing_side.failures;
            [
                (
                    Statement::new("evidence-failed-operations"),
                    failures.failed,
                ),
                (
                    Statement::new("evidence-blocks-not-as-written"),
                    failures.mismatches,
                ),
                (
                    Statement::new("evidence-failed-rounds"),
                    u64::from(failures.rounds),
                ),
            ]
            .into_iter()
            .filter(|(_, count)| *count > 0)
            .map(|(what, count)| {
                let what = Statement::new("of-step")
                    .name("step", &failing_side.step)
                    .part("said", what);
                rests_on(what, count)
            })
        });
        sentence(statement, evidence.collect())
    };
    by_side.into_iter().map(of_side).collect()
}

/// `B is worse than A in 3 of 24 figures, better in 1, the same in 12; 8 are undecided.`
fn overall(comparison: &Comparison, tally: &Tally, again: &[Option<String>]) -> Sentence {
    let Tally {
        better,
        worse,
        same,
        undecided,
        ..
    } = *tally;
    let all = better + worse + same + undecided;
    let letter = || side_letter(tally.side as usize);
    let statement = if all == 0 {
        Statement::new("no-figure-in-common").name("side", letter())
    } else if undecided == all {
        undecided_throughout(comparison, tally.side as usize, all, again)
    } else if same == all {
        Statement::new("all-figures-are-the-same")
            .name("side", letter())
            .count("all", u64::from(all))
            .percent("threshold", percent_of(comparison.method.threshold))
    } else {
        counted(tally, all)
    };
    let evidence = [
        (Statement::new("evidence-better"), better),
        (Statement::new("evidence-worse"), worse),
        (Statement::new("evidence-same"), same),
        (Statement::new("evidence-undecided"), undecided),
    ];
    let evidence = evidence.map(|(what, count)| rests_on(what, u64::from(count)));
    sentence(statement, evidence.to_vec())
}

/// Worse first, then better, then the same; undecided last.
fn counted(tally: &Tally, all: u32) -> Statement {
    let counts = [tally.worse, tally.better, tally.same];
    let first = counts.iter().position(|count| *count > 0).unwrap_or(0);
    let one = |index: usize| {
        let count = counts.get(index).copied().unwrap_or(0);
        match (index, count == all && all > 1) {
            (0, true) => Statement::new("side-is-worse-in-all"),
            (1, true) => Statement::new("side-is-better-in-all"),
            (0, false) => Statement::new("side-is-worse-in"),
            (1, false) => Statement::new("side-is-better-in"),
            _ => Statement::new("side-is-the-same-in"),
        }
        .name("side", side_letter(tally.side as usize))
        .count("count", u64::from(count))
        .count("all", u64::from(all))
    };
    let further = |index: usize| {
        let count = counts.get(index).copied().filter(|_| index > first);
        let count = count.filter(|count| *count > 0)?;
        let statement = match index {
            1 => Statement::new("and-better-in"),
            _ => Statement::new("and-the-same-in"),
        }
        .count("count", u64::from(count));
        Some(statement)
    };
    let undecided = (tally.undecided > 0)
        .then(|| Statement::new("and-undecided").count("count", u64::from(tally.undecided)));
    Statement::new("side-came-out")
        .part("first", one(first))
        .part("better", optional(further(1)))
        .part("same", optional(further(2)))
        .part("undecided", optional(undecided))
}

/// Nothing is decided: because of too few rounds, or because of the scatter.
fn undecided_throughout(
    comparison: &Comparison,
    side: usize,
    all: u32,
    again: &[Option<String>],
) -> Statement {
    let (fewest, ours, theirs) = fewest_rounds(comparison, side);
    if fewest >= LEAST_ROUNDS {
        return Statement::new("nothing-is-decided")
            .name("side", side_letter(side))
            .count("all", u64::from(all));
    }
    let rounds = |rounds: usize| Statement::new("rounds-of-a-side").count("rounds", rounds as u64);
    Statement::new(match fewest < 2 {
        true => "no-verdict-of-one-round",
        false => "no-verdict-of-few-rounds",
    })
    .name("side", side_letter(side))
    .part("ours", rounds(ours))
    .part("theirs", rounds(theirs))
    .part("advice", more_rounds::advice(comparison, [0, side], again))
}

fn size(effect: &Effect) -> f64 {
    effect.ratio.map_or(0.0, |ratio| ratio.ln().abs())
}

/// The steps with the largest decided differences, worse before better: one sentence per step.
fn differences(comparison: &Comparison, side: usize) -> Vec<Sentence> {
    let shown = cells_of(comparison, side, |effect| {
        matches!(effect.verdict, Verdict::Better | Verdict::Worse)
    });
    let mut steps: BTreeMap<(Verdict, &str), Vec<(&Cell, &Effect)>> = BTreeMap::new();
    for (cell, effect) in shown {
        steps
            .entry((effect.verdict, cell.step.as_str()))
            .or_default()
            .push((cell, effect));
    }
    let largest = |cells: &[(&Cell, &Effect)]| {
        cells
            .iter()
            .map(|(_, effect)| size(effect))
            .fold(0.0, f64::max)
    };
    let mut steps: Vec<_> = steps.into_iter().collect();
    steps.sort_by(|a, b| {
        (a.0.0 == Verdict::Better)
            .cmp(&(b.0.0 == Verdict::Better))
            .then(largest(&b.1).total_cmp(&largest(&a.1)))
    });
    let all = steps.len();
    // Both are reported, whichever is larger.
    let worse = steps
        .iter()
        .filter(|((verdict, _), _)| *verdict == Verdict::Worse)
        .count();
    let least_better = (all - worse).min(MOST_DIFFERENCES / 2);
    let most_worse = worse.min(MOST_DIFFERENCES - least_better);
    let found = steps
        .iter()
        .take(most_worse)
        .chain(steps.iter().skip(worse).take(MOST_DIFFERENCES - most_worse));
    let mut sentences: Vec<Sentence> = found
        .map(|((verdict, step), cells)| {
            let effects = cells
                .iter()
                .filter_map(|(cell, effect)| effect_in_words(cell, effect));
            let statement = Statement::new(match verdict {
                Verdict::Better => "step-is-better",
                _ => "step-is-worse",
            })
            .name("step", *step)
            .name("side", side_letter(side))
            .part("effects", clauses(effects));
            let evidence = cells
                .iter()
                .flat_map(|(cell, effect)| evidence(cell, effect))
                .collect();
            sentence(statement, evidence)
        })
        .collect();
    let more = all.saturating_sub(sentences.len());
    if more > 0 {
        let statement = Statement::new("more-steps-differ").count("more", more as u64);
        sentences.push(sentence(
            statement,
            vec![rests_on(
                Statement::new("evidence-steps-that-differ"),
                all as u64,
            )],
        ));
    }
    sentences
}

/// `About 14 more rounds a side would decide 5 of the 8 undecided figures.`
fn what_would_decide(comparison: &Comparison, side: usize) -> Option<Sentence> {
    let undecided: Vec<&Effect> = cells_of(comparison, side, |effect| {
        effect.verdict == Verdict::Undecided
    })
    .map(|(_, effect)| effect)
    .collect();
    let mut known: Vec<u32> = undecided
        .iter()
        .filter_map(|effect| effect.more_rounds)
        .collect();
    known.sort_unstable();
    // The number that decides most of what can be decided, not the one figure that would take a thousand.
    let at = (known.len() * 3).div_ceil(4).checked_sub(1)?;
    let rounds = *known.get(at)?;
    let decided = known.iter().filter(|needed| **needed <= rounds).count();
    let all = undecided.len();
    let turns = match comparison.method.design {
        Design::Independent if rounds > MANY_ROUNDS => Statement::new("turns-may-take-fewer"),
        _ => none(),
    };
    let statement = match decided == all {
        true => Statement::new("more-rounds-decide-all"),
        false => Statement::new("more-rounds-decide-some"),
    }
    .count("rounds", u64::from(rounds))
    .count("decided", decided as u64)
    .count("all", all as u64)
    .part("turns", turns);
    Some(sentence(
        statement,
        vec![
            rests_on(Statement::new("evidence-more-rounds"), u64::from(rounds)),
            rests_on(Statement::new("evidence-undecided"), all as u64),
        ],
    ))
}
