//! What is a thread blocked in now? The system call that it is in and its file, or else the function of the kernel in which it waits.

use std::collections::HashMap;
use std::fs::File;
use std::path::Path;

use foldhash::fast::RandomState;
use plumb_model::trace::events::{Activity, CallClass};

use crate::calls::activity::{file_call, of_descriptor, waiting_call};
use crate::calls::file_names::is_file_name;
use crate::calls::table::{Action, SystemCall, system_call};
use crate::event_sink::EventSink;
use crate::system::kernel_files::{below_root, full_text, read_at, text};
use crate::system::opened_files::{name_of_descriptor, working_folder};
use crate::system::tracepoints::numbers;

/// Files that are kept by name; then numbers start over with other ones.
const FILES_MAX: usize = 65_536;
/// Bytes of a path.
const PATH_MAX: usize = 4096;
/// Flags of an open file with which each write is durable: O_DSYNC, which O_SYNC contains.
const O_DSYNC: u64 = 0o10_000;

/// What a thread is blocked in, and the file of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Waits {
    pub activity: Activity,
    pub file: Option<u64>,
}

/// What a thread does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    /// On a CPU, or waiting for one.
    Running,
    Blocked(Waits),
    Ended,
}

/// Looks up threads, and numbers files by their names.
pub(crate) struct Lookup {
    calls: HashMap<i64, &'static str, RandomState>,
    files: HashMap<String, u64, RandomState>,
    next_file: u64,
}

/// A system call with its arguments, as `/proc/PID/task/TID/syscall` has it.
struct Entered {
    number: i64,
    arguments: [u64; 6],
}

fn entered(text: &str) -> Option<Entered> {
    let mut words = text.split_ascii_whitespace();
    let number = words.next()?.parse().ok()?;
    let mut arguments = [0; 6];
    for argument in &mut arguments {
        let word = words.next()?;
        *argument = u64::from_str_radix(word.strip_prefix("0x")?, 16).ok()?;
    }
    Some(Entered { number, arguments })
}

fn blocked(activity: Activity) -> State {
    State::Blocked(Waits {
        activity,
        file: None,
    })
}

impl Lookup {
    pub fn new() -> Lookup {
        Lookup {
            calls: numbers().collect(),
            files: HashMap::default(),
            next_file: 0,
        }
    }

    /// What the thread does now. `call` is its file `syscall`, open: to find it each time takes several times as long as to read it.
    pub fn state(
        &mut self,
        (process, thread): (u32, u32),
        call: Option<&File>,
        event_sink: &mut EventSink<'_>,
    ) -> State {
        let folder = || format!("proc/{process}/task/{thread}");
        let mut bytes = [0; 256];
        let read = match call {
            Some(file) => read_at(file, &mut bytes, 0),
            None => Err(std::io::ErrorKind::PermissionDenied.into()),
        };
        let text = match read {
            Ok(0) => return State::Ended,
            Ok(length) => std::str::from_utf8(bytes.get(..length).unwrap_or_default()),
            Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => {
                return by_function(&folder());
            }
            Err(_) => return State::Ended,
        };
        match text {
            Ok(text) if text.starts_with("running") => by_state(&folder()),
            // Outside of a call: a page of its own.
            Ok(text) if text.starts_with("-1") => blocked(Activity::Fault),
            Ok(text) => match entered(text) {
                Some(entered) => State::Blocked(self.in_call(process, &entered, event_sink)),
                None => blocked(Activity::Other),
            },
            Err(_) => blocked(Activity::Other),
        }
    }

    fn in_call(&mut self, process: u32, of: &Entered, event_sink: &mut EventSink<'_>) -> Waits {
        let of_no_file = |activity| Waits {
            activity,
            file: None,
        };
        let Some(name) = self.calls.get(&of.number).copied() else {
            return of_no_file(Activity::Other);
        };
        let Some(call) = system_call(name.as_bytes()) else {
            let activity = match waiting_call(name) {
                Some(Activity::Event) => event(process, name, of),
                of => of.unwrap_or(Activity::Other),
            };
            return of_no_file(activity);
        };
        match call.action {
            Action::Transfer { file, .. } => self.transfer(process, call, of, file, event_sink),
            Action::OfFile(file) => {
                let found = name_at(process, of, file).filter(|name| is_file_name(name));
                self.on(call, found.as_deref(), event_sink)
            }
            Action::Close | Action::Seek | Action::Stat { .. } => {
                let found = name_at(process, of, 0).filter(|name| is_file_name(name));
                self.on(call, found.as_deref(), event_sink)
            }
            Action::Open { .. } | Action::OfPath => {
                let found = path_of(process, name, of);
                self.on(call, found.as_deref(), event_sink)
            }
            Action::Clone(_) => of_no_file(Activity::Child),
            Action::Ring | Action::Submit => of_no_file(Activity::Requests),
            _ => of_no_file(waiting_call(name).unwrap_or(match call.class {
                Some(CallClass::Metadata) => Activity::Metadata,
                _ => Activity::Other,
            })),
        }
    }

