//! What is in the log that a step replays? Read from its file before the step, held in memory, and dealt out request by request.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::sync::Arc;

use plumb_model::plan::{PlanError, ReadLog};
use plumb_model::workload::iolog::{IologReader, LINE_MAX_BYTES, Request};
use plumb_model::workload::replay::{ReplayHolds, ReplayRules, ReplaySurvey};
use plumb_model::workload::{OperationKind, ReplayPace, Workload};

use crate::engine::operation::Op;
use crate::feed::offsets::Span;

/// Bytes of the file that are read at once.
const CHUNK_BYTES: usize = 1 << 18;

/// One request as it is held: 24 bytes.
#[derive(Debug, Clone, Copy)]
struct Recorded {
    /// In its file, and once all is read in the target.
    offset: u64,
    /// Nanoseconds since the beginning of the log, at the speed of the replay.
    due_ns: u64,
    len: u32,
    file: u16,
    kind: OperationKind,
}

/// A log in memory.
#[derive(Debug)]
pub struct ReplayLog {
    requests: Vec<Recorded>,
    /// Of the entire log, at the speed of the replay.
    length_ns: u64,
    /// End of the request that reaches farthest, from the start of the part of the target.
    end_bytes: u64,
}

/// Reads the log that a workload replays from its beginning to its end, and keeps none of it.
///
/// # Errors
/// It cannot be read, or is no log: file, line, and what was expected.
pub fn read_log(workload: &Workload) -> Result<ReadLog, PlanError> {
    let rules = ReplayRules::of(workload);
    let (mut survey, mut skipped) = (ReplaySurvey::default(), 0);
    let reader = each_request(
        path_of(workload),
        &mut |request| match rules.apply(request) {
            Some(request) => survey.add(&request),
            None => skipped += 1,
        },
    )?;
    Ok(ReadLog {
        survey,
        aside: reader.aside(),
        skipped,
        length_ns: reader.length_ns(),
        files: reader.files().to_vec(),
    })
}

impl ReplayLog {
    /// Reads the log of a workload into memory: 24 bytes for each request. `None`: the workload replays none.
    ///
    /// # Errors
    /// As for [`read_log`]; or the log is not the one that the plan was made for.
    pub fn load(workload: &Workload) -> Result<Option<Arc<ReplayLog>>, String> {
        if workload.replay.is_none() {
            return Ok(None);
        }
        let path = path_of(workload);
        let planned = workload.replay_holds.ok_or_else(|| {
            format!("{path} was not examined when the plan was made: this is a bug in plumb")
        })?;
        let rules = ReplayRules::of(workload);
        let slower = 100.0 / workload.replay_speed_percent;
        let scaled = |ns: u64| {
            if slower == 1.0 {
                ns
            } else {
                (ns as f64 * slower) as u64
            }
        };
        let mut survey = ReplaySurvey::default();
        // The plan is not trusted entirely: the log may have changed.
        let mut requests =
            Vec::with_capacity(usize::try_from(planned.requests).unwrap_or(0).min(1 << 20));
        let reader = each_request(path, &mut |request| {
            if let Some(Request {
                kind,
                file,
                offset,
                len,
                time_ns,
            }) = rules.apply(request)
            {
                survey.add(&Request {
                    kind,
                    file,
                    offset,
                    len,
                    time_ns,
                });
                requests.push(Recorded {
                    offset,
                    due_ns: scaled(time_ns),
                    len,
                    file,
                    kind,
                });
            }
        });
        let reader = reader.map_err(|error| error.to_string())?;
        refuse_change(path, planned, &survey, workload, reader.length_ns())?;
        let beginnings = survey.beginnings(workload.replay_files)?;
        for request in &mut requests {
            request.offset += beginnings
                .get(usize::from(request.file))
                .copied()
                .unwrap_or(0);
        }
        requests.shrink_to_fit();
        Ok(Some(Arc::new(ReplayLog {
            requests,
            length_ns: scaled(reader.length_ns()),
            end_bytes: planned.end.0,
        })))
    }

    /// Requests of the log.
    pub fn len(&self) -> usize {
        self.requests.len()
    }

    /// True for a log without requests, which is never loaded.
    pub fn is_empty(&self) -> bool {
        self.requests.is_empty()
    }

    /// Mean distance between two requests in nanoseconds, for what cannot be counted one by one.
    pub fn mean_distance_ns(&self) -> f64 {
        (self.length_ns as f64 / self.len().max(1) as f64).max(1.0)
    }

    /// Distance in nanoseconds from request number `index` to the one after it; after the last comes the first of the next pass, which begins when the
    /// log has ended.
    #[inline]
    pub fn gap_ns(&self, index: usize) -> u64 {
        let due = |index: usize| self.requests.get(index).map(|request| request.due_ns);
        match (due(index), due(index + 1)) {
            (Some(here), Some(next)) => next.saturating_sub(here),
            (Some(here), None) => self
                .length_ns
                .saturating_sub(here)
                .saturating_add(self.first_ns()),
            (None, _) => 0,
        }
    }

