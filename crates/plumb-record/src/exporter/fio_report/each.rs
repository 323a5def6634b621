//! What do fio's logs of every operation contain (no `log_avg_msec`)? A line for each: milliseconds since the start of the job, value, direction, block size, ...

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};
use std::io::{self, Write};

use plumb_model::run::Event;
use plumb_model::run::operation::LoggedOperation;
use plumb_model::run::tick::Phase;
use plumb_model::workload::OperationKind;

use super::entry::RunPart;
use super::logs::{Form, Log};
use crate::exporter::Subject;
use crate::exporter::fio::{direction, executions};
use crate::folder::RecordError;
use crate::operations::OperationReader;

/// Submissions are put in order over so many operations: those of a queue are completed in any order.
const REORDERED: usize = 1 << 16;

/// One worker in one execution.
type OneRun = (u32, u32, u32);

/// Writes the log of some parts of a run, worker by worker: of each worker its measured operations in order of completion, those of the log of submission times
/// in order of submission. Operations that failed, and flushes, are left out, as by fio.
///
/// # Errors
/// The record cannot be read, or `out` cannot be written.
pub fn log_each(
    subject: &Subject<'_>,
    operations: &mut OperationReader,
    parts: &[RunPart],
    log: Log,
    form: &Form,
    out: &mut dyn Write,
) -> io::Result<()> {
    let times = times(subject);
    let mut text = Vec::new();
    for (worker, runs) in runs_of_workers(subject, parts, log, &times) {
        let mut passed_ns = 0;
        for (execution, job) in runs {
            let run = (execution, job, worker);
            let Some((start_ns, end_ns)) = times.get(&run) else {
                continue;
            };
            let origin = match form.since_ns {
                Some(since_ns) => Origin::Unix(since_ns),
                None => Origin::Job(*start_ns, passed_ns),
            };
            let mut lines = Lines {
                log,
                form,
                origin,
                text: &mut text,
                waiting: BinaryHeap::new(),
                arrived: 0,
            };
            operations.each(
                |execution, job, worker| (execution, job, worker) == run,
                |batch| lines.add(batch.operations, out).map_err(Failed::Write),
            )?;
            lines.end(out)?;
            passed_ns += end_ns.saturating_sub(*start_ns);
        }
    }
    Ok(())
}

/// Executions and jobs of each worker in the order in which they were carried out: rounds go over all steps before the next one.
fn runs_of_workers(
    subject: &Subject<'_>,
    parts: &[RunPart],
    log: Log,
    times: &BTreeMap<OneRun, (u64, u64)>,
) -> BTreeMap<u32, BTreeSet<(u32, u32)>> {
    let mut runs: BTreeMap<u32, BTreeSet<(u32, u32)>> = BTreeMap::new();
    for part in parts {
        let steps = part.steps.iter();
        let of_part: Vec<u32> = steps.flat_map(|step| executions(subject, *step)).collect();
        if log == Log::Submission && !has_submissions(subject, part, &of_part) {
            continue;
        }
        for (execution, job, worker) in times.keys() {
            let is_wanted = part.worker.is_none_or(|only| only == *worker);
            if is_wanted && *job == part.job && of_part.contains(execution) {
                runs.entry(*worker).or_default().insert((*execution, *job));
            }
        }
    }
    runs
}

/// What may fail while operations are read and written.
enum Failed {
    Read(RecordError),
    Write(io::Error),
}

impl From<RecordError> for Failed {
    fn from(error: RecordError) -> Failed {
        Failed::Read(error)
    }
}

impl From<Failed> for io::Error {
    fn from(failed: Failed) -> io::Error {
        match failed {
            Failed::Read(error) => io::Error::other(error),
            Failed::Write(error) => error,
        }
    }
}

/// Measured time of each worker, from and to, in nanoseconds since the start of the run.
fn times(subject: &Subject<'_>) -> BTreeMap<OneRun, (u64, u64)> {
    let ended = subject
        .run
        .notes
        .iter()
        .filter_map(|note| match &note.event {
            Event::WorkerEnded {
                execution,
                job,
                worker,
                end,
            } => Some(((*execution, *job, *worker), (end.start_ns, end.end_ns))),
            _ => None,
        });
    ended.collect()
}

