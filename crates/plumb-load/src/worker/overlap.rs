//! Which of the operations that come next share bytes with one in flight? With serialize-overlap and trim-first they wait for it.

use super::Worker;
use crate::engine::operation::Op;

impl Worker<'_> {
    /// How many of the next `count` operations drawn ahead may be submitted: those before the first that shares bytes with one in flight, or with one
    /// of them.
    #[inline(always)]
    pub(super) fn apart(&self, count: usize) -> usize {
        let workload = self.task.workload;
        if workload.serialize_overlap || workload.trim_first {
            return self.before_overlap(count);
        }
        count
    }

    #[inline(never)]
    fn before_overlap(&self, count: usize) -> usize {
        let mut is_busy = vec![true; self.slots.len()];
        let thinking = self.thinking.iter().map(|(_, slot)| slot);
        for slot in self.free.iter().chain(thinking) {
            is_busy[*slot as usize] = false;
        }
        let slots = self.slots.iter().zip(is_busy);
        let in_flight: Vec<&Op> = slots
            .filter_map(|(slot, is_busy)| is_busy.then_some(&slot.op))
            .collect();
        let next = &self.ops[self.ahead.start..self.ahead.start + count];
        let waits = |index: &usize| {
            let before = in_flight.iter().copied().chain(&next[..*index]);
            before.into_iter().any(|op| overlap(op, &next[*index]))
        };
        (0..count).find(waits).unwrap_or(count)
    }
}

fn overlap(one: &Op, other: &Op) -> bool {
    one.file == other.file
        && one.offset < other.offset + u64::from(other.len)
        && other.offset < one.offset + u64::from(one.len)
}
