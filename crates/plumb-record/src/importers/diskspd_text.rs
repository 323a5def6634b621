//! What did diskspd measure? Its text output (the default, `-Rtext`): counts and bytes of each target over all threads, and latencies with `-L`.

mod report;

use plumb_model::environment::Fact;
use plumb_model::run::Run;
use plumb_model::run::imported::{Reported, ReportedFigure, ReportedLatency};
use plumb_model::statement::Statement;
use plumb_model::target::Target;
use plumb_model::units::Bytes;
use plumb_model::workload::operation::OperationKind;
use plumb_model::workload::{Job, Weighted, Workload};

use self::report::{Report, Section, Table, TimeSpan};
#[cfg(test)]
use crate::importer::Fixture;
use crate::importer::diskspd::{TimeSpanProfile, rfc3339};
use crate::importer::{Head, ImportError, Importer, RunBuilder, Source, Span};

pub static IMPORTER: Importer = Importer {
    name: "diskspd-text",
    program: "diskspd",
    meaning: "the text output of diskspd 2.0 to 2.2 (`diskspd ... > FILE`): each time span becomes a step, each target a job; each report of a file with several becomes a run",
    recognizes,
    import,
    #[cfg(test)]
    fixtures,
};

/// Reports of one file.
const REPORTS_MAX: usize = 2_000;

fn recognizes(head: &Head<'_>) -> bool {
    let text = head.text();
    let (mut input, mut span) = (false, false);
    text.lines().map(str::trim).any(|line| {
        input |= line == "Input parameters:";
        span |= line.starts_with("timespan:");
        input && span || report::results_of(line).is_some()
    })
}

fn import(source: &mut Source<'_>) -> Result<Vec<Run>, ImportError> {
    let (mut runs, mut report, mut number) = (Vec::new(), Report::default(), 0);
    while let Some(line) = source.line()? {
        number += 1;
        let line = line.trim();
        if report.ends_before(line) {
            runs.extend(run_of(std::mem::take(&mut report))?);
            if runs.len() > REPORTS_MAX {
                return Err(ImportError::at(
                    number,
                    format!("at most {REPORTS_MAX} reports in one file"),
                ));
            }
        }
        report.line(line, number);
    }
    runs.extend(run_of(report)?);
    if runs.is_empty() {
        return Err(ImportError::of_file(
            "'Results for timespan 1:' with 'actual test time:' and a table 'Total IO' that ends with 'total:', which diskspd writes when a test has ended",
        ));
    }
    Ok(runs)
}

/// The run of a report; `None` if nothing in it was measured.
fn run_of(report: Report) -> Result<Option<Run>, ImportError> {
    let mut builder = RunBuilder::new("diskspd", None);
    if let Some(command) = &report.command {
        builder.command(command.split_whitespace());
    }
    if let Some(host) = report.host.clone().filter(|host| !host.is_empty()) {
        builder.fact("host.name", Fact::Text(host));
    }
    if let Some((text, unix_ns)) = report.started.as_deref().and_then(rfc3339) {
        builder.started(text, unix_ns);
    }
    let (mut measured, mut interrupted, mut without_table) = (0u64, 0u64, 0u64);
    for span in &report.measured {
        match (span.seconds, span.table(Section::Total)) {
            (Some(seconds), Some(total)) if seconds > 0.0 => {
                let profile = report.profile.get(span.number.saturating_sub(1) as usize);
                add(&mut builder, span, total, profile)?;
                measured += 1;
            }
            (None, _) => interrupted += 1,
            _ => without_table += 1,
        }
    }
    if measured == 0 {
        return Ok(None);
    }
    if interrupted > 0 {
        builder.doubt(Statement::new("diskspd-interrupted").count("count", interrupted));
    }
    if without_table > 0 {
        builder.doubt(Statement::new("diskspd-text-cut").count("count", without_table));
    }
    let mut profiles = report.profile.iter().flat_map(|profile| &profile.targets);
    if report.has_units && report.measures_latency && profiles.any(|of| of.requests > Some(1)) {
        builder.doubt(Statement::new("diskspd-version-not-said"));
    }
    if report.is_mixed {
        builder.doubt(Statement::new("diskspd-random-share"));
    }
    Ok(Some(builder.finish()))
}

/// The kinds of the tables beside the total.
const KINDS: [(Section, OperationKind); 2] = [
    (Section::Read, OperationKind::Read),
    (Section::Write, OperationKind::Write),
];

