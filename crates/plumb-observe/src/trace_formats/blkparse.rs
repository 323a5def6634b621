//! Is it what blkparse prints? Requests of block devices, from their issue to the device (D) to their completion (C), in its default format.

use std::collections::HashSet;

use crate::event_sink::EventSink;
use crate::trace_format::block_requests::{BlockRequests, Device, Extent, Request};
use crate::trace_format::lines::Lines;
use crate::trace_format::text::{number, seconds_ns, word};
use crate::trace_format::{TraceFormat, most_lines};

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
    read,
    #[cfg(test)]
    fixtures: tests::fixtures,
};

/// One line.
struct Event<'a> {
    device: Device,
    at_ns: u64,
    process: u64,
    action: &'a [u8],
    /// R, W, D (discard), F (flush), N (none), S (sync), A (read ahead), M (metadata).
    kinds: &'a [u8],
    /// What follows them.
    rest: &'a [u8],
}

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
    Some(Event {
        device: (major, minor),
        at_ns,
        process,
        action,
        // A message has no kinds, and a plug has none but N.
        kinds: word(&mut rest).unwrap_or_default(),
        rest: rest.trim_ascii(),
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
        "it looks like blkparse with a format of its own (-f), which does not say what a column is. Run blkparse without -f, or with -f \"%D %2c %8s %5T.%9t %5p %2a %3d %S + %n [%C]\\n\"",
    )
}

/// The first line of the sums at the end.
fn is_summary(line: &[u8]) -> bool {
    let is_of = |begin: &[u8]| line.starts_with(begin) && line.trim_ascii_end().ends_with(b"):");
    is_of(b"CPU") || is_of(b"Total (")
}

struct Reader {
    requests: BlockRequests,
    /// Devices of which requests are seen to be queued and not issued (md, device mapper): their time is from Q.
    queued_only: HashSet<Device>,
}

fn read(lines: &mut Lines<'_>, event_sink: &mut EventSink<'_>) {
    let mut reader = Reader {
        queued_only: queued_only(lines.head()),
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
        match event(line) {
            Some(event) => reader.take(&event, event_sink),
            None if line.trim_ascii().is_empty() => {}
            None => event_sink.damaged(),
        }
    }
    reader.requests.close(event_sink);
}

/// Devices whose requests are queued and completed, and never issued.
fn queued_only(head: &[u8]) -> HashSet<Device> {
    let (mut queued, mut issued) = (HashSet::new(), HashSet::new());
    let events = head.split(|byte| *byte == b'\n').map_while(event);
    for event in events {
        match event.action {
            b"Q" => queued.insert(event.device),
            b"D" => issued.insert(event.device),
            _ => false,
        };
    }
    &queued - &issued
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
        let begins: &[u8] = match self.queued_only.contains(&event.device) {
            true => b"Q",
            false => b"D",
        };
        let request = Request {
            device: event.device,
            at_ns: event.at_ns,
            kinds: event.kinds,
            extent: extent(event.rest),
        };
        match event.action {
            action if action == begins => {
                let process = Some(event.process);
                let name = |process: u64| process.to_string();
                self.requests.begin(&request, process, name, event_sink);
            }
            b"R" => self.requests.requeue(&request),
            b"C" => {
                let error = error_number(event.rest);
                self.requests.complete(&request, error, event_sink);
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use plumb_model::trace::events::CallClass;

    use crate::trace_format::Fixture;

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

    #[test]
    fn lost_records_are_counted() {
        assert_eq!(super::skips(b"Skips: 3 forward (9 -   0.1%)"), 9);
        assert_eq!(super::skips(b"Events (sda): 27 entries"), 0);
    }
}