    fn transfer(
        &mut self,
        process: u32,
        call: &SystemCall,
        of: &Entered,
        file: usize,
        event_sink: &mut EventSink<'_>,
    ) -> Waits {
        let found = name_at(process, of, file);
        match found.as_deref() {
            Some(name) if is_file_name(name) => {
                let waits = self.on(call, Some(name), event_sink);
                match waits.activity {
                    Activity::Write if is_synchronous(process, of, file) => Waits {
                        activity: Activity::SyncWrite,
                        ..waits
                    },
                    _ => waits,
                }
            }
            Some(name) => Waits {
                activity: of_descriptor(name).unwrap_or(Activity::Other),
                file: None,
            },
            None => self.on(call, None, event_sink),
        }
    }

    /// In this call on the file of this name.
    fn on(
        &mut self,
        call: &SystemCall,
        name: Option<&str>,
        event_sink: &mut EventSink<'_>,
    ) -> Waits {
        let class = call.class.unwrap_or(CallClass::Metadata);
        Waits {
            activity: file_call(call.name, class, false),
            file: name.map(|name| self.file(name, event_sink)),
        }
    }

    fn file(&mut self, name: &str, event_sink: &mut EventSink<'_>) -> u64 {
        if let Some(known) = self.files.get(name) {
            return *known;
        }
        if self.files.len() >= FILES_MAX {
            self.files.clear();
        }
        let number = self.next_file;
        self.next_file += 1;
        event_sink.name(number, name);
        self.files.insert(name.to_string(), number);
        number
    }
}

/// Of descriptors that are waited for at once, so many are looked up.
const DESCRIPTORS_MAX: u64 = 64;

/// What a thread waits for in poll or epoll_wait: for a socket where one is among its descriptors, else for a pipe where only those are.
fn event(process: u32, name: &str, of: &Entered) -> Activity {
    let [first, second, ..] = of.arguments;
    let descriptors: Vec<i64> = match name {
        "poll" | "ppoll" => {
            let mut bytes = [0; DESCRIPTORS_MAX as usize * 8];
            let length = second.min(DESCRIPTORS_MAX) as usize * 8;
            let read = bytes
                .get_mut(..length)
                .and_then(|entries| memory(process, first, entries));
            let descriptor = |entry: &[u8]| {
                Some(i64::from(i32::from_ne_bytes(
                    entry.get(..4)?.try_into().ok()?,
                )))
            };
            let entries = bytes.get(..read.unwrap_or(0)).unwrap_or_default();
            entries.chunks_exact(8).filter_map(descriptor).collect()
        }
        _ => {
            let reported = full_text(
                Path::new("/"),
                &format!("proc/{process}/fdinfo/{}", first as u32),
            );
            let reported = reported.unwrap_or_default();
            let watched = reported
                .lines()
                .filter_map(|line| line.strip_prefix("tfd:"));
            let number = |text: &str| text.split_ascii_whitespace().next()?.parse().ok();
            watched
                .filter_map(number)
                .take(DESCRIPTORS_MAX as usize)
                .collect()
        }
    };
    let names = descriptors
        .iter()
        .filter_map(|of| name_of_descriptor(process, *of));
    let kinds: Vec<Activity> = names.filter_map(|name| of_descriptor(&name)).collect();
    match () {
        () if kinds.contains(&Activity::Socket) => Activity::Socket,
        () if !kinds.is_empty() && kinds.iter().all(|kind| *kind == Activity::Pipe) => {
            Activity::Pipe
        }
        () => Activity::Event,
    }
}

/// Reads memory of a process; how many bytes, or `None` where it may not be read.
fn memory(process: u32, address: u64, bytes: &mut [u8]) -> Option<usize> {
    let memory = below_root(Path::new("/"), &format!("proc/{process}/mem")).ok()?;
    read_at(&File::open(memory).ok()?, bytes, address).ok()
}

/// The name of the file with the descriptor at an argument.
fn name_at(process: u32, of: &Entered, argument: usize) -> Option<String> {
    let word = *of.arguments.get(argument)?;
    name_of_descriptor(process, i64::from(word as u32 as i32))
}

/// Whether each write to the file with the descriptor at an argument is durable.
fn is_synchronous(process: u32, of: &Entered, argument: usize) -> bool {
    let word = of.arguments.get(argument).copied().unwrap_or(0) as u32;
    let reported = full_text(Path::new("/"), &format!("proc/{process}/fdinfo/{word}"));
    let reported = reported.unwrap_or_default();
    let flags = reported
        .lines()
        .find_map(|line| line.strip_prefix("flags:"));
    let flags = flags.and_then(|text| u64::from_str_radix(text.trim(), 8).ok());
    flags.is_some_and(|flags| flags & O_DSYNC != 0)
}