fn add(
    builder: &mut RunBuilder,
    span: &TimeSpan,
    total: &Table,
    profile: Option<&TimeSpanProfile>,
) -> Result<(), ImportError> {
    let seconds = span.exact_seconds();
    let jobs = || {
        let several = total.targets.len() > 1;
        let of = |target: &report::TableTarget| job(target, several, profile);
        total.targets.iter().map(of).collect()
    };
    let step = builder.step(&format!("time span {}", span.number), jobs);
    let execution = builder.execution(step, seconds);
    match (
        span.latencies.is_empty() && total.mean_ns.is_none(),
        total.targets.len(),
    ) {
        (true, _) => builder.doubt(Statement::new("diskspd-no-latency")),
        (false, 1) => {}
        (false, _) => builder.doubt(Statement::new("diskspd-latency-over-all")),
    }
    if span.repeats_targets() {
        builder.doubt(Statement::new("diskspd-text-of-targets"));
    }
    // Without the tables of reads and writes, the total is of one kind only if the workload is.
    let by_kind = KINDS.map(|(section, kind)| (span.table(section), kind));
    let is_split = by_kind.iter().all(|(table, _)| table.is_some());
    let only = profile.and_then(only_kind);
    let mut tables: Vec<(&Table, OperationKind)> = match (is_split, only) {
        (true, _) => by_kind
            .into_iter()
            .filter_map(|(table, kind)| Some((table?, kind)))
            .collect(),
        (false, Some(kind)) => vec![(total, kind)],
        (false, None) => Vec::new(),
    };
    tables.retain(|(table, _)| table.count > 0);
    for (table, kind) in &tables {
        for (job, moved) in table.moved(total)?.into_iter().enumerate() {
            if moved.0 > 0 {
                builder.tally(execution, job as u32, *kind, moved.0, moved.1, None);
            }
        }
        of_table(builder, execution, span, table, Some(*kind), is_split);
    }
    if tables.is_empty() && total.count > 0 {
        builder.doubt(Statement::new("diskspd-text-total-only"));
        let figures = vec![
            figure("I/Os", total.count as f64, "operations"),
            figure("bytes", total.bytes as f64, "B"),
        ];
        let rates = Reported {
            iops: Some(total.count as f64 / seconds),
            bandwidth_bytes_per_s: Some(total.bytes as f64 / seconds),
            service: span.latency(total, None),
            figures: figures
                .into_iter()
                .chain(span.figures(total, None))
                .collect(),
            ..Reported::default()
        };
        builder.reported(execution, 0, rates);
    } else {
        of_table(builder, execution, span, total, None, true);
    }
    Ok(())
}

fn figure(name: &str, value: f64, unit: &str) -> ReportedFigure {
    ReportedFigure {
        name: name.into(),
        value,
        unit: unit.into(),
    }
}

/// Latencies and other figures of one table. `is_split` is false if the table of all kinds stands for one of them.
fn of_table(
    builder: &mut RunBuilder,
    execution: Span,
    span: &TimeSpan,
    table: &Table,
    kind: Option<OperationKind>,
    is_split: bool,
) {
    let service = span.latency(table, kind.filter(|_| is_split));
    let figures = span.figures(table, kind);
    if service.is_some() || !figures.is_empty() {
        builder.reported(
            execution,
            0,
            Reported {
                kind,
                service: service.filter(|latency| *latency != ReportedLatency::default()),
                figures,
                ..Reported::default()
            },
        );
    }
}

/// The kind of operation of all targets, if it is one.
fn only_kind(profile: &TimeSpanProfile) -> Option<OperationKind> {
    let all = |percent: f64| {
        let mut targets = profile.targets.iter();
        !profile.targets.is_empty() && targets.all(|target| target.write_percent == percent)
    };
    match (all(0.0), all(100.0)) {
        (true, _) => Some(OperationKind::Read),
        (_, true) => Some(OperationKind::Write),
        _ => None,
    }
}

