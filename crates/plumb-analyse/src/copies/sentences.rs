//! What are the notes of a copy test? Damaged copies first, then what could not be checked, then what was preserved and shared.

use plumb_model::results::copies::{
    CopyFigures, CopyRow, Soundness, copy_numbers as numbers, copy_steps,
};
use plumb_model::run::{Event, Run};
use plumb_model::statement::{Argument, Statement, Unit};

use super::accounts::{Copy, accounts, copies};
use crate::figures::executions::executions;
use crate::phrases::optional;

/// Share of the bytes from which all of them count as sharing blocks with the source.
const ALL: f64 = 0.99;

/// Statements on these programs, in order; `copiers` has the name and the run of each.
pub(super) fn sentences(rows: &[CopyRow], copiers: &[(&str, &Run)]) -> Vec<Statement> {
    let each = || rows.iter().zip(copiers.iter().map(|(_, run)| *run));
    let mut sentences: Vec<Statement> = each().flat_map(|(row, run)| failures(row, run)).collect();
    if let Some(first) = rows
        .first()
        .filter(|row| row.soundness <= Soundness::NotRun && rows.len() > 1)
    {
        sentences.push(Statement::new("baseline-was-not-sound").name("program", &first.program));
    }
    sentences.extend(each().filter_map(|(row, run)| unchecked(row, run)));
    sentences.extend(each().flat_map(|(row, run)| shared(row, run)));
    sentences.extend(in_short(rows));
    sentences
}

