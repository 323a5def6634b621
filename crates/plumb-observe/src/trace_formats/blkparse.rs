//! Is it what blkparse prints? Requests of block devices, from their issue to the device (D) to their completion (C), in its default format or a stated one.

mod event;
pub mod layout;

use std::collections::HashSet;

use crate::event_sink::EventSink;
use crate::trace_format::block_requests::{BlockRequests, Device, Extent, Request, UNNAMED};
use crate::trace_format::lines::Lines;
use crate::trace_format::text::{number, seconds_ns, word};
use crate::trace_format::{TraceFormat, most_lines};
use event::Event;
use layout::BlkparseLayout;

pub static FORMAT: TraceFormat = TraceFormat {
    name: "blkparse",
    program: "blkparse (blktrace -d DEVICE -o - | blkparse -i -)",
    recognizes: |head| {
        let events = head
            .split(|byte| *byte == b'\n')
            .take_while(|line| !is_summary(line));
        let events: Vec<&[u8]> = events.collect();
        most_lines(&events.join(&b'\n'), |line| event(line).is_some())
    },
    read: |lines, event_sink| read(lines, event_sink, &event),
    #[cfg(test)]
    fixtures: tests::fixtures,
};

fn event(line: &[u8]) -> Option<Event<'_>> {
    let mut rest = line;
    let device = word(&mut rest)?;
    let comma = device.iter().position(|byte| *byte == b',')?;
    let major = number(device.get(..comma)?)?;
    // `8,0` and `259,16` are one word, and so is `  8,0`; a minor number of one digit is padded on the right.
    let minor = number(device.get(comma + 1..)?)?;
    number(word(&mut rest)?)?;
    number(word(&mut rest)?)?;
    let at = word(&mut rest)?;
    let at_ns = seconds_ns(at).filter(|_| at.contains(&b'.'))?;
    let process = number(word(&mut rest)?)?;
    let action = word(&mut rest)?;
    if action.len() > 2 || !action.iter().all(u8::is_ascii_uppercase) {
        return None;
    }
    // A message has no kinds, and a plug has none but N.
    let kinds = word(&mut rest).unwrap_or_default();
    let rest = rest.trim_ascii();
    Some(Event {
        device: Some((major, minor)),
        at_ns,
        process: Some(process),
        action,
        kinds,
        extent: extent(rest),
        error: error_number(rest),
    })
}

/// `223490 + 8`, in sectors.
fn extent(rest: &[u8]) -> Option<Extent> {
    let mut rest = rest;
    let sector = number(word(&mut rest)?)?;
    if word(&mut rest)? != b"+" {
        return None;
    }
    Extent::of(sector, number(word(&mut rest)?)?)
}

/// `[0]` at the end of a completion: 0 or an error number.
fn error_number(rest: &[u8]) -> Option<u64> {
    let last = rest.rsplit(|byte| *byte == b' ').next()?;
    let inner = last.strip_prefix(b"[")?.strip_suffix(b"]")?;
    number(inner.strip_prefix(b"-").unwrap_or(inner))
}

/// Output in a format of the user's own (`-f`), of which nobody knows which column is what.
pub fn without_use(head: &[u8]) -> Option<&'static str> {
    let is_event = |line: &[u8]| {
        let words = || line.split(|byte| byte.is_ascii_whitespace() || b",;|:[]()".contains(byte));
        let is_time = |word: &[u8]| {
            let point = word.iter().rposition(|byte| *byte == b'.');
            let is_fine = point.is_some_and(|point| word.len() - point == 10);
            is_fine && seconds_ns(word).is_some()
        };
        let is_action =
            |word: &[u8]| matches!(word, b"Q" | b"G" | b"I" | b"D" | b"C" | b"M" | b"F");
        words().any(is_time) && words().any(is_action)
    };
    most_lines(head, is_event).then_some(
        "it looks like blkparse with a format of its own (-f), which does not say what a column is. State the format, 'plumb trace FILE --blkparse-format FORMAT', or run blkparse without -f",
    )
}

/// The first line of the sums at the end.
fn is_summary(line: &[u8]) -> bool {
    let is_of = |begin: &[u8]| line.starts_with(begin) && line.trim_ascii_end().ends_with(b"):");
    is_of(b"CPU") || is_of(b"Total (")
}

