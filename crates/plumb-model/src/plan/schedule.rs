//! In which order do the steps of a plan run, round by round?

use std::ops::Range;

use super::{Order, Origin, Plan};

impl Plan {
    /// (step index, round from 0) of every execution, in order: first the steps that run once. The same plan gives the same order.
    pub fn schedule(&self) -> Vec<(usize, u32)> {
        let once = |step: &usize| self.steps[*step].once;
        let mut order: Vec<(usize, u32)> = (0..self.steps.len())
            .filter(once)
            .map(|step| (step, 0))
            .collect();
        let runs: Vec<Vec<usize>> = self
            .inseparable()
            .into_iter()
            .map(|run| run.filter(|step| !once(step)).collect())
            .collect();
        let runs: Vec<Vec<usize>> = runs.into_iter().filter(|run| !run.is_empty()).collect();
        if self.order == Order::Sequential {
            for run in runs {
                (0..self.rounds)
                    .for_each(|round| order.extend(run.iter().map(|step| (*step, round))));
            }
            return order;
        }
        let mut state = self.seed;
        for round in 0..self.rounds {
            let mut row: Vec<usize> = (0..runs.len()).collect();
            if self.order == Order::Shuffled {
                shuffle(&mut row, &mut state);
            }
            order.extend(
                row.into_iter()
                    .flat_map(|run| &runs[run])
                    .map(|step| (*step, round)),
            );
        }
        order
    }

    /// Steps that run in sequence in every order: those of one combination of the plan's sweep, where one may write what the next reads; else
    /// each step alone.
    pub fn inseparable(&self) -> Vec<Range<usize>> {
        let mut runs: Vec<Range<usize>> = Vec::new();
        for (place, step) in self.steps.iter().enumerate() {
            let same = place > 0
                && step.combination.is_some()
                && self.steps[place - 1].combination == step.combination;
            match runs.last_mut().filter(|_| same) {
                Some(run) => run.end = place + 1,
                None => runs.push(place..place + 1),
            }
        }
        runs
    }

    /// Sets the seeds that the plan does not give, derived from `drawn`: each job gets its own, so that no two steps touch the same
    /// blocks in the same order by accident. Given seeds stay.
    pub fn settle_seeds(&mut self, drawn: u64) {
        let mut state = drawn;
        if self.seed == 0 && self.order == Order::Shuffled {
            self.seed = next(&mut state) >> 1;
        }
        for step in &mut self.steps {
            for (job, origins) in step.jobs.iter_mut().zip(&mut step.origins) {
                if job.workload.seed.is_none() {
                    // 63 bits: TOML has no larger integer.
                    job.workload.seed = Some(next(&mut state) >> 1);
                    origins.insert("seed".into(), Origin::Resolved);
                }
            }
        }
    }
}

/// 0..count in random order; the same seed gives the same order.
pub fn shuffled(seed: u64, count: usize) -> Vec<usize> {
    let (mut row, mut state) = ((0..count).collect::<Vec<usize>>(), seed);
    shuffle(&mut row, &mut state);
    row
}

/// SplitMix64 (Steele, Lea, Flood 2014, "Fast splittable pseudorandom number generators", figure 19).
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut mixed = *state;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// Fisher and Yates, as Durstenfeld 1964 (Algorithm 235).
fn shuffle(row: &mut [usize], state: &mut u64) {
    for last in (1..row.len()).rev() {
        let pick = ((u128::from(next(state)) * (last as u128 + 1)) >> 64) as usize;
        row.swap(last, pick);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splitmix_gives_the_published_sequence() {
        // First values for seed 1234567, as in the reference implementation by Vigna (prng.di.unimi.it/splitmix64.c).
        let mut state = 1_234_567;
        assert_eq!(
            [next(&mut state), next(&mut state)],
            [6_457_827_717_110_365_317, 3_203_168_211_198_807_973]
        );
    }
}
