//! Which file is it? Windows' kernel reports operations by the address of an open file and that of the file itself, which have other meanings later.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::paths::{Letters, is_file, shown};
use crate::event_sink::EventSink;

/// Names of files by their key that are kept while nobody asks for them.
const NAMES_MAX: usize = 65_536;

/// An open file.
struct Opened {
    /// As the calls number it.
    file: u64,
    /// 0 as long as it is not known.
    key: u64,
    is_file: bool,
    is_named: bool,
}

/// Open files by the address of their object, and names by the key of the file.
pub struct OpenedFiles {
    letters: Letters,
    opened: HashMap<u64, Opened, RandomState>,
    /// Objects without a name by what a name may come for: their own address, and the key of the file.
    unnamed: HashMap<u64, Vec<u64>, RandomState>,
    names: HashMap<u64, Box<str>, RandomState>,
    made: u64,
    /// Files that were closed without a name.
    closed_unnamed: u64,
}

impl OpenedFiles {
    pub fn new(letters: Letters) -> OpenedFiles {
        OpenedFiles {
            letters,
            opened: HashMap::default(),
            unnamed: HashMap::default(),
            names: HashMap::default(),
            made: 0,
            closed_unnamed: 0,
        }
    }

    /// A file is opened by this path; its number, unless it is no file.
    pub fn open(&mut self, object: u64, path: &str, event_sink: &mut EventSink<'_>) -> Option<u64> {
        self.close(object);
        let is_file = is_file(path);
        self.add(object, 0, is_file);
        let opened = self.opened.get_mut(&object)?;
        if let Some(name) = shown(path, &self.letters).filter(|_| is_file) {
            opened.is_named = true;
            event_sink.name(opened.file, &name);
        }
        is_file.then_some(opened.file)
    }

    /// The number of the open file with this object and key, unless it is no file.
    pub fn find(&mut self, object: u64, key: u64, event_sink: &mut EventSink<'_>) -> Option<u64> {
        let known = self.opened.get(&object);
        // Its end was lost, and another one has its address.
        if known.is_some_and(|known| known.key != 0 && key != 0 && known.key != key) {
            self.close(object);
        }
        if !self.opened.contains_key(&object) {
            self.add(object, key, true);
        }
        let opened = self.opened.get_mut(&object)?;
        if opened.key == 0 {
            opened.key = key;
        }
        if !opened.is_named && opened.is_file {
            match self.names.get(&key).or_else(|| self.names.get(&object)) {
                Some(name) => {
                    opened.is_named = true;
                    event_sink.name(opened.file, name);
                }
                None => {
                    for of in [key, object] {
                        let waiting = self.unnamed.entry(of).or_default();
                        if !waiting.contains(&object) {
                            waiting.push(object);
                        }
                    }
                }
            }
        }
        opened.is_file.then_some(opened.file)
    }

    fn add(&mut self, object: u64, key: u64, is_file: bool) {
        let file = self.made;
        self.made += 1;
        let opened = Opened {
            file,
            key,
            is_file,
            is_named: false,
        };
        self.opened.insert(object, opened);
    }

    /// Nothing refers to it any more.
    pub fn close(&mut self, object: u64) {
        let Some(opened) = self.opened.remove(&object) else {
            return;
        };
        if opened.is_file && !opened.is_named {
            self.closed_unnamed += 1;
            for of in [opened.key, object] {
                if let Some(waiting) = self.unnamed.get_mut(&of) {
                    waiting.retain(|waits| *waits != object);
                    if waiting.is_empty() {
                        self.unnamed.remove(&of);
                    }
                }
            }
        }
    }

    /// The file with this number was refused.
    pub fn was_not_opened(&mut self, object: u64, file: u64) {
        if self.opened.get(&object).is_some_and(|of| of.file == file) {
            self.opened.remove(&object);
        }
    }

    /// What has this key or is this object has this name.
    pub fn name(&mut self, key: u64, path: &str, event_sink: &mut EventSink<'_>) {
        let Some(name) = shown(path, &self.letters) else {
            return;
        };
        for object in self.unnamed.remove(&key).unwrap_or_default() {
            if let Some(opened) = self.opened.get_mut(&object)
                && (opened.key == key || object == key)
                && !opened.is_named
            {
                opened.is_named = true;
                event_sink.name(opened.file, &name);
            }
        }
        if self.names.len() < NAMES_MAX || self.names.contains_key(&key) {
            self.names.insert(key, name.into());
        }
    }

    pub fn forget(&mut self, key: u64) {
        self.names.remove(&key);
    }

    /// Files of which no name was reported.
    pub fn unnamed(&self) -> u64 {
        let open = self.opened.values();
        let open = open.filter(|opened| opened.is_file && !opened.is_named);
        self.closed_unnamed + open.count() as u64
    }
}
