//! What does a system call do, given the earlier calls of its process? Which file and position it uses, and what is open afterwards.

mod adopted;

use std::collections::HashMap;

use plumb_model::trace::events::{Answered, Call, Status};

use super::arguments::Arguments;
use super::descriptors::{Descriptors, Opened, complete};
use super::file_names::{is_file_name, is_terminal};
use super::open_flags::OpenFlags;
use super::table::{Action, Offset, Size, SystemCall};
use crate::event_sink::EventSink;

/// Most threads that are tracked.
const THREADS_MAX: usize = 65_536;
/// Flags of clone(2), open(2) and others, with the values of all Linux architectures.
const CLONE_FILES: u64 = 0x400;
const FD_CLOEXEC: u64 = 1;
const AT_EMPTY_PATH: u64 = 0x1000;
/// O_DSYNC, which O_SYNC includes.
const O_DSYNC: u64 = 0o10_000;
const CLOSE_RANGE_CLOEXEC: u64 = 4;
const PROT_EXEC: u64 = 4;
const MAP_DENYWRITE: u64 = 0x800;
/// Commands of fcntl(2).
const F_DUPFD: i64 = 0;
const F_SETFD: i64 = 2;
const F_DUPFD_CLOEXEC: i64 = 1030;
/// lseek(2) of a pipe, socket or terminal.
const ESPIPE: u32 = 29;
/// Smaller mappings are those of libraries, locales and similar.
const MAPPED_BYTES_MIN: i64 = 1 << 20;

#[derive(Debug, Clone, Copy)]
struct Thread {
    table: u64,
    lane: u32,
}

/// A call that has begun.
#[derive(Debug, Clone, Copy)]
pub struct Begun {
    pub system_call: &'static SystemCall,
    /// The call's event; missing if it is not file I/O.
    pub call: Option<Call>,
    /// The open file whose position advances by the transferred bytes.
    moves: Option<u64>,
}

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Ended {
    /// With this result.
    Well(i64),
    /// With an error.
    Badly(Status),
    /// The trace does not show it.
    Unknown,
}

/// Threads with their open files.
#[derive(Default)]
pub struct Processes {
    threads: HashMap<u32, Thread>,
    pub descriptors: Descriptors,
    flags: OpenFlags,
    next_lane: u32,
}

impl Processes {
    pub fn is_known(&self, thread: u32) -> bool {
        self.threads.contains_key(&thread)
    }

    fn thread(&mut self, thread: u32, event_sink: &mut EventSink<'_>) -> Thread {
        if let Some(known) = self.threads.get(&thread) {
            return *known;
        }
        let table = self.descriptors.new_table();
        self.add(thread, table, event_sink)
    }

    fn add(&mut self, thread: u32, table: u64, event_sink: &mut EventSink<'_>) -> Thread {
        // A damaged trace may contain any number of threads; start over.
        if self.threads.len() >= THREADS_MAX {
            self.threads.clear();
        }
        let lane = self.next_lane;
        self.next_lane = self.next_lane.saturating_add(1);
        event_sink.name_lane(lane, &thread.to_string());
        let added = Thread { table, lane };
        self.threads.insert(thread, added);
        added
    }

    /// A thread created another, with the same descriptors (a thread of the same process) or copies of them.
    pub fn fork(&mut self, parent: u32, child: u32, shares: bool, event_sink: &mut EventSink<'_>) {
        if self.is_known(child) {
            return;
        }
        let of_parent = self.thread(parent, event_sink).table;
        let table = match shares {
            true => {
                self.descriptors.share_table(of_parent);
                of_parent
            }
            false => self.descriptors.copy_table(of_parent),
        };
        self.add(child, table, event_sink);
    }

    /// The lane of a thread.
    pub fn lane(&mut self, thread: u32, event_sink: &mut EventSink<'_>) -> u32 {
        self.thread(thread, event_sink).lane
    }

    /// A thread ended.
    pub fn exit(&mut self, thread: u32) {
        if let Some(ended) = self.threads.remove(&thread) {
            self.descriptors.leave_table(ended.table);
        }
    }

