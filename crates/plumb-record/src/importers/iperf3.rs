//! What did iperf3 measure? Its JSON: bytes of every interval, and the summary of both ends.
//!
//! iperf3 writes a byte stream in chunks of `blksize` and counts no messages, except UDP packets: intervals have bytes but no number of operations.

mod document;

use std::collections::BTreeMap;

use plumb_model::environment::Fact;
use plumb_model::run::Run;
use plumb_model::run::histogram::Histogram;
use plumb_model::run::imported::{Reported, ReportedFigure};
use plumb_model::run::tick::{KindTick, Phase, Tick};
use plumb_model::statement::Statement;
use plumb_model::target::Target;
use plumb_model::units::{Bytes, Nanos};
use plumb_model::workload::operation::OperationKind;
use plumb_model::workload::{Job, Offsets, Weighted, Workload};

#[cfg(test)]
use crate::importer::Fixture;
use crate::importer::embedded::Embedded;
use crate::importer::lenient::Number;
use crate::importer::{Head, ImportError, Importer, RunBuilder, Source, Span, date};
use document::{CpuUse, Document, Interval, Sum};

pub static IMPORTER: Importer = Importer {
    name: "iperf3",
    program: "iperf3",
    meaning: "what iperf3 writes with -J: TCP, UDP and SCTP, in one direction, reversed or both",
    recognizes,
    import,
    #[cfg(test)]
    fixtures,
};

/// Most tests in one file.
const RUNS_MAX: usize = 10_000;

fn recognizes(head: &Head<'_>) -> bool {
    let text = head.text();
    text.contains("\"start\"")
        && (text.contains("\"iperf 3") || text.contains("\"version\":\t\"iperf"))
}

fn import(source: &mut Source<'_>) -> Result<Vec<Run>, ImportError> {
    let mut file = Embedded::new(&mut *source.reader, "iperf3");
    let mut runs: Vec<Run> = Vec::new();
    while runs.len() < RUNS_MAX {
        let (found, surrounding_text) = file.next_object()?;
        if !found {
            break;
        }
        let document: Document = match file.value() {
            Ok(document) => document,
            Err(error) if runs.is_empty() => return Err(error),
            Err(error) => {
                if let Some(from) = runs.last_mut().and_then(|run| run.header.imported.as_mut()) {
                    from.doubts.push(
                        Statement::new("rest-of-file-left-out").name("error", error.to_string()),
                    );
                }
                break;
            }
        };
        if document.intervals.0.is_empty() && document.end.sent.bytes.positive().is_none() {
            let why = if document.error.0.is_empty() {
                "no error message".to_string()
            } else {
                format!("'{}'", document.error.0)
            };
            return Err(ImportError::at(
                file.line(),
                format!("a test with intervals; iperf3 reports: {why}"),
            ));
        }
        runs.push(run_of(&document, &surrounding_text));
    }
    if runs.is_empty() {
        Err(ImportError::of_file(
            "an object with \"start\", \"intervals\" and \"end\"",
        ))
    } else {
        Ok(runs)
    }
}

/// Direction as seen from this end: stated in each interval; for older versions derived from the requested one.
fn kind_of(document: &Document) -> OperationKind {
    let first = document
        .intervals
        .0
        .first()
        .and_then(|interval| interval.sum.sender.0);
    let client = !document.start.server.host.0.is_empty();
    let is_reversed = document.start.test.reverse.positive().is_some() != client;
    if first.map_or(is_reversed, |sender| sender > 0.0) {
        OperationKind::Send
    } else {
        OperationKind::Receive
    }
}

