//! What are the service times of reads and writes of each size? Counted by power of two of the size, and by quarters of a power of two of the service time.

use plumb_model::trace::events::{Answered, CallClass};
use plumb_model::trace::size_times::{SizeTimes, TimesOfSize};

/// Classes of service time within each power of two.
const PARTS: usize = 4;
/// Distinguished powers of two of nanoseconds: up to four days.
const POWERS: usize = 48;
const CLASSES: usize = PARTS * POWERS;

/// Counts of each size that came.
#[derive(Default)]
pub(super) struct SizeTimesTally {
    /// There are a few sizes, and most calls have that of the one before.
    sizes: Vec<(u64, Vec<u64>)>,
}

/// The class of a service time, and its lower bound.
fn class(ns: u64) -> usize {
    let ns = ns.max(PARTS as u64);
    let power = ns.ilog2() as usize;
    // The two bits below the highest give the quarter.
    let part = (ns >> (power - 2)) as usize % PARTS;
    (power * PARTS + part).min(CLASSES - 1)
}

fn edge_ns(class: usize) -> f64 {
    let (power, part) = (class / PARTS, class % PARTS);
    (1u64 << power) as f64 * (1.0 + part as f64 / PARTS as f64)
}

impl SizeTimesTally {
    pub fn answer(&mut self, answered: &Answered) {
        let call = &answered.call;
        if !matches!(call.class, CallClass::Read | CallClass::Write) {
            return;
        }
        let Some(bytes) = call.bytes.or(answered.moved_bytes) else {
            return;
        };
        let up_to_bytes = bytes.checked_next_power_of_two().unwrap_or(u64::MAX);
        let known = self
            .sizes
            .iter()
            .position(|(bound, _)| *bound == up_to_bytes);
        let index = known.unwrap_or(self.sizes.len());
        if known.is_none() {
            self.sizes.push((up_to_bytes, vec![0; CLASSES]));
        }
        self.sizes[index].1[class(answered.service_ns())] += 1;
    }

    /// `None` where nothing was read or written.
    pub fn figures(&self) -> Option<SizeTimes> {
        let used = |class: &usize| self.sizes.iter().any(|(_, counts)| counts[*class] > 0);
        let first = (0..CLASSES).find(used)?;
        let last = (0..CLASSES).rfind(used)?;
        let mut sizes: Vec<TimesOfSize> = self
            .sizes
            .iter()
            .map(|(up_to_bytes, counts)| {
                let count: u64 = counts.iter().sum();
                let of_count = |class: &u64| *class as f64 / count as f64;
                TimesOfSize {
                    up_to_bytes: *up_to_bytes,
                    count,
                    shares: counts[first..=last].iter().map(of_count).collect(),
                }
            })
            .collect();
        sizes.sort_by_key(|of| of.up_to_bytes);
        Some(SizeTimes {
            time_edges_ns: (first..=last + 1).map(edge_ns).collect(),
            sizes,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plumb_model::trace::events::Call;

    fn answered(bytes: u64, service_ns: u64) -> Answered {
        Answered {
            call: Call {
                name: "READ",
                class: CallClass::Read,
                at_ns: 1000,
                lane: 0,
                file: None,
                offset: None,
                bytes: Some(bytes),
                closes: false,
            },
            at_ns: 1000 + service_ns,
            moved_bytes: Some(bytes),
            status: None,
            round_trip_ns: None,
            was_pending: false,
        }
    }

    #[test]
    fn each_time_lies_within_its_class() {
        for ns in [
            0,
            1,
            4,
            5,
            7,
            8,
            1000,
            1023,
            1024,
            1_280,
            999_999_999,
            u64::MAX,
        ] {
            let class = class(ns);
            assert!(class < CLASSES);
            let inside = edge_ns(class) <= ns.max(4) as f64 && (ns as f64) < edge_ns(class + 1);
            assert!(inside || class == CLASSES - 1, "{ns} in {class}");
        }
    }

    #[test]
    fn shares_of_each_size_are_one_in_all() {
        let mut tally = SizeTimesTally::default();
        assert_eq!(tally.figures(), None);
        for at in 0..100 {
            tally.answer(&answered(65_536, 1_000_000 + at * 1000));
            tally.answer(&answered(4096, 100_000));
            tally.answer(&answered(4000, 100_000));
        }
        let figures = tally.figures().expect("figures");
        let sizes: Vec<(u64, u64)> = figures
            .sizes
            .iter()
            .map(|of| (of.up_to_bytes, of.count))
            .collect();
        assert_eq!(sizes, [(4096, 200), (65_536, 100)]);
        for of in &figures.sizes {
            assert_eq!(of.shares.len() + 1, figures.time_edges_ns.len());
            assert!((of.shares.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        }
        assert!(figures.time_edges_ns[0] <= 100_000.0);
        assert!(
            figures
                .time_edges_ns
                .last()
                .is_some_and(|last| *last > 1_099_000.0)
        );
    }
}
