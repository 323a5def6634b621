//! What did sysbench measure? The text of its file test: 0.4 and 0.5, 1.0, and 1.1.

mod report;

use plumb_model::run::Run;
use plumb_model::run::imported::{Reported, ReportedLatency};
use plumb_model::statement::Statement;
use plumb_model::target::Target;
use plumb_model::workload::operation::OperationKind;

use self::report::Report;
#[cfg(test)]
use crate::importer::Fixture;
use crate::importer::{Head, ImportError, Importer, RunBuilder, Source};

pub static IMPORTER: Importer = Importer {
    name: "sysbench",
    program: "sysbench",
    meaning: "the text output of `sysbench fileio ... run > FILE`, 0.4 to 1.1; each mode and set of options becomes a step, the same again a round; intermediate reports are not imported",
    recognizes,
    import,
    #[cfg(test)]
    fixtures,
};

/// Results of one file.
const REPORTS_MAX: usize = 20_000;

fn recognizes(head: &Head<'_>) -> bool {
    let text = head.text();
    let (mut options, mut by_name) = (false, false);
    for line in text.lines().map(str::trim).take(10_000) {
        options |= line == "Running the test with following options:";
        by_name |= report::version_of(line).is_some();
        // Only the file test prints these.
        if report::is_of_files(line) && (options || by_name) {
            return true;
        }
    }
    options && by_name
}

fn import(source: &mut Source<'_>) -> Result<Vec<Run>, ImportError> {
    let (mut runs, mut report, mut number) = (Runs::default(), Report::default(), 0u64);
    while let Some(line) = source.line()? {
        number += 1;
        let line = line.trim();
        if report.ends_before(line) {
            runs.add(&report)?;
            report = report.next(line);
        }
        report.line(line);
        if runs.found > REPORTS_MAX {
            return Err(ImportError::at(
                number,
                format!("at most {REPORTS_MAX} results in one file"),
            ));
        }
    }
    runs.add(&report)?;
    if runs.found == 0 {
        return Err(ImportError::of_file(match runs.other_tests {
            0 => "results of 'sysbench fileio ... run', which end with 'total time:' and latencies",
            _ => {
                "results of 'sysbench fileio ... run', found another test of sysbench (cpu, memory, threads, mutex, oltp), which measures no storage"
            }
        }));
    }
    Ok(runs
        .drafts
        .into_iter()
        .map(|(_, builder)| builder.finish())
        .collect())
}

/// Runs in progress, by the version of sysbench.
#[derive(Default)]
struct Runs {
    drafts: Vec<(Option<String>, RunBuilder)>,
    found: usize,
    other_tests: usize,
}

impl Runs {
    fn add(&mut self, report: &Report) -> Result<(), ImportError> {
        if !report.has_results() {
            self.other_tests += usize::from(report.is_of_another_test());
            return Ok(());
        }
        let known = self
            .drafts
            .iter()
            .position(|(version, _)| *version == report.version);
        let index = known.unwrap_or(self.drafts.len());
        if known.is_none() {
            let version = report.version.clone();
            self.drafts
                .push((version.clone(), RunBuilder::new("sysbench", version)));
        }
        self.found += 1;
        add(&mut self.drafts[index].1, report);
        Ok(())
    }
}

fn add(builder: &mut RunBuilder, report: &Report) {
    let mode = report.mode.unwrap_or(&report::UNKNOWN);
    let job = RunBuilder::job(
        "",
        Target::Path("unknown".into()),
        report.engine,
        report.workload(mode),
    );
    let step = builder.step_of_work(mode.name, job);
    let span = builder.execution(step, report.total_s.unwrap_or(0.0));
    if mode.is_random {
        builder.doubt(Statement::new("sysbench-rand-type"));
    }
    if report.has_times_below_resolution() {
        builder.doubt(Statement::new("sysbench-times-rounded"));
    }
    let kinds = report.kinds();
    let latency = report.latency();
    for figures in &kinds {
        if let (Some(count), Some(bytes)) = (figures.count, figures.bytes) {
            builder.tally(span, 0, figures.kind, count, bytes, None);
        }
    }
    // Reads, writes and fsyncs are one distribution: it is that of a kind only if there is no other.
    let only = match kinds.as_slice() {
        [only] => Some(only.kind),
        _ => None,
    };
    for figures in &kinds {
        let service = latency.clone().filter(|_| only == Some(figures.kind));
        if figures.iops.is_some() || service.is_some() {
            builder.reported(
                span,
                0,
                Reported {
                    kind: Some(figures.kind),
                    iops: figures.iops,
                    bandwidth_bytes_per_s: figures.bandwidth,
                    service,
                    ..Reported::default()
                },
            );
        }
    }
    if let (None, Some(latency)) = (only, latency) {
        of_all(builder, span, report, &kinds, latency);
    }
}

