//! Are figures of files, threads, flushes and slow calls those of the events, whatever the order of names, and with more files than are told apart?

use plumb_model::trace::events::{Answered, Call, CallClass, Status, TraceEvent};
use plumb_model::trace::facts::TraceFacts;
use plumb_model::trace::receiver::TraceReceiver;
use plumb_model::trace::summary::TraceSummary;
use plumb_model::trace::work::FileFigures;

use crate::trace::TraceTally;

const MS: u64 = 1_000_000;

/// Events of one call after the other, at times in milliseconds.
struct Told {
    tally: TraceTally,
    has_responses: bool,
}

impl Told {
    fn new() -> Told {
        Told {
            tally: TraceTally::default(),
            has_responses: true,
        }
    }

    fn call(&mut self, call: Call, took_ms: u64, status: Option<Status>) {
        self.tally.take(&TraceEvent::Made(call));
        if self.has_responses {
            self.tally.take(&TraceEvent::Answered(Answered {
                call,
                at_ns: call.at_ns + took_ms * MS,
                moved_bytes: call.bytes,
                status,
                round_trip_ns: None,
                was_pending: false,
            }));
        }
    }

    fn name(&mut self, file: u64, name: &str) {
        TraceReceiver::name(&mut self.tally, file, name);
    }

    fn summary(self) -> TraceSummary {
        let facts = TraceFacts {
            has_responses: self.has_responses,
            ..TraceFacts::default()
        };
        self.tally.summary_of_calls("x".into(), "0", facts)
    }
}

fn call(name: &'static str, at_ms: u64, lane: u32, file: u64) -> Call {
    let class = match name {
        "read" | "pread64" => CallClass::Read,
        "write" => CallClass::Write,
        "poll" => CallClass::Wait,
        _ => CallClass::Metadata,
    };
    Call {
        name,
        class,
        at_ns: 1_000_000 * MS + at_ms * MS,
        lane,
        file: Some(file),
        offset: None,
        bytes: None,
        closes: name == "close",
    }
}

fn moving(name: &'static str, at_ms: u64, file: u64, offset: u64, bytes: u64) -> Call {
    Call {
        offset: Some(offset),
        bytes: Some(bytes),
        ..call(name, at_ms, 0, file)
    }
}

fn file<'a>(summary: &'a TraceSummary, name: &str) -> &'a FileFigures {
    let files = summary.files.as_ref().expect("files");
    let found = files
        .most
        .iter()
        .find(|file| file.name.as_deref() == Some(name));
    found.unwrap_or_else(|| panic!("no {name} in {:#?}", files.most))
}

const NOT_FOUND: Status = Status {
    code: 2,
    name: Some("ENOENT"),
    is_error: true,
};

