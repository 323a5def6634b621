//! Is it a trace of Alibaba's block storage? Rows of `device_id,opcode,offset,length,timestamp`, times in microseconds, no response times.

use crate::event_sink::EventSink;
use crate::trace_format::block::{Row, Rows, read_rows};
use crate::trace_format::lines::Lines;
use crate::trace_format::text::{field, number};
use crate::trace_format::{TraceFormat, most_lines};

pub static FORMAT: TraceFormat = TraceFormat {
    name: "alibaba",
    program: "CSV traces of Alibaba block storage (2020)",
    recognizes: |head| most_lines(head, |line| row(line).is_some()),
    read,
    #[cfg(test)]
    fixtures: tests::fixtures,
};

fn read(lines: &mut Lines<'_>, event_sink: &mut EventSink<'_>) {
    let rows = Rows {
        row,
        name,
        has_responses: false,
    };
    read_rows(lines, event_sink, &rows);
}

fn row(line: &[u8]) -> Option<Row> {
    let mut rest = line;
    let volume = number(field(&mut rest)?)?;
    let is_write = match field(&mut rest)? {
        b"R" => false,
        b"W" => true,
        _ => return None,
    };
    let row = Row {
        volume,
        is_write,
        offset: number(field(&mut rest)?)?,
        bytes: number(field(&mut rest)?)?,
        at_ns: number(field(&mut rest)?.trim_ascii_end())?.checked_mul(1000)?,
        service_ns: None,
    };
    rest.is_empty().then_some(row)
}

fn name(line: &[u8]) -> String {
    let device = line.split(|byte| *byte == b',').next().unwrap_or_default();
    format!("device {}", String::from_utf8_lossy(device))
}

#[cfg(test)]
mod tests {
    use plumb_model::trace::events::CallClass;

    use crate::trace_format::Fixture;

    pub fn fixtures() -> Vec<Fixture> {
        vec![Fixture {
            bytes: include_bytes!("../../../../testdata/traces/alibaba.csv"),
            check: |reported| {
                assert_eq!((reported.made.len(), reported.answered.len()), (6, 0));
                assert!(!reported.facts.has_responses && reported.unanswered.is_empty());
                let first = reported.made.first().unwrap();
                assert_eq!(first.at_ns, 1_577_808_144_360_767_000);
                assert_eq!(first.class, CallClass::Write);
                assert_eq!(
                    (first.offset, first.bytes),
                    (Some(8_792_731_648), Some(16_384))
                );
                assert_eq!(reported.names[&0], "device 419");
            },
        }]
    }
}
