//! What is in a report of sysbench's file test? Its options and its figures, in the words of each version.

use plumb_model::run::imported::ReportedLatency;
use plumb_model::units::Bytes;
use plumb_model::workload::operation::OperationKind;
use plumb_model::workload::{Direct, Offsets, Sync, Weighted, Workload};

use crate::importer::number::{finite, integer};

const MEBIBYTE: f64 = 1_048_576.0;
/// Half of the last printed digit of rates and times.
const HALF_DIGIT: f64 = 0.005;

/// A mode of the test (`--file-test-mode`).
#[derive(Debug)]
pub struct Mode {
    pub name: &'static str,
    text: &'static str,
    pub is_random: bool,
    reads: bool,
    writes: bool,
}

const fn mode(name: &'static str, text: &'static str, [random, reads, writes]: [bool; 3]) -> Mode {
    Mode {
        name,
        text,
        is_random: random,
        reads,
        writes,
    }
}

const MODES: [Mode; 7] = [
    mode("seqwr", "sequential write (creation)", [false, false, true]),
    mode("seqrewr", "sequential rewrite", [false, false, true]),
    mode("seqrd", "sequential read", [false, true, false]),
    mode("rndrd", "random read", [true, true, false]),
    mode("rndwr", "random write", [true, false, true]),
    mode("rndrw", "random r/w", [true, true, true]),
    mode("mixed", "mixed", [true, true, true]),
];

/// A text without its options.
pub static UNKNOWN: Mode = mode("fileio", "", [false, true, true]);

/// Options and figures.
#[derive(Debug)]
pub struct Report {
    pub version: Option<String>,
    pub mode: Option<&'static Mode>,
    pub engine: &'static str,
    threads: Option<u64>,
    rate: Option<f64>,
    block_bytes: Option<u64>,
    total_bytes: Option<u64>,
    read_share: Option<f64>,
    is_direct: bool,
    sync: Sync,
    fsync_every: u64,
    fsync_at_end: bool,
    /// Reads, writes, fsyncs.
    iops: [Option<f64>; 3],
    mebibytes_per_s: [Option<f64>; 2],
    counts: [Option<u64>; 3],
    moved_bytes: [Option<u64>; 2],
    pub total_s: Option<f64>,
    events: Option<u64>,
    /// Least, mean, most and sum, in milliseconds.
    times_ms: [Option<f64>; 4],
    percentile: Option<(f64, f64)>,
    has_options: bool,
    has_another_test: bool,
}

impl Default for Report {
    fn default() -> Report {
        Report {
            version: None,
            mode: None,
            engine: "sync",
            threads: None,
            rate: None,
            block_bytes: None,
            total_bytes: None,
            read_share: None,
            is_direct: false,
            sync: Sync::None,
            fsync_every: 0,
            fsync_at_end: false,
            iops: [None; 3],
            mebibytes_per_s: [None; 2],
            counts: [None; 3],
            moved_bytes: [None; 2],
            total_s: None,
            events: None,
            times_ms: [None; 4],
            percentile: None,
            has_options: false,
            has_another_test: false,
        }
    }
}

/// What is known of one kind of operation.
#[derive(Debug)]
pub struct KindFigures {
    pub kind: OperationKind,
    pub count: Option<u64>,
    pub bytes: Option<u64>,
    pub iops: Option<f64>,
    pub bandwidth: Option<f64>,
}

/// `sysbench 1.0.20 (using system LuaJIT 2.1.0-beta3)`, `sysbench 0.4.12:  multi-threaded system evaluation benchmark`.
pub fn version_of(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("sysbench ")?;
    let (version, rest) = rest.split_once([' ', ':'])?;
    let is_banner = rest.starts_with("(using ") || rest.trim().starts_with("multi-threaded system");
    (version.starts_with(|first: char| first.is_ascii_digit()) && is_banner).then_some(version)
}

/// A line that only the file test prints.
pub fn is_of_files(line: &str) -> bool {
    line == "File operations:"
        || line.starts_with("Operations performed:")
        || line.starts_with("Extra file open flags:")
        || line.starts_with("read:  IOPS=")
}

