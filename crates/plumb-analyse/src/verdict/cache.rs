//! How many bytes of writes does a cache absorb?

use plumb_model::results::summary::Summary;
use plumb_model::run::Run;
use plumb_model::statement::{Statement, Unit};
use plumb_model::workload::OperationKind;

use super::part::{Part, sentence};
use crate::figures::executions::{Execution, executions};
use crate::figures::planned::step_of;
use crate::phrases::{part_of, rests_on};
use crate::plots::over_time::intervals;
use crate::statistics::cliff::{Cliff, cliff};

/// One sentence per group of steps that only write, of the execution that wrote most before its fall.
pub(super) fn sentences(run: &Run, summary: &Summary) -> Vec<Part> {
    let (executions, _) = executions(run);
    let mut found: Vec<(&str, u32, Cliff, usize, usize)> = Vec::new();
    for step in &summary.steps {
        let Some(planned) = step_of(summary, step) else {
            continue;
        };
        let only_writes = planned.jobs.iter().all(|job| {
            job.workload
                .mix
                .0
                .iter()
                .all(|(kind, _)| *kind == OperationKind::Write)
        });
        // A requested rate hides the capability of the storage.
        if !only_writes || planned.jobs.iter().any(|job| job.workload.is_open()) {
            continue;
        }
        let rounds: Vec<&Execution> = executions
            .iter()
            .filter(|execution| execution.step == step.step)
            .collect();
        let falls: Vec<Cliff> = rounds
            .iter()
            .filter_map(|execution| of(execution))
            .collect();
        let Some(widest) = falls.iter().max_by(|a, b| a.amount.total_cmp(&b.amount)) else {
            continue;
        };
        // One round of several may have had bad luck; half of them is a property of the storage.
        if falls.len() * 2 < rounds.len() {
            continue;
        }
        match found.iter_mut().find(|held| held.0 == planned.group) {
            Some(held) if held.2.amount < widest.amount => {
                *held = (
                    &planned.group,
                    step.step,
                    *widest,
                    falls.len(),
                    rounds.len(),
                )
            }
            Some(_) => {}
            None => found.push((
                &planned.group,
                step.step,
                *widest,
                falls.len(),
                rounds.len(),
            )),
        }
    }
    found
        .into_iter()
        .map(|(group, step, fall, falls, rounds)| part(group, step, &fall, falls, rounds))
        .collect()
}

/// A fall of the write bandwidth of one execution.
fn of(execution: &Execution) -> Option<Cliff> {
    let moved = |interval: plumb_model::results::series::Interval| {
        let bandwidth = interval.bandwidth_bytes_per_s?;
        Some((bandwidth * (interval.end_s - interval.start_s), bandwidth))
    };
    cliff(
        &intervals(execution)
            .into_iter()
            .filter_map(moved)
            .collect::<Vec<_>>(),
    )
}

fn part(group: &str, step: u32, fall: &Cliff, falls: usize, rounds: usize) -> Part {
    let statement = Statement::new("writes-absorbed")
        .name("group", group)
        .bytes("amount", fall.amount)
        .quantity("after", fall.after, Unit::BytesPerSecond);
    let evidence = vec![
        rests_on(
            Statement::new("evidence-bandwidth-before"),
            (fall.before, Unit::BytesPerSecond),
        ),
        rests_on(
            Statement::new("evidence-bandwidth-after"),
            (fall.after, Unit::BytesPerSecond),
        ),
        rests_on(
            Statement::new("evidence-written-before-the-fall"),
            (fall.amount, Unit::Bytes),
        ),
        rests_on(
            Statement::new("evidence-rounds-with-the-fall"),
            part_of(falls as u64, rounds as u64),
        ),
    ];
    Part {
        steps: vec![step],
        sentences: vec![sentence(statement, evidence)],
    }
}
