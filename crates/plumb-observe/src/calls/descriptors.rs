//! Which files does a process have open, and at which position? Duplicated or inherited descriptors share one open file and its position.

use std::collections::HashMap;
use std::sync::Arc;

use foldhash::fast::RandomState;

/// Most open files that are tracked; only a damaged trace has more.
const OPENED_MAX: usize = 262_144;

/// An open file (open file description, open(2)).
#[derive(Debug, Default)]
pub struct Opened {
    /// In bytes from its start; missing if unknown, as after an open for appending.
    pub position: Option<u64>,
    /// Every write goes to the end, wherever that is.
    pub appends: bool,
    /// False for pipes, sockets, terminals and similar.
    pub is_file: bool,
    /// Its open was seen: the kind of file is known.
    pub is_certain: bool,
    /// Every write waits until it is durable: O_SYNC or O_DSYNC.
    pub is_synchronous: bool,
    /// Its path from the root, if known.
    pub name: Option<Arc<str>>,
}

/// A path, where it begins at the root.
pub fn complete(name: &str) -> Option<Arc<str>> {
    name.starts_with('/').then(|| name.into())
}

/// An open file and its number of descriptors.
#[derive(Debug)]
struct Counted {
    opened: Opened,
    references: u32,
}

/// One descriptor.
#[derive(Debug, Clone, Copy)]
struct Descriptor {
    file: u64,
    closes_on_exec: bool,
}

/// Descriptors that one or several threads share.
#[derive(Debug, Default)]
struct Table {
    threads: u32,
    descriptors: HashMap<i64, Descriptor>,
}

/// All open files, by number; and the descriptor tables.
#[derive(Default)]
pub struct Descriptors {
    opened: HashMap<u64, Counted, RandomState>,
    tables: HashMap<u64, Table, RandomState>,
    next_file: u64,
    next_table: u64,
}

impl Descriptors {
    /// A number not used by any open file so far.
    pub fn next_file(&mut self) -> u64 {
        self.next_file += 1;
        self.next_file - 1
    }

    /// A table without descriptors, for one thread.
    pub fn new_table(&mut self) -> u64 {
        self.next_table += 1;
        let table = Table {
            threads: 1,
            ..Table::default()
        };
        self.tables.insert(self.next_table, table);
        self.next_table
    }

    /// One more thread uses this table.
    pub fn share_table(&mut self, table: u64) {
        if let Some(of) = self.tables.get_mut(&table) {
            of.threads += 1;
        }
    }

    /// A separate table with the same descriptors, for one thread.
    pub fn copy_table(&mut self, table: u64) -> u64 {
        let copy = self.new_table();
        let all: Vec<(i64, Descriptor)> = match self.tables.get(&table) {
            Some(of) => of.descriptors.iter().map(|(at, of)| (*at, *of)).collect(),
            None => Vec::new(),
        };
        for (at, descriptor) in all {
            self.refer(copy, at, descriptor);
        }
        copy
    }

    /// A thread stops using this table; the last one closes its descriptors.
    pub fn leave_table(&mut self, table: u64) {
        let Some(of) = self.tables.get_mut(&table) else {
            return;
        };
        of.threads = of.threads.saturating_sub(1);
        if of.threads == 0
            && let Some(of) = self.tables.remove(&table)
        {
            of.descriptors
                .values()
                .for_each(|descriptor| self.release(descriptor.file));
        }
    }

    fn refer(&mut self, table: u64, at: i64, descriptor: Descriptor) {
        if let Some(of) = self.opened.get_mut(&descriptor.file) {
            of.references += 1;
        }
        let before = match self.tables.get_mut(&table) {
            Some(of) => of.descriptors.insert(at, descriptor),
            None => None,
        };
        if let Some(before) = before {
            self.release(before.file);
        }
    }

    fn release(&mut self, file: u64) {
        if let Some(of) = self.opened.get_mut(&file) {
            of.references = of.references.saturating_sub(1);
            if of.references == 0 {
                self.opened.remove(&file);
            }
        }
    }

    /// The open file of a descriptor.
    pub fn file(&self, table: u64, at: i64) -> Option<u64> {
        let descriptor = self.tables.get(&table)?.descriptors.get(&at)?;
        Some(descriptor.file)
    }

    pub fn opened(&mut self, file: u64) -> Option<&mut Opened> {
        self.opened.get_mut(&file).map(|of| &mut of.opened)
    }

    /// Whether this is the last descriptor of its file.
    pub fn is_last(&self, file: u64) -> bool {
        self.opened.get(&file).is_none_or(|of| of.references <= 1)
    }

    /// A descriptor for a newly opened file.
    pub fn open(&mut self, table: u64, at: i64, file: u64, opened: Opened, closes_on_exec: bool) {
        if self.opened.len() < OPENED_MAX {
            let references = 0;
            self.opened.insert(file, Counted { opened, references });
            let descriptor = Descriptor {
                file,
                closes_on_exec,
            };
            self.refer(table, at, descriptor);
        }
    }

    /// A second descriptor for the file of `from`; the previous file of `to` is closed. No effect if `from` is unknown.
    pub fn duplicate(&mut self, table: u64, from: i64, to: i64, closes_on_exec: bool) {
        match self.file(table, from) {
            Some(_) if from == to => {}
            Some(file) => {
                let descriptor = Descriptor {
                    file,
                    closes_on_exec,
                };
                self.refer(table, to, descriptor);
            }
            None => {
                self.close(table, to);
            }
        }
    }

    /// Closes a descriptor, and returns its file.
    pub fn close(&mut self, table: u64, at: i64) -> Option<u64> {
        let descriptor = self.tables.get_mut(&table)?.descriptors.remove(&at)?;
        self.release(descriptor.file);
        Some(descriptor.file)
    }

    /// Closes those selected by `ends`: by number, and by their close-on-exec flag.
    pub fn close_all(&mut self, table: u64, ends: impl Fn(i64, bool) -> bool) {
        let Some(of) = self.tables.get(&table) else {
            return;
        };
        let chosen = of.descriptors.iter();
        let chosen: Vec<i64> = chosen
            .filter(|(at, descriptor)| ends(**at, descriptor.closes_on_exec))
            .map(|(at, _)| *at)
            .collect();
        for at in chosen {
            self.close(table, at);
        }
    }

    pub fn close_on_exec(&mut self, table: u64, at: i64, closes: bool) {
        if let Some(of) = self.tables.get_mut(&table)
            && let Some(descriptor) = of.descriptors.get_mut(&at)
        {
            descriptor.closes_on_exec = closes;
        }
    }
}
