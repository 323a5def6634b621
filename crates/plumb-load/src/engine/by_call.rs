//! How are operations carried out by one call each that moves no data?

use std::io;

use plumb_model::workload::OperationKind;

use crate::engine::operation::{Done, Op, Outcome, one_by_one};
use crate::engine::{Closing, Engine, OpenFile, Wait};

/// Carries out each operation by one call that moves no data.
pub struct ByCall<'a> {
    pub files: &'a [OpenFile],
    /// Of reads, writes and trims; a flush is a sync of the data.
    pub call: fn(&OpenFile, &Op) -> io::Result<()>,
}

impl Engine for ByCall<'_> {
    fn submit(&mut self, ops: &[Op], done: &mut Vec<Done>) -> io::Result<()> {
        one_by_one(ops, done, |op| {
            let file = &self.files[op.file as usize];
            let (called, bytes) = match op.kind {
                OperationKind::Flush => (file.file.sync_data(), 0),
                OperationKind::Trim => ((self.call)(file, op), 0),
                _ => ((self.call)(file, op), op.len),
            };
            called.map_or_else(
                |error| Outcome::of_error(&error),
                |()| Outcome::moved(bytes),
            )
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
