//! Which step and round does an interval belong to? The run notes it when an execution starts.

use std::collections::BTreeMap;

use plumb_model::run::{Event, Run};

/// Steps and rounds of the executions of a run.
pub struct ExecutionIndex<'a> {
    run: &'a Run,
    executions: BTreeMap<u32, (u32, u32)>,
}

impl<'a> ExecutionIndex<'a> {
    pub fn of(run: &'a Run) -> ExecutionIndex<'a> {
        let started = run.notes.iter().filter_map(|note| match note.event {
            Event::ExecutionStarted {
                execution,
                step,
                round,
            } => Some((execution, (step, round))),
            _ => None,
        });
        ExecutionIndex {
            run,
            executions: started.collect(),
        }
    }

    /// Index of its step in the plan; missing if the note of its start was lost.
    pub fn step_of(&self, execution: u32) -> Option<u32> {
        self.executions.get(&execution).map(|(step, _)| *step)
    }

    /// Its round, from 0.
    pub fn round_of(&self, execution: u32) -> Option<u32> {
        self.executions.get(&execution).map(|(_, round)| *round)
    }

    /// Name of its step; empty if unknown.
    pub fn name_of(&self, execution: u32) -> &'a str {
        let step = self
            .step_of(execution)
            .and_then(|step| self.run.header.plan.steps.get(step as usize));
        step.map_or("", |step| step.name.as_str())
    }
}
