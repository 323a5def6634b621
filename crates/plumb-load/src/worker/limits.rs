//! What holds a worker back beside its schedule? Its share in a flow group, rates of single kinds, and a queue that is to run low before it is filled again.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use plumb_model::workload::{Arrivals, OperationKind, Workload};

use crate::engine::operation::Op;
use crate::feed::arrivals::Schedule;

/// What the workers of one flow group have started together, and the sum of their weights.
#[derive(Debug, Default)]
pub struct FlowGroup {
    operations: AtomicU64,
    weights: AtomicU32,
}

/// The flow groups of one step, by number.
#[derive(Debug, Default)]
pub struct FlowGroups(Mutex<BTreeMap<u32, Arc<FlowGroup>>>);

impl FlowGroups {
    /// The group of this workload; `None`: it is in none.
    pub fn of(&self, workload: &Workload) -> Option<Arc<FlowGroup>> {
        let mut groups = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        (workload.flow_weight > 0).then(|| groups.entry(workload.flow_group).or_default().clone())
    }
}

/// One worker in its flow group: its part of the operations is not to be above its part of the weights. Sums of weights are taken modulo 2^32, and a part
/// above 100 % holds nothing back, as with fio 3.33, where a negative weight comes to that.
#[derive(Debug)]
pub struct FlowShare {
    group: Arc<FlowGroup>,
    weight: u32,
    operations: u64,
}

impl FlowShare {
    /// The weight counts from now on, also before the worker begins (seen with startdelay in fio 3.33).
    pub fn new(group: Arc<FlowGroup>, weight: u32) -> FlowShare {
        group.weights.fetch_add(weight, Ordering::Relaxed);
        FlowShare {
            group,
            weight,
            operations: 0,
        }
    }

    /// How many of `count_max` operations may start now.
    fn room(&self, count_max: usize) -> usize {
        let all = u128::from(self.group.operations.load(Ordering::Relaxed));
        let weights = u128::from(self.group.weights.load(Ordering::Relaxed));
        let (weight, own) = (u128::from(self.weight), u128::from(self.operations));
        let fits = |more: &usize| {
            let more = *more as u128;
            (own + more) * weights <= weight * (all + more)
        };
        (0..count_max).take_while(fits).count()
    }

    fn started(&mut self, count: usize) {
        self.operations += count as u64;
        let FlowGroup { operations, .. } = &*self.group;
        operations.fetch_add(count as u64, Ordering::Relaxed);
    }
}

/// A leaving worker takes its count along: the others continue in their own proportion.
impl Drop for FlowShare {
    fn drop(&mut self) {
        let FlowGroup {
            operations,
            weights,
        } = &*self.group;
        operations.fetch_sub(self.operations, Ordering::Relaxed);
        weights.fetch_sub(self.weight, Ordering::Relaxed);
    }
}

/// A kind with its own rate, and what replaces it before the next one is due.
#[derive(Clone)]
pub struct LimitedKind {
    kind: OperationKind,
    schedule: Schedule,
    instead: OperationKind,
}

/// What limits leave.
#[derive(Debug, PartialEq)]
pub(super) enum Room {
    For(usize),
    /// Nothing before others have caught up, which is looked at again after so many nanoseconds; 0: at once.
    AfterPause(u64),
}

/// All that holds a worker back.
pub struct Limits {
    is_any: bool,
    flow: Option<FlowShare>,
    flow_pause_ns: u64,
    kinds: Vec<LimitedKind>,
    /// Operations that are left when the queue is filled again.
    refill_at: Option<u32>,
    depth: u32,
    /// The queue was full and runs low.
    runs_low: bool,
}

impl Limits {
    /// Those of one worker that begins at `start_ns`.
    pub fn new(
        workload: &Workload,
        groups: &FlowGroups,
        worker: u32,
        start_ns: u64,
        seed: u64,
    ) -> Limits {
        let rates = workload.kind_rates.iter().flat_map(|rates| &rates.0);
        let limited = |kind| rates.clone().any(|(of, _)| *of == kind);
        let kinds = || workload.mix.0.iter().map(|(kind, _)| *kind);
        let limit = |(kind, rate): &(OperationKind, f64)| {
            let (arrivals, workers) = (Arrivals::Fixed, workload.all_workers());
            Some(LimitedKind {
                kind: *kind,
                schedule: Schedule::new(arrivals, *rate, start_ns, worker, workers, seed),
                instead: kinds().find(|other| !limited(*other))?,
            })
        };
        let kinds: Vec<LimitedKind> = rates.clone().filter_map(limit).collect();
        let flow = groups
            .of(workload)
            .map(|group| FlowShare::new(group, workload.flow_weight));
        Limits {
            is_any: flow.is_some() || !kinds.is_empty() || workload.refill_at.is_some(),
            flow,
            flow_pause_ns: workload.flow_pause.0,
            kinds,
            refill_at: workload.refill_at,
            depth: workload.depth,
            runs_low: false,
        }
    }