#[test]
fn a_file_that_is_opened_again_is_the_same_and_a_failed_open_is_none() {
    let mut found = Told::new();
    found.call(call("open", 0, 0, 0), 1, Some(NOT_FOUND));
    // Its name comes after its first call, as in a live trace.
    found.call(call("open", 2, 0, 1), 1, None);
    found.name(1, "a");
    found.call(moving("read", 4, 1, 0, 4096), 2, None);
    found.call(moving("read", 7, 1, 4096, 4096), 2, None);
    found.call(moving("read", 10, 1, 0, 4096), 2, None);
    found.call(call("close", 13, 0, 1), 1, None);
    // The second time the name comes before; where it stands then is no matter of the first time.
    found.name(2, "a");
    found.call(moving("read", 15, 2, 12_288, 4096), 2, None);
    found.call(call("close", 18, 0, 2), 1, None);
    found.call(call("open", 20, 0, 3), 1, None);
    found.name(3, "b");
    found.call(moving("write", 22, 3, 0, 100), 1, None);
    found.call(call("close", 24, 0, 3), 1, None);
    let mut stat = call("stat", 26, 0, 0);
    stat.file = None;
    found.call(stat, 3, None);
    let summary = found.summary();
    let files = summary.files.as_ref().unwrap();
    assert_eq!((files.count, files.named, files.summed_early), (2, 2, 0));
    let of_a = file(&summary, "a");
    assert_eq!((of_a.opens, of_a.totals.calls), (2, 7));
    assert_eq!(of_a.totals.sum_ns, 11.0 * MS as f64);
    assert_eq!((of_a.totals.following, of_a.totals.sequential), (2, 1));
    assert_eq!(of_a.totals.sequential_share(), Some(0.5));
    assert_eq!(files.most[0].name.as_deref(), Some("a"));
    assert_eq!(
        (files.without_file.calls, files.without_file.sum_ns),
        (2, 4.0 * MS as f64)
    );
    assert_eq!(files.without_file.time_share, Some(4.0 / 18.0));
    let once = files.touched_once.unwrap();
    assert_eq!((once.files, once.of_files), (1, 2));
    assert_eq!((once.bytes, once.of_bytes), (100, 4 * 4096 + 100));
    let mix: Vec<_> = summary.mix.iter().map(|of| (of.class, of.count)).collect();
    assert_eq!(
        mix,
        [
            (CallClass::Read, 4),
            (CallClass::Write, 1),
            (CallClass::Metadata, 7)
        ]
    );
    assert_eq!(summary.mix[0].time_share, Some(8.0 / 18.0));
    assert_eq!(summary.mix[0].bytes, 4 * 4096);
}

#[test]
fn flushes_have_their_cadence_and_what_was_written_before_each() {
    let mut found = Told::new();
    found.name(1, "log");
    found.name(2, "data");
    for round in 0..3u64 {
        let at_ms = round * 10;
        found.call(moving("write", at_ms, 1, round * 512, 512), 1, None);
        found.call(moving("write", at_ms + 2, 2, 0, 1 << 20), 1, None);
        found.call(call("fdatasync", at_ms + 4, 0, 1), 2, None);
    }
    // Another open of the same file, and one that nothing was written to since.
    found.name(3, "data");
    found.call(call("fsync", 40, 0, 3), 4, None);
    found.call(call("fsync", 50, 0, 1), 1, None);
    let summary = found.summary();
    let flushes = summary.flushes.as_ref().unwrap();
    assert_eq!((flushes.count, flushes.without_time), (5, 0));
    assert_eq!(flushes.service_time.max, Some(4.0 * MS as f64));
    assert_eq!(flushes.time_share, Some(11.0 / 17.0));
    assert_eq!(flushes.interval.count, 4);
    assert_eq!(flushes.interval.max, Some(16.0 * MS as f64));
    let written = flushes.written_before.unwrap();
    assert_eq!((written.flushes, written.without_bytes), (5, 1));
    // Quantiles are within 0.4 %.
    assert!((written.p50 - 512.0).abs() < 2.0, "{}", written.p50);
    assert_eq!(written.max, 3.0 * f64::from(1 << 20));
}

#[test]
fn threads_are_busy_or_think_and_the_slowest_calls_are_told_with_their_names() {
    let mut found = Told::new();
    TraceReceiver::name_lane(&mut found.tally, 0, "11");
    TraceReceiver::name_lane(&mut found.tally, 1, "12");
    found.name(1, "a");
    for round in 0..30 {
        found.call(
            moving("pread64", round * 10, 1, round * 4096, 4096),
            2,
            None,
        );
    }
    found.call(call("poll", 291, 1, 9), 1000, None);
    found.call(call("fsync", 295, 1, 1), 100, Some(NOT_FOUND));
    let summary = found.summary();
    let threads = summary.threads.as_ref().unwrap();
    assert_eq!((threads.count, threads.rest_calls), (2, 0));
    assert_eq!(threads.most[0].name, "12");
    assert_eq!(threads.most[0].busy_ns, Some(100.0 * MS as f64));
    assert_eq!(
        (threads.most[1].calls, threads.most[1].span_ns),
        (30, 292 * MS)
    );
    assert_eq!(threads.most[1].busy_share, Some(60.0 / 395.0));
    let think = summary.think_time.as_ref().unwrap();
    assert_eq!(think.between_calls.count, 29);
    assert_eq!(think.between_calls.max, Some(8.0 * MS as f64));
    assert_eq!(think.share, 29.0 * 8.0 / (292.0 + 100.0));
    assert_eq!(summary.slowest.len(), 20);
    let slowest = &summary.slowest[0];
    assert_eq!(
        (slowest.call.as_str(), slowest.after_ns),
        ("fsync", 295 * MS)
    );
    assert_eq!(
        (slowest.thread.as_deref(), slowest.file.as_deref()),
        (Some("12"), Some("a"))
    );
    assert_eq!(slowest.status.as_deref(), Some("ENOENT"));
    // Of those that took as long, the first.
    assert_eq!(
        (summary.slowest[1].after_ns, summary.slowest[19].after_ns),
        (0, 180 * MS)
    );
}

