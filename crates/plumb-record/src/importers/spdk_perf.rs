//! What did spdk_nvme_perf of SPDK measure? Each line of its table is a job: a namespace driven from one core.

use plumb_model::run::Run;
use plumb_model::run::imported::{Reported, ReportedLatency};
use plumb_model::statement::Statement;
use plumb_model::target::Target;
use plumb_model::units::Bytes;
use plumb_model::workload::operation::OperationKind;
use plumb_model::workload::{Direct, Job, Offsets, Weighted, Workload};

#[cfg(test)]
use crate::importer::Fixture;
use crate::importer::number::finite;
use crate::importer::{Head, ImportError, Importer, RunBuilder, Source};

pub static IMPORTER: Importer = Importer {
    name: "spdk-perf",
    program: "spdk_nvme_perf",
    meaning: "what spdk_nvme_perf of SPDK prints (`spdk_nvme_perf -q 32 -o 4096 -w randread -t 10 -L > FILE`); a command line before a table is read too",
    recognizes,
    import,
    #[cfg(test)]
    fixtures,
};

/// Tables of one file, and lines of one table.
const TABLES_MAX: usize = 20_000;
const LINES_MAX: usize = 10_000;
const MIB: f64 = 1_048_576.0;

/// A line of a table (print_performance in app/spdk_nvme_perf/perf.c): a name, ` from core `, the core, then five numbers.
#[derive(Debug, Clone, PartialEq)]
struct Line {
    device: String,
    core: String,
    iops: f64,
    mib_per_s: f64,
    mean_us: f64,
    min_us: f64,
    max_us: f64,
    /// From the summary of `-L`: share and microseconds.
    quantiles: Vec<(f64, f64)>,
}

/// What a command line before a table says of the work.
#[derive(Debug, Clone, Default, PartialEq)]
struct Requested {
    depth: Option<u32>,
    block_bytes: Option<u64>,
    pattern: Option<String>,
    read_percent: Option<f64>,
    seconds: Option<f64>,
}

fn is_heading(line: &str) -> bool {
    let line = line.trim();
    line.strip_prefix("Device Information")
        .and_then(|rest| rest.trim_start().strip_prefix(':'))
        .is_some_and(|rest| {
            rest.split_whitespace()
                .eq(["IOPS", "MiB/s", "Average", "min", "max"])
        })
}

fn recognizes(head: &Head<'_>) -> bool {
    head.text().lines().any(is_heading)
}

/// The core of ` from core  3:`, and what is before and after it.
fn from_core(line: &str) -> Option<(&str, &str, &str)> {
    let (device, rest) = line.rsplit_once(" from core ")?;
    let (core, rest) = rest.split_once(':')?;
    let core = core.trim();
    let is_core = !core.is_empty() && core.bytes().all(|byte| byte.is_ascii_digit());
    is_core.then_some((device.trim(), core, rest))
}

fn table_line(line: &str) -> Option<Line> {
    let (device, core, rest) = from_core(line)?;
    let numbers: Option<Vec<f64>> = rest.split_whitespace().map(finite).collect();
    let [iops, mib_per_s, mean_us, min_us, max_us] = numbers?.try_into().ok()?;
    let all = [iops, mib_per_s, mean_us, min_us, max_us];
    all.iter().all(|number| *number >= 0.0).then(|| Line {
        device: device.into(),
        core: core.into(),
        iops,
        mib_per_s,
        mean_us,
        min_us,
        max_us,
        quantiles: Vec::new(),
    })
}

/// ` 99.00000% :   102.400us`.
fn quantile(line: &str) -> Option<(f64, f64)> {
    let (share, time) = line.trim().split_once('%')?;
    let time = time
        .trim_start()
        .strip_prefix(':')?
        .trim()
        .strip_suffix("us")?;
    let (share, time) = (finite(share.trim())?, finite(time.trim())?);
    ((0.0..=100.0).contains(&share) && time >= 0.0).then_some((share / 100.0, time))
}

/// `4096`, `4k` or `1M`.
fn size(text: &str) -> Option<u64> {
    let digits = text.trim_end_matches(|last: char| last.is_ascii_alphabetic());
    let unit = match text[digits.len()..].to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" | "kib" => 1 << 10,
        "m" | "mib" => 1 << 20,
        _ => return None,
    };
    digits.parse::<u64>().ok()?.checked_mul(unit)
}

