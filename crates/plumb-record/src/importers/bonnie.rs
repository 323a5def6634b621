//! What did bonnie++ measure? Its CSV lines in the layouts of 1.03, 1.96 to 1.97, and 1.98 to 2.00.

use plumb_model::environment::Fact;
use plumb_model::run::Run;
use plumb_model::run::imported::{Reported, ReportedFigure, ReportedLatency};
use plumb_model::statement::Statement;
use plumb_model::target::Target;
use plumb_model::units::{Bytes, Nanos};
use plumb_model::workload::operation::OperationKind;
use plumb_model::workload::{FileNames, FileOrder, FileSizes, Offsets, Weighted, Workload};

#[cfg(test)]
use crate::importer::Fixture;
use crate::importer::number::{finite, integer};
use crate::importer::{Head, ImportError, Importer, RunBuilder, Source};

pub static IMPORTER: Importer = Importer {
    name: "bonnie",
    program: "bonnie++",
    meaning: "the CSV lines of bonnie++ 1.03 to 2.00 (last line of its output; `bonnie++ -q > FILE`): lines with the same machine and setup become rounds, others separate runs",
    recognizes,
    import,
    #[cfg(test)]
    fixtures,
};

/// One test: its CSV column, which is the name of its step, and what its figure measures.
struct Test {
    name: &'static str,
    kind: OperationKind,
    /// What the figure includes beyond its name.
    doubt: Option<fn() -> Statement>,
}

/// Tests of the file part, in column order; the last one is seeks.
const FILE_TESTS: [Test; 6] = [
    Test {
        name: "putc",
        kind: OperationKind::Write,
        doubt: Some(|| Statement::new("bonnie-putc")),
    },
    Test {
        name: "put_block",
        kind: OperationKind::Write,
        doubt: Some(|| Statement::new("bonnie-put-block")),
    },
    Test {
        name: "rewrite",
        kind: OperationKind::Rewrite,
        doubt: Some(|| Statement::new("bonnie-rewrite")),
    },
    Test {
        name: "getc",
        kind: OperationKind::Read,
        doubt: Some(|| Statement::new("bonnie-getc")),
    },
    Test {
        name: "get_block",
        kind: OperationKind::Read,
        doubt: None,
    },
    Test {
        name: "seeks",
        kind: OperationKind::Read,
        doubt: Some(|| Statement::new("bonnie-seeks")),
    },
];

/// Tests of the metadata part, in column order.
const NAME_TESTS: [(&str, OperationKind); 6] = [
    ("seq_create", OperationKind::Create),
    ("seq_stat", OperationKind::Stat),
    ("seq_del", OperationKind::Delete),
    ("ran_create", OperationKind::Create),
    ("ran_stat", OperationKind::Stat),
    ("ran_del", OperationKind::Delete),
];

/// Default chunk size of the file part: bonnie++(8), option -s.
const CHUNK_BYTES: u64 = 8192;
/// Rounds and runs of one file; more cannot be a list of results.
const LINES_MAX: usize = 20_000;

/// Content of a rate field.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Rate {
    Measured(f64),
    /// `+++++`: less than half a second, too short for bonnie++ to report.
    TooFast,
    /// Empty: the test was not requested.
    Missing,
}

/// The files of the metadata part.
struct Files {
    number: Option<u64>,
    sizes: FileSizes,
    folders: Option<u64>,
}

/// One line.
#[derive(Debug)]
struct CsvLine<'a> {
    fields: Vec<&'a str>,
    /// Column of `putc`; all later columns have the same distance to it in every layout since 1.96.
    putc: usize,
}