    /// The file of a descriptor; if it was open before the trace began, it is known from now on.
    fn file(
        &mut self,
        table: u64,
        at: usize,
        arguments: &impl Arguments,
        event_sink: &mut EventSink<'_>,
    ) -> Option<u64> {
        let descriptor = arguments.number(at).filter(|number| *number >= 0)?;
        if let Some(known) = self.descriptors.file(table, descriptor) {
            return Some(known);
        }
        let name = arguments.descriptor_name(at);
        let is_file = name
            .as_deref()
            .map_or_else(|| arguments.takes_for_file(descriptor), is_file_name);
        let file = self.descriptors.next_file();
        let opened = Opened {
            is_file,
            is_certain: name.is_some(),
            name: name.as_deref().and_then(complete),
            ..Opened::default()
        };
        self.descriptors
            .open(table, descriptor, file, opened, false);
        match name {
            Some(name) if is_file => event_sink.name(file, &name),
            None if is_file => event_sink.facts.unnamed_files += 1,
            _ => {}
        }
        Some(file)
    }

    /// A call begins.
    pub fn begin(
        &mut self,
        thread: u32,
        at_ns: u64,
        system_call: &'static SystemCall,
        arguments: &impl Arguments,
        event_sink: &mut EventSink<'_>,
    ) -> Begun {
        let Thread { table, lane } = self.thread(thread, event_sink);
        let mut begun = Begun {
            system_call,
            call: None,
            moves: None,
        };
        let Some(class) = system_call.class else {
            event_sink.facts.not_shown.other_calls += 1;
            self.begin_other(system_call, arguments, event_sink);
            return begun;
        };
        let mut call = Call {
            name: system_call.name,
            class,
            at_ns,
            lane,
            file: None,
            offset: None,
            bytes: None,
            closes: false,
        };
        begun.moves = self.concerns(&mut call, table, system_call.action, arguments, event_sink);
        let is_file = match call.file.and_then(|file| self.descriptors.opened(file)) {
            Some(opened) => opened.is_file,
            None => true,
        };
        if system_call.action == Action::Close
            && let Some(file) = call.file
        {
            call.closes = self.descriptors.is_last(file);
            if let Some(descriptor) = arguments.number(0) {
                self.descriptors.close(table, descriptor);
            }
        }
        match is_file {
            true => begun.call = Some(call),
            false => event_sink.facts.not_shown.not_files += 1,
        }
        begun
    }

    /// Sets which file a call uses, and how; returns the file whose position it moves.
    fn concerns(
        &mut self,
        call: &mut Call,
        table: u64,
        action: Action,
        arguments: &impl Arguments,
        event_sink: &mut EventSink<'_>,
    ) -> Option<u64> {
        match action {
            Action::Transfer { file, size, offset } => {
                call.file = self.file(table, file, arguments, event_sink);
                call.bytes = match size {
                    Size::At(at) => arguments
                        .number(at)
                        .and_then(|bytes| u64::try_from(bytes).ok()),
                    Size::Vector(at) => arguments.vector_bytes(at),
                };
                let moves;
                (call.offset, moves) = self.offset(call.file, offset, arguments);
                return moves;
            }
            Action::Open { .. } => call.file = Some(self.descriptors.next_file()),
            Action::Close | Action::Seek => call.file = self.file(table, 0, arguments, event_sink),
            Action::OfFile(at) => call.file = self.file(table, at, arguments, event_sink),
            Action::Stat { flags, .. } => {
                let of_file =
                    flags.is_none_or(|at| arguments.has_flag(at, AT_EMPTY_PATH, "AT_EMPTY_PATH"));
                if of_file {
                    call.file = self.file(table, 0, arguments, event_sink);
                }
            }
            _ => {}
        }
        None
    }

