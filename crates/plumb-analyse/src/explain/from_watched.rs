//! What was the load of a disk or an NFS mount, by recorded counters? Figures of one of them in a window, as input of the rules.

use plumb_model::explain::observed::{CallShare, Observed, ObservedFrom, Processors};
use plumb_model::results::watch::{WatchInterval, WatchRow, WatchTable};
use plumb_model::run::Run;

use super::at_samples::most_at_samples;
use crate::figures::watch::Derivation;

const NFS_MOUNT: &str = "nfs_mount";
/// Tables with requests whose number outstanding is known, nearest to the application first.
const GROUPS: [&str; 4] = [NFS_MOUNT, "logical_disk", "disk", "physical_disk"];
/// Tables of what cores do, and what Windows calls them together.
const CORES: [&str; 2] = ["cpu", "processor_information"];
const WINDOWS_TOTAL: &str = "_Total";
/// All of a thing: what its reads, writes and flushes add up to.
const ALL: &str = "all";

/// An interval that is busy for less says nothing of how many requests are outstanding at once.
const BUSY_MIN: f64 = 0.05;
/// What rounding may add to a mean of outstanding requests.
const ROUNDING: f64 = 0.05;

/// A disk or mount that was watched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WatchedTarget {
    group: &'static str,
    /// `vda`, `/mnt/n`.
    pub name: String,
}

/// The disks and mounts with requests, those nearest to the application first, and of these the one with the most bytes.
pub fn watched_targets(run: &Run) -> Vec<WatchedTarget> {
    let derived = derived(run, (0, u64::MAX));
    let mut positions: Vec<(usize, f64, WatchedTarget)> = Vec::new();
    for table in &derived.tables {
        let Some(rank) = GROUPS.iter().position(|group| *group == table.group) else {
            continue;
        };
        for row in &table.rows {
            let rate = value(table, row, "per_second").filter(|rate| *rate > 0.0);
            let index = WatchedTarget {
                group: table.group,
                name: row.instance.to_string(),
            };
            if rate.is_some() && !positions.iter().any(|(_, _, known)| *known == index) {
                let reads_and_writes = figures(table, &index).both;
                positions.push((rank, reads_and_writes.bytes_per_s.unwrap_or(0.0), index));
            }
        }
    }
    positions.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
    positions.into_iter().map(|(_, _, index)| index).collect()
}

/// The intervals of a window, and all of them together.
struct DerivedWindow {
    intervals: Vec<WatchInterval>,
    tables: Vec<WatchTable>,
}

fn derived(run: &Run, (from_ns, to_ns): (u64, u64)) -> DerivedWindow {
    let mut derivation = Derivation::new();
    let samples = run.readings.chunk_by(|a, b| a.time_ns == b.time_ns);
    let within = samples.filter(|sample| (from_ns..=to_ns).contains(&sample[0].time_ns));
    let intervals = within
        .filter_map(|sample| derivation.take(sample))
        .collect();
    DerivedWindow {
        intervals,
        tables: derivation.tables(),
    }
}