/// Whether the time of submissions was measured.
fn has_submissions(subject: &Subject<'_>, part: &RunPart, executions: &[u32]) -> bool {
    let mut ticks = subject.run.ticks.iter();
    ticks.any(|tick| {
        tick.job == part.job
            && executions.contains(&tick.execution)
            && tick.kinds.iter().any(|kind| kind.split.is_some())
    })
}

/// What times count from.
enum Origin {
    /// This start of the run, in nanoseconds since 1970.
    Unix(u64),
    /// The start of the job in this execution, which took so long in those before.
    Job(u64, u64),
}

impl Origin {
    fn time_ns(&self, of_run_ns: u64) -> u64 {
        match self {
            Origin::Unix(since_ns) => since_ns + of_run_ns,
            Origin::Job(start_ns, passed_ns) => of_run_ns.saturating_sub(*start_ns) + passed_ns,
        }
    }
}

/// Lines of one worker.
struct Lines<'a> {
    log: Log,
    form: &'a Form,
    origin: Origin,
    text: &'a mut Vec<u8>,
    /// Times of acceptance, order of arrival, and lines: submissions that an earlier one may still precede.
    waiting: BinaryHeap<Reverse<(u64, u64, Vec<u8>)>>,
    arrived: u64,
}

impl Lines<'_> {
    fn add(&mut self, operations: &[LoggedOperation], out: &mut dyn Write) -> io::Result<()> {
        for operation in operations {
            let is_measured = !operation.is_failed && operation.phase != Phase::WarmUp;
            let Some(direction) = self.direction_of(operation.kind).filter(|_| is_measured) else {
                continue;
            };
            self.line(operation, direction);
            if self.log == Log::Submission {
                self.arrived += 1;
                let line = std::mem::take(self.text);
                let submission = (operation.accepted_ns, self.arrived, line);
                self.waiting.push(Reverse(submission));
                if self.waiting.len() > REORDERED {
                    self.write_first(out)?;
                }
            }
        }
        out.write_all(self.text)?;
        self.text.clear();
        Ok(())
    }

    /// A rewrite is one operation that writes. Of file operations fio logs only the completion, as the direction of `rw`.
    fn direction_of(&self, kind: OperationKind) -> Option<usize> {
        match kind {
            OperationKind::Rewrite => direction(OperationKind::Write),
            kind if kind.is_file_operation() => {
                (self.log == Log::Completion).then_some(self.form.file_operation_direction)
            }
            kind => direction(kind),
        }
    }

    fn write_first(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let first = self.waiting.pop();
        first.map_or(Ok(()), |Reverse((_, _, line))| out.write_all(&line))
    }

    fn end(&mut self, out: &mut dyn Write) -> io::Result<()> {
        while !self.waiting.is_empty() {
            self.write_first(out)?;
        }
        Ok(())
    }

    fn line(&mut self, operation: &LoggedOperation, direction: usize) {
        let time_ns = match self.log {
            Log::Submission => operation.accepted_ns,
            _ => operation.completed_ns,
        };
        put(self.text, self.origin.time_ns(time_ns) / 1_000_000, 10);
        let (block, offset) = match operation.kind.is_file_operation() {
            true => (0, 0),
            false => (u64::from(operation.bytes), operation.offset),
        };
        for number in [value(self.log, operation), direction as u64, block] {
            field(self.text, number);
        }
        if self.form.has_offset {
            field(self.text, offset);
        }
        self.text.extend(b", ");
        match self.form.has_priority {
            true => {
                self.text.extend(b"0x");
                put_padded(self.text, u64::from(self.form.priority));
            }
            false => put(self.text, u64::from(self.form.is_urgent()), 10),
        }
        if self.form.has_issue_time {
            let issued_ns = match self.log {
                Log::Submission | Log::Completion => self.origin.time_ns(operation.submitted_ns),
                _ => 0,
            };
            field(self.text, issued_ns);
        }
        self.text.push(b'\n');
    }
}

/// As in fio: of bandwidth bytes per millisecond of the completion latency, of IOPS 1, of latencies nanoseconds.
fn value(log: Log, operation: &LoggedOperation) -> u64 {
    match log {
        Log::Iops => 1,
        Log::Bandwidth => {
            let bytes = u64::from(operation.bytes) * 1_000_000;
            bytes.checked_div(operation.completion_ns()).unwrap_or(0)
        }
        Log::Latency => operation.response_ns(),
        Log::Submission => operation.submission_ns(),
        Log::Completion | Log::CompletionBins => operation.completion_ns(),
    }
}

