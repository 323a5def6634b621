//! Which operations have a priority of their own, and which?

use plumb_model::workload::{OperationKind, Workload};
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// IOPRIO_CLASS_SHIFT of linux/ioprio.h.
const CLASS_SHIFT: u16 = 13;

/// Draws them by their share.
#[derive(Debug, Clone)]
pub struct Urgent {
    priority: u16,
    percent: f64,
    draws: Xoshiro256PlusPlus,
}

impl Urgent {
    /// Those of one worker of this process; `None` where no operation has any.
    pub fn of(workload: &Workload, seed: u64, worker: u32) -> Option<Urgent> {
        let urgent = workload.urgent?;
        let (class, level) = urgent.priority.class_and_level();
        Some(Urgent {
            priority: u16::from(class) << CLASS_SHIFT | u16::from(level),
            percent: urgent.percent,
            draws: Xoshiro256PlusPlus::seed_from_u64(
                seed ^ u64::from(workload.number_of(worker)).rotate_left(32),
            ),
        })
    }

    /// The priority of the next operation in the form of the kernel; 0: that of the thread.
    pub fn next(&mut self, kind: OperationKind) -> u16 {
        if !matches!(kind, OperationKind::Read | OperationKind::Write) {
            return 0;
        }
        let drawn = (self.draws.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
        if drawn * 100.0 < self.percent {
            self.priority
        } else {
            0
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn so_many_operations_are_urgent() {
        let workload = Workload {
            urgent: "20% best-effort:3".parse().ok(),
            ..Workload::default()
        };
        let mut urgent = Urgent::of(&workload, 7, 1).expect("some");
        let drawn: Vec<u16> = (0..10_000)
            .map(|_| urgent.next(OperationKind::Write))
            .collect();
        let count = drawn
            .iter()
            .filter(|priority| **priority == 2 << 13 | 3)
            .count();
        assert!((1800..2200).contains(&count), "{count}");
        assert_eq!(
            drawn.iter().filter(|priority| **priority == 0).count(),
            10_000 - count
        );
        assert_eq!(urgent.next(OperationKind::Flush), 0);
        assert!(Urgent::of(&Workload::default(), 7, 1).is_none());
    }
}
