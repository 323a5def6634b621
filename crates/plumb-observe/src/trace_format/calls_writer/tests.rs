//! Do calls that were kept come back as they were, in their order, however long one of them takes?

use super::*;
use crate::event_sink::EventSink;
use crate::event_sink::tests::Reported;
use crate::trace_formats::{format_of, head_of, read_trace};
use plumb_model::trace::events::Status;

const BEGIN_NS: u64 = 1_795_529_275_000_000_000;

/// Two receivers of the same trace.
struct Both<'a> {
    reported: Reported,
    kept: CallsWriter<&'a mut Vec<u8>>,
}

impl TraceReceiver for Both<'_> {
    fn take(&mut self, event: TraceEvent) {
        self.reported.take(event);
        self.kept.take(event);
    }

    fn name(&mut self, file: u64, name: &str) {
        self.reported.name(file, name);
        self.kept.name(file, name);
    }

    fn name_lane(&mut self, lane: u32, name: &str) {
        self.reported.name_lane(lane, name);
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
fn traced(event_sink: &mut EventSink<'_>) {
    let end = |call: Call, at_ns: u64, status: Option<Status>, moved_bytes: Option<u64>| Answered {
        call,
        at_ns: BEGIN_NS + at_ns,
        moved_bytes,
        status,
        round_trip_ns: None,
        was_pending: false,
    };
    event_sink.name_lane(0, "11");
    event_sink.name_lane(1, "12");
    event_sink.name_lane(2, "13");
    let lock = call("flock", 10, 2, 1);
    let lost = call("fsync", 15, 1, 1);
    event_sink.made(lock);
    event_sink.made(lost);
    for round in 0..30_000u64 {
        let at_ns = 100 + round * 1000;
        let file = 10 + round / 100;
        if round % 100 == 0 {
            let open = call("openat", at_ns, 0, file);
            event_sink.made(open);
            if round % 300 != 0 {
                event_sink.name(file, &format!("/tmp/a,{}\n\"{round}\"\\", round % 7));
            }
            event_sink.answered(end(open, at_ns + 10, None, None));
        }
        let read = Call {
            offset: Some(round * 7),
            bytes: Some(round),
            ..call("pread64", at_ns + 20, 0, file)
        };
        let write = call("io_uring write", at_ns + 30, 1, file);
        event_sink.made(read);
        event_sink.made(write);
        event_sink.answered(end(write, at_ns + 200, None, Some(4096)));
        let status =
            (round % 50 == 0).then(|| crate::calls::errno::of_number(5 + (round % 200) as u32));
        event_sink.answered(end(read, at_ns + 100 + round % 150, status, Some(round)));
        event_sink.release(BEGIN_NS + at_ns + 300);
        if round % 100 == 99 {
            let close = call("close", at_ns + 400, 0, file);
            event_sink.made(close);
            event_sink.answered(end(close, at_ns + 410, None, None));
        }
    }
    event_sink.answered(end(lock, 29_999_500, None, None));
    event_sink.unanswered(lost, BEGIN_NS + 40_000_000);
    event_sink.facts.lost = 3;
    event_sink.facts.not_shown.not_files = 9;
}

fn kept() -> (Reported, Vec<u8>) {
    let mut file = Vec::new();
    let mut both = Both {
        reported: Reported::default(),
        kept: CallsWriter::begin(&mut file, "perf").unwrap(),
    };
    let mut event_sink = EventSink::new(&mut both, "perf");
    traced(&mut event_sink);
    let facts = event_sink.close();
    let Both { mut reported, kept } = both;
    assert_eq!(kept.end(&facts).unwrap(), reported.made.len() as u64);
    reported.facts = facts;
    (reported, file)
}

fn read(bytes: &[u8]) -> Reported {
    let mut reported = Reported::default();
    let mut input = bytes;
    let head = head_of(&mut input).unwrap();
    reported.facts = read_trace(format_of(&head).unwrap(), head, input, &mut reported);
    reported
}

#[test]
fn what_was_kept_comes_back_in_its_order() {
    let (reported, file) = kept();
    let read = read(&file);
    assert_eq!(read.disordered, 0);
    assert_eq!(reported.made, read.made);
    assert_eq!(reported.answered, read.answered);
    assert_eq!(reported.unanswered, read.unanswered);
    assert_eq!((reported.names, reported.lanes), (read.names, read.lanes));
    let facts = TraceFacts {
        file_bytes: 0,
        ..read.facts
    };
    assert_eq!(facts, reported.facts);
    // The lock and the flush that has no end.
    let begins = file
        .split(|byte| *byte == b'\n')
        .filter(|line| line.ends_with(b",begin,"));
    assert_eq!(begins.count(), 2);
}

/// Reads, writes, flushes and discards of a device.
#[test]
fn requests_of_block_devices_come_back_too() {
    let mut trace = &include_bytes!("../../../../../testdata/traces/blkparse-loop.txt")[..];
    let mut file = Vec::new();
    let mut both = Both {
        reported: Reported::default(),
        kept: CallsWriter::begin(&mut file, "blkparse").unwrap(),
    };
    let head = head_of(&mut trace).unwrap();
    let facts = read_trace(format_of(&head).unwrap(), head, trace, &mut both);
    let Both { reported, kept } = both;
    assert_eq!(kept.end(&facts).unwrap(), 48);
    let read = read(&file);
    assert_eq!(
        (reported.made, reported.answered),
        (read.made, read.answered)
    );
    assert_eq!((read.facts.damaged, reported.names), (0, read.names));
}

#[test]
fn what_was_not_ended_is_read_up_to_there() {
    let (reported, file) = kept();
    let part = read(&file[..file.len() / 2]);
    let count = part.answered.len();
    let all = reported.answered.len();
    assert!((all / 3..all).contains(&count), "{count} of {all}");
    assert_eq!(part.answered[..], reported.answered[..count]);
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
    let mut event_sink = EventSink::new(&mut kept, "perf");
    traced(&mut event_sink);
    let facts = event_sink.close();
    let error = kept.end(&facts).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::StorageFull);
}

