//! What do the kernel's trace points of the block layer say as text? Requests from block_rq_issue to block_rq_complete, as ftrace, trace-cmd and perf script print them.
//!
//! ```text
//!     app-4321  [001] ..... 100.000000: block_rq_issue: 8,0 R 4096 () 1000 + 8 none,0,0 [app]
//!  <idle>-0     [001] ..s.. 100.000500: block_rq_complete: 8,0 R () 1000 + 8 none,0,0 [0]
//!     app  4321 [001]   100.000000: block:block_rq_issue: 8,0 R 4096 () 1000 + 8 [app]
//! ```

use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::block_requests::{BlockRequests, Device, Extent, Request};
use super::lines::Lines;
use super::text::{number, seconds_ns, word};
use crate::event_sink::EventSink;

/// Trace points by which a request begins, the best first: issued to the device, inserted into the queue, entered the block layer, entered a device without
/// requests of its own (md, device mapper).
const BEGINS: [&[u8]; 4] = [
    b"block_rq_issue",
    b"block_io_start",
    b"block_rq_insert",
    b"block_bio_queue",
];
/// Those by which it ends.
const ENDS: [&[u8]; 3] = [
    b"block_rq_complete",
    b"block_io_done",
    b"block_bio_complete",
];
const REQUEUE: &[u8] = b"block_rq_requeue";
/// Devices that are told apart by how their requests begin and end.
const DEVICES_MAX: usize = 4096;

/// One line with an event of any kind.
struct Line<'a> {
    /// What is before the time: program, process, processor, flags.
    before: &'a [u8],
    at_ns: u64,
    /// `block_rq_issue`, without the name of its system.
    event: &'a [u8],
    is_of_perf: bool,
    rest: &'a [u8],
}

/// `... 100.000000: block_rq_issue: ...`, or with `block:` before the event.
fn line(text: &[u8]) -> Option<Line<'_>> {
    let mut from = 0;
    loop {
        let colon = from + find(text.get(from..)?, b": ")?;
        let before = text.get(..colon)?;
        let begin = before.iter().rposition(u8::is_ascii_whitespace);
        let begin = begin.map_or(0, |blank| blank + 1);
        let time = before.get(begin..)?;
        if let Some(at_ns) = seconds_ns(time).filter(|_| time.contains(&b'.')) {
            let rest = text.get(colon + 2..)?.trim_ascii_start();
            let end = find(rest, b": ").or_else(|| rest.strip_suffix(b":").map(<[u8]>::len))?;
            // A period may stand before the name.
            let name = rest.get(..end)?;
            let name = name.rsplit(u8::is_ascii_whitespace).next()?;
            let event = name.rsplit(|byte| *byte == b':').next()?;
            let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-:.".contains(byte);
            return (!event.is_empty() && name.iter().all(is_name)).then(|| Line {
                before: before.get(..begin).unwrap_or_default().trim_ascii(),
                at_ns,
                event,
                is_of_perf: name.contains(&b':'),
                rest: rest.get(end + 1..).unwrap_or_default().trim_ascii(),
            });
        }
        from = colon + 1;
    }
}

fn find(text: &[u8], what: &[u8]) -> Option<usize> {
    text.windows(what.len()).position(|part| part == what)
}

/// Name and number of the process: `app-4321  [001] ...`, `app-4321 (4320) [001]`, or `app  4321/4322 [001]`.
fn process(before: &[u8]) -> Option<(&[u8], u64)> {
    let is_processor = |at: &usize| {
        let rest = before.get(at + 1..).unwrap_or_default();
        let end = rest.iter().position(|byte| *byte == b']').unwrap_or(0);
        end > 0
            && rest
                .get(..end)
                .is_some_and(|of| of.iter().all(u8::is_ascii_digit))
    };
    let brackets = (0..before.len()).filter(|at| before.get(*at) == Some(&b'['));
    let end = brackets.rev().find(is_processor).unwrap_or(before.len());
    let mut text = before.get(..end)?.trim_ascii_end();
    if let Some(group) = text.strip_suffix(b")") {
        let open = group.iter().rposition(|byte| *byte == b'(')?;
        text = group.get(..open)?.trim_ascii_end();
    }
    let blank = text.iter().rposition(u8::is_ascii_whitespace);
    let last = text.get(blank.map_or(0, |blank| blank + 1)..)?;
    let alone = last.rsplit(|byte| *byte == b'/').next()?;
    if let (Some(blank), Some(thread)) = (blank, number(alone)) {
        return Some((text.get(..blank)?.trim_ascii(), thread));
    }
    let dash = text.iter().rposition(|byte| *byte == b'-')?;
    Some((
        text.get(..dash)?.trim_ascii(),
        number(text.get(dash + 1..)?)?,
    ))
}

fn device(text: &[u8]) -> Option<Device> {
    let comma = text.iter().position(|byte| *byte == b',')?;
    Some((number(text.get(..comma)?)?, number(text.get(comma + 1..)?)?))
}

