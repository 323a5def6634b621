//! What have processes done? Operations, bytes and CPU time of each, of plumb itself, and of a program with what it started.

use std::collections::BTreeSet;
use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};

use windows_sys::Win32::Foundation::{FILETIME, HANDLE, INVALID_HANDLE_VALUE, WAIT_OBJECT_0};
use windows_sys::Win32::System::Diagnostics::ToolHelp::{
    CreateToolhelp32Snapshot, PROCESSENTRY32W, Process32FirstW, Process32NextW, TH32CS_SNAPPROCESS,
};
use windows_sys::Win32::System::ProcessStatus::{K32GetProcessMemoryInfo, PROCESS_MEMORY_COUNTERS};
use windows_sys::Win32::System::Threading::{
    GetCurrentProcess, GetCurrentThread, GetProcessIoCounters, GetProcessTimes, GetThreadTimes,
    IO_COUNTERS, OpenProcess, PROCESS_NAME_WIN32, PROCESS_QUERY_LIMITED_INFORMATION,
    PROCESS_SYNCHRONIZE, QueryFullProcessImageNameW, WaitForSingleObject,
};

use crate::system::program_counts::counts::{OwnCounts, ProgramCounts};

/// Processes of one program that are read at most; beyond, nothing is reported of it, since a part would look like the whole.
const PROCESSES_MAX: usize = 4096;

/// A FILETIME of a duration or a moment, in nanoseconds: units of 100 ns.
fn ns(time: FILETIME) -> u64 {
    100 * (u64::from(time.dwHighDateTime) << 32 | u64::from(time.dwLowDateTime))
}

/// When a process or thread began, and its CPU time in kernel and user mode.
#[derive(Clone, Copy)]
struct Times {
    begun_ns: u64,
    system_ns: u64,
    user_ns: u64,
}

fn process_times(process: HANDLE) -> Option<Times> {
    let [mut begun, mut ended, mut system, mut user] = [FILETIME::default(); 4];
    // SAFETY: the handle is open, and the four times live over the call.
    let done = unsafe { GetProcessTimes(process, &mut begun, &mut ended, &mut system, &mut user) };
    (done != 0).then(|| Times {
        begun_ns: ns(begun),
        system_ns: ns(system),
        user_ns: ns(user),
    })
}

fn own_thread_times() -> Option<Times> {
    let [mut begun, mut ended, mut system, mut user] = [FILETIME::default(); 4];
    // SAFETY: the handle of the thread that asks is always open, and the four times live over the call.
    let done = unsafe {
        GetThreadTimes(
            GetCurrentThread(),
            &mut begun,
            &mut ended,
            &mut system,
            &mut user,
        )
    };
    (done != 0).then(|| Times {
        begun_ns: ns(begun),
        system_ns: ns(system),
        user_ns: ns(user),
    })
}

/// The handle of this process, which needs no closing.
fn own() -> HANDLE {
    // SAFETY: it has no arguments and cannot fail.
    unsafe { GetCurrentProcess() }
}

/// CPU time in user and kernel mode, in nanoseconds, of all threads of this process but the one that asks.
pub(crate) fn cpu_of_other_threads() -> Option<(u64, u64)> {
    // The part first: what is spent between the two calls is counted for the others, not taken from them.
    let (part, all) = (own_thread_times()?, process_times(own())?);
    Some((
        all.user_ns.saturating_sub(part.user_ns),
        all.system_ns.saturating_sub(part.system_ns),
    ))
}

/// CPU time of this process in nanoseconds, all threads, ended ones included.
pub(crate) fn process_cpu_ns() -> Option<u64> {
    process_times(own()).map(|times| times.user_ns + times.system_ns)
}

/// What this process has done.
pub(crate) fn own_counts() -> OwnCounts {
    let times = process_times(own());
    let length = size_of::<PROCESS_MEMORY_COUNTERS>() as u32;
    let mut memory = PROCESS_MEMORY_COUNTERS {
        cb: length,
        ..PROCESS_MEMORY_COUNTERS::default()
    };
    // SAFETY: the handle is open, and the counters are as long as is said.
    let is_reported = unsafe { K32GetProcessMemoryInfo(own(), &mut memory, length) } != 0;
    OwnCounts {
        io: counts(own()),
        user_ns: times.map(|times| times.user_ns),
        system_ns: times.map(|times| times.system_ns),
        resident_bytes: is_reported.then_some(memory.WorkingSetSize as u64),
    }
}

