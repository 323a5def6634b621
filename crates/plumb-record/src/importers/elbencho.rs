//! What did elbencho measure? The rows of its results file (`--csvfile`), one for each phase.

use std::collections::HashMap;

use plumb_model::run::Run;

#[cfg(test)]
use crate::importer::Fixture;
use crate::importer::columns::{Columns, CsvRow};
use crate::importer::elbencho::{
    Figures, Options, PHASES_MAX, Phase, Rates, is_mixed, is_of_objects, latency, mebibytes,
    run_of, words,
};
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
        if rows > PHASES_MAX {
            return Err(ImportError::at(
                number,
                format!("at most {PHASES_MAX} rows in one file"),
            ));
        }
        let set_up: Vec<_> = SET_UP
            .iter()
            .map(|name| row.text(name).unwrap_or_default())
            .collect();
        let index = *indexes.entry(set_up.join(",")).or_insert(drafts.len());
        if index == drafts.len() {
            let command = row.text("command").unwrap_or_default();
            drafts.push(run_of(row.text("version"), words(command)));
        }
        phase_of(&row, phase).add(&mut drafts[index]);
    }
    if rows == 0 {
        return Err(ImportError::of_file(
            "a header line that begins with 'ISO date,label,' and rows below it (--nocsvlabels omits the header)",
        ));
    }
    Ok(drafts.into_iter().map(RunBuilder::finish).collect())
}

fn phase_of<'a>(row: &CsvRow<'a>, name: &'a str) -> Phase<'a> {
    let is = |name: &str| row.text(name) == Some("1");
    let reads = match is_mixed(name) {
        true => figures(row, "rwmix read "),
        false => Figures::default(),
    };
    Phase {
        name,
        options: Options {
            threads: row.integer("threads"),
            hosts: row.integer("hosts"),
            dirs: row.integer("dirs"),
            files: row.integer("files"),
            file_bytes: row.integer("file size"),
            block_bytes: row.integer("block size"),
            depth: row.integer("IO depth"),
            is_of_directories: row.text("path type") == Some("dir"),
            is_of_objects: row.text("command").is_some_and(is_of_objects),
            direct: is("direct IO"),
            random: is("random"),
        },
        last_s: row.number("time ms [last]").unwrap_or(0.0) / 1000.0,
        figures: figures(row, ""),
        reads,
        cpu: row.number("CPU% [last]"),
    }
}

/// Columns of one kind of operation in a row, which begin with `prefix`.
fn figures(row: &CsvRow<'_>, prefix: &str) -> Figures {
    let number = |name: &str| row.number(&format!("{prefix}{name}"));
    let rates = |which: &str| Rates {
        iops: number(&format!("IOPS [{which}]")),
        bytes_per_s: mebibytes(number(&format!("MiB/s [{which}]"))),
        entries_per_s: number(&format!("entries/s [{which}]")),
        entries: number(&format!("entries [{which}]")),
        bytes: mebibytes(number(&format!("MiB [{which}]"))),
    };
    let times = |of: &str| {
        let time = |which: &str| number(&format!("{of} lat us [{which}]"));
        latency(time("min"), time("avg"), time("max"))
    };
    Figures {
        last: rates("last"),
        first: rates("first"),
        of_blocks: times("IO"),
        of_entries: times("Ent"),
    }
}

#[cfg(test)]
fn fixtures() -> Vec<Fixture> {
    use plumb_model::units::Bytes;
    use plumb_model::workload::Direct;
    use plumb_model::workload::operation::OperationKind;

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