/// `8MiB`, `16Kb`, `2Gb`, `312.5Mb`, `512B`: all of them binary (sb_print_value_size).
fn size(text: &str) -> Option<u64> {
    let end = text.find(|letter: char| !letter.is_ascii_digit() && letter != '.')?;
    let shift = match text[end..]
        .trim_end_matches('B')
        .trim_end_matches('b')
        .trim_end_matches('i')
    {
        "" => 0,
        "K" => 10,
        "M" => 20,
        "G" => 30,
        "T" => 40,
        _ => return None,
    };
    let bytes = finite(&text[..end])? * (1u64 << shift) as f64;
    (bytes < 9e18).then_some(bytes.round() as u64)
}

/// `0.01ms`, `0.01`: milliseconds.
fn milliseconds(text: &str) -> Option<f64> {
    finite(text.trim().trim_end_matches("ms"))
}

impl Report {
    /// True if this line begins another report.
    pub fn ends_before(&self, line: &str) -> bool {
        let has_figures = self.has_results() || self.total_s.is_some();
        version_of(line).is_some() && (self.has_options || has_figures || self.version.is_some())
            || line == "Running the test with following options:" && (has_figures || self.has_options)
            // With checkpoints there are several reports after the options.
            || (line == "File operations:" || line.starts_with("read:  IOPS=") || line.starts_with("Operations performed:"))
                && has_figures
    }

    /// The report that this line begins: another test, or the next report of the same.
    pub fn next(self, line: &str) -> Report {
        if version_of(line).is_some() {
            return Report::default();
        }
        let version = self.version.clone();
        if line == "Running the test with following options:" {
            return Report {
                version,
                ..Report::default()
            };
        }
        Report {
            iops: [None; 3],
            mebibytes_per_s: [None; 2],
            counts: [None; 3],
            moved_bytes: [None; 2],
            total_s: None,
            events: None,
            times_ms: [None; 4],
            percentile: None,
            ..self
        }
    }

    /// Figures of files, and not only a beginning of them.
    pub fn has_results(&self) -> bool {
        let rates = self.iops[..2].iter().flatten().any(|rate| *rate > 0.0);
        let counts = self.counts[..2].iter().flatten().any(|count| *count > 0);
        rates && (self.mebibytes_per_s.iter().all(Option::is_some))
            || counts && self.total_s.is_some_and(|seconds| seconds > 0.0)
    }

    pub fn is_of_another_test(&self) -> bool {
        self.has_another_test
    }