fn field(text: &mut Vec<u8>, number: u64) {
    text.extend(b", ");
    put(text, number, 10);
}

fn put_padded(text: &mut Vec<u8>, number: u64) {
    for power in [0x1000, 0x100, 0x10] {
        if number < power {
            text.push(b'0');
        }
    }
    put(text, number, 16);
}

/// The digits of a number; a log has hundreds of millions of them.
fn put(text: &mut Vec<u8>, mut number: u64, base: u64) {
    let start = text.len();
    loop {
        text.push(b"0123456789abcdef"[(number % base) as usize]);
        number /= base;
        if number == 0 {
            break;
        }
    }
    text[start..].reverse();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn operation(number: u64) -> LoggedOperation {
        LoggedOperation {
            completed_ns: 5_000_000 + number * 1_000_000,
            submitted_ns: 4_000_000,
            due_ns: 3_000_000,
            accepted_ns: 4_000_500 - number,
            offset: number << 12,
            bytes: 4096,
            file: 0,
            kind: OperationKind::Write,
            phase: Phase::Measure,
            is_failed: false,
        }
    }

    fn text(log: Log, form: &Form, operations: &[LoggedOperation]) -> String {
        let (mut buffer, mut out) = (Vec::new(), Vec::new());
        let mut lines = Lines {
            log,
            form,
            origin: Origin::Job(4_000_000, 0),
            text: &mut buffer,
            waiting: BinaryHeap::new(),
            arrived: 0,
        };
        lines.add(operations, &mut out).expect("written");
        lines.end(&mut out).expect("written");
        String::from_utf8(out).expect("text")
    }

    #[test]
    fn a_line_has_the_columns_that_were_asked_for() {
        let usual = Form::default();
        let full = Form {
            has_offset: true,
            has_priority: true,
            has_issue_time: true,
            priority: 0x2002,
            ..Form::default()
        };
        let two = [operation(1), operation(2)];
        assert_eq!(
            text(Log::Latency, &usual, &two),
            "2, 3000000, 1, 4096, 0\n3, 4000000, 1, 4096, 0\n"
        );
        assert_eq!(
            text(Log::Iops, &full, &two[..1]),
            "2, 1, 1, 4096, 4096, 0x2002, 0\n"
        );
        // 4096 bytes in 1,999,501 ns.
        assert_eq!(
            text(Log::Bandwidth, &usual, &two[..1]),
            "2, 2048, 1, 4096, 0\n"
        );
        // In order of submission.
        assert_eq!(
            text(Log::Submission, &usual, &two),
            "0, 498, 1, 4096, 0\n0, 499, 1, 4096, 0\n"
        );
        let later = LoggedOperation {
            submitted_ns: operation(2).submitted_ns + 7,
            ..operation(2)
        };
        let column = |log| {
            let text = text(log, &full, &[operation(1), later]);
            text.lines().any(|line| !line.ends_with(", 0"))
        };
        assert_eq!(
            [Log::Completion, Log::Submission, Log::Latency, Log::Iops].map(column),
            [true, true, false, false],
            "as in fio"
        );
        let urgent = Form {
            priority: 0x2000,
            ..Form::default()
        };
        assert!(text(Log::Iops, &urgent, &two[..1]).ends_with(", 1\n"));
    }

    #[test]
    fn file_operations_have_completions_alone() {
        let create = LoggedOperation {
            kind: OperationKind::Create,
            ..operation(1)
        };
        let form = Form {
            has_offset: true,
            file_operation_direction: 1,
            ..Form::default()
        };
        assert_eq!(text(Log::Latency, &form, &[create]), "");
        assert_eq!(
            text(Log::Completion, &form, &[create]),
            "2, 1999501, 1, 0, 0, 0\n"
        );
    }

    #[test]
    fn what_fio_does_not_log_is_left_out() {
        let failed = LoggedOperation {
            is_failed: true,
            ..operation(1)
        };
        let flush = LoggedOperation {
            kind: OperationKind::Flush,
            ..operation(1)
        };
        let before = LoggedOperation {
            phase: Phase::WarmUp,
            ..operation(1)
        };
        let drained = LoggedOperation {
            phase: Phase::Drain,
            ..operation(1)
        };
        let of = [failed, flush, before, drained];
        assert_eq!(text(Log::Iops, &Form::default(), &of), "2, 1, 1, 4096, 0\n");
    }
}
