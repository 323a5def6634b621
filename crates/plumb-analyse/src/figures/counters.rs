//! What do the machine's own counters show? Rates between samples, wrap-aware; missing values stay missing.

use std::collections::BTreeMap;

use plumb_model::results::series::{HeatMap, Series};
use plumb_model::run::Run;
use plumb_model::run::metric::Reading;
use plumb_model::statement::Statement;

/// Counters of /proc/diskstats were 32 bits wide before Linux 4.x on 32-bit machines and still are for the times in ms; 2^32 is where they begin again
/// (Documentation/admin-guide/iostats.rst: "they are unsigned long ... and will wrap").
const WRAP: f64 = 4_294_967_296.0;

/// Most columns of a heat map; beyond it samples are skipped, each column then spans several.
const MOST_COLUMNS: usize = 300;

/// How much a counter rose from one reading to the next. A fall is one wrap at 2^32 when both values fit below it and the step is less than half of
/// the range; any other fall is a reset, and the rise is unknown.
pub fn counter_rise(before: f64, after: f64) -> Option<f64> {
    rise_with_wrap(before, after, WRAP)
}

/// The same for a counter of the kernel's whose unit is not that of its reading: milliseconds in 32 bits that are told in nanoseconds wrap at
/// 2^32 ms. `scale` is one unit of the kernel's.
pub(crate) fn scaled_counter_rise(before: f64, after: f64, scale: f64) -> Option<f64> {
    rise_with_wrap(before, after, WRAP * scale)
}

fn rise_with_wrap(before: f64, after: f64, wrap: f64) -> Option<f64> {
    if after >= before {
        return Some(after - before);
    }
    let wrapped = after + wrap - before;
    (before < wrap && after >= 0.0 && wrapped < wrap / 2.0).then_some(wrapped)
}

/// Readings by metric and instance, each in order of time.
pub struct Counters<'a>(BTreeMap<(&'a str, &'a str), Vec<Timed>>);

/// Time in nanoseconds since the start of the run, and the value, or `None` when it could not be read.
pub(crate) type Timed = (u64, Option<f64>);

impl<'a> Counters<'a> {
    /// Sorts the readings of a run.
    pub fn of(readings: &'a [Reading]) -> Counters<'a> {
        let mut found: BTreeMap<(&str, &str), Vec<Timed>> = BTreeMap::new();
        for reading in readings {
            let value = reading.value.filter(|value| value.is_finite());
            found
                .entry((reading.metric.as_ref(), &reading.instance))
                .or_default()
                .push((reading.time_ns, value));
        }
        for line in found.values_mut() {
            // Stable: two readings of one moment keep their order.
            line.sort_by_key(|(time_ns, _)| *time_ns);
        }
        Counters(found)
    }

    /// The instances of a metric, in order.
    pub fn instances(&self, metric: &str) -> Vec<&'a str> {
        self.0
            .keys()
            .filter(|(held, _)| *held == metric)
            .map(|(_, instance)| *instance)
            .collect()
    }

