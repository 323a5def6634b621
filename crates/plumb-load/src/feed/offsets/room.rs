//! How large may the next of several sizes be, where blocks go in order over a span?

use super::covering::Space;
use super::order::Order;

/// So often a size that does not fit is drawn again.
const REDRAWS: u32 = 10_000;

/// What is left of the span in front of a worker that goes over it in order.
pub(super) struct Room {
    from: u64,
    count: u64,
}

impl Room {
    /// Of this order; endless where blocks lie in no order, or where other workers take from the same stream.
    pub fn before(order: &Order, space: Space, is_stream: bool) -> Room {
        match order {
            Order::Rising { next } | Order::Falling { next } if !is_stream => Room {
                from: *next,
                count: space.count,
            },
            _ => Room {
                from: 0,
                count: u64::MAX,
            },
        }
    }

    /// A size that fits, as fio draws it: one that would cross the end is drawn again, so that each byte of the span is moved once.
    #[inline(always)]
    pub fn fit<S>(&mut self, mut draw: impl FnMut() -> S, units: impl Fn(&S) -> u64) -> S {
        let mut size = draw();
        if self.from + units(&size) > self.count {
            for _ in 0..REDRAWS {
                size = draw();
                if self.from + units(&size) <= self.count {
                    break;
                }
            }
        }
        self.from += units(&size);
        self.from -= if self.from >= self.count {
            self.count
        } else {
            0
        };
        size
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_end_where_the_span_ends() {
        let mut room = Room { from: 6, count: 8 };
        let mut sizes = [4, 3, 2, 8, 9, 1].into_iter();
        let mut fit = || room.fit(|| sizes.next().expect("a size"), |size| *size);
        assert_eq!([fit(), fit(), fit()], [2, 8, 1]);
        assert_eq!(room.from, 1);
        let mut narrow = Room { from: 7, count: 8 };
        assert_eq!(narrow.fit(|| 2, |size| *size), 2, "none is smaller");
        assert_eq!(narrow.from, 1);
    }
}
