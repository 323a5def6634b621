//! How are operations carried out by one call each that moves no data?

use std::io;

use plumb_model::workload::OperationKind;

use crate::engine::operation::{Done, Op, Outcome, one_by_one};
use crate::engine::{Closing, Engine, OpenFile, Wait};

/// Carries out each operation by one call that moves no data.
pub struct ByCall<'a, F> {
    pub files: &'a [OpenFile],
    /// Of reads, writes and trims, with the bytes that count as moved; a flush is a sync of the data.
    pub call: F,
}

impl<F: FnMut(&OpenFile, &Op) -> io::Result<u32>> Engine for ByCall<'_, F> {
    fn submit(&mut self, ops: &[Op], done: &mut Vec<Done>) -> io::Result<()> {
        one_by_one(ops, done, |op| {
            let file = &self.files[op.file as usize];
            let called = match op.kind {
                OperationKind::Flush => file.file.sync_data().map(|()| 0),
                _ => (self.call)(file, op),
            };
            called.map_or_else(|error| Outcome::of_error(&error), Outcome::moved)
        });
        Ok(())
    }

    /// Nothing is ever in flight after `submit`.
    fn reap(&mut self, _: Wait, _: &mut Vec<Done>) -> io::Result<()> {
        Ok(())
    }

    fn fsync(&mut self, file: u32) -> Option<Outcome> {
        let failed = self.files[file as usize].file.sync_all().err();
        Some(failed.map_or(Outcome::moved(0), |error| Outcome::of_error(&error)))
    }

    fn close(&mut self) -> Closing {
        Closing {
            write_back: self
                .files
                .iter()
                .filter_map(OpenFile::closing_failure)
                .collect(),
            ..Closing::default()
        }
    }
}
