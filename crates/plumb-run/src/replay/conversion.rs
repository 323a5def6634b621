//! Which requests does a trace hold, as a log that can be replayed? Calls in the order in which they were made, each as long as what it moved.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::io::{self, Write};

use plumb_model::trace::events::{Answered, Call, CallClass, TraceEvent};
use plumb_model::trace::receiver::TraceReceiver;

/// Maximum files of a log; further ones share those of earlier ones.
pub const FILES_MAX: u64 = 1 << 15;
/// Calls that wait for the answer of an earlier one. Beyond them the earliest is taken as it was asked: memory stays bounded by this.
const WAITING_MAX: usize = 1 << 18;
/// Linux moves at most this many bytes in one call (MAX_RW_COUNT, include/linux/fs.h).
const LEN_MAX: u64 = 0x7fff_f000;
/// No request ends beyond this byte.
const END_MAX: u64 = 1 << 62;
/// Calls that make data durable, by the names of protocols and systems, and whether metadata is too.
const FLUSHES: [(&str, bool); 8] = [
    ("FLUSH", true),
    ("Flush", true),
    ("flush", true),
    ("fsync", true),
    ("msync", true),
    ("syncfs", true),
    ("fdatasync", false),
    ("COMMIT", true),
];

/// What a trace gave.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Converted {
    pub requests: u64,
    /// Their files: if the trace contains names, one that is opened again counts once.
    pub files: u64,
    /// Of these, those that share a stretch with an earlier one.
    pub shared_files: u64,
    /// Calls of other kinds, by their name: they are not in the log.
    pub other_calls: BTreeMap<&'static str, u64>,
    /// Reads and writes without offset or size in the trace, or beyond the limits of a log.
    pub without_offset: u64,
    /// Reads, writes and flushes that failed, and those that transferred nothing, such as reads at the end of a file: they are not in the log.
    pub failed: u64,
    pub moved_nothing: u64,
    /// Requests that transferred less than requested.
    pub shorter: u64,
    /// Requests without a recorded reply, replayed as requested.
    pub unanswered: u64,
    /// Most reads, writes and flushes that were outstanding at once.
    pub outstanding_most: Option<u32>,
}

/// The storage request of a call.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Action {
    Read,
    Write,
    Flush { with_metadata: bool },
}

/// What is known of a call that was made.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Outcome {
    Outstanding,
    /// The reply contains the size transferred.
    Moved(u64),
    /// It was answered, without the size transferred.
    AsRequested,
    Unanswered,
    Nothing,
    Failed,
}

/// Identity of a file in the log: a name, or an open file without one; missing if neither is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum FileKey {
    Name(usize),
    Open(u64),
    Unknown,
}

struct Waiting {
    call: Call,
    action: Action,
    outcome: Outcome,
}

/// A trace on its way into a log. Errors of writing are kept until the end.
pub struct Conversion<W: Write> {
    out: W,
    error: Option<io::Error>,
    /// In the order in which they were made.
    waiting: VecDeque<Waiting>,
    outstanding: u32,
    first_ns: Option<u64>,
    /// Number in the log.
    files: HashMap<FileKey, u64>,
    /// Number of the name of an open file, and of each name.
    names: HashMap<u64, usize>,
    numbers: HashMap<String, usize>,
    converted: Converted,
}

impl<W: Write> Conversion<W> {
    /// Begins a log. Errors: it cannot be written.
    pub fn new(mut out: W) -> io::Result<Conversion<W>> {
        out.write_all(b"fio version 3 iolog\n")?;
        Ok(Conversion {
            out,
            error: None,
            waiting: VecDeque::new(),
            outstanding: 0,
            first_ns: None,
            files: HashMap::new(),
            names: HashMap::new(),
            numbers: HashMap::new(),
            converted: Converted::default(),
        })
    }

    /// Ends the log. Errors: it could not be written.
    pub fn finish(mut self) -> io::Result<(W, Converted)> {
        for waiting in &mut self.waiting {
            if waiting.outcome == Outcome::Outstanding {
                waiting.outcome = Outcome::Unanswered;
            }
        }
        self.hand_on();
        match self.error {
            Some(error) => Err(error),
            None => Ok((self.out, self.converted)),
        }
    }

    fn made(&mut self, call: &Call) {
        let Some(action) = action_of(call) else {
            *self.converted.other_calls.entry(call.name).or_default() += 1;
            return;
        };
        self.outstanding += 1;
        let most = self.converted.outstanding_most.get_or_insert(0);
        *most = self.outstanding.max(*most);
        self.waiting.push_back(Waiting {
            call: *call,
            action,
            outcome: Outcome::Outstanding,
        });
        if self.waiting.len() > WAITING_MAX {
            if let Some(first) = self.waiting.front_mut() {
                first.outcome = Outcome::Unanswered;
            }
            self.hand_on();
        }
    }

    fn settle(&mut self, call: &Call, outcome: Outcome) {
        let made = self
            .waiting
            .iter_mut()
            // Most answers are those of calls that were made not long ago.
            .rev()
            .find(|waiting| waiting.outcome == Outcome::Outstanding && waiting.call == *call);
        if let Some(waiting) = made {
            waiting.outcome = outcome;
            self.outstanding = self.outstanding.saturating_sub(1);
            self.hand_on();
        }
    }

