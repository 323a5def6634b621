//! Which copy program is fast, which is sound? The table of programs, derived from the records of a copy test and their comparison.

use std::collections::BTreeMap;

use plumb_model::comparison::{Cell, Comparison, Effect};
use plumb_model::copies::{
    COPIES_SCHEMA, CopyFigures, CopyRow, CopyTable, Soundness, copy_numbers as numbers, copy_steps,
};
use plumb_model::run::{Event, Run};
use plumb_model::units::{group_thousands, show_bandwidth, show_bytes};

use crate::compare::Column;
use crate::executions::{Execution, executions};

const GIB: f64 = (1u64 << 30) as f64;

/// A recorded side of a copy test: the name of its program, and its run.
pub type Copier<'a> = (&'a str, &'a Run);

/// True for the record of a copy test.
pub fn holds_copies(run: &Run) -> bool {
    let kinds = run
        .header
        .plan
        .steps
        .iter()
        .flat_map(|step| &step.jobs)
        .flat_map(|job| &job.workload.mix.0);
    kinds
        .into_iter()
        .any(|(kind, _)| *kind == plumb_model::workload::OperationKind::Copy)
}

/// The table of a copy test. `tree` is what was copied, in words; `comparison` is that of the same runs in the same order.
pub fn copy_table(
    copiers: &[Copier<'_>],
    comparison: &Comparison,
    tree: &str,
    conditions: Vec<String>,
) -> CopyTable {
    let mut rows: Vec<CopyRow> = copiers
        .iter()
        .enumerate()
        .map(|(side, copier)| row(side, copier, comparison))
        .collect();
    let told: Vec<String> = rows
        .iter()
        .zip(copiers)
        .flat_map(|(row, (_, run))| troubles(row, run))
        .collect();
    let mut sentences = told;
    if let Some(first) = rows
        .first()
        .filter(|row| row.soundness <= Soundness::NotRun && rows.len() > 1)
    {
        sentences
            .push(format!("{} is what the others are compared with, and was not sound: there are no verdicts against it.", first.program));
    }
    sentences.extend(
        rows.iter()
            .zip(copiers)
            .filter_map(|(row, (_, run))| unchecked(row, run)),
    );
    sentences.extend(
        rows.iter()
            .zip(copiers)
            .flat_map(|(row, (_, run))| shared(row, run)),
    );
    sentences.extend(in_short(&rows));
    let first = copiers.first().map(|(_, run)| *run);
    let of_tree = |name: &str| {
        first
            .and_then(|run| {
                accounts(run)
                    .values()
                    .find_map(|account| account.get(name).copied())
            })
            .unwrap_or(0.0) as u64
    };
    let (files, bytes) = (of_tree(numbers::FILES), of_tree(numbers::BYTES));
    let baseline = rows
        .first()
        .map(|row| row.program.clone())
        .unwrap_or_default();
    // The order of the command line, but damage comes first.
    rows.sort_by_key(|row| row.soundness.min(Soundness::Unchecked));
    CopyTable {
        schema: COPIES_SCHEMA.into(),
        plumb_version: comparison.plumb_version.clone(),
        tree: tree.into(),
        files,
        bytes,
        baseline,
        sentences,
        conditions,
        rows,
    }
}

type Account = BTreeMap<String, f64>;

/// What each copy counted, by execution.
fn accounts(run: &Run) -> BTreeMap<u32, &Account> {
    let closed = run.notes.iter().filter_map(|note| match &note.event {
        Event::EngineClosed {
            execution, account, ..
        } => Some((*execution, &account.numbers)),
        _ => None,
    });
    closed.collect()
}

/// One copy as it went.
struct Copy<'a> {
    account: &'a Account,
    /// Its error by name; none when it was whole as far as is known.
    error: Option<&'a str>,
}

