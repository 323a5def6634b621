//! What happened over time? Throughput, latency and errors of every interval, in execution order.

use std::collections::BTreeMap;

use plumb_model::results::series::{Interval, KindOverTime, OverTime, Series, Span};
use plumb_model::run::Run;
use plumb_model::run::histogram::Histogram;
use plumb_model::run::tick::{Phase, Tick};
use plumb_model::workload::OperationKind;

use crate::figures::executions::{Execution, executions};
use crate::figures::tally::{flushes_apart, rate, stated_quantile};

/// Most points of a line; beyond it neighbouring intervals are merged (counts added, histograms merged), so that a page stays small.
const MOST_POINTS: usize = 1500;

/// False if bytes were transferred without counted operations: the source of an imported run does not report their number.
fn counted(count: u64, bytes: u64) -> bool {
    count > 0 || bytes == 0
}

/// Length of an interval: the longest of its ticks, in nanoseconds.
fn length_ns(group: &Vec<&Tick>) -> u64 {
    let lengths = group
        .iter()
        .map(|tick| tick.end_ns.saturating_sub(tick.start_ns));
    lengths.max().unwrap_or(0)
}

/// A kind of operation with the median and the 99th percentile of its response times in nanoseconds.
type KindTimes = (OperationKind, Option<f64>, Option<f64>);

/// Those of each kind.
fn latencies(responses: &BTreeMap<OperationKind, Histogram>) -> Vec<KindTimes> {
    let of = |(kind, times): (&OperationKind, &Histogram)| {
        (
            *kind,
            stated_quantile(times, 0.5),
            stated_quantile(times, 0.99),
        )
    };
    responses.iter().map(of).collect()
}

/// The figures of one interval or several in a row: `groups` holds, for each interval, the ticks of all jobs.
fn merged(groups: &[Vec<&Tick>]) -> Interval {
    let ticks = || groups.iter().flatten();
    let start_ns = ticks().map(|tick| tick.start_ns).min().unwrap_or(0);
    let end_ns = ticks().map(|tick| tick.end_ns).max().unwrap_or(0);
    let length_s = groups.iter().map(length_ns).fold(0u64, u64::saturating_add) as f64 / 1e9;
    let mut kinds: BTreeMap<OperationKind, (u64, u64)> = BTreeMap::new();
    let mut responses: BTreeMap<OperationKind, Histogram> = BTreeMap::new();
    let (mut flight_ns, mut errors) = (Some(0.0), 0);
    for kind in ticks().flat_map(|tick| &tick.kinds) {
        let (count, bytes) = kinds.entry(kind.kind).or_default();
        *count += kind.count;
        *bytes = bytes.saturating_add(kind.bytes);
        errors += kind.errors.values().sum::<u64>();
        // An imported run may have counts without latencies.
        let known = kind.service.count() > 0 || kind.count == 0;
        flight_ns = flight_ns
            .filter(|_| known)
            .map(|sum| sum + kind.service.sum_ns() as f64);
        responses
            .entry(kind.kind)
            .or_default()
            .merge(kind.response.as_ref().unwrap_or(&kind.service));
    }
    let apart = flushes_apart(ticks().copied());
    let in_all = |kind: OperationKind| !apart || kind != OperationKind::Flush;
    let (mut count, mut bytes) = (0u64, 0u64);
    for (_, (more, moved)) in kinds.iter().filter(|(kind, _)| in_all(**kind)) {
        count = count.saturating_add(*more);
        bytes = bytes.saturating_add(*moved);
    }
    let mut response = Histogram::default();
    let held = responses.iter().filter(|(kind, _)| in_all(**kind));
    held.for_each(|(_, times)| response.merge(times));
    let per_s = |amount: u64| rate(amount as f64, length_s);
    // The backlog is a state: that of the last interval, over all jobs.
    let backlogs = || {
        groups
            .last()
            .into_iter()
            .flatten()
            .filter_map(|tick| tick.backlog)
    };
    Interval {
        start_s: start_ns as f64 / 1e9,
        end_s: end_ns as f64 / 1e9,
        kinds: kinds
            .iter()
            .filter_map(|(kind, (count, bytes))| {
                Some((
                    *kind,
                    per_s(*count)
                        .filter(|_| counted(*count, *bytes))
                        .unwrap_or(f64::NAN),
                    per_s(*bytes)?,
                ))
            })
            .collect(),
        latencies: latencies(&responses),
        iops: per_s(count).filter(|_| counted(count, bytes)),
        bandwidth_bytes_per_s: per_s(bytes),
        achieved_depth: flight_ns.and_then(|flight_ns| rate(flight_ns / 1e9, length_s)),
        p50_ns: stated_quantile(&response, 0.5),
        p99_ns: stated_quantile(&response, 0.99),
        max_ns: response.max_ns().map(|ns| ns as f64),
        errors,
        backlog: backlogs().next().map(|_| backlogs().sum()),
    }
}

