//! Which calls does a program make while it runs? Records of kernel tracepoints, ordered by time, become trace events.

mod following;
mod opened_names;
#[cfg(test)]
mod tests;
mod thread_times;

use std::io;
use std::path::Path;

use plumb_model::trace::facts::TraceFacts;
use plumb_model::trace::receiver::TraceReceiver;

use crate::observer::own_cpu_ns;
use crate::system::mounts::mounts;
use crate::system::opened_files::{is_32_bit, name_of_descriptor, opened_files, working_folder};
use crate::system::tracepoints::records::Record;
use crate::system::tracepoints::{self, Tracepoints, clock_ns};

use following::{Following, Look};

/// Records are written shortly after their timestamp: recent ones wait for the next poll.
const SETTLED_NS: u64 = 2_000_000;

/// Why no running program can be traced on this system, and an alternative; nothing if it can.
pub fn not_on_this_system() -> Option<&'static str> {
    tracepoints::NOT_HERE
}

/// The kernel's tracepoints, opened for a program to be started or a running process: records are kept from now on.
pub struct CallPoints {
    points: Tracepoints,
    process: Option<u32>,
}

impl CallPoints {
    /// For the programs that the calling thread starts from now on, and what they start.
    ///
    /// # Errors
    /// The kernel has no tracepoints, or this user may not use them.
    pub fn of_started_programs() -> io::Result<CallPoints> {
        Ok(CallPoints {
            points: Tracepoints::of_started_programs()?,
            process: None,
        })
    }

    /// For a process that runs, with all its threads, and what it starts.
    ///
    /// # Errors
    /// The same, or there is no such process.
    pub fn of_process(process: u32) -> io::Result<CallPoints> {
        Ok(CallPoints {
            points: Tracepoints::of_process(process)?,
            process: Some(process),
        })
    }
}

/// Names the file systems that programs on this machine see: mount point, type, and device or server.
pub fn name_mounts(take: &mut dyn FnMut(&str, &str, &str)) {
    for mount in mounts(Path::new("/")).unwrap_or_default() {
        take(&mount.point, &mount.file_system, &mount.source);
    }
}

/// Calls that are traced while they run.
pub struct LiveCalls<'a> {
    points: Tracepoints,
    following: Following<'a>,
    /// Read and not yet reported, ordered by time.
    records: Vec<Record>,
    cpu_ns_before: Option<u64>,
}

impl<'a> LiveCalls<'a> {
    /// Follows what the tracepoints record.
    pub fn of(opened: CallPoints, receiver: &'a mut dyn TraceReceiver) -> LiveCalls<'a> {
        let CallPoints { points, process } = opened;
        let (at_ns, unix_ns) = clock_ns();
        let since_1970_ns = unix_ns.saturating_sub(at_ns);
        let mut following = Following::new(receiver, since_1970_ns, points.shows_requests());
        match process {
            None => {
                let folder = std::env::current_dir().ok();
                following.begin_in(folder.as_ref().and_then(|folder| folder.to_str()));
            }
            Some(process) => {
                let threads = points.threads();
                let folder = working_folder(process);
                let opened = opened_files(process);
                let (begin_ns, _) = clock_ns();
                // The same after the begin as before, so that no change of it is missed or counted twice.
                let is_same = working_folder(process) == folder;
                let folder = folder.filter(|_| is_same);
                following.adopt(threads, &opened, begin_ns);
                following.adopt_folder(process, threads, folder.as_deref());
                if is_32_bit(process) == Some(true) {
                    following.adopt_32_bit(threads);
                }
            }
        }
        following.names_at_open(points.shows_paths());
        name_mounts(&mut |point, file_system, source| {
            following.mount(point, file_system, source);
        });
        LiveCalls {
            following,
            points,
            records: Vec::new(),
            cpu_ns_before: own_cpu_ns(),
        }
    }

    /// Takes what was recorded since the last look. To be called often: what is recorded meanwhile must find room, and names of files are looked up while they are open.
    pub fn look(&mut self) {
        let (now_ns, _) = clock_ns();
        self.tell(now_ns.saturating_sub(SETTLED_NS));
    }

    /// The program has ended, or is followed no more.
    pub fn end(mut self) -> TraceFacts {
        let (now_ns, _) = clock_ns();
        self.tell(u64::MAX);
        let mut facts = self.following.end(now_ns);
        let cpu_ns = own_cpu_ns().zip(self.cpu_ns_before);
        facts.cpu_ns = cpu_ns.map(|(after, before)| after.saturating_sub(before));
        facts
    }

    /// Reports the records up to a time, in its order.
    fn tell(&mut self, until_ns: u64) {
        self.read();
        let is_ready = |record: &Record| record.at_ns().is_none_or(|at_ns| at_ns <= until_ns);
        let ready = self.records.partition_point(is_ready);
        let mut look = Look::default();
        for record in &self.records[..ready] {
            if let Some((thread, descriptor)) = self.following.asks_for_name(record) {
                look.ask(record, name_of_descriptor(thread, descriptor));
            }
        }
        // What was closed until the names were looked up is in the records by now.
        self.read();
        for record in &self.records {
            self.following.note_ends(record, &mut look);
        }
        for record in self.records.drain(..ready) {
            self.following.take(record, &look);
        }
    }

    /// Appends what was recorded to the records that wait.
    fn read(&mut self) {
        let mut paths = Vec::new();
        self.points.drain_paths(&mut |path| paths.push(path));
        let (records, following) = (&mut self.records, &mut self.following);
        self.points.drain(&mut |record| match record {
            Record::Lost(count) => following.lost(count),
            record => records.push(record),
        });
        // Of each processor they come in the order of time: this is quick.
        records.sort_by_key(Record::at_ns);
        following.take_paths(paths, records);
    }
}