    /// True when anything does.
    #[inline(always)]
    pub(super) fn is_any(&self) -> bool {
        self.is_any
    }

    /// True while only completions can bring the next operation about.
    #[inline(always)]
    pub(super) fn runs_low(&self) -> bool {
        self.runs_low
    }

    /// How many of `room` operations may start, with so many in flight.
    pub(super) fn room(&mut self, room: usize, in_flight: u32) -> Room {
        if let Some(left) = self.refill_at {
            self.runs_low &= in_flight > left;
            if self.runs_low {
                return Room::For(0);
            }
        }
        match &self.flow {
            Some(flow) if room > 0 => match flow.room(room) {
                0 => Room::AfterPause(self.flow_pause_ns),
                may => Room::For(may),
            },
            _ => Room::For(room),
        }
    }

    /// Counts what starts now, and turns what is not due by the rate of its kind into another kind. `in_flight` is with these.
    pub(super) fn note(&mut self, ops: &mut [Op], now: u64, in_flight: u32) {
        if let Some(flow) = &mut self.flow {
            flow.started(ops.len());
        }
        for op in ops {
            let Some(limit) = self.kinds.iter_mut().find(|limit| limit.kind == op.kind) else {
                continue;
            };
            if limit.schedule.due_ns() <= now {
                limit.schedule.advance();
            } else {
                op.kind = limit.instead;
            }
        }
        self.runs_low |= self.refill_at.is_some() && in_flight >= self.depth;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_core::{Rng, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    /// Workers of these weights, any of which may request room next.
    fn counts(weights: &[u32], rounds: usize) -> Vec<u64> {
        let group = Arc::new(FlowGroup::default());
        let share = |weight: &u32| FlowShare::new(group.clone(), *weight);
        let mut shares: Vec<FlowShare> = weights.iter().map(share).collect();
        let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
        for _ in 0..rounds {
            let next = (random.next_u64() % shares.len() as u64) as usize;
            let may = shares[next].room(4);
            shares[next].started(may);
        }
        shares.iter().map(|share| share.operations).collect()
    }

    #[test]
    fn operations_are_in_the_proportion_of_the_weights() {
        for weights in [&[1, 8][..], &[3, 2, 1], &[5], &[1, 1, 1, 1], &[100, 7]] {
            let (found, all): (_, u32) = (counts(weights, 100_000), weights.iter().sum());
            let sum: u64 = found.iter().sum();
            for (count, weight) in found.iter().zip(weights) {
                let expected = sum as f64 * f64::from(*weight) / f64::from(all);
                assert!(
                    (*count as f64 - expected).abs() <= 4.0 + expected * 0.01,
                    "{weights:?}: {found:?}"
                );
            }
        }
    }

    /// Seen with fio 3.33: flow=2 beside flow=-2 and flow=-1 beside flow=4 both run freely; of flow=-8 beside flow=1 the second does one operation.
    #[test]
    fn negative_weights_do_what_they_do_in_fio() {
        let negative = |weight: i32| weight as u32;
        for weights in [[2, negative(-2)], [negative(-1), 4]] {
            let found = counts(&weights, 10_000);
            assert!(found.iter().all(|count| *count > 19_000), "{found:?}");
        }
        let found = counts(&[negative(-8), 1], 10_000);
        assert!(found[0] > 19_000 && found[1] <= 1, "{found:?}");
    }

    #[test]
    fn who_leaves_takes_its_weight_along() {
        let group = Arc::new(FlowGroup::default());
        let mut stays = FlowShare::new(group.clone(), 1);
        let mut leaves = FlowShare::new(group, 1);
        leaves.started(1);
        stays.started(1);
        assert_eq!((stays.room(4), leaves.room(4)), (1, 1));
        drop(leaves);
        assert_eq!(stays.room(4), 4, "alone it runs freely");
    }
}
