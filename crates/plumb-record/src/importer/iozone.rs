//! What do the tests of iozone measure? Shared by the importers of its text and of its spreadsheet.

use plumb_model::run::imported::{Reported, ReportedLatency};
use plumb_model::statement::Statement;
use plumb_model::target::Target;
use plumb_model::units::Bytes;
use plumb_model::workload::operation::OperationKind;
use plumb_model::workload::{Direct, Offsets, Sync, Weighted, Workload};

use super::RunBuilder;

/// Cells of one file: the largest matrix has some thousand.
pub(crate) const CELLS_MAX: usize = 50_000;

/// One test.
#[derive(Debug)]
pub(crate) struct Test {
    /// Column header in the table, if unique: the name of its steps.
    pub name: &'static str,
    /// Title of its report in Excel output, in lower case and without `report`.
    pub report: &'static str,
    /// Line in throughput mode: `initial writers`.
    pub processes: &'static str,
    kind: OperationKind,
    order: Order,
    engine: &'static str,
    doubt: Option<fn() -> Statement>,
}

/// Order of offsets, which needs the record size.
#[derive(Debug, Clone, Copy)]
enum Order {
    Rising,
    Falling,
    /// Always the first record.
    OneRecord,
    Permuted,
    /// One record, then 17 skipped ones (option -j).
    Strides,
}

const fn test(
    name: &'static str,
    report: &'static str,
    processes: &'static str,
    kind: OperationKind,
    order: Order,
) -> Test {
    Test {
        name,
        report,
        processes,
        kind,
        order,
        engine: "sync",
        doubt: None,
    }
}

const fn with(test: Test, engine: &'static str, doubt: Option<fn() -> Statement>) -> Test {
    Test {
        engine,
        doubt,
        ..test
    }
}

use OperationKind::{Read, Write};
use Order::{Falling, OneRecord, Permuted, Rising, Strides};

const BACKWARDS: fn() -> Statement = || Statement::new("iozone-backwards");
const ONE_RECORD: fn() -> Statement = || Statement::new("iozone-one-record");
const SKIPS: fn() -> Statement = || Statement::new("iozone-skips");
const STDIO: fn() -> Statement = || Statement::new("iozone-stdio");
const MIXED: fn() -> Statement = || Statement::new("iozone-mixed");

/// All tests, the first thirteen in the order of the table's columns.
pub(crate) const TESTS: &[Test] = &[
    test("write", "writer", "initial writers", Write, Rising),
    test("rewrite", "re-writer", "rewriters", Write, Rising),
    test("read", "reader", "readers", Read, Rising),
    test("reread", "re-reader", "re-readers", Read, Rising),
    test(
        "random-read",
        "random read",
        "random readers",
        Read,
        Permuted,
    ),
    test(
        "random-write",
        "random write",
        "random writers",
        Write,
        Permuted,
    ),
    with(
        test(
            "bkwd-read",
            "backward read",
            "reverse readers",
            Read,
            Falling,
        ),
        "sync",
        Some(BACKWARDS),
    ),
    with(
        test(
            "record-rewrite",
            "record rewrite",
            "record rewriters",
            Write,
            OneRecord,
        ),
        "sync",
        Some(ONE_RECORD),
    ),
    with(
        test(
            "stride-read",
            "stride read",
            "stride readers",
            Read,
            Strides,
        ),
        "sync",
        Some(SKIPS),
    ),
    with(
        test("fwrite", "fwrite", "fwriters", Write, Rising),
        "stdio",
        Some(STDIO),
    ),
    with(
        test("frewrite", "re-fwrite", "frewriters", Write, Rising),
        "stdio",
        Some(STDIO),
    ),
    with(
        test("fread", "fread", "freaders", Read, Rising),
        "stdio",
        Some(STDIO),
    ),
    with(
        test("freread", "re-fread", "frereaders", Read, Rising),
        "stdio",
        Some(STDIO),
    ),
    test("pwrite", "pwrite", "pwrite writers", Write, Rising),
    test("repwrite", "re-pwrite", "re-pwrite writers", Write, Rising),
    test("pread", "pread", "pread readers", Read, Rising),
    test("repread", "re-pread", "re-pread readers", Read, Rising),
    with(
        test("mixed", "mixed workload", "mixed workload", Read, Permuted),
        "sync",
        Some(MIXED),
    ),
];