#[test]
fn without_times_files_are_told_by_their_bytes() {
    let mut found = Told::new();
    found.has_responses = false;
    found.call(call("open", 0, 0, 1), 0, None);
    found.call(call("open", 1, 0, 2), 0, None);
    found.name(2, "a");
    found.call(moving("read", 2, 2, 0, 4096), 0, None);
    found.call(call("close", 3, 0, 2), 0, None);
    let summary = found.summary();
    assert!(
        summary.think_time.is_none() && summary.threads.is_none() && summary.slowest.is_empty()
    );
    let files = summary.files.as_ref().unwrap();
    // The open that nothing followed may have failed.
    assert_eq!((files.count, files.without_file.calls), (1, 1));
    let of_a = file(&summary, "a").totals;
    assert_eq!((of_a.read_bytes, of_a.time_share), (4096, None));
    assert_eq!(files.touched_once.unwrap().files, 1);
    assert_eq!((summary.mix[0].count, summary.mix[0].time_share), (1, None));
}

#[test]
fn more_files_than_are_told_apart_are_added_up_and_the_heavy_ones_stay() {
    let mut found = Told::new();
    let files = 300_000u64;
    found.name(files, "heavy");
    for number in 0..files {
        found.name(number, &format!("/a/{number}"));
        found.call(moving("read", number, number, 0, 10), 1, None);
        found.call(call("close", number, 0, number), 0, None);
        if number % 1000 == 0 {
            found.call(moving("read", number, files, 0, 10), 50, None);
        }
    }
    let summary = found.summary();
    let of_heavy = file(&summary, "heavy");
    assert_eq!((of_heavy.totals.calls, of_heavy.opens), (300, 1));
    let figures = summary.files.as_ref().unwrap();
    assert_eq!(figures.count, files + 1);
    assert!(figures.summed_early > files / 2 && figures.touched_once.is_none());
    let reported_bytes: u64 = figures.most.iter().map(|of| of.totals.read_bytes).sum();
    assert_eq!(reported_bytes + figures.rest.read_bytes, (files + 300) * 10);
}

/// A damaged trace may say anything of times and sizes.
#[test]
fn sums_of_enormous_numbers_are_no_harm() {
    let mut found = Told::new();
    for lane in 0..4 {
        found.name(lane.into(), &format!("file {lane}"));
        let mut call = moving("read", 0, lane.into(), u64::MAX, u64::MAX - 1);
        (call.lane, call.at_ns) = (lane, 5);
        found.call(call, u64::MAX / MS - 10, None);
        call.at_ns = u64::MAX / 2;
        found.call(call, 1, None);
        let mut flush = self::call("fsync", 0, lane, lane.into());
        flush.at_ns = u64::MAX - 1;
        found.call(flush, 0, None);
    }
    let summary = found.summary();
    assert_eq!(summary.mix[0].bytes, u64::MAX);
    assert!(
        summary
            .think_time
            .is_some_and(|think| think.share.is_finite())
    );
}
