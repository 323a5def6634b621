//! What did ioping measure? Its text (requests and statistics), its raw statistics (-B, -p, -P), and its JSON (-J).

mod json;
mod report;

use plumb_model::run::Run;
use plumb_model::run::imported::Reported;
use plumb_model::statement::Statement;
use plumb_model::target::Target;
use plumb_model::units::Bytes;
use plumb_model::workload::operation::OperationKind;
use plumb_model::workload::{Offsets, Weighted, Workload};

use self::report::{Report, Summary};
#[cfg(test)]
use crate::importer::Fixture;
use crate::importer::{Head, ImportError, Importer, RunBuilder, Source};

pub static IMPORTER: Importer = Importer {
    name: "ioping",
    program: "ioping",
    meaning: "the output of ioping 0.6 to 1.3: requests and statistics as text, raw statistics (-B, -p, -P), or JSON (-J); each target and direction becomes a step, the same again a round",
    recognizes,
    import,
    #[cfg(test)]
    fixtures,
};

/// Results of one file.
const REPORTS_MAX: usize = 20_000;
/// Longest JSON: a request takes some 400 bytes.
const JSON_BYTES_MAX: u64 = 256 << 20;

fn recognizes(head: &Head<'_>) -> bool {
    let text = head.text();
    if json::is_json(&text) {
        return true;
    }
    let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty());
    let is_of_text = |line| report::target_of(line).is_some() || report::request_of(line).is_some();
    // Raw statistics are numbers without a word: each line must be one whose numbers agree with each other.
    lines().take(10_000).any(is_of_text)
        || lines().next().is_some()
            && lines()
                .take(100)
                .all(|line| Summary::of_raw(line).is_some())
}

fn import(source: &mut Source<'_>) -> Result<Vec<Run>, ImportError> {
    let mut builder = RunBuilder::new("ioping", None);
    builder.does_not_state(&["direct"]);
    let (mut report, mut number, mut found) = (Report::default(), 0u64, 0);
    let is_json = source.begins_with(b'[')?;
    if is_json {
        for report in json::reports(&source.read_all(JSON_BYTES_MAX)?)? {
            found += usize::from(add(&mut builder, report));
        }
    }
    while let Some(line) = source.line()? {
        number += 1;
        let line = line.trim();
        if report.is_complete() && !line.is_empty() {
            found += usize::from(add(&mut builder, std::mem::take(&mut report)));
        }
        if found > REPORTS_MAX {
            return Err(ImportError::at(
                number,
                format!("at most {REPORTS_MAX} results in one file"),
            ));
        }
        report.line(line);
    }
    found += usize::from(add(&mut builder, report));
    if found == 0 {
        return Err(ImportError::of_file(
            "requests ('... request=1 time=0.2 ms') or '--- TARGET (...) ioping statistics ---' with the two lines below it, or raw statistics (-B)",
        ));
    }
    Ok(vec![builder.finish()])
}

/// Adds a result; false if there is none.
fn add(builder: &mut RunBuilder, report: Report) -> bool {
    let raw = report.raw_alone();
    if !raw.is_empty() {
        for summary in &raw {
            add_summary(builder, &report, summary);
        }
        return true;
    }
    let requests = report.requests();
    if let Some(requests) = requests {
        add_requests(builder, &report, requests);
        return true;
    }
    match &report.summary {
        Some(summary) if summary.mean_ns.is_some() => {
            add_summary(builder, &report, summary);
            true
        }
        _ => false,
    }
}

/// All requests are there: their times are known one by one.
fn add_requests(builder: &mut RunBuilder, report: &Report, requests: &report::Requests) {
    let kinds = requests.kinds();
    let name = match kinds.as_slice() {
        [(kind, _)] => kind.word(),
        _ => "read and write",
    };
    let mix: Vec<_> = kinds
        .iter()
        .map(|(kind, of)| (*kind, of.times.count() as f64))
        .collect();
    let count: u64 = kinds.iter().map(|(_, of)| of.times.count()).sum();
    let bytes = kinds
        .iter()
        .fold(0u64, |sum, (_, of)| sum.saturating_add(of.bytes));
    let step = step(
        builder,
        report,
        name,
        Weighted(mix),
        bytes.checked_div(count),
    );
    let seconds: f64 = kinds
        .iter()
        .map(|(_, of)| of.times.sum_ns() as f64 / 1e9)
        .sum();
    let span = builder.execution(step, seconds);
    for (kind, of) in &kinds {
        builder.tally(
            span,
            0,
            *kind,
            of.times.count(),
            of.bytes,
            Some(of.times.clone()),
        );
        doubt_of(builder, *kind);
    }
    if requests.left_out > 0 {
        builder.doubt(Statement::new("ioping-left-out").count("count", requests.left_out));
    }
    let figures = report
        .summary
        .as_ref()
        .map(Summary::figures)
        .unwrap_or_default();
    if !figures.is_empty() {
        builder.reported(
            span,
            0,
            Reported {
                figures,
                ..Reported::default()
            },
        );
    }
}

