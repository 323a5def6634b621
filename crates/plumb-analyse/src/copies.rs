//! Which copy program is fast, and which is sound? The table of programs, derived from the records of a copy test and their comparison.

mod accounts;
mod sentences;

use plumb_model::results::comparison::{Cell, Comparison, Effect};
use plumb_model::results::copies::{
    COPIES_SCHEMA, CopyFigures, CopyRow, CopyTable, Soundness, copy_numbers as numbers, copy_steps,
};
use plumb_model::run::Run;
use plumb_model::statement::Statement;

use crate::compare::Column;
use accounts::{Copy, accounts, copies};

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

/// The table of a copy test. `tree` describes what was copied; `comparison` is that of the same runs in the same order.
pub fn copy_table(
    copiers: &[Copier<'_>],
    comparison: &Comparison,
    tree: &str,
    conditions: Vec<Statement>,
) -> CopyTable {
    let mut rows: Vec<CopyRow> = copiers
        .iter()
        .enumerate()
        .map(|(side, copier)| row(side, copier, comparison))
        .collect();
    let sentences = sentences::sentences(&rows, copiers);
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
        Soundness::Intact
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
    let complete: Vec<&Copy> = copies.iter().filter(|copy| copy.error.is_none()).collect();
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
    let (bandwidth_bytes_per_s, interval) = location(&complete);
    // Sums over all intact copies: each of them copied the same tree.
    let sum = |name: &str| {
        complete
            .iter()
            .map(|copy| copy.number(name))
            .sum::<Option<f64>>()
            .filter(|_| !complete.is_empty())
    };
    let ratio =
        |above: Option<f64>, below: Option<f64>| Some(above? / below.filter(|below| *below > 0.0)?);
    let plus = |a: Option<f64>, b: Option<f64>| Some(a? + b?);
    let cpu_s = plus(sum(numbers::CPU_USER_S), sum(numbers::CPU_SYSTEM_S));
    let memory = complete
        .iter()
        .filter_map(|copy| copy.number(numbers::MEMORY_BYTES))
        .reduce(f64::max);
    CopyFigures {
        copies: copies.len() as u32,
        intact: complete.len() as u32,
        shared: complete
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

#[cfg(test)]
mod tests;
