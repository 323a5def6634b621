//! Which files have the most time and bytes, and is one used twice? Calls on each file, by name if the trace has it, in bounded memory.

mod listed;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use foldhash::fast::RandomState;
use plumb_model::trace::events::{Answered, Call, CallClass};

/// One number under which a file is open.
#[derive(Debug)]
pub struct Open {
    /// Index of the file in the list.
    pub index: usize,
    /// Where the last read and the last write ended.
    pub ends: [Option<u64>; 2],
    /// The call that ends its use was made.
    pub closing: bool,
}

impl Open {
    pub fn at(index: usize) -> Open {
        Open {
            index,
            ends: [None; 2],
            closing: false,
        }
    }
}

/// Limits of distinct files and of bytes of their names; beyond them, files with the least time are summed.
const FILES_MAX: usize = 131_072;
const NAME_BYTES_MAX: usize = 16 << 20;

/// Index of a file in the list.
type FileIndex = usize;

/// Counts of one file.
#[derive(Debug, Default, Clone)]
struct File {
    name: Option<Arc<str>>,
    opens: u64,
    calls: u64,
    /// Bytes that reads and writes requested, and that they transferred.
    requested: [u64; 2],
    moved: [u64; 2],
    /// Calls that requested bytes, and calls that transferred some.
    requests: u64,
    moving: u64,
    sum_ns: u64,
    following: u64,
    sequential: u64,
    /// Bytes written since the last flush.
    unflushed: u64,
}

impl File {
    /// Adds the counts of another, or of the same file under another number.
    fn add(&mut self, other: &File) {
        self.opens += other.opens;
        self.calls += other.calls;
        for index in 0..2 {
            self.requested[index] = self.requested[index].saturating_add(other.requested[index]);
            self.moved[index] = self.moved[index].saturating_add(other.moved[index]);
        }
        self.requests += other.requests;
        self.moving += other.moving;
        self.sum_ns = self.sum_ns.saturating_add(other.sum_ns);
        self.following += other.following;
        self.sequential += other.sequential;
        self.unflushed = self.unflushed.saturating_add(other.unflushed);
    }

    /// What decides how soon it is added up with others.
    fn weight(&self) -> (u64, u64) {
        let [read, written] = self.requested;
        (self.sum_ns, read.saturating_add(written))
    }
}

/// Counts of all files.
#[derive(Default)]
pub struct FilesTally {
    files: Vec<File>,
    by_name: HashMap<Arc<str>, FileIndex, RandomState>,
    name_bytes: usize,
    /// By the number under which a file is open.
    open: HashMap<u64, Open, RandomState>,
    /// Files that were added up on the way, and how many.
    rest: File,
    summed_early: u64,
    /// Calls that concern no file that is known.
    without: File,
}

impl FilesTally {
    /// A call was made.
    pub fn make(&mut self, call: &Call) {
        let Some(number) = call.file else {
            self.without.calls += 1;
            return;
        };
        if let Some(open) = self.open.get_mut(&number) {
            return make_on(&mut self.files, open, call);
        }
        self.opened(number);
        if let Some(open) = self.open.get_mut(&number) {
            make_on(&mut self.files, open, call);
        }
    }

    /// A call was answered.
    pub fn answer(&mut self, answered: &Answered) {
        let call = &answered.call;
        let service_ns = answered.service_ns();
        let known = call.file.and_then(|number| self.open.get_mut(&number));
        let Some(open) = known else {
            self.without.sum_ns = self.without.sum_ns.saturating_add(service_ns);
            return;
        };
        let Some(file) = self.files.get_mut(open.index) else {
            return;
        };
        file.sum_ns = file.sum_ns.saturating_add(service_ns);
        if let (Some(kind), Some(moved)) = (moves(call), answered.moved_bytes) {
            // If the trace lacks the requested size, it is at least what was transferred.
            if call.bytes.is_none() {
                count(file, open, kind, call.offset, moved);
            }
            file.moved[kind] = file.moved[kind].saturating_add(moved);
            file.moving += u64::from(moved > 0);
            if kind == 1 {
                file.unflushed = file.unflushed.saturating_add(moved);
            }
        }
        // An open that failed has made no file.
        let is_none = file.calls == 1 && file.name.is_none() && !call.closes;
        if is_none && answered.status.is_some_and(|status| status.is_error) {
            let index = open.index;
            self.without.add(&std::mem::take(&mut self.files[index]));
            self.end(call);
            if index + 1 == self.files.len() {
                self.files.pop();
            }
        } else if call.closes {
            self.end(call);
        }
    }

    /// A call has no answer.
    pub fn forget(&mut self, call: &Call) {
        if call.closes {
            self.end(call);
        }
    }

    /// The file is flushed: the bytes that were written to it since the flush before.
    pub fn flush(&mut self, number: u64) -> Option<u64> {
        let index = self.opened(number);
        let file = self.files.get_mut(index)?;
        Some(std::mem::take(&mut file.unflushed))
    }

    pub fn name_of(&self, number: u64) -> Option<Arc<str>> {
        let open = self.open.get(&number)?;
        self.files.get(open.index)?.name.clone()
    }

