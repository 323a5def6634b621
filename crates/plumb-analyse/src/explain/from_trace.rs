//! What did an application do, by its individual calls? The figures of a trace as input of the rules.

use plumb_model::explain::observed::{CallShare, FlowControl, Observed, ObservedFrom};
use plumb_model::statement::Statement;
use plumb_model::trace::capture::{CaptureFacts, Protocol};
use plumb_model::trace::events::CallClass;
use plumb_model::trace::facts::TraceFacts;
use plumb_model::trace::summary::{CallFigures, Outstanding, TraceSummary};

use crate::explain::waits::counted_once;
use crate::trace::makes_durable;

/// Part of the time with any that a number of outstanding calls has to take, for it to be more than a moment.
const MOMENT: f64 = 0.01;
/// Shares of the packets or messages that may be lost, or of the messages that may be encrypted.
const LOST_MAX: f64 = 0.005;
const UNANSWERED_MAX: f64 = 0.02;
const ENCRYPTED_MAX: f64 = 0.1;

/// What the trace shows, from `begin_ns` on after the begin of its file.
pub fn observed_in_trace(trace: &TraceSummary, begin_ns: u64) -> Observed {
    counted_once(call_by_call(trace, begin_ns), trace)
}

/// The same with each call for itself.
fn call_by_call(trace: &TraceSummary, begin_ns: u64) -> Observed {
    let is_flush = |call: &&CallFigures| makes_durable(&call.name);
    let calls = || trace.calls.iter();
    let data: Vec<&CallFigures> = calls()
        .filter(|call| matches!(call.class, CallClass::Read | CallClass::Write))
        .collect();
    let count: u64 = data.iter().map(|call| call.count + call.without_time).sum();
    let bytes: u64 = data
        .iter()
        .filter_map(|call| call.transfer.as_ref())
        .fold(0, |sum, transfer| sum.saturating_add(transfer.bytes));
    let sum_ns: f64 = data.iter().map(|call| call.sum_ns).sum();
    let reads: u64 = data
        .iter()
        .filter(|call| call.class == CallClass::Read)
        .map(|call| call.count + call.without_time)
        .sum();
    let span_s = trace.span_ns as f64 / 1e9;
    let per_s = |value: f64| (span_s > 0.0).then(|| value / span_s);
    let per_request = |value: f64| (count > 0).then(|| value / count as f64);
    let metadata = calls().filter(|call| call.class == CallClass::Metadata && !is_flush(call));
    // Missing if the trace has no responses; so is everything derived from it.
    let outstanding = trace.outstanding.as_ref().filter(|_| trace.span_ns > 0);
    Observed {
        begin_ns,
        span_ns: trace.span_ns,
        requests: Some(count),
        requests_per_s: per_s(count as f64),
        bytes_per_s: per_s(bytes as f64),
        bytes_per_request: per_request(bytes as f64),
        read_share: per_request(reads as f64),
        request_ns: trace.outstanding.as_ref().and(per_request(sum_ns)),
        outstanding: outstanding.map(|of| of.mean),
        outstanding_most: trace.outstanding.as_ref().and_then(most),
        idle_share: outstanding.map(|of| of.idle_share),
        by_outstanding: outstanding.map_or_else(Vec::new, |of| of.by_outstanding.clone()),
        transfer_time: trace.transfer_time,
        round_trip_ns: trace.capture.as_ref().and_then(round_trip),
        round_trip_share: trace.round_trip_share,
        metadata: share(metadata, span_s),
        flushes: share(calls().filter(is_flush), span_s),
        sequential_share: sequential(&data),
        flow: trace.capture.as_ref().map(flow).unwrap_or_default(),
        requests_over_time: over_time(trace),
        outstanding_over_time: outstanding
            .iter()
            .flat_map(|outstanding| &outstanding.over_time)
            .map(|interval| interval.outstanding)
            .collect(),
        invalid: match (&trace.capture, &trace.recorded) {
            (Some(capture), _) => invalid(capture),
            (None, Some(recorded)) => invalid_calls(recorded),
            (None, None) => Vec::new(),
        },
        ..Observed::unknown(ObservedFrom::Trace, trace.source.clone())
    }
}

/// Of the reads and writes that have one before them on the same file.
fn sequential(data: &[&CallFigures]) -> Option<f64> {
    let transfers = || data.iter().filter_map(|call| call.transfer.as_ref());
    let following: u64 = transfers()
        .map(|of| of.located.saturating_sub(of.files))
        .sum();
    let sequential: u64 = transfers().map(|of| of.sequential).sum();
    (following > 0).then(|| sequential as f64 / following as f64)
}

/// Most outstanding calls that were more than a moment.
fn most(outstanding: &Outstanding) -> Option<u64> {
    let busy = outstanding
        .by_outstanding
        .iter()
        .filter(|of| of.outstanding > 0);
    let needed_ns = busy.map(|of| of.time_ns as f64).sum::<f64>() * MOMENT;
    let mut time_ns = 0.0;
    let highest_first = outstanding.by_outstanding.iter().rev();
    let reached = highest_first.into_iter().find(|of| {
        time_ns += of.time_ns as f64;
        time_ns >= needed_ns
    });
    reached.map(|of| of.outstanding)
}

fn round_trip(capture: &CaptureFacts) -> Option<f64> {
    let known = capture.connections.iter();
    let times: Vec<f64> = known
        .filter_map(|connection| connection.to_server_ns)
        .map(|ns| ns as f64)
        .collect();
    (!times.is_empty()).then(|| times.iter().sum::<f64>() / times.len() as f64)
}

