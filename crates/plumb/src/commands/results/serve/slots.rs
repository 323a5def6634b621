//! How many records may be read at once? Few: each takes a CPU and memory, and what is measured meanwhile should not be disturbed by more.

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

/// Places for those who read records.
#[derive(Debug)]
pub struct Slots {
    free: Mutex<u32>,
    freed: Condvar,
}

/// A place, given back when it is dropped.
#[derive(Debug)]
pub struct Slot<'s>(&'s Slots);

impl Slots {
    pub fn new(places: u32) -> Slots {
        Slots {
            free: Mutex::new(places),
            freed: Condvar::new(),
        }
    }

    /// A place, waited for at most so long.
    pub fn take(&self, wait: Duration) -> Option<Slot<'_>> {
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.freed.wait_timeout_while(free, wait, |free| *free == 0);
        let (mut free, _) = waited.unwrap_or_else(PoisonError::into_inner);
        if *free == 0 {
            return None;
        }
        *free -= 1;
        Some(Slot(self))
    }
}

impl Drop for Slot<'_> {
    fn drop(&mut self) {
        *self.0.free.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.0.freed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_given_once_and_comes_back() {
        let slots = Slots::new(1);
        let first = slots.take(Duration::ZERO);
        assert!(first.is_some() && slots.take(Duration::ZERO).is_none());
        drop(first);
        assert!(slots.take(Duration::ZERO).is_some());
    }
}
