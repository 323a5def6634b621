//! What did diskspd measure? The XML of `-Rxml`: counts and bytes of each target over all threads, and latencies with `-L`.

mod results;

use plumb_model::environment::Fact;
use plumb_model::run::Run;
use plumb_model::run::imported::{Reported, ReportedFigure, ReportedLatency};
use plumb_model::statement::Statement;
use plumb_model::target::Target;
use plumb_model::units::Bytes;
use plumb_model::workload::operation::OperationKind;
use plumb_model::workload::{Job, Weighted, Workload};

use self::results::{Latencies, Moved, Results, TimeSpan};
#[cfg(test)]
use crate::importer::Fixture;
use crate::importer::diskspd::{TimeSpanProfile, rfc3339};
use crate::importer::{Head, ImportError, Importer, RunBuilder, Source};

pub static IMPORTER: Importer = Importer {
    name: "diskspd",
    program: "diskspd",
    meaning: "the results of diskspd 2 as XML (`diskspd -Rxml ... > FILE`, also in the encoding of PowerShell): each time span becomes a step, each target a job; samples from -D are not imported",
    recognizes,
    import,
    #[cfg(test)]
    fixtures,
};

/// Longest file: a day of samples (-D) of ten threads.
const BYTES_MAX: u64 = 512 << 20;

fn recognizes(head: &Head<'_>) -> bool {
    let text = head.text();
    text.trim_start().starts_with('<')
        && text.contains("<Results>")
        && (text.contains("<TimeSpan>") || text.contains("<ComputerName>"))
}

fn import(source: &mut Source<'_>) -> Result<Vec<Run>, ImportError> {
    let bytes = source.read_all(BYTES_MAX)?;
    let results = Results::read(&String::from_utf8_lossy(&bytes))?;
    let mut builder = RunBuilder::new("diskspd", results.version.clone());
    if let Some(host) = results.host.clone().filter(|host| !host.is_empty()) {
        builder.fact("host.name", Fact::Text(host));
    }
    if let Some((text, unix_ns)) = results.run_time.as_deref().and_then(rfc3339) {
        builder.started(text, unix_ns);
    }
    results
        .cut
        .iter()
        .for_each(|doubt| builder.doubt(doubt.clone()));
    if results
        .version
        .as_deref()
        .is_some_and(|version| version.starts_with("2.2"))
    {
        builder.doubt(Statement::new("diskspd-2-2-times"));
    }
    let (mut measured, mut interrupted) = (0, 0);
    for (index, span) in results.measured.iter().enumerate() {
        let Some(seconds) = span.seconds else {
            interrupted += 1;
            continue;
        };
        add(
            &mut builder,
            index,
            seconds,
            span,
            results.profile.get(index),
        );
        measured += 1;
    }
    if measured == 0 {
        return Err(ImportError::of_file(
            "a <TimeSpan> with <TestTimeSeconds> under <Results>, which diskspd writes when a test has ended",
        ));
    }
    if interrupted > 0 {
        builder.doubt(Statement::new("diskspd-interrupted").count("count", interrupted as u64));
    }
    Ok(vec![builder.finish()])
}

fn add(
    builder: &mut RunBuilder,
    index: usize,
    seconds: f64,
    span: &TimeSpan,
    profile: Option<&TimeSpanProfile>,
) {
    let jobs = || {
        span.targets
            .iter()
            .map(|(path, moved)| job(path, moved, span, profile))
            .collect()
    };
    let step = builder.step(&format!("time span {}", index + 1), jobs);
    let execution = builder.execution(step, seconds);
    for (job, (_, moved)) in span.targets.iter().enumerate() {
        for (kind, (count, bytes)) in [
            (OperationKind::Read, moved.read),
            (OperationKind::Write, moved.written),
        ] {
            if count > 0 {
                builder.tally(execution, job as u32, kind, count, bytes, None);
            }
        }
    }
    match (span.latencies.is_empty(), span.targets.len()) {
        (true, _) => builder.doubt(Statement::new("diskspd-no-latency")),
        (false, 1) => {}
        (false, _) => builder.doubt(Statement::new("diskspd-latency-over-all")),
    }
    let figure = |(name, value): (&str, Option<f64>)| ReportedFigure::known(name, value, "%");
    let cpu = [
        ("CPU", span.cpu_percent),
        ("CPU in user mode", span.user_percent),
        ("CPU in kernel mode", span.kernel_percent),
    ];
    let figures: Vec<_> = cpu.into_iter().filter_map(figure).collect();
    let Latencies { read, write, total } = &span.latencies;
    for (kind, latency) in [
        (Some(OperationKind::Read), read),
        (Some(OperationKind::Write), write),
        (None, total),
    ] {
        let figures = if kind.is_none() {
            figures.clone()
        } else {
            Vec::new()
        };
        let service = (*latency != ReportedLatency::default()).then(|| latency.clone());
        if service.is_some() || !figures.is_empty() {
            builder.reported(
                execution,
                0,
                Reported {
                    kind,
                    service,
                    figures,
                    ..Reported::default()
                },
            );
        }
    }
}

