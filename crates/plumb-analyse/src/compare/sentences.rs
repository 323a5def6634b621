//! What came out, in plain words? The verdict for a reader who knows nothing of statistics, and what must be kept in mind with it.

use std::collections::{BTreeMap, BTreeSet};

use plumb_model::comparison::{
    Cell, Comparison, Design, Effect, SideKind, Tally, Undecided, Verdict, compared_metric,
    side_letter,
};
use plumb_model::run::Run;
use plumb_model::summary::Sentence;
use plumb_model::units::show_time_ns;

use super::effects::{LEAST_ROUNDS, wording_percent};
use super::entrants::Entrant;
use super::machine::in_words;
use super::peculiarities::{Peculiarity, Trait};
use super::troubles::Trouble;
use super::wording::{effect_in_words, figure};
use crate::command_line::again;

/// Most sentences on differences of one side, and on published figures.
const MOST_DIFFERENCES: usize = 6;
/// Further rounds from which on other means are named.
const MANY_ROUNDS: u32 = 30;
/// Rounds that are asked for where there are too few.
const ENOUGH_ROUNDS: u32 = 6;
/// Steps that are named before the rest is counted.
const NAMED: usize = 3;

fn sentence(text: String, evidence: Vec<(String, String)>) -> Sentence {
    Sentence::verbatim(text, evidence)
}

