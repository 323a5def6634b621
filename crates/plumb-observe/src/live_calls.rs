//! Which calls does a program make while it runs? Records of the kernel's tracepoints, in the order of their time, become events of a trace.

use std::collections::HashMap;
use std::io;

use plumb_model::trace::events::{Answered, Call, CallClass};
use plumb_model::trace::facts::TraceFacts;
use plumb_model::trace::receiver::TraceReceiver;

use crate::calls::errno;
use crate::calls::numbers::Numbers;
use crate::calls::processes::{Begun, Ended, Processes};
use crate::calls::table::{Action, SystemCall, system_call};
use crate::mixing::Mixing;
use crate::observer::own_cpu_ns;
use crate::system::opened_files::{name_of_descriptor, opened_files};
use crate::system::tracepoints::records::Record;
use crate::system::tracepoints::{NUMBERS, Tracepoints, clock_ns};
use crate::telling::Telling;

/// Records are written a moment after the time that they bear: younger ones wait for the next look.
const SETTLED_NS: u64 = 2_000_000;
/// Errors are results from this on up to -1.
const ERROR_MIN: i64 = -4095;
/// Requests of io_uring by their opcode (include/uapi/linux/io_uring.h).
const REQUESTS: [(u8, &str, CallClass); 7] = [
    (1, "io_uring readv", CallClass::Read),
    (2, "io_uring writev", CallClass::Write),
    (3, "io_uring fsync", CallClass::Metadata),
    (4, "io_uring read_fixed", CallClass::Read),
    (5, "io_uring write_fixed", CallClass::Write),
    (22, "io_uring read", CallClass::Read),
    (23, "io_uring write", CallClass::Write),
];

/// A call that a thread has entered and not left.
struct Entered {
    number: i64,
    begun: Begun,
    asked: Numbers,
}

/// Calls that are followed while they are made.
pub struct LiveCalls<'a> {
    points: Tracepoints,
    telling: Telling<'a>,
    processes: Processes,
    /// By number.
    known: HashMap<i64, &'static SystemCall, Mixing>,
    entered: HashMap<u32, Entered, Mixing>,
    /// Requests of io_uring, by the kernel's address of them.
    requests: HashMap<u64, Call, Mixing>,
    /// Read and not yet told.
    records: Vec<Record>,
    /// Added to the clock of the records, it gives nanoseconds since 1970.
    since_1970_ns: u64,
    cpu_ns_before: Option<u64>,
}

impl<'a> LiveCalls<'a> {
    /// Follows the programs that the calling thread starts from now on, and what they start.
    ///
    /// # Errors
    /// The kernel has no tracepoints, or this user may not use them.
    pub fn of_started_programs(receiver: &'a mut dyn TraceReceiver) -> io::Result<LiveCalls<'a>> {
        Ok(LiveCalls::of(Tracepoints::of_started_programs()?, receiver))
    }

    /// Follows a process that runs, with all its threads, and what it starts.
    ///
    /// # Errors
    /// The same, or there is no such process.
    pub fn of_process(
        process: u32,
        receiver: &'a mut dyn TraceReceiver,
    ) -> io::Result<LiveCalls<'a>> {
        let mut live = LiveCalls::of(Tracepoints::of_process(process)?, receiver);
        let threads = live.points.threads().to_vec();
        let opened = opened_files(process);
        live.processes.adopt(&threads, &opened, &mut live.telling);
        Ok(live)
    }