/// The figures of one interval from the ticks of all jobs in it: for a live view.
pub fn interval(ticks: &[&Tick]) -> Interval {
    merged(&[ticks.to_vec()])
}

/// The measured intervals of an execution, each with the ticks of all its jobs: the n-th intervals of the jobs belong together, since one clock
/// ends them all. Those of a job that started later are aligned with the first job by time.
fn groups<'a>(execution: &Execution<'a>) -> Vec<Vec<&'a Tick>> {
    if execution.all_ran.is_some() {
        return numbered(execution);
    }
    let mut of_job: BTreeMap<u32, Vec<&Tick>> = BTreeMap::new();
    for tick in execution
        .ticks
        .iter()
        .filter(|tick| tick.phase == Phase::Measure)
    {
        of_job.entry(tick.job).or_default().push(tick);
    }
    let first = of_job
        .values()
        .min_by_key(|ticks| ticks.first().map(|tick| tick.start_ns))
        .cloned()
        .unwrap_or_default();
    let mut groups: Vec<Vec<&Tick>> = Vec::new();
    for ticks in of_job.values() {
        let begun_ns = ticks.first().map_or(0, |tick| tick.start_ns);
        let before = first.partition_point(|tick| tick.start_ns / 2 + tick.end_ns / 2 < begun_ns);
        groups.resize(groups.len().max(before + ticks.len()), Vec::new());
        ticks
            .iter()
            .zip(&mut groups[before..])
            .for_each(|(tick, group)| group.push(tick));
    }
    groups
}

/// The same for many ranks, whose intervals are numbered: a late entry is separate, and belongs to the others of its number.
fn numbered<'a>(execution: &Execution<'a>) -> Vec<Vec<&'a Tick>> {
    let mut groups: BTreeMap<u64, Vec<&Tick>> = BTreeMap::new();
    let measured = execution.ticks.iter();
    for tick in measured.filter(|tick| tick.phase == Phase::Measure) {
        let number = tick.ranks.map_or(0, |of| of.interval);
        groups.entry(number).or_default().push(tick);
    }
    groups.into_values().collect()
}

/// The figures of every measured interval of one execution; of many ranks, those in which all of them ran.
pub fn intervals(execution: &Execution) -> Vec<Interval> {
    let mut groups = groups(execution);
    groups.retain(|ticks| ticks.iter().any(|tick| execution.in_rates(tick)));
    groups.chunks(1).map(merged).collect()
}

/// Lines over the entire run, with gaps between executions.
pub fn over_time(run: &Run) -> OverTime {
    let (executions, _) = executions(run);
    let all: Vec<(&Execution, Vec<Vec<&Tick>>)> = executions
        .iter()
        .map(|execution| (execution, groups(execution)))
        .collect();
    let count: usize = all.iter().map(|(_, groups)| groups.len()).sum();
    let together = count.div_ceil(MOST_POINTS).max(1);
    let mut lines = Lines::default();
    for (execution, groups) in &all {
        let Some((start_ns, end_ns)) = execution.extent_ns() else {
            continue;
        };
        let (start_s, end_s) = (start_ns as f64 / 1e9, end_ns as f64 / 1e9);
        let name = run
            .header
            .plan
            .steps
            .get(execution.step as usize)
            .map_or("", |step| step.name.as_str());
        lines.spans.push(Span {
            name: name.to_string(),
            step: execution.step,
            round: execution.round,
            rounds: run.header.plan.rounds,
            start_s,
            end_s,
        });
        // Figures that the source of an imported run states are no lines over time, and no stall either.
        if !execution.reported.is_empty()
            && execution.ticks.iter().all(|tick| tick.kinds.is_empty())
        {
            continue;
        }
        lines.extend(groups.chunks(together).map(merged).collect());
    }
    lines.finish()
}