/// The verdict: what failed first, then side by side how it came out, the largest differences, and what would decide the rest. `again` has for each side
/// the command line that measures it with rounds enough.
pub(super) fn verdict(
    comparison: &Comparison,
    troubles: &[Trouble],
    again: &[Option<String>],
) -> Vec<Sentence> {
    let mut sentences = failing(troubles);
    if comparison.cells.is_empty() {
        let text = match comparison.refused.len() {
            0 => "Nothing could be compared.".to_string(),
            1 => "Nothing could be compared: the one step or figure was refused, with its reason."
                .to_string(),
            refused => format!(
                "Nothing could be compared: {refused} steps or figures were refused, each with its reason."
            ),
        };
        sentences.push(sentence(
            text,
            vec![("refused".into(), comparison.refused.len().to_string())],
        ));
        return sentences;
    }
    for tally in &comparison.tallies {
        let side = tally.side as usize;
        let published = |index: usize| {
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
            let text = format!(
                "A and {} are the same record: this compares a run with itself, and shows nothing.",
                side_letter(side)
            );
            sentences.push(sentence(
                text,
                vec![("record".into(), comparison.sides[side].id.clone())],
            ));
        } else if published(0) || published(side) {
            sentences.extend(beside_published(comparison, side));
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
fn failing(troubles: &[Trouble]) -> Vec<Sentence> {
    let mut by_side: BTreeMap<usize, Vec<&Trouble>> = BTreeMap::new();
    for trouble in troubles {
        by_side.entry(trouble.side).or_default().push(trouble);
    }
    let of_side = |(side, troubles): (usize, Vec<&Trouble>)| {
        let steps: Vec<&str> = troubles
            .iter()
            .map(|trouble| trouble.step.as_str())
            .collect();
        let first = troubles
            .first()
            .map(|trouble| trouble.failures.in_words())
            .unwrap_or_default();
        let text = match steps.as_slice() {
            [only] => format!(
                "{} fails where others do not: in {only} {first}.",
                side_letter(side)
            ),
            _ => format!(
                "{} fails where others do not, in {}; in the first of them {first}.",
                side_letter(side),
                named(&steps)
            ),
        };
        let evidence = troubles
            .iter()
            .take(NAMED)
            .map(|trouble| (trouble.step.clone(), trouble.failures.in_words()));
        sentence(
            format!("{text} A side that fails is not faster."),
            evidence.collect(),
        )
    };
    by_side.into_iter().map(of_side).collect()
}

/// `B is worse than A in 3 of 24 figures, better in 1, the same in 12; 8 are undecided.`
fn overall(comparison: &Comparison, tally: &Tally, again: &[Option<String>]) -> Sentence {
    let letter = side_letter(tally.side as usize);
    let Tally {
        better,
        worse,
        same,
        undecided,
        ..
    } = *tally;
    let all = better + worse + same + undecided;
    let percent = wording_percent(comparison.method.threshold);
    let figures = |count: u32| {
        if count == 1 {
            "figure".to_string()
        } else {
            "figures".to_string()
        }
    };
    let text = if all == 0 {
        format!("{letter} and A have no figure in common.")
    } else if undecided == all {
        undecided_throughout(comparison, tally.side as usize, all, again)
    } else if same == all {
        format!(
            "{letter} is the same as A in {} within {percent}.",
            if all == 1 {
                "the one figure".into()
            } else {
                format!("all {all} figures")
            }
        )
    } else {
        let mut parts: Vec<String> = Vec::new();
        for (count, words) in [
            (worse, "worse than A"),
            (better, "better than A"),
            (same, "the same as A"),
        ] {
            let words = if parts.is_empty() {
                words
            } else {
                words.trim_end_matches(" than A").trim_end_matches(" as A")
            };
            match (count, parts.is_empty()) {
                (0, _) => {}
                (count, true) if count == all && all > 1 => {
                    parts.push(format!("{letter} is {words} in all {all} figures"))
                }
                (_, true) => parts.push(format!(
                    "{letter} is {words} in {count} of {all} {}",
                    figures(all)
                )),
                _ => parts.push(format!("{words} in {count}")),
            }
        }
        let rest = match undecided {
            0 => String::new(),
            1 => "; 1 is undecided".into(),
            many => format!("; {many} are undecided"),
        };
        format!("{}{rest}.", parts.join(", "))
    };
    let evidence = [
        ("better", better),
        ("worse", worse),
        ("same", same),
        ("undecided", undecided),
    ];
    sentence(
        text,
        evidence
            .map(|(what, count)| (what.to_string(), count.to_string()))
            .to_vec(),
    )
}

/// Nothing is decided: because of too few rounds, or because of the scatter.
fn undecided_throughout(
    comparison: &Comparison,
    side: usize,
    all: u32,
    again: &[Option<String>],
) -> String {
    let letter = side_letter(side);
    let (fewest, ours, theirs) = fewest_rounds(comparison, side);
    let figures = if all == 1 {
        "the one figure is".to_string()
    } else {
        format!("all {all} figures are")
    };
    if fewest < LEAST_ROUNDS {
        let why = if fewest < 2 {
            "one round tells nothing of the spread"
        } else {
            "chance may have sorted so few"
        };
        return format!(
            "No verdict can be given on {letter}: A has {}, {letter} has {}, and {why}. {}",
            rounds_in_words(ours),
            rounds_in_words(theirs),
            more_rounds(comparison, [0, side], again)
        );
    }
    format!("Nothing is decided between {letter} and A: {figures} undecided.")
}

/// How these two sides come to rounds enough: those of plumb by running again, those of another program by taking in several of its results.
fn more_rounds(comparison: &Comparison, sides: [usize; 2], again: &[Option<String>]) -> String {
    let program = |side: usize| {
        comparison
            .sides
            .get(side)
            .and_then(|side| side.program.as_deref())
    };
    let line = |side: usize| again.get(side).and_then(Option::as_deref);
    let imported = |what: &str, program: &str, whose: &str| {
        format!(
            "Let {program} measure {what} at least {ENOUGH_ROUNDS} times, and take {whose} results in as rounds of one run (plumb import --rounds FILES)."
        )
    };
    let each = |side: usize| {
        let letter = side_letter(side);
        match (program(side), line(side)) {
            (Some(program), _) => imported(&letter, program, "its"),
            (None, Some(line)) => {
                format!("Measure {letter} with {ENOUGH_ROUNDS} rounds: `{line}`.")
            }
            (None, None) => format!("Measure {letter} with at least {ENOUGH_ROUNDS} rounds."),
        }
    };
    match (sides.map(program), sides.map(line)) {
        ([Some(one), Some(other)], _) if one == other => imported("both", one, "each one's"),
        ([None, None], [Some(one), Some(other)]) if one == other => {
            format!("Measure both with {ENOUGH_ROUNDS} rounds: `{one}`.")
        }
        _ => sides.map(each).join(" "),
    }
}

/// For each side the command line that measures it again with rounds enough.
pub(super) fn again_with_enough_rounds(entrants: &[Entrant]) -> Vec<Option<String>> {
    entrants
        .iter()
        .map(|entrant| again(entrant.run()?, &[("rounds", ENOUGH_ROUNDS.to_string())]))
        .collect()
}

/// Most rounds that any cell has on the side that has fewer, on the baseline, and on the other side.
fn fewest_rounds(comparison: &Comparison, side: usize) -> (usize, usize, usize) {
    let rounds = |index: usize| {
        let count = |cell: &Cell| {
            cell.sides
                .get(index)
                .map_or(0, |side| side.rounds.iter().flatten().count())
        };
        comparison.cells.iter().map(count).max().unwrap_or(0)
    };
    let (ours, theirs) = (rounds(0), rounds(side));
    (ours.min(theirs), ours, theirs)
}

fn rounds_in_words(rounds: usize) -> String {
    match rounds {
        1 => "one round".into(),
        many => format!("{many} rounds"),
    }
}

/// Cells of one side with these verdicts.
fn cells_of<'c>(
    comparison: &'c Comparison,
    side: usize,
    wanted: impl Fn(&Effect) -> bool + 'c,
) -> impl Iterator<Item = (&'c Cell, &'c Effect)> {
    let of_side = move |cell: &'c Cell| {
        Some((
            cell,
            cell.effects
                .iter()
                .find(|effect| effect.side as usize == side)?,
        ))
    };
    comparison
        .cells
        .iter()
        .filter_map(of_side)
        .filter(move |(_, effect)| wanted(effect))
}

fn size(effect: &Effect) -> f64 {
    effect.ratio.map_or(0.0, |ratio| ratio.ln().abs())
}

/// The steps with the largest differences that are shown, what is worse before what is better: one sentence for each step.
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
    // Both are to be heard of, whichever is larger.
    let worse = steps
        .iter()
        .filter(|((verdict, _), _)| *verdict == Verdict::Worse)
        .count();
    let least_better = (all - worse).min(MOST_DIFFERENCES / 2);
    let most_worse = worse.min(MOST_DIFFERENCES - least_better);
    let told = steps
        .iter()
        .take(most_worse)
        .chain(steps.iter().skip(worse).take(MOST_DIFFERENCES - most_worse));
    let mut sentences: Vec<Sentence> = told
        .map(|((verdict, step), cells)| {
            let words: Vec<String> = cells
                .iter()
                .filter_map(|(cell, effect)| effect_in_words(cell, effect))
                .collect();
            let evidence = cells
                .iter()
                .flat_map(|(cell, effect)| evidence(cell, effect))
                .collect();
            sentence(
                format!(
                    "{step}: {} is {verdict}: {}.",
                    side_letter(side),
                    joined(&words)
                ),
                evidence,
            )
        })
        .collect();
    let more = all.saturating_sub(sentences.len());
    if more > 0 {
        let text = if more == 1 {
            "1 more step differs: see the table.".into()
        } else {
            format!("{more} more steps differ: see the table.")
        };
        sentences.push(sentence(
            text,
            vec![("steps that differ".into(), all.to_string())],
        ));
    }
    sentences
}