/// Columns of the table with option -E, which adds the last four.
pub(crate) const COLUMNS: usize = 17;

/// The unit of all figures of a run: `Output is in ...`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unit {
    /// `kBytes/sec`: bytes per second, shifted right by ten bits, so KiB.
    Kibibytes,
    /// Option -O.
    Operations,
    /// Option -N.
    Microseconds,
}

impl Unit {
    /// By the words after `Output is in`, which differ between versions.
    pub fn of(words: &str) -> Option<Unit> {
        let words = words.to_ascii_lowercase();
        let units = [
            ("kbytes", Unit::Kibibytes),
            ("microsec", Unit::Microseconds),
            ("op", Unit::Operations),
        ];
        units
            .iter()
            .find(|(word, _)| words.contains(word))
            .map(|(_, unit)| *unit)
    }

    /// A figure in this unit, of one kind of operation or of several; zero stands for a cell that was left out.
    pub fn reported(self, kind: Option<OperationKind>, value: f64) -> Option<Reported> {
        let reported = Reported {
            kind,
            ..Reported::default()
        };
        (value > 0.0).then(|| match self {
            Unit::Kibibytes => Reported {
                bandwidth_bytes_per_s: Some(value * 1024.0),
                ..reported
            },
            Unit::Operations => Reported {
                iops: Some(value),
                ..reported
            },
            Unit::Microseconds => Reported {
                service: Some(ReportedLatency {
                    mean_ns: Some(value * 1000.0),
                    ..ReportedLatency::default()
                }),
                ..reported
            },
        })
    }
}

/// Options of the command line that change the meaning of a figure.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Flags {
    pub flush: bool,
    pub close: bool,
    pub direct: bool,
    pub sync: bool,
    pub mmap: bool,
    pub unit: Option<char>,
}

impl Flags {
    /// Parses a command line as getopt does: flags may be combined, and the rest of a word may be a value.
    pub fn of(command: &str) -> Flags {
        let mut flags = Flags::default();
        for word in command.split_whitespace().skip(1) {
            let letters = word
                .strip_prefix('-')
                .filter(|letters| !letters.starts_with('+'))
                .unwrap_or_default();
            for letter in letters.chars() {
                match letter {
                    'e' => flags.flush = true,
                    'c' => flags.close = true,
                    'I' => flags.direct = true,
                    'o' => flags.sync = true,
                    'B' => flags.mmap = true,
                    'O' | 'N' => flags.unit = Some(letter),
                    // These take a value.
                    'b' | 'd' | 'f' | 'F' | 'g' | 'H' | 'i' | 'j' | 'J' | 'k' | 'l' | 'n' | 'P'
                    | 'q' | 'r' | 's' | 'S' | 't' | 'u' | 'U' | 'y' | 'Y' => break,
                    _ => {}
                }
            }
        }
        flags
    }

    /// The doubts that they imply.
    pub fn doubts(self, builder: &mut RunBuilder) {
        let timed = Statement::new(match (self.flush, self.close) {
            (true, true) => "iozone-timed-fsync-and-close",
            (true, false) => "iozone-timed-fsync",
            (false, true) => "iozone-timed-close",
            (false, false) => "iozone-timed-neither",
        });
        if !self.direct {
            builder.doubt(timed);
            builder.doubt(Statement::new("iozone-reads-of-cache"));
        }
    }
}

/// Coordinates of a figure.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cell<'a> {
    pub test: &'a Test,
    /// File of one process, in KiB; missing if not stated.
    pub file_kib: Option<u64>,
    /// Record, in KiB.
    pub record_kib: Option<u64>,
    pub workers: u32,
    pub flags: Flags,
}