/// The options of a command line of the program; `None` for other lines.
fn requested(line: &str) -> Option<Requested> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let is_program = |word: &&str| {
        let name = word.rsplit('/').next().unwrap_or_default();
        name == "spdk_nvme_perf" || name == "perf" && word.contains("nvme")
    };
    let at = words.iter().position(is_program)?;
    let mut requested = Requested::default();
    let mut words = words[at + 1..].iter();
    while let Some(word) = words.next() {
        let (option, value) = match word
            .strip_prefix("--")
            .and_then(|long| long.split_once('='))
        {
            Some((option, value)) => (format!("--{option}"), value),
            None => (
                word.to_string(),
                words.clone().next().copied().unwrap_or_default(),
            ),
        };
        let value = value.trim_matches(['\'', '"']);
        match option.as_str() {
            "-q" | "--io-depth" => requested.depth = value.parse().ok(),
            "-o" | "--io-size" => requested.block_bytes = size(value),
            "-w" | "--io-pattern" => requested.pattern = Some(value.into()),
            "-M" | "--rwmixread" => requested.read_percent = finite(value),
            "-t" | "--time" => requested.seconds = finite(value),
            _ => {}
        }
    }
    requested.pattern.is_some().then_some(requested)
}

fn import(source: &mut Source<'_>) -> Result<Vec<Run>, ImportError> {
    let mut builder = RunBuilder::new("spdk_nvme_perf", None);
    let mut table = Table::default();
    let (mut tables, mut number, mut told) = (0, 0, true);
    while let Some(line) = source.line()? {
        number += 1;
        if is_heading(&line) {
            told &= table.add_to(&mut builder);
            table = Table {
                is_begun: true,
                requested: std::mem::take(&mut table.next_requested),
                ..Table::default()
            };
            tables += 1;
            if tables > TABLES_MAX {
                let why = format!("at most {TABLES_MAX} tables in one file");
                return Err(ImportError::at(number, why));
            }
            continue;
        }
        if let Some(requested) = requested(&line) {
            table.next_requested = Some(requested);
        }
        table.take(&line);
        if table.lines.len() > LINES_MAX {
            let why = format!("at most {LINES_MAX} lines in one table");
            return Err(ImportError::at(number, why));
        }
    }
    told &= table.add_to(&mut builder);
    if builder.run().header.plan.steps.is_empty() {
        return Err(ImportError::of_file(
            "lines such as 'PCIE (0000:01:00.0) NSID 1 from core  0:  412345.10  1610.72  77.57  52.10  1034.22' under 'Device Information'; the run ended without any completed I/O",
        ));
    }
    if !told {
        builder.doubt(Statement::new("spdk-perf-names-no-work"));
    }
    builder.doubt(Statement::new("spdk-perf-is-polled"));
    Ok(vec![builder.finish()])
}

/// A table that is being read, with the summaries that follow it.
#[derive(Default)]
struct Table {
    is_begun: bool,
    requested: Option<Requested>,
    lines: Vec<Line>,
    /// The line that the current summary is about.
    summary: Option<usize>,
    /// Of the next table.
    next_requested: Option<Requested>,
}

impl Table {
    fn take(&mut self, line: &str) {
        if !self.is_begun {
            return;
        }
        if let Some(rest) = line.trim().strip_prefix("Summary latency data for ") {
            // The name is cut after 43 characters.
            let named = from_core(rest).and_then(|(device, core, _)| {
                let of = |line: &Line| line.core == core && line.device.starts_with(device);
                self.lines.iter().position(of)
            });
            self.summary = named;
        } else if let Some(found) = self.summary {
            if let Some(quantile) = quantile(line) {
                self.lines[found].quantiles.push(quantile);
            } else if line.trim().is_empty() {
                self.summary = None;
            }
        } else if let Some(line) = table_line(line) {
            self.lines.push(line);
        }
    }

