//! Is B better than A, worse, the same, or undecided? Steps matched by their work, rounds as samples, one verdict per figure.
//!
//! The method, its sources and the alternatives are in docs/decisions/0006-comparison.md.

pub(crate) mod cells;
mod conditions;
pub(crate) mod effects;
mod entrants;
mod environment;
pub(crate) mod failures;
pub(crate) mod figures;
mod machine;
pub(crate) mod matching;
mod more_rounds;
mod percentiles;
pub mod published;
pub mod recordings;
mod remarks;
mod verdict;
mod wording;

use plumb_model::results::comparison::{
    COMPARISON_SCHEMA, CellSide, Comparison, Design, Method, Side, SideKind, Tally, Undecided,
    Verdict, side_letter,
};
use plumb_model::results::published::PublishedTable;
use plumb_model::results::reference::{REFERENCE_PREFIX, Reference};
use plumb_model::statement::Statement;

use crate::compare::cells::Table;
use crate::compare::figures::Measured;
use crate::compare::matching::other_code::Differences;
use crate::compare::published::table;

pub(crate) use crate::compare::effects::Column;
pub use crate::compare::entrants::{Entrant, Settings};
pub use crate::compare::percentiles::comparison_plots;
pub use crate::compare::published::table::published_tables;

/// Compares each entrant with the first. Never fails: what cannot be compared is listed in [`Comparison::refused`] with the reason.
pub fn compare(entrants: &[Entrant], settings: &Settings) -> Comparison {
    let measured: Vec<Option<Measured>> = entrants
        .iter()
        .map(|entrant| entrant.run().map(Measured::of))
        .collect();
    let sides = sides(entrants, &measured);
    let design = design(entrants);
    let mut matching = matching::matching(entrants, &measured, settings);
    let environment = environment::differences(entrants);
    let differences = Differences {
        environment: &environment,
        work: &matching.work,
    };
    let found = cells::table(&measured, &matching.rows, settings, (design, &differences));
    let Table {
        mut cells,
        mut pending,
        failing,
        anomalies,
        refused,
        machine,
    } = found;
    for (effect, held) in cells
        .iter()
        .zip(&mut pending)
        .flat_map(|(cell, pending)| cell.effects.iter().zip(pending))
    {
        let side = effect.side as usize;
        if is_same_record(entrants.first(), entrants.get(side)) {
            held.refuse(
                Undecided::SameRecord,
                Statement::new("sides-are-the-same-record")
                    .name("a", side_letter(0))
                    .name("b", side_letter(side)),
            );
        }
    }
    matching.refused.extend(refused);
    let tested = effects::decide(&mut cells, &pending, settings);
    let tallies = tallies(&cells, sides.len());
    let conditions = settings
        .conditions
        .iter()
        .map(|condition| conditions::outcome(condition, (&cells, &pending), &sides, settings))
        .collect();
    let mut comparison = Comparison {
        schema: COMPARISON_SCHEMA.into(),
        plumb_version: settings.plumb_version.clone(),
        method: Method {
            confidence: settings.confidence,
            threshold: settings.threshold,
            design,
            tested,
            steps: wording::method(design, settings, tested),
        },
        environment,
        machine,
        work: matching.work,
        refused: matching.refused,
        verdict: Vec::new(),
        tallies,
        failing: failures::failing_sides(&failing),
        cells,
        remarks: Vec::new(),
        conditions,
        sides,
        published: published_tables_of(entrants, &measured),
    };
    comparison.remarks = remarks::remarks(entrants, &comparison, &failing, &anomalies);
    comparison.verdict =
        verdict::verdict(&comparison, &failing, &more_rounds::command_lines(entrants));
    comparison
}

/// The published figures among the sides, with those of the runs beside them.
fn published_tables_of(entrants: &[Entrant], measured: &[Option<Measured>]) -> Vec<PublishedTable> {
    let runs: Vec<(&str, &Measured)> = entrants
        .iter()
        .zip(measured)
        .filter_map(|(entrant, held)| match entrant {
            Entrant::Run { label, .. } => Some((label.as_str(), held.as_ref()?)),
            Entrant::Reference(_) => None,
        })
        .collect();
    let references: Vec<&Reference> = entrants.iter().filter_map(Entrant::reference).collect();
    table::of_measured(&runs, &references)
}

/// Blocks when every side is a run of the same live comparison.
fn design(entrants: &[Entrant]) -> Design {
    let comparison = |entrant: &Entrant| {
        entrant
            .run()
            .and_then(|run| run.header.side_of.as_ref())
            .map(|side| side.comparison.clone())
    };
    let first = entrants.first().and_then(comparison);
    let live = first.is_some() && entrants.iter().all(|entrant| comparison(entrant) == first);
    if live {
        Design::Blocks
    } else {
        Design::Independent
    }
}

/// True when both sides are one recorded run, whichever way it was named: by its folder, a link to it, or a copy of it.
fn is_same_record(a: Option<&Entrant>, b: Option<&Entrant>) -> bool {
    let Some((a, b)) = a.and_then(Entrant::run).zip(b.and_then(Entrant::run)) else {
        return false;
    };
    a.header.id == b.header.id && a.notes == b.notes && a.ticks == b.ticks
}

fn sides(entrants: &[Entrant], measured: &[Option<Measured>]) -> Vec<Side> {
    let side = |(index, (entrant, measured)): (usize, (&Entrant, &Option<Measured>))| match entrant
    {
        Entrant::Run { label, run } => Side {
            letter: side_letter(index),
            label: label.clone(),
            kind: SideKind::Run,
            id: run.header.id.clone(),
            started: run.header.started.clone(),
            plan: Some(run.header.plan.name.clone()),
            target: Some(run.header.target()),
            source: None,
            program: run
                .header
                .imported
                .as_ref()
                .map(|imported| imported.program.clone()),
            doubts: measured.as_ref().map(Measured::doubts).unwrap_or_default(),
        },
        Entrant::Reference(reference) => Side {
            letter: side_letter(index),
            label: format!("{REFERENCE_PREFIX}{}", reference.id),
            kind: SideKind::Reference,
            id: reference.id.clone(),
            started: reference.published.clone(),
            plan: None,
            target: None,
            source: Some(reference.source.clone()),
            program: None,
            doubts: reference.doubts.iter().map(Statement::verbatim).collect(),
        },
    };
    entrants
        .iter()
        .zip(measured)
        .enumerate()
        .map(side)
        .collect()
}

/// How the cells of each side but the baseline came out. A side that has no figure in a cell is not counted there.
fn tallies(cells: &[plumb_model::results::comparison::Cell], sides: usize) -> Vec<Tally> {
    let mut tallies: Vec<Tally> = (1..sides)
        .map(|side| Tally {
            side: side as u32,
            ..Tally::default()
        })
        .collect();
    for cell in cells {
        for (tally, effect) in tallies.iter_mut().zip(&cell.effects) {
            let measured = |index: usize| cell.sides.get(index).is_some_and(has_rounds);
            if !measured(0) || !measured(tally.side as usize) {
                continue;
            }
            match effect.verdict {
                Verdict::Better => tally.better += 1,
                Verdict::Worse => tally.worse += 1,
                Verdict::Same => tally.same += 1,
                Verdict::Undecided => tally.undecided += 1,
            }
        }
    }
    tallies
}

fn has_rounds(side: &CellSide) -> bool {
    side.rounds.iter().any(Option::is_some)
}

#[cfg(test)]
mod laws;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod thresholds;
