//! Which rate is tried next, until the highest that keeps a limit is known? Steps up and down, halves, then repeats on both sides of the border.

/// The rates of a plan, lowest first, and what came of those that were tried.
#[derive(Debug, Clone, PartialEq)]
pub struct RateSearch {
    /// For each rate, whether each round kept the limit.
    outcomes: Vec<Vec<bool>>,
    start: usize,
    stride: usize,
    rounds: usize,
    /// Highest rate that kept the limit, and the next one that missed it, while the border is approached. What else goes on may make a round miss it at
    /// any rate, and hardly ever keep it: a rate that missed it is tried again, and counts as one that keeps it if it does then.
    low: Option<usize>,
    high: Option<usize>,
    /// Is to be tried again.
    doubtful: Option<usize>,
    /// Executions are not begun after so many seconds.
    pub most_s: f64,
}

/// How a search stands: numbers of rates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Border {
    /// The highest rate that kept the limit in each round so far.
    pub kept: Option<usize>,
    /// The lowest rate above it that missed the limit in each round so far.
    pub missed: Option<usize>,
}

impl RateSearch {
    /// Of so many rates, from `start` in steps of `stride` until the border is passed; the rates beside it are tried in so many rounds.
    pub fn new(rates: usize, start: usize, stride: usize, rounds: u32, most_s: f64) -> RateSearch {
        RateSearch {
            outcomes: vec![Vec::new(); rates],
            start: start.min(rates.saturating_sub(1)),
            stride: stride.max(1),
            rounds: rounds.max(1) as usize,
            low: None,
            high: None,
            doubtful: None,
            most_s,
        }
    }

    /// Number of the rate and of its round; `None` when the border is known, or there are no rates.
    pub fn next(&self) -> Option<(usize, u32)> {
        let top = self.outcomes.len().checked_sub(1)?;
        if let Some(rate) = self.doubtful {
            return Some((rate, self.outcomes[rate].len() as u32));
        }
        match (self.low, self.high) {
            (None, None) => return Some((self.start, 0)),
            (Some(low), None) if low < top => return Some(((low + self.stride).min(top), 0)),
            (None, Some(high)) if high > 0 => {
                return Some((high.saturating_sub(self.stride), 0));
            }
            (Some(low), Some(high)) if high - low > 1 => return Some(((low + high) / 2, 0)),
            _ => {}
        }
        let Border { kept, missed } = self.border();
        let tried = |rate: usize| self.outcomes[rate].len();
        [kept, missed]
            .into_iter()
            .flatten()
            .filter(|rate| tried(*rate) < self.rounds)
            .min_by_key(|rate| tried(*rate))
            .map(|rate| (rate, tried(rate) as u32))
    }

    /// Whether a round at this rate kept the limit.
    pub fn take(&mut self, rate: usize, kept: bool) {
        self.outcomes[rate].push(kept);
        // Only rates between these are tried while the border is approached.
        let is_between =
            self.low.is_none_or(|low| rate > low) && self.high.is_none_or(|high| rate < high);
        if is_between {
            self.doubtful = None;
            let is_decided = kept || self.outcomes[rate].len() >= self.rounds.min(2);
            match kept {
                _ if !is_decided => self.doubtful = Some(rate),
                true => self.low = Some(rate),
                false => self.high = Some(rate),
            }
        }
    }

    /// How it stands. While the rates beside the border are repeated one of them may not have been tried yet.
    pub fn border(&self) -> Border {
        let all = |rate: &usize, kept: bool| self.outcomes[*rate].iter().all(|of| *of == kept);
        Border {
            kept: self
                .low
                .and_then(|low| (0..=low).rev().find(|rate| all(rate, true))),
            missed: self
                .high
                .and_then(|high| (high..self.outcomes.len()).find(|rate| all(rate, false))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Searches the highest rate for which `keeps(rate, round)` is true; returns the border and the rates tried.
    fn searched(
        mut search: RateSearch,
        keeps: impl Fn(usize, u32) -> bool,
    ) -> (Border, Vec<(usize, u32)>) {
        let mut tried = Vec::new();
        while let Some((rate, round)) = search.next() {
            tried.push((rate, round));
            assert!(tried.len() < 1000, "{tried:?}");
            search.take(rate, keeps(rate, round));
        }
        (search.border(), tried)
    }

    #[test]
    fn the_border_is_found_wherever_it_lies_and_is_repeated() {
        for rates in [1usize, 2, 3, 7, 100] {
            for border in 0..=rates {
                for (start, stride) in [(0, 1), (rates / 2, 14), (rates, 3), (3, 1000)] {
                    let search = RateSearch::new(rates, start, stride, 3, 1.0);
                    let (found, tried) = searched(search, |rate, _| rate < border);
                    assert_eq!(found.kept, border.checked_sub(1), "{rates} {border}");
                    assert_eq!(found.missed, Some(border).filter(|at| *at < rates));
                    for rate in [found.kept, found.missed].into_iter().flatten() {
                        let rounds = tried.iter().filter(|(of, _)| *of == rate).count();
                        assert_eq!(rounds, 3, "{rate} in {tried:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn rates_at_which_rounds_disagree_belong_to_neither_side() {
        // From 40 to 43 every second round misses.
        let keeps = |rate: usize, round: u32| rate < 40 || (rate < 44 && round.is_multiple_of(2));
        let (found, tried) = searched(RateSearch::new(100, 10, 14, 3, 1.0), keeps);
        assert_eq!((found.kept, found.missed), (Some(39), Some(44)));
        assert!(tried.len() < 40, "{tried:?}");
    }

    #[test]
    fn one_round_that_was_disturbed_does_not_lead_the_search_away() {
        // The first round at the rate that is tried first, and at one on the way, is disturbed.
        let keeps =
            |rate: usize, round: u32| rate < 70 && !((rate == 10 || rate == 24) && round == 0);
        let (found, _) = searched(RateSearch::new(100, 10, 14, 3, 1.0), keeps);
        assert_eq!((found.kept, found.missed), (Some(69), Some(70)));
    }

    /// No rate is tried twice in the same round.
    #[test]
    fn a_search_ends_whatever_comes() {
        for seed in 0..200u64 {
            let noise = |rate: usize, round: u32| {
                (seed + 31 * rate as u64 + 17 * u64::from(round))
                    .wrapping_mul(0x9e37_79b9_7f4a_7c15)
                    >> 63
                    == 0
            };
            let (_, mut tried) = searched(RateSearch::new(50, 20, 5, 3, 1.0), noise);
            let all = tried.len();
            tried.sort_unstable();
            tried.dedup();
            assert_eq!(tried.len(), all);
        }
    }
}
