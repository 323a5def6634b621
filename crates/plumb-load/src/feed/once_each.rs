//! Which file comes next when each is taken once, in the order of its directory or at random?

use std::io;

use plumb_model::workload::FileOrder;
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::feed::live_files::LiveFiles;

/// One worker's files, each once.
pub struct EachFileOnce<'a> {
    set: &'a LiveFiles,
    worker: u32,
    order: FileOrder,
    random: Xoshiro256PlusPlus,
    /// They are deleted, so that the set no longer knows which are left.
    deletes: bool,
    begun: bool,
    /// Numbers to come, the next one last.
    numbers: Vec<u64>,
    /// Folders that are to be listed still.
    folders: std::ops::Range<u64>,
}

impl<'a> EachFileOnce<'a> {
    pub fn new(
        set: &'a LiveFiles,
        worker: u32,
        order: FileOrder,
        deletes: bool,
        seed: u64,
    ) -> EachFileOnce<'a> {
        let random = Xoshiro256PlusPlus::seed_from_u64(seed ^ u64::from(worker));
        EachFileOnce {
            set,
            worker,
            order,
            random,
            deletes,
            begun: false,
            numbers: Vec::new(),
            folders: 0..0,
        }
    }

    /// The next file; `None` after the last.
    ///
    /// # Errors
    /// A folder cannot be listed.
    pub fn next(&mut self) -> io::Result<Option<u64>> {
        if !self.begun {
            self.begin();
        }
        while self.numbers.is_empty() {
            let Some(folder) = self.folders.next() else {
                return Ok(None);
            };
            // Within the measured time, as a program that walks a tree does; folder by folder.
            self.numbers = self.set.set().listed(folder)?;
            self.numbers
                .retain(|number| self.set.is_of(self.worker, *number));
            self.numbers.reverse();
        }
        Ok(self.numbers.pop())
    }

    fn begin(&mut self) {
        self.begun = true;
        match self.order {
            FileOrder::Listed => self.folders = 0..self.set.folders(),
            FileOrder::Shuffled | FileOrder::Offsets => {
                self.numbers = self.set.all(self.worker);
                self.shuffle();
            }
        }
        if self.deletes {
            self.set.give_up(self.worker);
        }
    }

    /// Fisher and Yates, as Durstenfeld 1964 (Algorithm 235).
    fn shuffle(&mut self) {
        for last in (1..self.numbers.len()).rev() {
            let pick = ((u128::from(self.random.next_u64()) * (last as u128 + 1)) >> 64) as usize;
            self.numbers.swap(last, pick);
        }
    }
}