/// How a line becomes an event.
type Parse<'a> = dyn for<'b> Fn(&'b [u8]) -> Option<Event<'b>> + 'a;

struct Reader {
    requests: BlockRequests,
    /// Devices of which requests are seen to be queued and not issued (md, device mapper): their time is from Q.
    queued_only: HashSet<Device>,
}

/// Reads output in a format of the user's own.
pub fn read_layout(layout: &BlkparseLayout, lines: &mut Lines<'_>, event_sink: &mut EventSink<'_>) {
    read(lines, event_sink, &|line| layout.event(line));
}

/// Whether a file that begins so is in this format: some line is.
pub fn is_of_layout(layout: &BlkparseLayout, head: &[u8]) -> bool {
    let mut lines = head.split(|byte| *byte == b'\n');
    lines.any(|line| layout.event(line).is_some())
}

fn read(lines: &mut Lines<'_>, event_sink: &mut EventSink<'_>, parse: &Parse<'_>) {
    let mut reader = Reader {
        queued_only: queued_only(lines.head(), parse),
        requests: BlockRequests::default(),
    };
    let mut is_summed = false;
    while let Some(line) = lines.line() {
        is_summed |= is_summary(line);
        if is_summed {
            event_sink.facts.lost += skips(line);
            continue;
        }
        event_sink.facts.records += 1;
        match parse(line) {
            Some(event) => reader.take(&event, event_sink),
            // Messages are printed in the default format, whatever the format of events.
            None if line.trim_ascii().is_empty() || is_message(line) => {}
            None => event_sink.damaged(),
        }
    }
    reader.requests.close(event_sink);
}

/// Devices whose requests are queued and completed, and never issued.
fn queued_only(head: &[u8], parse: &Parse<'_>) -> HashSet<Device> {
    let (mut queued, mut issued) = (HashSet::new(), HashSet::new());
    let lines = head.split(|byte| *byte == b'\n');
    let events = lines.take_while(|line| !is_summary(line)).filter_map(parse);
    for event in events {
        let device = event.device.unwrap_or(UNNAMED);
        match event.action {
            b"Q" => queued.insert(device),
            b"D" => issued.insert(device),
            _ => false,
        };
    }
    &queued - &issued
}

/// A message of the kernel within the trace (action `m`), or one of blkparse on a file that it reads.
fn is_message(line: &[u8]) -> bool {
    if line.starts_with(b"Input file ") {
        return true;
    }
    let mut words = line
        .split(u8::is_ascii_whitespace)
        .filter(|word| !word.is_empty());
    words.nth(5) == Some(b"m")
}

/// `Skips: 3 forward (9 - 0.1%)`: records that were lost while the trace was made.
fn skips(line: &[u8]) -> u64 {
    let Some(mut rest) = line.strip_prefix(b"Skips:") else {
        return 0;
    };
    let forward = word(&mut rest).and_then(number).unwrap_or(0);
    let within = rest.iter().position(|byte| *byte == b'(');
    let lost = within.and_then(|begin| {
        let mut rest = rest.get(begin + 1..)?;
        number(word(&mut rest)?)
    });
    lost.unwrap_or(forward)
}

impl Reader {
    fn take(&mut self, event: &Event<'_>, event_sink: &mut EventSink<'_>) {
        let device = event.device.unwrap_or(UNNAMED);
        let begins: &[u8] = match self.queued_only.contains(&device) {
            true => b"Q",
            false => b"D",
        };
        let request = Request {
            device,
            at_ns: event.at_ns,
            kinds: event.kinds,
            extent: event.extent,
        };
        match event.action {
            action if action == begins => {
                let name = |process: u64| process.to_string();
                self.requests
                    .begin(&request, event.process, name, event_sink);
            }
            b"R" => self.requests.requeue(&request),
            b"C" => self.requests.complete(&request, event.error, event_sink),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use plumb_model::trace::events::CallClass;

    use super::layout::BlkparseLayout;
    use crate::event_sink::tests::Reported;
    use crate::trace_format::Fixture;
    use crate::trace_format::block_requests::Extent;
    use crate::trace_formats::{head_of, is_of_layout, read_blkparse, read_trace};

    pub fn fixtures() -> Vec<Fixture> {
        vec![Fixture {
            bytes: include_bytes!("../../../../testdata/traces/blkparse.txt"),
            check: |reported| {
                assert_eq!((reported.count("read"), reported.count("write")), (3, 3));
                assert_eq!((reported.answered.len(), reported.unanswered.len()), (5, 1));
                let times: Vec<u64> = reported.answered.iter().map(|of| of.service_ns()).collect();
                assert_eq!(times, [150_000, 150_000, 150_000, 900_000, 150_000]);
                let large = reported.answered[3].call;
                assert_eq!(
                    (large.offset, large.bytes),
                    (Some(512_000_000), Some(65_536))
                );
                assert_eq!(large.class, CallClass::Write);
                assert_eq!(reported.names[&0], "device 8,0");
                assert_eq!(reported.lanes[&large.lane], "701");
                assert_eq!((reported.facts.damaged, reported.facts.lost), (0, 0));
            },
        }]
    }

    /// One trace of a loop device (19 reads, 21 writes, 4 flushes, 4 discards), printed by blkparse 1.2.0 in its own format and in three others.
    #[test]
    fn output_in_a_stated_format_says_what_the_default_output_says() {
        let reported = |layout: Option<&str>, bytes: &[u8]| {
            let mut reported = Reported::default();
            let mut input = bytes;
            let head = head_of(&mut input).unwrap();
            reported.facts = match layout {
                None => read_trace(&super::FORMAT, head, input, &mut reported),
                Some(layout) => {
                    let layout: BlkparseLayout = layout.parse().unwrap();
                    assert!(is_of_layout(&layout, &head));
                    read_blkparse(&layout, head, input, &mut reported)
                }
            };
            reported
        };
        let plain = reported(
            None,
            include_bytes!("../../../../testdata/traces/blkparse-loop.txt"),
        );
        let counts = ["read", "write", "flush", "discard"].map(|kind| plain.count(kind));
        assert_eq!(counts, [19, 21, 4, 4]);
        let total: u64 = plain.answered.iter().map(|of| of.service_ns()).sum();
        assert!(total > 0 && plain.answered.len() == 48);
        for (layout, bytes) in [
            (
                r"%T.%t, %-5p, %C, %a, %d, %N, %S, %e\n",
                &include_bytes!("../../../../testdata/traces/blkparse-loop-commas.txt")[..],
            ),
            (
                r"%C|%D|%5T.%9t|%2c|%s|%p|%2a|%3d|%10S + %-6n [%P] x%%\n",
                include_bytes!("../../../../testdata/traces/blkparse-loop-bars.txt"),
            ),
        ] {
            let stated = reported(Some(layout), bytes);
            assert_eq!(stated.facts.damaged, 0, "{layout}");
            let figures = |of: &Reported| -> Vec<_> {
                let answered = of.answered.iter();
                answered
                    .map(|of| {
                        (
                            of.call.name,
                            of.call.at_ns,
                            of.at_ns,
                            of.call.offset,
                            of.call.bytes,
                        )
                    })
                    .collect()
            };
            assert_eq!(figures(&stated), figures(&plain), "{layout}");
            assert_eq!(stated.lanes, plain.lanes, "{layout}");
        }
        let bars = include_bytes!("../../../../testdata/traces/blkparse-loop-bars.txt");
        let without_device = r"%C|7,0  |%5T.%9t|%2c|%s|%p|%2a|%3d|%10S + %-6n [%P] x%%";
        assert_eq!(reported(Some(without_device), bars).names[&0], "device");
        // Another order of the columns does not fit.
        let other: BlkparseLayout = "%a|%T.%t|%d|%S|%n".parse().unwrap();
        assert!(!is_of_layout(&other, bars));
    }

    #[test]
    fn a_format_that_does_not_describe_requests_is_refused_with_what_it_lacks() {
        for (layout, expected) in [
            ("%T.%t %a %S %n", "lacks what is requested, %d"),
            ("%5T %a %d %S %n", "the nanoseconds, %t"),
            ("%T.%t %a %d %S%n", "nothing separates %S from %n"),
            ("%T.%t %a %a %d %S %n", "has %a twice"),
            ("%T.%t %a %d %S\\n%n", "a line end within it"),
            ("%T.%t %a %d %S %n %", "ends within a field"),
        ] {
            let refused = layout.parse::<BlkparseLayout>().unwrap_err();
            assert!(refused.contains(expected), "{layout}: {refused}");
        }
    }

    #[test]
    fn a_command_of_several_words_and_errors_are_read() {
        let layout: BlkparseLayout = "%C %T.%t %a %d %S %N %e\\n".parse().unwrap();
        let event = layout
            .event(b"Web Content 1.000000007 C WS 16 8192 -5")
            .unwrap();
        assert_eq!((event.at_ns, event.action), (1_000_000_007, &b"C"[..]));
        assert_eq!((event.extent, event.error), (Extent::of(16, 16), Some(5)));
        assert!(
            layout
                .event(b"Web Content 1.000000007 C WS 16 8192")
                .is_none()
        );
    }

    #[test]
    fn lost_records_are_counted() {
        assert_eq!(super::skips(b"Skips: 3 forward (9 -   0.1%)"), 9);
        assert_eq!(super::skips(b"Events (sda): 27 entries"), 0);
    }
}
