//! Which sentences are there on the work of a trace? The mix of calls, think time, a file with much of the time, files used once, and flushes.

use plumb_model::statement::Statement;
use plumb_model::trace::events::CallClass;
use plumb_model::trace::summary::TraceSummary;

/// A file is named from this share of the time, if there are others.
const FILE_SHARE_MIN: f64 = 0.3;
/// Files used once are reported from this number of files and this share of them.
const ONCE_FILES_MIN: u64 = 10;
const ONCE_SHARE_MIN: f64 = 0.5;

pub(super) fn mix(summary: &TraceSummary) -> Option<Statement> {
    let of = |class| summary.mix.iter().find(|of| of.class == class);
    let calls = |class| of(class).and_then(|of| of.count_share).unwrap_or(0.0) * 100.0;
    let time = |class| of(class).and_then(|of| of.time_share).unwrap_or(0.0) * 100.0;
    use CallClass::{Metadata, Read, Write};
    if summary.mix.is_empty() {
        return None;
    }
    Some(match summary.has_responses() {
        true => Statement::new("trace-mix")
            .percent("reads", calls(Read))
            .percent("writes", calls(Write))
            .percent("metadata", calls(Metadata))
            .percent("read-time", time(Read))
            .percent("write-time", time(Write))
            .percent("metadata-time", time(Metadata)),
        false => Statement::new("trace-mix-without-times")
            .percent("reads", calls(Read))
            .percent("writes", calls(Write))
            .percent("metadata", calls(Metadata)),
    })
}

/// Only of threads: what a connection or a volume does between its calls is no thinking.
pub(super) fn think_time(summary: &TraceSummary) -> Option<Statement> {
    summary.threads.as_ref()?;
    let think = summary.think_time.as_ref()?;
    Some(
        Statement::new("trace-think-time")
            .percent("share", think.share * 100.0)
            .time_ns("median", think.between_calls.p50?)
            .time_ns("p90", think.between_calls.p90?),
    )
}

pub(super) fn busiest_file(summary: &TraceSummary) -> Option<Statement> {
    let files = summary.files.as_ref().filter(|files| files.count > 1)?;
    let file = files.most.first()?;
    let share = file.totals.time_share?;
    (share >= FILE_SHARE_MIN).then_some(())?;
    Some(
        Statement::new("trace-busiest-file")
            .name("name", file.name.as_ref()?)
            .percent("share", share * 100.0)
            .count("calls", file.totals.calls)
            .bytes("read", file.totals.read_bytes as f64)
            .bytes("written", file.totals.written_bytes as f64),
    )
}

pub(super) fn touched_once(summary: &TraceSummary) -> Option<Statement> {
    let once = summary.files.as_ref()?.touched_once?;
    let is_most = once.files as f64 >= ONCE_SHARE_MIN * once.of_files as f64;
    (is_most && once.of_files >= ONCE_FILES_MIN).then(|| {
        Statement::new("trace-touched-once")
            .count("once", once.files)
            .count("files", once.of_files)
            .percent(
                "share",
                once.bytes as f64 * 100.0 / once.of_bytes.max(1) as f64,
            )
    })
}

pub(super) fn flushes(summary: &TraceSummary) -> Option<Statement> {
    let flushes = summary.flushes.as_ref()?;
    let share = flushes.time_share? * 100.0;
    let Some(interval) = flushes.interval.p50 else {
        return Some(
            Statement::new("trace-flushes-few")
                .count("flushes", flushes.count)
                .percent("share", share)
                .time_ns("mean", flushes.service_time.mean?),
        );
    };
    Some(match &flushes.written_before {
        Some(written) => Statement::new("trace-flushes-written")
            .count("flushes", flushes.count)
            .time_ns("interval", interval)
            .bytes("written", written.p50)
            .percent("share", share),
        None => Statement::new("trace-flushes")
            .count("flushes", flushes.count)
            .time_ns("interval", interval)
            .percent("share", share),
    })
}
