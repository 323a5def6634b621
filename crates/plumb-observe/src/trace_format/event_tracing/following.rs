//! What do the records of Windows' kernel come to? Operations on files with their ends become calls; without any, requests to disks do.

use std::collections::{HashMap, HashSet};

use foldhash::fast::RandomState;
use plumb_model::trace::events::{Answered, Call, CallClass};
use plumb_model::trace::facts::TraceFacts;
use plumb_model::trace::receiver::TraceReceiver;

use super::opened::OpenedFiles;
use super::paths::Letters;
use crate::captures::smb::status::status;
use crate::event_sink::EventSink;
use crate::system::event_tracing::operations::{CLOSE, DISK_REQUESTS, Layout};
use crate::system::event_tracing::record::{Begun, DiskRequest, Record};
use crate::trace_format::volumes::Volumes;

/// Operations that are outstanding at once; of more nobody knows the end.
const OUTSTANDING_MAX: usize = 131_072;
/// IRP_PAGING_IO and IRP_SYNCHRONOUS_PAGING_IO (wdm.h): the memory manager and the cache read and write, in the name of whoever caused it.
const PAGING: u32 = 0x0000_0002 | 0x0000_0040;
/// Requests to disks are reported when they have ended: calls that began longer ago than this wait no longer for earlier ones.
const DISK_SETTLED_NS: u64 = 10_000_000_000;

/// An operation that has no end yet.
struct Outstanding {
    /// Missing for one that is left out.
    call: Option<Call>,
    /// What it opens, where it does.
    opens: Option<u64>,
}

/// What is reported of a trace.
pub enum Subject {
    /// Operations on files of all processes.
    Everything,
    /// Requests to disks, of all processes.
    Disks,
    /// Operations on files of one process and of what it starts.
    Process(u32),
}

/// Processes, files and outstanding operations as the records show them.
pub struct Following<'a> {
    event_sink: EventSink<'a>,
    subject: Subject,
    /// The process and what it has started.
    followed: HashSet<u32>,
    ended: HashSet<u32>,
    /// Process of each thread.
    threads: HashMap<u32, u32, RandomState>,
    images: HashMap<u32, String>,
    lanes: HashMap<u32, u32, RandomState>,
    lanes_made: u32,
    opened: OpenedFiles,
    /// By request.
    outstanding: HashMap<u64, Outstanding, RandomState>,
    disks: Volumes,
    last_ns: u64,
}