    /// Writes what no longer waits for anything before it.
    fn hand_on(&mut self) {
        while let Some(first) = self.waiting.front() {
            if first.outcome == Outcome::Outstanding {
                return;
            }
            if let Some(first) = self.waiting.pop_front() {
                self.write(&first);
            }
        }
    }

    fn write(&mut self, request: &Waiting) {
        let Waiting {
            call,
            action,
            outcome,
        } = request;
        let requested = call.bytes.unwrap_or(0);
        let len = match outcome {
            Outcome::Failed => {
                self.converted.failed += 1;
                return;
            }
            Outcome::Nothing if !matches!(action, Action::Flush { .. }) => {
                self.converted.moved_nothing += 1;
                return;
            }
            Outcome::Moved(bytes) => *bytes,
            _ => requested,
        };
        let file = self.number_of(call.file);
        let at_ns = *self.first_ns.get_or_insert(call.at_ns);
        let at_us = call.at_ns.saturating_sub(at_ns) / 1000;
        let line = match (action, call.offset) {
            (Action::Flush { with_metadata }, _) => {
                let word = if *with_metadata { "sync" } else { "datasync" };
                format!("{at_us} file{file} {word} 0 0\n")
            }
            (_, Some(offset)) if fits(offset, len) => {
                let word = match action {
                    Action::Read => "read",
                    _ => "write",
                };
                format!("{at_us} file{file} {word} {offset} {len}\n")
            }
            _ => {
                self.converted.without_offset += 1;
                return;
            }
        };
        self.converted.requests += 1;
        self.converted.unanswered += u64::from(*outcome == Outcome::Unanswered);
        self.converted.shorter += u64::from(len < requested);
        if let Err(error) = self.out.write_all(line.as_bytes()) {
            self.error.get_or_insert(error);
        }
    }

    /// Numbers of files are counted in the order in which they are first used.
    fn number_of(&mut self, file: Option<u64>) -> u64 {
        let file = match file {
            None => FileKey::Unknown,
            Some(file) => match self.names.get(&file) {
                Some(name) => FileKey::Name(*name),
                None => FileKey::Open(file),
            },
        };
        if let Some(number) = self.files.get(&file) {
            return *number;
        }
        let count = self.converted.files;
        self.converted.files += 1;
        self.converted.shared_files += u64::from(count >= FILES_MAX);
        let number = count % FILES_MAX;
        self.files.insert(file, number);
        number
    }
}

impl<W: Write> TraceReceiver for Conversion<W> {
    fn take(&mut self, event: TraceEvent) {
        match event {
            TraceEvent::Made(call) => self.made(&call),
            TraceEvent::Answered(answered) => self.settle(&answered.call, outcome_of(&answered)),
            TraceEvent::Unanswered(call, _) => self.settle(&call, Outcome::Unanswered),
            TraceEvent::OffCpu(_) | TraceEvent::Ended(_) => {}
        }
    }

    fn name(&mut self, file: u64, name: &str) {
        let next = self.numbers.len();
        let number = match self.numbers.get(name) {
            Some(number) => *number,
            None => {
                self.numbers.insert(name.to_string(), next);
                next
            }
        };
        self.names.insert(file, number);
    }
}

fn fits(offset: u64, len: u64) -> bool {
    let end = offset.checked_add(len);
    (1..=LEN_MAX).contains(&len) && end.is_some_and(|end| end <= END_MAX)
}

fn action_of(call: &Call) -> Option<Action> {
    let flush = FLUSHES.iter().find(|(name, _)| *name == call.name);
    match (call.class, flush) {
        (_, Some((_, with_metadata))) => Some(Action::Flush {
            with_metadata: *with_metadata,
        }),
        (CallClass::Read, _) => Some(Action::Read),
        (CallClass::Write, _) => Some(Action::Write),
        _ => None,
    }
}

