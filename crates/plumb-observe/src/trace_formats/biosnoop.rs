//! Is it what biosnoop prints? A line for each request of a block device when it completes, by BCC's biosnoop or that of libbpf-tools.
//!
//! ```text
//! TIME(s)     COMM           PID    DISK    T SECTOR     BYTES  LAT(ms)
//! 0.000000    app            4321   sda     R 1000       4096      0.50
//! ```
//!
//! The time is that of the completion, counted from the first one (bcc, tools/biosnoop.py); the latency is from the issue to the device until then. Queued time
//! (`-Q`, QUE(ms)) comes before that. BCC prints R for all that is no write, flushes and discards included.

use plumb_model::trace::events::{Answered, Call};

use crate::event_sink::EventSink;
use crate::trace_format::block_requests::{SECTOR_BYTES, meaning};
use crate::trace_format::lines::Lines;
use crate::trace_format::recent::Recent;
use crate::trace_format::text::{number, seconds_ns, word};
use crate::trace_format::volumes::{Volumes, spread};
use crate::trace_format::{TraceFormat, most_lines};

pub static FORMAT: TraceFormat = TraceFormat {
    name: "biosnoop",
    program: "biosnoop of BCC or libbpf-tools",
    recognizes: |head| {
        most_lines(head, |line| {
            row(line).is_some() || (is_heading(line) && line.starts_with(b"TIME(s)"))
        })
    },
    read,
    #[cfg(test)]
    fixtures: tests::fixtures,
};

/// Added to each time: the first request was issued before the first completion, from which times count.
const BEGIN_NS: u64 = 24 * 3600 * 1_000_000_000;
/// Processes that are told apart.
const PROCESSES_MAX: u32 = 65_536;

/// One line.
struct Row<'a> {
    end_ns: u64,
    process: u64,
    command: &'a [u8],
    /// Missing where biosnoop did not see the issue.
    disk: Option<&'a [u8]>,
    kinds: &'a [u8],
    sector: u64,
    bytes: u64,
    latency_ns: u64,
}

/// From its end to its begin, as the name of a program may have blanks.
fn row(line: &[u8]) -> Option<Row<'_>> {
    let mut rest = line;
    let at = word(&mut rest)?;
    let (at, is_before) = match at.strip_prefix(b"-") {
        Some(at) => (at, true),
        None => (at, false),
    };
    let at_ns = decimals(at)?;
    let latency_ns = milliseconds_ns(last_word(&mut rest)?)?;
    let mut bytes = last_word(&mut rest)?;
    if bytes.contains(&b'.') {
        // Time in the queue; -1 where it is not known.
        milliseconds_ns(bytes.strip_prefix(b"-").unwrap_or(bytes))?;
        bytes = last_word(&mut rest)?;
    }
    if matches!(bytes, b"S" | b"R" | b"?") {
        bytes = last_word(&mut rest)?;
    }
    let sector = last_word(&mut rest)?;
    let kinds = last_word(&mut rest)?;
    let disk = last_word(&mut rest)?;
    let (disk, process) = match number(disk) {
        Some(process) => (None, process),
        None => (Some(disk), number(last_word(&mut rest)?)?),
    };
    let is_kind = |byte: &u8| byte.is_ascii_uppercase();
    (kinds.len() <= 8 && kinds.iter().all(is_kind)).then_some(())?;
    Some(Row {
        end_ns: match is_before {
            true => BEGIN_NS.checked_sub(at_ns)?,
            false => BEGIN_NS.checked_add(at_ns)?,
        },
        process,
        command: rest.trim_ascii(),
        disk,
        kinds,
        // A flush has none: -1, which BCC prints without a sign.
        sector: match sector {
            b"-1" => u64::MAX,
            sector => number(sector)?,
        },
        bytes: number(bytes)?,
        latency_ns: Some(latency_ns).filter(|ns| *ns < BEGIN_NS / 2)?,
    })
}