fn run_of(document: &Document, surrounding_text: &str) -> Run {
    let (start, test) = (&document.start, &document.start.test);
    let version = start
        .version
        .0
        .strip_prefix("iperf ")
        .unwrap_or(&start.version.0);
    let mut builder = RunBuilder::new("iperf3", (!version.is_empty()).then(|| version.to_string()));
    if !surrounding_text.is_empty() {
        builder.doubt(Statement::new("text-beside-json").name("text", surrounding_text));
    }
    if !document.error.0.is_empty() {
        builder.doubt(Statement::new("iperf3-ended-with-error").name("error", &document.error.0));
    }
    if let Some(seconds) = start
        .timestamp
        .unix_s
        .positive()
        .filter(|seconds| *seconds < 1e10)
    {
        let unix_ns = seconds as u64 * 1_000_000_000;
        builder.started(date::rfc3339(unix_ns), unix_ns);
    }
    let facts = [
        ("network.host", &start.server.host.0),
        ("network.tcp_congestion_control", &document.end.congestion.0),
    ];
    let facts = facts
        .map(|(id, text)| (id, text.as_str()))
        .into_iter()
        .chain(facts_of_system(&start.system.0));
    for (id, text) in facts.filter(|(_, text)| !text.is_empty()) {
        builder.fact(id, Fact::Text(text.into()));
    }
    let kind = kind_of(document);
    let back = if kind == OperationKind::Send {
        OperationKind::Receive
    } else {
        OperationKind::Send
    };
    let both = document
        .intervals
        .0
        .iter()
        .any(|interval| interval.back.bytes.0.is_some());
    let kinds = if both { vec![kind, back] } else { vec![kind] };
    let protocol = if test.protocol.0.is_empty() {
        "TCP".to_string()
    } else {
        test.protocol.0.clone()
    };
    let step = builder.step(
        &format!(
            "{protocol} {}",
            kinds
                .iter()
                .map(|kind| kind.word())
                .collect::<Vec<_>>()
                .join(" + ")
        ),
        || {
            kinds
                .iter()
                .map(|kind| job(document, *kind, both, &protocol))
                .collect()
        },
    );
    let end_s = document
        .intervals
        .0
        .last()
        .and_then(|last| last.sum.end_s.0)
        .or(document.end.sent.end_s.0)
        .unwrap_or(0.0);
    let span = builder.execution(step, end_s);
    for (number, kind) in kinds.iter().enumerate() {
        add_ticks(
            &mut builder,
            span,
            number as u32,
            *kind,
            &document.intervals.0,
        );
    }
    let end = &document.end;
    builder.reported(
        span,
        0,
        Reported {
            figures: figures(&end.sent, &end.received, &end.udp, Some(&end.cpu)),
            ..Reported::default()
        },
    );
    if both {
        builder.reported(
            span,
            1,
            Reported {
                figures: figures(&end.back_sent, &end.back_received, &Sum::default(), None),
                ..Reported::default()
            },
        );
    }
    if protocol != "UDP" {
        builder.doubt(Statement::new("iperf3-no-messages"));
    } else if end.udp.lost.positive().is_some() {
        builder.doubt(Statement::new("iperf3-packets-lost"));
    }
    if document
        .intervals
        .0
        .iter()
        .any(|interval| interval.sum.omitted.positive().is_some())
    {
        builder.doubt(Statement::new("iperf3-first-seconds-omitted"));
    }
    builder.finish()
}

/// `Linux server 6.1.0 #1 SMP x86_64` split into the fields of uname(2): system, host, release, version, architecture. Unchanged for other systems.
fn facts_of_system(text: &str) -> Vec<(&'static str, &str)> {
    let parts = text.strip_prefix("Linux ").and_then(|rest| {
        let (name, rest) = rest.split_once(' ')?;
        let (kernel, architecture) = rest.rsplit_once(' ')?;
        Some(vec![
            ("host.name", name),
            ("host.kernel", kernel),
            ("host.architecture", architecture),
        ])
    });
    parts.unwrap_or_else(|| vec![("host.kernel", text)])
}

fn job(document: &Document, kind: OperationKind, both: bool, protocol: &str) -> Job {
    let (server, test) = (&document.start.server, &document.start.test);
    let address = format!(
        "iperf3://{}:{}",
        server.host.0,
        server.port.0.unwrap_or(5201.0)
    );
    let target = address
        .parse()
        .unwrap_or_else(|_| Target::Path("unknown".into()));
    let block = test
        .block_bytes
        .0
        .filter(|bytes| (1.0..1e12).contains(bytes))
        .map_or(131_072, |bytes| bytes as u64);
    let workload = Workload {
        mix: Weighted::only(kind),
        block: Weighted::only(Bytes(block)),
        offsets: Offsets::Sequential,
        workers: test
            .streams
            .0
            .map_or(1, |streams| streams.clamp(1.0, 1e6) as u32),
        rate: test
            .rate_bits_per_s
            .positive()
            .map(|bits| bits / 8.0 / block as f64),
        time: test
            .duration_s
            .positive()
            .filter(|seconds| *seconds < 1e9)
            .map(|seconds| Nanos((seconds * 1e9) as u64)),
        ..Workload::default()
    };
    RunBuilder::job(
        if both { kind.word() } else { "" },
        target,
        &format!("iperf3 {protocol}"),
        workload,
    )
}

