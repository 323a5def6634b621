//! Which steps of two sides match? Those of one name, else those of one group at the same position of its sweep, else those of equal work;
//! others are refused.

pub(super) mod other_code;
pub(crate) mod work;

use std::collections::{BTreeMap, BTreeSet};

use plumb_model::plan::Step;
use plumb_model::results::comparison::{Difference, Refusal, compared_metric, side_letter};
use plumb_model::results::reference::{PublishedFigure, Reference};
use plumb_model::statement::{Argument, Statement};

use crate::compare::entrants::{Entrant, Settings};
use crate::compare::figures::Measured;
use crate::compare::matching::work::{Differing, Gathered, Work, plainly_equal};
use crate::compare::published::assignment::{Matched, assignment};
use crate::phrases::{clauses, phrase};

/// One row: matching steps of the runs, and figures of the references.
#[derive(Clone)]
pub(super) struct StepRow<'a> {
    /// Name on the baseline's side.
    pub name: String,
    pub group: String,
    pub swept: BTreeMap<String, String>,
    /// Index of the step in the plan of each side; missing for references and for runs without it.
    pub steps: Vec<Option<usize>>,
    /// Published figures of each side; empty for runs.
    pub figures: Vec<Vec<&'a PublishedFigure>>,
}

impl StepRow<'_> {
    /// True when two sides at least have something here.
    pub fn is_comparison(&self) -> bool {
        self.steps
            .iter()
            .zip(&self.figures)
            .filter(|(step, figures)| step.is_some() || !figures.is_empty())
            .count()
            > 1
    }
}

/// What is compared and what is not.
pub(super) struct Matching<'a> {
    pub rows: Vec<StepRow<'a>>,
    pub work: Vec<Difference>,
    pub refused: Vec<Refusal>,
}

pub(super) fn matching<'a>(
    entrants: &[Entrant<'a>],
    measured: &[Option<Measured<'a>>],
    settings: &Settings,
) -> Matching<'a> {
    let (rows, mut refused) = rows(entrants, measured, settings);
    refused.extend(figures_left(entrants, &rows));
    let work = differences(measured, &rows);
    Matching {
        rows,
        work,
        refused,
    }
}

