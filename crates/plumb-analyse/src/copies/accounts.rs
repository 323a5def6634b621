//! What did each copy of a copy test count, and did it fail?

use std::collections::BTreeMap;

use plumb_model::results::copies::copy_numbers as numbers;
use plumb_model::run::{Event, Run};

use crate::figures::executions::{Execution, executions};

pub(super) type Account = BTreeMap<String, f64>;

/// What each copy counted, by execution.
pub(super) fn accounts(run: &Run) -> BTreeMap<u32, &Account> {
    let closed = run.notes.iter().filter_map(|note| match &note.event {
        Event::EngineClosed {
            execution, account, ..
        } => Some((*execution, &account.numbers)),
        _ => None,
    });
    closed.collect()
}

/// One copy as it went.
pub(super) struct Copy<'a> {
    pub account: &'a Account,
    /// Its error by name; none if it was intact as far as known.
    pub error: Option<&'a str>,
}

impl Copy<'_> {
    pub fn number(&self, name: &str) -> Option<f64> {
        self.account.get(name).copied()
    }

    pub fn bandwidth(&self) -> Option<f64> {
        let (bytes, elapsed_s) = (
            self.number(numbers::BYTES)?,
            self.number(numbers::ELAPSED_S)?,
        );
        (elapsed_s > 0.0).then(|| bytes / elapsed_s)
    }
}

/// Copies of one step that were carried out and recorded to their end.
pub(super) fn copies<'a>(run: &'a Run, step: &str) -> Vec<Copy<'a>> {
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
