//! What is in a text report of diskspd? Its lines, read one after another into the profile and the tables of each time span.
//!
//! Layouts of ResultParser.cpp from 2.0.11 to 2.2: sizes have units since 2.1, MB/s became MiB/s in 2.0.18 without a change of its value, and the table
//! of CPUs gained columns.

use plumb_model::run::imported::{ReportedFigure, ReportedLatency};
use plumb_model::workload::operation::OperationKind;

use crate::importer::ImportError;
use crate::importer::diskspd::{TARGETS_MAX, TargetProfile, TimeSpanProfile};
use crate::importer::number::{finite, integer};

/// Time spans of one report.
const SPANS_MAX: usize = 4_096;
/// Half of the last digit of a printed time, rate or throughput.
const HALF_DIGIT: f64 = 0.005;
const MEBIBYTE: f64 = 1_048_576.0;

/// One report.
#[derive(Debug, Default)]
pub struct Report {
    pub command: Option<String>,
    pub host: Option<String>,
    pub started: Option<String>,
    pub profile: Vec<TimeSpanProfile>,
    pub measured: Vec<TimeSpan>,
    pub measures_latency: bool,
    /// Sizes have units: 2.1 or newer.
    pub has_units: bool,
    /// Sequential with a share of random offsets (-rs).
    pub is_mixed: bool,
    part: Part,
    /// Anything was read.
    is_begun: bool,
}

/// Where in the report a line stands.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Part {
    #[default]
    Profile,
    System,
    Span,
    Table(Section),
    Percentiles,
    /// A part of a target, or after the time spans.
    Other,
}

/// The three tables of a time span.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Section {
    Total,
    Read,
    Write,
}

/// Results of one time span.
#[derive(Debug, Default)]
pub struct TimeSpan {
    /// Counted from 1.
    pub number: u64,
    /// Missing if it was interrupted before the measurement began.
    pub seconds: Option<f64>,
    /// Usage, in user mode and in kernel mode, over all CPUs, in percent.
    pub cpu: [Option<f64>; 3],
    tables: [Option<Table>; 3],
    /// Of reads, writes and all.
    pub latencies: Percentiles,
    of_targets: bool,
}

/// One table.
#[derive(Debug, Default)]
pub struct Table {
    columns: Vec<String>,
    pub targets: Vec<TableTarget>,
    pub count: u64,
    pub bytes: u64,
    mebibytes_per_s: Option<f64>,
    per_s: Option<f64>,
    pub mean_ns: Option<f64>,
    deviation_ns: Option<f64>,
    deviation_per_s: Option<f64>,
    /// Line of the row of the total, without which the table is not complete.
    total_at: Option<u64>,
}

/// A target over all threads.
#[derive(Debug, Default)]
pub struct TableTarget {
    pub path: String,
    pub file_bytes: u64,
    pub count: u64,
    pub bytes: u64,
}

/// Columns of the table of percentiles.
#[derive(Debug, Default)]
pub struct Percentiles {
    read: ReportedLatency,
    write: ReportedLatency,
    total: ReportedLatency,
}

impl Percentiles {
    pub fn is_empty(&self) -> bool {
        [&self.read, &self.write, &self.total]
            .iter()
            .all(|latency| **latency == ReportedLatency::default())
    }
}

/// `Results for timespan 1:`
pub fn results_of(line: &str) -> Option<u64> {
    integer(
        line.strip_prefix("Results for timespan ")?
            .strip_suffix(':')?,
    )
}

/// `8KiB`, `4096`, `10240B`, `0.50GiB`; before 2.0.18 `10GB`, which is as large as `10GiB`.
fn size(text: &str) -> Option<u64> {
    let text = text.trim();
    let end = text
        .find(|letter: char| !letter.is_ascii_digit() && letter != '.')
        .unwrap_or(text.len());
    let shift = match &text[end..] {
        "" | "B" => 0,
        "KiB" | "KB" => 10,
        "MiB" | "MB" => 20,
        "GiB" | "GB" => 30,
        "TiB" | "TB" => 40,
        _ => return None,
    };
    let bytes = finite(&text[..end])? * (1u64 << shift) as f64;
    (bytes < 9e18).then_some(bytes as u64)
}

impl Report {
    /// True if this line begins another report.
    pub fn ends_before(&self, line: &str) -> bool {
        match line {
            "Input parameters:" => !self.profile.is_empty() || !self.measured.is_empty(),
            _ if line.starts_with("Command Line:") => self.is_begun,
            _ => results_of(line).is_some_and(|number| {
                self.measured
                    .last()
                    .is_some_and(|span| number <= span.number)
            }),
        }
    }

