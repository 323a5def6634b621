//! Were the blocks that the run wrote read back correctly? Stated if all are; mismatches are findings.

use plumb_model::results::summary::{Sentence, StepSummary, Summary};
use plumb_model::run::{Event, Run};
use plumb_model::statement::{Argument, Statement};

use super::part::sentence;
use crate::phrases::rests_on;

/// What was checked, over all targets; `None`: nothing was to be verified, or something is wrong or lost.
pub(super) fn verified(run: &Run, summary: &Summary) -> Option<Sentence> {
    let is_damaged = |step: &StepSummary| step.total.errors_by_kind.contains_key("mismatch");
    if summary.steps.iter().any(is_damaged) {
        return None;
    }
    let accounts = run.notes.iter().filter_map(|note| match &note.event {
        Event::Warning { text } => account(text),
        _ => None,
    });
    let sums = accounts.reduce(|sum, more| (sum.0 + more.0, sum.1 + more.1));
    let (checked, undecided) = sums?;
    let statement = match (checked, undecided) {
        (0, 0) => Statement::new("verified-no-block"),
        (_, 0) => Statement::new("verified-blocks").count("checked", checked),
        _ => Statement::new("verified-some-blocks")
            .count("checked", checked)
            .count("undecided", undecided),
    };
    let evidence = rests_on(Statement::new("evidence-blocks-checked"), checked);
    Some(sentence(statement, vec![evidence]))
}

/// Blocks that were checked, and those of them that could not be judged.
fn account(statement: &Statement) -> Option<(u64, u64)> {
    let known = ["verified-all", "verified-in-part", "verified-nothing"];
    let count = |name: &str| match statement.arguments.get(name) {
        Some(Argument::Count(count)) => *count,
        _ => 0,
    };
    known
        .contains(&statement.id.as_ref())
        .then(|| (count("checked"), count("undecided")))
}