impl Cell<'_> {
    /// Adds the reported figures of this cell as another round.
    pub fn state(
        &self,
        builder: &mut RunBuilder,
        reported: impl FnOnce(Option<OperationKind>) -> Option<Reported>,
    ) {
        // The mixed workload has one figure for reads and writes.
        let kind = (self.test.name != "mixed").then_some(self.test.kind);
        let Some(reported) = reported(kind) else {
            return;
        };
        let bytes = |kib: Option<u64>| {
            kib.and_then(|kib| kib.checked_mul(1024))
                .filter(|bytes| *bytes > 0)
                .map(Bytes)
        };
        let (file, record) = (bytes(self.file_kib), bytes(self.record_kib));
        let swept = [("size", file), ("block", record)]
            .into_iter()
            .filter_map(|(key, value)| Some((key.to_string(), value?.to_string())));
        let mut swept: std::collections::BTreeMap<String, String> = swept.collect();
        if self.workers > 1 {
            swept.insert("workers".into(), self.workers.to_string());
        }
        let name = ["size", "block", "workers"]
            .iter()
            .filter_map(|key| Some(format!(" {key}={}", swept.get(*key)?)));
        let name = format!("{}{}", self.test.name, name.collect::<String>());
        let step = builder.step(&name, || {
            vec![RunBuilder::job(
                "",
                Target::Path("unknown".into()),
                self.engine(),
                self.workload(file, record),
            )]
        });
        if let Some(step) = builder.run().header.plan.steps.get_mut(step as usize) {
            (step.group, step.swept) = (self.test.name.into(), swept);
        }
        self.test
            .doubt
            .iter()
            .for_each(|doubt| builder.doubt(doubt()));
        if record.is_none() {
            builder.doubt(Statement::new("iozone-record-size-not-said"));
        }
        let span = builder.execution(step, 0.0);
        builder.reported(span, 0, reported);
    }

    fn engine(&self) -> &'static str {
        match self.test.engine {
            "sync" if self.flags.mmap => "mmap",
            engine => engine,
        }
    }

    fn workload(&self, file: Option<Bytes>, record: Option<Bytes>) -> Workload {
        let block = record.unwrap_or(Bytes(4096));
        Workload {
            mix: match self.test.name {
                "mixed" => Weighted(vec![(Read, 50.0), (Write, 50.0)]),
                _ => Weighted::only(self.test.kind),
            },
            block: Weighted::only(block),
            offsets: match self.test.order {
                Rising => Offsets::Sequential,
                Falling => Offsets::Reverse,
                OneRecord => Offsets::First,
                Permuted => Offsets::Random,
                Strides => Offsets::StridedBlocks(18),
            },
            workers: self.workers.max(1),
            size: file
                .and_then(|file| file.0.checked_mul(u64::from(self.workers.max(1))))
                .map(Bytes),
            layout: if self.workers > 1 {
                plumb_model::workload::Layout::Own
            } else {
                Workload::default().layout
            },
            direct: if self.flags.direct {
                Direct::Yes
            } else {
                Direct::No
            },
            sync: if self.flags.sync {
                Sync::Sync
            } else {
                Sync::None
            },
            // The other tests use the file that this one created.
            fresh: self.test.name == "write",
            // The mixed workload ends when its first process does.
            passes: (self.test.name != "mixed").then_some(1),
            ..Workload::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn combined_flags_are_split() {
        let flags = Flags::of("./iozone -Razec -I -b out.xls -f./oO -+n");
        assert_eq!(
            flags,
            Flags {
                flush: true,
                close: true,
                direct: true,
                ..Flags::default()
            }
        );
        assert_eq!(Flags::of("iozone -a -O").unit, Some('O'));
    }

    #[test]
    fn units_of_all_versions_are_known() {
        for (words, unit) in [
            ("kBytes/sec", Unit::Kibibytes),
            ("Kbytes/sec", Unit::Kibibytes),
            ("ops/sec", Unit::Operations),
            ("operations per second.", Unit::Operations),
            ("microseconds/op", Unit::Microseconds),
            ("microseconds per operation.", Unit::Microseconds),
        ] {
            assert_eq!(Unit::of(words), Some(unit), "{words}");
        }
        assert_eq!(Unit::of("furlongs"), None);
    }
}