    /// Reads a line, without the blanks around it.
    pub fn line(&mut self, line: &str, number: u64) {
        if let Some(command) = line.strip_prefix("Command Line:") {
            (self.command, self.is_begun) = (Some(command.trim().into()), true);
            self.part = Part::Profile;
            return;
        }
        if let Some(number) = results_of(line) {
            self.part = if self.measured.len() < SPANS_MAX {
                Part::Span
            } else {
                Part::Other
            };
            self.is_begun = true;
            if self.part == Part::Span {
                self.measured.push(TimeSpan {
                    number,
                    ..TimeSpan::default()
                });
            }
            return;
        }
        let is_in_span = !self.measured.is_empty();
        match line {
            "System information:" => self.part = Part::System,
            "Totals:" => self.part = Part::Other,
            "Total IO" if is_in_span => self.part = Part::Table(Section::Total),
            "Read IO" if is_in_span => self.part = Part::Table(Section::Read),
            "Write IO" if is_in_span => self.part = Part::Table(Section::Write),
            "ETW:" | "Wait Statistics" => self.part = Part::Other,
            "Total latency distribution:" => self.part = Part::Span,
            _ if line.starts_with("Latency distribution:") => {
                self.part = Part::Other;
                if let Some(span) = self.measured.last_mut() {
                    span.of_targets = true;
                }
            }
            _ if line.starts_with("%-ile |") && self.part != Part::Other => {
                self.part = Part::Percentiles;
            }
            _ => self.value(line, number),
        }
    }

    fn value(&mut self, line: &str, number: u64) {
        let span = self.measured.last_mut();
        match (self.part, span) {
            (Part::Profile, _) => self.of_profile(line),
            (Part::System, _) => {
                if let Some(host) = line.strip_prefix("computer name:") {
                    self.host = Some(host.trim().into());
                } else if let Some(time) = line.strip_prefix("start time:") {
                    self.started = Some(time.trim().into());
                }
            }
            (Part::Span, Some(span)) => span.value(line),
            (Part::Table(section), Some(span)) => {
                let table = span.tables[section as usize].get_or_insert_with(Table::default);
                table.line(line, number);
            }
            (Part::Percentiles, Some(span)) => span.percentile(line),
            _ => {}
        }
    }

    fn of_profile(&mut self, line: &str) {
        if line.starts_with("timespan:") && self.profile.len() < SPANS_MAX {
            self.is_begun = true;
            self.profile.push(TimeSpanProfile::default());
            return;
        }
        self.measures_latency |= line == "measuring latency";
        let Some(span) = self.profile.last_mut() else {
            return;
        };
        let (name, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.trim();
        let seconds = || value.strip_suffix('s').and_then(integer).unwrap_or(0);
        match name {
            "duration" => span.seconds = seconds(),
            "warm up time" => span.warm_up_seconds = seconds(),
            "path" if span.targets.len() < TARGETS_MAX => span.targets.push(TargetProfile {
                path: value.trim_matches('\'').into(),
                ..TargetProfile::default()
            }),
            "number of outstanding I/O operations per thread" if span.targets.is_empty() => {
                span.requests = integer(value).unwrap_or(0);
            }
            _ => {}
        }
        if let Some(threads) = name
            .strip_prefix("thread pool with ")
            .and_then(|rest| rest.strip_suffix(" threads"))
        {
            span.threads = integer(threads).unwrap_or(0);
        }
        if let Some(target) = span.targets.last_mut() {
            self.has_units |= name == "block size" && value.ends_with("iB");
            self.is_mixed |= name.starts_with("using mixed random/sequential I/O");
            of_target(target, name, value);
        }
    }
}

fn of_target(target: &mut TargetProfile, name: &str, value: &str) {
    match name {
        "software cache disabled" => target.is_direct = true,
        // 2.0.11 to 2.0.16.
        "software and hardware cache disabled" => {
            (target.is_direct, target.is_write_through) = (true, true);
        }
        "performing read test" => target.write_percent = 0.0,
        "performing write test" => target.write_percent = 100.0,
        // `(read/write ratio: 70/30)`; 2.0.11 wrote `(write/read ratio: 30/100)`.
        "performing mix test (read/write ratio" | "performing mix test (write/read ratio" => {
            let (first, second) = value
                .trim_end_matches(')')
                .split_once('/')
                .unwrap_or((value, ""));
            let writes = if name.ends_with("(read/write ratio") {
                second
            } else {
                first
            };
            target.write_percent = finite(writes).unwrap_or(0.0);
        }
        "block size" => target.block_bytes = size(value),
        "base file offset" => target.start_bytes = size(value).unwrap_or(0),
        "number of outstanding I/O operations"
        | "number of outstanding I/O operations per thread" => target.requests = integer(value),
        "threads per file" => target.threads = integer(value),
        _ if name.ends_with("writethrough on") => target.is_write_through = true,
        _ if name.starts_with("using random I/O")
            || name.starts_with("using mixed random/sequential I/O") =>
        {
            target.is_random = true;
        }
        _ => {
            if let Some(limit) = name.strip_prefix("throughput rate-limited to ") {
                target.operations_per_s = limit.strip_suffix(" IOPS").and_then(finite);
            }
        }
    }
}

impl TimeSpan {
    /// A table, if it is complete.
    pub fn table(&self, section: Section) -> Option<&Table> {
        self.tables[section as usize]
            .as_ref()
            .filter(|table| table.total_at.is_some() && !table.targets.is_empty())
    }