/// Parts of a sentence that begin with a verb or with their own subject: `it completes ...; its median response time is ...`.
fn joined(parts: &[String]) -> String {
    let with_subject = |part: &String| {
        if part.starts_with("its ") || part.starts_with("the ") {
            part.clone()
        } else {
            format!("it {part}")
        }
    };
    parts
        .iter()
        .map(with_subject)
        .collect::<Vec<_>>()
        .join("; ")
}

/// Both values, the ratio and the adjusted p-value.
fn evidence(cell: &Cell, effect: &Effect) -> Vec<(String, String)> {
    let Some(metric) = compared_metric(&cell.metric) else {
        return Vec::new();
    };
    let kind = cell
        .kind
        .as_ref()
        .map_or(String::new(), |kind| format!("{kind}, "));
    let of = |index: usize| {
        Some((
            side_letter(index),
            format!("{kind}{}", figure(metric, cell.sides.get(index)?.value?)),
        ))
    };
    let ratio = effect
        .ratio
        .map(|ratio| ("ratio".to_string(), format!("{ratio:.3}")));
    let interval = effect
        .interval
        .map(|(low, high)| ("interval".to_string(), format!("{low:.3} to {high:.3}")));
    let p = effect
        .adjusted_p_value
        .map(|p| ("adjusted p-value".to_string(), format!("{p:.2e}")));
    [of(0), of(effect.side as usize), ratio, interval, p]
        .into_iter()
        .flatten()
        .collect()
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
    let what = match (decided, undecided.len()) {
        (1, 1) => "the undecided figure".to_string(),
        (decided, all) if decided == all => format!("all {all} undecided figures"),
        (decided, all) => format!("{decided} of the {all} undecided figures"),
    };
    let noun = if rounds == 1 { "round" } else { "rounds" };
    let turns = match comparison.method.design {
        Design::Independent if rounds > MANY_ROUNDS => {
            " Measuring in turns (`plumb compare --live`) or longer rounds may do it with fewer."
        }
        _ => "",
    };
    let text = format!("About {rounds} more {noun} a side would probably decide {what}.{turns}");
    Some(sentence(
        text,
        vec![
            ("more rounds".into(), rounds.to_string()),
            ("undecided".into(), undecided.len().to_string()),
        ],
    ))
}