/// What the counters of a place show from `from_ns` to `to_ns`; `source` is the file as it was named.
pub fn observed_in_watched(
    run: &Run,
    source: &str,
    index: &WatchedTarget,
    window: (u64, u64),
) -> Observed {
    let derived = derived(run, window);
    let of_target = |tables: &[WatchTable]| {
        let table = tables.iter().find(|table| table.group == index.group)?;
        Some(figures(table, index))
    };
    let Some(complete) = of_target(&derived.tables) else {
        return Observed {
            target: Some(index.name.clone()),
            ..Observed::unknown(ObservedFrom::Counters, source)
        };
    };
    let begin_ns = derived.intervals.first().map_or(0, |first| first.begin_ns);
    let end_ns = derived.intervals.last().map_or(0, |last| last.end_ns);
    let over_time: Vec<Figures> = derived
        .intervals
        .iter()
        .filter_map(|interval| of_target(&interval.tables))
        .collect();
    let Figures {
        both, flush, all, ..
    } = complete;
    // A time of 0 is one below the millisecond that the kernel counts in: it is not known.
    let outstanding = all.outstanding.filter(|number| *number > 0.0);
    let rate = both.per_s;
    let busy = busy_share(run, &index.name, window);
    Observed {
        target: Some(index.name.clone()),
        is_local: index.group != NFS_MOUNT,
        begin_ns,
        span_ns: end_ns.saturating_sub(begin_ns),
        requests: rate.map(|rate| (rate * end_ns.saturating_sub(begin_ns) as f64 / 1e9) as u64),
        requests_per_s: rate,
        bytes_per_s: both.bytes_per_s,
        bytes_per_request: both
            .bytes_per_s
            .zip(rate)
            .and_then(|(bytes, rate)| (rate > 0.0).then(|| bytes / rate)),
        read_share: complete
            .reads_per_s
            .zip(rate)
            .and_then(|(reads, rate)| (rate > 0.0).then(|| (reads / rate).min(1.0))),
        request_ns: both.mean_ns.filter(|time_ns| *time_ns > 0.0),
        outstanding,
        idle_share: all.idle_share.or(busy.map(|share| 1.0 - share)),
        outstanding_most: most_at_samples(over_time.iter().filter_map(|of| of.all.at_sample))
            .or_else(|| most_while_busy(&over_time, busy?))
            // Samples may miss the most: several at once are at least as many as their mean.
            .map(|most| match most {
                0 | 1 => most,
                _ => most.max(outstanding.unwrap_or(0.0).ceil() as u64),
            }),
        metadata: CallShare {
            per_s: complete.others_per_s,
            ..CallShare::default()
        },
        flushes: CallShare {
            per_s: flush.per_s,
            mean_ns: flush.mean_ns,
            time_share: outstanding
                .filter(|all| *all > 0.0)
                .map(|all| flush.outstanding.unwrap_or(0.0) / all),
            most: None,
        },
        processors: processors(&derived.tables),
        requests_over_time: over_time.iter().filter_map(|of| of.both.per_s).collect(),
        outstanding_over_time: over_time
            .iter()
            .filter_map(|of| of.all.outstanding)
            .collect(),
        ..Observed::unknown(ObservedFrom::Counters, source)
    }
}

/// Figures of a disk or mount.
#[derive(Default)]
struct Figures {
    /// Reads and writes together, without flushes.
    both: Requests,
    /// With them.
    all: Requests,
    reads_per_s: Option<f64>,
    flush: Requests,
    /// Requests of other kinds, where all are counted together.
    others_per_s: Option<f64>,
}

#[derive(Clone, Copy, Default)]
struct Requests {
    per_s: Option<f64>,
    bytes_per_s: Option<f64>,
    mean_ns: Option<f64>,
    outstanding: Option<f64>,
    at_sample: Option<f64>,
    /// Time without a request, 0 to 1.
    idle_share: Option<f64>,
}

impl Requests {
    /// What is missing here, from the other.
    fn or(&self, other: &Requests) -> Requests {
        Requests {
            per_s: self.per_s.or(other.per_s),
            bytes_per_s: self.bytes_per_s.or(other.bytes_per_s),
            mean_ns: self.mean_ns.or(other.mean_ns),
            outstanding: self.outstanding.or(other.outstanding),
            at_sample: self.at_sample.or(other.at_sample),
            idle_share: self.idle_share.or(other.idle_share),
        }
    }
}

