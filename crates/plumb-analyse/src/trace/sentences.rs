//! What are the first sentences on a trace? Where the time goes, outstanding calls, sizes, and the share of the network.

mod work;

use plumb_model::statement::Statement;
use plumb_model::trace::capture::{CaptureFacts, Connection};
use plumb_model::trace::events::CallClass;
use plumb_model::trace::summary::{CallFigures, TraceSummary};

/// Kinds of call are named as taking the time from this share on, and how many of them at most.
const SHARE_MIN: f64 = 0.1;
const NAMED_MAX: usize = 3;
/// Sizes are stated for kinds with at least this share of the bytes, or the share above of the time.
const BYTES_MIN: f64 = 0.05;
/// With fewer outstanding than this on average while any was, calls are made one at a time.
const ONE_AT_A_TIME: f64 = 1.3;
/// With more, their times are in part those of waiting for each other.
const QUEUE: f64 = 4.0;
/// A capture was taken near the server if its part of the round trip is below this share of the total ...
const NEAR_SHARE: f64 = 0.5;
/// ... and the rest is worth a word, in nanoseconds.
const FAR_NS: u64 = 100_000;
/// Share of error responses, and of retransmitted segments, from which they are reported.
const ERRORS_MIN: f64 = 0.01;
const RETRANSMITTED_MIN: f64 = 0.001;

/// The sentences at first glance.
pub(super) fn verdict(summary: &TraceSummary) -> Vec<Statement> {
    let mut statements = vec![overview(summary)];
    let named = summary
        .calls
        .iter()
        .filter(|call| call.time_share.is_some_and(|share| share >= SHARE_MIN));
    statements.extend(named.take(NAMED_MAX).map(takes_time));
    statements.extend(work::mix(summary));
    statements.extend(outstanding(summary));
    statements.extend(work::think_time(summary));
    let moved = bytes_of(summary, |_| true) as f64;
    let has_part = |call: &&CallFigures| {
        let of = call.transfer.as_ref().map_or(0, |transfer| transfer.bytes);
        of as f64 >= BYTES_MIN * moved || call.time_share.is_some_and(|share| share >= SHARE_MIN)
    };
    statements.extend(summary.calls.iter().filter(has_part).filter_map(sizes));
    statements.extend(work::busiest_file(summary));
    statements.extend(work::touched_once(summary));
    statements.extend(work::flushes(summary));
    statements.extend(round_trip(summary));
    statements.extend(summary.capture.as_ref().and_then(near_the_server));
    statements.extend(errors(summary));
    statements.extend(summary.capture.as_ref().and_then(credits));
    statements.extend(summary.capture.as_ref().and_then(channels));
    statements.extend(summary.capture.as_ref().and_then(retransmissions));
    statements.extend(summary.recorded.as_ref().and_then(|facts| {
        let cpu_ns = facts.cpu_ns? as f64;
        let share = 100.0 * cpu_ns / summary.span_ns.max(1) as f64;
        Some(match facts.format.as_str() {
            "strace" => Statement::new("trace-cost-strace")
                .time_ns("cpu", cpu_ns)
                .percent("share", share),
            "etw" => Statement::new("trace-cost-etw")
                .time_ns("cpu", cpu_ns)
                .percent("share", share),
            _ => Statement::new("trace-cost")
                .time_ns("cpu", cpu_ns)
                .percent("share", share),
        })
    }));
    statements
}

/// Bytes that calls of some classes moved.
fn bytes_of(summary: &TraceSummary, is_one: impl Fn(CallClass) -> bool) -> u64 {
    let of = summary.calls.iter().filter(|call| is_one(call.class));
    of.filter_map(|call| call.transfer.as_ref())
        .fold(0, |sum, transfer| sum.saturating_add(transfer.bytes))
}

fn overview(summary: &TraceSummary) -> Statement {
    let moved = |class: CallClass| bytes_of(summary, |of| of == class);
    let count = summary.calls.iter().map(|call| call.count).sum();
    if !summary.has_responses() {
        let calls = summary.calls.iter().map(|call| call.without_time).sum();
        return Statement::new("trace-overview-without-times")
            .count("calls", calls)
            .time_ns("span", summary.span_ns as f64)
            .bytes("read", moved(CallClass::Read) as f64)
            .bytes("written", moved(CallClass::Write) as f64);
    }
    let connections = summary
        .capture
        .as_ref()
        .map_or(0, |capture| capture.connections_count);
    Statement::new("trace-overview")
        .count("calls", count)
        .time_ns("span", summary.span_ns as f64)
        .count("connections", connections)
        .bytes("read", moved(CallClass::Read) as f64)
        .bytes("written", moved(CallClass::Write) as f64)
}

fn takes_time(call: &CallFigures) -> Statement {
    let latency = &call.service_time;
    let (mean, share) = (
        latency.mean.unwrap_or(0.0),
        call.time_share.unwrap_or(0.0) * 100.0,
    );
    match latency.p99 {
        Some(p99) => Statement::new("trace-takes-time")
            .name("call", &call.name)
            .percent("share", share)
            .count("count", call.count)
            .time_ns("mean", mean)
            .time_ns("p99", p99),
        None => Statement::new("trace-takes-time-few")
            .name("call", &call.name)
            .percent("share", share)
            .count("count", call.count)
            .time_ns("mean", mean)
            .time_ns("longest", latency.max.unwrap_or(0.0)),
    }
}