fn add_ticks(
    builder: &mut RunBuilder,
    span: Span,
    job: u32,
    kind: OperationKind,
    intervals: &[Interval],
) {
    let ns = |seconds: Number| {
        seconds
            .0
            .filter(|seconds| (0.0..1e9).contains(seconds))
            .map(|seconds| (seconds * 1e9) as u64)
    };
    let mut budget = 1u64 << 58;
    for interval in intervals {
        let sum = if job == 0 {
            &interval.sum
        } else {
            &interval.back
        };
        let (Some(start), Some(end)) = (ns(sum.start_s), ns(sum.end_s)) else {
            continue;
        };
        let (count, bytes) = (sum.packets.count(), sum.bytes.count());
        let Some(left) = budget
            .checked_sub(count.saturating_add(bytes))
            .filter(|_| end > start)
        else {
            continue;
        };
        budget = left;
        let mut service = Histogram::default();
        service.shrink();
        builder.run().ticks.push(Tick {
            execution: span.execution,
            job,
            phase: if sum.omitted.positive().is_some() {
                Phase::WarmUp
            } else {
                Phase::Measure
            },
            start_ns: span.start_ns.saturating_add(start),
            end_ns: span.start_ns.saturating_add(end),
            kinds: vec![KindTick {
                kind,
                count,
                bytes,
                errors: BTreeMap::new(),
                service,
                response: None,
                split: None,
            }],
            lateness: None,
            backlog: None,
            workers: Vec::new(),
            ranks: None,
        });
    }
}

fn figures(sent: &Sum, received: &Sum, udp: &Sum, cpu: Option<&CpuUse>) -> Vec<ReportedFigure> {
    let bytes_per_s = |sum: &Sum| sum.bits_per_s.0.map(|bits| bits / 8.0);
    let reported = [
        ("sent, over the whole test", bytes_per_s(sent), "B/s"),
        (
            "received, over the whole test",
            bytes_per_s(received),
            "B/s",
        ),
        ("retransmits", sent.retransmits.0, ""),
        ("jitter", udp.jitter_ms.0.map(|ms| ms * 1e6), "ns"),
        ("packets lost", udp.lost.0, ""),
        ("packets lost, part", udp.lost_percent.0, "%"),
        ("CPU of this end", cpu.and_then(|cpu| cpu.here.0), "%"),
        ("CPU of the other end", cpu.and_then(|cpu| cpu.there.0), "%"),
    ];
    reported
        .into_iter()
        .filter_map(|(name, value, unit)| {
            Some(ReportedFigure {
                name: name.into(),
                value: value?,
                unit: unit.into(),
            })
        })
        .collect()
}

#[cfg(test)]
fn fixtures() -> Vec<Fixture> {
    macro_rules! file {
        ($name:literal) => {
            include_bytes!(concat!("../../../../testdata/imported/", $name)).to_vec()
        };
    }
    fn bytes(run: &Run, job: u32) -> u64 {
        run.ticks
            .iter()
            .filter(|tick| tick.job == job)
            .flat_map(|tick| &tick.kinds)
            .map(|kind| kind.bytes)
            .sum()
    }
    let tcp = |runs: &[Run]| {
        let [run] = runs else {
            panic!("{} runs", runs.len())
        };
        let facts = ["host.name", "host.kernel", "host.architecture"]
            .map(|id| run.header.environment.facts.get(id).cloned());
        assert_eq!(
            facts,
            ["server", "6.1.0 #1 SMP", "x86_64"].map(|text| Some(Fact::Text(text.into())))
        );
        assert_eq!(
            (run.ticks.len(), bytes(run, 0), run.ticks[0].kinds[0].count),
            (2, 7_062_159_360, 0)
        );
        let job = &run.header.plan.steps[0].jobs[0];
        assert_eq!(
            (
                job.target.to_string(),
                job.workload.workers,
                job.workload.mix.to_string()
            ),
            ("iperf3://127.0.0.1:15201".into(), 2, "send".into())
        );
        assert_eq!(
            (
                run.header.started.as_str(),
                run.header
                    .environment
                    .text("network.tcp_congestion_control")
            ),
            ("2026-11-22T07:54:31.000Z", Some("bbr"))
        );
        let notes = serde_json::to_string(&run.notes).expect("JSON");
        assert!(
            notes.contains(r#"{"name":"retransmits","value":7.0,"unit":""}"#),
            "{notes}"
        );
    };
    let udp = |runs: &[Run]| {
        assert_eq!(
            runs[0]
                .ticks
                .iter()
                .map(|tick| tick.kinds[0].count)
                .sum::<u64>(),
            382
        );
        assert!(
            runs[0].header.plan.steps[0].jobs[0]
                .workload
                .rate
                .is_some_and(|rate| (rate - 50e6 / 8.0 / 32768.0).abs() < 1e-6)
        );
    };
    let both = |runs: &[Run]| {
        assert_eq!(runs[0].header.plan.steps[0].name, "TCP send + receive");
        assert!(
            bytes(&runs[0], 0) > 5_000_000_000
                && (800_000_000..900_000_000).contains(&bytes(&runs[0], 1))
        );
    };
    vec![
        Fixture {
            name: "tcp.json",
            bytes: file!("iperf-3.12-tcp.json"),
            check: tcp,
        },
        Fixture {
            name: "udp.json",
            bytes: file!("iperf-3.12-udp.json"),
            check: udp,
        },
        Fixture {
            name: "bidir.json",
            bytes: file!("iperf-3.12-bidir.json"),
            check: both,
        },
    ]
}