    /// Returns whether the work is known.
    fn add_to(&self, builder: &mut RunBuilder) -> bool {
        if self.lines.is_empty() {
            return true;
        }
        let requested = self.requested.clone().unwrap_or_default();
        let jobs = self
            .lines
            .iter()
            .map(|line| job(line, &requested))
            .collect();
        let name = requested.pattern.as_deref().unwrap_or("load");
        let step = builder.step_of_jobs(name, jobs);
        let span = builder.execution(step, requested.seconds.unwrap_or(0.0).max(0.0));
        let kind = only_kind(&requested);
        for (number, line) in self.lines.iter().enumerate() {
            let ns = |us: f64| us * 1000.0;
            let latency = ReportedLatency {
                min_ns: Some(ns(line.min_us)),
                mean_ns: Some(ns(line.mean_us)),
                max_ns: Some(ns(line.max_us)),
                quantiles_ns: line
                    .quantiles
                    .iter()
                    .map(|(share, us)| (*share, ns(*us)))
                    .collect(),
                ..ReportedLatency::default()
            };
            let reported = Reported {
                kind,
                iops: Some(line.iops),
                bandwidth_bytes_per_s: Some(line.mib_per_s * MIB),
                response: Some(latency.clone()),
                service: Some(latency),
                ..Reported::default()
            };
            builder.reported(span, number as u32, reported);
        }
        self.requested.is_some()
    }
}

/// The kind of all operations, if it is one.
fn only_kind(requested: &Requested) -> Option<OperationKind> {
    match requested.pattern.as_deref()? {
        "read" | "randread" => Some(OperationKind::Read),
        "write" | "randwrite" => Some(OperationKind::Write),
        _ => match requested.read_percent {
            Some(100.0) => Some(OperationKind::Read),
            Some(0.0) => Some(OperationKind::Write),
            _ => None,
        },
    }
}

fn job(line: &Line, requested: &Requested) -> Job {
    // Both figures of the line are rounded to hundredths.
    let sectors = || (line.mib_per_s * MIB / line.iops / 512.0).round().max(1.0) as u64;
    let told = (line.iops > 0.0).then(|| sectors() * 512);
    let block = requested.block_bytes.or(told).unwrap_or(4096);
    let mix = match (only_kind(requested), requested.read_percent) {
        (Some(kind), _) => Weighted::only(kind),
        (None, Some(reads)) if (0.0..=100.0).contains(&reads) => Weighted(vec![
            (OperationKind::Read, reads),
            (OperationKind::Write, 100.0 - reads),
        ]),
        (None, _) => Workload::default().mix,
    };
    let offsets = match requested.pattern.as_deref() {
        Some(pattern) if !pattern.starts_with("rand") => Offsets::Sequential,
        _ => Offsets::Random,
    };
    let workload = Workload {
        mix,
        block: Weighted::only(Bytes(block)),
        offsets,
        depth: requested.depth.unwrap_or(1),
        // There is no page cache on the way.
        direct: Direct::Yes,
        ..Workload::default()
    };
    let name = format!("{} core {}", line.device, line.core);
    RunBuilder::job(
        &name,
        Target::Path(line.device.clone().into()),
        "spdk",
        workload,
    )
}

#[cfg(test)]
fn fixtures() -> Vec<Fixture> {
    use crate::importer::{stated_of, workload_of};
    let one = |runs: &[Run]| {
        let [run] = runs else {
            panic!("{} runs", runs.len())
        };
        let [stated] = stated_of(run, "randread").try_into().expect("one");
        assert_eq!(stated.iops, Some(412_345.1));
        assert_eq!(stated.kind, Some(OperationKind::Read));
        let latency = stated.service.expect("times");
        assert_eq!(latency.mean_ns, Some(77_570.0));
        assert_eq!(latency.quantiles_ns.len(), 14);
        assert_eq!(latency.quantiles_ns[9], (0.99, 120_320.0));
        let workload = workload_of(run, "randread");
        assert_eq!((workload.depth, workload.largest_block_bytes()), (32, 4096));
    };
    let several = |runs: &[Run]| {
        let plan = &runs[0].header.plan;
        assert_eq!((plan.steps.len(), plan.steps[0].jobs.len()), (1, 2));
        let stated = stated_of(&runs[0], "load");
        let iops: Vec<_> = stated.iter().map(|stated| stated.iops).collect();
        assert_eq!(iops, [Some(100_000.0), Some(50_000.25)]);
        assert_eq!(workload_of(&runs[0], "load").largest_block_bytes(), 8192);
        let doubts = &runs[0].header.imported.as_ref().expect("imported").doubts;
        assert!(
            doubts
                .iter()
                .any(|doubt| doubt.id == "spdk-perf-names-no-work")
        );
    };
    vec![
        Fixture {
            name: "one.txt",
            bytes: include_bytes!("../../../../testdata/imported/spdk-perf/one.txt").to_vec(),
            check: one,
        },
        Fixture {
            name: "several.txt",
            bytes: include_bytes!("../../../../testdata/imported/spdk-perf/several.txt").to_vec(),
            check: several,
        },
    ]
}
