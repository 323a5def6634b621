//! How does a record of any length fit into memory? Adjacent intervals are merged and samples are dropped once their number exceeds a bound.
//!
//! Merging is exact: counts, histograms, CPU times and durations are summed. Only the time resolution gets coarser, as if the run had been recorded with a
//! longer interval. The record itself keeps every interval, and exporters read them all ([`crate::reader::each_tick`]).

use std::collections::HashMap;

use plumb_model::plan::Plan;
use plumb_model::run::metric::Reading;
use plumb_model::run::tick::{Phase, Tick};
use plumb_model::run::{Event, Note};

/// Memory that the intervals of a run may take before adjacent ones are merged: some thousand intervals, more than the points of a chart.
const TICKS_BYTES: usize = 2 << 20;
/// Executions with fewer intervals than this are never condensed, however much memory the rest of the run takes.
const LEAST_TICKS: usize = 64;
/// Readings of a run held in memory before samples are dropped.
const MOST_READINGS: usize = 30_000;
/// Samples always kept, regardless of the number of columns: more than the columns of a heat map.
const LEAST_SAMPLES: usize = 320;

/// Collects the intervals of a run within a memory bound.
pub(crate) struct Ticks {
    kept: Vec<Tick>,
    /// For each kept tick, its position on the finest grid of its execution.
    positions: Vec<u64>,
    executions: HashMap<u32, Grid>,
    /// Index of the last kept tick of an execution and job.
    last: HashMap<(u32, u32), usize>,
    /// Memory of all kept ticks except the last ones, which may still grow.
    memory_bytes: usize,
    limit_bytes: usize,
}

/// The time grid of an execution, shared by all its jobs so that their intervals stay aligned.
#[derive(Debug, Clone, Copy, Default)]
struct Grid {
    start_ns: u64,
    unit_ns: u64,
    /// A cell is `unit_ns << shift` long; all intervals in one cell are merged.
    shift: u32,
    ticks: usize,
    /// End part of the main job that is never condensed: the steady-state decision is repeated on its intervals.
    tail_ns: u64,
    end_ns: u64,
}

impl Grid {
    fn position(&self, tick: &Tick) -> u64 {
        (tick.start_ns / 2 + tick.end_ns / 2).saturating_sub(self.start_ns) / self.unit_ns
    }

    fn is_tail(&self, tick: &Tick) -> bool {
        tick.job == 0
            && tick.phase == Phase::Measure
            && tick.end_ns.saturating_add(self.tail_ns) >= self.end_ns
            && self.tail_ns > 0
    }
}

impl Ticks {
    pub fn new(plan: &Plan, notes: &[Note]) -> Ticks {
        Ticks::within(TICKS_BYTES, plan, notes)
    }

    fn within(limit_bytes: usize, plan: &Plan, notes: &[Note]) -> Ticks {
        let tail_ns = |step: u32| {
            let workload = &plan.steps.get(step as usize)?.jobs.first()?.workload;
            Some(
                workload
                    .until_steady?
                    .judged_ns(workload.interval)
                    .saturating_add(2 * workload.interval.0),
            )
        };
        let grid = |step: u32| Grid {
            tail_ns: tail_ns(step).unwrap_or(0),
            ..Grid::default()
        };
        let executions = notes.iter().filter_map(|note| match note.event {
            Event::ExecutionStarted {
                execution, step, ..
            } => Some((execution, grid(step))),
            _ => None,
        });
        let executions = executions.collect();
        Ticks {
            kept: Vec::new(),
            positions: Vec::new(),
            executions,
            last: HashMap::new(),
            memory_bytes: 0,
            limit_bytes,
        }
    }