impl Copy<'_> {
    fn number(&self, name: &str) -> Option<f64> {
        self.account.get(name).copied()
    }

    fn bandwidth(&self) -> Option<f64> {
        let (bytes, elapsed_s) = (
            self.number(numbers::BYTES)?,
            self.number(numbers::ELAPSED_S)?,
        );
        (elapsed_s > 0.0).then(|| bytes / elapsed_s)
    }
}

/// Copies of one step that were carried out and recorded to their end.
fn copies<'a>(run: &'a Run, step: &str) -> Vec<Copy<'a>> {
    let accounts = accounts(run);
    let is_step = |execution: &Execution| {
        run.header
            .plan
            .steps
            .get(execution.step as usize)
            .is_some_and(|of| of.name == step)
    };
    let (found, _) = executions(run);
    let copy = |execution: Execution<'a>| {
        let errors = execution
            .ticks
            .iter()
            .flat_map(|tick| &tick.kinds)
            .flat_map(|kind| kind.errors.keys());
        Some(Copy {
            account: accounts.get(&execution.index)?,
            error: errors.into_iter().next().map(String::as_str),
        })
    };
    found
        .into_iter()
        .filter(|execution| is_step(execution))
        .filter_map(copy)
        .collect()
}

fn row(side: usize, copier: &Copier<'_>, comparison: &Comparison) -> CopyRow {
    let (program, run) = copier;
    let (write, read) = (
        copies(run, copy_steps::WRITE),
        copies(run, copy_steps::READ),
    );
    let all = || write.iter().chain(&read);
    let soundness = if all().any(|copy| copy.error == Some("mismatch")) {
        Soundness::Damaged
    } else if all().any(|copy| copy.error.is_some()) {
        Soundness::Failed
    } else if all().next().is_none() {
        Soundness::NotRun
    } else if all().any(|copy| copy.number(numbers::PROBLEMS).is_none()) {
        Soundness::Unchecked
    } else {
        Soundness::Whole
    };
    let command = run
        .header
        .plan
        .steps
        .first()
        .and_then(|step| step.jobs.first())
        .map(|job| job.engine.program.clone());
    CopyRow {
        letter: comparison
            .sides
            .get(side)
            .map(|side| side.letter.clone())
            .unwrap_or_default(),
        program: program.to_string(),
        command: command.unwrap_or_default(),
        soundness,
        write: figures(&write, effect(comparison, copy_steps::WRITE, side)),
        read: figures(&read, effect(comparison, copy_steps::READ, side)),
    }
}

fn effect(comparison: &Comparison, step: &str, side: usize) -> Option<Effect> {
    let is_ours = |cell: &&Cell| cell.step == step && cell.metric == "bandwidth";
    let cell = comparison.cells.iter().find(is_ours)?;
    cell.effects
        .iter()
        .find(|effect| effect.side as usize == side && side > 0)
        .cloned()
}

