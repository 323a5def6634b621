//! What did iperf3 print? The summary of each test, at the end that printed it.

mod row;

use plumb_model::run::Run;
use plumb_model::run::imported::{Reported, ReportedFigure};
use plumb_model::statement::Statement;
use plumb_model::target::Target;
use plumb_model::units::Bytes;
use plumb_model::workload::operation::OperationKind;
use plumb_model::workload::{Job, Offsets, Weighted, Workload};

#[cfg(test)]
use crate::importer::Fixture;
use crate::importer::number::integer;
use crate::importer::{Head, ImportError, Importer, RunBuilder, Source};
use row::{Row, row, without_time};

pub static IMPORTER: Importer = Importer {
    name: "iperf3-text",
    program: "iperf3",
    meaning: "what iperf3 prints, as client or as server: the summary of each test becomes a step, the same test again a round; intervals are in its JSON (-J)",
    recognizes,
    import,
    #[cfg(test)]
    fixtures,
};

/// Tests of one file.
const TESTS_MAX: usize = 20_000;
/// Bytes of a block where the text does not state them: the default of TCP.
const BLOCK_BYTES: u64 = 131_072;

fn recognizes(head: &Head<'_>) -> bool {
    let text = head.text();
    let (mut begins, mut has_table) = (false, false);
    for line in text.lines().map(without_time).take(10_000) {
        begins |= Test::begins_with(line).is_some() || line.starts_with("Server listening on ");
        has_table |= is_header(line);
    }
    begins && has_table
}

/// `[ ID] Interval           Transfer     Bitrate`
fn is_header(line: &str) -> bool {
    line.starts_with("[ ID]") && line.contains("Interval") && line.contains("Transfer")
}

fn import(source: &mut Source<'_>) -> Result<Vec<Run>, ImportError> {
    let mut builder = RunBuilder::new("iperf3", None);
    builder.doubt(Statement::new("iperf3-intervals-left-out"));
    let (mut test, mut number, mut found, mut is_of_server) = (None::<Test>, 0, 0, false);
    while let Some(line) = source.line()? {
        number += 1;
        let line = without_time(&line);
        // What the server printed (--get-server-output) is another view of the same test.
        is_of_server =
            (is_of_server || line.starts_with("Server output:")) && line != "iperf Done.";
        if is_of_server {
            continue;
        }
        if let Some(peer) = Test::begins_with(line) {
            found += usize::from(close(&mut builder, &mut test));
            test = Some(Test::of(peer));
        } else if let Some(version) = line.strip_prefix("iperf ") {
            let version = version.trim().to_string();
            if let Some(imported) = builder.run().header.imported.as_mut() {
                imported.version.get_or_insert(version);
            }
        } else if let Some(test) = &mut test {
            test.line(line, &mut builder);
        }
        if found > TESTS_MAX {
            return Err(ImportError::at(
                number,
                format!("at most {TESTS_MAX} tests in one file"),
            ));
        }
    }
    found += usize::from(close(&mut builder, &mut test));
    match found {
        0 => Err(ImportError::of_file(
            "tests with a summary ('[ ID] Interval ... sender'), which iperf3 prints at the end of each",
        )),
        _ => Ok(vec![builder.finish()]),
    }
}

/// Ends the test that is being read. True if it has a summary.
fn close(builder: &mut RunBuilder, test: &mut Option<Test>) -> bool {
    let Some(test) = test.take() else {
        return false;
    };
    let has_summary = !test.summary.is_empty();
    if has_summary {
        test.add(builder);
    } else if test.has_table {
        builder.doubt(Statement::new("iperf3-test-without-summary"));
    }
    has_summary
}

/// The figures of one direction, as the end that printed them counted, with those of the other end beside them.
fn reported(kind: OperationKind, rows: &[&Row]) -> Reported {
    let sends = kind == OperationKind::Send;
    let of_end = |sender: bool| rows.iter().find(|row| row.is_of_sender == Some(sender));
    let is_marked = rows.iter().any(|row| row.is_of_sender.is_some());
    // Up to 3.1, UDP has one row: packets of the receiver, and the rate of the sender.
    let own = match is_marked {
        true => of_end(sends),
        false => rows.first(),
    };
    let rate = |row: &&Row| Some(row.bytes_per_s).filter(|rate| *rate > 0.0);
    let rate_of = |sender: bool| match is_marked {
        true => of_end(sender).and_then(rate),
        false => own.filter(|_| sender).and_then(rate),
    };
    let packets = rows.iter().rev().find_map(|row| row.packets);
    let iops = own.and_then(|row| {
        let (lost, all) = row.packets?;
        let arrived = if sends { all } else { all - lost };
        (row.seconds > 0.0).then_some(arrived / row.seconds)
    });
    let figures = [
        ("sent, over the whole test", rate_of(true), "B/s"),
        ("received, over the whole test", rate_of(false), "B/s"),
        (
            "retransmits",
            rows.iter().find_map(|row| row.retransmits),
            "",
        ),
        (
            "jitter",
            rows.iter().rev().find_map(|row| row.jitter_ns),
            "ns",
        ),
        ("packets lost", packets.map(|(lost, _)| lost), ""),
        (
            "packets lost, part",
            packets
                .filter(|(_, all)| *all > 0.0)
                .map(|(lost, all)| 100.0 * lost / all),
            "%",
        ),
    ];
    let figure =
        |(name, value, unit): (&str, Option<f64>, &str)| ReportedFigure::known(name, value, unit);
    Reported {
        kind: Some(kind),
        iops,
        bandwidth_bytes_per_s: rate_of(sends),
        figures: figures.into_iter().filter_map(figure).collect(),
        ..Reported::default()
    }
}