    /// When the first request is due, in nanoseconds since the beginning of the log.
    pub fn first_ns(&self) -> u64 {
        self.requests.first().map_or(0, |request| request.due_ns)
    }
}

/// A log that is written while it is replayed, or after the plan was made, does not fit the buffers and the part of the target that were made ready.
fn refuse_change(
    path: &str,
    planned: ReplayHolds,
    survey: &ReplaySurvey,
    workload: &Workload,
    length_ns: u64,
) -> Result<(), String> {
    let found = survey.holds(workload.replay_files, length_ns)?;
    if found != planned || survey.mix() != workload.mix || survey.block().0 != workload.block {
        return Err(format!(
            "{path} has changed since the plan was made (from {planned} to {found}): start again when nothing writes to it"
        ));
    }
    Ok(())
}

fn path_of(workload: &Workload) -> &str {
    workload.replay.as_deref().unwrap_or_default()
}

/// Hands every request of the log at `path` on. Memory: one line, and the names of the files in it.
fn each_request(path: &str, take: &mut dyn FnMut(Request)) -> Result<IologReader, PlanError> {
    let unreadable =
        |error: std::io::Error| PlanError::at(path, format!("cannot read the replay log: {error}"));
    let is_no_file = || {
        PlanError::at(
            path,
            "a replay log must be a regular file: it is read more than once",
        )
    };
    // Not every system opens a folder as a file.
    if std::path::Path::new(path).is_dir() {
        return Err(is_no_file());
    }
    let file = File::open(path).map_err(unreadable)?;
    if !file.metadata().map_err(unreadable)?.is_file() {
        return Err(is_no_file());
    }
    let mut input = BufReader::with_capacity(CHUNK_BYTES, file);
    let mut reader = IologReader::new(path);
    let mut line = Vec::with_capacity(LINE_MAX_BYTES + 1);
    loop {
        line.clear();
        // One byte more than a line may have, so that a longer one is seen to be.
        let read = input
            .by_ref()
            .take(LINE_MAX_BYTES as u64 + 1)
            .read_until(b'\n', &mut line)
            .map_err(unreadable)?;
        if read == 0 {
            break;
        }
        if let Some(request) = reader.line(&line)? {
            take(request);
        }
    }
    reader.end()?;
    Ok(reader)
}

/// The requests of a log, one after the other, over and over: the caller knows how many it needs.
#[derive(Debug)]
pub struct ReplaySequence {
    log: Arc<ReplayLog>,
    next: usize,
    /// First byte of the part of the target.
    start: u64,
}

impl ReplaySequence {
    /// The requests of `log` on this part of the target.
    ///
    /// # Errors
    /// The part is too small for it.
    pub fn new(log: Arc<ReplayLog>, span: Span) -> Result<ReplaySequence, String> {
        if log.is_empty() || log.end_bytes > span.len {
            return Err(format!(
                "the log extends to offset {}, and the part of the target has {} bytes: use a larger target, or divide the offsets with replay-divisor",
                log.end_bytes, span.len
            ));
        }
        Ok(ReplaySequence {
            log,
            next: 0,
            start: span.start,
        })
    }

    /// Sets kind, offset and length of each operation, and leaves the other fields alone. Kept out of the code that draws for every other workload.
    #[inline(never)]
    pub fn fill(&mut self, ops: &mut [Op]) {
        for op in ops {
            let request = &self.log.requests[self.next];
            (op.kind, op.offset, op.len) = (request.kind, self.start + request.offset, request.len);
            self.next += 1;
            if self.next == self.log.requests.len() {
                self.next = 0;
            }
        }
    }
}

/// When the requests of a log are due.
#[derive(Debug, Clone)]
pub struct Recording {
    log: Arc<ReplayLog>,
    index: usize,
}

impl Recording {
    /// The times of a log; `None` when the workload does not keep to them.
    pub fn of(workload: &Workload, log: Option<&Arc<ReplayLog>>) -> Option<Recording> {
        let log = log.filter(|_| workload.replay_pace == ReplayPace::Recorded)?;
        Some(Recording {
            log: log.clone(),
            index: 0,
        })
    }

    /// When the first request is due, and the mean distance of two, in nanoseconds.
    pub fn first_and_mean_ns(&self) -> (u64, f64) {
        (self.log.first_ns(), self.log.mean_distance_ns())
    }

    /// Goes on to the next request; returns its distance from the one before in nanoseconds.
    pub fn advance_ns(&mut self) -> u64 {
        let gap = self.log.gap_ns(self.index);
        self.index = if self.index + 1 < self.log.len() {
            self.index + 1
        } else {
            0
        };
        gap
    }
}

#[cfg(test)]
mod tests;