#[test]
fn periods_of_threads_and_mounts_are_read_as_they_were_written() {
    use plumb_model::trace::events::{Activity, OffCpu, ThreadLife};

    let mut file = Vec::new();
    let mut writer = CallsWriter::begin(&mut file, "perf").unwrap();
    writer.mount("/mnt/a b", "nfs4", "server:/x, y");
    writer.name_lane(3, "4711");
    writer.name(9, "/mnt/a b/f, \"g\"");
    let periods: Vec<OffCpu> = Activity::ALL
        .iter()
        .zip(0..)
        .map(|(activity, at)| OffCpu {
            lane: 3,
            begin_ns: 1000 + at * 10,
            end_ns: 1005 + at * 10,
            activity: *activity,
            file: activity.is_storage().then_some(9),
        })
        .collect();
    for period in &periods {
        writer.take(TraceEvent::OffCpu(*period));
    }
    let life = ThreadLife {
        lane: 3,
        begin_ns: 900,
        end_ns: 2000,
    };
    writer.take(TraceEvent::Ended(life));
    writer.end(&TraceFacts::default()).unwrap();
    let mut reported = Reported::default();
    let mut rest = &file[..];
    let head = head_of(&mut rest).unwrap();
    let facts = read_trace(format_of(&head).unwrap(), head, rest, &mut reported);
    assert_eq!((facts.damaged, facts.damage.is_none()), (0, true));
    assert_eq!(reported.off_cpu, periods);
    assert_eq!(reported.ended, [life]);
    assert_eq!(reported.names[&9], "/mnt/a b/f, \"g\"");
    assert_eq!(reported.lanes[&3], "4711");
    assert_eq!(
        reported.mounts,
        [(
            "/mnt/a b".to_string(),
            "nfs4".to_string(),
            "server:/x, y".to_string()
        )]
    );
}
