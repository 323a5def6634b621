//! What did dd measure? Its three lines on standard error: records in, records out, and bytes with time.

use plumb_model::run::Run;
use plumb_model::statement::Statement;
use plumb_model::target::Target;
use plumb_model::units::Bytes;
use plumb_model::workload::operation::OperationKind;
use plumb_model::workload::{Job, Offsets, Weighted, Workload};

#[cfg(test)]
use crate::importer::Fixture;
use crate::importer::{Head, ImportError, Importer, RunBuilder, Source};

pub static IMPORTER: Importer = Importer {
    name: "dd",
    program: "dd",
    meaning: "what GNU dd writes to standard error, in English: `dd ... 2> FILE`; the file may hold several runs",
    recognizes,
    import,
    #[cfg(test)]
    fixtures,
};

fn recognizes(head: &Head<'_>) -> bool {
    let text = head.text();
    text.lines()
        .take(1000)
        .any(|line| records(line, " records in").is_some())
        && text
            .lines()
            .take(1000)
            .any(|line| records(line, " records out").is_some())
}

/// `16+1 records in`: full and partial records.
fn records(line: &str, words: &str) -> Option<(u64, u64)> {
    let (full, partial) = line.strip_suffix(words)?.split_once('+')?;
    Some((full.parse().ok()?, partial.parse().ok()?))
}

/// `1073741824 bytes (1.1 GB, 1.0 GiB) copied, 0.512 s, 2.1 GB/s`: bytes and seconds. The rate at the end is rounded, so it is recomputed from these.
fn copied(line: &str) -> Option<(u64, f64)> {
    let (bytes, rest) = line.split_once(" byte")?;
    let (_, rest) = rest.split_once("copied, ")?;
    let seconds = rest.split_once(" s")?.0;
    let seconds: f64 = seconds
        .parse()
        .ok()
        .filter(|seconds: &f64| seconds.is_finite() && *seconds >= 0.0)?;
    Some((bytes.trim().parse().ok()?, seconds))
}

fn import(source: &mut Source<'_>) -> Result<Vec<Run>, ImportError> {
    let mut builder = RunBuilder::new("dd", None);
    builder.does_not_state(&["direct"]);
    builder.doubt(Statement::new("dd-times-together"));
    builder.doubt(Statement::new("dd-ends-not-said"));
    let (mut number, mut taken, mut written, mut found) = (0, None, None, 0u32);
    // The step of runs with partial records.
    let mut in_parts = None;
    while let Some(line) = source.line()? {
        number += 1;
        taken = records(&line, " records in").or(taken);
        written = records(&line, " records out").or(written);
        let Some((bytes, seconds)) = copied(&line) else {
            if line.contains(" copied") {
                return Err(ImportError::at(
                    number,
                    format!(
                        "bytes and seconds ('... bytes ... copied, 0.5 s, ...'), found '{}'",
                        line.trim()
                    ),
                ));
            }
            continue;
        };
        let Some((full, partial)) = written.take() else {
            return Err(ImportError::at(
                number,
                "'N+M records out' before the line with the bytes",
            ));
        };
        let records = full.saturating_add(partial);
        if partial > 0 || taken.take().is_some_and(|(_, partial)| partial > 0) {
            builder.doubt(Statement::new("dd-partial-records"));
        }
        if bytes == 0 {
            builder.doubt(Statement::new("dd-moved-nothing"));
        }
        // With partial records the mean is not the block size, and says nothing of whether the work is another.
        let step = match in_parts.filter(|_| partial > 0) {
            Some(step) => step,
            None => builder.step_of_work("write", job(bytes, records)),
        };
        if partial > 0 {
            in_parts = Some(step);
        }
        let span = builder.execution(step, seconds);
        builder.tally(span, 0, OperationKind::Write, records, bytes, None);
        found += 1;
    }
    if found == 0 {
        return Err(ImportError::of_file(
            "a line like '1048576 bytes (1.0 MB, 1.0 MiB) copied, 0.01 s, 105 MB/s' in English (LC_ALL=C)",
        ));
    }
    Ok(vec![builder.finish()])
}

/// The work of so many records.
fn job(bytes: u64, records: u64) -> Job {
    let block = bytes
        .checked_div(records)
        .filter(|block| *block > 0)
        .unwrap_or(512);
    let workload = Workload {
        mix: Weighted::only(OperationKind::Write),
        block: Weighted::only(Bytes(block)),
        offsets: Offsets::Sequential,
        ..Workload::default()
    };
    RunBuilder::job("", Target::Path("unknown".into()), "dd", workload)
}

#[cfg(test)]
fn fixtures() -> Vec<Fixture> {
    let several = |runs: &[Run]| {
        let [run] = runs else {
            panic!("{} runs", runs.len())
        };
        let steps = run.header.plan.steps.iter();
        let blocks: Vec<u64> = steps
            .map(|step| step.jobs[0].workload.largest_block_bytes())
            .collect();
        assert_eq!((blocks, run.header.plan.rounds), (vec![4096, 1 << 20], 2));
    };
    let bytes = include_bytes!("../../../../testdata/imported/dd/two.txt");
    let check = |runs: &[Run]| {
        let [run] = runs else {
            panic!("{} runs", runs.len())
        };
        assert_eq!(run.header.plan.rounds, 2);
        assert_eq!(
            run.header.plan.steps[0].jobs[0]
                .workload
                .largest_block_bytes(),
            1 << 20
        );
        let times: Vec<(u64, u64)> = run
            .ticks
            .iter()
            .map(|tick| (tick.end_ns - tick.start_ns, tick.kinds[0].bytes))
            .collect();
        assert_eq!(times, [(500_000_000, 1 << 30), (250_000_000, 1 << 30)]);
    };
    let other_blocks = Fixture {
        name: "several.txt",
        bytes: include_bytes!("../../../../testdata/foreign/dd/several.txt").to_vec(),
        check: several,
    };
    vec![
        other_blocks,
        Fixture {
            name: "two.txt",
            bytes: bytes.to_vec(),
            check,
        },
    ]
}