/// Operations of all kinds of handles: files, devices, pipes, sockets (IO_COUNTERS of winnt.h).
fn counts(process: HANDLE) -> Option<ProgramCounts> {
    let mut io = IO_COUNTERS::default();
    // SAFETY: the handle is open, and the counters live over the call.
    if unsafe { GetProcessIoCounters(process, &mut io) } == 0 {
        return None;
    }
    let times = process_times(process)?;
    Some(ProgramCounts {
        read_calls: io.ReadOperationCount,
        write_calls: io.WriteOperationCount,
        read_bytes: io.ReadTransferCount,
        write_bytes: io.WriteTransferCount,
        cpu_ns: times.user_ns + times.system_ns,
    })
}

fn open(process: u32) -> Option<OwnedHandle> {
    let access = PROCESS_QUERY_LIMITED_INFORMATION | PROCESS_SYNCHRONIZE;
    // SAFETY: it takes any number; what it returns is a handle of our own, or nothing.
    unsafe {
        let handle = OpenProcess(access, 0, process);
        (!handle.is_null()).then(|| OwnedHandle::from_raw_handle(handle))
    }
}

/// Name of the program that a process runs: `robocopy.exe`.
pub(crate) fn process_name(process: u32) -> Option<String> {
    let handle = open(process)?;
    let mut path = vec![0u16; 32 * 1024];
    let mut length = path.len() as u32;
    // SAFETY: the handle is open, and the buffer is as long as is said.
    let done = unsafe {
        QueryFullProcessImageNameW(
            handle.as_raw_handle(),
            PROCESS_NAME_WIN32,
            path.as_mut_ptr(),
            &mut length,
        )
    };
    let path = String::from_utf16_lossy(path.get(..length as usize)?);
    (done != 0).then(|| path.rsplit('\\').next().unwrap_or_default().to_owned())
}

/// All processes with the numbers of their parents. A parent may have ended, and its number be another's.
fn parents() -> Vec<(u32, u32)> {
    let mut found = Vec::new();
    let mut entry = PROCESSENTRY32W {
        dwSize: size_of::<PROCESSENTRY32W>() as u32,
        ..PROCESSENTRY32W::default()
    };
    // SAFETY: the snapshot is a handle of our own, closed as it goes, and the entry says how long it is.
    unsafe {
        let snapshot = CreateToolhelp32Snapshot(TH32CS_SNAPPROCESS, 0);
        if snapshot == INVALID_HANDLE_VALUE {
            return found;
        }
        let snapshot = OwnedHandle::from_raw_handle(snapshot);
        let mut more = Process32FirstW(snapshot.as_raw_handle(), &mut entry) != 0;
        while more {
            found.push((entry.th32ProcessID, entry.th32ParentProcessID));
            more = Process32NextW(snapshot.as_raw_handle(), &mut entry) != 0;
        }
    }
    found
}

/// A process that is kept open, so that its number stays its own and its counts can be read after its end.
struct Process {
    number: u32,
    handle: OwnedHandle,
    begun_ns: u64,
}

impl Process {
    fn open(number: u32) -> Option<Process> {
        let handle = open(number)?;
        let begun_ns = process_times(handle.as_raw_handle())?.begun_ns;
        Some(Process {
            number,
            handle,
            begun_ns,
        })
    }

    fn has_ended(&self) -> bool {
        // SAFETY: the handle is open, and nothing is waited for.
        unsafe { WaitForSingleObject(self.handle.as_raw_handle(), 0) == WAIT_OBJECT_0 }
    }
}

/// A program: a process, what it starts, and what these start. Windows adds the counts of an ended child to nobody's: those of each that was seen once are kept.
/// One that begins and ends between two readings is not seen.
pub(crate) struct ProcessTree {
    first: u32,
    /// The first process first.
    seen: Vec<Process>,
    /// The program had ended at the last reading.
    has_ended: bool,
}

