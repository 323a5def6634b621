//! How fast are operations on small files?

use plumb_model::results::summary::{SentenceEvidence, StepSummary, Summary};
use plumb_model::run::Run;
use plumb_model::statement::{Argument, Statement, Unit};
use plumb_model::workload::OperationKind;

use super::part::{Part, sentence};
use super::wording;
use crate::figures::counters::Counters;
use crate::figures::executions::executions;
use crate::figures::planned::step_of;
use crate::phrases::{part_of, rests_on};

/// Reads that reached the device, for each operation, below which an operation counts as answered from memory.
const FROM_MEMORY_MAX: f64 = 0.01;

/// One sentence for all steps of one kind of file operation each that differ in nothing else; steps in which load is swept are ladders.
pub(super) fn sentences(run: &Run, summary: &Summary) -> Vec<Part> {
    let mut groups: Vec<(Statement, Vec<(OperationKind, &StepSummary)>)> = Vec::new();
    for step in &summary.steps {
        let ladder = ["on-ranks", "depth", "workers", "rate"]
            .iter()
            .any(|key| step.swept.contains_key(*key));
        let Some(job) = step_of(summary, step).and_then(|planned| planned.jobs.first()) else {
            continue;
        };
        let [(kind, _)] = job.workload.mix.0.as_slice() else {
            continue;
        };
        if ladder || !kind.is_file_operation() || step.total.iops.is_none_or(|iops| iops <= 0.0) {
            continue;
        }
        let bytes = |value: u64| Argument::Quantity {
            value: value as f64,
            unit: Unit::Bytes,
        };
        let size = match job.workload.file_size {
            Some(sizes) if sizes.from_bytes < sizes.to_bytes => Argument::Statement(Box::new(
                Statement::new("from-to")
                    .with("low", bytes(sizes.from_bytes))
                    .with("high", bytes(sizes.to_bytes)),
            )),
            _ => bytes(job.workload.largest_file_bytes()),
        };
        let workers = u64::from(job.workload.workers);
        let workers = (workers > 1).then(|| Statement::new("workers").count("workers", workers));
        let name = match step.states("file-size") {
            true => Statement::new("small-files-of").with("size", size),
            false => Statement::new("small-files-unsized"),
        }
        .part("workers", wording::optional(workers))
        .part(
            "settings",
            wording::settings(step, &["block", "mix", "pattern"]),
        );
        match groups.iter_mut().find(|(held, _)| *held == name) {
            Some((_, steps)) => steps.push((*kind, step)),
            None => groups.push((name, vec![(*kind, step)])),
        }
    }
    groups
        .into_iter()
        .map(|(subject, steps)| part(run, subject, &steps))
        .collect()
}

fn part(run: &Run, subject: Statement, steps: &[(OperationKind, &StepSummary)]) -> Part {
    let figures = steps.iter().map(|(kind, step)| {
        Statement::new("operations-per-second")
            .number("rate", step.total.iops.unwrap_or(0.0))
            .part("operations", wording::several(*kind))
    });
    let of_kind = |(kind, step): &(OperationKind, &StepSummary)| {
        let rate = step.total.iops.unwrap_or(0.0);
        rests_on(
            kind.word(),
            wording::rate_and_median(rate, step.response_ns.p50),
        )
    };
    let mut evidence: Vec<SentenceEvidence> = steps.iter().map(of_kind).collect();
    let (cached, reads) = from_memory(run, steps);
    evidence.extend(reads);
    let cached = (!cached.is_empty()).then(|| {
        let cached = cached.into_iter().map(wording::several);
        Statement::new("answered-from-memory").parts("operations", cached)
    });
    let statement = Statement::new("small-files")
        .part("subject", subject)
        .parts("figures", figures)
        .part("cached", wording::optional(cached));
    Part {
        steps: steps.iter().map(|(_, step)| step.step).collect(),
        sentences: vec![sentence(statement, evidence)],
    }
}

/// Part of the bytes of new files that the device must have written while they were created, for the figure to be the device's.
const WRITTEN_ENOUGH: f64 = 0.5;

/// Operations that did not reach the device, by its own counters, and those counts. Files just written are in the caches of the kernel, and
/// new ones wait there to be written: such figures are the file system's and the memory's, not the device's.
fn from_memory(
    run: &Run,
    steps: &[(OperationKind, &StepSummary)],
) -> (Vec<OperationKind>, Vec<SentenceEvidence>) {
    let Some(device) = run.header.environment.text("device.name") else {
        return (Vec::new(), Vec::new());
    };
    let (counters, all) = (Counters::of(&run.readings), executions(run).0);
    let (mut cached, mut evidence) = (Vec::new(), Vec::new());
    for (kind, step) in steps {
        let metric = match kind {
            OperationKind::Stat | OperationKind::ReadFile | OperationKind::Open => "disk.reads",
            OperationKind::Create => "disk.write_bytes",
            _ => continue,
        };
        let mine = all.iter().filter(|execution| execution.step == step.step);
        let rises = mine.map(|execution| {
            let (start_ns, end_ns) = execution.extent_ns()?;
            counters
                .rise_around(metric, device, start_ns, end_ns)
                .map(|(rise, _)| rise)
        });
        // Unknown for one round is unknown for the step.
        let Some(rise) = rises.sum::<Option<f64>>() else {
            continue;
        };
        let (created, count) = (*kind == OperationKind::Create, step.total.count as f64);
        if created && rise < step.total.bytes as f64 * WRITTEN_ENOUGH {
            let bytes = |value: f64| (value, Unit::Bytes);
            evidence.push(rests_on(
                Statement::new("evidence-written-by-the-device").name("kind", kind.word()),
                part_of(bytes(rise), bytes(step.total.bytes as f64)),
            ));
            cached.push(*kind);
        } else if !created && rise <= count * FROM_MEMORY_MAX {
            evidence.push(rests_on(
                Statement::new("evidence-device-reads").name("kind", kind.word()),
                Statement::new("evidence-for-operations")
                    .number("reads", rise)
                    .count("operations", step.total.count),
            ));
            cached.push(*kind);
        }
    }
    (cached, evidence)
}
