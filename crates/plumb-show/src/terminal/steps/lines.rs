//! Which lines does the table of steps have? Steps, and below each its kinds of operation, jobs and workers.

use plumb_model::results::summary::{Latency, OperationSummary, StepSummary, in_order};

use super::super::layout::printable;

/// A line of the table of steps: a step, or one kind of operation of a step that did several.
pub(super) struct StepLine<'a> {
    pub name: String,
    pub figures: &'a OperationSummary,
    pub response: &'a Latency,
    /// Figures known only for the entire step.
    pub whole: Option<&'a StepSummary>,
}

/// Most lines of jobs and workers below a step.
pub(super) const PARTS_MAX: usize = 16;

/// The step, and below it each kind of operation if there are several, and each separately reported job and worker.
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

/// Jobs of a step with several, and separately reported workers: one line per kind of operation.
pub(super) fn parts_of(step: &StepSummary) -> Vec<StepLine<'_>> {
    let several = step.operations.len() > 1 || !step.jobs.is_empty();
    let mut lines = Vec::new();
    for (part, operations) in step.parts() {
        for (kind, figures) in in_order(operations) {
            let name = match several {
                true => format!("  {}: {}", printable(&part), printable(kind)),
                false => format!("  {}", printable(&part)),
            };
            lines.push(part_line(name, figures));
        }
    }
    lines
}