impl<'a> CsvLine<'a> {
    /// Parses a line; `None` if it is not from bonnie++.
    fn of(text: &'a str) -> Option<CsvLine<'a>> {
        // bonnie++ 2.00 prints a stray NUL for the chunk size of the files.
        let fields: Vec<&str> = text
            .split(',')
            .map(|field| field.trim_matches(['\0', ' ', '\r']))
            .collect();
        let putc = match (fields.len(), finite(fields[0])) {
            (27, _) => 2,
            (48, Some(version)) if (1.9..3.0).contains(&version) => 7,
            (50, Some(version)) if (1.9..3.0).contains(&version) => 9,
            _ => return None,
        };
        let line = CsvLine { fields, putc };
        let rates = || {
            (0..6)
                .map(|test| line.putc + 2 * test)
                .chain((0..6).map(|test| line.names() + 2 * test))
        };
        let fits = rates().all(|at| line.rate(at).is_some())
            && rates().any(|at| line.rate(at) != Some(Rate::Missing));
        let size = line.field(line.size());
        (fits && !line.name().is_empty() && (size.is_empty() || line.size_and_chunk().0.is_some()))
            .then_some(line)
    }

    fn field(&self, at: usize) -> &'a str {
        self.fields.get(at).copied().unwrap_or_default()
    }

    /// True for the layout of 1.03, which has no version field.
    fn is_old(&self) -> bool {
        self.putc == 2
    }

    /// Column of the size.
    fn size(&self) -> usize {
        if self.is_old() { 1 } else { 5 }
    }

    /// Column of `seq_create`.
    fn names(&self) -> usize {
        self.putc + if self.is_old() { 13 } else { 17 }
    }

    fn name(&self) -> &'a str {
        self.field(if self.is_old() { 0 } else { 2 })
    }

    fn rate(&self, at: usize) -> Option<Rate> {
        match self.field(at) {
            "" => Some(Rate::Missing),
            text if text.bytes().all(|byte| byte == b'+') => Some(Rate::TooFast),
            text => finite(text).map(Rate::Measured),
        }
    }

    /// File and chunk size in bytes, if the line states them: `2G`, in 1.03 also `2G:4k`; a bare number is in MiB.
    fn size_and_chunk(&self) -> (Option<u64>, Option<u64>) {
        let (size, chunk) = self
            .field(self.size())
            .split_once(':')
            .unwrap_or((self.field(self.size()), ""));
        let chunk = if self.is_old() { chunk } else { self.field(6) };
        let size = match integer(size) {
            Some(mebibytes) => mebibytes.checked_mul(1 << 20),
            None => size.parse::<Bytes>().ok().map(|size| size.0),
        };
        let positive = |bytes: &u64| *bytes > 0;
        (
            size.filter(positive),
            chunk
                .parse::<Bytes>()
                .ok()
                .map(|chunk| chunk.0)
                .filter(positive),
        )
    }

    /// Parameters of the metadata part: `16:2048:512/8` in 1.03, columns since. 2.00 prints the directories one column late.
    fn files(&self) -> Files {
        let (at, files) = (self.putc + 12, self.field(self.putc + 12));
        let (numbers, folders) = match self.is_old() {
            true => {
                let (files, folders) = files.split_once('/').unwrap_or((files, ""));
                let mut parts = files.split(':').map(integer);
                ([0, 1, 2].map(|_| parts.next().flatten()), integer(folders))
            }
            false => (
                [at, at + 1, at + 2].map(|at| integer(self.field(at))),
                integer(self.field(at + 3)).or_else(|| integer(self.field(at + 4))),
            ),
        };
        let [thousands, max, min] = numbers;
        let to_bytes = max.unwrap_or(0);
        let from_bytes = min.filter(|min| *min <= to_bytes).unwrap_or(0);
        let sizes = FileSizes::between(from_bytes, to_bytes);
        Files {
            number: thousands.and_then(|thousands| thousands.checked_mul(1024)),
            sizes,
            folders,
        }
    }

    /// Fields that must be equal for two lines to be rounds of one another: all except the seed and the results.
    fn set_up(&self) -> String {
        let before = self.fields[..self.putc]
            .iter()
            .enumerate()
            .filter(|(at, _)| self.is_old() || *at != 4);
        let files = &self.fields[self.putc + 12..self.names()];
        before
            .map(|(_, field)| *field)
            .chain(files.iter().copied())
            .collect::<Vec<_>>()
            .join(",")
    }

    /// The longest single operation of a test; tests are numbered across both parts.
    fn latency(&self, test: usize) -> Option<ReportedLatency> {
        let text = self.field(self.names() + 12 + test);
        let nanos: Nanos = text.parse().ok().filter(|_| text.ends_with('s'))?;
        Some(ReportedLatency {
            max_ns: Some(nanos.0 as f64),
            ..ReportedLatency::default()
        })
    }
}

