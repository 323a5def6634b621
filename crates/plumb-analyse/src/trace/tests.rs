//! Are figures of a trace those of its events, and do the sentences say what they show?

use plumb_model::trace::capture::{CaptureFacts, Connection};
use plumb_model::trace::events::{Answered, Call, CallClass, Status, TraceEvent};
use plumb_model::trace::summary::TraceSummary;

use super::TraceTally;
use crate::english::in_english;

const MS: u64 = 1_000_000;
const BEGIN_NS: u64 = 1_700_000_000_000_000_000;

fn read(at_ms: u64, offset: u64, bytes: u64) -> Call {
    Call {
        name: "READ",
        class: CallClass::Read,
        at_ns: BEGIN_NS + at_ms * MS,
        lane: 0,
        file: Some(7),
        offset: Some(offset),
        bytes: Some(bytes),
        closes: false,
    }
}

fn answer(call: Call, at_ms: u64, status: Option<Status>) -> TraceEvent {
    TraceEvent::Answered(Answered {
        call,
        at_ns: BEGIN_NS + at_ms * MS,
        moved_bytes: call.bytes,
        status,
        round_trip_ns: Some(2 * MS),
        was_pending: false,
    })
}

fn summary(events: &[TraceEvent]) -> TraceSummary {
    let mut tally = TraceTally::default();
    events.iter().for_each(|event| tally.take(event));
    let capture = CaptureFacts {
        connections: vec![Connection {
            to_server_ns: Some(2 * MS),
            handshake_ns: Some(2 * MS),
            ..Connection::default()
        }],
        connections_count: 1,
        ..CaptureFacts::default()
    };
    tally.summary("x.pcap".into(), "0", Some(capture))
}

/// Whether one of the sentences holds all of these words.
fn assert_verdict(summary: &TraceSummary, words: &[&str]) {
    let sentences: Vec<String> = summary
        .verdict
        .iter()
        .chain(&summary.doubts)
        .map(in_english)
        .collect();
    let holds = |sentence: &String| words.iter().all(|word| sentence.contains(word));
    assert!(sentences.iter().any(holds), "{words:?}: {sentences:#?}");
}

#[test]
fn one_at_a_time_is_seen_with_its_pauses_and_its_network() {
    let mut events = Vec::new();
    // Ten reads of 10 ms each, one after another, with 10 ms between two of them.
    for round in 0..10 {
        let call = read(round * 20, round * 4096, 4096);
        events.extend([TraceEvent::Made(call), answer(call, round * 20 + 10, None)]);
    }
    let summary = summary(&events);
    let of_reads = &summary.calls[0];
    assert_eq!((of_reads.count, of_reads.sum_ns), (10, 100.0 * MS as f64));
    assert_eq!(of_reads.time_share, Some(1.0));
    assert_eq!(summary.span_ns, 190 * MS);
    let outstanding = summary.outstanding.as_ref().unwrap();
    assert_eq!(
        (outstanding.max, outstanding.mean_while_busy),
        (1, Some(1.0))
    );
    assert!((outstanding.idle_share - 90.0 / 190.0).abs() < 1e-9);
    assert_eq!(outstanding.shares.len(), 2);
    assert!((outstanding.mean - 100.0 / 190.0).abs() < 1e-9);
    assert_eq!(summary.round_trip_share, Some(0.2));
    let transfer = of_reads.transfer.as_ref().expect("reads move bytes");
    assert_eq!(
        (transfer.bytes, transfer.sequential, transfer.located),
        (40_960, 9, 10)
    );
    assert_eq!((transfer.aligned, transfer.files), (10, 1));
    assert_eq!(transfer.size.classes[0].up_to_bytes, 4096);
    assert_verdict(
        &summary,
        &[
            "10 answered calls in 190 ms",
            "1 connection:",
            "40 KiB read",
        ],
    );
    assert_verdict(&summary, &["one at a time", "47.4 %"]);
    assert_verdict(&summary, &["100 % are sequential"]);
    assert_verdict(&summary, &["round trip", "2 ms", "20 %"]);
}

#[test]
fn what_overlaps_is_outstanding_together_in_each_interval() {
    let calls: Vec<Call> = (0..8).map(|at| read(at, at << 30, 1 << 20)).collect();
    let mut events: Vec<TraceEvent> = calls.iter().map(|call| TraceEvent::Made(*call)).collect();
    events.extend(calls.iter().map(|call| answer(*call, 100, None)));
    // The rest of a long trace is idle, and its intervals are long.
    let late = read(100_000, 0, 1);
    events.extend([TraceEvent::Made(late), answer(late, 100_000, None)]);
    let summary = summary(&events);
    let outstanding = summary.outstanding.as_ref().unwrap();
    assert_eq!(outstanding.max, 8);
    let sum_ms = (93..=100).sum::<u64>() as f64;
    assert!((outstanding.mean - sum_ms / 100_000.0).abs() < 1e-6);
    let areas = outstanding.over_time.iter().map(|of| of.outstanding);
    let total_ms = areas.sum::<f64>() * outstanding.interval_ns as f64 / MS as f64;
    assert!((total_ms - sum_ms).abs() < 1e-3, "{total_ms} {sum_ms}");
    assert!(outstanding.over_time.len() <= 240 && outstanding.over_time[0].outstanding_max == 8);
    assert_verdict(&summary, &["waiting for one another"]);
}

#[test]
fn waiting_calls_and_lost_answers_take_no_share() {
    let wait = Call {
        name: "CHANGE_NOTIFY",
        class: CallClass::Wait,
        ..read(0, 0, 0)
    };
    let (call, lost) = (read(0, 0, 512), read(10, 512, 512));
    let not_found = Status {
        code: 0xc000_0034,
        name: None,
        is_error: true,
    };
    let summary = summary(&[
        TraceEvent::Made(wait),
        TraceEvent::Made(call),
        answer(call, 5, Some(not_found)),
        TraceEvent::Made(lost),
        answer(wait, 1000, None),
        TraceEvent::Unanswered(lost, BEGIN_NS + 1000 * MS),
    ]);
    assert_eq!(summary.calls.last().map(|of| of.time_share), Some(None));
    let of_reads = &summary.calls[0];
    assert_eq!(
        (of_reads.count, of_reads.unanswered, of_reads.errors),
        (1, 1, 1)
    );
    assert_eq!(of_reads.statuses[0].status, "0xc0000034");
    // The last call is made after 10 ms: what waits, and when the connection ended, is no work.
    assert_eq!(summary.span_ns, 10 * MS);
    let outstanding = summary.outstanding.as_ref().unwrap();
    assert!((outstanding.mean - 0.5).abs() < 1e-9);
    assert_eq!(
        (outstanding.max, outstanding.mean_while_busy),
        (1, Some(1.0))
    );
    assert_eq!(outstanding.idle_share, 0.5);
    assert_verdict(
        &summary,
        &["50 % of the replies are errors", "0xc0000034 to READ"],
    );
}

#[test]
fn a_trace_without_calls_has_figures_too() {
    let summary = summary(&[]);
    assert_eq!((summary.span_ns, summary.calls.len()), (0, 0));
    assert_eq!(summary.outstanding.as_ref().unwrap().idle_share, 0.0);
    assert_verdict(&summary, &["0 answered calls"]);
}
