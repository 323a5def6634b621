//! Is it a trace of Tencent's block storage? Rows of `Timestamp,Offset,Size,IOType,VolumeID`: seconds, sectors of 512 bytes, no response times.

use crate::event_sink::EventSink;
use crate::trace_format::block::{Row, Rows, read_rows};
use crate::trace_format::lines::Lines;
use crate::trace_format::text::{field, number};
use crate::trace_format::{TraceFormat, most_lines};

pub static FORMAT: TraceFormat = TraceFormat {
    name: "tencent",
    program: "CSV traces of Tencent block storage (2018)",
    recognizes: |head| most_lines(head, is_of_its_time),
    read,
    #[cfg(test)]
    fixtures: tests::fixtures,
};

const SECTOR_BYTES: u64 = 512;

fn read(lines: &mut Lines<'_>, event_sink: &mut EventSink<'_>) {
    let rows = Rows {
        row,
        name,
        has_responses: false,
    };
    read_rows(lines, event_sink, &rows);
}

/// Five numbers are found in many files; here the first is a time after 2001, and the fourth 0 or 1.
fn is_of_its_time(line: &[u8]) -> bool {
    row(line).is_some_and(|row| row.at_ns >= 1_000_000_000 * 1_000_000_000)
}

fn row(line: &[u8]) -> Option<Row> {
    let mut rest = line;
    let at_s = number(field(&mut rest)?)?;
    let offset = number(field(&mut rest)?)?;
    let sectors = number(field(&mut rest)?)?;
    let is_write = match field(&mut rest)? {
        b"0" => false,
        b"1" => true,
        _ => return None,
    };
    let row = Row {
        at_ns: at_s.checked_mul(1_000_000_000)?,
        volume: number(field(&mut rest)?.trim_ascii_end())?,
        is_write,
        offset: offset.checked_mul(SECTOR_BYTES)?,
        bytes: sectors.checked_mul(SECTOR_BYTES)?,
        service_ns: None,
    };
    rest.is_empty().then_some(row)
}

fn name(line: &[u8]) -> String {
    let volume = line.rsplit(|byte| *byte == b',').next();
    format!(
        "volume {}",
        String::from_utf8_lossy(volume.unwrap_or_default())
    )
}

#[cfg(test)]
mod tests {
    use plumb_model::trace::events::CallClass;

    use crate::trace_format::Fixture;

    pub fn fixtures() -> Vec<Fixture> {
        vec![Fixture {
            bytes: include_bytes!("../../../../testdata/traces/tencent.csv"),
            check: |reported| {
                assert_eq!((reported.made.len(), reported.answered.len()), (5, 0));
                let first = reported.made.first().unwrap();
                assert_eq!(first.at_ns, 1_538_323_200_000_000_000);
                assert_eq!(first.class, CallClass::Write);
                assert_eq!(
                    (first.offset, first.bytes),
                    (Some(12_910_952 * 512), Some(65_536))
                );
                assert_eq!(reported.names[&0], "volume 1063");
                assert!(!reported.facts.has_responses);
            },
        }]
    }
}