/// Published figures beside measured ones, or beside other published ones: no verdict, but where they stand.
fn beside_published(comparison: &Comparison, side: usize) -> Vec<Sentence> {
    let (a, b) = (side_letter(0), side_letter(side));
    let label = |index: usize| {
        comparison
            .sides
            .get(index)
            .map_or("", |side| side.label.as_str())
    };
    let mut rows: Vec<_> = cells_of(comparison, side, |effect| effect.ratio.is_some()).collect();
    if rows.is_empty() {
        return vec![sentence(
            format!("{b} and A have no figure in common."),
            Vec::new(),
        )];
    }
    let count = rows.len();
    let mut sentences = vec![sentence(
        format!(
            "{} and {} have {count} {} in common. A published figure is one round of another set-up: no verdict, only where it stands.",
            label(0),
            label(side),
            if count == 1 { "figure" } else { "figures" }
        ),
        vec![("figures in common".into(), count.to_string())],
    )];
    rows.truncate(MOST_DIFFERENCES);
    for (cell, effect) in rows {
        let (Some(metric), Some(ratio)) = (compared_metric(&cell.metric), effect.ratio) else {
            continue;
        };
        let of = |index: usize| {
            cell.sides
                .get(index)
                .and_then(|side| side.value)
                .map(|value| figure(metric, value))
        };
        let (Some(first), Some(second)) = (of(0), of(side)) else {
            continue;
        };
        let published = |index: usize| {
            let kind = comparison.sides.get(index).map(|side| side.kind);
            if kind == Some(SideKind::Reference) {
                " (published)"
            } else {
                ""
            }
        };
        let times = if (0.995..1.005).contains(&ratio) {
            "equal".to_string()
        } else {
            format!("{b} is {ratio:.2} times {a}")
        };
        let text = format!(
            "{}: {first} on {a}{}, {second} on {b}{}: {times}.",
            cell.step,
            published(0),
            published(side)
        );
        sentences.push(sentence(text, evidence(cell, effect)));
    }
    if count > MOST_DIFFERENCES {
        sentences.push(sentence(
            format!("{} more are in the table.", count - MOST_DIFFERENCES),
            vec![("figures in common".into(), count.to_string())],
        ));
    }
    sentences
}

/// What a reader of the whole should know.
pub(super) fn remarks(
    entrants: &[Entrant],
    comparison: &Comparison,
    troubles: &[Trouble],
    peculiarities: &[Peculiarity],
) -> Vec<String> {
    let mut remarks: Vec<String> = Vec::new();
    for trouble in troubles.iter().take(NAMED) {
        remarks.push(format!(
            "{} in {}: {}.",
            side_letter(trouble.side),
            trouble.step,
            trouble.failures.in_words()
        ));
    }
    if troubles.len() > NAMED {
        remarks.push(format!(
            "{} more steps have failures on one side only.",
            troubles.len() - NAMED
        ));
    }
    remarks.extend(same_record(entrants));
    if comparison.method.design == Design::Independent && !comparison.cells.is_empty() {
        remarks.extend(different_times(entrants));
    }
    remarks.extend((1..comparison.sides.len()).filter_map(|side| machine_of(comparison, side)));
    remarks.extend(gathered(peculiarities));
    remarks
}