fn job(path: &str, moved: &Moved, span: &TimeSpan, profile: Option<&TimeSpanProfile>) -> Job {
    let name = if span.targets.len() > 1 { path } else { "" };
    let target = if path.is_empty() { "unknown" } else { path };
    let of = profile.and_then(|profile| profile.targets.iter().find(|target| target.path == path));
    // Without its profile, the block size is the mean number of bytes per operation.
    let count = moved.read.0.saturating_add(moved.written.0);
    let mean = moved
        .read
        .1
        .saturating_add(moved.written.1)
        .checked_div(count)
        .filter(|bytes| *bytes > 0);
    let workload = match (profile, of) {
        (Some(profile), Some(of)) => of.workload(profile, moved.file_bytes),
        _ => Workload {
            block: Weighted::only(Bytes(mean.unwrap_or(65_536))),
            ..Workload::default()
        },
    };
    RunBuilder::job(name, Target::Path(target.into()), "windows", workload)
}

#[cfg(test)]
fn fixtures() -> Vec<Fixture> {
    use crate::importer::{stated_of, workload_of};
    let bytes = include_bytes!("../../../../testdata/imported/diskspd/2.2-mixed.xml");
    let check = |runs: &[Run]| {
        let [run] = runs else {
            panic!("{} runs", runs.len())
        };
        assert_eq!(
            (run.header.started.as_str(), run.header.started_unix_ns),
            ("2024-11-05T09:30:15Z", 1_730_799_015_000_000_000)
        );
        assert_eq!(run.header.environment.text("host.name"), Some("STORE-7"));
        let workload = workload_of(run, "time span 1");
        assert_eq!(
            (
                workload.mix.to_string().as_str(),
                workload.workers,
                workload.depth
            ),
            ("read:70,write:30", 2, 8)
        );
        assert_eq!(
            (workload.block.to_string().as_str(), workload.size),
            ("4k", Some(Bytes(10 << 30)))
        );
        assert_eq!(
            run.header.plan.steps[0].jobs[0].target.to_string(),
            r"D:\data & more\test.dat"
        );
        let [tick] = run.ticks.as_slice() else {
            panic!("{} ticks", run.ticks.len())
        };
        assert_eq!(tick.end_ns - tick.start_ns, 30_020_000_000);
        let counts: Vec<_> = tick
            .kinds
            .iter()
            .map(|kind| (kind.kind, kind.count, kind.bytes / 4096))
            .collect();
        assert_eq!(
            counts,
            [
                (OperationKind::Read, 662_736, 662_736),
                (OperationKind::Write, 284_261, 284_261)
            ]
        );
        let reported = stated_of(run, "time span 1");
        let write = reported[1].service.as_ref().expect("latency of writes");
        assert_eq!(
            (write.min_ns, write.mean_ns, write.max_ns),
            (Some(60_000.0), Some(633_000.0), Some(66_012_000.0))
        );
        assert!(
            write.quantiles_ns.contains(&(0.99, 5_017_000.0)),
            "{:?}",
            write.quantiles_ns
        );
        assert_eq!(reported[2].figures[0].value, 15.42);
    };
    let text = String::from_utf8_lossy(bytes);
    let powershell: Vec<u8> = [0xFF, 0xFE]
        .into_iter()
        .chain(text.encode_utf16().flat_map(u16::to_le_bytes))
        .collect();
    vec![
        Fixture {
            name: "2.2-mixed.xml",
            bytes: bytes.to_vec(),
            check,
        },
        Fixture {
            name: "powershell.xml",
            bytes: powershell,
            check,
        },
    ]
}
