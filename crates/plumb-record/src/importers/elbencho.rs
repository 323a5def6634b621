//! What did elbencho measure? The rows of its results file (`--csvfile`), one for each phase.

use std::collections::HashMap;

use plumb_model::run::Run;
use plumb_model::run::imported::{Reported, ReportedFigure, ReportedLatency};
use plumb_model::statement::Statement;
use plumb_model::target::Target;
use plumb_model::units::Bytes;
use plumb_model::workload::operation::OperationKind;
use plumb_model::workload::{Direct, Layout, Offsets, Weighted, Workload};

#[cfg(test)]
use crate::importer::Fixture;
use crate::importer::columns::{Columns, CsvRow};
use crate::importer::{Head, ImportError, Importer, RunBuilder, Source};

pub static IMPORTER: Importer = Importer {
    name: "elbencho",
    program: "elbencho",
    meaning: "the results file of elbencho (`--csvfile FILE`) with its header line; phases of one command line become steps, the same command again a round; figures are those at the end of the slowest thread",
    recognizes,
    import,
    #[cfg(test)]
    fixtures,
};

/// Phases and their kinds of operations.
const PHASES: &[(&str, OperationKind)] = &[
    ("MKDIRS", OperationKind::Create),
    ("RMDIRS", OperationKind::Delete),
    ("MKFILES", OperationKind::Write),
    ("WRITE", OperationKind::Write),
    ("READ", OperationKind::Read),
    ("STAT", OperationKind::Stat),
    ("HEADOBJ", OperationKind::Stat),
    ("RMFILES", OperationKind::Delete),
    ("RMOBJECTS", OperationKind::Delete),
    ("MKBUCKETS", OperationKind::Create),
    ("RMBUCKETS", OperationKind::Delete),
    ("UPLOAD", OperationKind::Write),
    ("DOWNLOAD", OperationKind::Read),
    ("LISTOBJ", OperationKind::List),
    ("LISTOBJ_P", OperationKind::List),
    ("SYNC", OperationKind::Flush),
];

/// Setup columns of a phase: rows with equal values belong to one run.
const SET_UP: &[&str] = &[
    "label",
    "path type",
    "paths",
    "hosts",
    "threads",
    "dirs",
    "files",
    "file size",
    "block size",
    "direct IO",
    "random",
    "random aligned",
    "IO depth",
    "shared paths",
    "truncate",
    "version",
    "command",
];

/// Rows of one file.
const ROWS_MAX: usize = 20_000;

fn is_header(line: &str) -> bool {
    line.starts_with("ISO date,") && line.contains(",operation,") && line.contains("time ms [last]")
}

fn recognizes(head: &Head<'_>) -> bool {
    head.text().lines().take(1000).any(is_header)
}

fn import(source: &mut Source<'_>) -> Result<Vec<Run>, ImportError> {
    let (mut columns, mut number, mut rows) = (None::<Columns>, 0, 0);
    let (mut indexes, mut drafts) = (HashMap::new(), Vec::<RunBuilder>::new());
    while let Some(line) = source.line()? {
        number += 1;
        if is_header(&line) {
            columns = Some(Columns::of(&line));
            continue;
        }
        let Some(row) = columns
            .as_ref()
            .map(|columns| columns.row(&line))
            .filter(|_| !line.trim().is_empty())
        else {
            continue;
        };
        let Some(phase) = row.text("operation") else {
            return Err(ImportError::at(
                number,
                format!(
                    "a row with one field per column and a phase under 'operation', found '{line}'"
                ),
            ));
        };
        rows += 1;
        if rows > ROWS_MAX {
            return Err(ImportError::at(
                number,
                format!("at most {ROWS_MAX} rows in one file"),
            ));
        }
        let set_up: Vec<_> = SET_UP
            .iter()
            .map(|name| row.text(name).unwrap_or_default())
            .collect();
        let index = *indexes.entry(set_up.join(",")).or_insert(drafts.len());
        if index == drafts.len() {
            drafts.push(begin(&row));
        }
        add(&mut drafts[index], &row, phase);
    }
    if rows == 0 {
        return Err(ImportError::of_file(
            "a header line that begins with 'ISO date,label,' and rows below it (--nocsvlabels omits the header)",
        ));
    }
    Ok(drafts.into_iter().map(RunBuilder::finish).collect())
}

