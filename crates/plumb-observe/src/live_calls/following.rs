//! What do records of tracepoints mean? Each in its turn becomes a call, its answer, or a thread that begins or ends.

use std::collections::{HashMap, HashSet};

use plumb_model::trace::events::{Activity, Answered, Call, CallClass, OffCpu, Status, ThreadLife};
use plumb_model::trace::facts::TraceFacts;
use plumb_model::trace::receiver::TraceReceiver;

use crate::calls::activity::{file_call, of_descriptor, waiting_call};
use crate::calls::errno;
use crate::calls::numbers::Numbers;
use crate::calls::processes::{Begun, Ended, Processes};
use crate::calls::table::REQUESTS;
use crate::calls::table::{Action, SystemCall, system_call};
use crate::event_sink::EventSink;
use crate::system::open_paths::{Folder, RequestedPath};
use crate::system::opened_files::{OpenedFile, name_of_descriptor};
use crate::system::processes;
use crate::system::tracepoints::numbers;
use crate::system::tracepoints::records::Record;
use foldhash::fast::RandomState;

use super::opened_names::OpenedNames;
use super::thread_times::{ThreadTimes, Waited};

/// Errors are results from this on up to -1.
const ERROR_MIN: i64 = -4095;
/// Interrupted calls that the kernel makes again, or ends with EINTR: numbers of its own, which no program sees (include/linux/errno.h).
const RESTARTS: [u32; 4] = [512, 513, 514, 516];
const EINTR: u32 = 4;
/// What was found out beside the records of one look, before they are reported.
#[derive(Default)]
pub(super) struct Look {
    /// Names of files by who opened them and when.
    names: HashMap<(u32, u64), String>,
    /// When each descriptor ended last, of all processes together: what it stood for before that cannot be looked up, and a name too few is better than a
    /// wrong one.
    ended_ns: HashMap<i64, u64>,
    /// When a thread last began another program, which ends descriptors too.
    executed_ns: HashMap<u32, u64>,
}

impl Look {
    /// Keeps what the descriptor that this record opened is called now.
    pub fn ask(&mut self, record: &Record, name: Option<String>) {
        if let (Record::Left { thread, at_ns, .. }, Some(name)) = (record, name) {
            self.names.insert((*thread, *at_ns), name);
        }
    }

    /// Whether a descriptor may stand for something else by now.
    fn is_stale(&self, thread: u32, descriptor: i64, at_ns: u64) -> bool {
        let is_later = |ended_ns: Option<&u64>| ended_ns.is_some_and(|ended_ns| *ended_ns >= at_ns);
        is_later(self.ended_ns.get(&descriptor)) || is_later(self.executed_ns.get(&thread))
    }
}

/// A path that begins at the working directory (fcntl.h), and the bit of O_TMPFILE that is no other flag's: the path is that of a folder then.
const AT_FDCWD: i64 = -100;
const O_TMPFILE: u64 = 0o20_000_000;

/// Directories that are kept.
const FOLDERS_MAX: usize = 65_536;

/// A call that a thread has entered and not left.
struct Entered {
    at_ns: u64,
    number: i64,
    begun: Begun,
    requested: Numbers,
}

/// Calls, threads and files as the records show them.
pub(super) struct Following<'a> {
    event_sink: EventSink<'a>,
    processes: Processes,
    /// By number.
    known: HashMap<i64, &'static SystemCall, RandomState>,
    entered: HashMap<u32, Entered, RandomState>,
    names: OpenedNames,
    times: ThreadTimes,
    /// The call that each thread entered last.
    current: HashMap<u32, i64, RandomState>,
    /// What a thread waits for in calls that do not use files, by number.
    waits: HashMap<i64, Activity, RandomState>,
    /// What threads waited for events, until their next call shows what became ready.
    events: HashMap<u32, Vec<OffCpu>, RandomState>,
    /// Working directories that calls by path went from, as files.
    folders: HashMap<String, u64>,
    /// Threads that may have been in a call when the trace began.
    in_calls: HashSet<u32>,
    /// Threads of 32-bit programs: numbers of their calls stand for other calls here.
    of_32_bit: HashSet<u32>,
    /// Requests of io_uring, by the kernel's address of them; missing where it does not report them.
    requests: Option<HashMap<u64, Call, RandomState>>,
    /// Calls that were entered before this are not of the trace: what was open was found out until then. By the clock of the records.
    begin_ns: u64,
    /// Added to the clock of the records, it gives nanoseconds since 1970.
    since_1970_ns: u64,
}