    /// Counts signs of I/O that is not done by system calls.
    fn begin_other(
        &mut self,
        system_call: &SystemCall,
        arguments: &impl Arguments,
        event_sink: &mut EventSink<'_>,
    ) {
        let not_shown = &mut event_sink.facts.not_shown;
        match system_call.action {
            Action::Ring => not_shown.io_uring += 1,
            Action::Submit => not_shown.libaio += 1,
            Action::Map => {
                let is_large = arguments
                    .number(1)
                    .is_some_and(|bytes| bytes >= MAPPED_BYTES_MIN);
                // Like a descriptor: -1 without a file, as 32 or 64 bits.
                let of_program = arguments.has_flag(2, PROT_EXEC, "PROT_EXEC")
                    || arguments.has_flag(3, MAP_DENYWRITE, "MAP_DENYWRITE");
                if is_large
                    && !of_program
                    && arguments.number(4).is_some_and(|file| file as i32 >= 0)
                {
                    not_shown.mapped_files += 1;
                }
            }
            _ => {}
        }
    }

    /// The offset of a transfer, and the file whose position it moves.
    fn offset(
        &mut self,
        file: Option<u64>,
        offset: Offset,
        arguments: &impl Arguments,
    ) -> (Option<u64>, Option<u64>) {
        let reported = match offset {
            Offset::Position => None,
            Offset::At(at) => match arguments.number(at) {
                Some(-1) => None,
                reported => Some(reported),
            },
            Offset::Behind(at) => match arguments.number(at) {
                Some(0) => None,
                _ => Some(arguments.number_behind(at)),
            },
        };
        match reported {
            Some(reported) => (reported.and_then(|offset| u64::try_from(offset).ok()), None),
            None => {
                let opened = file.and_then(|file| self.descriptors.opened(file));
                (opened.and_then(|opened| opened.position), file)
            }
        }
    }

    /// The call has ended; returns its result event.
    pub fn end(
        &mut self,
        thread: u32,
        begun: &Begun,
        ended: Ended,
        at_ns: u64,
        arguments: &impl Arguments,
        event_sink: &mut EventSink<'_>,
    ) -> Option<Answered> {
        let Thread { table, .. } = self.thread(thread, event_sink);
        let mut moved_bytes = None;
        if let Ended::Well(result) = ended {
            match begun.system_call.action {
                Action::Transfer { .. } => {
                    moved_bytes = u64::try_from(result).ok();
                    let moves = begun.moves.and_then(|file| self.descriptors.opened(file));
                    if let Some(opened) = moves
                        && let Some(position) = &mut opened.position
                    {
                        *position = position.saturating_add(moved_bytes.unwrap_or(0));
                    }
                }
                Action::Open { path, flags } => {
                    self.opened(table, result, begun, (path, flags), arguments, event_sink);
                }
                _ => self.end_other(thread, table, begun, result, arguments, event_sink),
            }
        }
        if let (Action::Seek, Ended::Badly(status)) = (begun.system_call.action, ended)
            && let Some(file) = begun.call.and_then(|call| call.file)
            && let Some(opened) = self.descriptors.opened(file)
        {
            opened.is_file &= status.code != ESPIPE;
        }
        Some(Answered {
            call: begun.call?,
            at_ns,
            moved_bytes,
            status: match ended {
                Ended::Badly(status) => Some(status),
                _ => None,
            },
            round_trip_ns: None,
            was_pending: false,
        })
    }

    fn opened(
        &mut self,
        table: u64,
        descriptor: i64,
        begun: &Begun,
        (path, flags): (usize, Option<usize>),
        arguments: &impl Arguments,
        event_sink: &mut EventSink<'_>,
    ) {
        let Some(file) = begun.call.and_then(|call| call.file) else {
            return;
        };
        let has = |bits, name| flags.is_some_and(|at| arguments.has_flag(at, bits, name));
        let appends = has(self.flags.append, "O_APPEND");
        let closes_on_exec = has(self.flags.close_on_exec, "O_CLOEXEC");
        // The flags of openat2 stand behind an address.
        let is_synchronous = begun.system_call.name != "openat2"
            && (has(O_DSYNC, "O_DSYNC") || has(O_DSYNC, "O_SYNC"));
        let name = arguments.opened_name(path);
        let opened = Opened {
            position: (!appends).then_some(0),
            appends,
            is_file: name.as_deref().is_none_or(|name| !is_terminal(name)),
            is_certain: true,
            is_synchronous,
            name: name.as_deref().and_then(complete),
        };
        self.descriptors
            .open(table, descriptor, file, opened, closes_on_exec);
        match name {
            Some(name) => event_sink.name(file, &name),
            None => event_sink.facts.unnamed_files += 1,
        }
    }