/// A test that is being read.
#[derive(Default)]
struct Test {
    /// The server, where a client prints.
    server: Option<(String, u64)>,
    is_reversed: bool,
    /// Connections, in both directions together.
    connections: u32,
    block_bytes: Option<u64>,
    has_table: bool,
    /// The table of intervals is one of a sender: with retransmits, or with all datagrams.
    has_table_of_sender: bool,
    is_udp: bool,
    /// A line of dashes came last, before which the intervals end.
    after_dashes: bool,
    summary: Vec<Row>,
}

impl Test {
    /// The server that a client connects to, or nothing for a server that accepts a connection; `None` if no test begins here.
    fn begins_with(line: &str) -> Option<Option<(String, u64)>> {
        if line.starts_with("Accepted connection from ") {
            return Some(None);
        }
        let rest = line.strip_prefix("Connecting to host ")?;
        let (host, port) = rest.split_once(", port ")?;
        Some(Some((host.to_string(), integer(port).unwrap_or(5201))))
    }

    fn of(server: Option<(String, u64)>) -> Test {
        Test {
            server,
            ..Test::default()
        }
    }

    fn line(&mut self, line: &str, builder: &mut RunBuilder) {
        let after_dashes = self.after_dashes;
        self.after_dashes =
            line.starts_with("- - -") || (after_dashes && line.starts_with("Test Complete."));
        if line.starts_with("Reverse mode") {
            self.is_reversed = true;
        } else if line.contains("] local ") {
            self.connections = self.connections.saturating_add(1);
        } else if let Some((before, _)) = line.split_once(" byte blocks") {
            self.block_bytes = before.rsplit(' ').next().and_then(integer);
        } else if is_header(line) {
            self.is_udp |= line.contains("Datagrams");
            if self.has_table && after_dashes {
                self.summary.clear();
                self.after_dashes = true;
            } else {
                self.has_table_of_sender = line.contains("Retr")
                    || line.trim_end().ends_with("Total Datagrams") && !line.contains("Lost/");
            }
            self.has_table = true;
        } else if let Some(row) = row(line) {
            if row.is_omitted {
                builder.doubt(Statement::new("iperf3-first-seconds-omitted"));
            }
            // Rows of the summary follow its heading.
            if after_dashes {
                self.summary.push(row);
                self.after_dashes = true;
            }
        } else if after_dashes && line.starts_with('[') {
            // `[  4] Sent 68 datagrams` of 3.1.
            self.after_dashes = true;
        }
    }

    fn add(&self, builder: &mut RunBuilder) {
        let both = self.summary.iter().any(|row| row.sends.is_some());
        let sends = match &self.server {
            Some(_) => !self.is_reversed,
            None => self.has_table_of_sender,
        };
        let kinds = match (both, sends) {
            (true, _) => vec![OperationKind::Send, OperationKind::Receive],
            (false, true) => vec![OperationKind::Send],
            (false, false) => vec![OperationKind::Receive],
        };
        let protocol = if self.is_udp { "UDP" } else { "TCP" };
        let words: Vec<_> = kinds.iter().map(|kind| kind.word()).collect();
        let jobs: Vec<_> = kinds
            .iter()
            .map(|kind| self.job(*kind, both, protocol))
            .collect();
        let step = builder.step_of_jobs(&format!("{protocol} {}", words.join(" + ")), jobs);
        let span = builder.execution(step, 0.0);
        for (job, kind) in kinds.iter().enumerate() {
            let sends = *kind == OperationKind::Send;
            let of_direction = |row: &&Row| row.sends.is_none_or(|of| of == sends);
            let mut rows: Vec<&Row> = self.summary.iter().filter(of_direction).collect();
            if rows.iter().any(|row| row.is_sum) {
                rows.retain(|row| row.is_sum);
            }
            builder.reported(span, job as u32, reported(*kind, &rows));
        }
        let lost = |row: &Row| row.packets.is_some_and(|(lost, _)| lost > 0.0);
        if !self.is_udp {
            builder.doubt(Statement::new("iperf3-no-messages"));
        } else if self.summary.iter().any(lost) {
            builder.doubt(Statement::new("iperf3-packets-lost"));
        }
        if self.block_bytes.is_none() {
            builder.doubt(Statement::new("iperf3-block-not-said"));
        }
    }