fn begin(row: &CsvRow<'_>) -> RunBuilder {
    let mut builder = RunBuilder::new("elbencho", row.text("version").map(str::to_string));
    if let Some(command) = row.text("command") {
        builder.command(
            command
                .split("\" \"")
                .map(|word| word.trim().trim_matches('"')),
        );
    }
    builder.doubt(Statement::new("elbencho-rates-rounded"));
    builder.doubt(Statement::new("elbencho-first-figures"));
    builder
}

fn add(builder: &mut RunBuilder, row: &CsvRow<'_>, phase: &str) {
    let is_mixed = phase.starts_with("RWMIX");
    let known = PHASES
        .iter()
        .find(|(name, _)| *name == phase)
        .map(|(_, kind)| *kind);
    let Some(kind) = known.or(is_mixed.then_some(OperationKind::Write)) else {
        builder.doubt(Statement::new("elbencho-phases-left-out"));
        return;
    };
    if matches!(phase, "MKDIRS" | "RMDIRS" | "MKBUCKETS" | "RMBUCKETS") {
        builder.doubt(Statement::new("elbencho-phase-of-directories").name("phase", phase));
    }
    let step = builder.step(phase, || {
        vec![RunBuilder::job(
            "",
            Target::Path("unknown".into()),
            engine(row),
            workload(row, phase, kind),
        )]
    });
    let span = builder.execution(step, row.number("time ms [last]").unwrap_or(0.0) / 1000.0);
    builder.reported(span, 0, reported(row, "", kind));
    let reads = reported(row, "rwmix read ", OperationKind::Read);
    if reads
        != (Reported {
            kind: reads.kind,
            ..Reported::default()
        })
    {
        builder.reported(span, 0, reads);
    }
}