/// Lines that grow by executions.
#[derive(Default)]
struct Lines {
    spans: Vec<Span>,
    /// An interval, or `None` between two executions.
    intervals: Vec<(f64, Option<Interval>)>,
}

impl Lines {
    fn extend(&mut self, mut intervals: Vec<Interval>) {
        // An interval in which a kind completed nothing is missing it in the record. Within an execution that has this kind it is 0 (a
        // stall must be seen), elsewhere it is a gap.
        let mut kinds: Vec<OperationKind> = intervals
            .iter()
            .flat_map(|interval| interval.kinds.iter().map(|(kind, ..)| *kind))
            .collect();
        kinds.sort_unstable();
        kinds.dedup();
        for interval in intervals
            .iter_mut()
            .filter(|interval| interval.iops.is_some())
        {
            for kind in &kinds {
                if !interval.kinds.iter().any(|(held, ..)| held == kind) {
                    interval.kinds.push((*kind, 0.0, 0.0));
                }
            }
        }
        if let (Some((last_s, Some(_))), Some(next)) = (self.intervals.last(), intervals.first()) {
            self.intervals.push(((last_s + next.start_s) / 2.0, None));
        }
        let middle =
            |interval: Interval| ((interval.start_s + interval.end_s) / 2.0, Some(interval));
        self.intervals.extend(intervals.into_iter().map(middle));
    }

    fn line(&self, name: &str, unit: &str, value: impl Fn(&Interval) -> Option<f64>) -> Series {
        let points = self
            .intervals
            .iter()
            .map(|(x, interval)| {
                (
                    *x,
                    interval
                        .as_ref()
                        .and_then(&value)
                        .filter(|value| value.is_finite()),
                )
            })
            .collect();
        Series {
            name: name.into(),
            statement: None,
            unit: unit.into(),
            points,
        }
    }

