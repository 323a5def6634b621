//! What are the phases of elbencho, and which figures do they have? Shared by the importers of its CSV, its JSON and its text.

use plumb_model::run::imported::{Reported, ReportedFigure, ReportedLatency};
use plumb_model::statement::Statement;
use plumb_model::target::Target;
use plumb_model::units::Bytes;
use plumb_model::workload::operation::OperationKind;
use plumb_model::workload::{Direct, FileSizes, Layout, Offsets, Weighted, Workload};

use super::RunBuilder;

/// Phases of one file.
pub(crate) const PHASES_MAX: usize = 20_000;
pub(crate) const MEBIBYTE: f64 = 1_048_576.0;

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

/// Whether reads and writes are measured together: `RWMIX40` (share of reads in percent), `MIX-T2` (threads that read).
pub(crate) fn is_mixed(phase: &str) -> bool {
    phase.starts_with("RWMIX") || phase.starts_with("MIX-T")
}

/// Whether a command line is for an object store.
pub(crate) fn is_of_objects(command: &str) -> bool {
    words(command).any(|word| word.starts_with("--s3endpoints") || word.starts_with("s3://"))
}

/// The kind of a phase on objects, as plumb's own runs on object stores have it: each object is one operation.
fn of_objects(kind: OperationKind) -> OperationKind {
    match kind {
        OperationKind::Read => OperationKind::ReadFile,
        OperationKind::Write => OperationKind::Create,
        kind => kind,
    }
}

/// What a phase was asked to do; missing if not stated.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Options {
    /// Of one host.
    pub threads: Option<u64>,
    pub hosts: Option<u64>,
    /// Directories of a thread, and files of a directory.
    pub dirs: Option<u64>,
    pub files: Option<u64>,
    pub file_bytes: Option<u64>,
    pub block_bytes: Option<u64>,
    pub depth: Option<u64>,
    /// The paths are directories with many files, not files or devices.
    pub is_of_directories: bool,
    /// The files are objects of an object store.
    pub is_of_objects: bool,
    pub direct: bool,
    pub random: bool,
}

/// Figures of one kind of operation; missing if not stated.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Figures {
    /// When the slowest thread had finished.
    pub last: Rates,
    /// When the fastest one had.
    pub first: Rates,
    /// Of blocks, and of whole files or directories.
    pub of_blocks: Option<ReportedLatency>,
    pub of_entries: Option<ReportedLatency>,
}

/// Rates at one time, and amounts up to it.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Rates {
    pub iops: Option<f64>,
    pub bytes_per_s: Option<f64>,
    /// Files or directories.
    pub entries_per_s: Option<f64>,
    pub entries: Option<f64>,
    pub bytes: Option<f64>,
}

/// One phase.
#[derive(Debug, Clone, Default)]
pub(crate) struct Phase<'a> {
    /// `WRITE`, `RWMIX40`.
    pub name: &'a str,
    pub options: Options,
    /// Until the slowest thread had finished, in seconds.
    pub last_s: f64,
    /// Of all operations, or of the writes of a mixed phase.
    pub figures: Figures,
    /// Of the reads of a mixed phase.
    pub reads: Figures,
    /// CPU use in percent.
    pub cpu: Option<f64>,
}

/// A run of this version and command line, with the doubts that hold for all of its figures.
pub(crate) fn run_of<'a>(
    version: Option<&str>,
    command: impl IntoIterator<Item = &'a str>,
) -> RunBuilder {
    let mut builder = RunBuilder::new("elbencho", version.map(str::to_string));
    builder.command(command);
    builder.doubt(Statement::new("elbencho-rates-rounded"));
    builder.doubt(Statement::new("elbencho-first-figures"));
    builder
}

/// The words of `"elbencho" "-w" "file" `.
pub(crate) fn words(command: &str) -> impl Iterator<Item = &str> {
    command
        .split("\" \"")
        .map(|word| word.trim().trim_matches('"'))
}