    fn job(&self, kind: OperationKind, both: bool, protocol: &str) -> Job {
        let address = self.server.as_ref();
        let address = address.map(|(host, port)| format!("iperf3://{host}:{port}"));
        let target = address.and_then(|address| address.parse().ok());
        let connections = self.connections / if both { 2 } else { 1 };
        let workload = Workload {
            mix: Weighted::only(kind),
            block: Weighted::only(Bytes(self.block_bytes.unwrap_or(BLOCK_BYTES).max(1))),
            offsets: Offsets::Sequential,
            workers: connections.max(1),
            ..Workload::default()
        };
        RunBuilder::job(
            if both { kind.word() } else { "" },
            target.unwrap_or_else(|| Target::Path("unknown".into())),
            &format!("iperf3 {protocol}"),
            workload,
        )
    }
}

#[cfg(test)]
fn fixtures() -> Vec<Fixture> {
    use crate::importer::stated_of;
    macro_rules! file {
        ($name:literal, $check:expr) => {
            Fixture {
                name: $name,
                bytes: include_bytes!(concat!("../../../../testdata/foreign/iperf3/", $name))
                    .to_vec(),
                check: $check,
            }
        };
    }
    vec![
        file!("3.12-bidirectional.txt", |runs| {
            let step = &runs[0].header.plan.steps[0];
            assert_eq!(
                (step.name.as_str(), step.jobs[0].workload.workers),
                ("TCP send + receive", 1)
            );
            let kinds: Vec<_> = stated_of(&runs[0], "TCP send + receive")
                .iter()
                .map(|of| of.kind)
                .collect();
            assert_eq!(
                kinds,
                [Some(OperationKind::Send), Some(OperationKind::Receive)]
            );
        }),
        file!("3.12-server.txt", |runs| {
            let steps = runs[0].header.plan.steps.iter();
            let names: Vec<_> = steps.map(|step| step.name.as_str()).collect();
            assert_eq!(
                names,
                ["TCP receive", "TCP send", "TCP receive (2)", "UDP receive"]
            );
        }),
        file!("3.1.7-udp-reverse.txt", |runs| {
            let reported = &stated_of(&runs[0], "UDP receive")[0];
            assert_eq!(
                reported.bandwidth_bytes_per_s, None,
                "the rate is the sender's"
            );
            let lost = reported.figures.iter().find(|of| of.name == "packets lost");
            assert_eq!(lost.map(|lost| lost.value), Some(26.0));
        }),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs(text: &str) -> Result<Vec<Run>, ImportError> {
        IMPORTER.of_bytes(text.as_bytes())
    }

    const TEST: &str = include_str!("../../../../testdata/foreign/iperf3/3.12-tcp.txt");

    #[test]
    fn a_test_without_its_summary_is_named_and_alone_it_is_refused() {
        let cut = &TEST[..TEST.find("- - -").expect("a summary")];
        let both = runs(&format!("{TEST}{cut}")).expect("one test");
        let doubts = &both[0].header.imported.as_ref().expect("imported").doubts;
        let is_named = |of: &Statement| of.id == "iperf3-test-without-summary";
        assert!(doubts.iter().any(is_named), "{doubts:?}");
        let refused = runs(cut).expect_err("no summary").to_string();
        assert!(refused.contains("summary"), "{refused}");
    }

    #[test]
    fn what_the_server_printed_is_not_another_test() {
        let server = include_str!("../../../../testdata/foreign/iperf3/3.12-server.txt");
        let (client, end) = TEST.split_once("\niperf Done.").expect("an end");
        let text = format!("{client}\n\nServer output:\n{server}\niperf Done.{end}");
        let run = &runs(&text).expect("a test")[0];
        assert_eq!(
            (run.header.plan.steps.len(), run.header.plan.rounds),
            (1, 1)
        );
    }

    #[test]
    fn times_before_lines_are_left_out() {
        let stamped: String = TEST
            .lines()
            .map(|line| format!("Sat Nov 28 04:36:44 2026 {line}\n"))
            .collect();
        let [stamped, plain] = [&stamped, TEST].map(|text| runs(text).expect("a test"));
        assert_eq!(stamped[0].notes, plain[0].notes);
    }
}
