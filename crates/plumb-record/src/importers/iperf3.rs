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
use crate::importer::rounds::joined;
use crate::importer::{Head, ImportError, Importer, RunBuilder, Source, Span, date};
use document::{
    CpuUse, Document, StreamedEnd, StreamedError, StreamedInterval, StreamedStart, Sum,
};

pub static IMPORTER: Importer = Importer {
    name: "iperf3",
    program: "iperf3",
    meaning: "what iperf3 writes with -J or --json-stream: TCP, UDP and SCTP, in one direction, reversed or both; further tests in the file become steps, the same again a round",
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

/// The next test: one object, or all events of a stream until its end. `None` if no object follows.
fn next_test(
    file: &mut Embedded<'_>,
    around: &mut String,
) -> Result<Option<Document>, ImportError> {
    let mut streamed: Option<Document> = None;
    loop {
        let (found, text) = file.next_object()?;
        if around.is_empty() {
            *around = text;
        }
        if !found {
            return Ok(streamed);
        }
        let document: Document = file.value()?;
        let of_stream = match document.event.0.as_str() {
            "" => return Ok(Some(document)),
            _ => streamed.get_or_insert_default(),
        };
        match document.event.0.as_str() {
            "start" => of_stream.start = file.value_as::<StreamedStart>()?.data,
            "interval" => {
                let interval = file.value_as::<StreamedInterval>()?.data;
                of_stream.intervals.push(interval);
            }
            "error" => of_stream.error = file.value_as::<StreamedError>()?.data,
            "end" => {
                of_stream.end = file.value_as::<StreamedEnd>()?.data;
                return Ok(streamed);
            }
            _ => {}
        }
    }
}

fn import(source: &mut Source<'_>) -> Result<Vec<Run>, ImportError> {
    let mut file = Embedded::new(&mut *source.reader, "iperf3");
    let (mut runs, mut failed) = (Vec::<Run>::new(), None);
    while runs.len() < RUNS_MAX {
        let mut surrounding_text = String::new();
        let document = match next_test(&mut file, &mut surrounding_text) {
            Ok(Some(document)) => document,
            Ok(None) => break,
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
            let error = format!("a test with intervals; iperf3 reports: {why}");
            failed.get_or_insert(ImportError::at(file.line(), error));
            continue;
        }
        runs.push(run_of(&document, &surrounding_text));
    }
    let mut runs = joined(runs);
    match (failed, runs.last_mut()) {
        (Some(error), None) => return Err(error),
        (None, None) => {
            return Err(ImportError::of_file(
                "an object with \"start\", \"intervals\" and \"end\"",
            ));
        }
        (Some(error), Some(last)) => {
            let failed = Statement::new("iperf3-ended-with-error").name("error", error.to_string());
            let imported = last.header.imported.as_mut();
            imported
                .into_iter()
                .for_each(|from| from.doubts.push(failed.clone()));
        }
        (None, Some(_)) => {}
    }
    Ok(runs)
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
    let end = &document.end;
    let measured_s = document.intervals.0.last().map(|last| last.sum.end_s);
    let measured_s = measured_s.unwrap_or(end.sent.end_s).0.unwrap_or(0.0);
    let directions: Vec<_> = kinds
        .iter()
        .zip([false, true])
        .map(|(kind, is_back)| {
            let sums = document.intervals.0.iter();
            Direction {
                kind: *kind,
                sums: sums.map(|interval| interval.of(is_back).clone()).collect(),
                total: end.of(is_back, *kind).clone(),
            }
        })
        .collect();
    let span = builder.execution(step, measured_s + omitted_s(&directions));
    for (number, direction) in directions.iter().enumerate() {
        direction.add_ticks(&mut builder, span, number as u32);
    }
    let of_both_ends = [
        figures(&end.sent, &end.received, &end.udp, Some(&end.cpu)),
        figures(&end.back_sent, &end.back_received, &Sum::default(), None),
    ];
    for (job, (direction, figures)) in directions.iter().zip(of_both_ends).enumerate() {
        let reported = Reported {
            kind: Some(direction.kind),
            bandwidth_bytes_per_s: direction.bytes_per_s(),
            figures,
            ..Reported::default()
        };
        builder.reported(span, job as u32, reported);
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

/// What one direction of a test moved.
struct Direction {
    kind: OperationKind,
    /// Interval by interval.
    sums: Vec<Sum>,
    /// Over the whole test, as this end counted it.
    total: Sum,
}

/// How long the omitted intervals took, in seconds: the clock of iperf3 starts again after them.
fn omitted_s(directions: &[Direction]) -> f64 {
    let omitted = directions.iter().flat_map(|direction| &direction.sums);
    omitted
        .filter(|sum| sum.omitted.positive().is_some())
        .filter_map(|sum| sum.end_s.positive())
        .fold(0.0, f64::max)
        .min(SECONDS_MAX)
}

/// Longest time of a test that is accepted, in seconds.
const SECONDS_MAX: f64 = 1e9;

impl Direction {
    /// The rate of the summary: over the time of this direction, which in both directions at once is not that of the other.
    fn bytes_per_s(&self) -> Option<f64> {
        self.total.bytes.positive()?;
        self.total.bits_per_s.positive().map(|bits| bits / 8.0)
    }

    fn add_ticks(&self, builder: &mut RunBuilder, span: Span, job: u32) {
        let ns = |seconds: Number| {
            seconds
                .0
                .filter(|seconds| (0.0..SECONDS_MAX).contains(seconds))
                .map(|seconds| (seconds * 1e9) as u64)
        };
        let omitted_ns = (omitted_s(std::slice::from_ref(self)) * 1e9) as u64;
        let (mut budget, mut ticks) = (1u64 << 58, Vec::<Tick>::new());
        for sum in &self.sums {
            let (Some(start), Some(end)) = (ns(sum.start_s), ns(sum.end_s)) else {
                continue;
            };
            let is_omitted = sum.omitted.positive().is_some();
            let is_first = ticks.last().is_none_or(|tick| tick.phase != Phase::Measure);
            let (start, end) = match is_omitted {
                true => (start, end),
                // The first interval after the omitted ones may have begun by their clock.
                false if is_first => (omitted_ns, omitted_ns.saturating_add(end)),
                false => (
                    omitted_ns.saturating_add(start),
                    omitted_ns.saturating_add(end),
                ),
            };
            let (count, bytes) = (self.packets(sum), sum.bytes.count());
            let Some(left) = budget
                .checked_sub(count.saturating_add(bytes))
                .filter(|_| end > start)
            else {
                continue;
            };
            budget = left;
            let phase = if is_omitted {
                Phase::WarmUp
            } else {
                Phase::Measure
            };
            ticks.push(self.tick(span, job, phase, (start, end), (count, bytes)));
        }
        self.add_rest(&mut ticks, span.start_ns.saturating_add(omitted_ns));
        builder.run().ticks.append(&mut ticks);
    }

    /// Packets of an interval; a receiver also counts those that were lost.
    fn packets(&self, sum: &Sum) -> u64 {
        let lost = match self.kind {
            OperationKind::Receive => sum.lost.count(),
            _ => 0,
        };
        sum.packets.count().saturating_sub(lost)
    }

    fn tick(
        &self,
        span: Span,
        job: u32,
        phase: Phase,
        (start, end): (u64, u64),
        (count, bytes): (u64, u64),
    ) -> Tick {
        let mut service = Histogram::default();
        service.shrink();
        Tick {
            execution: span.execution,
            job,
            phase,
            start_ns: span.start_ns.saturating_add(start),
            end_ns: span.start_ns.saturating_add(end),
            kinds: vec![KindTick {
                kind: self.kind,
                count,
                bytes,
                errors: BTreeMap::new(),
                service,
                response: None,
                split: None,
                priorities: Vec::new(),
            }],
            lateness: None,
            backlog: None,
            workers: Vec::new(),
            ranks: None,
        }
    }

    /// Adds to the last interval what only the summary has: iperf3 counts on for a moment after it.
    fn add_rest(&self, ticks: &mut [Tick], start_ns: u64) {
        let bytes = ticks.iter().filter(|tick| tick.phase == Phase::Measure);
        let bytes: u64 = bytes
            .flat_map(|tick| &tick.kinds)
            .map(|kind| kind.bytes)
            .sum();
        let rest = self.total.bytes.count().saturating_sub(bytes);
        let Some(last) = ticks
            .last_mut()
            .filter(|tick| tick.phase == Phase::Measure && self.total.bytes.count() > 0)
        else {
            return;
        };
        // More than an interval's worth is no rest: another end counted it.
        let Some(kind) = last.kinds.first_mut().filter(|kind| rest <= kind.bytes) else {
            return;
        };
        kind.bytes = kind.bytes.saturating_add(rest);
        let end_s = self.total.end_s.0.unwrap_or(0.0).clamp(0.0, SECONDS_MAX);
        let end_ns = start_ns.saturating_add((end_s * 1e9) as u64);
        last.end_ns = last.end_ns.max(end_ns);
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
        .filter_map(|(name, value, unit)| ReportedFigure::known(name, value, unit))
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