/// Seconds with decimal places.
fn decimals(text: &[u8]) -> Option<u64> {
    seconds_ns(text).filter(|_| text.contains(&b'.'))
}

fn milliseconds_ns(text: &[u8]) -> Option<u64> {
    Some(decimals(text)? / 1000)
}

/// The last word of a text, and what is before it.
fn last_word<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let text = rest.trim_ascii_end();
    let begin = text.iter().rposition(u8::is_ascii_whitespace);
    let begin = begin.map_or(0, |blank| blank + 1);
    *rest = text.get(..begin)?;
    text.get(begin..).filter(|word| !word.is_empty())
}

/// Output of namesakes that lack what is needed.
pub fn without_use(head: &[u8]) -> Option<&'static str> {
    let mut headings = head.split(|byte| *byte == b'\n').take(50);
    let heading = headings.find(|line| is_heading(line))?.trim_ascii_start();
    if heading.starts_with(b"TIME(ms)") {
        return Some(
            "biosnoop.bt of bpftrace prints neither sizes nor whether a request reads or writes, and whole milliseconds only. Trace with biosnoop of BCC (Debian: biosnoop-bpfcc), or with 'perf record -a -e block:block_rq_issue,block:block_rq_complete'",
        );
    }
    heading.starts_with(b"TIMESTAMP").then_some(
        "biosnoop -t prints when a line was printed, not when a request completed. Trace without -t",
    )
}

/// Names of columns, which stand at the beginning, and again where several files were joined.
fn is_heading(line: &[u8]) -> bool {
    line.trim_ascii_end().ends_with(b"LAT(ms)")
}

/// `Possibly lost 42 samples` of BCC, `lost 42 events on CPU #1` of libbpf-tools.
fn lost(line: &[u8]) -> Option<u64> {
    let mut rest = line.strip_prefix(b"Possibly ").unwrap_or(line);
    (word(&mut rest)? == b"lost").then_some(())?;
    let count = number(word(&mut rest)?)?;
    matches!(word(&mut rest)?, b"samples" | b"events").then_some(count)
}

fn read(lines: &mut Lines<'_>, event_sink: &mut EventSink<'_>) {
    let mut volumes = Volumes::default();
    let mut lanes: Recent<u32> = Recent::default();
    let mut lanes_count = 0;
    while let Some(line) = lines.line() {
        event_sink.facts.records += 1;
        let Some(row) = row(line) else {
            let line = line.trim_ascii();
            match lost(line) {
                Some(count) => event_sink.facts.lost += count,
                None if line.is_empty() || is_heading(line) => {}
                None if line.starts_with(b"Tracing ") => {}
                None => event_sink.damaged(),
            }
            continue;
        };
        let name = |disk: &[u8]| String::from_utf8_lossy(disk).into_owned();
        let file = row
            .disk
            .and_then(|disk| volumes.file(spread(disk), || name(disk), event_sink));
        let lane = match lanes.get(row.process) {
            Some(lane) => *lane,
            None if lanes_count < PROCESSES_MAX => {
                let lane = lanes_count;
                lanes_count += 1;
                lanes.insert(row.process, lane);
                event_sink.name_lane(
                    lane,
                    format!("{} {}", name(row.command), row.process).trim(),
                );
                lane
            }
            None => 0,
        };
        let has_content = row.bytes > 0;
        // What moves nothing is no read, whatever BCC calls it.
        let kinds = match row.kinds {
            b"R" if !has_content => b"N",
            kinds => kinds,
        };
        let (kind, class) = meaning(kinds, has_content);
        let offset = row.sector.checked_mul(SECTOR_BYTES);
        let call = Call {
            name: kind,
            class,
            at_ns: row.end_ns.saturating_sub(row.latency_ns),
            lane,
            file,
            offset: offset.filter(|_| has_content && row.disk.is_some()),
            bytes: Some(row.bytes),
            closes: false,
        };
        // Lines come by their completion; the order of the issues is another.
        event_sink.made_later(call);
        event_sink.answered(Answered {
            call,
            at_ns: row.end_ns,
            moved_bytes: Some(row.bytes),
            status: None,
            round_trip_ns: None,
            was_pending: false,
        });
    }
}

