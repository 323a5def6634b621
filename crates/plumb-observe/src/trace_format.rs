//! What is a format of traces? A file in which another program wrote an application's calls, or requests of block devices, one by one.

pub(crate) mod block;
pub(crate) mod block_events;
pub(crate) mod block_requests;
pub(crate) mod call_rows;
pub mod calls_writer;
pub mod event_tracing;
pub mod first_program;
pub(crate) mod lines;
pub(crate) mod recent;
pub(crate) mod text;
pub(crate) mod volumes;

use crate::event_sink::EventSink;
use lines::Lines;

/// Most bytes of a file's beginning that its format is recognized by.
pub const HEAD_BYTES: usize = 64 << 10;

/// One format: one file in `trace_formats/`.
#[derive(Debug)]
pub struct TraceFormat {
    /// As `TraceFacts::format` has it, equal to the file's name.
    pub name: &'static str,
    /// Which program writes it, and how it is queried to; a few words for a message.
    pub program: &'static str,
    /// Is a file that begins like this of the format? Must be false for the files of every other format, for captures and for results of load generators.
    pub recognizes: fn(head: &[u8]) -> bool,
    /// Reads it to its end. Must end, without a panic and without memory that grows with the file, whatever is in it: what cannot be used is counted.
    pub read: for<'a, 'b, 'c> fn(&'a mut Lines<'b>, &'a mut EventSink<'c>),
    /// Files of the format for the contract test.
    #[cfg(test)]
    pub fixtures: fn() -> Vec<Fixture>,
}

/// A file of a format with what must come out.
#[cfg(test)]
pub struct Fixture {
    pub bytes: &'static [u8],
    /// Looks at what was reported; panics when it is not what the file says.
    pub check: fn(&crate::event_sink::tests::Reported),
}

/// Whether at least half of the first lines are of a format; a line that the end of the head cuts does not count.
pub(crate) fn most_lines(head: &[u8], mut is_one: impl FnMut(&[u8]) -> bool) -> bool {
    const LINES: usize = 50;
    let complete = match head.iter().rposition(|byte| *byte == b'\n') {
        Some(end) => head.get(..end).unwrap_or_default(),
        None => head,
    };
    let (mut lines, mut of_format) = (0, 0);
    for line in complete.split(|byte| *byte == b'\n').take(LINES) {
        let line = line.trim_ascii();
        if !line.is_empty() {
            lines += 1;
            of_format += usize::from(is_one(line));
        }
    }
    of_format > 0 && of_format * 2 >= lines
}