fn recognizes(head: &Head<'_>) -> bool {
    head.text().lines().take(1000).any(|line| {
        line.starts_with("format_version,bonnie_version,") || CsvLine::of(line).is_some()
    })
}

fn import(source: &mut Source<'_>) -> Result<Vec<Run>, ImportError> {
    let (mut drafts, mut number, mut found, mut bad) = (Drafts::default(), 0, 0, None);
    while let Some(text) = source.line()? {
        number += 1;
        match CsvLine::of(&text) {
            Some(_) if found == LINES_MAX => {
                return Err(ImportError::at(
                    number,
                    format!("at most {LINES_MAX} results in one file"),
                ));
            }
            Some(line) => {
                found += 1;
                add(drafts.of(&line), &line);
            }
            // Text before and between the lines is progress output of bonnie++; many commas mean a result that cannot be read.
            None if text.matches(',').count() > 20 && !text.starts_with("format_version,") => {
                bad = bad.or(Some(number))
            }
            None => {}
        }
    }
    match (found, bad) {
        (0, at) => Err(ImportError {
            line: at,
            expected: "a CSV line of bonnie++ with 27 (1.03), 48 (1.97) or 50 (2.00) columns, each rate a number, +++++ or empty".into(),
        }),
        (_, None) => Ok(drafts.finish(None)),
        (_, Some(line)) => {
            Ok(drafts.finish(Some(Statement::new("bonnie-line-left-out").name("line", line.to_string()))))
        }
    }
}

/// Runs in progress, by setup, in file order.
#[derive(Default)]
struct Drafts {
    indexes: std::collections::HashMap<String, usize>,
    drafts: Vec<RunBuilder>,
}

impl Drafts {
    fn of(&mut self, line: &CsvLine<'_>) -> &mut RunBuilder {
        let next = self.drafts.len();
        let index = *self.indexes.entry(line.set_up()).or_insert(next);
        if index == next {
            self.drafts.push(begin(line));
        }
        &mut self.drafts[index]
    }

    fn finish(self, doubt: Option<Statement>) -> Vec<Run> {
        let with_doubt = |mut builder: RunBuilder| {
            doubt.iter().for_each(|doubt| builder.doubt(doubt.clone()));
            builder.finish()
        };
        self.drafts.into_iter().map(with_doubt).collect()
    }
}

fn begin(line: &CsvLine<'_>) -> RunBuilder {
    let mut builder = RunBuilder::new(
        "bonnie++",
        (!line.is_old()).then(|| line.field(1).to_string()),
    );
    builder.fact("host.name", Fact::Text(line.name().into()));
    builder.doubt(Statement::new("bonnie-no-cache-dropped"));
    builder.doubt(Statement::new("bonnie-rates-rounded"));
    if line.is_old() {
        builder.doubt(Statement::new("bonnie-no-version"));
    }
    builder
}

