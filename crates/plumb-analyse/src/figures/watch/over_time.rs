//! What did counters show over time, in as many intervals as a chart can show?

use plumb_model::results::watch::WatchInterval;
use plumb_model::run::metric::Reading;

use super::derivation::Derivation;

/// The figures of a recording's readings, in their order, in at most so many intervals of equally many samples. Means are over the requests, and levels over the time, of each of them:
/// no sample is left out.
pub fn over_time(readings: &[Reading], intervals_max: usize) -> Vec<WatchInterval> {
    let samples: Vec<&[Reading]> = readings.chunk_by(|a, b| a.time_ns == b.time_ns).collect();
    let steps = samples.len().saturating_sub(1);
    let together = steps.div_ceil(intervals_max.max(1)).max(1);
    (0..steps)
        .step_by(together)
        .filter_map(|first| interval(&samples[first..=(first + together).min(steps)]))
        .collect()
}

/// What these samples show from the first to the last. `None` where no two of them are later than one another.
fn interval(samples: &[&[Reading]]) -> Option<WatchInterval> {
    let mut derivation = Derivation::new();
    let times: Vec<(u64, u64)> = samples
        .iter()
        .filter_map(|sample| derivation.take(sample))
        .map(|interval| (interval.begin_ns, interval.end_ns))
        .collect();
    Some(WatchInterval {
        begin_ns: times.first()?.0,
        end_ns: times.last()?.1,
        tables: derivation.tables(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A disk that reads `reads` requests of 4 KiB in each second.
    fn recording(reads: &[u64]) -> Vec<Reading> {
        let mut readings = Vec::new();
        let mut total = 0u64;
        for (second, of_second) in [0].iter().chain(reads).enumerate() {
            total += of_second;
            for (metric, value) in [("disk.reads", total), ("disk.read_bytes", 4096 * total)] {
                readings.push(Reading {
                    metric: metric.into(),
                    instance: "vda".into(),
                    time_ns: second as u64 * 1_000_000_000,
                    value: Some(value as f64),
                });
            }
        }
        readings
    }

    fn rates(intervals: &[WatchInterval]) -> Vec<(u64, Option<f64>)> {
        let rate = |interval: &WatchInterval| {
            let row = interval.tables[0]
                .rows
                .iter()
                .find(|row| row.kind == "read");
            (
                interval.end_ns / 1_000_000_000,
                row.and_then(|row| row.values[0]),
            )
        };
        intervals.iter().map(rate).collect()
    }

    #[test]
    fn as_many_intervals_as_there_is_room_for_and_no_request_is_left_out() {
        let readings = recording(&[10, 30, 0, 100, 7]);
        assert_eq!(
            rates(&over_time(&readings, 5)),
            [
                (1, Some(10.0)),
                (2, Some(30.0)),
                (3, Some(0.0)),
                (4, Some(100.0)),
                (5, Some(7.0))
            ]
        );
        assert_eq!(
            rates(&over_time(&readings, 3)),
            [(2, Some(20.0)), (4, Some(50.0)), (5, Some(7.0))]
        );
        assert_eq!(over_time(&recording(&[]), 3), []);
        assert_eq!(over_time(&readings, 0).len(), 1);
    }
}
