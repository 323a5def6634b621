//! In which order do the steps of a plan run, round by round?

use std::ops::Range;

use super::{Order, Origin, Plan};

impl Plan {
    /// (index of the step, round from 0) of every execution, in order: first the steps that run once. The same plan gives the same order.
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

    /// Steps that run one after the other, whatever the order: those of one combination of the plan's sweep, where one writes what the next reads; else
    /// each step by itself.
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

    /// Fills in the seeds that the plan leaves open, derived from `drawn`: each job gets its own, so that no two steps touch the same
    /// blocks in the same order by accident. What was given stays.
    pub fn settle_seeds(&mut self, drawn: u64) {
        let mut state = drawn;
        if self.seed == 0 && self.order == Order::Shuffled {
            self.seed = next(&mut state) >> 1;
        }
        for step in &mut self.steps {
            for (job, origins) in step.jobs.iter_mut().zip(&mut step.origins) {
                if job.workload.seed.is_none() {
                    // 63 bits: TOML has no larger whole number.
                    job.workload.seed = Some(next(&mut state) >> 1);
                    origins.insert("seed".into(), Origin::Resolved);
                }
            }
        }
    }
}

/// 0..count in an order drawn from the seed; the same seed gives the same order.
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
    use crate::plan::{Overrides, PlanFile, PlanKind, resolve};

    fn plan(order: &str, steps: usize, rounds: u32, seed: u64) -> Plan {
        let values: Vec<String> = (1..=steps).map(|depth| depth.to_string()).collect();
        let text = format!(
            "order = '{order}'\nrounds = {rounds}\nseed = {seed}\n[[step]]\nname = 'a'\n[step.sweep]\ndepth = [{}]",
            values.join(",")
        );
        resolve(
            &PlanFile::parse(&text, "t").expect("plan"),
            &Overrides::default(),
            PlanKind::File,
        )
        .expect("resolved")
    }

    #[test]
    fn splitmix_gives_the_published_sequence() {
        // First values for seed 1234567, as in the reference implementation by Vigna (prng.di.unimi.it/splitmix64.c).
        let mut state = 1_234_567;
        assert_eq!(
            [next(&mut state), next(&mut state)],
            [6_457_827_717_110_365_317, 3_203_168_211_198_807_973]
        );
    }

    #[test]
    fn orders() {
        assert_eq!(
            plan("sequential", 2, 2, 0).schedule(),
            [(0, 0), (0, 1), (1, 0), (1, 1)]
        );
        assert_eq!(
            plan("interleaved", 2, 2, 0).schedule(),
            [(0, 0), (1, 0), (0, 1), (1, 1)]
        );
    }

    #[test]
    fn steps_of_a_combination_stay_together() {
        let swept = |order: &str, seed: u64| {
            let text = format!(
                "order = '{order}'\nrounds = 2\nseed = {seed}\n[sweep]\nblock = ['4k', '8k', '16k']\n[[step]]\nname = 'w'\n[[step]]\nname = 'r'"
            );
            resolve(
                &PlanFile::parse(&text, "t").expect("plan"),
                &Overrides::default(),
                PlanKind::File,
            )
            .expect("resolved")
            .schedule()
        };
        let cell = |first: usize, round: u32| [(first, round), (first + 1, round)];
        assert_eq!(
            swept("sequential", 0),
            [
                cell(0, 0),
                cell(0, 1),
                cell(2, 0),
                cell(2, 1),
                cell(4, 0),
                cell(4, 1)
            ]
            .concat()
        );
        assert_eq!(
            swept("interleaved", 0),
            [
                cell(0, 0),
                cell(2, 0),
                cell(4, 0),
                cell(0, 1),
                cell(2, 1),
                cell(4, 1)
            ]
            .concat()
        );
        let shuffled: Vec<Vec<(usize, u32)>> =
            (1..20).map(|seed| swept("shuffled", seed)).collect();
        assert!(
            shuffled
                .iter()
                .flat_map(|order| order.chunks(2))
                .all(|pair| pair[0].0 % 2 == 0 && pair[1] == (pair[0].0 + 1, pair[0].1))
        );
        assert!(
            shuffled.windows(2).any(|pair| pair[0] != pair[1]),
            "combinations change places"
        );
    }

    #[test]
    fn shuffled_rounds_hold_every_step_once_and_repeat_with_the_seed() {
        let first = plan("shuffled", 20, 3, 7).schedule();
        assert_eq!(first, plan("shuffled", 20, 3, 7).schedule());
        assert_ne!(first, plan("shuffled", 20, 3, 8).schedule());
        let mut rounds = Vec::new();
        for round in 0..3 {
            let row: Vec<usize> = first
                .iter()
                .filter(|(_, of)| *of == round)
                .map(|(step, _)| *step)
                .collect();
            let mut sorted = row.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, (0..20).collect::<Vec<_>>());
            rounds.push(row);
        }
        assert_ne!(rounds[0], rounds[1]);
    }

    #[test]
    fn open_seeds_are_drawn_and_given_ones_stay() {
        let mut drawn = plan("shuffled", 3, 1, 0);
        drawn.settle_seeds(99);
        let seeds: Vec<u64> = drawn
            .steps
            .iter()
            .filter_map(|step| step.jobs[0].workload.seed)
            .collect();
        assert_eq!(seeds.len(), 3);
        assert!(seeds[0] != seeds[1] && seeds[1] != seeds[2] && drawn.seed != 0);
        let before = drawn.clone();
        drawn.settle_seeds(100);
        assert_eq!(before, drawn);
    }
}