fn directions(row: &CopyRow) -> [(&'static str, &CopyFigures); 2] {
    [
        (copy_steps::WRITE, &row.write),
        (copy_steps::READ, &row.read),
    ]
}

/// What a program did wrong, one sentence for each direction.
fn failures(row: &CopyRow, run: &Run) -> Vec<Statement> {
    let mut sentences = Vec::new();
    for (step, figures) in directions(row) {
        let copies = copies(run, step);
        let is_damaged = |copy: &&Copy| copy.error == Some("mismatch");
        let damaged = copies.iter().filter(is_damaged).count();
        let failed = copies.iter().filter(|copy| copy.error.is_some()).count() - damaged;
        if damaged > 0 {
            let speed = figures.spoiled_bytes_per_s.map(|speed| {
                Statement::new("spoiled-speed").quantity("speed", speed, Unit::BytesPerSecond)
            });
            sentences.push(
                Statement::new("copies-damaged")
                    .name("program", &row.program)
                    .name("step", step)
                    .count("count", damaged as u64)
                    .count("all", u64::from(figures.copies))
                    .part("first", optional(first_damage(run, step)))
                    .part("speed", optional(speed)),
            );
        }
        if failed > 0 {
            sentences.push(
                Statement::new("copies-failed")
                    .name("program", &row.program)
                    .name("step", step)
                    .count("count", failed as u64)
                    .count("all", u64::from(figures.copies))
                    .part("first", optional(first_failure(run, step))),
            );
        }
    }
    let could_not_run = run.notes.iter().find_map(|note| match &note.event {
        Event::ExecutionFailed { error, .. } => Some(error),
        _ => None,
    });
    sentences.extend(could_not_run.map(|error| {
        Statement::new("program-could-not-be-measured")
            .name("program", &row.program)
            .part("error", error.clone())
    }));
    sentences
}

/// That copies share their blocks with the source, one sentence for each direction.
fn shared(row: &CopyRow, run: &Run) -> Vec<Statement> {
    let of_step = |(step, figures): (&str, &CopyFigures)| {
        let copies = copies(run, step);
        let sum = |name: &str| {
            copies
                .iter()
                .filter(|copy| copy.error.is_none())
                .filter_map(|copy| copy.number(name))
                .sum::<f64>()
        };
        let (shared, bytes) = (sum(numbers::SHARED_BYTES), sum(numbers::BYTES));
        (figures.shared > 0).then(|| {
            Statement::new(match shared >= ALL * bytes {
                true => "copies-share-all-blocks",
                false => "copies-share-some-blocks",
            })
            .name("program", &row.program)
            .name("step", step)
            .count("shared", u64::from(figures.shared))
            .count("whole", u64::from(figures.intact))
            .bytes("bytes", shared)
            .bytes("all", bytes)
        })
    };
    directions(row).into_iter().filter_map(of_step).collect()
}

/// The executions of a step.
fn executions_of(run: &Run, step: &str) -> Vec<u32> {
    let is_step = |index: u32| {
        let planned = run.header.plan.steps.get(index as usize);
        planned.is_some_and(|of| of.name == step)
    };
    let (found, _) = executions(run);
    found
        .into_iter()
        .filter(|execution| is_step(execution.step))
        .map(|execution| execution.index)
        .collect()
}

/// The first damaged file, as the end of a sentence.
fn first_damage(run: &Run, step: &str) -> Option<Statement> {
    let of_step = executions_of(run, step);
    let (execution, path, explanation) = run.notes.iter().find_map(|note| match &note.event {
        Event::Mismatch {
            execution,
            path,
            explanation,
            ..
        } if of_step.contains(execution) => Some((execution, path, explanation)),
        _ => None,
    })?;
    let accounts = accounts(run);
    let account = accounts.get(execution);
    let problems = account.and_then(|account| account.get(numbers::PROBLEMS).copied());
    let statement = match problems {
        Some(problems) if problems > 1.0 => {
            Statement::new("first-damage-of-several").count("problems", problems as u64)
        }
        _ => Statement::new("first-damage"),
    }
    .name("path", path)
    .part("explanation", explanation.clone());
    Some(statement)
}

/// The first error of a program, as the end of a sentence: in its own words, which come just before it.
fn first_failure(run: &Run, step: &str) -> Option<Statement> {
    let of_step = executions_of(run, step);
    let mut words = None;
    for note in &run.notes {
        match &note.event {
            Event::Warning { text } => words = Some(text),
            Event::FirstError {
                execution, error, ..
            } if error != "mismatch" => {
                if of_step.contains(execution) {
                    let named = || Argument::from(error.as_str());
                    let error = words.map_or_else(named, |words| words.clone().into());
                    return Some(Statement::new("first-failure").with("error", error));
                }
                words = None;
            }
            _ => {}
        }
    }
    None
}

/// That copies could not be checked, or that less than all was kept.
fn unchecked(row: &CopyRow, run: &Run) -> Option<Statement> {
    let all = || {
        copies(run, copy_steps::WRITE)
            .into_iter()
            .chain(copies(run, copy_steps::READ))
    };
    let missing = all()
        .filter(|copy| copy.number(numbers::PROBLEMS).is_none())
        .count();
    if missing > 0 {
        return Some(
            Statement::new("copies-not-verified")
                .name("program", &row.program)
                .count("count", missing as u64),
        );
    }
    let most = |name: &str| {
        all()
            .filter(|copy| copy.error.is_none())
            .filter_map(|copy| copy.number(name))
            .fold(0.0, f64::max) as u64
    };
    let (files, seconds) = (most(numbers::LOST_TIMES), most(numbers::COARSE_TIMES));
    let (folders, modes) = (most(numbers::LOST_FOLDER_TIMES), most(numbers::LOST_MODES));
    let kinds = [
        (
            files,
            Statement::new("lost-file-times").count("count", files),
        ),
        (
            seconds,
            Statement::new("lost-parts-of-seconds").count("count", seconds),
        ),
        (
            folders,
            Statement::new("lost-folder-times").count("count", folders),
        ),
        (
            modes,
            Statement::new("lost-permissions").count("count", modes),
        ),
    ];
    let lost: Vec<Statement> = kinds
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(_, statement)| statement)
        .collect();
    (!lost.is_empty()).then(|| {
        Statement::new("program-did-not-keep")
            .name("program", &row.program)
            .parts("lost", lost)
    })
}

/// The summary in one sentence, if all went well.
fn in_short(rows: &[CopyRow]) -> Option<Statement> {
    let copies: u64 = rows
        .iter()
        .map(|row| u64::from(row.write.copies) + u64::from(row.read.copies))
        .sum();
    let complete = rows.iter().all(|row| row.soundness == Soundness::Intact);
    (complete && copies > 0)
        .then(|| Statement::new("all-copies-were-whole").count("copies", copies))
}
