//! What does fio report besides the figures of its jobs? How each ended, its share of its group, and the activity of the disks.

use plumb_model::run::Event;
use plumb_model::run::step_end::StopReason;
use plumb_model::run::worker_end::WorkerEnd;

use super::entry::Entry;
use super::measured::{Direction, Measured};
use crate::exporter::Subject;

/// How a job ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct JobError {
    /// Number of the error (errno); 0 without one.
    pub number: u32,
    pub text: String,
}

/// Linux errno values of I/O errors. fio ends a job with them.
const NUMBERS: &[(&str, u32, &str)] = &[
    ("EPERM", 1, "Operation not permitted"),
    ("ENOENT", 2, "No such file or directory"),
    ("EIO", 5, "Input/output error"),
    ("ENXIO", 6, "No such device or address"),
    ("EAGAIN", 11, "Resource temporarily unavailable"),
    ("ENOMEM", 12, "Cannot allocate memory"),
    ("EACCES", 13, "Permission denied"),
    ("EBUSY", 16, "Device or resource busy"),
    ("EEXIST", 17, "File exists"),
    ("ENODEV", 19, "No such device"),
    ("EINVAL", 22, "Invalid argument"),
    ("EFBIG", 27, "File too large"),
    ("ENOSPC", 28, "No space left on device"),
    ("EROFS", 30, "Read-only file system"),
    ("ENODATA", 61, "No data available"),
    ("EREMOTEIO", 121, "Remote I/O error"),
    (
        "mismatch",
        84,
        "Invalid or incomplete multibyte or wide character",
    ),
    ("EOPNOTSUPP", 95, "Operation not supported"),
    ("ETIMEDOUT", 110, "Connection timed out"),
    ("ESTALE", 116, "Stale file handle"),
    ("EDQUOT", 122, "Disk quota exceeded"),
];

/// Value for an error without an errno of its own.
const ANY_ERROR: u32 = 5;

/// How an entry ended: by its first error, or because it could not run.
pub fn error(subject: &Subject<'_>, entry: &Entry) -> JobError {
    let notes = &subject.run.notes;
    let of_entry = |execution: u32, job: Option<u32>| {
        entry.parts.iter().any(|part| {
            job.is_none_or(|job| job == part.job)
                && entry.executions(subject, part).contains(&execution)
        })
    };
    for note in notes {
        match &note.event {
            Event::FirstError {
                execution,
                job,
                error,
                ..
            } if of_entry(*execution, Some(*job)) => {
                return named(error);
            }
            Event::WorkerEnded {
                execution,
                job,
                end:
                    WorkerEnd {
                        stopped_by: StopReason::Error(error),
                        ..
                    },
                ..
            } if of_entry(*execution, Some(*job)) => {
                // fio's status for a job that exceeded max_latency, or stopped for another reason of its own (rate_min).
                return named(match error.id.as_ref() {
                    "operation-took-too-long" => "ETIMEDOUT",
                    _ => "EIO",
                });
            }
            Event::Mismatch { execution, job, .. } if of_entry(*execution, Some(*job)) => {
                return named("mismatch");
            }
            _ => {}
        }
    }
    let could_not = subject
        .summary
        .steps
        .iter()
        .filter(|step| {
            entry
                .parts
                .iter()
                .any(|part| part.steps.contains(&step.step))
        })
        .any(|step| step.could_not_run());
    if could_not {
        named("")
    } else {
        JobError::default()
    }
}

/// Whether an error ended a worker of the entry, or kept it from running.
pub fn was_ended(subject: &Subject<'_>, entry: &Entry) -> bool {
    let ended = entry.parts.iter().any(|part| {
        let executions = entry.executions(subject, part);
        let ends = super::workers::ends(subject, part, &executions);
        ends.is_empty() || ends.iter().any(|end| end.stopped_by.error().is_some())
    });
    ended || entry.parts.is_empty()
}

/// How many operations failed, and the first error; without any: `Success`.
pub fn error_totals(of: &Measured, first: &JobError) -> (u64, JobError) {
    let total = of.directions.iter().map(|direction| direction.failed).sum();
    let first = match first.number {
        0 => JobError {
            number: 0,
            text: "Success".into(),
        },
        _ => first.clone(),
    };
    (total, first)
}

/// The job error for the error of this name.
pub fn named(error: &str) -> JobError {
    let known = NUMBERS.iter().find(|(name, ..)| *name == error);
    JobError {
        number: known.map_or(ANY_ERROR, |(_, number, _)| *number),
        text: known.map_or(error, |(_, _, text)| text).to_string(),
    }
}

/// Reads, writes and trims combined.
pub fn mixed(measured: &Measured) -> Direction {
    let mut sum = Direction::default();
    for direction in measured
        .directions
        .iter()
        .filter(|direction| direction.is_used())
    {
        sum.join(direction);
    }
    sum
}

/// Activity of one disk during the load. Values that the system does not count are missing.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Disk {
    pub name: String,
    pub reads: Option<u64>,
    pub writes: Option<u64>,
    pub read_sectors: Option<u64>,
    pub write_sectors: Option<u64>,
    pub read_merges: Option<u64>,
    pub write_merges: Option<u64>,
    pub read_ms: Option<u64>,
    pub write_ms: Option<u64>,
    pub queue_ms: Option<u64>,
    pub busy_percent: Option<f64>,
}

/// The disk below the target, between the counter samples closest to the start and end of the load; none if the disk is unknown.
pub fn disks(subject: &Subject<'_>) -> Vec<Disk> {
    let run = subject.run;
    let Some(name) = run.header.environment.text("device.name") else {
        return Vec::new();
    };
    let start_ns = run
        .ticks
        .iter()
        .map(|tick| tick.start_ns)
        .min()
        .unwrap_or(0);
    let end_ns = run.ticks.iter().map(|tick| tick.end_ns).max().unwrap_or(0);
    let rise = |metric: &str| {
        let values = || {
            let of = run
                .readings
                .iter()
                .filter(|reading| reading.metric == metric && reading.instance == name);
            of.filter_map(|reading| Some((reading.time_ns, reading.value?)))
        };
        let first = values()
            .rfind(|(time, _)| *time <= start_ns)
            .or_else(|| values().next())?;
        let last = values()
            .find(|(time, _)| *time >= end_ns)
            .or_else(|| values().next_back())?;
        (last.0 > first.0).then_some((last.1 - first.1, last.0 - first.0))
    };
    let count_of =
        |metric: &str, unit: f64| rise(metric).map(|(rise, _)| (rise / unit).max(0.0) as u64);
    let disk = Disk {
        name: name.to_string(),
        reads: count_of("disk.reads", 1.0),
        writes: count_of("disk.writes", 1.0),
        read_sectors: count_of("disk.read_bytes", 512.0),
        write_sectors: count_of("disk.write_bytes", 512.0),
        read_merges: count_of("disk.read_merges", 1.0),
        write_merges: count_of("disk.write_merges", 1.0),
        read_ms: count_of("disk.read_time_ns", 1e6),
        write_ms: count_of("disk.write_time_ns", 1e6),
        queue_ms: count_of("disk.queue_time_ns", 1e6),
        busy_percent: rise("disk.busy_ns")
            .map(|(busy, time)| (100.0 * busy / time as f64).clamp(0.0, 100.0)),
    };
    let is_known = disk.reads.is_some() || disk.writes.is_some();
    is_known.then_some(disk).into_iter().collect()
}
