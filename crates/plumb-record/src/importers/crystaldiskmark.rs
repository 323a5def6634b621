//! What did CrystalDiskMark measure? The text that it saves or copies (3 to 9), and that of KDiskMark, which prints the same rows.

use plumb_model::run::Run;
use plumb_model::run::imported::{Reported, ReportedLatency};
use plumb_model::statement::Statement;
use plumb_model::target::Target;
use plumb_model::units::{Bytes, Nanos};
use plumb_model::workload::operation::OperationKind;
use plumb_model::workload::{Direct, Mix, Offsets, Weighted, Workload};

#[cfg(test)]
use crate::importer::Fixture;
use crate::importer::number::{finite, integer};
use crate::importer::{Head, ImportError, Importer, RunBuilder, Source};

pub static IMPORTER: Importer = Importer {
    name: "crystaldiskmark",
    program: "CrystalDiskMark",
    meaning: "the text of CrystalDiskMark 3 to 9 (File, Save (text), or Edit, Copy) and of KDiskMark: each row becomes a step for reads, writes and the mix, named as in the plan diskmark",
    recognizes,
    import,
    #[cfg(test)]
    fixtures,
};

/// Rows of one file.
const ROWS_MAX: usize = 20_000;
/// Bytes of its "MB".
const MEGABYTE: f64 = 1e6;

/// Program and version of the first line: `CrystalDiskMark 8.0.6 x64 (C) 2007-2024 hiyohiyo`, `KDiskMark (3.1.4): https://...`.
fn banner(line: &str) -> Option<(&'static str, String)> {
    if let Some(rest) = line.strip_prefix("CrystalDiskMark ") {
        let (version, copyright) = rest.split_once(" (C) ")?;
        let version = version.split(' ').next()?.to_string();
        return copyright
            .ends_with("hiyohiyo")
            .then_some(("CrystalDiskMark", version));
    }
    let (version, _) = line.strip_prefix("KDiskMark (")?.split_once("): ")?;
    Some(("KDiskMark", version.into()))
}

fn recognizes(head: &Head<'_>) -> bool {
    let text = head.text();
    text.lines()
        .map(str::trim)
        .any(|line| banner(line).is_some())
}

/// One row.
#[derive(Debug)]
struct Row {
    is_random: bool,
    /// Missing for the mix of both.
    kind: Option<OperationKind>,
    block_bytes: Option<u64>,
    queues: Option<u64>,
    threads: Option<u64>,
    megabytes_per_s: f64,
    iops: Option<f64>,
    latency_us: Option<f64>,
}