#[cfg(test)]
mod tests {
    use plumb_model::trace::events::CallClass;

    use super::BEGIN_NS;
    use crate::trace_format::Fixture;

    /// By the formats of bcc/tools/biosnoop.py: with queued time and pattern, a name with blanks, an unknown disk, a flush, lines of two processors in another order.
    const OF_BCC: &[u8] = b"\
TIME(s)     COMM           PID     DISK      T SECTOR     BYTES  P QUE(ms) LAT(ms)
0.000000    my app         4321    nvme0n1   R 1000       4096   ?    0.02    0.50
0.000900    my app         4321    nvme0n1   R 1008       4096   S    0.01    0.60
-0.000100   my app         4321    nvme0n1   W 9000       8192   R   12.30    1.25
Possibly lost 3 samples
0.002000    kworker/0:1H   112     sdb       R 0          0      ?    0.00    2.10
0.003000    ?              0       R 0          4096   ?    0.00    0.40
";

    pub fn fixtures() -> Vec<Fixture> {
        vec![
            Fixture {
                bytes: OF_BCC,
                check: |reported| {
                    assert_eq!((reported.count("read"), reported.count("write")), (3, 1));
                    assert_eq!((reported.count("other"), reported.answered.len()), (1, 5));
                    // By completion, as they are answered.
                    let times = reported.answered.iter().map(|of| of.service_ns() / 1000);
                    let expected = [1250, 500, 600, 2100, 400];
                    assert_eq!(times.collect::<Vec<_>>(), expected);
                    let first = reported.made.first().unwrap();
                    assert_eq!((first.name, first.class), ("write", CallClass::Write));
                    assert_eq!(first.at_ns, BEGIN_NS - 100_000 - 1_250_000);
                    assert_eq!((first.offset, first.bytes), (Some(9000 * 512), Some(8192)));
                    let unknown = reported.made.last().unwrap();
                    assert_eq!((unknown.file, unknown.offset), (None, None));
                    assert_eq!(reported.of_file("nvme0n1").len(), 3);
                    assert_eq!(reported.lanes[&0], "my app 4321");
                    assert_eq!((reported.facts.lost, reported.facts.damaged), (3, 0));
                },
            },
            Fixture {
                // Printed by biosnoop of libbpf-tools while fio made 28 reads and 32 writes of 4 KiB, and 6 flushes, which /proc/diskstats confirmed.
                bytes: include_bytes!("../../../../testdata/traces/biosnoop-libbpf.txt"),
                check: |reported| {
                    assert_eq!((reported.count("read"), reported.count("write")), (28, 32));
                    assert_eq!(reported.count("flush"), 6);
                    assert_eq!((reported.answered.len(), reported.facts.damaged), (66, 0));
                    let bytes = reported.answered.iter().filter_map(|of| of.moved_bytes);
                    assert_eq!(bytes.sum::<u64>(), 60 * 4096);
                    assert_eq!(reported.facts.lost, 0);
                },
            },
        ]
    }

    #[test]
    fn namesakes_are_refused_with_what_to_use() {
        for (head, words) in [
            (
                &b"Attaching 4 probes...\nTIME(ms)     DISK    COMM             PID    LAT(ms)\n611          nvme0n1 bash             4179         10\n"[..],
                "bpftrace",
            ),
            (
                b"TIMESTAMP    COMM           PID     DISK    T    SECTOR     BYTES   LAT(ms)\n",
                "without -t",
            ),
        ] {
            assert!(crate::trace_formats::format_of(head).is_none());
            let why = crate::trace_formats::without_use(head).unwrap();
            assert!(why.contains(words), "{why}");
        }
    }
}
