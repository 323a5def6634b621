//! What is the article's table with the measured figures beside it?

use plumb_model::results::comparison::compared_metric;
use plumb_model::results::published::{
    MeasuredCell, PublishedCell, PublishedRow, PublishedSystem, PublishedTable,
};
use plumb_model::results::reference::{EXPERIMENTS, PublishedCache, PublishedFigure, Reference};
use plumb_model::run::Run;
use plumb_model::statement::Statement;

use crate::compare::figures::Measured;
use crate::compare::published::assignment::{Matched, assignment};
use crate::compare::published::pinning::pinning;
use crate::compare::published::rounds::column;

/// A table for each experiment of the references, with a column for each run (label and record) that did some of its work. References without a run have none.
pub fn published_tables(runs: &[(&str, &Run)], references: &[&Reference]) -> Vec<PublishedTable> {
    if runs.is_empty() {
        return Vec::new();
    }
    let measured: Vec<(&str, Measured)> = runs
        .iter()
        .map(|(label, run)| (*label, Measured::of(run)))
        .collect();
    let all: Vec<(&str, &Measured)> = measured
        .iter()
        .map(|(label, held)| (*label, held))
        .collect();
    of_measured(&all, references)
}

/// The same of runs that are read already.
pub(in crate::compare) fn of_measured(
    runs: &[(&str, &Measured)],
    references: &[&Reference],
) -> Vec<PublishedTable> {
    if runs.is_empty() {
        return Vec::new();
    }
    let of = |(experiment, question): &(&str, &str)| {
        let of: Vec<&Reference> = references
            .iter()
            .copied()
            .filter(|reference| reference.experiment == *experiment)
            .collect();
        (!of.is_empty()).then(|| table((*experiment, *question), runs, &of))
    };
    EXPERIMENTS.iter().filter_map(of).collect()
}

/// A row in the making: its figure in each reference, and its place in each run.
struct Row<'a> {
    matches: Vec<Matched>,
    first: &'a PublishedFigure,
    figures: Vec<Option<(&'a Reference, &'a PublishedFigure)>>,
}

fn table(
    (experiment, question): (&str, &str),
    runs: &[(&str, &Measured)],
    references: &[&Reference],
) -> PublishedTable {
    let rows = rows(runs, references);
    // Of layers, each figure stands in one run: the others have no column.
    let has = |side: usize| {
        rows.iter()
            .any(|row| !matches!(row.matches.get(side), None | Some(Matched::None(_))))
    };
    let shown: Vec<usize> = match runs.len() {
        1 => vec![0],
        sides => (0..sides).filter(|side| has(*side)).collect(),
    };
    PublishedTable {
        experiment: experiment.into(),
        question: question.into(),
        systems: references
            .iter()
            .map(|reference| PublishedSystem {
                reference: reference.id.clone(),
                system: reference.system.clone(),
            })
            .collect(),
        runs: shown
            .iter()
            .filter_map(|side| runs.get(*side))
            .map(|(label, _)| (*label).to_string())
            .collect(),
        rows: rows
            .iter()
            .map(|row| shown_row(row, runs, &shown))
            .collect(),
        pinning: shown
            .iter()
            .enumerate()
            .filter_map(|(column, side)| Some((column, runs.get(*side)?.1)))
            .flat_map(|(column, measured)| pinning(column as u32, measured))
            .collect(),
    }
}

/// Rows in the order of the references; figures of one name that stand beside the same steps share a row.
fn rows<'a>(runs: &[(&str, &Measured)], references: &[&'a Reference]) -> Vec<Row<'a>> {
    let mut rows: Vec<Row<'a>> = Vec::new();
    for (column, reference) in references.iter().enumerate() {
        let matches: Vec<Vec<Matched>> = runs
            .iter()
            .map(|(_, measured)| assignment(reference, measured))
            .collect();
        for (index, figure) in reference.figures.iter().enumerate() {
            let matches: Vec<Matched> = matches
                .iter()
                .filter_map(|of_run| of_run.get(index).cloned())
                .collect();
            let held = rows.iter_mut().find(|row| {
                row.first.name == figure.name
                    && row.first.table == figure.table
                    && row.figures.get(column).is_some_and(Option::is_none)
            });
            match held {
                Some(row) => {
                    row.figures[column] = Some((*reference, figure));
                    // A figure without a number has no place of its own.
                    if row.first.value.is_none() {
                        row.matches = matches;
                    }
                }
                None => {
                    let mut figures = vec![None; references.len()];
                    figures[column] = Some((*reference, figure));
                    rows.push(Row {
                        matches,
                        first: figure,
                        figures,
                    });
                }
            }
        }
    }
    // A later system may have rows of its own: they go to the other rows of their table.
    let mut tables: Vec<&str> = Vec::new();
    for row in &rows {
        if !tables.contains(&row.first.table.as_str()) {
            tables.push(&row.first.table);
        }
    }
    rows.sort_by_key(|row| tables.iter().position(|table| *table == row.first.table));
    rows
}

