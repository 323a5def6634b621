//! What did Iometer measure? Its results file, which gets a section for each test; columns are found by name, because they differ between versions.

mod section;

use plumb_model::run::Run;
use plumb_model::run::imported::{Reported, ReportedFigure, ReportedLatency};
use plumb_model::statement::Statement;
use plumb_model::target::Target;
use plumb_model::units::{Bytes, Nanos};
use plumb_model::workload::operation::OperationKind;
use plumb_model::workload::{Job, Offsets, Weighted, Workload};

use self::section::{Measured, Section, SpecificationLine};
#[cfg(test)]
use crate::importer::Fixture;
use crate::importer::{Head, ImportError, Importer, RunBuilder, Source};

pub static IMPORTER: Importer = Importer {
    name: "iometer",
    program: "Iometer",
    meaning: "results.csv of Iometer 2003 to 1.1: each access specification becomes a step, over all managers; rows of single managers, workers and disks are not imported",
    recognizes,
    import,
    #[cfg(test)]
    fixtures,
};

/// Tests of one file.
const TESTS_MAX: usize = 20_000;

fn recognizes(head: &Head<'_>) -> bool {
    let text = head.text();
    let begins = |heading: &str| {
        text.lines()
            .take(2000)
            .any(|line| line.starts_with(heading))
    };
    begins("'Test Type,Test Description") || begins("'Target Type,Target Name,")
}

fn import(source: &mut Source<'_>) -> Result<Vec<Run>, ImportError> {
    let (mut sections, mut number, mut tests) = (vec![Section::default()], 0, 0);
    while let Some(line) = source.line()? {
        number += 1;
        if line.starts_with("'Test Type") {
            sections.push(Section::default());
        }
        if let Some(section) = sections.last_mut() {
            tests += usize::from(
                section
                    .line(&line)
                    .map_err(|expected| ImportError::at(number, expected))?,
            );
        }
        if tests > TESTS_MAX {
            return Err(ImportError::at(
                number,
                format!("at most {TESTS_MAX} tests in one file"),
            ));
        }
    }
    if tests == 0 {
        return Err(ImportError::of_file(
            "a row 'ALL,All,...' under the heading \"'Target Type,Target Name,...\", which Iometer writes after each test",
        ));
    }
    Ok(sections
        .iter()
        .filter(|section| !section.measured.is_empty())
        .map(run)
        .collect())
}

fn run(section: &Section) -> Run {
    let mut builder = RunBuilder::new("Iometer", section.version.clone());
    builder.does_not_state(&["direct"]);
    if section.aborted {
        builder.doubt(Statement::new("iometer-aborted"));
    }
    builder.doubt(Statement::new("iometer-classes"));
    for measured in &section.measured {
        add(&mut builder, section, measured);
    }
    builder.finish()
}

fn add(builder: &mut RunBuilder, section: &Section, measured: &Measured) {
    let Measured {
        workers,
        disks,
        depth,
        ..
    } = *measured;
    let varies = section.varying.contains(&measured.specification);
    let name = match varies {
        true => format!(
            "{} workers={workers} disks={disks} depth={depth}",
            measured.specification
        ),
        false => measured.specification.clone(),
    };
    let step = builder.step(&name, || vec![job(section, measured)]);
    if let Some(step) = builder
        .run()
        .header
        .plan
        .steps
        .get_mut(step as usize)
        .filter(|_| varies)
    {
        step.group = measured.specification.clone();
        step.swept = [("workers", workers), ("depth", depth)]
            .map(|(key, value)| (key.to_string(), value.to_string()))
            .into();
    }
    let Some(seconds) = measured.seconds() else {
        builder.doubt(Statement::new("iometer-no-io"));
        builder.execution(step, 0.0);
        return;
    };
    let span = builder.execution(step, seconds);
    for (kind, moved) in [
        (OperationKind::Read, &measured.read),
        (OperationKind::Write, &measured.written),
    ] {
        if moved.count == 0 && moved.errors == 0 {
            continue;
        }
        builder.tally(span, 0, kind, moved.count, moved.bytes, None);
        let tick = builder
            .run()
            .ticks
            .last_mut()
            .and_then(|tick| tick.kinds.last_mut());
        if let Some(tick) = tick.filter(|_| moved.errors > 0) {
            tick.errors.insert("unknown".into(), moved.errors);
        }
        if moved.latency != ReportedLatency::default() {
            builder.reported(
                span,
                0,
                Reported {
                    kind: Some(kind),
                    service: Some(moved.latency.clone()),
                    ..Reported::default()
                },
            );
        }
    }
    let figures = measured
        .percent
        .iter()
        .map(|(name, value)| ReportedFigure {
            name: name.clone(),
            value: *value,
            unit: "%".into(),
        })
        .collect();
    builder.reported(
        span,
        0,
        Reported {
            service: Some(measured.latency.clone()),
            figures,
            ..Reported::default()
        },
    );
}

