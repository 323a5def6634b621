//! Do calls that were kept come back as they were, in their order, however long one of them takes?

use super::*;
use crate::telling::Telling;
use crate::telling::tests::Told;
use crate::trace_formats::{format_of, head_of, read_trace};
use plumb_model::trace::events::Status;

const BEGIN_NS: u64 = 1_795_529_275_000_000_000;

/// Two receivers of the same trace.
struct Both<'a> {
    told: Told,
    kept: CallsWriter<&'a mut Vec<u8>>,
}

impl TraceReceiver for Both<'_> {
    fn take(&mut self, event: TraceEvent) {
        self.told.take(event);
        self.kept.take(event);
    }

    fn name(&mut self, file: u64, name: &str) {
        self.told.name(file, name);
        self.kept.name(file, name);
    }

    fn name_lane(&mut self, lane: u32, name: &str) {
        self.told.name_lane(lane, name);
        self.kept.name_lane(lane, name);
    }
}

fn call(name: &'static str, at_ns: u64, lane: u32, file: u64) -> Call {
    let (_, class) = crate::calls::named::call_named(name.as_bytes()).unwrap();
    Call {
        name,
        class,
        at_ns: BEGIN_NS + at_ns,
        lane,
        file: Some(file),
        offset: None,
        bytes: None,
        closes: name == "close",
    }
}

/// A trace with threads that overlap, a lock that is waited for nearly to its end, names of every kind, errors, and a call without end.
fn traced(telling: &mut Telling<'_>) {
    let end = |call: Call, at_ns: u64, status: Option<Status>, moved_bytes: Option<u64>| Answered {
        call,
        at_ns: BEGIN_NS + at_ns,
        moved_bytes,
        status,
        round_trip_ns: None,
        was_pending: false,
    };
    telling.name_lane(0, "11");
    telling.name_lane(1, "12");
    telling.name_lane(2, "13");
    let lock = call("flock", 10, 2, 1);
    let lost = call("fsync", 15, 1, 1);
    telling.made(lock);
    telling.made(lost);
    for round in 0..30_000u64 {
        let at_ns = 100 + round * 1000;
        let file = 10 + round / 100;
        if round % 100 == 0 {
            let open = call("openat", at_ns, 0, file);
            telling.made(open);
            if round % 300 != 0 {
                telling.name(file, &format!("/tmp/a,{}\n\"{round}\"\\", round % 7));
            }
            telling.answered(end(open, at_ns + 10, None, None));
        }
        let read = Call {
            offset: Some(round * 7),
            bytes: Some(round),
            ..call("pread64", at_ns + 20, 0, file)
        };
        let write = call("io_uring write", at_ns + 30, 1, file);
        telling.made(read);
        telling.made(write);
        telling.answered(end(write, at_ns + 200, None, Some(4096)));
        let status =
            (round % 50 == 0).then(|| crate::calls::errno::of_number(5 + (round % 200) as u32));
        telling.answered(end(read, at_ns + 100 + round % 150, status, Some(round)));
        telling.release(BEGIN_NS + at_ns + 300);
        if round % 100 == 99 {
            let close = call("close", at_ns + 400, 0, file);
            telling.made(close);
            telling.answered(end(close, at_ns + 410, None, None));
        }
    }
    telling.answered(end(lock, 29_999_500, None, None));
    telling.unanswered(lost, BEGIN_NS + 40_000_000);
    telling.facts.lost = 3;
    telling.facts.not_shown.not_files = 9;
}

fn kept() -> (Told, Vec<u8>) {
    let mut file = Vec::new();
    let mut both = Both {
        told: Told::default(),
        kept: CallsWriter::begin(&mut file, "perf").unwrap(),
    };
    let mut telling = Telling::new(&mut both, "perf");
    traced(&mut telling);
    let facts = telling.close();
    let Both { mut told, kept } = both;
    assert_eq!(kept.end(&facts).unwrap(), told.made.len() as u64);
    told.facts = facts;
    (told, file)
}

fn read(bytes: &[u8]) -> Told {
    let mut told = Told::default();
    let mut input = bytes;
    let head = head_of(&mut input).unwrap();
    told.facts = read_trace(format_of(&head).unwrap(), head, input, &mut told);
    told
}

#[test]
fn what_was_kept_comes_back_in_its_order() {
    let (told, file) = kept();
    let read = read(&file);
    assert_eq!(read.disordered, 0);
    assert_eq!(told.made, read.made);
    assert_eq!(told.answered, read.answered);
    assert_eq!(told.unanswered, read.unanswered);
    assert_eq!((told.names, told.lanes), (read.names, read.lanes));
    let facts = TraceFacts {
        file_bytes: 0,
        ..read.facts
    };
    assert_eq!(facts, told.facts);
    // The lock and the flush that has no end.
    let begins = file
        .split(|byte| *byte == b'\n')
        .filter(|line| line.ends_with(b",begin,"));
    assert_eq!(begins.count(), 2);
}

#[test]
fn what_was_not_ended_is_read_up_to_there() {
    let (told, file) = kept();
    let part = read(&file[..file.len() / 2]);
    let count = part.answered.len();
    let all = told.answered.len();
    assert!((all / 3..all).contains(&count), "{count} of {all}");
    assert_eq!(part.answered[..], told.answered[..count]);
    // The lock, the flush, and perhaps the line that is cut.
    assert_eq!(part.unanswered.len(), 2);
    assert!(part.facts.damaged <= 1 && part.facts.damage.is_some());
}

#[test]
fn a_full_disk_is_told_at_the_end() {
    struct Full(usize);
    impl Write for Full {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 = self.0.checked_sub(1).ok_or(io::ErrorKind::StorageFull)?;
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut kept = CallsWriter::begin(Full(50), "perf").unwrap();
    let mut telling = Telling::new(&mut kept, "perf");
    traced(&mut telling);
    let facts = telling.close();
    let error = kept.end(&facts).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::StorageFull);
}