impl<'a> Following<'a> {
    pub fn new(
        receiver: &'a mut dyn TraceReceiver,
        since_1970_ns: u64,
        shows_requests: bool,
    ) -> Following<'a> {
        let known =
            numbers().filter_map(|(number, name)| Some((number, system_call(name.as_bytes())?)));
        Following {
            event_sink: EventSink::new(receiver, "perf"),
            processes: Processes::default(),
            known: known.collect(),
            entered: HashMap::default(),
            names: OpenedNames::default(),
            times: ThreadTimes::default(),
            current: HashMap::default(),
            waits: numbers()
                .filter_map(|(number, name)| Some((number, waiting_call(name)?)))
                .collect(),
            events: HashMap::default(),
            folders: HashMap::new(),
            in_calls: HashSet::new(),
            of_32_bit: HashSet::new(),
            requests: shows_requests.then(HashMap::default),
            begin_ns: 0,
            since_1970_ns,
        }
    }

    /// Begins at `begin_ns` with threads that run and what their process has open.
    pub fn adopt(&mut self, threads: &[u32], opened: &[OpenedFile], begin_ns: u64) {
        self.processes.adopt(threads, opened, &mut self.event_sink);
        self.in_calls.extend(threads);
        self.begin_ns = begin_ns;
        for thread in threads {
            let lane = self.processes.lane(*thread, &mut self.event_sink);
            self.times.begin(*thread, lane, begin_ns, true);
        }
    }

    /// These threads are of a 32-bit program.
    pub fn adopt_32_bit(&mut self, threads: &[u32]) {
        self.of_32_bit.extend(threads);
    }

    /// A file system that the traced programs see.
    pub fn mount(&mut self, point: &str, file_system: &str, source: &str) {
        self.event_sink.mount(point, file_system, source);
    }

    /// Whether paths are reported as they are opened.
    pub fn names_at_open(&mut self, does: bool) {
        self.event_sink.facts.names_at_open = does;
    }

    /// A program that is started begins in this working directory.
    pub fn begin_in(&mut self, folder: Option<&str>) {
        self.names.begin_in(folder);
    }

    /// Threads of one process that run, and its working directory.
    pub fn adopt_folder(&mut self, process: u32, threads: &[u32], folder: Option<&str>) {
        self.names.adopt(process, threads, folder);
    }

    /// Takes paths that were opened, and the records that were read after them, in the order of time.
    pub fn take_paths(&mut self, paths: Vec<RequestedPath>, records: &[Record]) {
        if paths.is_empty() {
            return;
        }
        let changes = records.iter().filter_map(|record| match *record {
            Record::Entered { at_ns, number, .. } => {
                let action = self.known.get(&number)?.action;
                matches!(action, Action::ChangeFolder { .. }).then_some(at_ns)
            }
            _ => None,
        });
        self.names.take(paths, changes.max(), records);
    }

    /// There was no room for so many records.
    pub fn lost(&mut self, count: u64) {
        self.event_sink.facts.lost += count;
    }

    /// The thread and the descriptor whose name is to be looked up for this record; `None` where it opened nothing, or by a full path that is known.
    pub fn asks_for_name(&self, record: &Record) -> Option<(u32, i64)> {
        let Record::Left {
            thread,
            at_ns,
            number,
            result,
        } = *record
        else {
            return None;
        };
        let call = self.known.get(&number)?;
        let opens = matches!(call.action, Action::Open { .. });
        let looks_up = opens && result >= 0 && !self.names.is_known(thread, at_ns);
        looks_up.then_some((thread, result))
    }

    /// Notes which descriptors end with this record.
    pub fn note_ends(&self, record: &Record, look: &mut Look) {
        let Record::Entered {
            thread,
            at_ns,
            number,
            arguments,
        } = *record
        else {
            return;
        };
        match self.known.get(&number).map(|call| call.action) {
            Some(Action::Close) => {
                look.ended_ns.insert(descriptor(arguments[0]), at_ns);
            }
            // dup2, dup3: what the second descriptor stood for is closed.
            Some(Action::Duplicate { .. }) => {
                look.ended_ns.insert(descriptor(arguments[1]), at_ns);
            }
            Some(Action::Execute | Action::CloseRange) => {
                look.executed_ns.insert(thread, at_ns);
            }
            _ => {}
        }
    }

    pub fn take(&mut self, record: Record, look: &Look) {
        self.event_sink.facts.records += 1;
        match record {
            Record::Entered {
                thread,
                at_ns,
                number,
                arguments,
            } => self.enter((thread, at_ns), number, arguments, look),
            Record::Left {
                thread,
                at_ns,
                number,
                result,
            } => {
                let waited = self.leave((thread, at_ns), number, result, look);
                let waited = waited.unwrap_or_else(|| self.waited_in(number));
                let periods = self.times.leave(thread, waited);
                match waited.activity {
                    Activity::Event => self.events.entry(thread).or_default().extend(periods),
                    _ => periods.for_each(|period| self.report(period)),
                }
            }
            Record::Submitted {
                thread,
                at_ns,
                request,
                opcode,
            } => self.submit((thread, at_ns), request, opcode),
            Record::Completed {
                at_ns,
                request,
                result,
            } => self.complete(at_ns, request, result),
            Record::Forked {
                parent,
                child,
                is_thread,
                at_ns,
            } => {
                self.names.fork(parent, child, is_thread);
                if self.of_32_bit.contains(&parent) {
                    self.of_32_bit.insert(child);
                }
                let event_sink = &mut self.event_sink;
                self.processes.fork(parent, child, is_thread, event_sink);
                let lane = self.processes.lane(child, event_sink);
                self.times.begin(child, lane, at_ns, false);
            }
            Record::Began {
                thread, is_32_bit, ..
            } => {
                match is_32_bit {
                    true => self.of_32_bit.insert(thread),
                    false => self.of_32_bit.remove(&thread),
                };
                if let Some(program) = processes::name(thread) {
                    let lane = self.processes.lane(thread, &mut self.event_sink);
                    self.event_sink
                        .name_lane(lane, &format!("{thread} {program}"));
                }
            }
            Record::Exited { thread, at_ns } => {
                self.of_32_bit.remove(&thread);
                self.lose(thread, at_ns);
                self.end_times(thread, at_ns);
                self.names.exit(thread);
                self.processes.exit(thread);
            }
            Record::LeftCpu {
                thread,
                at_ns,
                preempted,
            } => self.times.left_cpu(thread, at_ns, preempted),
            Record::Runs { thread, at_ns } => {
                if let Some(period) = self.times.runs(thread, at_ns) {
                    self.report(period);
                }
            }
            Record::Lost(count) => self.lost(count),
        }
    }

    /// What a thread waits for in a call that does not use files.
    fn waited_in(&self, number: i64) -> Waited {
        Waited {
            activity: self.waits.get(&number).copied().unwrap_or(Activity::Other),
            file: None,
        }
    }

    /// Reports what a thread waited for in a call such as poll: for the socket or pipe that its next call reads or writes.
    fn report_events(&mut self, thread: u32, next: Option<(i64, u64)>) {
        let Some(periods) = self.events.remove(&thread) else {
            return;
        };
        let became_ready = next.and_then(|(number, first)| {
            if self.waits.get(&number) == Some(&Activity::Socket) {
                return Some(Activity::Socket);
            }
            let call = self.known.get(&number)?;
            let is_transfer = matches!(call.action, Action::Transfer { .. });
            let name = is_transfer.then(|| name_of_descriptor(thread, descriptor(first)))??;
            of_descriptor(&name)
        });
        for period in periods {
            let activity = match period.activity {
                Activity::Event => became_ready.unwrap_or(Activity::Event),
                other => other,
            };
            self.report(OffCpu { activity, ..period });
        }
    }

    /// Reports a period of a thread.
    fn report(&mut self, period: OffCpu) {
        let since = |at_ns: u64| at_ns.saturating_add(self.since_1970_ns);
        self.event_sink.off_cpu(OffCpu {
            begin_ns: since(period.begin_ns),
            end_ns: since(period.end_ns),
            ..period
        });
    }

    /// A thread ended, or is followed no more: it may be in a call.
    fn end_times(&mut self, thread: u32, at_ns: u64) {
        self.report_events(thread, None);
        let waited = match self.current.get(&thread) {
            Some(number) => self.waited_in(*number),
            None => Waited {
                activity: Activity::Other,
                file: None,
            },
        };
        self.current.remove(&thread);
        if let Some((life, periods)) = self.times.end(thread, at_ns, waited) {
            periods.into_iter().for_each(|period| self.report(period));
            self.event_sink.ended(ThreadLife {
                begin_ns: self.unix_ns(life.begin_ns),
                end_ns: self.unix_ns(life.end_ns),
                ..life
            });
        }
    }

    /// What a thread waited for in a call that ended: its file; of a call by path, the directory from which the path goes, as far as it is known.
    fn waited(
        &mut self,
        thread: u32,
        entered: &Entered,
        has_file: bool,
        path: Option<&RequestedPath>,
    ) -> Waited {
        let call = entered.begun.call;
        let system_call = entered.begun.system_call;
        let Some(call) = call else {
            return self.waited_without_file(thread, entered);
        };
        let file = call.file.filter(|_| has_file);
        let is_synchronous = file
            .and_then(|file| self.processes.descriptors.opened(file))
            .is_some_and(|opened| opened.is_synchronous);
        Waited {
            activity: file_call(system_call.name, call.class, is_synchronous),
            file: file.or_else(|| self.folder_of(thread, entered, path)),
        }
    }

    /// The directory of the path of a call; the one from which it goes, where the path itself is not known.
    fn folder_of(
        &mut self,
        thread: u32,
        entered: &Entered,
        path: Option<&RequestedPath>,
    ) -> Option<u64> {
        let first = descriptor(entered.requested.arguments[0]);
        let by_descriptor = entered.begun.system_call.name.contains("at") && first >= 0;
        let folder = match by_descriptor {
            true => self.name_of(thread, entered.requested.arguments[0]),
            false => self.names.folder(thread),
        };
        let path = match path.and_then(|path| path.name(folder.as_ref())) {
            Some(name) => name.rsplit_once('/')?.0.to_string() + "/",
            None => folder?.path.to_string(),
        };
        if let Some(known) = self.folders.get(&*path) {
            return Some(*known);
        }
        if self.folders.len() >= FOLDERS_MAX {
            self.folders.clear();
        }
        let file = self.processes.descriptors.next_file();
        self.event_sink.name(file, &path);
        self.folders.insert(path.to_string(), file);
        Some(file)
    }

    /// Pipes, terminals and sockets, and calls that wait for something else.
    fn waited_without_file(&self, thread: u32, entered: &Entered) -> Waited {
        let name = || name_of_descriptor(thread, descriptor(entered.requested.arguments[0]));
        let activity = match entered.begun.system_call.action {
            Action::Transfer { .. } => {
                let of = name().and_then(|name| of_descriptor(&name));
                of.unwrap_or(Activity::Pipe)
            }
            Action::Clone(_) => Activity::Child,
            _ => return self.waited_in(entered.number),
        };
        Waited {
            activity,
            file: None,
        }
    }

    fn unix_ns(&self, at_ns: u64) -> u64 {
        at_ns.saturating_add(self.since_1970_ns)
    }

    /// What this thread has entered has no end.
    fn lose(&mut self, thread: u32, at_ns: u64) {
        let entered = self.entered.remove(&thread);
        if let Some(call) = entered.and_then(|entered| entered.begun.call) {
            let at_ns = self.unix_ns(at_ns);
            self.event_sink.unanswered(call, at_ns);
        }
    }

    fn enter(
        &mut self,
        (thread, at_ns): (u32, u64),
        number: i64,
        arguments: [u64; 6],
        look: &Look,
    ) {
        self.in_calls.remove(&thread);
        if !self.events.is_empty() {
            self.report_events(thread, Some((number, arguments[0])));
        }
        if self.current.insert(thread, number).is_none() {
            let lane = self.processes.lane(thread, &mut self.event_sink);
            self.times.begin(thread, lane, at_ns, false);
        }
        self.times.enter(thread);
        self.names.enter(thread);
        self.lose(thread, at_ns);
        if self.of_32_bit.contains(&thread) {
            self.event_sink.facts.not_shown.of_32_bit += 1;
            return;
        }
        let Some(system_call) = self.known.get(&number).copied() else {
            self.event_sink.facts.not_shown.other_calls += 1;
            return;
        };
        if at_ns < self.begin_ns {
            self.in_calls.insert(thread);
            // Whether what was read of the file's position was before this call or after it, nobody knows.
            let moved = descriptor(arguments[0]);
            let event_sink = &mut self.event_sink;
            self.processes.forget_position(thread, moved, event_sink);
            return;
        }
        let requested = Numbers {
            arguments,
            hides_flags: system_call.name == "openat2",
            thread,
            is_stale: look.is_stale(thread, descriptor(arguments[0]), at_ns),
            opened: None,
        };
        let unix_ns = self.unix_ns(at_ns);
        let begun = self.processes.begin(
            thread,
            unix_ns,
            system_call,
            &requested,
            &mut self.event_sink,
        );
        if let Some(call) = begun.call {
            self.event_sink.made(call);
        }
        let entered = Entered {
            at_ns,
            number,
            begun,
            requested,
        };
        self.entered.insert(thread, entered);
    }

    /// A call ended; returns what its thread waited for, if it waited and its begin is known.
    fn leave(
        &mut self,
        (thread, at_ns): (u32, u64),
        number: i64,
        result: i64,
        look: &Look,
    ) -> Option<Waited> {
        // The end of a call that had begun before the trace.
        if self.in_calls.remove(&thread) {
            return None;
        }
        let is_entered = |entered: &&Entered| entered.number == number;
        if self.entered.get(&thread).filter(is_entered).is_none() {
            self.lose(thread, at_ns);
            if self.of_32_bit.contains(&thread) {
                return None;
            }
            let concerns_files = |call: &&SystemCall| call.class.is_some();
            let is_missed = self.known.get(&number).copied().filter(concerns_files);
            self.event_sink.facts.unmatched_responses += u64::from(is_missed.is_some());
            return None;
        }
        let mut entered = self.entered.remove(&thread)?;
        let (entered_ns, action) = (entered.at_ns, entered.begun.system_call.action);
        let mut path = None;
        // Threads are reported by the kernel itself; the result is their number in the caller's own numbering, and the flags may stand behind an address.
        if matches!(action, Action::Clone(_)) {
            return Some(self.waited_without_file(thread, &entered));
        }
        let ended = match result {
            ERROR_MIN..=-1 => Ended::Badly(status(result.unsigned_abs() as u32)),
            _ => Ended::Well(result),
        };
        match action {
            Action::Open { path: at, flags } => {
                let by_path = self.names.path(thread, entered_ns, at_ns);
                path.clone_from(&by_path);
                let looked_up = look.names.get(&(thread, at_ns));
                let looked_up = looked_up.filter(|_| !look.is_stale(thread, result, at_ns));
                entered.requested.opened = by_path
                    .and_then(|by_path| self.opened_name(&by_path, at, flags, &entered.requested))
                    .or_else(|| looked_up.cloned());
            }
            Action::ChangeFolder { by_descriptor } => {
                let by_path = self.names.path(thread, entered_ns, at_ns);
                if result >= 0 {
                    let folder = match by_descriptor {
                        true => self.name_of(thread, entered.requested.arguments[0]),
                        false => by_path.and_then(|path| self.names.folder_after(&path)),
                    };
                    self.names.changed_folder(thread, folder);
                }
            }
            _ => {}
        }
        let unix_ns = self.unix_ns(at_ns);
        let answered = self.processes.end(
            thread,
            &entered.begun,
            ended,
            unix_ns,
            &entered.requested,
            &mut self.event_sink,
        );
        if let Some(answered) = answered {
            self.event_sink.answered(answered);
        }
        self.event_sink.release(unix_ns);
        if !matches!(action, Action::Open { .. } | Action::ChangeFolder { .. }) {
            path = self.names.path(thread, entered_ns, at_ns);
        }
        let has_file = !(matches!(ended, Ended::Badly(_)) && matches!(action, Action::Open { .. }));
        let has_waited = self.times.has_waited(thread);
        has_waited.then(|| self.waited(thread, &entered, has_file, path.as_ref()))
    }

    /// What the file is called that was opened by this path, with what the call was asked.
    fn opened_name(
        &mut self,
        by_path: &RequestedPath,
        path: usize,
        flags: Option<usize>,
        requested: &Numbers,
    ) -> Option<String> {
        let flags = flags.and_then(|at| requested.arguments.get(at)).copied();
        if requested.hides_flags || flags.is_some_and(|flags| flags & O_TMPFILE != 0) {
            return None;
        }
        if path == 0 || descriptor(requested.arguments[0]) == AT_FDCWD {
            return self.names.name(by_path);
        }
        let folder = self.name_of(by_path.thread, requested.arguments[0]);
        by_path.name(folder.as_ref())
    }

    /// What the directory of a descriptor is called.
    fn name_of(&mut self, thread: u32, argument: u64) -> Option<Folder> {
        let file = descriptor(argument);
        let path = self.processes.name_of(thread, file, &mut self.event_sink)?;
        Some(Folder {
            path,
            is_resolved: false,
        })
    }

    fn submit(&mut self, (thread, at_ns): (u32, u64), request: u64, opcode: u8) {
        let Some((_, name, class)) = REQUESTS.iter().find(|(code, ..)| *code == opcode) else {
            self.event_sink.facts.not_shown.other_calls += 1;
            return;
        };
        let call = Call {
            name,
            class: *class,
            at_ns: self.unix_ns(at_ns),
            lane: self.processes.lane(thread, &mut self.event_sink),
            file: None,
            offset: None,
            bytes: None,
            closes: false,
        };
        self.event_sink.made(call);
        if let Some(requests) = &mut self.requests {
            requests.insert(request, call);
        }
    }

    fn complete(&mut self, at_ns: u64, request: u64, result: i32) {
        let requests = self.requests.as_mut();
        let Some(call) = requests.and_then(|requests| requests.remove(&request)) else {
            return;
        };
        let at_ns = self.unix_ns(at_ns);
        let moves = call.class != CallClass::Metadata;
        self.event_sink.answered(Answered {
            call,
            at_ns,
            moved_bytes: u64::try_from(result).ok().filter(|_| moves),
            status: (result < 0).then(|| status(result.unsigned_abs())),
            round_trip_ns: None,
            was_pending: false,
        });
        self.event_sink.release(at_ns);
    }

    /// It ends at this time of the records' clock. What was not answered by then has no answer.
    pub fn end(mut self, at_ns: u64) -> TraceFacts {
        let mut threads: Vec<u32> = self.entered.keys().copied().collect();
        threads.sort_unstable();
        for thread in threads {
            self.lose(thread, at_ns);
        }
        for thread in self.times.threads() {
            self.end_times(thread, at_ns);
        }
        let at_ns = self.unix_ns(at_ns);
        if let Some(requests) = self.requests.take() {
            // They are reported one by one, beside the calls that submitted them.
            self.event_sink.facts.not_shown.io_uring = 0;
            for call in requests.into_values() {
                self.event_sink.unanswered(call, at_ns);
            }
        }
        self.event_sink.close()
    }
}

/// A descriptor is an int: the upper half of its register may hold anything.
fn descriptor(argument: u64) -> i64 {
    i64::from(argument as u32 as i32)
}

fn status(code: u32) -> Status {
    errno::of_number(match RESTARTS.contains(&code) {
        true => EINTR,
        false => code,
    })
}