/// `8,0 R 4096 () 1000 + 8 none,0,0 [app]` of a begin, `8,0 R () 1000 + 8 [0]` of an end, `8,0 R 1000 + 8 [app]` of a bio; and what is in the last brackets.
fn request<'a>(line: &Line<'a>) -> Option<(Request<'a>, &'a [u8])> {
    let mut rest = line.rest;
    let device = device(word(&mut rest)?)?;
    let kinds = word(&mut rest)?;
    if !kinds.iter().all(u8::is_ascii_uppercase) {
        return None;
    }
    // The bytes of a command may stand in the parentheses.
    let rest = match rest.iter().rposition(|byte| *byte == b')') {
        Some(end) if rest.contains(&b'(') => rest.get(end + 1..)?,
        _ => rest,
    };
    let mut rest = rest;
    let sector = number(word(&mut rest)?)?;
    if word(&mut rest)? != b"+" {
        return None;
    }
    let sectors = number(word(&mut rest)?)?;
    let open = rest.iter().position(|byte| *byte == b'[')?;
    let inner = rest.get(open + 1..)?.strip_suffix(b"]")?;
    let request = Request {
        device,
        at_ns: line.at_ns,
        kinds,
        extent: Extent::of(sector, sectors),
    };
    Some((request, inner))
}

/// What of a line was lost: `CPU:1 [LOST 42 EVENTS]`, `CPU:1 [42 EVENTS DROPPED]`, `LOST 42 events!`.
fn lost(text: &[u8]) -> Option<u64> {
    let is_marked = find(text, b"LOST").is_some() || find(text, b"EVENTS DROPPED").is_some();
    if !is_marked || !(text.starts_with(b"CPU") || find(text, b" events!").is_some()) {
        return None;
    }
    let words = text.split(|byte| byte.is_ascii_whitespace() || b"[]".contains(byte));
    words.filter_map(number).next_back()
}

/// Whether a file that begins so is printed by perf script (`of_perf`), or by ftrace and trace-cmd: its first line is an event, and one event is of a request.
pub fn recognizes(head: &[u8], of_perf: bool) -> bool {
    let mut lines = head.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    let first = lines
        .clone()
        .find(|text| !text.is_empty() && !is_heading(text));
    let Some(first) = first.and_then(line) else {
        return false;
    };
    first.is_of_perf == of_perf && lines.any(|text| line(text).is_some_and(|of| is_request(&of)))
}

/// Comments of ftrace, the first lines of trace-cmd, and what was lost.
fn is_heading(text: &[u8]) -> bool {
    let begins: [&[u8]; 5] = [b"#", b"cpus=", b"version = ", b"CPU:", b"CPU "];
    begins.iter().any(|begin| text.starts_with(begin)) || lost(text).is_some()
}

fn is_request(of: &Line<'_>) -> bool {
    let is_known = BEGINS.contains(&of.event) || ENDS.contains(&of.event);
    is_known && request(of).is_some()
}

/// By which of [`BEGINS`] and [`ENDS`] the requests of a device begin and end.
#[derive(Clone, Copy)]
struct Ends {
    begin: usize,
    end: usize,
}

/// Of each device in the beginning of the file.
fn ends(head: &[u8]) -> HashMap<Device, Ends, RandomState> {
    let mut found: HashMap<Device, Ends, RandomState> = HashMap::default();
    let events = head.split(|byte| *byte == b'\n').filter_map(line);
    for of in events {
        let Some((request, _)) = request(&of) else {
            continue;
        };
        if found.len() >= DEVICES_MAX && !found.contains_key(&request.device) {
            continue;
        }
        let unknown = Ends {
            begin: BEGINS.len(),
            end: ENDS.len(),
        };
        let known = found.entry(request.device).or_insert(unknown);
        let rank = |of_event: &[&[u8]]| of_event.iter().position(|event| *event == of.event);
        known.begin = known.begin.min(rank(&BEGINS).unwrap_or(known.begin));
        known.end = known.end.min(rank(&ENDS).unwrap_or(known.end));
    }
    found
}

/// Reads all events of a file; those of other kinds are passed over.
pub fn read(lines: &mut Lines<'_>, event_sink: &mut EventSink<'_>) {
    let ends = ends(lines.head());
    let mut requests = BlockRequests::default();
    while let Some(text) = lines.line() {
        event_sink.facts.records += 1;
        let Some(of) = line(text) else {
            event_sink.facts.lost += lost(text.trim_ascii()).unwrap_or(0);
            continue;
        };
        let is_begin = BEGINS.iter().position(|event| *event == of.event);
        let is_end = ENDS.iter().position(|event| *event == of.event);
        if is_begin.is_none() && is_end.is_none() && of.event != REQUEUE {
            continue;
        }
        let Some((request, inner)) = request(&of) else {
            event_sink.damaged();
            continue;
        };
        let known = ends.get(&request.device).copied();
        let (begin, end) = known.map_or((0, 0), |of| (of.begin, of.end));
        match (is_begin, is_end) {
            (Some(rank), _) if rank == begin => {
                let process = process(of.before);
                let name = |number: u64| match process.map(|(name, _)| name) {
                    Some(name) if !name.is_empty() => {
                        format!("{} {number}", String::from_utf8_lossy(name))
                    }
                    _ => number.to_string(),
                };
                let process = process.map(|(_, number)| number);
                requests.begin(&request, process, name, event_sink);
            }
            (_, Some(rank)) if rank == end => {
                let error = number(inner.strip_prefix(b"-").unwrap_or(inner));
                requests.complete(&request, error, event_sink);
            }
            (None, None) => requests.requeue(&request),
            _ => {}
        }
    }
    requests.close(event_sink);
}