/// Matched rows, and the steps of runs that do not match.
pub(super) fn rows<'a>(
    entrants: &[Entrant<'a>],
    measured: &[Option<Measured<'a>>],
    settings: &Settings,
) -> (Vec<StepRow<'a>>, Vec<Refusal>) {
    let (mut rows, refused) = match (entrants.first(), measured.first()) {
        (Some(Entrant::Run { .. }), Some(Some(baseline))) => {
            against_run(baseline, entrants, measured, settings)
        }
        (Some(Entrant::Reference(baseline)), _) => {
            (against_reference(baseline, entrants, measured), Vec::new())
        }
        _ => (Vec::new(), Vec::new()),
    };
    rows.retain(StepRow::is_comparison);
    (rows, refused)
}

/// Rows for the steps of a run.
fn against_run<'a>(
    baseline: &Measured<'a>,
    entrants: &[Entrant<'a>],
    measured: &[Option<Measured<'a>>],
    settings: &Settings,
) -> (Vec<StepRow<'a>>, Vec<Refusal>) {
    let steps = &baseline.run.header.plan.steps;
    let mut refused = Vec::new();
    let mut matched: Vec<Vec<Option<usize>>> = vec![(0..steps.len()).map(Some).collect()];
    for (side, other) in measured.iter().enumerate().skip(1) {
        matched.push(match other {
            Some(other) => match_run(baseline, other, side, settings, &mut refused),
            None => vec![None; steps.len()],
        });
    }
    let matched_figures: Vec<Vec<Matched>> = entrants
        .iter()
        .map(|entrant| {
            let reference = entrant.reference();
            reference.map_or_else(Vec::new, |reference| assignment(reference, baseline))
        })
        .collect();
    let row = |(index, step): (usize, &'a Step)| {
        let of_reference = |(entrant, matched_figures): (&Entrant<'a>, &Vec<Matched>)| {
            let figures = entrant
                .reference()
                .into_iter()
                .flat_map(|held| &held.figures);
            figures
                .zip(matched_figures)
                .filter(|(_, place)| matches!(place, Matched::Step { step, .. } if *step == index))
                .map(|(figure, _)| figure)
                .collect()
        };
        StepRow {
            name: step.name.clone(),
            group: step.group.clone(),
            swept: step.swept.clone(),
            steps: matched
                .iter()
                .map(|side| side.get(index).copied().flatten())
                .collect(),
            figures: entrants
                .iter()
                .zip(&matched_figures)
                .map(of_reference)
                .collect(),
        }
    };
    (steps.iter().enumerate().map(row).collect(), refused)
}

/// For each step of the baseline the step of `other` that belongs to it.
fn match_run(
    baseline: &Measured,
    other: &Measured,
    side: usize,
    settings: &Settings,
    refused: &mut Vec<Refusal>,
) -> Vec<Option<usize>> {
    let (ours, theirs) = (
        &baseline.run.header.plan.steps,
        &other.run.header.plan.steps,
    );
    let names: BTreeMap<&str, usize> = theirs
        .iter()
        .enumerate()
        .map(|(index, step)| (step.name.as_str(), index))
        .collect();
    let mut found: Vec<Option<usize>> = ours
        .iter()
        .map(|step| names.get(step.name.as_str()).copied())
        .collect();
    match_by_group(baseline, other, &mut found);
    match_by_work(baseline, other, &mut found);
    let taken: BTreeSet<usize> = found.iter().flatten().copied().collect();
    for ((index, their), step) in found.iter_mut().enumerate().zip(ours) {
        let (reason, of) = match their {
            None => (
                Statement::new("side-has-no-such-step").name("side", side_letter(side)),
                0,
            ),
            Some(_) if settings.any_work => continue,
            Some(at) if plainly_equal((baseline, index), (other, *at)) => continue,
            Some(at) => match Work::of(baseline, index).differing(&Work::of(other, *at)) {
                differing if differing.is_empty() => continue,
                differing => (
                    Statement::new("not-the-same-work")
                        .part("differences", work_differences(&differing, side)),
                    side as u32,
                ),
            },
        };
        *their = None;
        refused.push(Refusal {
            step: step.name.clone(),
            side: Some(of),
            reason,
        });
    }
    let only = theirs
        .iter()
        .enumerate()
        .filter(|(index, _)| !taken.contains(index));
    refused.extend(only.map(|(_, step)| Refusal {
        step: step.name.clone(),
        side: Some(side as u32),
        reason: Statement::new("side-has-no-such-step").name("side", side_letter(0)),
    }));
    found
}

/// A value that is swept on one side and fixed on the other is in the name of the step only there: `write size=16m` and `write` with `--set size=16m` are one
/// test. They belong together where the swept keys of both have equal values, if that is so for one step on each side.
fn match_by_group(baseline: &Measured, other: &Measured, found: &mut [Option<usize>]) {
    let taken: BTreeSet<usize> = found.iter().flatten().copied().collect();
    let free = (0..found.len()).filter(|index| found.get(*index).is_some_and(Option::is_none));
    let ours: Vec<_> = free
        .filter_map(|index| Some((index, baseline.step(index)?, Work::of(baseline, index))))
        .collect();
    let free = (0..other.run.header.plan.steps.len()).filter(|index| !taken.contains(index));
    let theirs: Vec<_> = free
        .filter_map(|index| Some((index, other.step(index)?, Work::of(other, index))))
        .collect();
    let mut pairs = Vec::new();
    for (our, our_step, our_work) in &ours {
        for (their, their_step, their_work) in theirs
            .iter()
            .filter(|(_, step, _)| step.group == our_step.group)
        {
            let mut swept = our_step
                .swept
                .keys()
                .chain(their_step.swept.keys())
                .peekable();
            if swept.peek().is_some()
                && swept.all(|key| {
                    our_work.requested(key).is_some()
                        && our_work.requested(key) == their_work.requested(key)
                })
            {
                pairs.push((*our, *their));
            }
        }
    }
    for (our, their) in &pairs {
        let alone = pairs.iter().filter(|(a, b)| a == our || b == their).count() == 1;
        if let (true, Some(position)) = (alone, found.get_mut(*our)) {
            *position = Some(*their);
        }
    }
}

/// Steps without a match by name match by equal work, if it is unique on both sides.
fn match_by_work(baseline: &Measured, other: &Measured, found: &mut [Option<usize>]) {
    let is_partial = [baseline, other].iter().any(|side| {
        side.run
            .header
            .imported
            .as_ref()
            .is_some_and(|from| !from.names_all_options)
    });
    let taken: BTreeSet<usize> = found.iter().flatten().copied().collect();
    let mut by_work: BTreeMap<String, [Vec<(usize, Work)>; 2]> = BTreeMap::new();
    for index in (0..found.len()).filter(|index| found.get(*index).is_some_and(Option::is_none)) {
        let work = Work::of(baseline, index);
        by_work.entry(work.signature(is_partial)).or_default()[0].push((index, work));
    }
    for index in (0..other.run.header.plan.steps.len()).filter(|index| !taken.contains(index)) {
        let work = Work::of(other, index);
        by_work.entry(work.signature(is_partial)).or_default()[1].push((index, work));
    }
    for [ours, theirs] in by_work.values() {
        if let ([(our, our_work)], [(their, their_work)]) = (ours.as_slice(), theirs.as_slice())
            && our_work.differing(their_work).is_empty()
            && let Some(position) = found.get_mut(*our)
        {
            *position = Some(*their);
        }
    }
}

/// `depth is 32 on A and 1 on B`.
fn work_differences(differing: &[Differing], side: usize) -> Statement {
    let value = |value: &Option<String>| match value {
        Some(value) => Argument::Name(value.clone()),
        None => phrase(Statement::new("not-set")),
    };
    clauses(differing.iter().map(|(key, a, b)| {
        Statement::new("key-differs")
            .name("key", key)
            .with("on-a", value(a))
            .with("on-b", value(b))
            .name("side", side_letter(side))
    }))
}

/// Rows for the figures of a reference that is the baseline: the step of each run beside which a figure stands, the figures of this name in others.
fn against_reference<'a>(
    baseline: &'a Reference,
    entrants: &[Entrant<'a>],
    measured: &[Option<Measured<'a>>],
) -> Vec<StepRow<'a>> {
    let matched_figures: Vec<Vec<Matched>> = measured
        .iter()
        .map(|held| {
            held.as_ref()
                .map_or_else(Vec::new, |held| assignment(baseline, held))
        })
        .collect();
    let mut rows = Vec::new();
    for (index, figure) in baseline.figures.iter().enumerate() {
        if !is_comparable(figure) {
            continue;
        }
        let figures: Vec<Vec<&PublishedFigure>> = entrants
            .iter()
            .map(|entrant| match entrant.reference() {
                Some(reference) => comparable(reference)
                    .filter(|other| other.name == figure.name)
                    .collect(),
                None => Vec::new(),
            })
            .collect();
        let steps: Vec<Option<usize>> = matched_figures
            .iter()
            .map(|matched_figures| match matched_figures.get(index) {
                Some(Matched::Step { step, .. }) => Some(*step),
                _ => None,
            })
            .collect();
        let first = steps
            .iter()
            .zip(measured)
            .find_map(|(step, measured)| measured.as_ref()?.step((*step)?));
        rows.push(StepRow {
            name: figure.name.clone(),
            group: first.map_or_else(|| figure.name.clone(), |step| step.group.clone()),
            swept: first.map(|step| step.swept.clone()).unwrap_or_default(),
            steps,
            figures,
        });
    }
    rows
}

/// Figures that can be compared.
fn comparable(reference: &Reference) -> impl Iterator<Item = &PublishedFigure> {
    reference
        .figures
        .iter()
        .filter(|figure| is_comparable(figure))
}

/// With a metric and a value.
fn is_comparable(figure: &PublishedFigure) -> bool {
    figure.value.is_some()
        && figure
            .metric
            .as_deref()
            .is_some_and(|id| compared_metric(id).is_some())
}

/// Published figures that no other publication has, each with the reason. Where there is a run, the article's table says why a row is not measured.
fn figures_left(entrants: &[Entrant], rows: &[StepRow]) -> Vec<Refusal> {
    let shown: BTreeSet<(usize, &str)> = rows
        .iter()
        .flat_map(|row| row.figures.iter().enumerate())
        .flat_map(|(side, figures)| {
            figures
                .iter()
                .map(move |figure| (side, figure.name.as_str()))
        })
        .collect();
    if entrants.iter().any(|entrant| entrant.run().is_some()) {
        return Vec::new();
    }
    let mut refused = Vec::new();
    for (side, entrant) in entrants.iter().enumerate() {
        let figures = entrant
            .reference()
            .map(|reference| reference.figures.as_slice())
            .unwrap_or_default();
        for figure in figures
            .iter()
            .filter(|figure| !shown.contains(&(side, figure.name.as_str())))
        {
            let reason = match (&figure.value, &figure.metric) {
                (None, _) => Statement::new("publication-has-no-value"),
                (_, None) => Statement::new("no-such-figure-is-compared"),
                _ => Statement::new("others-have-no-such-figure"),
            };
            refused.push(Refusal {
                step: figure.name.clone(),
                side: Some(side as u32),
                reason,
            });
        }
    }
    refused
}

/// Keys in which matched steps differ: how they ran, and, if different work was allowed, what was done.
fn differences(measured: &[Option<Measured>], rows: &[StepRow]) -> Vec<Difference> {
    let mut gathered = Gathered::default();
    let mut compared = 0;
    for row in rows {
        let positions: Vec<Option<(&Measured, usize)>> = row
            .steps
            .iter()
            .zip(measured)
            .map(|(step, measured)| Some((measured.as_ref()?, (*step)?)))
            .collect();
        let known: Vec<(&Measured, usize)> = positions.iter().flatten().copied().collect();
        let [first, others @ ..] = known.as_slice() else {
            continue;
        };
        compared += usize::from(!others.is_empty());
        if others.iter().all(|other| plainly_equal(*first, *other)) {
            continue;
        }
        let works: Vec<Option<Work>> = positions
            .iter()
            .map(|index| index.map(|(measured, step)| Work::of(measured, step)))
            .collect();
        let mut each = works.iter().flatten();
        let Some(first) = each.next() else { continue };
        let mut keys: Vec<String> = Vec::new();
        for other in each {
            for (key, ..) in first
                .differing(other)
                .into_iter()
                .chain(first.differing_how(other))
            {
                if !keys.contains(&key) {
                    keys.push(key);
                }
            }
        }
        for key in keys {
            let values = works
                .iter()
                .map(|work| work.as_ref()?.value(&key))
                .collect();
            gathered.add(key, values, &row.name);
        }
    }
    gathered.finish(compared)
}