    /// The file with this number has this name.
    pub fn name(&mut self, number: u64, name: &str) {
        let unnamed = self.open.get(&number).map(|open| open.index);
        let index = match (self.by_name.get(name).copied(), unnamed) {
            (Some(index), None) => {
                if let Some(file) = self.files.get_mut(index) {
                    file.opens += 1;
                }
                index
            }
            (Some(index), Some(unnamed)) if index != unnamed => {
                let counted = self.files.get_mut(unnamed).map(std::mem::take);
                if let (Some(counted), Some(file)) = (counted, self.files.get_mut(index)) {
                    file.add(&counted);
                }
                index
            }
            (Some(index), Some(_)) => index,
            (None, unnamed) => {
                let index = unnamed.unwrap_or_else(|| self.add());
                let name: Arc<str> = name.into();
                self.name_bytes += name.len();
                self.by_name.insert(Arc::clone(&name), index);
                if let Some(file) = self.files.get_mut(index) {
                    file.name = Some(name);
                }
                index
            }
        };
        self.refer(number, index);
    }

    /// Index of the file that is open under this number.
    fn opened(&mut self, number: u64) -> FileIndex {
        if let Some(open) = self.open.get(&number) {
            return open.index;
        }
        let index = self.add();
        self.refer(number, index);
        index
    }

    fn refer(&mut self, number: u64, index: FileIndex) {
        if let Some(open) = self.open.get_mut(&number) {
            open.index = index;
            return;
        }
        if self.open.len() >= FILES_MAX {
            self.open.retain(|_, open| !open.closing);
        }
        if self.open.len() >= FILES_MAX {
            self.open.clear();
        }
        self.open.insert(number, Open::at(index));
    }

    /// The use of the file under this number ends.
    fn end(&mut self, call: &Call) {
        if let Some(number) = call.file {
            self.open.remove(&number);
        }
    }

    /// A file of which nothing is known yet.
    fn add(&mut self) -> FileIndex {
        if self.files.len() >= FILES_MAX || self.name_bytes >= NAME_BYTES_MAX {
            self.sum_up();
        }
        self.files.push(File {
            opens: 1,
            ..File::default()
        });
        self.files.len() - 1
    }

    /// Adds up the quarter of the files with the least time. Those that are open stay, unless that would be more than half.
    fn sum_up(&mut self) {
        let mut stay: HashSet<FileIndex> = self.open.values().map(|open| open.index).collect();
        if stay.len() * 2 > self.files.len() {
            self.open.clear();
            stay.clear();
        }
        let room = (self.files.len() * 3 / 4).saturating_sub(stay.len());
        let files = self.files.iter().enumerate();
        let mut others: Vec<_> = files
            .filter(|(index, file)| file.calls > 0 && !stay.contains(index))
            .map(|(index, file)| (file.weight(), index))
            .collect();
        others.sort_unstable_by(|a, b| b.cmp(a));
        stay.extend(others.iter().take(room).map(|(_, index)| *index));
        let mut kept = Vec::with_capacity(stay.len());
        let mut moved: HashMap<FileIndex, FileIndex, RandomState> = HashMap::default();
        for (index, file) in std::mem::take(&mut self.files).into_iter().enumerate() {
            if stay.contains(&index) {
                moved.insert(index, kept.len());
                kept.push(file);
            } else if file.calls > 0 {
                self.rest.add(&file);
                self.summed_early += 1;
            }
        }
        self.files = kept;
        self.open.retain(|_, open| match moved.get(&open.index) {
            Some(index) => {
                open.index = *index;
                true
            }
            None => false,
        });
        let names = self.files.iter().enumerate();
        let named = names.filter_map(|(index, file)| Some((file.name.clone()?, index)));
        self.by_name = named.collect();
        self.name_bytes = self.by_name.keys().map(|name| name.len()).sum();
    }
}

/// Which of the two counts a call belongs to: 0 for reads, 1 for writes.
fn moves(call: &Call) -> Option<usize> {
    match call.class {
        CallClass::Read => Some(0),
        CallClass::Write => Some(1),
        _ => None,
    }
}

/// Counts a call that was made on an open file.
fn make_on(files: &mut [File], open: &mut Open, call: &Call) {
    if let Some(file) = files.get_mut(open.index) {
        file.calls += 1;
        open.closing |= call.closes;
        if let (Some(kind), Some(bytes)) = (moves(call), call.bytes) {
            count(file, open, kind, call.offset, bytes);
        }
    }
}

/// Counts the requested bytes of a read or write, and whether it starts where the previous one ended.
fn count(file: &mut File, open: &mut Open, kind: usize, offset: Option<u64>, bytes: u64) {
    file.requested[kind] = file.requested[kind].saturating_add(bytes);
    file.requests += u64::from(bytes > 0);
    let Some(offset) = offset else { return };
    if let Some(end) = open.ends[kind].replace(offset.saturating_add(bytes)) {
        file.following += 1;
        file.sequential += u64::from(end == offset);
    }
}
