//! What did one worker of a job do over one execution? Told once, when it has ended.

use serde::{Deserialize, Serialize};

use crate::run::step_end::StopReason;
use crate::run::tick::KindTick;

/// One worker's account of one execution: its measured time, without the warm-up.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WorkerEnd {
    /// What ended this worker. Workers with an amount of work of their own end one by one.
    pub stopped_by: StopReason,
    /// First and last moment of what it measured, nanoseconds since the start of the run. The drain is part of it where the amount of work was fixed. Equal
    /// where it measured nothing.
    pub start_ns: u64,
    pub end_ns: u64,
    /// What it completed within that time, by kind; the histograms hold what ended in the drain as well. Empty unless the job keeps its workers apart
    /// (`workers-apart`): the intervals tell what all workers did together.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kinds: Vec<KindTick>,
    /// CPU time in user and kernel mode, context switches (the thread waited, was preempted) and page faults (served from memory, from storage) of the
    /// worker's thread. Missing where the system does not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_user_ns: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_system_ns: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub voluntary_switches: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub involuntary_switches: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub minor_faults: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub major_faults: Option<u64>,
    #[serde(default, skip_serializing_if = "Levels::is_empty")]
    pub levels: Levels,
    /// How long each flush took that `flush-at-end` had it carry out after its last operation. Kinds and intervals count them as well.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub end_flushes_ns: Vec<u64>,
}

/// How deep the queue was, and how many operations went and came together: counts by power of two, without the zeros at the end.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Levels {
    /// Operations by how many were in flight when they had been submitted, they among them: the number at index i is of 2^i to 2^(i+1)-1.
    pub in_flight: Vec<u64>,
    /// Submissions by how many operations they held: at index i more than 2^(i-1) and at most 2^i.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub submitted: Vec<u64>,
    /// Looks for completions that found some, by how many: at index i more than 2^(i-1) and at most 2^i.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub completed: Vec<u64>,
}

impl Levels {
    /// Nothing was submitted.
    pub fn is_empty(&self) -> bool {
        self.in_flight.is_empty() && self.submitted.is_empty() && self.completed.is_empty()
    }

    /// Adds those of another worker or execution.
    pub fn add(&mut self, other: &Levels) {
        for (mine, theirs) in [
            (&mut self.in_flight, &other.in_flight),
            (&mut self.submitted, &other.submitted),
            (&mut self.completed, &other.completed),
        ] {
            if mine.len() < theirs.len() {
                mine.resize(theirs.len(), 0);
            }
            for (sum, more) in mine.iter_mut().zip(theirs) {
                *sum = sum.saturating_add(*more);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_of_different_length_add_up() {
        let mut sum = Levels {
            in_flight: vec![1, 2],
            ..Levels::default()
        };
        sum.add(&Levels {
            in_flight: vec![10, 0, 5],
            submitted: vec![7],
            completed: Vec::new(),
        });
        assert_eq!((sum.in_flight, sum.submitted), (vec![11, 2, 5], vec![7]));
        assert!(Levels::default().is_empty());
    }
}