    fn finish(self) -> OverTime {
        let held = || {
            self.intervals
                .iter()
                .filter_map(|(_, interval)| interval.as_ref())
        };
        let mut kinds: Vec<OperationKind> = held()
            .flat_map(|interval| interval.kinds.iter().map(|(kind, ..)| *kind))
            .collect();
        kinds.sort_unstable();
        kinds.dedup();
        let of = |kind: OperationKind, bandwidth: bool| {
            self.line(
                kind.word(),
                if bandwidth { "bytes/s" } else { "operations/s" },
                |interval| {
                    let found = interval.kinds.iter().find(|(k, ..)| *k == kind);
                    found.map(|(_, iops, bytes)| if bandwidth { *bytes } else { *iops })
                },
            )
        };
        let times = |kind: &OperationKind| {
            let of = |name: &str, which: fn(&KindTimes) -> Option<f64>| {
                self.line(name, "ns", |interval| {
                    let mut held = interval.latencies.iter();
                    held.find(|(held, ..)| held == kind).and_then(which)
                })
            };
            KindOverTime {
                kind: kind.word().to_string(),
                p50_ns: of("median", |times| times.1),
                p99_ns: of("99 %", |times| times.2),
            }
        };
        OverTime {
            kinds: match kinds.len() {
                0 | 1 => Vec::new(),
                _ => kinds.iter().map(times).collect(),
            },
            iops: kinds.iter().map(|kind| of(*kind, false)).collect(),
            bandwidth: kinds
                .iter()
                .filter(|kind| kind.moves_data())
                .map(|kind| of(*kind, true))
                .collect(),
            p50_ns: self.line("median", "ns", |interval| interval.p50_ns),
            p99_ns: self.line("99 %", "ns", |interval| interval.p99_ns),
            max_ns: self.line("longest", "ns", |interval| interval.max_ns),
            errors: self.line("errors", "operations/s", |i| {
                rate(i.errors as f64, i.end_s - i.start_s)
            }),
            backlog: held().any(|interval| interval.backlog.is_some()).then(|| {
                self.line("backlog", "operations", |interval| {
                    interval.backlog.map(|backlog| backlog as f64)
                })
            }),
            spans: self.spans,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synthetic::{Builder, Interval as Asked, ladder};

    #[test]
    fn lines_have_gaps_between_executions_and_zeros_in_stalls() {
        let mut builder = Builder::new(ladder("read", &[1, 2]));
        builder.execute(
            0,
            0,
            &[
                Asked::default(),
                Asked {
                    iops: 0.0,
                    ..Asked::default()
                },
            ],
        );
        builder.execute(
            1,
            0,
            &[Asked {
                iops: 500.0,
                errors: vec![("EIO", 3)],
                ..Asked::default()
            }],
        );
        let mut run = builder.finish();
        run.ticks[1].kinds.clear();
        let lines = over_time(&run);
        let values: Vec<Option<f64>> = lines.iops[0]
            .points
            .iter()
            .map(|(_, value)| *value)
            .collect();
        assert_eq!(values, [Some(10_000.0), Some(0.0), None, Some(500.0)]);
        let p99: Vec<bool> = lines
            .p99_ns
            .points
            .iter()
            .map(|(_, value)| value.is_some())
            .collect();
        assert_eq!(
            p99,
            [true, false, false, false],
            "500 operations have no 99th percentile"
        );
        assert_eq!(lines.errors.points[3].1, Some(3.0));
        assert_eq!(
            (
                lines.spans.len(),
                lines.spans[1].name.as_str(),
                lines.backlog
            ),
            (2, "random-read depth=2", None)
        );
    }

    /// A job that begins two and a half intervals later stands beside what the first one did then.
    #[test]
    fn jobs_that_begin_later_are_put_to_their_time() {
        let mut steps = ladder("read", &[1]);
        let late = steps[0].jobs[0].clone();
        steps[0].jobs.push(late);
        let mut builder = Builder::new(steps);
        builder.execute(0, 0, &vec![Asked::default(); 5]);
        let mut run = builder.finish();
        let begun_ns = run.ticks[4].start_ns;
        run.ticks
            .retain(|tick| tick.job == 0 || tick.start_ns >= begun_ns);
        for tick in run.ticks.iter_mut().filter(|tick| tick.job == 1) {
            (tick.start_ns, tick.end_ns) = (tick.start_ns + 400_000_000, tick.end_ns + 400_000_000);
        }
        let rates = |run: &Run| -> Vec<Option<f64>> {
            intervals(&executions(run).0[0])
                .iter()
                .map(|interval| interval.iops)
                .collect()
        };
        assert_eq!(
            rates(&run),
            [
                Some(10_000.0),
                Some(10_000.0),
                Some(20_000.0),
                Some(20_000.0),
                Some(20_000.0)
            ]
        );
        for tick in run.ticks.iter_mut().filter(|tick| tick.job == 1) {
            (tick.start_ns, tick.end_ns) = (tick.start_ns + 200_000_000, tick.end_ns + 200_000_000);
        }
        assert_eq!(
            rates(&run)[2..],
            [
                Some(10_000.0),
                Some(20_000.0),
                Some(20_000.0),
                Some(10_000.0)
            ],
            "nearer to the fourth"
        );
    }

    #[test]
    fn long_runs_are_merged_to_a_bounded_number_of_points() {
        let mut builder = Builder::new(ladder("read", &[1]));
        builder.execute(
            0,
            0,
            &vec![
                Asked {
                    seconds: 0.01,
                    iops: 1000.0,
                    ..Asked::default()
                };
                4000
            ],
        );
        let lines = over_time(&builder.finish());
        let points = &lines.iops[0].points;
        assert!(
            points.len() <= MOST_POINTS && points.len() > MOST_POINTS / 2,
            "{}",
            points.len()
        );
        assert!(
            points
                .iter()
                .all(|(_, value)| value.is_some_and(|iops| (iops - 1000.0).abs() < 1e-6))
        );
    }

    #[test]
    fn one_interval_for_a_live_view() {
        let mut builder = Builder::new(ladder("read", &[1]));
        builder.execute(
            0,
            0,
            &[Asked {
                seconds: 0.5,
                ..Asked::default()
            }],
        );
        let now = interval(&builder.run.ticks.iter().collect::<Vec<_>>());
        assert_eq!(
            (now.iops, now.bandwidth_bytes_per_s, now.errors, now.backlog),
            (Some(10_000.0), Some(4.096e7), 0, None)
        );
        assert!(now.p50_ns.is_some() && now.p99_ns.is_some());
        assert_eq!(interval(&[]).iops, None);
    }
}
