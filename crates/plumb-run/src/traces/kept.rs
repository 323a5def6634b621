//! How is a trace both counted and kept? Each event goes to the figures and to a file, which must not be there before.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter};
use std::path::Path;

use anyhow::{Context, anyhow};
use plumb_model::trace::events::TraceEvent;
use plumb_model::trace::facts::TraceFacts;
use plumb_model::trace::receiver::TraceReceiver;
use plumb_observe::trace_format::calls_writer::CallsWriter;

/// Bytes that are written at once.
const BUFFER_BYTES: usize = 256 << 10;

/// A file of calls that is being written.
pub type Kept = CallsWriter<BufWriter<File>>;

/// Begins the file, for calls that are seen by this.
///
/// Errors: something is there, or it cannot be written.
pub fn begin(file: &Path, format: &str) -> anyhow::Result<Kept> {
    let shown = file.display();
    let made = OpenOptions::new().write(true).create_new(true).open(file);
    let made = made.map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => {
            anyhow!("{shown} exists already and is not overwritten: name another file")
        }
        _ => anyhow!("{shown}: cannot be written: {error}; choose another location"),
    })?;
    CallsWriter::begin(BufWriter::with_capacity(BUFFER_BYTES, made), format)
        .with_context(|| format!("{shown}: cannot be written; choose another location"))
}

/// Ends the file, and returns its number of calls.
///
/// Errors: not all of them could be written.
pub fn end(kept: Kept, file: &Path, facts: &TraceFacts) -> anyhow::Result<u64> {
    kept.end(facts).with_context(|| {
        format!(
            "{}: not all calls could be stored; the stored ones are valid",
            file.display()
        )
    })
}

/// Hands on to the figures, and to the file where there is one.
pub struct Both<'a> {
    pub figures: &'a mut dyn TraceReceiver,
    pub kept: Option<&'a mut Kept>,
}

impl TraceReceiver for Both<'_> {
    fn take(&mut self, event: TraceEvent) {
        self.figures.take(event);
        if let Some(kept) = &mut self.kept {
            kept.take(event);
        }
    }

    fn mount(&mut self, point: &str, file_system: &str, source: &str) {
        self.figures.mount(point, file_system, source);
        if let Some(kept) = &mut self.kept {
            kept.mount(point, file_system, source);
        }
    }

    fn name(&mut self, file: u64, name: &str) {
        self.figures.name(file, name);
        if let Some(kept) = &mut self.kept {
            kept.name(file, name);
        }
    }

    fn name_lane(&mut self, lane: u32, name: &str) {
        self.figures.name_lane(lane, name);
        if let Some(kept) = &mut self.kept {
            kept.name_lane(lane, name);
        }
    }
}