/// One report.
#[derive(Debug, Default)]
struct Report {
    program: Option<(&'static str, String)>,
    rows: Vec<Row>,
    /// The part that rows stand in.
    kind: Option<OperationKind>,
    /// Share of reads of the mix, in percent.
    reads: Option<f64>,
    drive: Option<String>,
    size_bytes: Option<u64>,
    measure_s: Option<u64>,
    is_zero_filled: bool,
}

/// `4KiB`, `1MiB`; before 5, `512KB` and `4KB` are as large as `512KiB` and `4KiB`.
fn size(text: &str) -> Option<u64> {
    let end = text.find(|letter: char| !letter.is_ascii_digit())?;
    let shift = match text[end..].to_ascii_lowercase().as_str() {
        "kib" | "kb" => 10,
        "mib" | "mb" => 20,
        "gib" | "gb" => 30,
        _ => return None,
    };
    integer(&text[..end])?.checked_mul(1 << shift)
}

/// A printed number, also with a decimal comma: no thousands are separated.
fn decimal(text: &str) -> Option<f64> {
    finite(&text.trim().replace(',', "."))
}

/// `  SEQ    1MiB (Q=  8, T= 1):  3541.803 MB/s [   3377.7 IOPS] <  2366.44 us>`, `Random Read 4KiB (Q= 32,T= 1) :   384.970 MB/s [  93986.8 IOPS]`.
fn row(line: &str, part: Option<OperationKind>) -> Option<Row> {
    let (before, after) = line.split_once(" MB/s")?;
    let (name, rate) = before.rsplit_once(':')?;
    let name: String = name.to_ascii_lowercase().split_whitespace().collect();
    let (is_random, rest) = [
        ("sequential", false),
        ("seq", false),
        ("random", true),
        ("rnd", true),
    ]
    .into_iter()
    .find_map(|(word, is_random)| Some((is_random, name.strip_prefix(word)?)))?;
    let (kind, rest) = [
        ("read", OperationKind::Read),
        ("write", OperationKind::Write),
    ]
    .into_iter()
    .find_map(|(word, kind)| Some((Some(kind), rest.strip_prefix(word)?)))
    .unwrap_or((part, rest));
    let (block, queue) = rest.split_once('(').unwrap_or((rest, ""));
    let after_key = |key: &str| {
        let mut fields = queue.trim_end_matches(')').split(',');
        integer(fields.find_map(|field| field.strip_prefix(key))?)
    };
    let between = |open: char, close: &str| decimal(after.split_once(open)?.1.split_once(close)?.0);
    Some(Row {
        is_random,
        kind,
        block_bytes: size(block).filter(|bytes| *bytes > 0),
        queues: after_key("q=").or_else(|| after_key("qd=")),
        threads: after_key("t="),
        megabytes_per_s: decimal(rate)?,
        iops: between('[', "IOPS"),
        latency_us: between('<', "us"),
    })
}

fn import(source: &mut Source<'_>) -> Result<Vec<Run>, ImportError> {
    let (mut runs, mut report) = (Vec::new(), Report::default());
    let (mut number, mut rows) = (0u64, 0);
    while let Some(line) = source.line()? {
        number += 1;
        let line = line.trim();
        if let Some(program) = banner(line) {
            add(&mut runs, &report);
            report = Report {
                program: Some(program),
                ..Report::default()
            };
        } else if let Some(row) = row(line, report.kind) {
            rows += 1;
            if rows > ROWS_MAX {
                return Err(ImportError::at(
                    number,
                    format!("at most {ROWS_MAX} rows in one file"),
                ));
            }
            report.rows.push(row);
        } else {
            report.line(line);
        }
    }
    add(&mut runs, &report);
    if runs.is_empty() {
        return Err(ImportError::of_file(
            "rows such as 'SEQ    1MiB (Q=  8, T= 1):  3541.803 MB/s' below 'CrystalDiskMark', with a figure above 0",
        ));
    }
    Ok(runs
        .into_iter()
        .map(|(_, builder)| builder.finish())
        .collect())
}

impl Report {
    fn line(&mut self, line: &str) {
        if let Some(rest) = line.strip_prefix('[') {
            let (part, rest) = rest.split_once(']').unwrap_or((rest, ""));
            match part {
                "Read" => self.kind = Some(OperationKind::Read),
                "Write" => self.kind = Some(OperationKind::Write),
                "Mix" => {
                    self.kind = None;
                    let share = rest
                        .trim()
                        .strip_prefix("Read ")
                        .and_then(|rest| rest.split_once('%'));
                    self.reads = share
                        .and_then(|(share, _)| finite(share))
                        .filter(|share| *share <= 100.0);
                }
                _ => {}
            }
            return;
        }
        let (name, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.trim();
        match name.trim() {
            "Test" => self.test(value),
            "Time" => {
                let measure = value
                    .strip_prefix("Measure ")
                    .and_then(|rest| rest.split_once(" sec"));
                self.measure_s = measure.and_then(|(seconds, _)| integer(seconds));
            }
            "Mode" => self.is_zero_filled = value.contains("<0Fill>"),
            _ => {}
        }
    }

    /// `1024 MiB [C: 26.4% (122.8/465.2 GiB)] (x5)  [Interval=5 sec]`, since 7 `1 GiB (x5) [C: 50% (59/118GiB)]`.
    fn test(&mut self, value: &str) {
        let mut words = value.split_whitespace();
        let number = words.next().unwrap_or_default();
        let unit = words.next().unwrap_or_default();
        self.size_bytes = size(&format!("{number}{unit}"));
        let drive = value.split('[').skip(1).find_map(|part| {
            let (drive, _) = part.split_once(' ')?;
            drive.ends_with(':').then_some(drive)
        });
        self.drive = drive.map(str::to_string);
        self.is_zero_filled |= value.contains("<0Fill>");
    }

    fn major(&self) -> Option<u64> {
        integer(self.program.as_ref()?.1.split('.').next()?)
    }

    /// What a row measured: block size, and whether it is that of the version because the row does not state it.
    fn block_bytes(&self, row: &Row) -> (u64, bool) {
        match (row.block_bytes, row.queues) {
            (Some(bytes), _) => (bytes, false),
            // 5 and 6: with queues 128 KiB, else 1 MiB.
            (None, Some(_)) if matches!(self.major(), Some(5 | 6)) => (128 << 10, true),
            (None, _) => (1 << 20, true),
        }
    }
}

/// `1M`, `128K`: as the plan diskmark names its steps.
fn short(bytes: u64) -> String {
    match bytes {
        _ if bytes.is_multiple_of(1 << 20) => format!("{}M", bytes >> 20),
        _ => format!("{}K", bytes >> 10),
    }
}

fn add(runs: &mut Vec<((&'static str, String), RunBuilder)>, report: &Report) {
    let Some(program) = &report.program else {
        return;
    };
    // A row that was not measured is printed with 0.
    let measured: Vec<&Row> = report
        .rows
        .iter()
        .filter(|row| row.megabytes_per_s > 0.0)
        .collect();
    if measured.is_empty() {
        return;
    }
    let known = runs.iter().position(|(of, _)| of == program);
    let index = known.unwrap_or(runs.len());
    if known.is_none() {
        let mut builder = RunBuilder::new(program.0, Some(program.1.clone()));
        builder.doubt(Statement::new("crystaldiskmark-best"));
        runs.push((program.clone(), builder));
    }
    let builder = &mut runs[index].1;
    if report.is_zero_filled {
        builder.doubt(Statement::new("crystaldiskmark-zeros"));
    }
    for row in measured {
        add_row(builder, report, row);
    }
}

fn add_row(builder: &mut RunBuilder, report: &Report, row: &Row) {
    let (block, is_of_version) = report.block_bytes(row);
    if is_of_version {
        builder.doubt(Statement::new("crystaldiskmark-block-not-said"));
    }
    let (queues, threads) = (row.queues.unwrap_or(1), row.threads.unwrap_or(1));
    let order = if row.is_random { "RND" } else { "SEQ" };
    let kind = row.kind.map_or("mix", OperationKind::word);
    let name = format!("{order}{} Q{queues}T{threads} {kind}", short(block));
    let engine = match report.program {
        Some(("KDiskMark", _)) => "libaio",
        _ => "windows",
    };
    let place = report.drive.as_deref().unwrap_or("unknown");
    let job = RunBuilder::job(
        "",
        Target::Path(place.into()),
        engine,
        workload(report, row, block),
    );
    let step = builder.step_of_work(&name, job);
    let span = builder.execution(step, 0.0);
    let bandwidth = row.megabytes_per_s * MEGABYTE;
    // IOPS are computed from the rate, and printed with one decimal: half of it is the difference that is allowed.
    let of_rate = bandwidth / block as f64;
    let iops = row.iops.map(|printed| {
        let slack = 0.05 + 0.0005 * MEGABYTE / block as f64;
        if (printed - of_rate).abs() <= slack {
            of_rate
        } else {
            printed
        }
    });
    let service = row
        .latency_us
        .filter(|us| *us > 0.0)
        .map(|us| ReportedLatency {
            mean_ns: Some(us * 1e3),
            ..ReportedLatency::default()
        });
    builder.reported(
        span,
        0,
        Reported {
            kind: row.kind,
            iops,
            bandwidth_bytes_per_s: Some(bandwidth),
            service,
            ..Reported::default()
        },
    );
}

fn workload(report: &Report, row: &Row, block: u64) -> Workload {
    let reads = report.reads.unwrap_or(70.0);
    let mix: Mix = match row.kind {
        Some(kind) => Weighted::only(kind),
        None => Weighted(
            [
                (OperationKind::Read, reads),
                (OperationKind::Write, 100.0 - reads),
            ]
            .into_iter()
            .filter(|(_, share)| *share > 0.0)
            .collect(),
        ),
    };
    let whole = |number: Option<u64>| number.unwrap_or(1).clamp(1, u64::from(u32::MAX)) as u32;
    Workload {
        mix,
        block: Weighted::only(Bytes(block)),
        offsets: if row.is_random {
            Offsets::RandomWithReplacement
        } else {
            Offsets::Sequential
        },
        workers: whole(row.threads),
        depth: whole(row.queues),
        size: report.size_bytes.filter(|bytes| *bytes > 0).map(Bytes),
        time: report
            .measure_s
            .and_then(|seconds| seconds.checked_mul(1_000_000_000))
            .filter(|ns| *ns > 0)
            .map(Nanos),
        direct: Direct::Yes,
        ..Workload::default()
    }
}

#[cfg(test)]
fn fixtures() -> Vec<Fixture> {
    use crate::importer::{stated_of, workload_of};
    let file = Fixture::of;
    let default = |runs: &[Run]| {
        let [run] = runs else {
            panic!("{} runs", runs.len())
        };
        let names: Vec<_> = run
            .header
            .plan
            .steps
            .iter()
            .map(|step| step.name.as_str())
            .collect();
        assert_eq!(
            (names.len(), names[0], names[6]),
            (8, "SEQ1M Q8T1 read", "RND4K Q32T1 write")
        );
        let [read] = stated_of(run, "RND4K Q1T1 read").try_into().expect("one");
        assert_eq!(read.bandwidth_bytes_per_s, Some(61_993_000.0));
        assert_eq!(read.iops, Some(61_993_000.0 / 4096.0));
        assert_eq!(
            read.service.and_then(|latency| latency.mean_ns),
            Some(65_920.0)
        );
        let step = &run.header.plan.steps[0].jobs[0];
        assert_eq!(
            (step.target.to_string().as_str(), step.workload.size),
            ("D:", Some(Bytes(1 << 30)))
        );
    };
    let mix = |runs: &[Run]| {
        let names: Vec<_> = runs[0]
            .header
            .plan
            .steps
            .iter()
            .map(|step| step.name.as_str())
            .collect();
        // The sequential writes are printed with 0: they were not measured.
        let expected = [
            "SEQ1M Q8T1 read",
            "RND4K Q32T16 read",
            "RND4K Q32T16 write",
            "SEQ1M Q8T1 mix",
            "RND4K Q32T16 mix",
        ];
        assert_eq!(names, expected);
        let workload = workload_of(&runs[0], "SEQ1M Q8T1 mix");
        assert_eq!(workload.mix.to_string(), "read:70,write:30");
    };
    let six = |runs: &[Run]| {
        let doubts = &runs[0].header.imported.as_ref().expect("imported").doubts;
        assert!(doubts.contains(&Statement::new("crystaldiskmark-block-not-said")));
        assert_eq!(
            workload_of(&runs[0], "SEQ128K Q32T1 read").largest_block_bytes(),
            131_072
        );
    };
    let three = |runs: &[Run]| {
        let names: Vec<_> = runs[0]
            .header
            .plan
            .steps
            .iter()
            .map(|step| step.name.as_str())
            .collect();
        assert_eq!(
            (names.len(), names[2], names[6]),
            (8, "RND512K Q1T1 read", "RND4K Q32T1 read")
        );
    };
    let linux = |runs: &[Run]| assert_eq!(runs[0].header.plan.steps.len(), 4);
    vec![
        file(
            "8.txt",
            include_bytes!("../../../../testdata/foreign/crystaldiskmark/8.0.6-default.txt"),
            default,
        ),
        file(
            "9.txt",
            include_bytes!("../../../../testdata/foreign/crystaldiskmark/9.0.1-peak-mix.txt"),
            mix,
        ),
        file(
            "6.txt",
            include_bytes!("../../../../testdata/foreign/crystaldiskmark/6.0.2.txt"),
            six,
        ),
        file(
            "3.txt",
            include_bytes!("../../../../testdata/foreign/crystaldiskmark/3.0.1.txt"),
            three,
        ),
        file(
            "kdiskmark.txt",
            include_bytes!("../../../../testdata/foreign/crystaldiskmark/kdiskmark-3.1.4.txt"),
            linux,
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_the_same_with_a_decimal_comma() {
        let point = "  SEQ    1MiB (Q=  8, T= 1):  3541.803 MB/s [   3377.7 IOPS] <  2366.44 us>";
        let [one, other] = [point.to_string(), point.replace('.', ",")]
            .map(|line| row(&line, Some(OperationKind::Read)).expect("a row"));
        assert_eq!(format!("{one:?}"), format!("{other:?}"));
        assert_eq!(
            (other.megabytes_per_s, other.iops, other.latency_us),
            (3541.803, Some(3377.7), Some(2366.44))
        );
    }
}
