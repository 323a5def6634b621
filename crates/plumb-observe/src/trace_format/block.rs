//! How are rows of requests to block devices reported? Each as a read or a write of its volume, and its answer where the row has a response time.

use plumb_model::trace::events::{Answered, Call, CallClass};

use super::lines::Lines;
use super::volumes::Volumes;
use crate::event_sink::EventSink;

/// A longer response time is a damaged number.
const SERVICE_NS_MAX: u64 = 24 * 3600 * 1_000_000_000;

/// What one row says.
pub struct Row {
    pub at_ns: u64,
    /// What distinguishes its volume from others.
    pub volume: u64,
    pub is_write: bool,
    pub offset: u64,
    pub bytes: u64,
    /// Missing where the format has none.
    pub service_ns: Option<u64>,
}

/// What a format is that has one request in each line.
pub struct Rows {
    /// Reads one line; `None` when it is none of the format.
    pub row: fn(&[u8]) -> Option<Row>,
    /// What the volume of this line is called.
    pub name: fn(&[u8]) -> String,
    pub has_responses: bool,
}

/// Reports all rows. A first line without a single row in it is a head of column names.
pub fn read_rows(lines: &mut Lines<'_>, event_sink: &mut EventSink<'_>, rows: &Rows) {
    let mut volumes = Volumes::default();
    event_sink.facts.has_responses = rows.has_responses;
    while let Some(line) = lines.line() {
        event_sink.facts.records += 1;
        let row = (rows.row)(line).filter(|row| {
            row.service_ns.is_none_or(|time| time <= SERVICE_NS_MAX)
                && row.offset.checked_add(row.bytes).is_some()
        });
        let Some(row) = row else {
            let is_head = event_sink.facts.records == 1
                && line.iter().any(u8::is_ascii_alphabetic)
                && !line.iter().any(u8::is_ascii_digit);
            if !is_head && !line.trim_ascii().is_empty() {
                event_sink.damaged();
            }
            continue;
        };
        let file = volumes.file(row.volume, || (rows.name)(line), event_sink);
        let (name, class) = match row.is_write {
            true => ("write", CallClass::Write),
            false => ("read", CallClass::Read),
        };
        let call = Call {
            name,
            class,
            at_ns: row.at_ns,
            lane: file.unwrap_or(0) as u32,
            file,
            offset: Some(row.offset),
            bytes: Some(row.bytes),
            closes: false,
        };
        event_sink.made(call);
        if let Some(service_ns) = row.service_ns {
            event_sink.answered(Answered {
                call,
                at_ns: row.at_ns.saturating_add(service_ns),
                moved_bytes: Some(row.bytes),
                status: None,
                round_trip_ns: None,
                was_pending: false,
            });
            event_sink.release(row.at_ns);
        }
    }
}
