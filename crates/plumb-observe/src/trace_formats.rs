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

pub use blkparse::layout::BlkparseLayout;
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
    let read = |lines: &mut Lines<'_>, event_sink: &mut EventSink<'_>| {
        (format.read)(lines, event_sink);
    };
    read_lines(format, head, rest, receiver, read)
}

/// Whether a file that begins so has lines of blkparse in this format of its option `-f`.
pub fn is_of_layout(layout: &BlkparseLayout, head: &[u8]) -> bool {
    blkparse::is_of_layout(layout, head)
}

/// Reads the output of blkparse in this format of its option `-f`, as [`read_trace`] does.
pub fn read_blkparse(
    layout: &BlkparseLayout,
    head: Vec<u8>,
    rest: impl Read,
    receiver: &mut dyn TraceReceiver,
) -> TraceFacts {
    let read = |lines: &mut Lines<'_>, event_sink: &mut EventSink<'_>| {
        blkparse::read_layout(layout, lines, event_sink);
    };
    read_lines(&blkparse::FORMAT, head, rest, receiver, read)
}

fn read_lines(
    format: &TraceFormat,
    head: Vec<u8>,
    rest: impl Read,
    receiver: &mut dyn TraceReceiver,
    read: impl Fn(&mut Lines<'_>, &mut EventSink<'_>),
) -> TraceFacts {
    let mut lines = Lines::of(head, rest);
    let mut event_sink = EventSink::new(receiver, format.name);
    read(&mut lines, &mut event_sink);
    event_sink.facts.file_bytes = lines.bytes;
    event_sink.facts.damage = lines.damage.take().or(event_sink.facts.damage.take());
    event_sink.close()
}

#[cfg(test)]
mod tests;