/// Figures over all kinds: rates are those of reads and writes.
fn of_all(
    builder: &mut RunBuilder,
    span: crate::importer::Span,
    report: &Report,
    kinds: &[report::KindFigures],
    latency: ReportedLatency,
) {
    let blocks = || kinds.iter().filter(|of| of.kind != OperationKind::Flush);
    let sum = |of: fn(&report::KindFigures) -> Option<f64>| {
        blocks()
            .map(of)
            .collect::<Option<Vec<f64>>>()
            .filter(|all| !all.is_empty())
            .map(|all| all.iter().sum())
    };
    let per_s = |amount: fn(&report::KindFigures) -> Option<u64>| {
        let all: Option<Vec<u64>> = blocks().map(amount).collect();
        let seconds = report.total_s.filter(|seconds| *seconds > 0.0)?;
        Some(all?.iter().sum::<u64>() as f64 / seconds)
    };
    builder.doubt(Statement::new("sysbench-latency-of-all"));
    builder.reported(
        span,
        0,
        Reported {
            iops: sum(|of| of.iops).or_else(|| per_s(|of| of.count)),
            bandwidth_bytes_per_s: sum(|of| of.bandwidth).or_else(|| per_s(|of| of.bytes)),
            service: Some(latency),
            ..Reported::default()
        },
    );
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
        assert_eq!(steps, ["seqwr", "seqrewr", "rndrd", "rndwr"]);
        assert_eq!(stated_of(run, "rndrd").len(), 2, "two rounds");
        let workload = workload_of(run, "seqwr");
        assert_eq!(
            (
                workload.block.to_string().as_str(),
                workload.fsync_every,
                workload.flush_at_end
            ),
            ("16k", 100, true)
        );
        // Reads alone: their latency is known; writes share theirs with fsyncs.
        assert!(stated_of(run, "rndrd")[0].service.is_some());
        let writes = stated_of(run, "rndwr");
        assert!(writes[0].kind == Some(OperationKind::Write) && writes[0].service.is_none());
        assert!(writes[2].kind.is_none() && writes[2].service.is_some());
    };
    let direct = |runs: &[Run]| {
        let workload = workload_of(&runs[0], "rndwr");
        assert_eq!(workload.direct, plumb_model::workload::Direct::Yes);
        assert_eq!((workload.rate, workload.fsync_every), (Some(100.0), 0));
        let latency = stated_of(&runs[0], "rndwr")[0]
            .service
            .clone()
            .expect("latency");
        assert_eq!(latency.quantiles_ns[0].0, 0.99);
    };
    let old = |runs: &[Run]| {
        let kinds: Vec<_> = runs[0].ticks[0]
            .kinds
            .iter()
            .map(|held| held.kind)
            .collect();
        use OperationKind::{Flush, Read, Write};
        assert_eq!(kinds, [Read, Write, Flush]);
        let imported = runs[0].header.imported.as_ref().expect("imported");
        assert_eq!(imported.version.as_deref(), Some("0.4.12"));
    };
    let new = |runs: &[Run]| assert_eq!(runs[0].header.plan.steps.len(), 3);
    let checkpoints = |runs: &[Run]| assert_eq!(runs[0].header.plan.rounds, 3);
    vec![
        file(
            "appended.txt",
            include_bytes!("../../../../testdata/foreign/sysbench/1.0.20-modes-appended.txt"),
            appended,
        ),
        file(
            "direct.txt",
            include_bytes!("../../../../testdata/foreign/sysbench/1.0.20-rndwr-direct-rate.txt"),
            direct,
        ),
        file(
            "0.4.txt",
            include_bytes!("../../../../testdata/foreign/sysbench/0.4.12-rndrw.txt"),
            old,
        ),
        file(
            "1.1.txt",
            include_bytes!("../../../../testdata/foreign/sysbench/1.1.0-without-fsync.txt"),
            new,
        ),
        file(
            "checkpoints.txt",
            include_bytes!("../../../../testdata/foreign/sysbench/1.0.20-checkpoints.txt"),
            checkpoints,
        ),
    ]
}