    /// Reads a line, without the blanks around it.
    pub fn line(&mut self, line: &str) {
        if let Some(version) = version_of(line) {
            self.version = Some(version.into());
        }
        self.option(line);
        let (name, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.trim();
        match name {
            "reads/s" => self.iops[0] = finite(value),
            "writes/s" => self.iops[1] = finite(value),
            "fsyncs/s" => self.iops[2] = finite(value),
            "read, MiB/s" => self.mebibytes_per_s[0] = finite(value),
            "written, MiB/s" => self.mebibytes_per_s[1] = finite(value),
            "read" | "write" | "fsync" if value.starts_with("IOPS=") => self.of_kind(name, value),
            "Operations performed" => self.performed(value),
            "total time" => self.total_s = finite(value.trim_end_matches('s')),
            "total number of events" => self.events = integer(value),
            "min" => self.times_ms[0] = milliseconds(value),
            "avg" => self.times_ms[1] = milliseconds(value),
            "max" => self.times_ms[2] = milliseconds(value),
            "sum" => self.times_ms[3] = milliseconds(value),
            // In 0.4 and 0.5, in seconds and milliseconds.
            "total time taken by event execution" => {
                self.times_ms[3] = finite(value.trim_end_matches('s')).map(|seconds| seconds * 1e3);
            }
            "events per second"
            | "Prime numbers limit"
            | "Running memory speed test with the following options" => {
                self.has_another_test = true;
            }
            _ if name.ends_with("percentile") => {
                let rank = name
                    .trim_start_matches("approx.")
                    .trim_end_matches("percentile")
                    .trim();
                let rank = finite(rank.trim_end_matches("th"));
                self.percentile = rank
                    .filter(|rank| *rank > 0.0 && *rank < 100.0)
                    .map(|rank| rank / 100.0)
                    .zip(milliseconds(value));
            }
            _ if line.starts_with("Read ") && line.contains("  Written ") => {
                let word = |name: &str| size(line.split_once(name)?.1.split_whitespace().next()?);
                self.moved_bytes = [word("Read "), word("Written ")];
            }
            _ => {}
        }
    }

    /// `IOPS=20061.44 313.46 MiB/s (328.69 MB/s)`, of 1.1.
    fn of_kind(&mut self, name: &str, value: &str) {
        let mut words = value.split_whitespace();
        let rate = words
            .next()
            .and_then(|word| finite(word.strip_prefix("IOPS=")?));
        match name {
            "read" => {
                (self.iops[0], self.mebibytes_per_s[0]) = (rate, words.next().and_then(finite))
            }
            "write" => {
                (self.iops[1], self.mebibytes_per_s[1]) = (rate, words.next().and_then(finite))
            }
            _ => self.iops[2] = rate,
        }
    }

    /// `6000 Read, 4000 Write, 12800 Other = 22800 Total`, in 0.5 `6000 reads, 4000 writes, ...`.
    fn performed(&mut self, value: &str) {
        for part in value.split([',', '=']) {
            let (count, name) = part.trim().split_once(' ').unwrap_or_default();
            let index = match name {
                "Read" | "reads" => 0,
                "Write" | "writes" => 1,
                "Other" => 2,
                _ => continue,
            };
            self.counts[index] = integer(count);
        }
    }

    fn option(&mut self, line: &str) {
        self.has_options |= line == "Running the test with following options:";
        let word = |before: &str| line.strip_prefix(before)?.split_whitespace().next();
        if let Some(threads) = word("Number of threads: ") {
            self.threads = integer(threads);
        } else if let Some(rate) = line.strip_prefix("Target transaction rate: ") {
            self.rate = rate.strip_suffix("/sec").and_then(finite);
        } else if let Some(flags) = line.strip_prefix("Extra file open flags: ") {
            // 0.4 prints the number of Linux.
            let number = integer(flags).unwrap_or(0);
            self.is_direct = flags.contains("directio") || number & 0x4000 > 0;
            self.sync = match flags {
                _ if flags.contains("dsync") => Sync::Dsync,
                _ if flags.contains("sync") || number & 0x10_1000 == 0x10_1000 => Sync::Sync,
                _ if number & 0x1000 > 0 => Sync::Dsync,
                _ => Sync::None,
            };
        } else if let Some(block) = word("Block size ") {
            self.block_bytes = size(block).filter(|bytes| *bytes > 0);
        } else if let Some(total) = line.strip_suffix(" total file size") {
            self.total_bytes = size(total);
        } else if let Some(ratio) = word("Read/Write ratio for combined random IO test: ") {
            self.read_share = finite(ratio).map(|ratio| ratio / (ratio + 1.0));
        } else if let Some(every) = word("Periodic FSYNC enabled, calling fsync() each ") {
            self.fsync_every = integer(every).unwrap_or(0);
        } else if line.starts_with("Calling fsync() after each write operation") {
            self.fsync_every = 1;
        } else if line.starts_with("Calling fsync() at the end of test") {
            self.fsync_at_end = true;
        } else if let Some(how) = line
            .strip_prefix("Using ")
            .and_then(|how| how.strip_suffix(" I/O mode"))
        {
            self.engine = match how {
                "asynchronous" => "libaio",
                _ if how.ends_with("mmaped") => "mmap",
                _ => "sync",
            };
        } else if let Some(text) = line
            .strip_prefix("Doing ")
            .and_then(|text| text.strip_suffix(" test"))
        {
            self.mode = MODES.iter().find(|mode| mode.text == text);
        }
    }

    /// What was asked.
    pub fn workload(&self, mode: &Mode) -> Workload {
        let reads = match (mode.reads, mode.writes) {
            (true, true) => self.read_share.unwrap_or(0.6) * 100.0,
            (reads, _) => f64::from(u8::from(reads)) * 100.0,
        };
        let mix = [
            (OperationKind::Read, reads),
            (OperationKind::Write, 100.0 - reads),
        ];
        let is_written = mode.writes && !mode.reads;
        Workload {
            mix: Weighted(mix.into_iter().filter(|(_, share)| *share > 0.0).collect()),
            block: Weighted::only(Bytes(self.block_bytes.unwrap_or(16_384))),
            offsets: if mode.is_random {
                Offsets::RandomWithReplacement
            } else {
                Offsets::Sequential
            },
            workers: self.threads.unwrap_or(1).clamp(1, u64::from(u32::MAX)) as u32,
            rate: self.rate.filter(|rate| *rate > 0.0),
            size: self.total_bytes.filter(|bytes| *bytes > 0).map(Bytes),
            direct: if self.is_direct {
                Direct::Yes
            } else {
                Direct::No
            },
            sync: self.sync,
            // The number is of requests, reads among them.
            fsync_every: if is_written || self.fsync_every == 1 {
                self.fsync_every
            } else {
                0
            },
            flush_at_end: is_written && self.fsync_at_end,
            ..Workload::default()
        }
    }

    /// Kinds that were carried out.
    pub fn kinds(&self) -> Vec<KindFigures> {
        let kinds = [
            OperationKind::Read,
            OperationKind::Write,
            OperationKind::Flush,
        ];
        let of = |(index, kind): (usize, OperationKind)| {
            let (count, iops) = (self.counts[index], self.iops[index]);
            if count.unwrap_or(0) == 0 && iops.unwrap_or(0.0) == 0.0 {
                return None;
            }
            let moved = self.moved_bytes.get(index).copied().flatten();
            let of_blocks = count
                .zip(self.block_bytes)
                .and_then(|(count, block)| count.checked_mul(block));
            Some(KindFigures {
                kind,
                count,
                bytes: count.map(|_| match (of_blocks, moved) {
                    // The printed size has five digits.
                    (Some(blocks), Some(moved)) if close(blocks as f64, moved as f64) => blocks,
                    (_, moved) => moved.unwrap_or(0),
                }),
                iops,
                bandwidth: self.bandwidth(index, iops),
            })
        };
        kinds.into_iter().enumerate().filter_map(of).collect()
    }

    /// The printed rate has two decimals; operations per second times the block size say it more precisely if they agree with it.
    fn bandwidth(&self, index: usize, iops: Option<f64>) -> Option<f64> {
        let printed = self.mebibytes_per_s.get(index).copied().flatten()?;
        let of_blocks = iops
            .zip(self.block_bytes)
            .map(|(iops, block)| iops * block as f64);
        let agrees = |rate: &f64| {
            let slack = HALF_DIGIT * (1.0 + self.block_bytes.unwrap_or(0) as f64 / MEBIBYTE);
            (rate / MEBIBYTE - printed).abs() <= slack
        };
        of_blocks.filter(agrees).or(Some(printed * MEBIBYTE))
    }

    /// A time that is printed as 0.00 ms: it is not 0, but too short to be printed.
    pub fn has_times_below_resolution(&self) -> bool {
        let printed = self.times_ms[..3]
            .iter()
            .flatten()
            .chain(self.percentile.as_ref().map(|(_, ms)| ms));
        printed.into_iter().any(|ms| *ms == 0.0)
    }

    /// Times of all events; missing where they are printed as 0.
    pub fn latency(&self) -> Option<ReportedLatency> {
        let ns = |ms: Option<f64>| ms.filter(|ms| *ms > 0.0).map(|ms| ms * 1e6);
        let [min, printed, max, sum] = self.times_ms;
        let count = self.events.filter(|count| *count > 0);
        // The sum over the number of events has more digits than the printed mean.
        let mean = sum
            .zip(count)
            .map(|(sum, count)| sum / count as f64)
            .filter(|mean| {
                *mean > 0.0
                    && printed.is_some_and(|printed| (mean - printed).abs() <= 2.0 * HALF_DIGIT)
            });
        let latency = ReportedLatency {
            min_ns: ns(min),
            mean_ns: ns(mean.or(printed)),
            max_ns: ns(max),
            quantiles_ns: self
                .percentile
                .filter(|(_, ms)| *ms > 0.0)
                .map(|(share, ms)| (share, ms * 1e6))
                .into_iter()
                .collect(),
            ..ReportedLatency::default()
        };
        (latency != ReportedLatency::default()).then_some(ReportedLatency { count, ..latency })
    }
}

fn close(one: f64, other: f64) -> bool {
    (one - other).abs() <= 1e-3 * one.max(other)
}
