//! Which senders has a receiver heard, and how many of their messages are missing?

use std::net::SocketAddr;

/// Senders that are counted apart; messages of further ones have no losses.
const FLOWS_MAX: usize = 1024;

/// All senders of one receiver.
#[derive(Debug, Default)]
pub struct Flows {
    flows: Vec<Flow>,
    /// Index of the last one that was heard: most messages come from the same.
    recent: usize,
    /// Lost messages of streams that were begun anew by the same sender.
    lost_before: u64,
}

#[derive(Debug)]
struct Flow {
    from: SocketAddr,
    /// Lowest and highest number, and how many messages had one.
    numbers: Option<(u64, u64)>,
    numbered: u64,
    is_open: bool,
}

impl Flow {
    /// Messages between the lowest and the highest number that did not arrive. Duplicates count as arrivals, so it is rather too low.
    fn lost(&self) -> u64 {
        self.numbers.map_or(0, |(first, last)| {
            (last - first)
                .saturating_add(1)
                .saturating_sub(self.numbered)
        })
    }
}

impl Flows {
    #[inline]
    fn of(&mut self, from: SocketAddr) -> Option<&mut Flow> {
        let is_it = |flow: &Flow| flow.from == from;
        if !self.flows.get(self.recent).is_some_and(is_it) {
            self.recent = match self.flows.iter().position(is_it) {
                Some(index) => index,
                None if self.flows.len() == FLOWS_MAX => return None,
                None => {
                    self.flows.push(Flow {
                        from,
                        numbers: None,
                        numbered: 0,
                        is_open: true,
                    });
                    self.flows.len() - 1
                }
            };
        }
        self.flows.get_mut(self.recent)
    }

    /// A sender begins, perhaps not for the first time.
    pub fn open(&mut self, from: SocketAddr) {
        let mut lost = 0;
        if let Some(flow) = self.of(from) {
            lost = flow.lost();
            *flow = Flow {
                from,
                numbers: None,
                numbered: 0,
                is_open: true,
            };
        }
        self.lost_before += lost;
    }

    /// A message has arrived.
    #[inline]
    pub fn count(&mut self, from: SocketAddr, number: Option<u64>) {
        let (Some(flow), Some(number)) = (self.of(from), number) else {
            return;
        };
        let (first, last) = flow.numbers.unwrap_or((number, number));
        flow.numbers = Some((first.min(number), last.max(number)));
        flow.numbered += 1;
    }

    /// A sender ends. True: no other is left. The end of one that was never heard is none.
    pub fn close(&mut self, from: SocketAddr) -> bool {
        let Some(flow) = self.flows.iter_mut().find(|flow| flow.from == from) else {
            return false;
        };
        flow.is_open = false;
        !self.flows.iter().any(|flow| flow.is_open)
    }

    /// True once a sender was heard.
    pub fn is_any(&self) -> bool {
        !self.flows.is_empty()
    }

    /// Messages that did not arrive; missing: none had a number.
    pub fn lost(&self) -> Option<u64> {
        let is_known = self.flows.iter().any(|flow| flow.numbers.is_some());
        let lost: u64 = self.flows.iter().map(Flow::lost).sum();
        is_known.then_some(self.lost_before + lost)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sender(number: u16) -> SocketAddr {
        SocketAddr::from(([127, 0, 0, 1], number))
    }

    #[test]
    fn what_is_missing_is_counted_for_each_sender_in_whatever_order_messages_come() {
        let mut flows = Flows::default();
        assert_eq!((flows.lost(), flows.is_any()), (None, false));
        flows.open(sender(1));
        assert_eq!((flows.lost(), flows.is_any()), (None, true));
        // 4 and 6 are missing; another sender's numbers are its own.
        for number in [3, 2, 0, 1, 5, 7] {
            flows.count(sender(1), Some(number));
            flows.count(sender(2), Some(number + 1000));
        }
        assert_eq!(flows.lost(), Some(4));
        // From here on both begin again at 0.
        flows.open(sender(1));
        flows.count(sender(1), Some(0));
        flows.count(sender(1), Some(2));
        flows.count(sender(3), None);
        assert_eq!(flows.lost(), Some(5));
    }

    #[test]
    fn it_ends_with_the_last_sender_and_not_by_a_stranger() {
        let mut flows = Flows::default();
        assert!(!flows.close(sender(9)));
        flows.open(sender(1));
        flows.count(sender(2), Some(0));
        assert!(!flows.close(sender(9)));
        assert!(!flows.close(sender(1)));
        assert!(flows.close(sender(2)));
    }

    #[test]
    fn a_flood_of_senders_takes_no_more_memory() {
        let mut flows = Flows::default();
        for port in 1..=3000 {
            flows.count(sender(port), Some(0));
            flows.count(sender(port), Some(2));
        }
        assert_eq!(flows.flows.len(), FLOWS_MAX);
        assert_eq!(flows.lost(), Some(FLOWS_MAX as u64));
    }
}
