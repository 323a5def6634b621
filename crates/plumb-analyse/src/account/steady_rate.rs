//! Do calls come at a constant rate although each takes another time? Then something limits their rate: a cloud volume, a control group, a quality of service.

/// Calls that are kept, in 8 bytes each.
const KEPT_MAX: usize = 1 << 20;
/// Calls are looked at in so many runs of one after another.
const RUNS: usize = 12;
/// Calls in a run for each square of the times' variation: with fewer, the rare long ones are missing from most runs by chance.
const CALLS_MIN: f64 = 4.0;
/// Standard deviation of the times as a part of their mean, from which on they are very different.
const VARIED_MIN: f64 = 1.75;
/// Spread of the runs' times, as a part of what it is where one call does not follow from the others.
const STEADY_MAX: f64 = 0.35;
/// Quartiles of a normal distribution are so many standard deviations apart.
const QUARTILES_APART: f64 = 1.349;

/// When calls ended, and how long they took.
#[derive(Debug, Default)]
pub(super) struct RateTally {
    ends_ns: Vec<u64>,
    sum: f64,
    sum_of_squares: f64,
}

impl RateTally {
    pub fn add(&mut self, end_ns: u64, span_ns: u64) {
        if self.ends_ns.len() < KEPT_MAX {
            self.ends_ns.push(end_ns);
            self.sum += span_ns as f64;
            self.sum_of_squares += (span_ns as f64).powi(2);
        }
    }

    /// Calls per second where their rate is constant and their times are not. Where each call takes its time whatever the ones before took, the time of n calls
    /// spreads by that of one times the root of n; under a limit, a long one makes up for the short ones before it.
    pub fn steady(&self) -> Option<f64> {
        let mut ends_ns = self.ends_ns.clone();
        ends_ns.sort_unstable();
        let calls = ends_ns.len() / RUNS;
        let count = ends_ns.len() as f64;
        let mean = self.sum / count;
        let varied = (self.sum_of_squares / count - mean * mean).max(0.0).sqrt() / mean;
        if varied.is_nan() || varied < VARIED_MIN || (calls as f64) < CALLS_MIN * varied.powi(2) {
            return None;
        }
        let between: Vec<f64> = ends_ns
            .windows(2)
            .map(|pair| (pair[1] - pair[0]) as f64)
            .collect();
        let mean = between.iter().sum::<f64>() / between.len() as f64;
        let squares = between.iter().map(|ns| (ns - mean).powi(2)).sum::<f64>();
        let independent = (squares / between.len() as f64 * calls as f64).sqrt();
        let mut runs: Vec<f64> = ends_ns
            .windows(calls + 1)
            .map(|run| (run[calls] - run[0]) as f64)
            .collect();
        runs.sort_unstable_by(f64::total_cmp);
        // Quartiles: what a bucket held at the begin comes at once, and is not the rate.
        let of = |share: f64| runs[((runs.len() - 1) as f64 * share).round() as usize];
        let spread = (of(0.75) - of(0.25)) / QUARTILES_APART;
        (spread <= STEADY_MAX * independent).then(|| calls as f64 / of(0.5) * 1e9)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Calls one after another.
    fn steady(times_ns: impl Iterator<Item = u64>) -> Option<f64> {
        let (mut tally, mut now_ns) = (RateTally::default(), 0);
        for span_ns in times_ns {
            now_ns += span_ns;
            tally.add(now_ns, span_ns);
        }
        tally.steady()
    }

    /// Numbers from 0 to 1 (Marsaglia, xorshift).
    fn drawn() -> impl Iterator<Item = f64> {
        let mut state = 7u64;
        std::iter::repeat_with(move || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 11) as f64 / (1u64 << 53) as f64
        })
    }

    #[test]
    fn a_bucket_of_tokens_is_a_steady_rate() {
        // 20 calls of 0.1 ms in each 20 ms: the last one waits for the next tokens. Before, a full bucket of 400.
        let slice = (0..20).map(|at| if at == 19 { 18_100_000 } else { 100_000 });
        let calls = std::iter::repeat_n(100_000, 400).chain(slice.cycle().take(4000));
        let rate = steady(calls).expect("a steady rate");
        assert!((rate / 1000.0 - 1.0).abs() < 0.05, "{rate}");
    }

    #[test]
    fn times_that_do_not_follow_from_each_other_are_none() {
        // One of 20 takes 200 times as long, at random; and exponential times.
        let rare = drawn().map(|at| if at < 0.05 { 20_000_000 } else { 100_000 });
        assert_eq!(steady(rare.take(4000)), None);
        // So rare that most runs have none.
        let one = (0..4000).map(|at| {
            if at % 1000 == 500 {
                900_000_000
            } else {
                100_000
            }
        });
        assert_eq!(steady(one), None);
        let exponential = drawn().map(|at| (-(1.0 - at).ln() * 1e6) as u64 + 1);
        assert_eq!(steady(exponential.take(4000)), None);
    }

    #[test]
    fn equal_times_are_no_sign_of_a_limit() {
        assert_eq!(steady(std::iter::repeat_n(1_000_000, 4000)), None);
        assert_eq!(steady(std::iter::empty()), None);
    }
}
