//! Which lines does the table of steps have? Steps, and below each its kinds of operation, jobs and workers.

use plumb_model::results::summary::{Latency, OperationSummary, StepSummary, in_order};

use super::super::layout::printable;

/// A line of the table of steps: a step, or one kind of operation of a step that did several.
pub(super) struct StepLine<'a> {
    pub name: String,
    pub figures: &'a OperationSummary,
    pub response: &'a Latency,
    /// What is known of a step as a whole only.
    pub whole: Option<&'a StepSummary>,
}

/// Most lines of jobs and workers below a step.
pub(super) const PARTS_MAX: usize = 16;

/// The step, and below it each kind of operation where there are several, and each job and worker that is told by itself.
pub(super) fn lines_of(step: &StepSummary) -> Vec<StepLine<'_>> {
    let whole = StepLine {
        name: printable(&step.name),
        figures: &step.total,
        response: &step.response_ns,
        whole: Some(step),
    };
    let kinds = step.kinds();
    let kinds = kinds.into_iter().filter(|_| step.operations.len() > 1);
    let kinds = kinds.map(|(kind, figures)| part_line(format!("  {}", printable(kind)), figures));
    let parts = parts_of(step).into_iter().take(PARTS_MAX);
    std::iter::once(whole).chain(kinds).chain(parts).collect()
}

fn part_line(name: String, figures: &OperationSummary) -> StepLine<'_> {
    StepLine {
        name,
        figures,
        response: &figures.response_ns,
        whole: None,
    }
}

/// Jobs of a step with several, and the workers that are told by themselves: a line for each kind of operation.
pub(super) fn parts_of(step: &StepSummary) -> Vec<StepLine<'_>> {
    let mut lines = Vec::new();
    for job in &step.jobs {
        for (kind, figures) in in_order(&job.operations) {
            let name = format!(
                "  {}: {}",
                printable(step.job_name(&job.name)),
                printable(kind)
            );
            lines.push(part_line(name, figures));
        }
        workers_of(step, &job.name, &mut lines);
    }
    if step.jobs.is_empty() {
        workers_of(step, "", &mut lines);
    }
    lines
}

/// The workers of one job, named after it or, where the step has one, after the step.
fn workers_of<'s>(step: &'s StepSummary, job: &str, lines: &mut Vec<StepLine<'s>>) {
    let workers = step.workers.iter();
    for worker in workers.filter(|worker| worker.job == job || step.jobs.is_empty()) {
        let name = worker_name(step, job, worker.worker);
        for (kind, figures) in in_order(&worker.operations) {
            let name = match step.operations.len() {
                1 => format!("  {name}"),
                _ => format!("  {name}: {}", printable(kind)),
            };
            lines.push(part_line(name, figures));
        }
    }
}

/// `job.0`: a worker of a job, numbered as fio numbers the files of its clones.
pub(crate) fn worker_name(step: &StepSummary, job: &str, worker: u32) -> String {
    format!("{}.{worker}", printable(step.job_name(job)))
}