    /// Adds the next interval of the record.
    pub fn add(&mut self, tick: Tick) {
        let grid = self.executions.entry(tick.execution).or_default();
        if grid.unit_ns == 0 {
            (grid.start_ns, grid.unit_ns) = (
                tick.start_ns,
                tick.end_ns.saturating_sub(tick.start_ns).max(1_000_000),
            );
        }
        if tick.job == 0 && tick.phase == Phase::Measure {
            grid.end_ns = grid.end_ns.max(tick.end_ns);
        }
        let (grid, position) = (*grid, grid.position(&tick));
        let key = (tick.execution, tick.job);
        if self.last.keys().any(|(execution, _)| *execution != key.0) {
            // Executions follow each other.
            std::mem::take(&mut self.last)
                .into_values()
                .for_each(|index| close(&mut self.kept[index], &mut self.memory_bytes));
        }
        if let Some(index) = self.last.get(&key).copied() {
            let near = grid.shift > 0
                && self.positions[index] >> grid.shift == position >> grid.shift
                && !grid.is_tail(&tick);
            if near && self.kept[index].absorb(&tick) {
                return;
            }
            close(&mut self.kept[index], &mut self.memory_bytes);
        }
        self.last.insert(key, self.kept.len());
        self.kept.push(tick);
        self.positions.push(position);
        self.executions
            .entry(key.0)
            .and_modify(|grid| grid.ticks += 1);
        if self.memory_bytes > self.limit_bytes {
            self.condense();
        }
    }

    /// The intervals, in record order.
    pub fn finish(mut self) -> Vec<Tick> {
        self.kept.iter_mut().for_each(Tick::shrink);
        self.kept
    }

    /// Doubles the cell size of every execution that has more than a few cells, until all fit.
    fn condense(&mut self) {
        loop {
            let before = self.kept.len();
            for grid in self
                .executions
                .values_mut()
                .filter(|grid| grid.ticks > LEAST_TICKS && grid.shift < 48)
            {
                grid.shift += 1;
            }
            self.merge();
            if self.memory_bytes <= self.limit_bytes {
                return;
            }
            let grows = self
                .executions
                .values()
                .any(|grid| grid.ticks > LEAST_TICKS && grid.shift < 48);
            if !grows || self.kept.len() == before {
                // Many short executions, or intervals that are not contiguous: keep them and check again when there are twice as many.
                self.limit_bytes = 2 * self.memory_bytes;
                return;
            }
        }
    }

    /// Merges all intervals that are in the same cell.
    fn merge(&mut self) {
        let ticks = std::mem::take(&mut self.kept)
            .into_iter()
            .zip(std::mem::take(&mut self.positions));
        self.last.clear();
        self.memory_bytes = 0;
        self.executions.values_mut().for_each(|grid| grid.ticks = 0);
        for (mut tick, position) in ticks {
            tick.shrink();
            let key = (tick.execution, tick.job);
            let Some(grid) = self.executions.get_mut(&key.0) else {
                continue;
            };
            if self.last.keys().any(|(execution, _)| *execution != key.0) {
                std::mem::take(&mut self.last)
                    .into_values()
                    .for_each(|index| close(&mut self.kept[index], &mut self.memory_bytes));
            }
            if let Some(index) = self.last.get(&key).copied() {
                let near = grid.shift > 0
                    && self.positions[index] >> grid.shift == position >> grid.shift
                    && !grid.is_tail(&tick);
                if near && self.kept[index].absorb(&tick) {
                    continue;
                }
                close(&mut self.kept[index], &mut self.memory_bytes);
            }
            grid.ticks += 1;
            self.last.insert(key, self.kept.len());
            self.kept.push(tick);
            self.positions.push(position);
        }
    }
}

/// The tick is complete: shrink what merging expanded, and count its memory.
fn close(tick: &mut Tick, memory_bytes: &mut usize) {
    tick.shrink();
    *memory_bytes += tick.memory_bytes();
}

/// Collects the readings of a run within a bound. Beyond it every second sample is dropped, then every second of the rest, and so on. Counters are monotonic,
/// so the difference between two samples stays exact whichever samples are dropped. Samples next to the beginning and the end of an execution are kept, so
/// that counts inside and outside of a step stay separate.
pub(crate) struct Readings {
    /// Samples, each with its number within its column list and its time.
    kept: Vec<(u64, u64, Vec<Reading>)>,
    /// Start and end times of executions, sorted, in nanoseconds.
    borders: Vec<u64>,
    /// Samples so far per column list: samples of each list are dropped in turn, so that no list disappears.
    numbers: HashMap<u32, u64>,
    every: u64,
    held: usize,
    limit: usize,
}