    fn end_other(
        &mut self,
        thread: u32,
        table: u64,
        begun: &Begun,
        result: i64,
        arguments: &impl Arguments,
        event_sink: &mut EventSink<'_>,
    ) {
        let descriptors = &mut self.descriptors;
        let first = || arguments.number(0);
        match begun.system_call.action {
            Action::Seek => {
                if let Some(file) = first().and_then(|at| descriptors.file(table, at))
                    && let Some(opened) = descriptors.opened(file)
                {
                    opened.is_file |= !opened.is_certain;
                    opened.position = u64::try_from(result).ok().filter(|_| !opened.appends);
                }
            }
            Action::Stat { mode, .. } => {
                let file = begun.call.and_then(|call| call.file);
                let file = file.or_else(|| descriptors.file(table, first()?));
                if let Some(opened) = file.and_then(|file| descriptors.opened(file))
                    && let Some(is_file) = arguments.is_file(mode)
                    && !opened.is_certain
                {
                    opened.is_file = is_file;
                }
            }
            Action::Duplicate { flags } => {
                let closes = flags.is_some_and(|at| {
                    arguments.has_flag(at, self.flags.close_on_exec, "O_CLOEXEC")
                });
                if let Some(from) = first() {
                    descriptors.duplicate(table, from, result, closes);
                }
            }
            Action::Control => match (arguments.number(1), first()) {
                (Some(F_DUPFD), Some(from)) => descriptors.duplicate(table, from, result, false),
                (Some(F_DUPFD_CLOEXEC), Some(from)) => {
                    descriptors.duplicate(table, from, result, true);
                }
                (Some(F_SETFD), Some(of)) => {
                    let closes = arguments.has_flag(2, FD_CLOEXEC, "FD_CLOEXEC");
                    descriptors.close_on_exec(table, of, closes);
                }
                _ => {}
            },
            Action::NoFile => {
                let file = descriptors.next_file();
                descriptors.open(table, result, file, no_file(), false);
            }
            Action::NoFiles(at) => {
                for descriptor in arguments.descriptors(at) {
                    let file = descriptors.next_file();
                    descriptors.open(table, descriptor, file, no_file(), false);
                }
            }
            _ => self.end_of_process(thread, table, begun, result, arguments, event_sink),
        }
    }

    /// Operations on a complete descriptor table.
    fn end_of_process(
        &mut self,
        thread: u32,
        table: u64,
        begun: &Begun,
        result: i64,
        arguments: &impl Arguments,
        event_sink: &mut EventSink<'_>,
    ) {
        let descriptors = &mut self.descriptors;
        let first = || arguments.number(0);
        match begun.system_call.action {
            Action::Clone(flags) => {
                let shares =
                    flags.is_some_and(|at| arguments.has_flag(at, CLONE_FILES, "CLONE_FILES"));
                if let Ok(child) = u32::try_from(result)
                    && child > 0
                {
                    self.fork(thread, child, shares, event_sink);
                }
            }
            Action::Execute => descriptors.close_all(table, |_, closes| closes),
            Action::CloseRange => {
                if let (Some(from), Some(to)) = (first(), arguments.number(1))
                    && !arguments.has_flag(2, CLOSE_RANGE_CLOEXEC, "CLOSE_RANGE_CLOEXEC")
                {
                    // The largest number may be given as -1.
                    let to = if to < 0 { i64::MAX } else { to };
                    descriptors.close_all(table, |at, _| (from..=to).contains(&at));
                }
            }
            Action::Unshare if arguments.has_flag(0, CLONE_FILES, "CLONE_FILES") => {
                let own = descriptors.copy_table(table);
                descriptors.leave_table(table);
                if let Some(of) = self.threads.get_mut(&thread) {
                    of.table = own;
                }
            }
            _ => {}
        }
    }
}

fn no_file() -> Opened {
    Opened {
        is_certain: true,
        ..Opened::default()
    }
}