/// Calls of one kind. A trace shows all of them, so that none is 0 and not unknown.
fn share<'a>(calls: impl Iterator<Item = &'a CallFigures>, span_s: f64) -> CallShare {
    let calls: Vec<&CallFigures> = calls.collect();
    let timed: u64 = calls.iter().map(|call| call.count).sum();
    let without_time: u64 = calls.iter().map(|call| call.without_time).sum();
    let count = timed + without_time;
    let sum_ns: f64 = calls.iter().map(|call| call.sum_ns).sum();
    let longest = calls.iter().max_by(|a, b| a.sum_ns.total_cmp(&b.sum_ns));
    CallShare {
        per_s: (span_s > 0.0).then(|| count as f64 / span_s),
        mean_ns: (timed > 0).then(|| sum_ns / timed as f64),
        time_share: (without_time == 0)
            .then(|| calls.iter().filter_map(|call| call.time_share).sum()),
        most: longest.map(|call| call.name.clone()),
    }
}

fn flow(capture: &CaptureFacts) -> FlowControl {
    let known: Vec<_> = capture
        .connections
        .iter()
        .filter_map(|connection| Some((connection.credits.last_credit?, connection.requests)))
        .collect();
    let requests: u64 = known.iter().map(|(_, requests)| requests).sum();
    let last_credit: u64 = known.iter().map(|(took, _)| took).sum();
    let in_use = capture.connections.iter();
    let in_use = in_use.filter(|connection| connection.protocol == Protocol::Smb);
    FlowControl {
        stalls_per_s: None,
        last_credit_share: (requests > 0).then(|| last_credit as f64 / requests as f64),
        credits_in_use: in_use
            .map(|connection| connection.credits.outstanding_max)
            .max(),
    }
}

/// Completions per second of each interval; the last is incomplete.
fn over_time(trace: &TraceSummary) -> Vec<f64> {
    let Some(outstanding) = &trace.outstanding else {
        return Vec::new();
    };
    let seconds = outstanding.interval_ns as f64 / 1e9;
    let complete = outstanding.over_time.len().saturating_sub(1);
    let intervals = outstanding.over_time.iter().take(complete);
    intervals
        .map(|interval| interval.answered as f64 / seconds)
        .collect()
}

/// Why nothing is concluded from calls of which too many are missing.
fn invalid_calls(recorded: &TraceFacts) -> Vec<Statement> {
    let lost = recorded.lost + recorded.damaged;
    if lost as f64 > LOST_MAX * recorded.records as f64 {
        return vec![
            Statement::new("explain-calls-lost")
                .count("lost", lost)
                .count("all", recorded.records),
        ];
    }
    Vec::new()
}

fn invalid(capture: &CaptureFacts) -> Vec<Statement> {
    let mut statements = Vec::new();
    let lost = capture.packet_losses.dropped.unwrap_or(0) + capture.packet_losses.gaps;
    if lost as f64 > LOST_MAX * capture.packets as f64 {
        statements.push(Statement::new("explain-capture-lost").count("lost", lost));
    }
    let of = &capture.protection;
    let all = of.clear_messages + of.encrypted_messages + of.compressed_messages;
    let hidden = of.encrypted_messages + of.compressed_messages;
    if hidden as f64 > ENCRYPTED_MAX * all as f64 {
        statements.push(
            Statement::new("explain-encrypted")
                .count("hidden", hidden)
                .count("all", all),
        );
    }
    let requests: u64 = capture.connections.iter().map(|of| of.requests).sum();
    let unanswered = capture.message_losses.unanswered + capture.message_losses.unmatched_responses;
    if unanswered as f64 > UNANSWERED_MAX * requests as f64 {
        statements.push(Statement::new("explain-unanswered").count("messages", unanswered));
    }
    statements
}

#[cfg(test)]
mod tests {
    use super::*;
    use plumb_model::trace::capture::Connection;

    /// 1,000 packets with 1,000 requests in 1,000 messages.
    fn capture() -> CaptureFacts {
        let mut capture = CaptureFacts {
            packets: 1000,
            connections: vec![Connection {
                requests: 1000,
                ..Connection::default()
            }],
            ..CaptureFacts::default()
        };
        capture.protection.clear_messages = 1000;
        capture
    }

    #[test]
    fn a_capture_is_doubted_beyond_what_may_be_missing() {
        let check = |change: &dyn Fn(&mut CaptureFacts), expect: Option<&str>| {
            let mut capture = capture();
            change(&mut capture);
            let found = invalid(&capture);
            let ids: Vec<&str> = found.iter().map(|statement| &*statement.id).collect();
            assert_eq!(ids, expect.into_iter().collect::<Vec<_>>());
        };
        // Half of a percent of the packets, dropped or missing, in all.
        check(&|of| of.packet_losses.dropped = Some(5), None);
        check(
            &|of| {
                of.packet_losses.dropped = Some(5);
                of.packet_losses.gaps = 1;
            },
            Some("explain-capture-lost"),
        );
        // A tenth of the messages, encrypted or compressed.
        let hidden = |encrypted, compressed| {
            move |of: &mut CaptureFacts| {
                of.protection.encrypted_messages = encrypted;
                of.protection.compressed_messages = compressed;
                of.protection.clear_messages = 1000 - encrypted - compressed;
            }
        };
        check(&hidden(60, 40), None);
        check(&hidden(60, 41), Some("explain-encrypted"));
        // One in fifty without an answer, or without its request.
        check(&|of| of.message_losses.unanswered = 20, None);
        check(
            &|of| {
                of.message_losses.unanswered = 20;
                of.message_losses.unmatched_responses = 1;
            },
            Some("explain-unanswered"),
        );
        check(&|of| *of = CaptureFacts::default(), None);
    }
}
