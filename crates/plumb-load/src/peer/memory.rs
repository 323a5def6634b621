//! How much memory may clients make this host use? One limit for all of them; what does not fit is refused before it is touched.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Memory that is shared out, in bytes.
#[derive(Debug)]
pub struct Memory {
    taken: AtomicU64,
    most: u64,
}

/// A share of it, released on drop.
#[derive(Debug)]
pub struct Share {
    memory: Arc<Memory>,
    bytes: u64,
}

impl Memory {
    /// At most so many bytes.
    pub fn new(most: u64) -> Arc<Memory> {
        Arc::new(Memory {
            taken: AtomicU64::new(0),
            most,
        })
    }

    /// A share of so many bytes; `None` when all shares together would be more than there may be.
    pub fn take(self: &Arc<Memory>, bytes: u64) -> Option<Share> {
        let fits = |taken: u64| taken.checked_add(bytes).filter(|sum| *sum <= self.most);
        self.taken
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits)
            .ok()
            .map(|_| Share {
                memory: self.clone(),
                bytes,
            })
    }

    /// The limit in bytes.
    pub fn most(&self) -> u64 {
        self.most
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.memory.taken.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_released_and_never_more_than_there_is() {
        let memory = Memory::new(100);
        let first = memory.take(60).expect("a share");
        assert!(memory.take(41).is_none() && memory.take(u64::MAX).is_none());
        let second = memory.take(40).expect("the rest");
        drop(first);
        assert!(memory.take(61).is_none() && memory.take(60).is_some());
        drop(second);
    }
}