/// What the machine took from one side or the other, and by how much that widens the intervals.
fn machine_of(comparison: &Comparison, side: usize) -> Option<String> {
    let evidence: Vec<_> = comparison
        .machine
        .iter()
        .filter(|held| held.side as usize == side)
        .cloned()
        .collect();
    let steps: Vec<&str> = evidence
        .iter()
        .max_by_key(|held| held.steps.len())?
        .steps
        .iter()
        .map(String::as_str)
        .collect();
    let widest = cells_of(comparison, side, |_| true)
        .filter_map(|(_, effect)| effect.machine)
        .map(|(below, above)| below.max(above));
    let letter = side_letter(side);
    let by = match widest.fold(0.0, f64::max) {
        many if many >= 1.0 => "by more than their half".to_string(),
        part => format!(
            "by up to {}",
            wording_percent((100.0 * part).round() / 100.0)
        ),
    };
    Some(format!(
        "The machine was not the same, or not free, while A and {letter} were measured, in {}: {}. Intervals of {letter} against A are widened {by}, as that may be all of the \
         difference. `plumb compare --live` measures both on the same machine.",
        named(&steps),
        in_words(&evidence, "A", &letter)
    ))
}

/// Runs by themselves were measured at different times.
fn different_times(entrants: &[Entrant]) -> Option<String> {
    let mut runs: Vec<(usize, &Run)> = entrants
        .iter()
        .enumerate()
        .filter_map(|(side, entrant)| Some((side, entrant.run()?)))
        .collect();
    runs.sort_by_key(|(_, run)| run.header.started_unix_ns);
    let ((first, earliest), (last, latest)) = (runs.first()?, runs.last()?);
    if runs.len() < 2 {
        return None;
    }
    let apart = latest
        .header
        .started_unix_ns
        .saturating_sub(earliest.header.started_unix_ns);
    let began = match apart / 1_000_000_000 {
        // An imported run need not say when it began.
        _ if earliest.header.started_unix_ns == 0 => String::new(),
        0 => String::new(),
        _ => format!(
            ", {} {} after {}",
            side_letter(*last),
            time_apart(apart),
            side_letter(*first)
        ),
    };
    Some(format!(
        "The sides were measured each by itself{began}: whatever changed between them is part of their difference. `plumb compare --live` measures them in turns."
    ))
}

/// A record beside itself proves nothing.
fn same_record(entrants: &[Entrant]) -> Option<String> {
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    for (side, run) in entrants
        .iter()
        .enumerate()
        .filter_map(|(side, entrant)| Some((side, entrant.run()?)))
    {
        if let Some(first) = seen.insert(&run.header.id, side) {
            return Some(format!(
                "{} and {} are the same record: this compares it with itself.",
                side_letter(first),
                side_letter(side)
            ));
        }
    }
    None
}

fn time_apart(ns: u64) -> String {
    let hours = ns / 3_600_000_000_000;
    match hours {
        0 => show_time_ns((ns / 1_000_000_000 * 1_000_000_000) as f64),
        1..48 => format!("{hours} h"),
        _ => format!("{} days", hours / 24),
    }
}

/// Peculiarities of one kind and side in one sentence.
fn gathered(peculiarities: &[Peculiarity]) -> Vec<String> {
    let mut groups: Vec<(Option<usize>, &Trait, Vec<&str>)> = Vec::new();
    let mut places: BTreeMap<(Option<usize>, String), usize> = BTreeMap::new();
    let mut told: BTreeSet<(usize, &str)> = BTreeSet::new();
    for peculiarity in peculiarities {
        let place = *places
            .entry((peculiarity.side, peculiarity.kind.group()))
            .or_insert_with(|| {
                groups.push((peculiarity.side, &peculiarity.kind, Vec::new()));
                groups.len() - 1
            });
        // Steps are named one by one among thousands: what was named is looked up, not searched for.
        if let Some((.., steps)) = groups
            .get_mut(place)
            .filter(|_| told.insert((place, peculiarity.step.as_str())))
        {
            steps.push(&peculiarity.step);
        }
    }
    groups
        .into_iter()
        .map(|(side, kind, steps)| kind.gathered(side.map(side_letter).as_deref(), &named(&steps)))
        .collect()
}

/// `x`, `x and y`, `x, y, z and 12 more`.
pub(super) fn named(steps: &[&str]) -> String {
    match steps {
        [] => String::new(),
        [only] => only.to_string(),
        [rest @ .., last] if steps.len() <= NAMED => format!("{} and {last}", rest.join(", ")),
        _ => format!(
            "{} and {} more",
            steps[..NAMED].join(", "),
            steps.len() - NAMED
        ),
    }
}
