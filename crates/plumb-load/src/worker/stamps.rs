//! When was an operation due, submitted, and accepted by the system? Kept in its slot while it is in flight.

use std::ops::Range;

use super::{Slot, Worker};

impl Worker<'_> {
    /// Notes when the operations start: content is made by now, so its cost is in no latency.
    #[inline(always)]
    pub(super) fn stamp<const EACH: bool>(&mut self, chosen: &Range<usize>) {
        let mut now = self.task.clock.now_ns();
        let slots = self.slots.as_mut_slice();
        for (index, op) in self.ops[chosen.clone()].iter().enumerate() {
            if EACH && index > 0 {
                now = self.task.clock.now_ns();
            }
            // Field by field: put together first, a slot goes over the stack.
            let slot = &mut slots[op.slot as usize];
            slot.op = *op;
            (slot.due_ns, slot.start_ns, slot.accepted_ns) = (now, now, now);
        }
    }

    /// The same for an open loop: counts how late each operation starts.
    pub(super) fn stamp_due(&mut self, chosen: &Range<usize>, due: &[u64]) {
        for (op, due_ns) in self.ops[chosen.clone()].iter().zip(due) {
            let start_ns = self.task.clock.now_ns();
            self.slots[op.slot as usize] = Slot {
                due_ns: (*due_ns).min(start_ns),
                ..Slot::of(*op, start_ns)
            };
            if let Some(lateness) = &mut self.tick.lateness {
                lateness.record(start_ns.saturating_sub(*due_ns));
            }
        }
    }

    /// Notes that the system has accepted the operations.
    #[inline(never)]
    pub(super) fn stamp_accepted(&mut self, chosen: &Range<usize>) {
        let now = self.task.clock.now_ns();
        for op in &self.ops[chosen.clone()] {
            self.slots[op.slot as usize].accepted_ns = now;
        }
    }

    /// Counts the parts of the service time of a success, where they are measured.
    #[inline(never)]
    pub(super) fn count_parts(&mut self, slot: &Slot, now: u64) {
        let index = usize::from(self.index_of_kind[slot.op.kind as usize]);
        if let Some(split) = &mut self.tick.kinds[index].split {
            let submission_ns = slot.accepted_ns.saturating_sub(slot.start_ns);
            let service_ns = now.saturating_sub(slot.start_ns);
            split.record_n(submission_ns, service_ns.saturating_sub(submission_ns), 1);
        }
    }

    /// Counts a success by its priority, where operations have several.
    #[inline(never)]
    pub(super) fn count_priority(&mut self, slot: &Slot, now: u64) {
        let index = usize::from(self.index_of_kind[slot.op.kind as usize]);
        let mut priorities = self.tick.kinds[index].priorities.iter_mut();
        if let Some(of) = priorities.find(|of| of.priority == slot.op.priority) {
            of.service.record_n(now.saturating_sub(slot.start_ns), 1);
            if let Some(response) = &mut of.response {
                response.record_n(now.saturating_sub(slot.due_ns), 1);
            }
            if let Some(completion) = &mut of.completion {
                completion.record_n(now.saturating_sub(slot.accepted_ns), 1);
            }
        }
    }
}