    /// The readings of one instance of a metric, in order of time in nanoseconds; empty when there are none.
    pub fn line<'s>(&'s self, metric: &'s str, instance: &'s str) -> &'s [Timed] {
        self.0.get(&(metric, instance)).map_or(&[], Vec::as_slice)
    }

    /// How much a counter rose over all of `start_ns..end_ns`: from the last reading at or before the start to the first at or after the end. Returns the
    /// rise and the span in nanoseconds that it covers. `None` when the readings do not enclose the span, or one between is unusable.
    pub fn rise_around(
        &self,
        metric: &str,
        instance: &str,
        start_ns: u64,
        end_ns: u64,
    ) -> Option<(f64, (u64, u64))> {
        let line: Vec<(u64, f64)> = self
            .line(metric, instance)
            .iter()
            .filter_map(|(time, value)| Some((*time, (*value)?)))
            .collect();
        let first = line.iter().rposition(|(time, _)| *time <= start_ns)?;
        let last = line.iter().position(|(time, _)| *time >= end_ns)?;
        let part = line.get(first..=last).filter(|part| part.len() > 1)?;
        let rise = part
            .windows(2)
            .map(|pair| counter_rise(pair[0].1, pair[1].1))
            .sum::<Option<f64>>()?;
        Some((rise, (part[0].0, part[part.len() - 1].0)))
    }

    /// Increase of a counter over a time span, over all instances; `None` if none has it.
    pub fn rise_of_all(&self, metric: &str, start_ns: u64, end_ns: u64) -> Option<f64> {
        let rises = self
            .instances(metric)
            .into_iter()
            .filter_map(|instance| self.rise_around(metric, instance, start_ns, end_ns));
        rises.map(|(rise, _)| rise).reduce(|a, b| a + b)
    }

    /// How much a counter rose from its first reading to its last; `None` when there are fewer than two, or one between is unusable.
    pub fn rise(&self, metric: &str, instance: &str) -> Option<f64> {
        let line = self.line(metric, instance);
        self.rise_around(metric, instance, line.first()?.0, line.last()?.0)
            .map(|(rise, _)| rise)
    }

    /// A counter as a rate per second; each point is at the end of its interval. A missing reading or a reset is a gap.
    pub fn rate(
        &self,
        metric: &str,
        instance: &str,
        (name, statement): (&str, Statement),
        unit: &str,
    ) -> Option<Series> {
        let line = self.line(metric, instance);
        let point = |pair: &[Timed]| {
            let seconds = (pair[1].0 - pair[0].0) as f64 / 1e9;
            let rise = pair[0]
                .1
                .zip(pair[1].1)
                .and_then(|(before, after)| counter_rise(before, after));
            (
                pair[1].0 as f64 / 1e9,
                rise.filter(|_| seconds > 0.0).map(|rise| rise / seconds),
            )
        };
        let points: Vec<(f64, Option<f64>)> = line.windows(2).map(point).collect();
        let any = points.iter().any(|(_, value)| value.is_some());
        any.then(|| Series {
            name: name.into(),
            statement: Some(statement),
            unit: unit.into(),
            points,
        })
    }
}

/// What a line of this device is called.
type Of = fn(&str) -> Statement;

/// The device's own counters as rates: (operations per second, bytes per second) of every disk that was watched.
pub fn device_rates(run: &Run) -> (Vec<Series>, Vec<Series>) {
    let counters = Counters::of(&run.readings);
    let lines = |metrics: [(&str, &str, Of); 2], unit: &str| {
        let disks = counters.instances(metrics[0].0);
        let pairs = disks
            .iter()
            .flat_map(|disk| metrics.iter().map(move |metric| (*disk, metric)));
        pairs
            .filter_map(|(disk, (metric, word, statement))| {
                counters.rate(
                    metric,
                    disk,
                    (&format!("{disk} {word}"), statement(disk)),
                    unit,
                )
            })
            .collect::<Vec<Series>>()
    };
    let operations = lines(
        [
            ("disk.reads", "reads", |disk| {
                Statement::new("device-reads").name("device", disk)
            }),
            ("disk.writes", "writes", |disk| {
                Statement::new("device-writes").name("device", disk)
            }),
        ],
        "operations/s",
    );
    let bytes = lines(
        [
            ("disk.read_bytes", "read", |disk| {
                Statement::new("device-bytes-read").name("device", disk)
            }),
            ("disk.write_bytes", "written", |disk| {
                Statement::new("device-bytes-written").name("device", disk)
            }),
        ],
        "bytes/s",
    );
    (operations, bytes)
}

/// Time of a core in which it ran something, and in which it did not.
pub(crate) const BUSY: [&str; 5] = [
    "cpu.user_ns",
    "cpu.system_ns",
    "cpu.irq_ns",
    "cpu.softirq_ns",
    "cpu.steal_ns",
];
pub(crate) const IDLE: [&str; 2] = ["cpu.idle_ns", "cpu.iowait_ns"];