/// The path of a call by path, from the memory of the program; the folder from which it goes, where that cannot be read.
fn path_of(process: u32, name: &str, of: &Entered) -> Option<String> {
    let by_descriptor = name.contains("at") && !matches!(name, "stat" | "statfs" | "lstat");
    let [first, second, ..] = of.arguments;
    let address = if by_descriptor { second } else { first };
    let path = path_at(process, address);
    if let Some(path) = path.as_deref().filter(|path| path.starts_with('/')) {
        return Some(path.to_string());
    }
    let folder = match first as u32 as i32 {
        descriptor if by_descriptor && descriptor >= 0 => {
            name_of_descriptor(process, i64::from(descriptor))
        }
        _ => working_folder(process),
    };
    Some(format!("{}/{}", folder?, path.unwrap_or_default()))
}

fn path_at(process: u32, address: u64) -> Option<String> {
    let mut bytes = [0; PATH_MAX];
    // Up to the end of a page: the next one may not be there.
    let room = PATH_MAX - (address as usize % PATH_MAX);
    let mut length = memory(process, address, bytes.get_mut(..room)?)?;
    if !bytes.get(..length)?.contains(&0) && length == room {
        length += memory(process, address + length as u64, bytes.get_mut(length..)?).unwrap_or(0);
    }
    let end = bytes.get(..length)?.iter().position(|byte| *byte == 0)?;
    String::from_utf8(bytes.get(..end)?.to_vec()).ok()
}

/// Whether a thread that is in no call now runs, or has ended.
fn by_state(folder: &str) -> State {
    let Ok(stat) = text(Path::new("/"), &format!("{folder}/stat")) else {
        return State::Ended;
    };
    let state = stat
        .rsplit_once(") ")
        .and_then(|(_, rest)| rest.chars().next());
    match state {
        Some('Z' | 'X') | None => State::Ended,
        _ => State::Running,
    }
}

/// By the function of the kernel in which a thread waits: for a program whose calls this user may not see.
fn by_function(folder: &str) -> State {
    let function = text(Path::new("/"), &format!("{folder}/wchan")).unwrap_or_default();
    match function.as_str() {
        "" | "0" => by_state(folder),
        function => blocked(in_function(function)),
    }
}

/// What the functions of the kernel in which threads sleep wait for, by the beginnings of their names.
fn in_function(function: &str) -> Activity {
    let known: [(&[&str], Activity); 9] = [
        (&["futex", "flock", "locks_lock"], Activity::Lock),
        (
            &["hrtimer_nanosleep", "do_nanosleep", "common_nsleep"],
            Activity::Sleep,
        ),
        (
            &["do_wait", "kernel_wait", "wait_for_vfork"],
            Activity::Child,
        ),
        (
            &["pipe_", "anon_pipe", "n_tty", "wait_woken", "tty_"],
            Activity::Pipe,
        ),
        (
            &[
                "ep_poll",
                "do_epoll",
                "poll_schedule",
                "do_sys_poll",
                "do_select",
                "do_poll",
                "sigsuspend",
                "do_sigtimedwait",
            ],
            Activity::Event,
        ),
        (
            &["sk_wait", "inet_", "tcp_", "unix_", "skb_", "__skb", "udp_"],
            Activity::Socket,
        ),
        (
            &["io_cqring_wait", "read_events", "io_getevents"],
            Activity::Requests,
        ),
        (
            &[
                "jbd2_log_wait",
                "ext4_sync",
                "xfs_log_force",
                "btrfs_sync",
                "file_write_and_wait",
                "filemap_fdatawait",
                "__filemap_fdatawait",
            ],
            Activity::Flush,
        ),
        (
            &[
                "folio_wait",
                "filemap",
                "io_schedule",
                "blk_",
                "bio_",
                "submit_bio",
                "request_wait_answer",
                "nfs",
                "rpc_wait",
                "cifs",
                "wait_for_response",
                "wait_on_page",
                "__wait_on_buffer",
                "bit_wait_io",
            ],
            Activity::Read,
        ),
    ];
    let begins = |names: &[&str]| names.iter().any(|name| function.starts_with(name));
    known
        .iter()
        .find(|(names, _)| begins(names))
        .map_or(Activity::Other, |(_, activity)| *activity)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_read_as_the_kernel_writes_it() {
        let text = "17 0x3 0x7f0 0x1000 0xffffffffffffffff 0x0 0x0 0x7ffe 0x7f12\n";
        let of = entered(text).unwrap();
        assert_eq!(
            (of.number, of.arguments[0], of.arguments[3]),
            (17, 3, u64::MAX)
        );
        for text in ["running\n", "", "17 0x3", "x 0x1 0x1 0x1 0x1 0x1 0x1"] {
            assert!(entered(text).is_none(), "{text}");
        }
    }

    #[test]
    fn functions_of_the_kernel_are_known_by_their_beginnings() {
        for (function, activity) in [
            ("futex_wait_queue", Activity::Lock),
            ("do_wait", Activity::Child),
            ("anon_pipe_read", Activity::Pipe),
            ("folio_wait_bit_common", Activity::Read),
            ("jbd2_log_wait_commit", Activity::Flush),
            ("something_new", Activity::Other),
        ] {
            assert_eq!(in_function(function), activity, "{function}");
        }
    }
}