fn job(section: &Section, measured: &Measured) -> Job {
    let lines = section
        .specifications
        .get(&measured.specification)
        .map(Vec::as_slice)
        .unwrap_or_default();
    let total: f64 = lines.iter().map(|line| line.share).sum();
    let mean = |of: fn(&SpecificationLine) -> f64| {
        if total > 0.0 {
            lines.iter().map(|line| of(line) * line.share).sum::<f64>() / total
        } else {
            0.0
        }
    };
    let (reads, random) = (
        mean(|line| line.reads_percent),
        mean(|line| line.random_percent),
    );
    let blocks = lines
        .iter()
        .filter(|line| line.share > 0.0 && line.block_bytes > 0)
        .map(|line| (Bytes(line.block_bytes), line.share));
    let mut blocks: Vec<_> = blocks.collect();
    // Without the specification, the block size is the mean number of bytes per operation.
    let moved = measured
        .read
        .bytes
        .saturating_add(measured.written.bytes)
        .checked_div(measured.read.count.saturating_add(measured.written.count));
    if blocks.is_empty() {
        blocks.push((
            Bytes(moved.filter(|bytes| *bytes > 0).unwrap_or(2048)),
            100.0,
        ));
    }
    let mix = match lines {
        [] => vec![
            (OperationKind::Read, measured.read.count as f64),
            (OperationKind::Write, measured.written.count as f64),
        ],
        _ => vec![
            (OperationKind::Read, reads),
            (OperationKind::Write, 100.0 - reads),
        ],
    };
    let mix: Vec<_> = mix.into_iter().filter(|(_, share)| *share > 0.0).collect();
    let integer = |number: u64| number.clamp(1, u64::from(u32::MAX)) as u32;
    let first = lines.first();
    let workload = Workload {
        mix: if mix.is_empty() {
            Workload::default().mix
        } else {
            Weighted(mix)
        },
        block: Weighted::of(blocks),
        offsets: if random >= 50.0 {
            Offsets::RandomWithReplacement
        } else {
            Offsets::Sequential
        },
        workers: integer(measured.workers),
        // Outstanding I/Os are per worker and disk.
        depth: integer(
            measured.depth.saturating_mul(
                measured
                    .disks
                    .checked_div(measured.workers)
                    .unwrap_or(1)
                    .max(1),
            ),
        ),
        burst_operations: first
            .filter(|line| line.delay_ms > 0)
            .map_or(0, |line| line.burst),
        burst_pause: Nanos(first.map_or(0, |line| line.delay_ms.saturating_mul(1_000_000))),
        ..Workload::default()
    };
    RunBuilder::job("", Target::Path("unknown".into()), "iometer", workload)
}