impl ProcessTree {
    pub fn of(first: u32) -> ProcessTree {
        ProcessTree {
            first,
            seen: Vec::new(),
            has_ended: false,
        }
    }

    /// What all of them have done so far; once more after the end of the first, and then missing. Missing also of more processes than may be read.
    pub fn counts(&mut self) -> Option<ProgramCounts> {
        if self.has_ended {
            return None;
        }
        if self.seen.is_empty() {
            let first = Process::open(self.first)?;
            if first.has_ended() {
                return None;
            }
            self.seen.push(first);
        }
        self.has_ended = self.seen.first().is_some_and(Process::has_ended);
        self.find_children();
        if self.seen.len() > PROCESSES_MAX {
            return None;
        }
        let mut sum = ProgramCounts::default();
        for process in &self.seen {
            sum.add(&counts(process.handle.as_raw_handle())?);
        }
        Some(sum)
    }

    /// Children of children come before their own in no order: it is looked until no more are found.
    fn find_children(&mut self) {
        let parents = parents();
        let mut known: BTreeSet<u32> = self.seen.iter().map(|process| process.number).collect();
        loop {
            let before = self.seen.len();
            for (number, parent) in &parents {
                let of_parent = self.seen.iter().find(|process| process.number == *parent);
                let (Some(parent), false) = (of_parent, known.contains(number)) else {
                    continue;
                };
                let begun_ns = parent.begun_ns;
                // One that is older than its parent is the child of another that had this number.
                if let Some(child) = Process::open(*number)
                    && child.begun_ns >= begun_ns
                    && self.seen.len() <= PROCESSES_MAX
                {
                    known.insert(*number);
                    self.seen.push(child);
                }
            }
            if self.seen.len() == before {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::process::{Child, Command, Stdio};

    /// The command interpreter, which waits for what it is to do.
    fn waiting() -> Child {
        let mut command = Command::new("cmd.exe");
        command.stdin(Stdio::piped()).stdout(Stdio::null());
        command.spawn().unwrap()
    }

    fn end(child: &mut Child) {
        child.stdin.take().unwrap().write_all(b"exit\r\n").unwrap();
        child.wait().unwrap();
    }

    #[test]
    fn a_program_is_told_once_more_after_its_end_and_then_missing() {
        let mut child = waiting();
        let mut tree = ProcessTree::of(child.id());
        assert_eq!(process_name(child.id()).as_deref(), Some("cmd.exe"));
        let runs = tree.counts().expect("it runs");
        end(&mut child);
        let ended = tree.counts().expect("its counts are kept");
        assert!(
            ended.cpu_ns >= runs.cpu_ns && ended.read_calls >= runs.read_calls,
            "{runs:?} {ended:?}"
        );
        assert_eq!(tree.counts(), None);
        assert_eq!(ProcessTree::of(child.id()).counts(), None);
    }

    #[test]
    fn children_belong_to_their_program_also_after_their_end() {
        let mut tree = ProcessTree::of(std::process::id());
        let mut child = waiting();
        tree.counts().expect("this process runs");
        let has = |tree: &ProcessTree, number| tree.seen.iter().any(|of| of.number == number);
        assert!(has(&tree, child.id()));
        end(&mut child);
        tree.counts().expect("this process runs");
        assert!(has(&tree, child.id()));
    }

    #[test]
    fn work_of_this_process_is_counted() {
        let (before, cpu_before) = (own_counts(), process_cpu_ns().unwrap());
        let mut sum = 0u64;
        // The clock of CPU times has steps of 15.6 ms.
        while process_cpu_ns().unwrap() < cpu_before + 50_000_000 {
            sum = std::hint::black_box(sum + 1);
        }
        let after = own_counts();
        assert!(after.user_ns.unwrap() + after.system_ns.unwrap() >= cpu_before + 50_000_000);
        assert!(before.io.is_some() && after.resident_bytes.unwrap() > 0);
        assert!(cpu_of_other_threads().is_some());
    }
}