/// Adds the results of a line as one round.
fn add(builder: &mut RunBuilder, line: &CsvLine<'_>) {
    let mut too_fast = Vec::new();
    for (index, test) in FILE_TESTS.iter().enumerate() {
        let at = line.putc + 2 * index;
        let is_seeks = test.name == "seeks";
        let reported = |rate: f64| match is_seeks {
            true => Reported {
                iops: Some(rate),
                ..Reported::default()
            },
            false => Reported {
                bandwidth_bytes_per_s: Some(rate * 1024.0),
                ..Reported::default()
            },
        };
        if add_test(
            builder,
            line,
            test.name,
            test.kind,
            (at, index),
            reported,
            || file_workload(line, test),
        ) == Some(Rate::TooFast)
        {
            too_fast.push(test.name);
        }
        let has_block = !matches!(test.name, "putc" | "getc");
        if line.rate(at) != Some(Rate::Missing) {
            test.doubt.iter().for_each(|doubt| builder.doubt(doubt()));
            if has_block && line.size_and_chunk().1.is_none() {
                builder.doubt(Statement::new("bonnie-chunk-not-said"));
            }
        }
    }
    for (index, (name, kind)) in NAME_TESTS.iter().enumerate() {
        let at = line.names() + 2 * index;
        let reads = *kind == OperationKind::Stat && line.files().sizes.to_bytes > 0;
        let kind = if reads {
            OperationKind::ReadFile
        } else {
            *kind
        };
        let reported = |rate: f64| Reported {
            iops: Some(rate),
            ..Reported::default()
        };
        if add_test(
            builder,
            line,
            name,
            kind,
            (at, FILE_TESTS.len() + index),
            reported,
            || name_workload(line, name, kind),
        ) == Some(Rate::TooFast)
        {
            too_fast.push(name);
        }
        if reads && line.rate(at) != Some(Rate::Missing) {
            builder.doubt(Statement::new("bonnie-stat-reads"));
        }
    }
    if !too_fast.is_empty() {
        builder.doubt(Statement::new("bonnie-too-fast").name("tests", too_fast.join(", ")));
    }
}

/// Adds one test of a line; `at` are the column of its rate and its index among the latencies. Returns the kind of rate; missing tests add no step.
fn add_test(
    builder: &mut RunBuilder,
    line: &CsvLine<'_>,
    name: &str,
    kind: OperationKind,
    at: (usize, usize),
    reported: impl Fn(f64) -> Reported,
    workload: impl FnOnce() -> Workload,
) -> Option<Rate> {
    let rate = line.rate(at.0).filter(|rate| *rate != Rate::Missing)?;
    let engine = if line.is_old() && matches!(name, "putc" | "getc") {
        "stdio"
    } else {
        "sync"
    };
    // Since 1.9x a byte is a call, and a chunk of them is what is timed.
    let by_call = !line.is_old() && matches!(name, "putc" | "getc");
    let step = builder.step(name, || {
        let mut job = RunBuilder::job("", Target::Path("unknown".into()), engine, workload());
        job.engine.call_size = Bytes(u64::from(by_call));
        vec![job]
    });
    let span = builder.execution(step, 0.0);
    let mut reported = match rate {
        Rate::Measured(rate) => reported(rate),
        Rate::TooFast | Rate::Missing => Reported::default(),
    };
    // Seeks are a mix of reads and rewrites.
    (reported.kind, reported.service) =
        (Some(kind).filter(|_| name != "seeks"), line.latency(at.1));
    reported.figures = finite(line.field(at.0 + 1))
        .map(|value| ReportedFigure {
            name: "CPU".into(),
            value,
            unit: "%".into(),
        })
        .into_iter()
        .collect();
    builder.reported(span, 0, reported);
    Some(rate)
}

