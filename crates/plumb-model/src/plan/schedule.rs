//! In which order do the steps of a plan run, round by round?

use super::{Order, Origin, Plan};

impl Plan {
    /// (index of the step, round from 0) of every execution, in order: first the steps that run once. The same plan gives the same order.
    pub fn schedule(&self) -> Vec<(usize, u32)> {
        let (once, steps): (Vec<usize>, Vec<usize>) = (0..self.steps.len()).partition(|step| self.steps[*step].once);
        let mut order: Vec<(usize, u32)> = once.into_iter().map(|step| (step, 0)).collect();
        if self.order == Order::Sequential {
            order.extend(steps.iter().flat_map(|step| (0..self.rounds).map(move |round| (*step, round))));
            return order;
        }
        let mut state = self.seed;
        for round in 0..self.rounds {
            let mut row = steps.clone();
            if self.order == Order::Shuffled {
                shuffle(&mut row, &mut state);
            }
            order.extend(row.into_iter().map(|step| (step, round)));
        }
        order
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
        resolve(&PlanFile::parse(&text, "t").expect("plan"), &Overrides::default(), PlanKind::File).expect("resolved")
    }

    #[test]
    fn splitmix_gives_the_published_sequence() {
        // First values for seed 1234567, as in the reference implementation by Vigna (prng.di.unimi.it/splitmix64.c).
        let mut state = 1_234_567;
        assert_eq!([next(&mut state), next(&mut state)], [6_457_827_717_110_365_317, 3_203_168_211_198_807_973]);
    }

    #[test]
    fn orders() {
        assert_eq!(plan("sequential", 2, 2, 0).schedule(), [(0, 0), (0, 1), (1, 0), (1, 1)]);
        assert_eq!(plan("interleaved", 2, 2, 0).schedule(), [(0, 0), (1, 0), (0, 1), (1, 1)]);
    }

    #[test]
    fn shuffled_rounds_hold_every_step_once_and_repeat_with_the_seed() {
        let first = plan("shuffled", 20, 3, 7).schedule();
        assert_eq!(first, plan("shuffled", 20, 3, 7).schedule());
        assert_ne!(first, plan("shuffled", 20, 3, 8).schedule());
        let mut rounds = Vec::new();
        for round in 0..3 {
            let row: Vec<usize> = first.iter().filter(|(_, of)| *of == round).map(|(step, _)| *step).collect();
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
        let seeds: Vec<u64> = drawn.steps.iter().filter_map(|step| step.jobs[0].workload.seed).collect();
        assert_eq!(seeds.len(), 3);
        assert!(seeds[0] != seeds[1] && seeds[1] != seeds[2] && drawn.seed != 0);
        let before = drawn.clone();
        drawn.settle_seeds(100);
        assert_eq!(before, drawn);
    }
}
