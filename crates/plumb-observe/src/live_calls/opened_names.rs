//! What are the files called that a program opens? By the paths that it requested, and the working directory from which they go.

use std::collections::{HashMap, VecDeque};

use crate::system::open_paths::{Folder, RequestedPath};
use crate::system::tracepoints::records::Record;
use foldhash::fast::RandomState;

/// Paths that wait for the record of their open.
const PATHS_MAX: usize = 65_536;
/// So long before the record of an open its path is there at most.
const PATH_BEFORE_NS: u64 = 20_000;
/// So long after the record of an open its path is reported at most.
const PATH_AFTER_NS: u64 = 1_000_000;
/// Processes and threads that are followed at once.
const PROCESSES_MAX: usize = 65_536;

/// Paths that were opened, and working directories.
#[derive(Default)]
pub(super) struct OpenedNames {
    /// What each thread opened, in the order of time; and how many there are.
    paths: HashMap<u32, VecDeque<RequestedPath>, RandomState>,
    paths_count: usize,
    /// The working directory of each process, by its number.
    folders: HashMap<u32, Folder, RandomState>,
    /// The process of each thread that is not its first.
    processes: HashMap<u32, u32, RandomState>,
    /// Where the program begins that is started.
    first_folder: Option<Folder>,
}

impl OpenedNames {
    /// The first thread that enters a call begins in this working directory.
    pub fn begin_in(&mut self, folder: Option<&str>) {
        self.first_folder = folder.map(resolved);
    }

    /// Threads of one process that run, and its working directory.
    pub fn adopt(&mut self, process: u32, threads: &[u32], folder: Option<&str>) {
        let others = threads.iter().filter(|thread| **thread != process);
        self.processes
            .extend(others.map(|thread| (*thread, process)));
        if let Some(folder) = folder {
            self.keep(process, resolved(folder));
        }
    }

    /// Takes paths, and the records that were read after them, in the order of time. A working directory that may have been changed, at `changed_ns` last, before it
    /// was looked up, is none.
    pub fn take(&mut self, paths: Vec<RequestedPath>, changed_ns: Option<u64>, records: &[Record]) {
        for mut requested in paths {
            if changed_ns.is_some_and(|changed_ns| changed_ns >= requested.at_ns) {
                requested.folder = None;
            }
            if let Some(left_ns) = self.ended_before(&requested, records) {
                requested.at_ns = left_ns;
            }
            // Of threads that are not followed they would stay.
            if self.paths_count >= PATHS_MAX {
                self.paths.clear();
                self.paths_count = 0;
            }
            self.paths_count += 1;
            self.paths
                .entry(requested.thread)
                .or_default()
                .push_back(requested);
        }
    }

    /// When the call ended that requested this path, where the kernel recorded its end first: it does so where another program (`perf`, say) was there before this one to
    /// follow the ends of all calls. `None` where the call was not recorded as ended by then, or has its path.
    fn ended_before(&self, requested: &RequestedPath, records: &[Record]) -> Option<u64> {
        let oldest_ns = requested.at_ns.saturating_sub(PATH_AFTER_NS);
        let before = records.partition_point(|record| record.at_ns() <= Some(requested.at_ns));
        let mut of_thread = records[..before]
            .iter()
            .rev()
            .take_while(|record| record.at_ns() >= Some(oldest_ns))
            .filter_map(|record| match *record {
                Record::Entered { thread, at_ns, .. } => Some((thread, at_ns, false)),
                Record::Left { thread, at_ns, .. } => Some((thread, at_ns, true)),
                _ => None,
            })
            .filter(|(thread, ..)| *thread == requested.thread);
        let (_, left_ns, _) = of_thread.next().filter(|(.., has_left)| *has_left)?;
        let entered_ns = of_thread.next().map_or(oldest_ns, |(_, at_ns, _)| at_ns);
        let last = self.paths.get(&requested.thread).and_then(VecDeque::back);
        let has_path = last.is_some_and(|last| last.at_ns >= entered_ns);
        (!has_path).then_some(left_ns)
    }

    /// Whether the open that this thread ended then was by a full path, which is there.
    pub fn is_known(&self, thread: u32, at_ns: u64) -> bool {
        let found = || {
            let paths = self.paths.get(&thread)?;
            let last = paths.partition_point(|requested| requested.at_ns <= at_ns);
            let requested = paths.get(last.checked_sub(1)?)?;
            let is_of_it = requested.at_ns >= at_ns.saturating_sub(PATH_BEFORE_NS);
            is_of_it.then(|| requested.name(None)).flatten()
        };
        found().is_some()
    }

    /// The path that this thread requested between these times; what it requested before is forgotten.
    pub fn path(&mut self, thread: u32, from_ns: u64, to_ns: u64) -> Option<RequestedPath> {
        let paths = self.paths.get_mut(&thread)?;
        let mut last = None;
        while paths
            .front()
            .is_some_and(|requested| requested.at_ns <= to_ns)
        {
            last = paths.pop_front();
            self.paths_count = self.paths_count.saturating_sub(1);
        }
        last.filter(|requested| requested.at_ns >= from_ns)
    }

    /// The full path of what was queried for from the working directory.
    pub fn name(&mut self, requested: &RequestedPath) -> Option<String> {
        let process = self.process(requested.thread);
        if let (None, Some(folder)) = (self.folders.get(&process), &requested.folder) {
            self.keep(process, resolved(folder));
        }
        requested.name(self.folders.get(&process))
    }

    /// Where this thread is after it has changed its working directory to what it requested.
    pub fn folder_after(&self, requested: &RequestedPath) -> Option<Folder> {
        let process = self.process(requested.thread);
        requested.changed_to(self.folders.get(&process))
    }

    /// The working directory of this thread, if known.
    pub fn folder(&self, thread: u32) -> Option<Folder> {
        self.folders.get(&self.process(thread)).cloned()
    }

    /// The working directory of this thread is this one now; or nobody knows.
    pub fn changed_folder(&mut self, thread: u32, folder: Option<Folder>) {
        let process = self.process(thread);
        match folder {
            Some(folder) => self.keep(process, folder),
            None => {
                self.folders.remove(&process);
            }
        }
    }

    /// A thread enters a call.
    pub fn enter(&mut self, thread: u32) {
        if let Some(folder) = self.first_folder.take() {
            self.keep(self.process(thread), folder);
        }
    }

    pub fn fork(&mut self, parent: u32, child: u32, is_thread: bool) {
        let process = self.process(parent);
        if is_thread {
            if self.processes.len() >= PROCESSES_MAX {
                self.processes.clear();
            }
            self.processes.insert(child, process);
            return;
        }
        match self.folders.get(&process).cloned() {
            Some(folder) => self.keep(child, folder),
            None => {
                self.folders.remove(&child);
            }
        }
    }

    pub fn exit(&mut self, thread: u32) {
        let left = self.paths.remove(&thread).map_or(0, |paths| paths.len());
        self.paths_count = self.paths_count.saturating_sub(left);
        if self.processes.remove(&thread).is_none() {
            self.folders.remove(&thread);
        }
    }

    fn process(&self, thread: u32) -> u32 {
        self.processes.get(&thread).copied().unwrap_or(thread)
    }

    fn keep(&mut self, process: u32, folder: Folder) {
        if self.folders.len() >= PROCESSES_MAX {
            self.folders.clear();
        }
        self.folders.insert(process, folder);
    }
}

/// A folder as the kernel calls it.
fn resolved(path: &str) -> Folder {
    Folder {
        path: path.into(),
        is_resolved: true,
    }
}