fn file_workload(line: &CsvLine<'_>, test: &Test) -> Workload {
    let (size, chunk) = line.size_and_chunk();
    let by_character = matches!(test.name, "putc" | "getc");
    let is_seeks = test.name == "seeks";
    let copies = if line.is_old() {
        None
    } else {
        integer(line.field(3))
    }
    .unwrap_or(1);
    // Column 8 of the layout with 50 columns is the number of seek processes; it is 5 in 1.9x and 3 in 1.03 without it.
    let seekers = if line.putc == 9 {
        integer(line.field(8))
    } else {
        None
    }
    .unwrap_or(if line.is_old() { 3 } else { 5 });
    let workers = if is_seeks {
        copies.saturating_mul(seekers)
    } else {
        copies
    };
    let writes = matches!(test.name, "putc" | "put_block" | "rewrite");
    // What bonnie++ always does. Since 1.9x a character test is one call of 3 MiB.
    let of_all = Workload {
        fresh: matches!(test.name, "putc" | "put_block"),
        flush_at_end: writes,
        bytes: (by_character && !line.is_old()).then_some(Bytes(3 << 20)),
        passes: (!is_seeks && !by_character).then_some(1),
        ..Workload::default()
    };
    Workload {
        mix: if is_seeks {
            Weighted(vec![(test.kind, 90.0), (OperationKind::Rewrite, 10.0)])
        } else {
            Weighted::only(test.kind)
        },
        block: Weighted::only(Bytes(if by_character && line.is_old() {
            1
        } else {
            chunk.unwrap_or(CHUNK_BYTES)
        })),
        offsets: if is_seeks {
            Offsets::RandomWithReplacement
        } else {
            Offsets::Sequential
        },
        workers: workers.clamp(1, u64::from(u32::MAX)) as u32,
        size: size.map(Bytes),
        operations: if is_seeks && line.putc == 9 {
            integer(line.field(7))
        } else {
            None
        },
        ..of_all
    }
}

fn name_workload(line: &CsvLine<'_>, name: &str, kind: OperationKind) -> Workload {
    let files = line.files();
    let is_random = name.starts_with("ran_");
    Workload {
        mix: Weighted::only(kind),
        files: files.number.unwrap_or(Workload::default().files),
        file_size: Some(files.sizes),
        folders: files.folders.unwrap_or(1).max(1),
        names: if is_random {
            FileNames::Random
        } else {
            FileNames::Numbered
        },
        file_order: match (kind, is_random) {
            (OperationKind::Create, _) => FileOrder::Offsets,
            (_, false) => FileOrder::Listed,
            (_, true) => FileOrder::Shuffled,
        },
        flush_at_end: matches!(kind, OperationKind::Create | OperationKind::Delete),
        ..Workload::default()
    }
}

