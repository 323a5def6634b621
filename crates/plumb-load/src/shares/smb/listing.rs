//! When does the listing of a folder take too long?

use std::time::{Duration, Instant};

use plumb_model::statement::Statement;

use crate::share::{NAMES_MAX, ShareEntry};
use crate::shares::smb::fault::{Fault, SmbResult};

/// A folder with more bytes in its names is taken for a server that does not end; a million names of 100 bytes are 100 MB.
const NAMES_BYTES_MAX: usize = 128 << 20;
/// Answers with few names: servers fill them up, or they do not end. So many may hold anything, the others hold so many names at least.
const MEAGRE_ANSWERS_MAX: usize = 1000;
const NAMES_PER_ANSWER: usize = 8;
/// A listing that takes longer does not end.
const LISTING_MAX: Duration = Duration::from_secs(600);

/// How many names a folder has so far: a server may list without end.
pub(super) struct Names {
    begun: Instant,
    answers: usize,
    bytes: usize,
    /// The first name of the last answer.
    last: Option<String>,
}

impl Names {
    pub(super) fn new() -> Names {
        Names {
            begun: Instant::now(),
            answers: 0,
            bytes: 0,
            last: None,
        }
    }

    /// An answer came with the names from `before` on.
    pub(super) fn add(&mut self, found: &[ShareEntry], before: usize) -> SmbResult<()> {
        let names = found.get(before..).unwrap_or_default();
        self.answers += 1;
        self.bytes += names
            .iter()
            .map(|entry| entry.name.len() + size_of::<ShareEntry>())
            .sum::<usize>();
        let first = names.first().map(|entry| entry.name.clone());
        // The folder itself and the one above it come first, and may come alone; no name comes twice.
        let says_nothing =
            (first.is_none() && self.answers > 2) || (first.is_some() && first == self.last);
        let is_meagre = self.answers > MEAGRE_ANSWERS_MAX + found.len() / NAMES_PER_ANSWER;
        let is_long = found.len() > NAMES_MAX
            || self.bytes > NAMES_BYTES_MAX
            || self.begun.elapsed() > LISTING_MAX;
        self.last = first;
        if !(says_nothing || is_meagre || is_long) {
            return Ok(());
        }
        Err(Fault::Unruly(
            Statement::new("smb-lists-without-end")
                .count("names", found.len() as u64)
                .count("answers", self.answers as u64),
        ))
    }
}
