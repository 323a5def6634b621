//! Which calls took longest? A few of them, with all known details.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use plumb_model::trace::events::Answered;
use plumb_model::trace::work::SlowCall;

/// Calls that are kept.
const KEPT: usize = 20;

/// A call, and the name of its file as it was known then.
struct Kept {
    answered: Answered,
    file: Option<Arc<str>>,
    /// Of two that took as long, the one that was answered first is kept.
    number: u64,
}

impl Kept {
    fn rank(&self) -> (u64, Reverse<u64>) {
        (self.answered.service_ns(), Reverse(self.number))
    }
}

impl PartialEq for Kept {
    fn eq(&self, other: &Kept) -> bool {
        self.rank() == other.rank()
    }
}

impl Eq for Kept {}

impl PartialOrd for Kept {
    fn partial_cmp(&self, other: &Kept) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Kept {
    fn cmp(&self, other: &Kept) -> std::cmp::Ordering {
        self.rank().cmp(&other.rank())
    }
}

/// The slowest so far, the quickest of them on top.
#[derive(Default)]
pub struct SlowestTally {
    kept: BinaryHeap<Reverse<Kept>>,
    number: u64,
}

impl SlowestTally {
    /// Whether this call is among them.
    pub fn wants(&self, answered: &Answered) -> bool {
        let quickest = self.kept.peek().map(|Reverse(of)| of.answered.service_ns());
        self.kept.len() < KEPT || quickest.is_some_and(|quickest| answered.service_ns() > quickest)
    }

    /// Keeps it, and drops the fastest if there are too many.
    pub fn keep(&mut self, answered: &Answered, file: Option<Arc<str>>) {
        self.number += 1;
        self.kept.push(Reverse(Kept {
            answered: *answered,
            file,
            number: self.number,
        }));
        if self.kept.len() > KEPT {
            self.kept.pop();
        }
    }

    /// The longest first, counted from the first call of the trace; with the names of threads.
    pub fn figures(self, first_ns: u64, thread: impl Fn(u32) -> Option<String>) -> Vec<SlowCall> {
        let mut kept: Vec<Kept> = self.kept.into_iter().map(|Reverse(of)| of).collect();
        kept.sort_by_key(|of| Reverse(of.rank()));
        let figures = |of: Kept| {
            let Answered { call, status, .. } = of.answered;
            SlowCall {
                after_ns: call.at_ns.saturating_sub(first_ns),
                service_ns: of.answered.service_ns(),
                call: call.name.into(),
                class: call.class,
                thread: thread(call.lane),
                file: of.file.as_deref().map(str::to_string),
                offset: call.offset,
                bytes: call.bytes,
                moved_bytes: of.answered.moved_bytes,
                status: status.map(|status| match status.name {
                    Some(name) => name.into(),
                    None => format!("0x{:08x}", status.code),
                }),
            }
        };
        kept.into_iter().map(figures).collect()
    }
}
