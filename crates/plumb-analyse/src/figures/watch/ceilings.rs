//! What is the measured maximum of a device or share? Recorded counters are compared with it, instead of with busy time.

use std::collections::BTreeMap;

use plumb_model::results::watch::WatchTable;
use plumb_model::run::Run;
use plumb_model::run::metric::Reading;

use super::derivation::Derivation;
use crate::figures::executions::executions;

/// Table and kind of row, the metric of the most requests per second, and that of the most bytes per second.
const CEILINGS: [(&str, &str, [&str; 2]); 6] = [
    (
        "disk",
        "read",
        [
            "ceiling.disk_reads_per_second",
            "ceiling.disk_read_bytes_per_second",
        ],
    ),
    (
        "disk",
        "write",
        [
            "ceiling.disk_writes_per_second",
            "ceiling.disk_write_bytes_per_second",
        ],
    ),
    (
        "nfs_mount",
        "read",
        [
            "ceiling.nfs_reads_per_second",
            "ceiling.nfs_read_bytes_per_second",
        ],
    ),
    (
        "nfs_mount",
        "write",
        [
            "ceiling.nfs_writes_per_second",
            "ceiling.nfs_write_bytes_per_second",
        ],
    ),
    (
        "smb_mount",
        "read",
        [
            "ceiling.cifs_reads_per_second",
            "ceiling.cifs_read_bytes_per_second",
        ],
    ),
    (
        "smb_mount",
        "write",
        [
            "ceiling.cifs_writes_per_second",
            "ceiling.cifs_write_bytes_per_second",
        ],
    ),
];
/// The columns of these metrics.
const COLUMNS: [&str; 2] = ["per_second", "bytes_per_second"];
/// A nearly idle device has no ceiling: it had only a handful of requests.
const REQUESTS_MIN: f64 = 1000.0;

/// The most that each device and mounted share did, on average over a step of a measurement, by the kernel's counters: requests per second of any size, and
/// bytes per second, of reads and writes. Empty for a run that recorded none of them.
pub fn ceilings(run: &Run) -> Vec<Reading> {
    let mut most: BTreeMap<(String, &'static str), f64> = BTreeMap::new();
    for execution in executions(run).0 {
        let measured = execution
            .ticks
            .iter()
            .filter(|tick| execution.in_rates(tick));
        let times = measured.fold(None, |times: Option<(u64, u64)>, tick| {
            let (start, end) = times.unwrap_or((tick.start_ns, tick.end_ns));
            Some((start.min(tick.start_ns), end.max(tick.end_ns)))
        });
        let Some((start_ns, end_ns)) = times else {
            continue;
        };
        let mut derivation = Derivation::new();
        let index = |time_ns| run.readings.partition_point(|of| of.time_ns < time_ns);
        let within = &run.readings[index(start_ns)..index(end_ns.saturating_add(1))];
        for sample in within.chunk_by(|a, b| a.time_ns == b.time_ns) {
            derivation.take(sample);
        }
        let seconds = derivation.span_ns() as f64 / 1e9;
        for table in derivation.tables() {
            raise(&mut most, &table, seconds);
        }
    }
    let reading = |((instance, metric), value): ((String, &'static str), f64)| Reading {
        metric: metric.into(),
        instance,
        time_ns: 0,
        value: Some(value),
    };
    most.into_iter().map(reading).collect()
}

/// Raises the ceilings to the figures of a step's table.
fn raise(most: &mut BTreeMap<(String, &'static str), f64>, table: &WatchTable, seconds: f64) {
    for row in &table.rows {
        let is_it =
            |(group, kind, _): &&(&str, &str, _)| *group == table.group && *kind == row.kind;
        let Some((_, _, metrics)) = CEILINGS.iter().find(is_it) else {
            continue;
        };
        let value = |column: &str| {
            let at = table.columns.iter().position(|known| known.id == column)?;
            row.values[at].filter(|value| *value > 0.0)
        };
        if value(COLUMNS[0]).is_none_or(|rate| rate * seconds < REQUESTS_MIN) {
            continue;
        }
        for (metric, column) in metrics.iter().zip(COLUMNS) {
            if let Some(value) = value(column) {
                let known = most.entry((row.instance.to_string(), metric)).or_default();
                *known = known.max(value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synthetic::{Builder, Interval, ladder};

    #[test]
    fn the_most_is_that_of_the_best_step_and_idle_devices_have_none() {
        let mut builder = Builder::new(ladder("read", &[1, 2]));
        for step in [0, 1] {
            builder.execute(step, 0, &vec![Interval::default(); 5]);
        }
        let mut run = builder.finish();
        let ends = |execution: u32| {
            let of = run
                .ticks
                .iter()
                .filter(move |tick| tick.execution == execution);
            (
                of.clone().map(|tick| tick.start_ns).min().unwrap(),
                of.map(|tick| tick.end_ns).max().unwrap(),
            )
        };
        // Reads per second in the first and the second step, of 4 KiB each; the other device is looked at now and then.
        let mut readings = Vec::new();
        let mut total = 0.0;
        for (execution, rate) in [(0, 2_000.0), (1, 5_000.0)] {
            let (start_ns, end_ns) = ends(execution);
            for time_ns in [start_ns, end_ns] {
                total += f64::from(u8::from(time_ns == end_ns)) * rate * (end_ns - start_ns) as f64
                    / 1e9;
                for (instance, reads) in [("vda", total), ("vdb", total / 1e4)] {
                    for (metric, value) in
                        [("disk.reads", reads), ("disk.read_bytes", 4096.0 * reads)]
                    {
                        readings.push(Reading {
                            metric: metric.into(),
                            instance: instance.into(),
                            time_ns,
                            value: Some(value),
                        });
                    }
                }
            }
        }
        run.readings = readings;
        let found: Vec<_> = ceilings(&run)
            .into_iter()
            .map(|of| {
                (
                    of.instance,
                    of.metric.into_owned(),
                    of.value.unwrap().round(),
                )
            })
            .collect();
        let expected = [
            ("ceiling.disk_read_bytes_per_second", 5_000.0 * 4096.0),
            ("ceiling.disk_reads_per_second", 5_000.0),
        ];
        let expected =
            expected.map(|(metric, value)| ("vda".to_string(), metric.to_string(), value));
        assert_eq!(found, expected);
    }
}