impl Readings {
    pub fn new(notes: &[Note]) -> Readings {
        Readings::within(MOST_READINGS, notes)
    }

    fn within(limit: usize, notes: &[Note]) -> Readings {
        let border = |note: &Note| match note.event {
            Event::ExecutionStarted { .. }
            | Event::ExecutionEnded { .. }
            | Event::ExecutionFailed { .. } => Some(note.time_ns),
            _ => None,
        };
        let mut borders: Vec<u64> = notes.iter().filter_map(border).collect();
        borders.sort_unstable();
        borders.dedup();
        Readings {
            kept: Vec::new(),
            borders,
            numbers: HashMap::new(),
            every: 1,
            held: 0,
            limit,
        }
    }

    /// Adds the next sample: readings taken at one time with this column list.
    pub fn add(&mut self, time_ns: u64, columns: u32, sample: Vec<Reading>) {
        // The previous sample was the last before an execution boundary, or this is the first after one: keep both.
        let crossed = self
            .kept
            .last()
            .is_none_or(|(_, last_ns, _)| self.border_between(*last_ns, time_ns));
        if !crossed && self.kept.len() > 1 {
            let (number, last_ns, _) = self.kept[self.kept.len() - 1];
            let from_ns = self.kept[self.kept.len() - 2].1;
            if !number.is_multiple_of(self.every) && !self.border_between(from_ns, last_ns) {
                self.drop_last();
            }
        }
        self.held += sample.len();
        let number = self.numbers.entry(columns).or_default();
        self.kept.push((*number, time_ns, sample));
        *number += 1;
        while self.held > self.limit && self.kept.len() > LEAST_SAMPLES + 4 * self.borders.len() {
            self.every *= 2;
            self.thin_out();
        }
    }

    pub fn finish(self) -> Vec<Reading> {
        self.kept
            .into_iter()
            .flat_map(|(_, _, sample)| sample)
            .collect()
    }

    fn border_between(&self, from_ns: u64, to_ns: u64) -> bool {
        let first = self.borders.partition_point(|border| *border < from_ns);
        self.borders
            .get(first)
            .is_some_and(|border| *border <= to_ns)
    }

    fn drop_last(&mut self) {
        self.held -= self.kept.pop().map_or(0, |(_, _, sample)| sample.len());
    }

