//! Who appends intervals to the record, on whichever thread?

use std::sync::atomic::{AtomicBool, Ordering};

use plumb_model::run::tick::Tick;
use plumb_record::{RecordError, TickWriter};

/// Appends intervals to the record.
pub struct Keeper<'a> {
    writer: Option<TickWriter>,
    failure: Option<RecordError>,
    stop: &'a AtomicBool,
}

impl<'a> Keeper<'a> {
    /// Nothing is appended where there is no writer; the first failure sets `stop`.
    pub fn new(writer: Option<TickWriter>, stop: &'a AtomicBool) -> Keeper<'a> {
        Keeper {
            writer,
            failure: None,
            stop,
        }
    }

    /// Appends one. After one that could not be written there are no more: a record has no holes.
    pub fn keep(&mut self, tick: &Tick) {
        if let (Some(writer), None) = (&self.writer, &self.failure)
            && let Err(error) = writer.tick(tick)
        {
            self.failure = Some(error);
            self.stop.store(true, Ordering::Relaxed);
        }
    }

    /// What went wrong first.
    pub fn end(self) -> Result<(), RecordError> {
        self.failure.map_or(Ok(()), Err)
    }
}
