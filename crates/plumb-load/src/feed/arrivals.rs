//! When is the next operation of an open loop due? An absolute schedule that no slow target can bend.

use plumb_model::workload::Arrivals;
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::feed::replay::Recording;

/// Due times in nanoseconds since the run's start, rising. The schedule is absolute: a late operation does not delay the next.
#[derive(Clone)]
pub struct Schedule {
    distances: Distances,
    /// Mean distance in nanoseconds; not rounded, so that no rate is missed by integer arithmetic.
    distance_ns: f64,
    /// The next due time; a fraction of a nanosecond is kept. Exact to 2 ns even after 100 days.
    next_ns: f64,
    random: Xoshiro256PlusPlus,
}

/// Where the distances between operations come from.
#[derive(Clone)]
enum Distances {
    Drawn(Arrivals),
    /// From the log of a replay.
    Recorded(Recording),
}

impl Schedule {
    /// One worker's share of `rate` operations per second over `workers` workers, from `start_ns` on.
    /// Fixed arrivals of the workers interleave evenly; Poisson streams add up to a Poisson stream.
    pub fn new(
        arrivals: Arrivals,
        rate: f64,
        start_ns: u64,
        worker: u32,
        workers: u32,
        seed: u64,
    ) -> Schedule {
        let distance_ns = 1e9 / rate * f64::from(workers);
        let random = Xoshiro256PlusPlus::seed_from_u64(
            seed ^ (u64::from(worker) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15),
        );
        let mut schedule = Schedule {
            distances: Distances::Drawn(arrivals),
            distance_ns,
            next_ns: start_ns as f64,
            random,
        };
        schedule.next_ns += match arrivals {
            Arrivals::Fixed => distance_ns * f64::from(worker) / f64::from(workers),
            Arrivals::Poisson => schedule.gap_ns(),
        };
        schedule
    }

    /// The moments of a log that is replayed from `start_ns` on.
    pub fn recorded(recording: Recording, start_ns: u64) -> Schedule {
        let (first_ns, distance_ns) = recording.first_and_mean_ns();
        let next_ns = start_ns.saturating_add(first_ns) as f64;
        Schedule {
            distances: Distances::Recorded(recording),
            distance_ns,
            next_ns,
            random: Xoshiro256PlusPlus::seed_from_u64(0),
        }
    }

    /// When the next operation is due.
    #[inline(always)]
    pub fn due_ns(&self) -> u64 {
        self.next_ns as u64
    }

    /// Goes on to the operation after it.
    #[inline(always)]
    pub fn advance(&mut self) {
        self.next_ns += self.gap_ns();
    }

    /// The load begins so much later.
    pub fn delay(&mut self, ns: u64) {
        self.next_ns += ns as f64;
    }

    /// A pause does not count: the schedule moves on by its length, so that the next operation is due at its end, or later where it was not due before.
    pub fn leave_out(&mut self, pause_ns: u64) {
        let pause_ns = pause_ns as f64;
        let apart_ns = Some(self.distance_ns).filter(|apart_ns| *apart_ns <= pause_ns);
        self.next_ns += pause_ns - apart_ns.unwrap_or(0.0);
    }

    /// Distance to the next arrival in nanoseconds: constant, exponentially distributed by inversion, or as recorded.
    #[inline(always)]
    fn gap_ns(&mut self) -> f64 {
        match &mut self.distances {
            Distances::Drawn(Arrivals::Fixed) => self.distance_ns,
            Distances::Recorded(recording) => recording.advance_ns() as f64,
            Distances::Drawn(Arrivals::Poisson) => {
                // 53 random bits in (0, 1]: the logarithm is finite.
                let unit =
                    ((self.random.next_u64() >> 11) + 1) as f64 * (1.0 / (1u64 << 53) as f64);
                -unit.ln() * self.distance_ns
            }
        }
    }

    /// Operations that are due at `now_ns` and not yet taken. Exact up to a million, beyond that the expected number.
    pub fn backlog(&self, now_ns: u64) -> u64 {
        let mut ahead = self.clone();
        let mut count = 0;
        while ahead.due_ns() <= now_ns {
            count += 1;
            if count == 1_000_000 {
                return count + ((now_ns - ahead.due_ns()) as f64 / self.distance_ns) as u64;
            }
            ahead.advance();
        }
        count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fixed_arrivals_of_all_workers_are_evenly_spaced() {
        let mut due = Vec::new();
        for worker in 0..4 {
            let mut schedule = Schedule::new(Arrivals::Fixed, 1_000_000.0, 0, worker, 4, 1);
            for _ in 0..1000 {
                due.push(schedule.due_ns());
                schedule.advance();
            }
        }
        due.sort_unstable();
        for (n, ns) in due.iter().enumerate() {
            assert_eq!(*ns, n as u64 * 1000);
        }
    }

    /// fio misses 300,000/s by a third because its gaps are rounded to microseconds; here mean and variance must be those of the exponential distribution.
    #[test]
    fn poisson_gaps_have_the_right_mean_and_spread_at_high_rates() {
        for rate in [1_000.0, 200_000.0, 3_000_000.0] {
            let mut schedule = Schedule::new(Arrivals::Poisson, rate, 0, 0, 1, 42);
            let n = 1_000_000;
            let (mut last, mut sum, mut squares, mut short) = (0.0, 0.0, 0.0, 0u32);
            for _ in 0..n {
                let gap = (schedule.next_ns - last) * rate / 1e9;
                last = schedule.next_ns;
                sum += gap;
                squares += gap * gap;
                short += u32::from(gap < 0.1);
                schedule.advance();
            }
            let mean = sum / f64::from(n);
            // Standard errors at a million samples: 0.001 (mean), 0.0022 (second moment 2), 0.0003 (P(gap < 0.1) = 1 - exp(-0.1) = 0.0952).
            assert!((mean - 1.0).abs() < 0.005, "{rate}: mean {mean}");
            assert!(
                (squares / f64::from(n) - 2.0).abs() < 0.03,
                "{rate}: second moment"
            );
            assert!(
                (f64::from(short) / f64::from(n) - 0.09516).abs() < 0.002,
                "{rate}: short gaps"
            );
        }
    }

    #[test]
    fn backlog_counts_what_is_due() {
        let schedule = Schedule::new(Arrivals::Fixed, 1000.0, 0, 0, 1, 1);
        assert_eq!(schedule.backlog(2_000_000_000), 2001);
        assert!(schedule.backlog(2_000_000_000_000).abs_diff(2_000_001) < 10);
    }
}