fn job(target: &report::TableTarget, several: bool, profile: Option<&TimeSpanProfile>) -> Job {
    let path = target.path.as_str();
    let of = profile.and_then(|profile| {
        let mut targets = profile.targets.iter();
        targets
            .find(|of| of.path == path)
            .or(match profile.targets.as_slice() {
                [only] if !several => Some(only),
                _ => None,
            })
    });
    // Without its profile, the block size is the mean number of bytes per operation.
    let mean = target
        .bytes
        .checked_div(target.count)
        .filter(|bytes| *bytes > 0);
    let workload = match (profile, of) {
        (Some(profile), Some(of)) => of.workload(profile, target.file_bytes),
        _ => Workload {
            block: Weighted::only(Bytes(mean.unwrap_or(65_536))),
            ..Workload::default()
        },
    };
    let name = if several { path } else { "" };
    let place = if path.is_empty() { "unknown" } else { path };
    RunBuilder::job(name, Target::Path(place.into()), "windows", workload)
}

#[cfg(test)]
fn fixtures() -> Vec<Fixture> {
    use crate::importer::{stated_of, workload_of};
    let two_targets = |runs: &[Run]| {
        let [run] = runs else {
            panic!("{} runs", runs.len())
        };
        assert_eq!(run.header.started, "2024-11-05T09:30:15Z");
        assert_eq!(run.header.environment.text("host.name"), Some("STORE-7"));
        let jobs = &run.header.plan.steps[0].jobs;
        let names: Vec<_> = jobs.iter().map(|job| job.name.as_str()).collect();
        assert_eq!(names, [r"D:\one.dat", r"E:\two.dat"]);
        let workload = &jobs[1].workload;
        assert_eq!(
            (
                workload.mix.to_string().as_str(),
                workload.workers,
                workload.depth,
                workload.block.to_string().as_str(),
                workload.size
            ),
            ("read:70,write:30", 2, 8, "4k", Some(Bytes(1536 << 20)))
        );
        let counts: Vec<_> = run
            .ticks
            .iter()
            .flat_map(|tick| {
                tick.kinds
                    .iter()
                    .map(|held| (tick.job, held.kind, held.count))
            })
            .collect();
        assert_eq!(
            counts,
            [
                (0, OperationKind::Read, 168_530),
                (0, OperationKind::Write, 72_226),
                (1, OperationKind::Read, 137_201),
                (1, OperationKind::Write, 58_799)
            ]
        );
        // Printed as 30.02 s; 436756 I/Os at 14550.72 per second took 30.0161 s.
        let seconds = (run.ticks[0].end_ns - run.ticks[0].start_ns) as f64 / 1e9;
        assert!((seconds - 30.0161).abs() < 5e-5, "{seconds}");
        let reported = stated_of(run, "time span 1");
        let figures: Vec<_> = reported[2].figures.iter().map(|of| of.value).collect();
        assert_eq!(figures[..3], [31.5, 6.5, 25.0]);
    };
    let twice = |runs: &[Run]| {
        let [first, second] = runs else {
            panic!("{} runs", runs.len())
        };
        for (run, reads) in [(first, 201_234), (second, 199_034)] {
            assert_eq!(run.header.plan.steps.len(), 2);
            assert_eq!(run.ticks[0].kinds[0].count, reads);
            assert_eq!(run.ticks[1].kinds[0].kind, OperationKind::Write);
        }
    };
    let old = |runs: &[Run]| {
        let workload = workload_of(&runs[0], "time span 1");
        assert_eq!(
            (workload.block.to_string().as_str(), workload.depth),
            ("8k", 4)
        );
        assert!(stated_of(&runs[0], "time span 1")[0].service.is_none());
    };
    let total_only = |runs: &[Run]| {
        let [of_all] = stated_of(&runs[0], "time span 1").try_into().expect("one");
        assert!(runs[0].ticks.is_empty());
        assert_eq!((of_all.kind, of_all.iops), (None, Some(10_000.0)));
        let mean = of_all.service.and_then(|latency| latency.mean_ns);
        assert_eq!(mean, Some(3_200_000.0));
    };
    let file = Fixture::of;
    vec![
        file(
            "2.2-mixed-two-targets.txt",
            include_bytes!("../../../../testdata/foreign/diskspd/2.2-mixed-two-targets.txt"),
            two_targets,
        ),
        file(
            "2.1-two-time-spans-twice.txt",
            include_bytes!("../../../../testdata/foreign/diskspd/2.1-two-time-spans-twice.txt"),
            twice,
        ),
        file(
            "2.0.21-read-no-latency.txt",
            include_bytes!("../../../../testdata/foreign/diskspd/2.0.21-read-no-latency.txt"),
            old,
        ),
        file(
            "total-only.txt",
            include_bytes!("../../../../testdata/foreign/diskspd/total-only.txt"),
            total_only,
        ),
    ]
}
