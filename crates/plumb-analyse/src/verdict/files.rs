//! How fast are operations on small files?

use plumb_model::summary::{StepSummary, Summary};
use plumb_model::units::{show_bytes, show_count, show_time_ns};
use plumb_model::workload::OperationKind;

use super::{Part, sentence, wording};
use crate::curves::step_of;

/// One sentence for all steps of one kind of file operation each that differ in nothing else; steps in which load is swept are ladders.
pub(super) fn sentences(summary: &Summary) -> Vec<Part> {
    let mut groups: Vec<(String, Vec<(OperationKind, &StepSummary)>)> = Vec::new();
    for step in &summary.steps {
        let ladder = ["depth", "workers", "rate"].iter().any(|key| step.swept.contains_key(*key));
        let Some(job) = step_of(summary, step).and_then(|planned| planned.jobs.first()) else { continue };
        let [(kind, _)] = job.workload.mix.0.as_slice() else { continue };
        if ladder || !kind.is_file_operation() || step.total.iops.is_none_or(|iops| iops <= 0.0) {
            continue;
        }
        let size = show_bytes(job.workload.largest_block_bytes() as f64);
        let workers = if job.workload.workers > 1 { format!(", {} workers", job.workload.workers) } else { String::new() };
        let name = format!("Small files of {size}{workers}{}", wording::settings(step, &["block", "mix", "pattern"]));
        match groups.iter_mut().find(|(held, _)| *held == name) {
            Some((_, steps)) => steps.push((*kind, step)),
            None => groups.push((name, vec![(*kind, step)])),
        }
    }
    groups.into_iter().map(|(name, steps)| part(&name, &steps)).collect()
}

fn part(name: &str, steps: &[(OperationKind, &StepSummary)]) -> Part {
    let rate = |step: &StepSummary| show_count(step.total.iops.unwrap_or(0.0));
    let figures: Vec<String> = steps.iter().map(|(kind, step)| format!("{} {}/s", rate(step), wording::plural(*kind))).collect();
    let mut evidence = Vec::new();
    for (kind, step) in steps {
        let median = step.response_ns.p50.map(|ns| format!(", median {}", show_time_ns(ns))).unwrap_or_default();
        evidence.push((kind.word().to_string(), format!("{}/s{median}", rate(step))));
    }
    let text = format!("{name}: {}.", figures.join(", "));
    Part { steps: steps.iter().map(|(_, step)| step.step).collect(), sentences: vec![sentence(text, evidence)] }
}