#[cfg(test)]
fn fixtures() -> Vec<Fixture> {
    use crate::importer::{stated_of, workload_of};
    let fixture = Fixture::of;
    vec![
        fixture(
            "2.00a.csv",
            include_bytes!("../../../../testdata/imported/bonnie/2.00a.csv"),
            |runs| {
                let [run] = runs else {
                    panic!("{} runs", runs.len())
                };
                // 1903 K/s of characters; 48 columns later than in 1.97 the latency of the random deletions.
                assert_eq!(
                    stated_of(run, "putc")[0].bandwidth_bytes_per_s,
                    Some(1903.0 * 1024.0)
                );
                assert_eq!(stated_of(run, "putc")[0].figures[0].value, 75.0);
                assert_eq!(stated_of(run, "put_block")[0].bandwidth_bytes_per_s, None);
                assert_eq!(stated_of(run, "seq_del")[0].iops, Some(496.0));
                let worst = stated_of(run, "ran_del")[0]
                    .service
                    .clone()
                    .expect("a latency");
                assert_eq!(worst.max_ns, Some(60_100_000.0));
                let seeks = &workload_of(run, "seeks");
                assert_eq!(
                    (seeks.workers, seeks.operations, seeks.size),
                    (5, Some(8192), Some(Bytes(64 << 20)))
                );
                assert_eq!(workload_of(run, "seq_stat").files, 4096);
                let doubts = &run.header.imported.as_ref().expect("imported").doubts;
                assert!(
                    doubts
                        .iter()
                        .map(plumb_words::english)
                        .any(|doubt| doubt.contains("+++++")
                            && doubt.contains("put_block")
                            && !doubt.contains("putc,")),
                    "{doubts:?}"
                );
            },
        ),
        fixture(
            "2.00a-two-rounds.csv",
            include_bytes!("../../../../testdata/imported/bonnie/2.00a-two-rounds.csv"),
            |runs| {
                let [run] = runs else {
                    panic!("{} runs", runs.len())
                };
                assert_eq!(run.header.plan.rounds, 2);
                let names: Vec<_> = run
                    .header
                    .plan
                    .steps
                    .iter()
                    .map(|step| step.name.as_str())
                    .collect();
                assert_eq!(names, ["put_block", "rewrite", "get_block", "seeks"]);
                let seeks: Vec<_> = stated_of(run, "seeks")
                    .iter()
                    .map(|reported| reported.iops)
                    .collect();
                assert_eq!(seeks, [None, Some(14837.0)]);
            },
        ),
        fixture(
            "1.97.csv",
            include_bytes!("../../../../testdata/imported/bonnie/1.97.csv"),
            |runs| {
                assert_eq!(runs.len(), 2, "two machines");
                assert_eq!(runs[0].header.environment.text("host.name"), Some("db1"));
                assert_eq!(
                    workload_of(&runs[0], "put_block").only_block(),
                    Some(Bytes(4096))
                );
                assert_eq!(
                    (
                        workload_of(&runs[0], "seeks").workers,
                        workload_of(&runs[0], "put_block").workers
                    ),
                    (10, 2)
                );
                assert_eq!(stated_of(&runs[0], "seeks")[0].iops, Some(512.3));
                assert_eq!(
                    stated_of(&runs[0], "put_block")[0]
                        .service
                        .as_ref()
                        .and_then(|latency| latency.max_ns),
                    Some(1.041e9)
                );
                assert!(
                    !runs[1]
                        .header
                        .plan
                        .steps
                        .iter()
                        .any(|step| step.name == "rewrite"),
                    "was not asked for"
                );
            },
        ),
        fixture(
            "1.03.csv",
            include_bytes!("../../../../testdata/imported/bonnie/1.03.csv"),
            |runs| {
                assert_eq!(runs.len(), 2);
                assert_eq!(runs[0].header.plan.rounds, 2);
                let blocks: Vec<_> = stated_of(&runs[0], "get_block")
                    .iter()
                    .map(|reported| reported.bandwidth_bytes_per_s)
                    .collect();
                assert_eq!(blocks, [Some(71999.0 * 1024.0), Some(71002.0 * 1024.0)]);
                assert_eq!(workload_of(&runs[0], "putc").size, Some(Bytes(2 << 30)));
                assert!(
                    runs[1]
                        .header
                        .plan
                        .steps
                        .iter()
                        .all(|step| step.name.starts_with("seq_") || step.name.starts_with("ran_"))
                );
                // With a size, there is data to read.
                assert_eq!(
                    workload_of(&runs[1], "ran_stat").mix.0[0].0,
                    OperationKind::ReadFile
                );
                let of_files = workload_of(&runs[1], "ran_del");
                assert_eq!(
                    (of_files.files, of_files.folders, of_files.names),
                    (4096, 8, FileNames::Random)
                );
                assert_eq!(of_files.file_size, Some(FileSizes::between(512, 2048)));
                assert_eq!(
                    (of_files.file_order, of_files.flush_at_end),
                    (FileOrder::Shuffled, true)
                );
            },
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_with_other_commas_is_not_a_result() {
        for text in [
            "",
            "a,b",
            &",".repeat(26),
            &",".repeat(49),
            &format!("1.97,1.97,host,1,1,1G,,{}", ",x".repeat(41)),
        ] {
            assert!(CsvLine::of(text).is_none(), "{text}");
        }
    }
}
