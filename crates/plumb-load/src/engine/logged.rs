//! Which operations were issued, and when? An engine with another inside, which writes them as an iolog of fio, version 3 (HOWTO, "Trace file format v3").

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Read, Write};

use plumb_model::statement::Statement;
use plumb_model::workload::{Job, OperationKind};

use crate::clock::Clock;
use crate::engine::operation::{Done, Op, Outcome};
use crate::engine::{Closing, Engine, Wait};
use crate::site::SiteFile;

/// The engine, with a log of its operations if the workload requests one. `worker`: the numbers of job and worker.
///
/// # Errors
/// The log cannot be written.
pub fn logged<'a>(
    engine: Box<dyn Engine + 'a>,
    job: &Job,
    parts: &[SiteFile],
    worker: (u32, u32),
    clock: Clock,
) -> Result<Box<dyn Engine + 'a>, Statement> {
    let Some(path) = &job.workload.write_iolog else {
        return Ok(engine);
    };
    // As they are called from here.
    let here = std::env::current_dir().unwrap_or_default();
    let mut names: Vec<String> = parts
        .iter()
        .map(|part| part.path.strip_prefix(&here).unwrap_or(&part.path))
        .map(|path| path.display().to_string())
        .collect();
    if names.is_empty() {
        names.push(job.target.to_string());
    }
    Ok(Box::new(Logged::new(engine, path, worker, names, clock)?))
}

/// How an iolog of fio begins, of whatever version.
const MAGIC: &str = "fio version ";

/// Writes a line for each operation that it hands on.
struct Logged<'a> {
    inner: Box<dyn Engine + 'a>,
    log: BufWriter<File>,
    path: String,
    /// Of each file.
    names: Vec<String>,
    clock: Clock,
    start_ns: u64,
    /// The log could not be written in a call that has no errors.
    failed: Option<io::Error>,
}

impl<'a> Logged<'a> {
    fn new(
        inner: Box<dyn Engine + 'a>,
        path: &str,
        worker: (u32, u32),
        names: Vec<String>,
        clock: Clock,
    ) -> Result<Logged<'a>, Statement> {
        let path = match worker {
            (0, 0) => path.to_owned(),
            (job, worker) => format!("{path}.{job}.{worker}"),
        };
        let failed = |error: io::Error| cannot_be_written(&path, &error);
        let file = empty_log(&path).map_err(failed)?;
        let file = file.ok_or_else(|| Statement::new("log-is-another-file").name("path", &path))?;
        let begin = || -> io::Result<BufWriter<File>> {
            let mut log = BufWriter::new(file);
            writeln!(log, "{MAGIC}3 iolog")?;
            for action in ["add", "open"] {
                for name in &names {
                    writeln!(log, "0 {name} {action}")?;
                }
            }
            Ok(log)
        };
        let log = begin().map_err(failed)?;
        Ok(Logged {
            inner,
            log,
            path,
            names,
            clock,
            start_ns: clock.now_ns(),
            failed: None,
        })
    }

    fn line(&mut self, file: u32, action: std::fmt::Arguments<'_>) {
        let time_us = self.clock.now_ns().saturating_sub(self.start_ns) / 1000;
        let name = self.names.get(file as usize).map_or("-", String::as_str);
        if let Err(error) = writeln!(self.log, "{time_us} {name} {action}") {
            self.failed.get_or_insert(error);
        }
    }

    fn ended(&mut self) -> io::Result<()> {
        for file in 0..self.names.len() {
            self.line(file as u32, format_args!("close"));
        }
        match self.failed.take() {
            Some(error) => Err(error),
            None => self.log.flush(),
        }
    }
}

/// A new file, or an earlier iolog, emptied; `None`: what is there is something else, and stays as it is.
fn empty_log(path: &str) -> io::Result<Option<File>> {
    let mut options = OpenOptions::new();
    match options.write(true).create_new(true).open(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        made => return made.map(Some),
    }
    // What is no file may not come back from being opened.
    if !std::fs::metadata(path)?.is_file() {
        return Ok(None);
    }
    let mut file = OpenOptions::new().read(true).write(true).open(path)?;
    let mut head = Vec::new();
    (&file).take(MAGIC.len() as u64).read_to_end(&mut head)?;
    if !head.is_empty() && head != MAGIC.as_bytes() {
        return Ok(None);
    }
    file.set_len(0)?;
    io::Seek::rewind(&mut file)?;
    Ok(Some(file))
}

fn cannot_be_written(path: &str, error: &io::Error) -> Statement {
    Statement::new("log-cannot-be-written")
        .name("path", path)
        .name("error", error.to_string())
}

/// The word of the log; operations on files by name and messages have none.
fn word(kind: OperationKind) -> Option<&'static str> {
    match kind {
        OperationKind::Read => Some("read"),
        OperationKind::Write | OperationKind::Rewrite => Some("write"),
        OperationKind::Trim => Some("trim"),
        OperationKind::Flush => Some("datasync"),
        _ => None,
    }
}

impl Engine for Logged<'_> {
    fn submit(&mut self, ops: &[Op], done: &mut Vec<Done>) -> io::Result<()> {
        for op in ops {
            let Some(word) = word(op.kind) else { continue };
            let (offset, len) = if op.kind == OperationKind::Flush {
                (0, 0)
            } else {
                (op.offset, op.len)
            };
            self.line(op.file, format_args!("{word} {offset} {len}"));
        }
        self.inner.submit(ops, done)
    }

    fn reap(&mut self, wait: Wait, done: &mut Vec<Done>) -> io::Result<()> {
        self.inner.reap(wait, done)
    }

    fn fsync(&mut self, file: u32) -> Option<Outcome> {
        let outcome = self.inner.fsync(file)?;
        self.line(file, format_args!("sync 0 0"));
        Some(outcome)
    }

    fn finish(&mut self) {
        self.inner.finish();
    }

    fn close(&mut self) -> Closing {
        let mut closing = self.inner.close();
        if let Err(error) = self.ended() {
            closing.remarks.push(cannot_be_written(&self.path, &error));
        }
        closing
    }
}
