//! Is a block that was read what it should be? The verifier of the job, with the way in which it marks blocks.

use crate::verify::{Marks, Mismatch, Ticket, Verifier};

/// Checks blocks of a job that were read.
#[derive(Clone, Copy)]
pub struct Judge<'a> {
    pub verifier: &'a Verifier,
    /// Missing: blocks are marked as plumb does it.
    pub marks: Option<&'a Marks>,
    /// An earlier run wrote the blocks.
    pub is_existing: bool,
}

impl Judge<'_> {
    /// Checks what the read of this ticket brought.
    ///
    /// # Errors
    /// The first unit that is wrong, explained.
    pub fn read(&self, ticket: Ticket, block: &[u8]) -> Result<(), Mismatch> {
        match self.marks {
            None => self.verifier.check(ticket, block),
            Some(marks) => self
                .verifier
                .check_marked(marks, self.is_existing, ticket, block),
        }
    }
}
