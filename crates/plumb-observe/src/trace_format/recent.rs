//! What is known of the numbers that were used last? A table that forgets those that nobody asks for, so that it does not grow with a trace.

use std::collections::HashMap;

use foldhash::fast::RandomState;

/// Numbers that are remembered at least; twice as many at most.
const REMEMBERED: usize = 131_072;

/// What is remembered of each number.
#[derive(Debug)]
pub struct Recent<V> {
    now: HashMap<u64, V, RandomState>,
    /// Those of before; they move to the others when they are requested.
    before: HashMap<u64, V, RandomState>,
}

impl<V> Default for Recent<V> {
    fn default() -> Recent<V> {
        Recent {
            now: HashMap::default(),
            before: HashMap::default(),
        }
    }
}

impl<V> Recent<V> {
    pub fn get(&mut self, number: u64) -> Option<&V> {
        if let Some(known) = self.before.remove(&number) {
            self.insert(number, known);
        }
        self.now.get(&number)
    }

    pub fn insert(&mut self, number: u64, value: V) {
        if self.now.len() >= REMEMBERED {
            self.before = std::mem::take(&mut self.now);
        }
        self.now.insert(number, value);
    }

    pub fn remove(&mut self, number: u64) {
        self.now.remove(&number);
        self.before.remove(&number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_for_stays_and_the_rest_is_forgotten() {
        let mut recent = Recent::default();
        recent.insert(7, "seven");
        for number in 10..10 + 5 * REMEMBERED as u64 {
            recent.insert(number, "other");
            assert_eq!(recent.get(7), Some(&"seven"));
        }
        assert_eq!(recent.get(10), None);
        assert!(recent.now.len() + recent.before.len() <= 2 * REMEMBERED);
        recent.remove(7);
        assert_eq!(recent.get(7), None);
    }
}
