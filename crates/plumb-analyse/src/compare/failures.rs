//! Which side failed where the other did not? Failed operations and mismatched blocks, step by step.

use plumb_model::run::tick::Phase;
use plumb_model::statement::Statement;
use plumb_model::workload::OperationKind;

use crate::compare::figures::Measured;

/// Share of failed operations from which on the figures of a step are those of another workload.
const MANY: f64 = 0.001;
/// Factor between two sides' shares from which on one fails clearly more often.
const CLEARLY: f64 = 2.0;

/// Failed operations of one side in one step.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Failures {
    /// Operations that completed.
    pub completed: u64,
    /// Operations that failed, without mismatches.
    pub failed: u64,
    /// Blocks that were read back wrong, and damaged copies.
    pub mismatches: u64,
    /// The copies among them.
    pub copies: u64,
    /// Rounds that could not run or ended with an error.
    pub rounds: u32,
}

impl Failures {
    /// Over all rounds of a step, those that failed too.
    pub fn of(measured: &Measured, step: usize) -> Failures {
        let mut found = Failures::default();
        for execution in measured.executions(step) {
            let ended_badly = execution.failed.is_some()
                || execution.stopped_by.is_some_and(|by| by.error().is_some());
            found.rounds += u32::from(ended_badly);
            for kind in execution
                .ticks
                .iter()
                .filter(|tick| tick.phase != Phase::WarmUp)
                .flat_map(|tick| &tick.kinds)
            {
                found.completed = found.completed.saturating_add(kind.count);
                for (error, count) in &kind.errors {
                    if kind.kind == OperationKind::Copy && error == "mismatch" {
                        found.copies = found.copies.saturating_add(*count);
                    }
                    let sum = if error == "mismatch" {
                        &mut found.mismatches
                    } else {
                        &mut found.failed
                    };
                    *sum = sum.saturating_add(*count);
                }
            }
        }
        found
    }

    fn share(&self) -> f64 {
        let all = self.completed as f64 + self.failed as f64;
        if all > 0.0 {
            self.failed as f64 / all
        } else {
            0.0
        }
    }

    /// True when this side fails clearly more often than the other.
    pub fn exceed(&self, other: &Failures) -> bool {
        let more_fail = self.failed > 0 && self.share() > CLEARLY * other.share();
        (self.mismatches > 0 && other.mismatches == 0)
            || more_fail
            || (self.rounds > 0 && other.rounds == 0)
    }

    /// True when so much of it failed that its figures must not win.
    pub fn spoil(&self) -> bool {
        self.mismatches > 0 || self.share() > MANY
    }

    /// `1,200 of 10,000 operations failed`, `1 copy was not whole`: without the side.
    pub fn statements(&self) -> Vec<Statement> {
        let blocks = self.mismatches - self.copies.min(self.mismatches);
        let all = self.completed.saturating_add(self.failed);
        let parts = [
            (
                blocks,
                Statement::new("blocks-not-as-written").count("blocks", blocks),
            ),
            (
                self.copies,
                Statement::new("copies-were-not-whole").count("copies", self.copies),
            ),
            (
                self.failed,
                Statement::new("some-operations-failed")
                    .count("failed", self.failed)
                    .count("all", all),
            ),
            (
                u64::from(self.rounds),
                Statement::new("rounds-failed").count("rounds", u64::from(self.rounds)),
            ),
        ];
        parts
            .into_iter()
            .filter(|(count, _)| *count > 0)
            .map(|(_, statement)| statement)
            .collect()
    }
}

/// One side that fails where another does not.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct FailingSide {
    pub step: String,
    /// Index of the side that fails.
    pub side: usize,
    pub failures: Failures,
}

/// The sides that fail somewhere, each once.
pub(super) fn failing_sides(failures: &[FailingSide]) -> Vec<u32> {
    let mut sides: Vec<u32> = failures
        .iter()
        .map(|failing_side| failing_side.side as u32)
        .collect();
    sides.sort_unstable();
    sides.dedup();
    sides
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failed(failed: u64, of: u64) -> Failures {
        Failures {
            completed: of - failed,
            failed,
            ..Failures::default()
        }
    }

    #[test]
    fn a_side_fails_more_often_from_twice_as_often_on() {
        let check = |here: Failures, other: Failures, expect: bool| {
            assert_eq!(here.exceed(&other), expect, "{here:?} {other:?}");
        };
        let none = failed(0, 1000);
        check(failed(1, 1000), none, true);
        check(none, none, false);
        check(failed(2, 1000), failed(1, 1000), false);
        check(failed(3, 1000), failed(1, 1000), true);
        // The share counts: as many failed of ten times as many.
        check(failed(3, 10_000), failed(1, 1000), false);
        let mismatches = |mismatches| Failures { mismatches, ..none };
        check(mismatches(1), none, true);
        check(mismatches(9), mismatches(1), false);
        let rounds = |rounds| Failures { rounds, ..none };
        check(rounds(1), none, true);
        check(rounds(9), rounds(1), false);
    }

    #[test]
    fn more_than_one_in_a_thousand_spoils_the_figures() {
        assert!(failed(2, 1000).spoil() && !failed(1, 1000).spoil());
        assert!(!Failures::default().spoil());
        let mismatch = Failures {
            mismatches: 1,
            ..failed(0, 1000)
        };
        assert!(mismatch.spoil());
    }

    #[test]
    fn each_kind_of_failure_is_counted_once() {
        let all = Failures {
            completed: 10,
            failed: 2,
            mismatches: 5,
            copies: 2,
            rounds: 1,
        };
        let expect = [
            Statement::new("blocks-not-as-written").count("blocks", 3),
            Statement::new("copies-were-not-whole").count("copies", 2),
            Statement::new("some-operations-failed")
                .count("failed", 2)
                .count("all", 12),
            Statement::new("rounds-failed").count("rounds", 1),
        ];
        assert_eq!(all.statements(), expect);
        assert_eq!(failed(0, 10).statements(), []);
    }
}