fn outcome_of(answered: &Answered) -> Outcome {
    match (answered.status, answered.moved_bytes) {
        (Some(status), _) if status.is_error => Outcome::Failed,
        (Some(_), _) | (None, Some(0)) => Outcome::Nothing,
        (None, Some(bytes)) => Outcome::Moved(bytes),
        // Its packet was truncated, or the reply does not contain it.
        (None, None) => Outcome::AsRequested,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plumb_model::trace::events::Status;

    const BEGIN_NS: u64 = 1_700_000_000_000_000_123;

    fn call(
        name: &'static str,
        class: CallClass,
        at_ns: u64,
        file: u64,
        range: Option<(u64, u64)>,
    ) -> Call {
        Call {
            name,
            class,
            at_ns: BEGIN_NS + at_ns,
            lane: 0,
            file: Some(file),
            offset: range.map(|(offset, _)| offset),
            bytes: range.map(|(_, bytes)| bytes),
            closes: false,
        }
    }

    fn read(at_ns: u64, file: u64, offset: u64, bytes: u64) -> Call {
        call("READ", CallClass::Read, at_ns, file, Some((offset, bytes)))
    }

    fn answer(call: Call, moved_bytes: Option<u64>, status: Option<bool>) -> TraceEvent {
        TraceEvent::Answered(Answered {
            call,
            at_ns: call.at_ns + 1000,
            moved_bytes,
            status: status.map(|is_error| Status {
                code: 1,
                name: None,
                is_error,
            }),
            round_trip_ns: None,
            was_pending: false,
        })
    }

    fn converted(events: &[TraceEvent]) -> (Vec<String>, Converted) {
        let mut conversion = Conversion::new(Vec::new()).expect("a log");
        events.iter().for_each(|event| conversion.take(*event));
        let (out, converted) = conversion.finish().expect("a log");
        let text = String::from_utf8(out).expect("text");
        let mut lines = text.lines().map(str::to_string);
        assert_eq!(lines.next().as_deref(), Some("fio version 3 iolog"));
        (lines.collect(), converted)
    }

    #[test]
    fn requests_stand_in_the_order_in_which_they_were_made_as_long_as_what_they_moved() {
        let first = read(0, 7, 0, 65_536);
        let second = read(1_500, 9, 4096, 512);
        let flush = call("FLUSH", CallClass::Metadata, 3_000, 9, None);
        let end = read(4_000, 7, 65_536, 4096);
        let refused = call("WRITE", CallClass::Write, 5_000, 7, Some((0, 10)));
        let open = call("CREATE", CallClass::Metadata, 6_000, 8, None);
        let lost = call("WRITE", CallClass::Write, 7_999, 7, Some((8192, 100)));
        let nowhere = call("read", CallClass::Read, 8_000, 7, None);
        let (lines, found) = converted(&[
            TraceEvent::Made(first),
            TraceEvent::Made(second),
            answer(second, Some(512), None),
            answer(first, Some(5000), None),
            TraceEvent::Made(flush),
            answer(flush, None, None),
            TraceEvent::Made(end),
            answer(end, None, Some(false)),
            TraceEvent::Made(refused),
            answer(refused, None, Some(true)),
            TraceEvent::Made(open),
            answer(open, None, None),
            TraceEvent::Made(lost),
            TraceEvent::Unanswered(lost, BEGIN_NS + 9_000),
            TraceEvent::Made(nowhere),
        ]);
        assert_eq!(
            lines,
            [
                "0 file0 read 0 5000",
                "1 file1 read 4096 512",
                "3 file1 sync 0 0",
                "7 file0 write 8192 100",
            ]
        );
        let expected = Converted {
            requests: 4,
            files: 2,
            shared_files: 0,
            other_calls: BTreeMap::from([("CREATE", 1)]),
            without_offset: 1,
            failed: 1,
            moved_nothing: 1,
            shorter: 1,
            unanswered: 1,
            outstanding_most: Some(2),
        };
        assert_eq!(found, expected);
    }

    #[test]
    fn a_file_that_is_opened_again_is_the_same_file() {
        let mut conversion = Conversion::new(Vec::new()).expect("a log");
        conversion.name(1, "/data/a");
        conversion.name(2, "/data/b");
        conversion.name(3, "/data/a");
        for file in [1, 2, 3, 4] {
            let call = read(file * 1000, file, 0, 10);
            conversion.take(TraceEvent::Made(call));
            conversion.take(answer(call, Some(10), None));
        }
        let (out, found) = conversion.finish().expect("a log");
        let text = String::from_utf8(out).expect("text");
        let files: Vec<&str> = text
            .lines()
            .skip(1)
            .filter_map(|line| line.split(' ').nth(1))
            .collect();
        assert_eq!(files, ["file0", "file1", "file0", "file2"]);
        assert_eq!(found.files, 3);
    }

    /// Times are full microseconds since the first request, each rounded separately: rounding never accumulates.
    #[test]
    fn moments_do_not_drift() {
        let mut events = Vec::new();
        for number in 0..100_000u64 {
            let call = read(number * 1_000_999, 1, number * 4096, 4096);
            events.extend([TraceEvent::Made(call), answer(call, Some(4096), None)]);
        }
        let (lines, _) = converted(&events);
        let last = lines.last().expect("lines");
        assert!(
            last.starts_with(&format!("{} ", 99_999_u64 * 1_000_999 / 1000)),
            "{last}"
        );
    }

    #[test]
    fn what_waits_for_one_answer_is_bounded() {
        let mut conversion = Conversion::new(Vec::new()).expect("a log");
        let stuck = read(0, 1, 0, 4096);
        conversion.take(TraceEvent::Made(stuck));
        for number in 1..=WAITING_MAX as u64 + 10 {
            let call = read(number * 1000, 1, 4096, 4096);
            conversion.take(TraceEvent::Made(call));
            conversion.waiting.back_mut().expect("it waits").outcome = Outcome::Moved(4096);
        }
        assert!(conversion.waiting.len() <= WAITING_MAX);
        let (_, found) = conversion.finish().expect("a log");
        assert_eq!(found.requests, WAITING_MAX as u64 + 11);
    }
}
