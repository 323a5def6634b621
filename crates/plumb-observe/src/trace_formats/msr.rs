//! Is it a trace of MSR Cambridge? Rows of `Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime`, times in 100 ns since 1601.

use crate::event_sink::EventSink;
use crate::trace_format::block::{Row, Rows, read_rows};
use crate::trace_format::lines::Lines;
use crate::trace_format::text::{field, number};
use crate::trace_format::volumes::spread;
use crate::trace_format::{TraceFormat, most_lines};

pub static FORMAT: TraceFormat = TraceFormat {
    name: "msr",
    program: "CSV traces of MSR Cambridge",
    recognizes: |head| most_lines(head, |line| row(line).is_some()),
    read,
    #[cfg(test)]
    fixtures: tests::fixtures,
};

/// 1970 in 100 ns since 1601.
const UNIX_BEGIN: u64 = 116_444_736_000_000_000;

fn read(lines: &mut Lines<'_>, event_sink: &mut EventSink<'_>) {
    let rows = Rows {
        row,
        name,
        has_responses: true,
    };
    read_rows(lines, event_sink, &rows);
}

fn row(line: &[u8]) -> Option<Row> {
    let mut rest = line;
    let at = number(field(&mut rest)?)?.checked_sub(UNIX_BEGIN)?;
    let host = field(&mut rest)?;
    let disk = number(field(&mut rest)?)?;
    let is_write = match field(&mut rest)? {
        b"Read" => false,
        b"Write" => true,
        _ => return None,
    };
    let row = Row {
        at_ns: at.checked_mul(100)?,
        volume: spread(host) ^ disk.rotate_left(32),
        is_write,
        offset: number(field(&mut rest)?)?,
        bytes: number(field(&mut rest)?)?,
        service_ns: Some(number(field(&mut rest)?.trim_ascii_end())?.checked_mul(100)?),
    };
    rest.is_empty().then_some(row)
}

fn name(line: &[u8]) -> String {
    let mut fields = line.split(|byte| *byte == b',').skip(1);
    let mut next = || String::from_utf8_lossy(fields.next().unwrap_or_default()).into_owned();
    format!("{} disk {}", next(), next())
}

#[cfg(test)]
mod tests {
    use crate::trace_format::Fixture;

    pub fn fixtures() -> Vec<Fixture> {
        vec![Fixture {
            bytes: include_bytes!("../../../../testdata/traces/msr.csv"),
            check: |reported| {
                assert_eq!((reported.made.len(), reported.answered.len()), (8, 8));
                let first = reported.made.first().unwrap();
                // 2007-02-22 17:00:00.3 UTC.
                assert_eq!(first.at_ns, 1_172_163_600_306_162_900);
                assert_eq!((first.offset, first.bytes), (Some(9_056_256), Some(24_576)));
                assert_eq!(reported.names.len(), 2);
                assert_eq!(reported.of_file("hm disk 0").len(), 3);
                let of_first = reported
                    .answered
                    .iter()
                    .find(|of| of.call == *first)
                    .unwrap();
                assert_eq!(of_first.service_ns(), 4_128_600);
                assert_eq!(reported.facts.damaged, 0);
            },
        }]
    }
}