impl<'a> Following<'a> {
    /// Begins a trace in which letters stand for these devices.
    pub fn new(
        receiver: &'a mut dyn TraceReceiver,
        subject: Subject,
        letters: Letters,
    ) -> Following<'a> {
        let mut followed = HashSet::new();
        if let Subject::Process(process) = subject {
            followed.insert(process);
        }
        Following {
            event_sink: EventSink::new(receiver, "etw"),
            subject,
            followed,
            ended: HashSet::new(),
            threads: HashMap::default(),
            images: HashMap::new(),
            lanes: HashMap::default(),
            lanes_made: 0,
            opened: OpenedFiles::new(letters),
            outstanding: HashMap::default(),
            disks: Volumes::default(),
            last_ns: 0,
        }
    }

    pub fn facts(&mut self) -> &mut TraceFacts {
        &mut self.event_sink.facts
    }

    pub fn take(&mut self, record: Record) {
        self.event_sink.facts.records += 1;
        match record {
            Record::Begun(begun) => self.begin(&begun),
            Record::Ended {
                at_ns,
                request,
                information,
                status,
            } => self.end_operation(at_ns, request, information, status),
            Record::Named { key, name } => self.opened.name(key, &name, &mut self.event_sink),
            Record::Forgotten { key } => self.opened.forget(key),
            Record::ProcessBegan {
                process,
                parent,
                image,
            } => self.begin_process(process, parent, image),
            Record::ProcessEnded { process } => {
                self.ended.insert(process);
            }
            Record::ThreadBegan { thread, process } => {
                self.threads.insert(thread, process);
                self.lanes.remove(&thread);
            }
            Record::Disk(request) => match self.subject {
                Subject::Disks => self.report_disk(&request),
                Subject::Everything => self.event_sink.facts.not_shown.disk_requests += 1,
                // Who caused it is not known of most.
                Subject::Process(_) => {}
            },
            Record::Damaged => self.event_sink.damaged(),
        }
    }

    fn begin_process(&mut self, process: u32, parent: u32, image: String) {
        let is_new = self.ended.remove(&process);
        if self.followed.contains(&parent) {
            self.followed.insert(process);
        } else if is_new {
            // Another one has its number now.
            self.followed.remove(&process);
        }
        self.images.insert(process, image);
    }

    fn process_of(&self, thread: Option<u32>, process: Option<u32>) -> Option<u32> {
        process.or_else(|| self.threads.get(&thread?).copied())
    }

    fn lane(&mut self, thread: Option<u32>, process: Option<u32>) -> u32 {
        // No thread has this number.
        let thread = thread.unwrap_or(u32::MAX);
        if let Some(lane) = self.lanes.get(&thread) {
            return *lane;
        }
        let lane = self.lanes_made;
        self.lanes_made = self.lanes_made.saturating_add(1);
        self.lanes.insert(thread, lane);
        if thread != u32::MAX {
            let image = process.and_then(|process| self.images.get(&process));
            match image.filter(|image| !image.is_empty()) {
                Some(image) => self
                    .event_sink
                    .name_lane(lane, &format!("{image} {thread}")),
                None => self.event_sink.name_lane(lane, &thread.to_string()),
            }
        }
        lane
    }

    fn begin(&mut self, begun: &Begun) {
        self.last_ns = self.last_ns.max(begun.at_ns);
        // What had this number before has ended without a word of it.
        let before = self.outstanding.remove(&begun.request);
        if let Some(call) = before.and_then(|before| before.call) {
            self.event_sink.unanswered(call, begun.at_ns);
        }
        let process = self.process_of(begun.thread, begun.process);
        let is_reported = match self.subject {
            Subject::Everything => true,
            Subject::Disks => false,
            Subject::Process(_) => process.is_some_and(|process| self.followed.contains(&process)),
        };
        if !is_reported {
            return;
        }
        let call = self.call(begun, process);
        let is_full = self.outstanding.len() >= OUTSTANDING_MAX;
        if let Some(call) = call {
            self.event_sink.made(call);
            if is_full {
                self.event_sink.unanswered(call, call.at_ns);
            }
        }
        if !is_full {
            let opens = begun.path.as_ref().map(|_| begun.object);
            self.outstanding
                .insert(begun.request, Outstanding { call, opens });
        }
    }

    /// The call that it is; `None` for what is left out, which is counted.
    fn call(&mut self, begun: &Begun, process: Option<u32>) -> Option<Call> {
        let is_transfer = begun.operation.layout == Layout::Transfer;
        if is_transfer && begun.flags & PAGING != 0 {
            self.event_sink.facts.not_shown.paging += 1;
            return None;
        }
        let event_sink = &mut self.event_sink;
        let opened = match &begun.path {
            Some(path) => self.opened.open(begun.object, path, event_sink),
            None => self.opened.find(begun.object, begun.key, event_sink),
        };
        let closes = begun.operation.kind == CLOSE;
        if closes {
            self.opened.close(begun.object);
        }
        let Some(file) = opened else {
            event_sink.facts.not_shown.not_files += 1;
            return None;
        };
        Some(Call {
            name: begun.operation.name,
            class: begun.operation.class,
            at_ns: begun.at_ns,
            lane: self.lane(begun.thread, process),
            file: Some(file),
            offset: begun.offset,
            bytes: begun.bytes,
            closes,
        })
    }

    fn end_operation(&mut self, at_ns: u64, request: u64, information: u64, code: u32) {
        self.last_ns = self.last_ns.max(at_ns);
        let Some(Outstanding { call, opens }) = self.outstanding.remove(&request) else {
            // Of one process it cannot be told whose it is.
            let is_of_trace = matches!(self.subject, Subject::Everything);
            self.event_sink.facts.unmatched_responses += u64::from(is_of_trace);
            return;
        };
        let Some(call) = call else {
            return;
        };
        let said = status(code);
        let is_error = said.is_some_and(|status| status.is_error);
        if let (true, Some(object), Some(file)) = (is_error, opens, call.file) {
            self.opened.was_not_opened(object, file);
        }
        let moves = matches!(call.class, CallClass::Read | CallClass::Write);
        let moved = Some(information).filter(|moved| call.bytes.is_some_and(|all| *moved <= all));
        self.event_sink.answered(Answered {
            call,
            at_ns,
            moved_bytes: moved.filter(|_| moves && !is_error),
            status: said,
            round_trip_ns: None,
            was_pending: false,
        });
        self.event_sink.release(at_ns);
    }

    fn report_disk(&mut self, request: &DiskRequest) {
        self.last_ns = self.last_ns.max(request.at_ns);
        let kind = DISK_REQUESTS
            .iter()
            .find(|(kind, ..)| *kind == request.kind);
        let Some((_, name, class)) = kind else {
            return;
        };
        let process = self.process_of(request.thread, None);
        let disk = request.disk;
        let file = self
            .disks
            .file(disk.into(), || format!("disk {disk}"), &mut self.event_sink);
        let call = Call {
            name,
            class: *class,
            at_ns: request
                .at_ns
                .saturating_sub(request.response_ns.unwrap_or(0)),
            lane: self.lane(request.thread, process),
            file,
            offset: request.offset,
            bytes: request.bytes,
            closes: false,
        };
        self.event_sink.made_later(call);
        match request.response_ns {
            Some(_) => self.event_sink.answered(Answered {
                call,
                at_ns: request.at_ns,
                moved_bytes: request.bytes,
                status: None,
                round_trip_ns: None,
                was_pending: false,
            }),
            None => self.event_sink.unanswered(call, request.at_ns),
        }
        let settled_ns = request.at_ns.saturating_sub(DISK_SETTLED_NS);
        self.event_sink.release(settled_ns);
    }

    /// The trace is at its end. What was not answered by then has no answer.
    pub fn end(mut self) -> TraceFacts {
        let outstanding = std::mem::take(&mut self.outstanding);
        let mut left: Vec<Call> = outstanding.into_values().filter_map(|of| of.call).collect();
        left.sort_by_key(|call| (call.at_ns, call.lane));
        for call in left {
            self.event_sink.unanswered(call, self.last_ns);
        }
        self.event_sink.facts.unnamed_files += self.opened.unnamed();
        self.event_sink.close()
    }
}