/// Share of a window with a request of the disk in flight, where a recording has this and no samples of their number: iostat's `%util`.
fn busy_share(run: &Run, disk: &str, (from_ns, to_ns): (u64, u64)) -> Option<f64> {
    let of = |metric: &'static str| {
        let readings = run.readings.iter();
        readings.filter(move |of| {
            of.metric == metric && of.instance == disk && (from_ns..=to_ns).contains(&of.time_ns)
        })
    };
    if of("disk.in_flight").next().is_some() {
        return None;
    }
    let first = of("disk.busy_ns").next()?;
    let last = of("disk.busy_ns").next_back()?;
    let span_ns = last.time_ns.saturating_sub(first.time_ns) as f64;
    let busy_ns = last.value? - first.value?;
    (span_ns > 0.0).then(|| (busy_ns / span_ns).clamp(0.0, 1.0))
}

/// From means of intervals: the most that were outstanding on average while any was; `None` without two intervals, or where the disk is hardly busy.
fn most_while_busy(over_time: &[Figures], busy: f64) -> Option<u64> {
    let means = over_time.iter().filter_map(|of| of.all.outstanding);
    let most = means.clone().fold(0.0, f64::max);
    // Both are rounded to hundredths in what iostat prints.
    (means.count() > 1 && busy >= BUSY_MIN).then(|| (most / busy - ROUNDING).max(1.0).ceil() as u64)
}

fn figures(table: &WatchTable, index: &WatchedTarget) -> Figures {
    let of_kind = |kind: &str| {
        let is_it = |row: &&WatchRow| row.instance == index.name.as_str() && row.kind == kind;
        let row = table.rows.iter().find(is_it);
        row.map(|row| requests(table, row)).unwrap_or_default()
    };
    let (read, write, all) = (of_kind("read"), of_kind("write"), of_kind(ALL));
    let sum = together(&read, &write);
    // Of a mount all requests are counted together, other kinds with them, but without a time.
    let (all, all_per_s) = match all.outstanding {
        Some(_) => (all.or(&sum), None),
        None => (
            Requests {
                at_sample: all.at_sample,
                idle_share: all.idle_share,
                ..sum
            },
            all.per_s,
        ),
    };
    let flush = of_kind("flush");
    let both = without_flushes(&all, &write, &flush);
    Figures {
        reads_per_s: read.per_s,
        flush,
        others_per_s: all_per_s
            .zip(both.per_s)
            .map(|(all, both)| (all - both).max(0.0)),
        both,
        all,
    }
}

fn requests(table: &WatchTable, row: &WatchRow) -> Requests {
    let value = |column| value(table, row, column);
    let (per_s, mean_ns) = (value("per_second"), value("time_ns"));
    // A recording may have two of the three figures that Little's law connects.
    let by_time = per_s
        .zip(mean_ns)
        .map(|(rate, time_ns)| rate * time_ns / 1e9);
    Requests {
        per_s,
        bytes_per_s: value("bytes_per_second"),
        mean_ns,
        outstanding: value("outstanding").or(by_time),
        at_sample: value("outstanding_at_sample"),
        idle_share: value("idle_percent").map(|percent| (percent / 100.0).clamp(0.0, 1.0)),
    }
}

/// A flush that carries no data is counted once as a flush and once more as a write of nothing that takes as long (block/blk-mq.c, blk_account_io_done:
/// only the requests of the flush itself are left out there).
fn without_flushes(all: &Requests, write: &Requests, flush: &Requests) -> Requests {
    let (Some(rate), Some(outstanding), Some(of_flushes)) =
        (all.per_s, all.outstanding, flush.outstanding)
    else {
        return *all;
    };
    let flushes = flush.per_s.unwrap_or(0.0);
    if flushes <= 0.0 || write.per_s.is_none_or(|writes| writes < flushes) {
        return *all;
    }
    let (rate, outstanding) = (rate - flushes, (outstanding - of_flushes).max(0.0));
    Requests {
        per_s: Some(rate),
        mean_ns: (rate > 0.0).then(|| outstanding / rate * 1e9),
        outstanding: Some(outstanding),
        ..*all
    }
}