fn outstanding(summary: &TraceSummary) -> Option<Statement> {
    let figures = summary.outstanding.as_ref()?;
    let busy = figures.mean_while_busy?;
    let (idle, max) = (figures.idle_share * 100.0, figures.max);
    Some(if busy < ONE_AT_A_TIME {
        Statement::new("trace-one-at-a-time")
            .number("busy", busy)
            .percent("idle", idle)
            .count("max", max)
    } else if busy < QUEUE {
        Statement::new("trace-outstanding")
            .number("busy", busy)
            .percent("idle", idle)
            .count("max", max)
    } else {
        // A service time of many outstanding requests is no property of the server alone.
        Statement::new("trace-many-outstanding")
            .number("busy", busy)
            .percent("idle", idle)
            .count("max", max)
    })
}

fn sizes(call: &CallFigures) -> Option<Statement> {
    let transfer = call.transfer.as_ref()?;
    let size = &transfer.size;
    if transfer.located == 0 {
        return Some(
            Statement::new("trace-sizes")
                .name("call", &call.name)
                .bytes("mean", size.mean)
                .bytes("median", size.p50 as f64)
                .bytes("largest", size.max as f64),
        );
    }
    // The first call on a file follows no other.
    let following = transfer.located.saturating_sub(transfer.files);
    let sequential = match following {
        0 => 0.0,
        following => transfer.sequential as f64 / following as f64 * 100.0,
    };
    Some(
        Statement::new("trace-sizes-and-offsets")
            .name("call", &call.name)
            .bytes("mean", size.mean)
            .bytes("median", size.p50 as f64)
            .bytes("largest", size.max as f64)
            .percent("sequential", sequential)
            .count("files", transfer.files),
    )
}

fn round_trip(summary: &TraceSummary) -> Option<Statement> {
    let capture = summary.capture.as_ref()?;
    let mut times: Vec<u64> = capture
        .connections
        .iter()
        .filter_map(|connection| connection.to_server_ns)
        .collect();
    times.sort_unstable();
    match (times.first(), times.last(), summary.round_trip_share) {
        (Some(least), Some(most), Some(share)) if least == most => Some(
            Statement::new("trace-round-trip")
                .time_ns("time", *least as f64)
                .percent("share", share * 100.0),
        ),
        (Some(least), Some(most), Some(share)) => Some(
            Statement::new("trace-round-trips")
                .time_ns("least", *least as f64)
                .time_ns("most", *most as f64)
                .percent("share", share * 100.0),
        ),
        _ => {
            let shortest = summary
                .calls
                .iter()
                .filter_map(|call| call.service_time.min)
                .min_by(f64::total_cmp)?;
            Some(Statement::new("trace-round-trip-unknown").time_ns("shortest", shortest))
        }
    }
}

/// What a client waits longer than the capture shows.
fn near_the_server(capture: &CaptureFacts) -> Option<Statement> {
    let both = |connection: &Connection| connection.handshake_ns.zip(connection.to_server_ns);
    let (total_ns, server_ns) = capture.connections.iter().find_map(both)?;
    let rest_ns = total_ns.saturating_sub(server_ns);
    let is_near = (server_ns as f64) < NEAR_SHARE * total_ns as f64 && rest_ns > FAR_NS;
    is_near.then(|| Statement::new("trace-captured-near-server").time_ns("rest", rest_ns as f64))
}

fn errors(summary: &TraceSummary) -> Option<Statement> {
    let (mut errors, mut answers) = (0u64, 0u64);
    for call in &summary.calls {
        errors += call.errors;
        answers += call.count;
    }
    if answers == 0 || (errors as f64) < ERRORS_MIN * answers as f64 || errors == 0 {
        return None;
    }
    let each = summary
        .calls
        .iter()
        .flat_map(|call| call.statuses.iter().map(move |status| (call, status)));
    let (call, status) = each
        .filter(|(_, status)| status.is_error)
        .max_by_key(|(_, status)| status.count)?;
    Some(
        Statement::new("trace-errors")
            .count("errors", errors)
            .percent("share", errors as f64 / answers as f64 * 100.0)
            .name("status", &status.status)
            .name("call", &call.name)
            .count("count", status.count),
    )
}

fn credits(capture: &CaptureFacts) -> Option<Statement> {
    let mut known = capture
        .connections
        .iter()
        .filter_map(|connection| connection.credits.last_credit)
        .peekable();
    known.peek()?;
    let last_credit: u64 = known.sum();
    let most = capture
        .connections
        .iter()
        .map(|connection| connection.credits.outstanding_max)
        .max()
        .unwrap_or(0);
    (last_credit > 0).then(|| {
        Statement::new("trace-credits-used-up")
            .count("requests", last_credit)
            .count("most", most)
    })
}

/// Sessions with several connections at the same time.
fn channels(capture: &CaptureFacts) -> Option<Statement> {
    let sessions = capture.multichannel_sessions;
    (sessions > 0).then(|| Statement::new("trace-channels").count("sessions", sessions))
}

fn retransmissions(capture: &CaptureFacts) -> Option<Statement> {
    let again = capture.packet_losses.retransmitted;
    let share = again as f64 / capture.packets.max(1) as f64;
    (again > 0 && share >= RETRANSMITTED_MIN).then(|| {
        Statement::new("trace-retransmissions")
            .count("segments", again)
            .percent("share", share * 100.0)
    })
}