fn engine(row: &CsvRow<'_>) -> &'static str {
    if row.integer("IO depth").is_some_and(|depth| depth > 1) {
        "libaio"
    } else {
        "sync"
    }
}

/// Columns of one kind in a row, which begin with `prefix`.
fn reported(row: &CsvRow<'_>, prefix: &str, kind: OperationKind) -> Reported {
    let number = |name: &str| row.number(&format!("{prefix}{name}"));
    let mebibytes = |name: &str| number(name).map(|mebibytes| mebibytes * 1_048_576.0);
    let latency = |of: &str| {
        let time = |which: &str| number(&format!("{of} lat us [{which}]")).map(|us| us * 1000.0);
        let latency = ReportedLatency {
            min_ns: time("min"),
            mean_ns: time("avg"),
            max_ns: time("max"),
            ..ReportedLatency::default()
        };
        (latency != ReportedLatency::default()).then_some(latency)
    };
    let by_entry = row.number(&format!("{prefix}IOPS [last]")).is_none();
    let figure = |name: &str, value: Option<f64>, unit: &str| {
        Some(ReportedFigure {
            name: name.into(),
            value: value?,
            unit: unit.into(),
        })
    };
    let entry_latency = latency("Ent").filter(|_| !by_entry).unwrap_or_default();
    let figures = [
        figure("IOPS [first]", number("IOPS [first]"), "operations/s"),
        figure("MiB/s [first]", mebibytes("MiB/s [first]"), "B/s"),
        figure(
            "entries/s [first]",
            number("entries/s [first]"),
            "operations/s",
        ),
        figure(
            "entries/s [last]",
            number("entries/s [last]").filter(|_| !by_entry),
            "operations/s",
        ),
        figure("mean time of a file", entry_latency.mean_ns, "ns"),
        figure("longest time of a file", entry_latency.max_ns, "ns"),
        figure("entries", number("entries [last]"), ""),
        figure("MiB", mebibytes("MiB [last]"), "B"),
        figure(
            "CPU",
            row.number("CPU% [last]").filter(|_| prefix.is_empty()),
            "%",
        ),
    ];
    Reported {
        kind: Some(kind),
        iops: number("IOPS [last]").or_else(|| number("entries/s [last]")),
        bandwidth_bytes_per_s: mebibytes("MiB/s [last]"),
        service: if by_entry {
            latency("Ent")
        } else {
            latency("IO")
        },
        figures: figures.into_iter().flatten().collect(),
        ..Reported::default()
    }
}

fn workload(row: &CsvRow<'_>, phase: &str, kind: OperationKind) -> Workload {
    let integer = |name: &str| row.integer(name).unwrap_or(1).clamp(1, u64::from(u32::MAX));
    let threads = integer("threads").saturating_mul(integer("hosts"));
    let is_of_directories = row.text("path type") == Some("dir");
    let files = ["dirs", "files"]
        .iter()
        .map(|name| row.integer(name).unwrap_or(1).max(1))
        .fold(threads, u64::saturating_mul);
    let reads = phase
        .strip_prefix("RWMIX")
        .and_then(|share| share.trim_end_matches('%').parse::<u32>().ok())
        .filter(|share| *share < 100);
    let mix = match reads {
        Some(reads @ 1..) => Weighted(vec![
            (OperationKind::Read, f64::from(reads)),
            (OperationKind::Write, f64::from(100 - reads)),
        ]),
        _ => Weighted::only(kind),
    };
    let positive = |name: &str| row.integer(name).filter(|number| *number > 0);
    let size = positive("file size").map(|size| {
        if is_of_directories {
            size.saturating_mul(files)
        } else {
            size
        }
    });
    Workload {
        mix,
        block: Weighted::only(Bytes(positive("block size").unwrap_or(1 << 20))),
        offsets: if row.text("random") == Some("1") {
            Offsets::Random
        } else {
            Offsets::Sequential
        },
        layout: if is_of_directories {
            Layout::Own
        } else {
            Layout::Shared
        },
        workers: threads.min(u64::from(u32::MAX)) as u32,
        depth: integer("IO depth") as u32,
        size: size.map(Bytes),
        files: if is_of_directories {
            files
        } else {
            Workload::default().files
        },
        direct: if row.text("direct IO") == Some("1") {
            Direct::Yes
        } else {
            Direct::No
        },
        ..Workload::default()
    }
}

#[cfg(test)]
fn fixtures() -> Vec<Fixture> {
    use crate::importer::{stated_of, workload_of};
    let check = |runs: &[Run]| {
        assert_eq!(runs.len(), 2, "two command lines");
        let names: Vec<_> = runs[0]
            .header
            .plan
            .steps
            .iter()
            .map(|step| step.name.as_str())
            .collect();
        assert_eq!(names, ["MKDIRS", "WRITE", "READ"]);
        let write = &stated_of(&runs[0], "WRITE")[0];
        assert_eq!(
            (write.iops, write.bandwidth_bytes_per_s),
            (Some(2941.0), Some(2941.0 * 1_048_576.0))
        );
        let latency = write.service.as_ref().expect("latency");
        assert_eq!(
            (latency.min_ns, latency.mean_ns, latency.max_ns),
            (Some(1_661_000.0), Some(9_383_000.0), Some(120_903_000.0))
        );
        let directories = &stated_of(&runs[0], "MKDIRS")[0];
        assert_eq!(
            (
                directories.kind,
                directories.iops,
                directories.bandwidth_bytes_per_s
            ),
            (Some(OperationKind::Create), Some(1466.0), None)
        );
        assert_eq!(
            directories
                .service
                .as_ref()
                .and_then(|latency| latency.mean_ns),
            Some(1_068_000.0)
        );
        let workload = workload_of(&runs[0], "WRITE");
        assert_eq!(
            (
                workload.workers,
                workload.depth,
                workload.direct,
                workload.size
            ),
            (8, 4, Direct::Yes, Some(Bytes(8 << 30)))
        );
        assert_eq!(runs[0].header.command[..3], ["elbencho", "-d", "-w"]);
        let mixed = stated_of(&runs[1], "RWMIX30");
        assert_eq!(
            mixed
                .iter()
                .map(|reported| (reported.kind, reported.iops))
                .collect::<Vec<_>>(),
            [
                (Some(OperationKind::Write), Some(70_020.0)),
                (Some(OperationKind::Read), Some(30_011.0))
            ]
        );
        assert_eq!(
            workload_of(&runs[1], "RWMIX30").mix.to_string(),
            "read:30,write:70"
        );
    };
    let bytes = include_bytes!("../../../../testdata/imported/elbencho/3.1.csv");
    vec![Fixture {
        name: "3.1.csv",
        bytes: bytes.to_vec(),
        check,
    }]
}