fn shown_row(row: &Row, runs: &[(&str, &Measured)], shown: &[usize]) -> PublishedRow {
    let figure = row
        .figures
        .iter()
        .flatten()
        .map(|(_, figure)| *figure)
        .find(|figure| figure.value.is_some())
        .unwrap_or(row.first);
    let published = row
        .figures
        .iter()
        .map(|held| held.map(|(reference, figure)| cell(reference, figure)))
        .collect();
    let values: Vec<Option<f64>> = row
        .figures
        .iter()
        .map(|held| held.and_then(|(_, figure)| figure.value))
        .collect();
    let measured: Vec<Option<MeasuredCell>> = shown
        .iter()
        .map(|side| {
            let (_, held) = runs.get(*side)?;
            measured_cell(figure, row.matches.get(*side)?, held, &values)
        })
        .collect();
    let reason = match measured.iter().any(Option::is_some) {
        true => None,
        false => Some(why_not(row)),
    };
    PublishedRow {
        table: figure.table.clone(),
        row: figure.row.clone(),
        name: figure.name.clone(),
        program: figure.program.clone(),
        operation: figure.operation.clone(),
        metric: figure.metric.clone(),
        published,
        measured,
        reason,
    }
}

/// The nearest step's difference before a plain "no step".
fn why_not(row: &Row) -> Statement {
    let reasons = || {
        row.matches.iter().filter_map(|place| match place {
            Matched::None(reason) => Some(reason),
            _ => None,
        })
    };
    reasons()
        .find(|reason| reason.id == "nearest-step-differs-from-published")
        .or_else(|| reasons().next())
        .cloned()
        .unwrap_or_else(|| Statement::new("step-has-no-such-figure"))
}

fn cell(reference: &Reference, figure: &PublishedFigure) -> PublishedCell {
    let unit = reference.unit_of(figure);
    PublishedCell {
        printed: figure.printed.clone(),
        value: figure.value,
        unit: unit.map(|unit| unit.printed.clone()),
        unit_is: unit.map(|unit| unit.is),
        unit_known_by: unit.map(|unit| unit.known_by.clone()),
        note: figure.note.clone(),
    }
}

fn measured_cell(
    figure: &PublishedFigure,
    place: &Matched,
    measured: &Measured,
    published: &[Option<f64>],
) -> Option<MeasuredCell> {
    let metric = compared_metric(figure.metric.as_deref()?)?;
    let (steps, others) = match place {
        Matched::Step { step, others } => (vec![*step], others.clone()),
        Matched::Mean(steps) => (steps.clone(), Vec::new()),
        Matched::None(_) => return None,
    };
    let part = figure
        .work
        .as_ref()
        .and_then(|work| work.part)
        .unwrap_or(1.0);
    let column = column(measured, &steps, metric, part);
    let (value, interval) = column.location();
    let value = value?;
    let names = |steps: &[usize]| {
        steps
            .iter()
            .filter_map(|index| Some(measured.step(*index)?.name.clone()))
            .collect()
    };
    Some(MeasuredCell {
        ratios: published
            .iter()
            .map(|published| published.map(|published| value / published))
            .collect(),
        caveats: steps
            .first()
            .and_then(|step| memory(figure.cache, measured, *step))
            .into_iter()
            .collect(),
        rounds: column.rounds.iter().flatten().count() as u32,
        steps: names(&steps),
        others: names(&others),
        value,
        interval,
    })
}

/// Whether the file fitted into memory here and not there, or the other way round.
fn memory(published: PublishedCache, measured: &Measured, step: usize) -> Option<Statement> {
    let memory = measured
        .run
        .header
        .environment
        .number("memory.total_bytes")?;
    let engine = measured.engines(step)?.values().next()?;
    let job = measured.step(step)?.jobs.first()?;
    // A few bytes written one by one fit anywhere.
    let touched = job.workload.bytes.map(|bytes| bytes.0);
    if job.workload.has_file_operations() || touched.is_some_and(|bytes| bytes < engine.size_bytes)
    {
        return None;
    }
    let fits = engine.size_bytes as f64 <= memory;
    let size = engine.size_bytes as f64;
    match published {
        PublishedCache::LargerThanMemory if fits => Some(
            Statement::new("file-fits-into-memory-here")
                .bytes("size", size)
                .bytes("memory", memory),
        ),
        PublishedCache::PageCache if !fits => Some(
            Statement::new("file-is-larger-than-memory-here")
                .bytes("size", size)
                .bytes("memory", memory),
        ),
        _ => None,
    }
}