#[cfg(test)]
fn fixtures() -> Vec<Fixture> {
    use crate::importer::{stated_of, workload_of};
    let check = |runs: &[Run]| {
        let [run] = runs else {
            panic!("{} runs", runs.len())
        };
        assert_eq!(
            run.header
                .imported
                .as_ref()
                .and_then(|imported| imported.version.as_deref()),
            Some("1.1.0")
        );
        let (mixed, sequential) = ("4 KiB; 67% Read; 100% random", "64 KiB sequential read");
        let workload = workload_of(run, mixed);
        assert_eq!(
            (
                workload.mix.to_string().as_str(),
                workload.block.to_string().as_str()
            ),
            ("read:67,write:33", "4k")
        );
        assert_eq!(
            (workload.workers, workload.depth, workload.offsets),
            (2, 16, Offsets::RandomWithReplacement)
        );
        assert_eq!(workload_of(run, sequential).offsets, Offsets::Sequential);
        let first = &run.ticks[0];
        // 72,000 operations at 2400 per second: the time that the rates are based on.
        assert_eq!(first.end_ns - first.start_ns, 30_000_000_000);
        let kinds: Vec<_> = first
            .kinds
            .iter()
            .map(|kind| (kind.count, kind.bytes, kind.errors.get("unknown").copied()))
            .collect();
        assert_eq!(
            kinds,
            [
                (48_000, 48_000 * 4096, Some(4)),
                (24_000, 24_000 * 4096, Some(2))
            ]
        );
        let reported = stated_of(run, mixed);
        let all = reported[2].service.as_ref().expect("latency");
        assert_eq!(
            (all.mean_ns, all.max_ns),
            (Some(2_511_000.0), Some(98_200_000.0))
        );
        // 2000 of 72,000 within 100 us, 8000 within 500 us.
        assert_eq!(all.quantiles_ns[0], (2000.0 / 72_000.0, 100_000.0));
        assert_eq!(
            all.quantiles_ns.last().map(|(_, ns)| *ns),
            Some(10_000_000.0),
            "the last class has no share below 1"
        );
        assert_eq!(reported[2].figures[0].name, "% CPU Utilization");
    };
    let bytes = include_bytes!("../../../../testdata/imported/iometer/1.1.0.csv");
    vec![Fixture {
        name: "1.1.0.csv",
        bytes: bytes.to_vec(),
        check,
    }]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::importer::workload_of;

    /// Columns of 2006.07.27: one MBps, no latency classes.
    const OLD: &str = "'Test Type,Test Description\n0,\n'Version\n2006.07.27 \n'Results\n'Target Type,Target Name,Access Specification Name,# Managers,# Workers,\
        # Disks,IOps,Read IOps,Write IOps,MBps,Read MBps,Write MBps,Average Response Time,Bytes Read,Bytes Written,Read I/Os,Write I/Os,Queue Depth\n";

    #[test]
    fn old_columns_are_found_by_name_and_other_queue_depths_are_steps_of_their_own() {
        let results = &OLD[OLD.find("'Results").expect("results")..];
        let test = |depth| {
            format!(
                "ALL,All,Default,1,1,1,100,100,0,0.2,0.2,0,10,2048000,0,1000,0,\nWORKER,Worker 1,Default,,,1,,,,,,,,,,,,{depth}\n"
            )
        };
        let text = format!("{OLD}{}{results}{}", test(1), test(4));
        let runs = IMPORTER.of_bytes(text.as_bytes()).expect("results");
        let names: Vec<_> = runs[0]
            .header
            .plan
            .steps
            .iter()
            .map(|step| step.name.as_str())
            .collect();
        assert_eq!(
            names,
            [
                "Default workers=1 disks=1 depth=1",
                "Default workers=1 disks=1 depth=4"
            ]
        );
        assert_eq!(
            workload_of(&runs[0], names[1]).block.to_string(),
            "2k",
            "from what was moved"
        );
        assert_eq!(runs[0].ticks[0].end_ns, 10_000_000_000);
    }
}