fn figures(copies: &[Copy<'_>], against_baseline: Option<Effect>) -> CopyFigures {
    let whole: Vec<&Copy> = copies.iter().filter(|copy| copy.error.is_none()).collect();
    // How long a program took to fail is no time of a copy.
    let spoiled: Vec<&Copy> = copies
        .iter()
        .filter(|copy| copy.error == Some("mismatch"))
        .collect();
    let failed = copies
        .iter()
        .filter_map(|copy| copy.error)
        .find(|error| *error != "mismatch")
        .map(str::to_string);
    let location = |copies: &[&Copy]| {
        Column {
            rounds: copies.iter().map(|copy| copy.bandwidth()).collect(),
            ..Column::default()
        }
        .location()
    };
    let (bandwidth_bytes_per_s, interval) = location(&whole);
    // Sums over all whole copies: each of them moved the same tree.
    let sum = |name: &str| {
        whole
            .iter()
            .map(|copy| copy.number(name))
            .sum::<Option<f64>>()
            .filter(|_| !whole.is_empty())
    };
    let ratio =
        |above: Option<f64>, below: Option<f64>| Some(above? / below.filter(|below| *below > 0.0)?);
    let plus = |a: Option<f64>, b: Option<f64>| Some(a? + b?);
    let cpu_s = plus(sum(numbers::CPU_USER_S), sum(numbers::CPU_SYSTEM_S));
    let memory = whole
        .iter()
        .filter_map(|copy| copy.number(numbers::MEMORY_BYTES))
        .reduce(f64::max);
    CopyFigures {
        copies: copies.len() as u32,
        whole: whole.len() as u32,
        shared: whole
            .iter()
            .filter(|copy| {
                copy.number(numbers::SHARED_BYTES)
                    .is_some_and(|bytes| bytes > 0.0)
            })
            .count() as u32,
        checked: copies
            .iter()
            .filter(|copy| copy.number(numbers::PROBLEMS).is_some())
            .count() as u32,
        bandwidth_bytes_per_s,
        interval,
        spoiled_bytes_per_s: location(&spoiled).0,
        failed,
        stable_bytes_per_s: ratio(
            sum(numbers::BYTES),
            plus(sum(numbers::ELAPSED_S), sum(numbers::STABLE_S)),
        ),
        files_per_s: ratio(sum(numbers::FILES), sum(numbers::ELAPSED_S)),
        cpu_s_per_gib: ratio(cpu_s, sum(numbers::BYTES).map(|bytes| bytes / GIB)),
        against_baseline,
        memory_bytes: memory,
    }
}

/// What a program did wrong, one sentence for each direction.
fn troubles(row: &CopyRow, run: &Run) -> Vec<String> {
    let mut sentences = Vec::new();
    for (step, figures) in [
        (copy_steps::WRITE, &row.write),
        (copy_steps::READ, &row.read),
    ] {
        let copies = copies(run, step);
        let count = |damaged: bool| {
            copies
                .iter()
                .filter(|copy| {
                    copy.error
                        .is_some_and(|error| (error == "mismatch") == damaged)
                })
                .count()
        };
        let all = figures.copies;
        for (damaged, count) in [(true, count(true)), (false, count(false))] {
            if count == 0 {
                continue;
            }
            let what = if damaged {
                "were not whole, and it said nothing"
            } else {
                "failed"
            };
            let first = first_of(run, step, damaged);
            let speed = figures
                .spoiled_bytes_per_s
                .filter(|_| damaged)
                .map(|speed| format!(" Its {} are worth nothing.", show_bandwidth(speed)));
            let of = if all == 1 && count == 1 {
                "the one copy".into()
            } else {
                format!("{count} of {all} copies")
            };
            let what = if all == 1 && count == 1 {
                what.replace("were", "was")
            } else {
                what.to_string()
            };
            sentences.push(format!(
                "{}, {step}: {of} {what}{first}.{}",
                row.program,
                speed.unwrap_or_default()
            ));
        }
    }
    for note in &run.notes {
        if let Event::ExecutionFailed { error, .. } = &note.event {
            sentences.push(format!("{} could not be measured: {error}.", row.program));
            break;
        }
    }
    sentences
}

/// That copies share their blocks with the source, one sentence for each direction.
fn shared(row: &CopyRow, run: &Run) -> Vec<String> {
    let of_step = |(step, figures): (&str, &CopyFigures)| {
        let copies = copies(run, step);
        let of = |name: &str| {
            copies
                .iter()
                .filter(|copy| copy.error.is_none())
                .filter_map(|copy| copy.number(name))
                .sum::<f64>()
        };
        let (shared, bytes) = (of(numbers::SHARED_BYTES), of(numbers::BYTES));
        let what = if shared >= 0.99 * bytes {
            "no data was copied".to_string()
        } else {
            format!(
                "{} of {} were not copied",
                show_bytes(shared),
                show_bytes(bytes)
            )
        };
        (figures.shared > 0).then(|| {
            format!(
                "{}, {step}: {} of {} copies share blocks with the source: {what}. Their speed is that of a reflink, and not of a copy.",
                row.program, figures.shared, figures.whole
            )
        })
    };
    [
        (copy_steps::WRITE, &row.write),
        (copy_steps::READ, &row.read),
    ]
    .into_iter()
    .filter_map(of_step)
    .collect()
}

/// The first thing that went wrong in a step, as the end of a sentence.
fn first_of(run: &Run, step: &str, damaged: bool) -> String {
    let of_step: Vec<u32> = {
        let (found, _) = executions(run);
        let is_step = |execution: &Execution| {
            run.header
                .plan
                .steps
                .get(execution.step as usize)
                .is_some_and(|of| of.name == step)
        };
        found
            .into_iter()
            .filter(|execution| is_step(execution))
            .map(|execution| execution.index)
            .collect()
    };
    let accounts = accounts(run);
    let mut told = None;
    for note in &run.notes {
        match &note.event {
            Event::Mismatch {
                execution,
                path,
                explanation,
                ..
            } if damaged && of_step.contains(execution) => {
                let problems = accounts
                    .get(execution)
                    .and_then(|account| account.get(numbers::PROBLEMS))
                    .copied()
                    .unwrap_or(1.0);
                let more = if problems > 1.0 {
                    format!(
                        " ({} problems in that copy)",
                        group_thousands(problems as i64)
                    )
                } else {
                    String::new()
                };
                return format!(": {path} {explanation}{more}");
            }
            // The words of a program that failed come just before its error.
            Event::Warning { text } if !damaged => told = Some(text.clone()),
            Event::FirstError {
                execution, error, ..
            } if !damaged && error != "mismatch" => {
                if of_step.contains(execution) {
                    return format!(": {}", told.unwrap_or_else(|| error.clone()));
                }
                told = None;
            }
            _ => {}
        }
    }
    String::new()
}

/// That copies could not be checked, or that less than all was kept.
fn unchecked(row: &CopyRow, run: &Run) -> Option<String> {
    let all = || {
        copies(run, copy_steps::WRITE)
            .into_iter()
            .chain(copies(run, copy_steps::READ))
    };
    let missing = all()
        .filter(|copy| copy.number(numbers::PROBLEMS).is_none())
        .count();
    if missing > 0 {
        return Some(format!(
            "{}: {missing} copies could not be fetched back and are not verified.",
            row.program
        ));
    }
    let lost = |name: &str| {
        all()
            .filter(|copy| copy.error.is_none())
            .filter_map(|copy| copy.number(name))
            .fold(0.0, f64::max)
    };
    let kinds = [
        (
            numbers::LOST_TIMES,
            "time stamp of a file",
            "time stamps of files",
        ),
        (
            numbers::COARSE_TIMES,
            "part of a second in a time stamp",
            "parts of a second in time stamps",
        ),
        (
            numbers::LOST_FOLDER_TIMES,
            "time stamp of a folder",
            "time stamps of folders",
        ),
        (
            numbers::LOST_MODES,
            "set of permission bits",
            "sets of permission bits",
        ),
    ];
    let parts: Vec<String> = kinds
        .iter()
        .map(|(name, one, many)| (lost(name) as i64, if lost(name) > 1.0 { many } else { one }))
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{} {what}", group_thousands(count)))
        .collect();
    (!parts.is_empty()).then(|| {
        format!(
            "{} did not keep {} (told, not counted as an error).",
            row.program,
            parts.join(", ")
        )
    })
}

/// The whole in one sentence, when all went well.
fn in_short(rows: &[CopyRow]) -> Option<String> {
    let copies: u32 = rows
        .iter()
        .map(|row| row.write.copies + row.read.copies)
        .sum();
    let whole = rows.iter().all(|row| row.soundness == Soundness::Whole);
    (whole && copies > 0).then(|| {
        format!(
            "All {} copies were compared with the source byte by byte, and were whole.",
            group_thousands(i64::from(copies))
        )
    })
}

#[cfg(test)]
mod tests;