/// Only statistics are there.
fn add_summary(builder: &mut RunBuilder, report: &Report, summary: &Summary) {
    let kind = summary.kind.or(report.only_kind());
    let mix = kind.map_or_else(|| Workload::default().mix, Weighted::only);
    let name = kind.map_or("requests", OperationKind::word);
    let step = step(builder, report, name, mix, summary.block_bytes());
    let span = builder.execution(step, summary.busy_s());
    match kind {
        Some(kind) => doubt_of(builder, kind),
        None => builder.doubt(Statement::new("ioping-direction-not-said")),
    }
    builder.reported(
        span,
        0,
        Reported {
            kind,
            iops: summary.rate(),
            bandwidth_bytes_per_s: summary.bandwidth(),
            service: summary.latency(),
            figures: summary.figures(),
            ..Reported::default()
        },
    );
}

fn doubt_of(builder: &mut RunBuilder, kind: OperationKind) {
    builder.doubt(Statement::new("ioping-without-pauses"));
    if kind == OperationKind::Write {
        builder.doubt(Statement::new("ioping-writes-flushed"));
    }
}

fn step(
    builder: &mut RunBuilder,
    report: &Report,
    name: &str,
    mix: plumb_model::workload::Mix,
    block_bytes: Option<u64>,
) -> u32 {
    let workload = Workload {
        mix,
        block: Weighted::only(Bytes(
            block_bytes.filter(|bytes| *bytes > 0).unwrap_or(4096),
        )),
        offsets: Offsets::RandomWithReplacement,
        ..Workload::default()
    };
    let place = report.target.as_deref().unwrap_or("unknown");
    let job = RunBuilder::job("", Target::Path(place.into()), "sync", workload);
    builder.step_of_work(name, job)
}

#[cfg(test)]
fn fixtures() -> Vec<Fixture> {
    use crate::importer::{stated_of, workload_of};
    let file = Fixture::of;
    let appended = |runs: &[Run]| {
        let [run] = runs else {
            panic!("{} runs", runs.len())
        };
        let steps: Vec<_> = run
            .header
            .plan
            .steps
            .iter()
            .map(|step| step.name.as_str())
            .collect();
        assert_eq!(
            (steps.as_slice(), run.header.plan.rounds),
            (["read", "read (2)"].as_slice(), 2)
        );
        assert_eq!(workload_of(run, "read (2)").largest_block_bytes(), 65_536);
        // The first request of each is a warm-up.
        assert_eq!(run.ticks[0].kinds[0].count, 11);
        assert_eq!(run.ticks[0].kinds[0].service.count(), 11);
    };
    let mixed = |runs: &[Run]| {
        let kinds: Vec<_> = runs[0].ticks[0]
            .kinds
            .iter()
            .map(|held| held.kind)
            .collect();
        assert_eq!(kinds, [OperationKind::Read, OperationKind::Write]);
    };
    let coarse = |runs: &[Run]| {
        assert!(
            runs[0].ticks.is_empty(),
            "tenths of a millisecond are no times"
        );
        let [read] = stated_of(&runs[0], "read").try_into().expect("one");
        assert!(
            read.iops.is_some_and(|iops| iops > 1000.0) && read.kind == Some(OperationKind::Read)
        );
    };
    let periods = |runs: &[Run]| {
        assert_eq!(runs[0].header.plan.rounds, 3);
        assert_eq!(
            workload_of(&runs[0], "requests").largest_block_bytes(),
            4096
        );
    };
    let json = |runs: &[Run]| assert_eq!(runs[0].ticks[0].kinds[0].count, 9);
    vec![
        file(
            "appended.txt",
            include_bytes!("../../../../testdata/foreign/ioping/1.3-appended.txt"),
            appended,
        ),
        file(
            "mixed.txt",
            include_bytes!("../../../../testdata/foreign/ioping/1.3-reads-and-writes.txt"),
            mixed,
        ),
        file(
            "0.6.txt",
            include_bytes!("../../../../testdata/foreign/ioping/0.6-reads.txt"),
            coarse,
        ),
        file(
            "periods.txt",
            include_bytes!("../../../../testdata/foreign/ioping/1.3-periods.txt"),
            periods,
        ),
        file(
            "requests.json",
            include_bytes!("../../../../testdata/foreign/ioping/1.3-requests.json"),
            json,
        ),
    ]
}
