//! Which formats of traces are there? The list, and how a file of any of them is read.

mod alibaba;
mod biosnoop;
mod blkparse;
mod calls;
mod ftrace;
mod msr;
mod perf_script;
mod strace;
mod tencent;

use std::io::Read;

use plumb_model::trace::facts::TraceFacts;
use plumb_model::trace::receiver::TraceReceiver;

pub(crate) use strace::read_written as read_strace;

use crate::event_sink::EventSink;
use crate::trace_format::lines::Lines;
use crate::trace_format::{HEAD_BYTES, TraceFormat};

/// All of them.
pub static FORMATS: &[&TraceFormat] = &[
    &calls::FORMAT,
    &strace::FORMAT,
    &blkparse::FORMAT,
    &biosnoop::FORMAT,
    &ftrace::FORMAT,
    &perf_script::FORMAT,
    &msr::FORMAT,
    &alibaba::FORMAT,
    &tencent::FORMAT,
];

/// The format of a file that begins so.
pub fn format_of(head: &[u8]) -> Option<&'static TraceFormat> {
    FORMATS
        .iter()
        .find(|format| (format.recognizes)(head))
        .copied()
}

/// Why a file that begins so is of no use, and what to do instead; `None` for what is of no known program.
pub fn without_use(head: &[u8]) -> Option<&'static str> {
    biosnoop::without_use(head)
        .or_else(|| blkparse::without_use(head))
        .or_else(|| perf_script::without_use(head))
}

/// The first bytes of a file by which its format is recognized; fewer when it is shorter.
///
/// # Errors
/// It cannot be read.
pub fn head_of(input: &mut impl Read) -> std::io::Result<Vec<u8>> {
    let mut head = Vec::new();
    input.take(HEAD_BYTES as u64).read_to_end(&mut head)?;
    Ok(head)
}

/// Reads a trace to its end: `head` and what follows it. What cannot be used is left out and counted.
pub fn read_trace(
    format: &TraceFormat,
    head: Vec<u8>,
    rest: impl Read,
    receiver: &mut dyn TraceReceiver,
) -> TraceFacts {
    let mut lines = Lines::of(head, rest);
    let mut event_sink = EventSink::new(receiver, format.name);
    (format.read)(&mut lines, &mut event_sink);
    event_sink.facts.file_bytes = lines.bytes;
    event_sink.facts.damage = lines.damage.take().or(event_sink.facts.damage.take());
    event_sink.close()
}

#[cfg(test)]
mod tests;