fn together(read: &Requests, write: &Requests) -> Requests {
    let sum = |a: Option<f64>, b: Option<f64>| Some(a? + b?);
    let per_s = sum(read.per_s, write.per_s);
    let outstanding = sum(read.outstanding, write.outstanding);
    Requests {
        per_s,
        bytes_per_s: sum(read.bytes_per_s, write.bytes_per_s),
        // Little's law the other way round: each mean counts by its requests.
        mean_ns: outstanding
            .zip(per_s)
            .and_then(|(number, rate)| (rate > 0.0).then(|| number / rate * 1e9)),
        outstanding,
        at_sample: None,
        idle_share: None,
    }
}

fn value(table: &WatchTable, row: &WatchRow, column: &str) -> Option<f64> {
    let at = table.columns.iter().position(|known| known.id == column)?;
    row.values.get(at).copied().flatten()
}

/// CPU use of the machine, if recorded too.
fn processors(tables: &[WatchTable]) -> Processors {
    let Some(table) = tables.iter().find(|table| CORES.contains(&table.group)) else {
        return Processors::default();
    };
    let share = |row: &WatchRow| value(table, row, "busy_percent").map(|busy| busy / 100.0);
    // Windows has `0,_Total` for each group of processors, and `_Total` for all.
    let is_sum = |row: &WatchRow| row.kind == ALL || row.instance.ends_with(WINDOWS_TOTAL);
    let is_all = |row: &&WatchRow| row.kind == ALL || row.instance == WINDOWS_TOTAL;
    let cores = || table.rows.iter().filter(|row| !is_sum(row));
    let all = table.rows.iter().find(is_all);
    Processors {
        busiest_core: cores().filter_map(share).reduce(f64::max),
        all_cores: all.and_then(share),
        cores: Some(cores().count() as u64).filter(|count| *count > 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explain::conclude::explain;
    use plumb_model::run::metric::Reading;

    const SECOND: u64 = 1_000_000_000;

    /// Sixty seconds of a disk: requests and milliseconds of reads in each of them, and so many under way at each sample.
    fn watched(reads: u64, read_ms: u64, in_flight: impl Fn(u64) -> u64) -> Run {
        let mut run = crate::synthetic::Builder::new(Vec::new()).finish();
        run.readings = (0..=60u64)
            .flat_map(|second| {
                let disk = [
                    ("disk.reads", second * reads),
                    ("disk.read_bytes", second * reads * 65536),
                    ("disk.read_time_ns", second * read_ms * 1_000_000),
                    ("disk.writes", 0),
                    ("disk.write_bytes", 0),
                    ("disk.write_time_ns", 0),
                    ("disk.in_flight", in_flight(second)),
                ];
                let cores = [("cpu0", 3), ("cpu1", 1)].map(|(core, tenths)| {
                    let of = |metric: &'static str, tenths: u64| Reading {
                        metric: metric.into(),
                        instance: core.into(),
                        time_ns: second * SECOND,
                        value: Some((second * tenths * SECOND / 10) as f64),
                    };
                    let idle = [
                        "cpu.irq_ns",
                        "cpu.softirq_ns",
                        "cpu.steal_ns",
                        "cpu.iowait_ns",
                        "cpu.system_ns",
                    ];
                    let mut readings =
                        vec![of("cpu.user_ns", tenths), of("cpu.idle_ns", 10 - tenths)];
                    readings.extend(idle.map(|metric| of(metric, 0)));
                    readings
                });
                let disk = disk.map(|(metric, value)| Reading {
                    metric: metric.into(),
                    instance: "sda".into(),
                    time_ns: second * SECOND,
                    value: Some(value as f64),
                });
                disk.into_iter().chain(cores.into_iter().flatten())
            })
            .collect();
        run
    }

    fn observed(run: &Run) -> Observed {
        let index = watched_targets(run).remove(0);
        assert_eq!(index.name, "sda");
        observed_in_watched(run, "w.plumb", &index, (0, u64::MAX))
    }

    /// Samples of 8 beside a mean of 8.43: at most 9, not 8.
    #[test]
    fn a_mean_is_never_above_the_most() {
        let observed = observed(&watched(300, 8430, |_| 8));
        assert_eq!(observed.outstanding, Some(8.43));
        assert_eq!(observed.outstanding_most, Some(9));
    }

    #[test]
    fn one_reader_of_a_disk_is_one_outstanding_request() {
        let run = watched(200, 980, |_| 1);
        let observed = observed(&run);
        assert_eq!(observed.requests_per_s, Some(200.0));
        assert_eq!(observed.bytes_per_request, Some(65536.0));
        assert_eq!(observed.request_ns, Some(4.9e6));
        assert_eq!(observed.outstanding, Some(0.98));
        assert_eq!(observed.outstanding_most, Some(1));
        assert_eq!(observed.read_share, Some(1.0));
        assert_eq!(observed.processors.busiest_core, Some(0.3));
        assert_eq!(observed.processors.all_cores, Some(0.2));
        assert_eq!(observed.processors.cores, Some(2));
        let explained = explain(observed, "0");
        assert_eq!(explained.withheld, []);
        assert_eq!(explained.findings[0].rule, "too_few_outstanding_requests");
    }

    #[test]
    fn cores_of_windows_are_told_without_their_sums() {
        let mut run = crate::synthetic::Builder::new(Vec::new()).finish();
        let busy = r"Processor Information\% Processor Time";
        run.readings = (0..=60u64)
            .flat_map(|second| {
                [
                    ("logical_disk.reads_per_second", "C:", 100.0),
                    ("logical_disk.read_bytes_per_second", "C:", 6_553_600.0),
                    (busy, "0,0", 90.0),
                    (busy, "0,1", 10.0),
                    (busy, "0,_Total", 50.0),
                    (busy, "_Total", 50.0),
                ]
                .map(|(metric, instance, value)| Reading {
                    metric: metric.into(),
                    instance: instance.into(),
                    time_ns: second * SECOND,
                    value: Some(value),
                })
            })
            .collect();
        let index = watched_targets(&run).remove(0);
        assert_eq!(index.name, "C:");
        let observed = observed_in_watched(&run, "w.plumb", &index, (0, u64::MAX));
        assert_eq!(observed.processors.busiest_core, Some(0.9));
        assert_eq!(observed.processors.all_cores, Some(0.5));
        assert_eq!(observed.processors.cores, Some(2));
    }

    #[test]
    fn a_disk_that_is_hardly_used_waits_for_its_application() {
        let run = watched(100, 100, |second| u64::from(second % 10 == 0));
        let explained = explain(observed(&run), "0");
        let rules: Vec<&str> = explained
            .findings
            .iter()
            .map(|of| of.rule.as_str())
            .collect();
        assert_eq!(
            rules.first(),
            Some(&"storage_waits_for_application"),
            "{rules:?}"
        );
    }

    #[test]
    fn times_below_what_the_kernel_counts_are_missing_and_not_zero() {
        let observed = observed(&watched(200, 0, |_| 0));
        assert_eq!(observed.requests_per_s, Some(200.0));
        assert_eq!((observed.request_ns, observed.outstanding), (None, None));
        assert_eq!(explain(observed, "0").findings, []);
    }

    #[test]
    fn a_window_is_cut_out_and_nothing_is_made_up() {
        let run = watched(200, 980, |_| 1);
        let index = watched_targets(&run).remove(0);
        let part = observed_in_watched(&run, "w", &index, (10 * SECOND, 20 * SECOND));
        assert_eq!((part.begin_ns, part.span_ns), (10 * SECOND, 10 * SECOND));
        assert_eq!(part.requests, Some(2000));
        let nothing = observed_in_watched(&run, "w", &index, (100 * SECOND, 200 * SECOND));
        assert_eq!(nothing.requests_per_s, None);
        assert_eq!(explain(nothing, "0").findings, []);
    }
}