    /// Percentiles of each target follow in the report, which are not used.
    pub fn repeats_targets(&self) -> bool {
        self.of_targets
    }

    fn value(&mut self, line: &str) {
        if let Some(time) = line.strip_prefix("actual test time:") {
            self.seconds = time.trim().strip_suffix('s').and_then(finite);
        } else if let Some((_, rest)) = line.split_once("avg.|") {
            let mut fields = rest.split('|');
            self.cpu = [(); 3].map(|()| finite(fields.next()?.trim().strip_suffix('%')?));
        }
    }

    /// The test time is printed with two decimals: the rates of the tables, which were computed with all digits, say it more precisely.
    pub fn exact_seconds(&self) -> f64 {
        let printed = self.seconds.unwrap_or(0.0);
        let (mut least, mut most) = (printed - HALF_DIGIT, printed + HALF_DIGIT);
        for table in self.tables.iter().flatten() {
            let amounts = [
                (table.count as f64, table.per_s),
                (table.bytes as f64 / MEBIBYTE, table.mebibytes_per_s),
            ];
            for (amount, rate) in amounts {
                if let Some(rate) = rate.filter(|rate| *rate > HALF_DIGIT && amount > 0.0) {
                    least = least.max(amount / (rate + HALF_DIGIT));
                    most = most.min(amount / (rate - HALF_DIGIT));
                }
            }
        }
        if least <= printed && printed <= most || least > most {
            printed
        } else {
            f64::midpoint(least, most)
        }
    }

    /// One row of the percentiles: `99th |  Read (ms) | Write (ms) | Total (ms)`.
    fn percentile(&mut self, line: &str) {
        let mut fields = line.split('|').map(str::trim);
        let name = fields.next().unwrap_or_default();
        let nines = || {
            name.strip_suffix("-nines")
                .and_then(integer)
                .filter(|nines| *nines < 16)
        };
        let share = match (name, name.strip_suffix("th").and_then(finite), nines()) {
            ("min", ..) => 0.0,
            ("max", ..) => 1.0,
            (_, Some(percent), _) => percent / 100.0,
            (_, _, Some(nines)) => 1.0 - 0.1f64.powi(nines as i32),
            _ => return,
        };
        let Percentiles { read, write, total } = &mut self.latencies;
        for latency in [read, write, total] {
            let value = fields
                .next()
                .and_then(finite)
                .map(|milliseconds| milliseconds * 1e6);
            let Some(ns) = value else { continue };
            let before = latency.quantiles_ns.last().copied();
            let rises = before.is_none_or(|(last, least)| last < share && least <= ns);
            match share {
                0.0 => latency.min_ns = Some(ns),
                1.0 => latency.max_ns = Some(ns),
                _ if rises => latency.quantiles_ns.push((share, ns)),
                _ => {}
            }
        }
    }

    /// What is known of the latencies of one kind, or of all.
    pub fn latency(&self, table: &Table, kind: Option<OperationKind>) -> Option<ReportedLatency> {
        let of = match kind {
            Some(OperationKind::Read) => &self.latencies.read,
            Some(OperationKind::Write) => &self.latencies.write,
            _ => &self.latencies.total,
        };
        let latency = ReportedLatency {
            mean_ns: table.mean_ns,
            standard_deviation_ns: table.deviation_ns,
            ..of.clone()
        };
        (table.count > 0 && latency != ReportedLatency::default()).then_some(ReportedLatency {
            count: Some(table.count),
            ..latency
        })
    }

