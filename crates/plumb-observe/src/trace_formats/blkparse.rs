//! Is it what blkparse prints? Requests of block devices, from their issue to the device (D) to their completion (C), in its default format.

use std::collections::{HashMap, HashSet};

use plumb_model::trace::events::{Answered, Call, CallClass, Status};

use crate::event_sink::EventSink;
use crate::trace_format::lines::Lines;
use crate::trace_format::text::{number, seconds_ns, word};
use crate::trace_format::volumes::Volumes;
use crate::trace_format::{TraceFormat, most_lines};
use foldhash::fast::RandomState;

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

const SECTOR_BYTES: u64 = 512;
/// Requests that are outstanding at once, and processes that are told apart.
const OUTSTANDING_MAX: usize = 65_536;

/// One line.
struct Event<'a> {
    device: (u64, u64),
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
fn extent(rest: &[u8]) -> Option<(u64, u64)> {
    let mut rest = rest;
    let sector = number(word(&mut rest)?)?;
    if word(&mut rest)? != b"+" {
        return None;
    }
    Some((sector, number(word(&mut rest)?)?))
}

/// `[0]` at the end of a completion: 0 or an error number.
fn error_number(rest: &[u8]) -> Option<u64> {
    let last = rest.rsplit(|byte| *byte == b' ').next()?;
    let inner = last.strip_prefix(b"[")?.strip_suffix(b"]")?;
    number(inner.strip_prefix(b"-").unwrap_or(inner))
}

/// The first line of the sums at the end.
fn is_summary(line: &[u8]) -> bool {
    let is_of = |begin: &[u8]| line.starts_with(begin) && line.trim_ascii_end().ends_with(b"):");
    is_of(b"CPU") || is_of(b"Total (")
}

#[derive(Default)]
struct Reader {
    volumes: Volumes,
    lanes: HashMap<u64, u32, RandomState>,
    /// By device and sector.
    outstanding: HashMap<(u64, u64), Call, RandomState>,
    /// Devices of which requests are seen to be queued and not issued (md, device mapper): their time is from Q.
    queued_only: HashSet<(u64, u64)>,
    completions: u64,
    last_ns: u64,
}

fn read(lines: &mut Lines<'_>, event_sink: &mut EventSink<'_>) {
    let mut reader = Reader {
        queued_only: queued_only(lines.head()),
        ..Reader::default()
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
    reader.close(event_sink);
}

/// Devices whose requests are queued and completed, and never issued.
fn queued_only(head: &[u8]) -> HashSet<(u64, u64)> {
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
        self.last_ns = self.last_ns.max(event.at_ns);
        let begins: &[u8] = match self.queued_only.contains(&event.device) {
            true => b"Q",
            false => b"D",
        };
        if event.action == begins {
            self.begin(event, event_sink);
        } else if event.action == b"C" {
            self.complete(event, event_sink);
        }
    }

    fn begin(&mut self, event: &Event<'_>, event_sink: &mut EventSink<'_>) {
        // Commands of SCSI and the like have bytes in brackets in place of sectors.
        let extent = extent(event.rest);
        let (sector, sectors) = extent.unwrap_or((0, 0));
        let has = |kind: u8| event.kinds.contains(&kind);
        let (name, class) = match () {
            () if has(b'D') => ("discard", CallClass::Metadata),
            () if has(b'W') => ("write", CallClass::Write),
            () if has(b'R') => ("read", CallClass::Read),
            () if has(b'F') => ("flush", CallClass::Metadata),
            () => ("other", CallClass::Metadata),
        };
        let (major, minor) = event.device;
        let device = (major << 32) | (minor & 0xffff_ffff);
        let file = self
            .volumes
            .file(device, || format!("device {major},{minor}"), event_sink);
        let call = Call {
            name,
            class,
            at_ns: event.at_ns,
            lane: self.lane(event.process, event_sink),
            file,
            offset: extent.and_then(|_| sector.checked_mul(SECTOR_BYTES)),
            bytes: extent.and_then(|_| sectors.checked_mul(SECTOR_BYTES)),
            closes: false,
        };
        event_sink.made(call);
        if self.outstanding.len() >= OUTSTANDING_MAX {
            self.give_up(event_sink);
        }
        if let Some(before) = self.outstanding.insert((device, sector), call) {
            event_sink.unanswered(before, event.at_ns);
        }
    }

    fn complete(&mut self, event: &Event<'_>, event_sink: &mut EventSink<'_>) {
        let (major, minor) = event.device;
        let sector = extent(event.rest).map_or(0, |(sector, _)| sector);
        let device = (major << 32) | (minor & 0xffff_ffff);
        self.completions += 1;
        let Some(call) = self.outstanding.remove(&(device, sector)) else {
            event_sink.facts.unmatched_responses += 1;
            return;
        };
        let error = error_number(event.rest).filter(|error| *error != 0);
        event_sink.answered(Answered {
            call,
            at_ns: event.at_ns,
            moved_bytes: call.bytes.filter(|_| error.is_none()),
            status: error.map(|error| Status {
                code: u32::try_from(error).unwrap_or(u32::MAX),
                ..crate::calls::errno::of_number(u32::try_from(error).unwrap_or(u32::MAX))
            }),
            round_trip_ns: None,
            was_pending: false,
        });
        event_sink.release(event.at_ns);
    }

    fn lane(&mut self, process: u64, event_sink: &mut EventSink<'_>) -> u32 {
        if let Some(known) = self.lanes.get(&process) {
            return *known;
        }
        if self.lanes.len() >= OUTSTANDING_MAX {
            return 0;
        }
        let lane = self.lanes.len() as u32;
        self.lanes.insert(process, lane);
        event_sink.name_lane(lane, &process.to_string());
        lane
    }

    /// What is outstanding is waited for no more; a trace without a single completion reports none at all.
    fn give_up(&mut self, event_sink: &mut EventSink<'_>) {
        if self.completions > 0 || event_sink.facts.unanswered > 0 {
            let mut left: Vec<Call> = self.outstanding.values().copied().collect();
            left.sort_unstable_by_key(|call| (call.at_ns, call.offset));
            for call in left {
                event_sink.unanswered(call, self.last_ns);
            }
        }
        self.outstanding.clear();
    }

    fn close(&mut self, event_sink: &mut EventSink<'_>) {
        self.give_up(event_sink);
        event_sink.facts.has_responses = self.completions > 0 || event_sink.facts.unanswered > 0;
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
