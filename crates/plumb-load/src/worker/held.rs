//! How many completions does a worker take at once? All available, or as many as requested (`reap`).

use std::collections::VecDeque;

use crate::engine::operation::Done;

/// Completions that an engine has given, and that wait to be taken: their operations are in flight until then.
#[derive(Debug)]
pub(super) struct Held {
    /// Taken at once.
    most: usize,
    waiting: VecDeque<Done>,
}

impl Held {
    /// `most` of 0: all.
    pub fn new(most: u32) -> Held {
        Held {
            most: if most == 0 { usize::MAX } else { most as usize },
            waiting: VecDeque::new(),
        }
    }

    /// While there is room and something to submit, nothing is taken: the queue is filled first. So it is where a number is taken at once.
    #[inline(always)]
    pub fn fills_first(&self) -> bool {
        self.most != usize::MAX
    }

    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Leaves in `done` what is to be taken now: the oldest.
    #[inline(always)]
    pub fn limit(&mut self, done: &mut Vec<Done>) {
        if done.len() > self.most || !self.waiting.is_empty() {
            self.exchange(done);
        }
    }

    #[cold]
    fn exchange(&mut self, done: &mut Vec<Done>) {
        self.waiting.extend(done.drain(..));
        let now = self.most.min(self.waiting.len());
        done.extend(self.waiting.drain(..now));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::operation::Outcome;

    #[test]
    fn the_oldest_come_first_and_as_many_as_requested() {
        let done = |slots: std::ops::Range<u32>| -> Vec<Done> {
            let of = |slot| Done {
                slot,
                outcome: Outcome::moved(0),
            };
            slots.map(of).collect()
        };
        let slots = |done: &[Done]| done.iter().map(|done| done.slot).collect::<Vec<_>>();
        let mut held = Held::new(2);
        let mut now = done(0..5);
        held.limit(&mut now);
        assert_eq!((slots(&now), held.is_empty()), (vec![0, 1], false));
        now = done(5..6);
        held.limit(&mut now);
        assert_eq!(slots(&now), [2, 3]);
        now.clear();
        held.limit(&mut now);
        assert_eq!((slots(&now), held.is_empty()), (vec![4, 5], true));
        let mut all = Held::new(0);
        now = done(0..5);
        all.limit(&mut now);
        assert_eq!(slots(&now), [0, 1, 2, 3, 4]);
    }
}