    /// Other figures of a table; those of the machine stand at all kinds.
    pub fn figures(&self, table: &Table, kind: Option<OperationKind>) -> Vec<ReportedFigure> {
        let cpu = ["CPU", "CPU in user mode", "CPU in kernel mode"]
            .into_iter()
            .zip(self.cpu)
            .filter(|_| kind.is_none())
            .map(|(name, value)| (name, value, "%"));
        let deviation = (
            "standard deviation of IOPS",
            table.deviation_per_s,
            "operations/s",
        );
        let figure = |(name, value, unit): (&str, Option<f64>, &str)| {
            ReportedFigure::known(name, value, unit)
        };
        cpu.chain([deviation]).filter_map(figure).collect()
    }
}

impl Table {
    fn line(&mut self, line: &str, number: u64) {
        let fields: Vec<&str> = line.split('|').map(str::trim).collect();
        if fields.len() < 4 {
            return;
        }
        if fields[0] == "thread" {
            self.columns = fields.iter().map(|name| (*name).to_string()).collect();
            return;
        }
        let at = |name: &str| self.columns.iter().position(|column| column == name);
        let amount = |bytes: Option<&str>, fields: &[&str]| {
            let count = integer(fields.get(at("I/Os")?)?)?;
            Some((count, integer(bytes?)?))
        };
        // The row of the total has thread and bytes in one field.
        if let Some(bytes) = fields[0].strip_prefix("total:") {
            let row: Vec<&str> = [""].into_iter().chain(fields.iter().copied()).collect();
            let number_of = |name: &str| finite(row.get(at(name)?)?);
            let milliseconds = |name: &str| Some(number_of(name)? * 1e6);
            let Some((count, bytes)) = amount(Some(bytes), &row) else {
                return;
            };
            self.per_s = number_of("I/O per s");
            self.mebibytes_per_s = number_of("MiB/s").or_else(|| number_of("MB/s"));
            self.deviation_per_s = number_of("IopsStdDev");
            if count > 0 {
                self.mean_ns = milliseconds("AvgLat");
                self.deviation_ns = milliseconds("LatStdDev");
            }
            (self.count, self.bytes, self.total_at) = (count, bytes, Some(number));
            return;
        }
        let bytes = at("bytes").and_then(|at| fields.get(at)).copied();
        let (Some((count, bytes)), Some(_)) = (amount(bytes, &fields), integer(fields[0])) else {
            return;
        };
        let file = at("file")
            .and_then(|at| fields.get(at))
            .copied()
            .unwrap_or_default();
        let (path, file_bytes) = match file.rsplit_once(" (") {
            Some((path, text)) => (path, text.strip_suffix(')').and_then(size)),
            None => (file, None),
        };
        let known = self.targets.iter().position(|target| target.path == path);
        let index = known.unwrap_or(self.targets.len());
        if known.is_none() && index < TARGETS_MAX {
            self.targets.push(TableTarget {
                path: path.into(),
                file_bytes: file_bytes.unwrap_or(0),
                ..TableTarget::default()
            });
        }
        if let Some(target) = self.targets.get_mut(index) {
            target.count = target.count.saturating_add(count);
            target.bytes = target.bytes.saturating_add(bytes);
        }
    }

    /// Operations and bytes of each target of the table of all kinds, which has the same targets.
    ///
    /// # Errors
    /// There are several targets, and the rows do not add up to the total.
    pub fn moved(&self, all: &Table) -> Result<Vec<(u64, u64)>, ImportError> {
        if let [_] = all.targets.as_slice() {
            return Ok(vec![(self.count, self.bytes)]);
        }
        let of = |path: &str| {
            let target = self.targets.iter().find(|target| target.path == path);
            target.map_or((0, 0), |target| (target.count, target.bytes))
        };
        let moved: Vec<_> = all.targets.iter().map(|target| of(&target.path)).collect();
        let sum = |of: fn(&(u64, u64)) -> u64| moved.iter().map(of).fold(0u64, u64::saturating_add);
        if (sum(|moved| moved.0), sum(|moved| moved.1)) == (self.count, self.bytes) {
            return Ok(moved);
        }
        Err(ImportError::at(
            self.total_at.unwrap_or(0),
            "a total that is the sum of the rows of the table above it, of at most 256 targets",
        ))
    }
}