impl Phase<'_> {
    /// Adds it as another round of its step.
    pub fn add(&self, builder: &mut RunBuilder) {
        let known = PHASES.iter().find(|(name, _)| *name == self.name);
        let kind = known.map(|(_, kind)| *kind);
        let Some(kind) = kind.or(is_mixed(self.name).then_some(OperationKind::Write)) else {
            builder.doubt(Statement::new("elbencho-phases-left-out"));
            return;
        };
        if matches!(self.name, "MKDIRS" | "RMDIRS" | "MKBUCKETS" | "RMBUCKETS") {
            builder.doubt(Statement::new("elbencho-phase-of-directories").name("phase", self.name));
        }
        let is_of_objects = self.options.is_of_objects && !is_mixed(self.name);
        let kind = match is_of_objects {
            true => of_objects(kind),
            false => kind,
        };
        let engine = match self.options.depth {
            _ if self.options.is_of_objects => "s3",
            Some(2..) => "libaio",
            _ => "sync",
        };
        let step = builder.step(self.name, || {
            let target = Target::Path("unknown".into());
            vec![RunBuilder::job("", target, engine, self.workload(kind))]
        });
        let span = builder.execution(step, self.last_s);
        let figures = self.figures.reported(kind, self.cpu, is_of_objects);
        builder.reported(span, 0, figures);
        if self.reads != Figures::default() {
            let reads = self.reads.reported(OperationKind::Read, None, false);
            builder.reported(span, 0, reads);
        }
    }

    fn workload(&self, kind: OperationKind) -> Workload {
        let options = &self.options;
        let of = |number: Option<u64>| number.unwrap_or(1).clamp(1, u64::from(u32::MAX));
        let threads = of(options.threads).saturating_mul(of(options.hosts));
        let files = [options.dirs, options.files]
            .into_iter()
            .map(|number| number.unwrap_or(1).max(1))
            .fold(threads, u64::saturating_mul);
        let positive = |number: Option<u64>| number.filter(|number| *number > 0);
        let size = positive(options.file_bytes).map(|size| match options.is_of_directories {
            true => size.saturating_mul(files),
            false => size,
        });
        Workload {
            mix: self.mix(kind),
            block: Weighted::only(Bytes(positive(options.block_bytes).unwrap_or(1 << 20))),
            file_size: positive(options.file_bytes)
                .filter(|_| options.is_of_objects)
                .map(|bytes| FileSizes::between(bytes, bytes)),
            offsets: match options.random {
                true => Offsets::Random,
                false => Offsets::Sequential,
            },
            layout: match options.is_of_directories {
                true => Layout::Own,
                false => Layout::Shared,
            },
            workers: threads.min(u64::from(u32::MAX)) as u32,
            depth: of(options.depth) as u32,
            size: size.map(Bytes),
            files: match options.is_of_directories {
                true => files,
                false => Workload::default().files,
            },
            direct: match options.direct {
                true => Direct::Yes,
                false => Direct::No,
            },
            ..Workload::default()
        }
    }

    /// Shares of reads and writes, as far as the name of the phase states them.
    fn mix(&self, kind: OperationKind) -> Weighted<OperationKind> {
        let both = |reads: f64, writes: f64| {
            Weighted(vec![
                (OperationKind::Read, reads),
                (OperationKind::Write, writes),
            ])
        };
        let share = |before: &str| {
            let share = self.name.strip_prefix(before)?.trim_end_matches('%');
            share.parse::<u32>().ok()
        };
        let readers = || Some((share("MIX-T")?, self.options.threads? as u32));
        if let Some(reads @ 1..100) = share("RWMIX") {
            both(f64::from(reads), f64::from(100 - reads))
        } else if let Some((readers, threads)) = readers().filter(|(some, all)| some < all) {
            let reads = 100.0 * f64::from(readers) / f64::from(threads);
            both(reads, 100.0 - reads)
        } else if share("MIX-T").is_some() {
            both(50.0, 50.0)
        } else {
            Weighted::only(kind)
        }
    }
}

impl Figures {
    /// `by_entry`: entries are the operations, though parts of them were counted too.
    fn reported(&self, kind: OperationKind, cpu: Option<f64>, by_entry: bool) -> Reported {
        let Rates {
            iops,
            bytes_per_s,
            entries_per_s,
            ..
        } = self.last;
        let by_entry = iops.is_none() || by_entry;
        let figure = ReportedFigure::known;
        let of_entries = self.of_entries.clone().filter(|_| !by_entry);
        let of_entries = of_entries.unwrap_or_default();
        let figures = [
            figure("IOPS [first]", self.first.iops, "operations/s"),
            figure("IOPS [last]", iops.filter(|_| by_entry), "operations/s"),
            figure("MiB/s [first]", self.first.bytes_per_s, "B/s"),
            figure(
                "entries/s [first]",
                self.first.entries_per_s,
                "operations/s",
            ),
            figure(
                "entries/s [last]",
                entries_per_s.filter(|_| !by_entry),
                "operations/s",
            ),
            figure("mean time of a file", of_entries.mean_ns, "ns"),
            figure("longest time of a file", of_entries.max_ns, "ns"),
            figure("entries", self.last.entries, ""),
            figure("MiB", self.last.bytes, "B"),
            figure("CPU", cpu, "%"),
        ];
        Reported {
            kind: Some(kind),
            iops: match by_entry {
                true => entries_per_s.or(iops),
                false => iops,
            },
            bandwidth_bytes_per_s: bytes_per_s,
            service: match by_entry {
                true => (self.of_entries.clone()).or_else(|| self.of_blocks.clone()),
                false => self.of_blocks.clone(),
            },
            figures: figures.into_iter().flatten().collect(),
            ..Reported::default()
        }
    }
}

/// MiB as bytes.
pub(crate) fn mebibytes(number: Option<f64>) -> Option<f64> {
    number.map(|number| number * MEBIBYTE)
}

/// Times in microseconds; `None` if there is none.
pub(crate) fn latency(
    min_us: Option<f64>,
    mean_us: Option<f64>,
    max_us: Option<f64>,
) -> Option<ReportedLatency> {
    let ns = |us: Option<f64>| us.map(|us| us * 1000.0);
    let latency = ReportedLatency {
        min_ns: ns(min_us),
        mean_ns: ns(mean_us),
        max_ns: ns(max_us),
        ..ReportedLatency::default()
    };
    (latency != ReportedLatency::default()).then_some(latency)
}
