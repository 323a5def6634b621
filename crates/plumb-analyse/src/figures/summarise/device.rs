//! What did the device below the target do during the measurement? Its counters over the measured time.

use plumb_model::results::summary::{DeviceSummary, StepSummary};
use plumb_model::run::Run;

use crate::figures::executions::{Execution, counter_of, over_the_measuring};

/// The device of the run; `None` if unknown, or if its counters were not read at both ends of every measurement.
pub(super) fn device(run: &Run, runs: &[&Execution], step: &StepSummary) -> Option<DeviceSummary> {
    let name = run.header.environment.text("device.name")?;
    let rise = |metric: &str| {
        let readings = counter_of(run, metric, name);
        runs.iter()
            .filter(|execution| execution.duration_ns() > 0)
            .map(|execution| over_the_measuring(execution, &readings))
            .try_fold(0.0, |sum, rise| Some(sum + rise?))
    };
    let rate = |metric: &str| {
        rise(metric)
            .filter(|_| step.duration_s > 0.0)
            .map(|rise| rise / step.duration_s)
    };
    let summary = DeviceSummary {
        name: name.to_string(),
        // Rises between readings that do not meet the ends of the measuring exactly.
        busy_percent: rate("disk.busy_ns").map(|busy| (busy / 1e7).min(100.0)),
        mean_queue: rate("disk.queue_time_ns").map(|queue| queue / 1e9),
        reads_per_s: rate("disk.reads"),
        writes_per_s: rate("disk.writes"),
        flushes_per_s: rate("disk.flushes"),
        read_bytes_per_s: rate("disk.read_bytes"),
        write_bytes_per_s: rate("disk.write_bytes"),
    };
    (summary.busy_percent.is_some() || summary.reads_per_s.is_some()).then_some(summary)
}