/// CPU use of each core over time, all processes together, in percent. `None` when no core was watched over an interval.
pub fn cpu_heat_map(run: &Run) -> Option<HeatMap> {
    let counters = Counters::of(&run.readings);
    let mut cores = counters.instances(BUSY[0]);
    cores.sort_by_key(|core| (core.len(), *core));
    let times: Vec<u64> = counters
        .line(BUSY[0], cores.first()?)
        .iter()
        .map(|(time, _)| *time)
        .collect();
    let every = times.len().div_ceil(MOST_COLUMNS).max(1);
    let times: Vec<u64> = times.into_iter().step_by(every).collect();
    let row = |core: &&str| {
        let (busy, idle) = (
            BUSY.map(|metric| counters.line(metric, core)),
            IDLE.map(|metric| counters.line(metric, core)),
        );
        let at = |line: &[Timed], time: u64| {
            line[line.binary_search_by_key(&time, |(held, _)| *held).ok()?].1
        };
        let rise = |lines: &[&[Timed]], from: u64, to: u64| -> Option<f64> {
            lines
                .iter()
                .map(|line| counter_rise(at(line, from)?, at(line, to)?))
                .sum()
        };
        let cell = |pair: &[u64]| {
            let busy = rise(&busy, pair[0], pair[1])?;
            let total = busy + rise(&idle, pair[0], pair[1])?;
            (total > 0.0).then(|| 100.0 * busy / total)
        };
        times.windows(2).map(cell).collect::<Vec<Option<f64>>>()
    };
    let cells: Vec<Vec<Option<f64>>> = cores.iter().map(row).collect();
    let any = cells.iter().flatten().any(Option::is_some);
    any.then(|| HeatMap {
        unit: "percent".into(),
        rows: cores.iter().map(|core| core.to_string()).collect(),
        columns_s: times
            .iter()
            .skip(1)
            .map(|time| *time as f64 / 1e9)
            .collect(),
        start_s: times.first().map_or(0.0, |time| *time as f64 / 1e9),
        cells,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synthetic::{Builder, ladder};

    #[test]
    fn counters_wrap_and_reset() {
        assert_eq!(counter_rise(10.0, 25.0), Some(15.0));
        assert_eq!(counter_rise(4_294_967_290.0, 4.0), Some(10.0));
        assert_eq!(counter_rise(3e9, 5.0), Some(WRAP - 3e9 + 5.0));
        assert_eq!(counter_rise(1e6, 5.0), None);
        assert_eq!(counter_rise(1e12, 5.0), None);
    }

    #[test]
    fn a_missing_reading_is_a_gap() {
        let mut builder = Builder::new(ladder("read", &[1]));
        for value in [Some(0.0), Some(100.0), None, Some(300.0), Some(400.0)] {
            builder.reading("disk.reads", "vda", value);
            builder.now_ns += 1_000_000_000;
        }
        let (operations, bytes) = device_rates(&builder.run);
        let rates: Vec<Option<f64>> = operations[0].points.iter().map(|(_, rate)| *rate).collect();
        assert_eq!(rates, [Some(100.0), None, None, Some(100.0)]);
        assert!(bytes.is_empty() && operations.len() == 1);
        let counters = Counters::of(&builder.run.readings);
        let (rise, span) = counters
            .rise_around("disk.reads", "vda", 1_001_000_000, 3_000_000_000)
            .expect("enclosed");
        assert_eq!((rise, span), (200.0, (1_001_000_000, 3_001_000_000)));
        assert_eq!(
            counters.rise_around("disk.reads", "vda", 0, 3_000_000_000),
            None
        );
        assert_eq!(
            counters.rise_around("disk.reads", "sda", 2_000_000_000, 3_000_000_000),
            None
        );
    }

    #[test]
    fn busy_share_of_each_core() {
        let mut builder = Builder::new(ladder("read", &[1]));
        for second in 0..3 {
            for core in 0..12 {
                for metric in BUSY.iter().chain(&IDLE).copied() {
                    let per_s = match metric {
                        "cpu.user_ns" if core == 10 => 0.75e9,
                        "cpu.idle_ns" => {
                            if core == 10 {
                                0.25e9
                            } else {
                                1e9
                            }
                        }
                        _ => 0.0,
                    };
                    builder.reading(
                        metric,
                        &format!("cpu{core}"),
                        Some(per_s * f64::from(second)),
                    );
                }
            }
            builder.now_ns += 1_000_000_000;
        }
        let map = cpu_heat_map(&builder.run).expect("a map");
        assert_eq!(
            (map.rows[2].as_str(), map.rows[10].as_str()),
            ("cpu2", "cpu10")
        );
        assert_eq!(map.cells[10], [Some(75.0), Some(75.0)]);
        assert_eq!(map.cells[2], [Some(0.0), Some(0.0)]);
        assert_eq!(cpu_heat_map(&Builder::new(ladder("read", &[1])).run), None);
    }
}
