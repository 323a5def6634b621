//! What did one worker of a job do in one execution? Recorded once, when it has ended.

use serde::{Deserialize, Serialize};

use crate::run::step_end::StopReason;
use crate::run::tick::KindTick;

/// Figures of one worker in one execution: its measured time, without warm-up.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WorkerEnd {
    /// What ended this worker. Workers with a fixed amount of work end one by one.
    pub stopped_by: StopReason,
    /// Start and end of its measured time, nanoseconds since the start of the run. Includes the drain if the amount of work was fixed. Equal
    /// if it measured nothing.
    pub start_ns: u64,
    pub end_ns: u64,
    /// Completions within that time, by kind; the histograms also contain those of the drain. Empty unless the job reports its workers separately
    /// (`workers-apart`): the intervals have the sum over all workers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kinds: Vec<KindTick>,
    /// CPU time in user and kernel mode, context switches (the thread waited, was preempted) and page faults (served from memory, from storage) of the
    /// worker's thread. Missing if the system does not report it.
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
    /// Latency of each flush by `flush-at-end` after its last operation. Also counted in kinds and intervals.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub end_flushes_ns: Vec<u64>,
}

/// Queue depths, and batch sizes of submissions and completions: counts by power of two, without trailing zeros.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Levels {
    /// Operations by number in flight at submission, including themselves: index i counts 2^i to 2^(i+1)-1.
    pub in_flight: Vec<u64>,
    /// Submissions by number of operations: index i counts more than 2^(i-1) and at most 2^i.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub submitted: Vec<u64>,
    /// Reaps that found completions, by their number: index i counts more than 2^(i-1) and at most 2^i.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub completed: Vec<u64>,
}

impl Levels {
    /// Nothing was submitted.
    pub fn is_empty(&self) -> bool {
        self.in_flight.is_empty() && self.submitted.is_empty() && self.completed.is_empty()
    }

    /// Mean number of operations of a submission; missing if none was counted.
    pub fn operations_per_submission(&self) -> Option<f64> {
        let sum = |counts: &[u64]| counts.iter().map(|count| *count as f64).sum::<f64>();
        let submissions = sum(&self.submitted);
        (submissions > 0.0).then(|| sum(&self.in_flight) / submissions)
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
        assert_eq!(sum.operations_per_submission(), Some(18.0 / 7.0));
        assert_eq!((sum.in_flight, sum.submitted), (vec![11, 2, 5], vec![7]));
        assert!(Levels::default().is_empty());
        assert_eq!(Levels::default().operations_per_submission(), None);
    }
}