    fn thin_out(&mut self) {
        let times: Vec<u64> = self.kept.iter().map(|(_, time_ns, _)| *time_ns).collect();
        let stays = |at: usize, number: u64| {
            number.is_multiple_of(self.every)
                || at == 0
                || at + 1 == times.len()
                || self.border_between(times[at - 1], times[at])
                || self.border_between(times[at], times[at + 1])
        };
        let stay: Vec<bool> = self
            .kept
            .iter()
            .enumerate()
            .map(|(at, (number, ..))| stays(at, *number))
            .collect();
        let mut stay = stay.into_iter();
        self.kept.retain(|_| stay.next().unwrap_or(true));
        self.held = self.kept.iter().map(|(_, _, sample)| sample.len()).sum();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::synthetic::{Builder, Interval, ladder};
    use plumb_model::run::Run;
    use plumb_model::run::histogram::Histogram;

    fn run(intervals: usize) -> Run {
        let mut builder = Builder::new(ladder("read", &[1, 8]));
        let one = Interval {
            seconds: 0.01,
            iops: 5_000.0,
            ..Interval::default()
        };
        let phases = |count: usize| {
            let mut all = vec![one.clone(); count];
            all.iter_mut()
                .take(count / 10)
                .for_each(|interval| interval.phase = Phase::WarmUp);
            all
        };
        builder.execute(0, 0, &phases(intervals));
        builder.execute(1, 0, &phases(20));
        builder.finish()
    }

    fn condensed(run: &Run, limit_bytes: usize) -> Vec<Tick> {
        let mut ticks = Ticks::within(limit_bytes, &run.header.plan, &run.notes);
        run.ticks.iter().for_each(|tick| ticks.add(tick.clone()));
        assert!(
            ticks.memory_bytes <= ticks.limit_bytes,
            "{} > {}",
            ticks.memory_bytes,
            ticks.limit_bytes
        );
        ticks.finish()
    }

    /// By execution and phase: operations, bytes, covered time, number of latency values.
    fn sums(ticks: &[Tick]) -> Vec<(u32, Phase, u64, u64, u64, Histogram)> {
        let mut sums: Vec<(u32, Phase, u64, u64, u64, Histogram)> = Vec::new();
        for tick in ticks {
            let position = sums
                .iter()
                .position(|sum| (sum.0, sum.1) == (tick.execution, tick.phase))
                .unwrap_or_else(|| {
                    sums.push((tick.execution, tick.phase, 0, 0, 0, Histogram::default()));
                    sums.len() - 1
                });
            let sum = &mut sums[position];
            sum.4 += tick.end_ns - tick.start_ns;
            for kind in &tick.kinds {
                sum.2 += kind.count;
                sum.3 += kind.bytes;
                sum.5.merge(&kind.service);
            }
        }
        sums
    }

    #[test]
    fn a_run_within_the_bound_is_unchanged() {
        let run = run(200);
        assert_eq!(condensed(&run, TICKS_BYTES), run.ticks);
    }

    #[test]
    fn a_longer_run_takes_no_more_memory_and_keeps_its_sums() {
        let run = run(20_000);
        let ticks = condensed(&run, 200 << 10);
        assert!(
            ticks.len() < 1_000 && ticks.iter().map(Tick::memory_bytes).sum::<usize>() <= 200 << 10,
            "{}",
            ticks.len()
        );
        assert_eq!(
            ticks.iter().filter(|tick| tick.execution == 1).count(),
            20,
            "a short execution stays as it is"
        );
        assert!(sums(&ticks) == sums(&run.ticks));
        let lengths: Vec<u64> = ticks
            .iter()
            .filter(|tick| tick.execution == 0)
            .map(|tick| tick.end_ns - tick.start_ns)
            .collect();
        let longest = lengths.iter().max().copied().unwrap_or(0);
        assert!(
            lengths
                .iter()
                .filter(|length| **length * 2 < longest)
                .count()
                <= 4,
            "equal lengths but at the ends: {lengths:?}"
        );
    }

    #[test]
    fn the_window_that_was_judged_steady_stays_as_it_is() {
        let mut run = run(20_000);
        let asked = "iops deviation 2% over 10s".parse().expect("an end");
        run.header.plan.steps[0].jobs[0].workload.until_steady = Some(asked);
        let ticks = condensed(&run, 200 << 10);
        let of = |ticks: &[Tick]| {
            ticks
                .iter()
                .filter(|tick| tick.execution == 0)
                .rev()
                .take(2_000)
                .cloned()
                .collect::<Vec<_>>()
        };
        assert!(of(&ticks) == of(&run.ticks));
        assert!(ticks.len() < 4_000, "{}", ticks.len());
    }

    #[test]
    fn samples_around_executions_stay_and_others_are_left_out_evenly() {
        let notes: Vec<Note> = [(5_500, 0), (5_600, 1)]
            .map(|(time_ns, execution)| Note {
                time_ns,
                event: Event::ExecutionStarted {
                    execution,
                    step: 0,
                    round: 0,
                },
            })
            .into();
        let mut readings = Readings::within(1_000, &notes);
        let sample = |time_ns: u64| {
            let of = |instance: u32| Reading {
                metric: "disk.reads".into(),
                instance: instance.to_string(),
                time_ns,
                value: Some(1.0),
            };
            (0..10).map(of).collect::<Vec<_>>()
        };
        (0..10_000).for_each(|time_ns| readings.add(time_ns, 1, sample(time_ns)));
        let mut times: Vec<u64> = readings
            .finish()
            .iter()
            .map(|reading| reading.time_ns)
            .collect();
        times.dedup();
        assert!(
            times.len() <= LEAST_SAMPLES + 8 && times.len() > 100,
            "{}",
            times.len()
        );
        assert!(
            [0, 5_499, 5_500, 5_599, 5_600, 9_999]
                .iter()
                .all(|time| times.contains(time)),
            "{times:?}"
        );
        let widest = times.windows(2).map(|pair| pair[1] - pair[0]).max();
        assert!(widest <= Some(64), "{widest:?}");
    }
}
