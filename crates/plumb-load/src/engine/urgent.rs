//! Which operations have a priority of their own, and which?

use std::iter::once;

use plumb_model::workload::{IoPriority, OperationKind, UrgentShare, Workload};
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// IOPRIO_CLASS_SHIFT of linux/ioprio.h.
const CLASS_SHIFT: u16 = 13;

/// Draws them by their shares.
#[derive(Debug, Clone)]
pub struct Urgent {
    shares: Vec<UrgentShare>,
    draws: Xoshiro256PlusPlus,
}

/// A priority in the form of the kernel.
fn in_kernel_form(priority: IoPriority) -> u16 {
    let (class, level) = priority.class_and_level();
    u16::from(class) << CLASS_SHIFT | u16::from(level)
}

/// The priorities that operations of a kind can have, in rising order: that of the thread, 0, and those of the shares. Empty where no operation has any.
pub fn priorities_of(workload: &Workload, kind: OperationKind) -> Vec<u16> {
    let Some(shares) = workload.urgent.as_ref().filter(|_| has_priority(kind)) else {
        return Vec::new();
    };
    let of_kind = shares.0.iter();
    let of_kind = of_kind.filter(|share| share.kind.is_none_or(|of| of == kind));
    let mut all: Vec<u16> = once(0)
        .chain(of_kind.map(|share| in_kernel_form(share.priority)))
        .collect();
    all.sort_unstable();
    all.dedup();
    all
}

fn has_priority(kind: OperationKind) -> bool {
    matches!(kind, OperationKind::Read | OperationKind::Write)
}

impl Urgent {
    /// Those of one worker of this process; `None` where no operation has any.
    pub fn of(workload: &Workload, seed: u64, worker: u32) -> Option<Urgent> {
        Some(Urgent {
            shares: workload.urgent.as_ref()?.0.clone(),
            draws: Xoshiro256PlusPlus::seed_from_u64(
                seed ^ u64::from(workload.number_of(worker)).rotate_left(32),
            ),
        })
    }

    /// The priority of the next operation in the form of the kernel; 0: that of the thread.
    pub fn next(&mut self, kind: OperationKind, block_bytes: u32) -> u16 {
        if !has_priority(kind) {
            return 0;
        }
        let drawn = (self.draws.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
        let mut left = drawn * 100.0;
        for share in self
            .shares
            .iter()
            .filter(|share| share.is_of(kind, block_bytes))
        {
            if left < share.percent {
                return in_kernel_form(share.priority);
            }
            left -= share.percent;
        }
        0
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
            .map(|_| urgent.next(OperationKind::Write, 4096))
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
        assert_eq!(urgent.next(OperationKind::Flush, 0), 0);
        assert!(Urgent::of(&Workload::default(), 7, 1).is_none());
    }

    #[test]
    fn shares_are_those_of_a_kind_and_a_block_size() {
        let workload = Workload {
            urgent: "read 64k 25% realtime:1, read 64k 75% idle, write 100% best-effort:2"
                .parse()
                .ok(),
            ..Workload::default()
        };
        let mut urgent = Urgent::of(&workload, 7, 1).expect("some");
        let mut counts = [0; 2];
        for _ in 0..10_000 {
            match urgent.next(OperationKind::Read, 65536) {
                0x2001 => counts[0] += 1,
                0x6000 => counts[1] += 1,
                other => panic!("{other:x}"),
            }
            assert_eq!(urgent.next(OperationKind::Read, 4096), 0);
            assert_eq!(urgent.next(OperationKind::Write, 4096), 0x4002);
        }
        assert!((2200..2800).contains(&counts[0]), "{counts:?}");
        let of = |kind| priorities_of(&workload, kind);
        assert_eq!(of(OperationKind::Read), [0, 0x2001, 0x6000]);
        assert_eq!(of(OperationKind::Write), [0, 0x4002]);
        assert!(of(OperationKind::Trim).is_empty());
    }
}
