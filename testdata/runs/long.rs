//! What does a record of many intervals look like? Written by the real writer, interval by interval, so that the record alone is long.

use std::path::Path;

use plumb_model::run::tick::Tick;
use plumb_model::run::{Event, Run};
use plumb_record::{RecordError, RunWriter};

use crate::synthetic::{Builder, Interval, ladder};

/// Intervals that are made; the others repeat them.
const TEMPLATES: usize = 500;
/// Length of an interval.
pub const INTERVAL_NS: u64 = 10_000_000;

/// Writes a run of so many intervals, of so many operations per second and workers, and a sample of 40 counters every tenth. Returns the operations in it.
pub fn write_long(
    folder: &Path,
    intervals: u64,
    iops: f64,
    workers: u32,
) -> Result<u64, RecordError> {
    let mut builder = Builder::new(ladder("read", &[8]));
    let workload = &mut builder.run.header.plan.steps[0].jobs[0].workload;
    (workload.interval.0, workload.workers) = (INTERVAL_NS, workers);
    builder.execute(
        0,
        0,
        &vec![
            Interval {
                seconds: 0.01,
                iops,
                ..Interval::default()
            };
            TEMPLATES
        ],
    );
    (0..40).for_each(|column| builder.reading("disk.reads", &format!("disk{column}"), Some(0.0)));
    let Run {
        header,
        ticks,
        readings,
        mut notes,
        ..
    } = builder.finish();
    let mut writer = RunWriter::create(folder, &header)?;
    let (start_ns, mut operations) = (ticks[0].start_ns, 0);
    for number in 0..intervals {
        let tick = &ticks[number as usize % TEMPLATES];
        let tick = Tick {
            start_ns: start_ns + number * INTERVAL_NS,
            end_ns: start_ns + (number + 1) * INTERVAL_NS,
            ..tick.clone()
        };
        operations += tick.kinds.iter().map(|kind| kind.count).sum::<u64>();
        writer.tick(&tick)?;
        if number % 10 == 0 {
            let mut sample = readings.clone();
            for reading in &mut sample {
                (reading.time_ns, reading.value) = (tick.end_ns, Some((number * 37) as f64));
            }
            writer.readings(&sample)?;
        }
    }
    for note in &mut notes {
        if !matches!(
            note.event,
            Event::ExecutionStarted { .. } | Event::EngineOpened { .. }
        ) {
            note.time_ns = start_ns + intervals * INTERVAL_NS;
        }
        writer.note(note)?;
    }
    writer.finish()?;
    Ok(operations)
}