    fn of(points: Tracepoints, receiver: &'a mut dyn TraceReceiver) -> LiveCalls<'a> {
        let (at_ns, unix_ns) = clock_ns();
        let known = NUMBERS
            .iter()
            .filter_map(|(number, name)| Some((*number, system_call(name.as_bytes())?)));
        LiveCalls {
            points,
            telling: Telling::new(receiver, "perf"),
            processes: Processes::default(),
            known: known.collect(),
            entered: HashMap::default(),
            requests: HashMap::default(),
            records: Vec::new(),
            since_1970_ns: unix_ns.saturating_sub(at_ns),
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
        let mut left: Vec<(u32, Entered)> = self.entered.drain().collect();
        left.sort_unstable_by_key(|(thread, _)| *thread);
        let at_ns = now_ns.saturating_add(self.since_1970_ns);
        for call in left.into_iter().filter_map(|(_, left)| left.begun.call) {
            self.telling.unanswered(call, at_ns);
        }
        for (_, call) in self.requests.drain() {
            self.telling.unanswered(call, at_ns);
        }
        if self.points.shows_requests() {
            self.telling.facts.not_shown.io_uring = 0;
        }
        let cpu_ns = own_cpu_ns().zip(self.cpu_ns_before);
        self.telling.facts.cpu_ns = cpu_ns.map(|(after, before)| after.saturating_sub(before));
        self.telling.close()
    }

    /// Tells the records up to a time, in its order.
    fn tell(&mut self, until_ns: u64) {
        let mut records = std::mem::take(&mut self.records);
        let lost = &mut self.telling.facts.lost;
        self.points.drain(&mut |record| match record {
            Record::Lost(count) => *lost += count,
            record => records.push(record),
        });
        // Of each processor they come in the order of time: this is quick.
        records.sort_by_key(|record| record.at_ns());
        let ready =
            records.partition_point(|record| record.at_ns().is_none_or(|at| at <= until_ns));
        let closed = closed_later(&records, &self.known);
        for record in records.drain(..ready) {
            self.telling.facts.records += 1;
            self.take(record, &closed);
        }
        self.records = records;
    }

    fn take(&mut self, record: Record, closed: &HashMap<i64, u64>) {
        match record {
            Record::Entered {
                thread,
                at_ns,
                number,
                arguments,
            } => self.enter(thread, at_ns, number, arguments),
            Record::Left {
                thread,
                at_ns,
                number,
                result,
            } => self.leave(thread, at_ns, number, result, closed),
            Record::Submitted {
                thread,
                at_ns,
                request,
                opcode,
            } => self.submit(thread, at_ns, request, opcode),
            Record::Completed {
                at_ns,
                request,
                result,
            } => self.complete(at_ns, request, result),
            Record::Forked {
                parent,
                child,
                is_thread,
                ..
            } => self
                .processes
                .fork(parent, child, is_thread, &mut self.telling),
            Record::Exited { thread, at_ns } => {
                if let Some(Entered { begun, .. }) = self.entered.remove(&thread)
                    && let Some(call) = begun.call
                {
                    let at_ns = at_ns.saturating_add(self.since_1970_ns);
                    self.telling.unanswered(call, at_ns);
                }
                self.processes.exit(thread);
            }
            Record::Lost(_) => {}
        }
    }

    fn enter(&mut self, thread: u32, at_ns: u64, number: i64, arguments: [u64; 6]) {
        let at_ns = at_ns.saturating_add(self.since_1970_ns);
        let Some(system_call) = self.known.get(&number).copied() else {
            self.telling.facts.not_shown.other_calls += 1;
            return;
        };
        let asked = Numbers {
            arguments,
            hides_flags: system_call.name == "openat2",
            thread,
            opened: None,
        };
        let begun = self
            .processes
            .begin(thread, at_ns, system_call, &asked, &mut self.telling);
        if let Some(call) = begun.call {
            self.telling.made(call);
        }
        let entered = Entered {
            number,
            begun,
            asked,
        };
        // The end of the one before was lost.
        if let Some(before) = self.entered.insert(thread, entered)
            && let Some(call) = before.begun.call
        {
            self.telling.unanswered(call, at_ns);
        }
    }

    fn leave(
        &mut self,
        thread: u32,
        at_ns: u64,
        number: i64,
        result: i64,
        closed: &HashMap<i64, u64>,
    ) {
        let unix_ns = at_ns.saturating_add(self.since_1970_ns);
        let Some(Entered {
            number: entered,
            begun,
            mut asked,
        }) = self.entered.remove(&thread)
        else {
            let concerns_files = |call: &&SystemCall| call.class.is_some();
            let is_missed = self.known.get(&number).copied().filter(concerns_files);
            self.telling.facts.unasked += u64::from(is_missed.is_some());
            return;
        };
        if entered != number {
            if let Some(call) = begun.call {
                self.telling.unanswered(call, unix_ns);
            }
            return;
        }
        let ended = match result {
            ERROR_MIN..=-1 => Ended::Badly(errno::of_number(result.unsigned_abs() as u32)),
            _ => Ended::Well(result),
        };
        let opens = matches!(begun.system_call.action, Action::Open { .. });
        let is_open_still = closed
            .get(&result)
            .is_none_or(|closed_ns| *closed_ns < at_ns);
        if opens && result >= 0 && is_open_still {
            asked.opened = name_of_descriptor(thread, result);
        }
        let answered =
            self.processes
                .end(thread, &begun, ended, unix_ns, &asked, &mut self.telling);
        if let Some(answered) = answered {
            self.telling.answered(answered);
        }
        self.telling.release(unix_ns);
    }

    fn submit(&mut self, thread: u32, at_ns: u64, request: u64, opcode: u8) {
        let Some((_, name, class)) = REQUESTS.iter().find(|(code, ..)| *code == opcode) else {
            return;
        };
        let call = Call {
            name,
            class: *class,
            at_ns: at_ns.saturating_add(self.since_1970_ns),
            lane: self.processes.lane(thread, &mut self.telling),
            file: None,
            offset: None,
            bytes: None,
            closes: false,
        };
        self.telling.made(call);
        self.requests.insert(request, call);
    }

    fn complete(&mut self, at_ns: u64, request: u64, result: i32) {
        let Some(call) = self.requests.remove(&request) else {
            return;
        };
        let at_ns = at_ns.saturating_add(self.since_1970_ns);
        self.telling.answered(Answered {
            call,
            at_ns,
            moved_bytes: u64::try_from(result)
                .ok()
                .filter(|_| call.class != CallClass::Metadata),
            status: (result < 0).then(|| errno::of_number(result.unsigned_abs())),
            round_trip_ns: None,
            was_pending: false,
        });
        self.telling.release(at_ns);
    }
}

/// When each descriptor was closed last among these records: what it stood for before that cannot be looked up any more. Descriptors of all processes together:
/// a name too few is better than a wrong one.
fn closed_later(
    records: &[Record],
    known: &HashMap<i64, &'static SystemCall, Mixing>,
) -> HashMap<i64, u64> {
    let mut closed = HashMap::new();
    for record in records {
        if let Record::Entered {
            at_ns,
            number,
            arguments,
            ..
        } = record
            && known
                .get(number)
                .is_some_and(|call| call.action == Action::Close)
        {
            closed.insert(i64::from(arguments[0] as u32 as i32), *at_ns);
        }
    }
    closed
}
