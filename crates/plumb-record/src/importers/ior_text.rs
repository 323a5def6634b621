//! What did IOR measure? Its text on the terminal (2.10 to 4.1) and its CSV: the table of accesses, or the summary where the table is missing.

use plumb_model::environment::Fact;
use plumb_model::run::Run;
use plumb_model::run::imported::{Reported, ReportedFigure};
use plumb_model::statement::Statement;
use plumb_model::target::Target;
use plumb_model::units::Bytes;
use plumb_model::workload::operation::OperationKind;
use plumb_model::workload::{Direct, Layout, Offsets, Weighted, Workload};

#[cfg(test)]
use crate::importer::Fixture;
use crate::importer::number::{finite, integer};
use crate::importer::{Head, ImportError, Importer, RunBuilder, Source};

pub static IMPORTER: Importer = Importer {
    name: "ior-text",
    program: "IOR",
    meaning: "what IOR 2.10 to 4.1 prints (`ior ... > FILE`), and its CSV (`-O summaryFormat=CSV`): each access of a test becomes a step, repetitions become rounds; of another call, the same work too",
    recognizes,
    import,
    #[cfg(test)]
    fixtures,
};

/// Rows of one file.
const ROWS_MAX: usize = 20_000;
const MEBIBYTE: f64 = 1_048_576.0;
const BANNER: &str = ": MPI Coordinated Test of Parallel I/O";

/// `IOR-4.0.0: MPI Coordinated Test of Parallel I/O`
fn version_of(line: &str) -> Option<&str> {
    line.strip_prefix("IOR-")?.strip_suffix(BANNER)
}

/// The columns of a table of accesses: `access bw(MiB/s) IOPS ...`, in CSV with commas.
fn columns_of(line: &str) -> Option<Vec<String>> {
    let words = words(line);
    (words.first() == Some(&"access") && words.get(1) == Some(&"bw(MiB/s)"))
        .then(|| words.iter().map(|word| (*word).to_string()).collect())
}

fn words(line: &str) -> Vec<&str> {
    match line.contains(',') {
        true => line.split(',').map(str::trim).take(64).collect(),
        false => line.split_whitespace().take(64).collect(),
    }
}

fn recognizes(head: &Head<'_>) -> bool {
    let text = head.text();
    let mut lines = text.lines().map(str::trim).take(10_000);
    lines.any(|line| version_of(line).is_some() || columns_of(line).is_some())
}

fn import(source: &mut Source<'_>) -> Result<Vec<Run>, ImportError> {
    let (mut runs, mut call, mut number) = (
        Vec::<(Option<String>, RunBuilder)>::new(),
        Call::default(),
        0u64,
    );
    let mut found = 0;
    while let Some(line) = source.line()? {
        number += 1;
        let line = line.trim();
        if version_of(line).is_some()
            || (line.starts_with("Summary:") || line == "Options:") && !call.best.is_empty()
        {
            found += call.end(&mut runs);
        }
        call.line(line);
        if call.rows.len() > ROWS_MAX || found > ROWS_MAX {
            return Err(ImportError::at(
                number,
                format!("at most {ROWS_MAX} rows in one file"),
            ));
        }
    }
    found += call.end(&mut runs);
    if found == 0 {
        return Err(ImportError::of_file(
            "a table that begins with 'access bw(MiB/s)' and rows of write or read below it, or 'Max Write:' and 'Max Read:'",
        ));
    }
    Ok(runs
        .into_iter()
        .map(|(_, builder)| builder.finish())
        .collect())
}

/// Options of a test, as IOR prints them.
#[derive(Debug, Default, Clone)]
struct Options {
    api: Option<String>,
    file: Option<String>,
    is_random: bool,
    is_own: bool,
    is_reordered: Option<bool>,
    tasks: Option<u64>,
    segments: Option<u64>,
    repetitions: Option<u64>,
    transfer_bytes: Option<u64>,
    block_bytes: Option<u64>,
    size_bytes: Option<u64>,
    has_stonewall: bool,
}

/// A row of the table, with the options that it stands under.
#[derive(Debug)]
struct Row {
    test: u64,
    options: Options,
    kind: OperationKind,
    /// By the names of the columns.
    values: Vec<(String, f64)>,
}

/// One call of IOR.
#[derive(Debug, Default)]
struct Call {
    version: Option<String>,
    command: Option<String>,
    machine: Option<String>,
    options: Options,
    test: u64,
    columns: Option<Vec<String>>,
    rows: Vec<Row>,
    /// `Max Write` and `Max Read` of the current test.
    best: Vec<(OperationKind, f64)>,
    /// Rows of the current test.
    of_test: usize,
}

/// `64 KiB`, `65536 bytes`, `1 MiB`: IOR prints whole numbers, or two decimals.
fn size(text: &str) -> Option<u64> {
    let (number, unit) = text.trim().split_once(' ')?;
    let shift = match unit {
        "bytes" | "byte" => 0,
        "KiB" => 10,
        "MiB" => 20,
        "GiB" => 30,
        "TiB" => 40,
        _ => return None,
    };
    let bytes = finite(number)? * (1u64 << shift) as f64;
    (bytes < 9e18).then_some(bytes.round() as u64)
}

impl Call {
    fn line(&mut self, line: &str) {
        if let Some(version) = version_of(line) {
            self.version = Some(version.into());
            return;
        }
        if let Some(columns) = columns_of(line) {
            self.columns = Some(columns);
            return;
        }
        if self.row(line).is_some() || self.best(line).is_some() {
            return;
        }
        let (name, value) = line.split_once(['=', ':']).unwrap_or((line, ""));
        let (name, value) = (name.trim(), value.trim());
        match name {
            "Options" | "Summary" => {
                (self.options, self.of_test, self.columns) = (Options::default(), 0, None);
                self.best.clear();
            }
            "TestID" => self.test = integer(value).unwrap_or(0),
            "Command line" | "Command line used" => self.command = Some(value.into()),
            "Machine" => self.machine = Some(value.into()),
            _ => self.options.line(name, value, line),
        }
        if let Some((number, _)) = line
            .strip_prefix("Test ")
            .and_then(|rest| rest.split_once(" started:"))
        {
            self.test = integer(number).unwrap_or(0);
        }
    }

    /// A row of the table; `None` for another line.
    fn row(&mut self, line: &str) -> Option<()> {
        let columns = self.columns.as_ref()?;
        let kind = kind_of(words(line).first()?)?;
        let words = words(line);
        // Of CSV, the columns and the fields of a row differ in their order in no version, but in number where the last ones are missing.
        if words.len() != columns.len() {
            return None;
        }
        let values: Vec<_> = columns
            .iter()
            .zip(&words)
            .skip(1)
            .filter_map(|(column, word)| Some((column.clone(), finite(word)?)))
            .collect();
        values.iter().find(|(name, _)| name == "bw(MiB/s)")?;
        self.of_test += 1;
        self.rows.push(Row {
            test: self.test,
            options: self.options.clone(),
            kind,
            values,
        });
        Some(())
    }

    /// `Max Write: 727.72 MiB/sec (763.07 MB/sec)`
    fn best(&mut self, line: &str) -> Option<()> {
        let (kind, rest) = match line.split_once(':')? {
            ("Max Write", rest) => (OperationKind::Write, rest),
            ("Max Read", rest) => (OperationKind::Read, rest),
            _ => return None,
        };
        let rate = finite(rest.trim().split_once(" MiB/sec")?.0)?;
        self.best.push((kind, rate));
        Some(())
    }

    /// Hands over what the call measured, and begins the next; returns the number of results.
    fn end(&mut self, runs: &mut Vec<(Option<String>, RunBuilder)>) -> usize {
        let call = std::mem::take(self);
        // With fewer words (-v levels of scripts), only the largest rates are printed.
        let only_best = call.rows.is_empty();
        if only_best && call.best.is_empty() {
            // What is not yet measured stays: options of the next test.
            *self = call;
            return 0;
        }
        // The next test of the same call has its machine and command.
        (self.version, self.command, self.machine) = (
            call.version.clone(),
            call.command.clone(),
            call.machine.clone(),
        );
        let known = runs
            .iter()
            .position(|(version, _)| *version == call.version);
        let index = known.unwrap_or(runs.len());
        if known.is_none() {
            runs.push((call.version.clone(), call.begin()));
        }
        let builder = &mut runs[index].1;
        call.rows.iter().for_each(|row| add(builder, &call, row));
        if only_best {
            for (kind, rate) in &call.best {
                add_best(builder, &call, *kind, *rate);
            }
            return call.best.len();
        }
        call.rows.len()
    }

    fn begin(&self) -> RunBuilder {
        let mut builder = RunBuilder::new("IOR", self.version.clone());
        if let Some(command) = &self.command {
            builder.command(command.split_whitespace());
        }
        if let Some((system, host)) = self
            .machine
            .as_deref()
            .and_then(|machine| machine.split_once(' '))
        {
            builder.fact("host.system", Fact::Text(system.into()));
            let host = host.split(' ').next().unwrap_or_default();
            builder.fact("host.name", Fact::Text(host.into()));
        }
        builder.doubt(Statement::new("ior-bandwidth-from-open"));
        builder
    }

    /// Whether a flag without a value was given on the command line; `None` if options may stand elsewhere, in a script (-f).
    fn has_flag(&self, flag: char) -> Option<bool> {
        let command = self.command.as_deref()?;
        let mut words = command.split_whitespace().skip(1);
        let flags = |word: &'_ str| word.starts_with('-') && !word.starts_with("--");
        if words.clone().any(|word| word.starts_with("-f")) {
            return None;
        }
        // Letters up to the first that takes a value.
        const FLAGS: &str = "BcCeEFgHIklmnpPqrRSuvVwWxYzZ";
        Some(words.any(|word| {
            flags(word)
                && word
                    .chars()
                    .skip(1)
                    .take_while(|letter| FLAGS.contains(*letter))
                    .any(|letter| letter == flag)
        }))
    }

    fn is_direct(&self) -> bool {
        let in_words = |command: &String| {
            command.contains("useO_DIRECT=1")
                || command.contains("--posix.odirect")
                || command.contains("--aiori.posix.odirect")
        };
        self.command.as_ref().is_some_and(in_words)
            || self
                .version
                .as_deref()
                .is_some_and(|version| version.starts_with("3.") || version.starts_with("2."))
                && self.has_flag('B') == Some(true)
    }
}

/// `write`, `read`; a removal has no rate.
fn kind_of(word: &str) -> Option<OperationKind> {
    match word {
        "write" => Some(OperationKind::Write),
        "read" => Some(OperationKind::Read),
        _ => None,
    }
}

impl Options {
    fn line(&mut self, name: &str, value: &str, line: &str) {
        match name {
            "api" => self.api = Some(value.into()),
            "test filename" => self.file = Some(value.into()),
            "access" => self.is_own = value.starts_with("file-per-process"),
            "ordering in a file" => self.is_random = value.starts_with("random"),
            "ordering inter file" => {
                self.is_reordered = Some(!value.starts_with("no tasks offsets"))
            }
            "tasks" => self.tasks = integer(value),
            // 2.10 and 3.0: `16 (8 per node)`.
            "clients" => self.tasks = value.split(' ').next().and_then(integer),
            "segments" => self.segments = integer(value),
            "repetitions" => self.repetitions = integer(value),
            "xfersize" => self.transfer_bytes = size(value),
            "blocksize" => self.block_bytes = size(value),
            "aggregate filesize" => self.size_bytes = size(value),
            "stonewallingTime" | "Using stonewalling" => self.has_stonewall = true,
            _ => {
                if let Some(count) = line
                    .strip_prefix("pattern")
                    .and_then(|rest| rest.split_once("strided ("))
                    .and_then(|(_, rest)| rest.strip_suffix(" segments)"))
                {
                    self.segments = integer(count);
                }
            }
        }
    }

    fn workload(
        &self,
        kind: OperationKind,
        direct: bool,
        transfer: Option<u64>,
        tasks: Option<u64>,
    ) -> Workload {
        let positive = |bytes: &u64| *bytes > 0;
        Workload {
            mix: Weighted::only(kind),
            block: Weighted::only(Bytes(
                self.transfer_bytes
                    .or(transfer)
                    .filter(positive)
                    .unwrap_or(262_144),
            )),
            offsets: if self.is_random {
                Offsets::Random
            } else {
                Offsets::Sequential
            },
            layout: Layout::Own,
            workers: self
                .tasks
                .or(tasks)
                .unwrap_or(1)
                .clamp(1, u64::from(u32::MAX)) as u32,
            size: self.size_bytes.filter(positive).map(Bytes),
            direct: if direct { Direct::Yes } else { Direct::No },
            ..Workload::default()
        }
    }
}

fn step_name(kind: OperationKind, test: u64) -> String {
    match test {
        0 => kind.to_string(),
        test => format!("{kind} (test {test})"),
    }
}

fn step(
    builder: &mut RunBuilder,
    call: &Call,
    options: &Options,
    row: (OperationKind, u64),
    workload: Workload,
) -> u32 {
    let (kind, test) = row;
    if options.has_stonewall {
        builder.doubt(Statement::new("ior-stonewall"));
    }
    if kind == OperationKind::Write && call.has_flag('e') == Some(false) && !call.is_direct() {
        builder.doubt(Statement::new("ior-writes-not-flushed"));
    }
    if kind == OperationKind::Read && options.is_reordered == Some(false) {
        builder.doubt(Statement::new("ior-own-cache"));
    }
    let path = options.file.as_deref().filter(|path| !path.is_empty());
    let interface = options.api.as_deref().unwrap_or("POSIX").to_lowercase();
    let job = RunBuilder::job(
        "",
        Target::Path(path.unwrap_or("unknown").into()),
        &interface,
        workload,
    );
    builder.step_of_work(&step_name(kind, test), job)
}

fn add(builder: &mut RunBuilder, call: &Call, row: &Row) {
    let value = |name: &str| {
        row.values
            .iter()
            .find(|(column, _)| column == name)
            .map(|(_, value)| *value)
    };
    let transfer = value("xfer(KiB)").map(|kibibytes| (kibibytes * 1024.0) as u64);
    let tasks = value("numTasks").map(|tasks| tasks as u64);
    let workload = row
        .options
        .workload(row.kind, call.is_direct(), transfer, tasks);
    let step = step(builder, call, &row.options, (row.kind, row.test), workload);
    let span = builder.execution(step, value("total(s)").unwrap_or(0.0));
    let figure = |column: &str, name: &str, unit: &str, scale: f64| {
        ReportedFigure::known(name, value(column).map(|value| value * scale), unit)
    };
    // The mean of the task with the lowest mean (ReduceIterResults in ior.c).
    let least = "latency: mean of the fastest task";
    let figures = [
        figure("open(s)", "openTime", "s", 1.0),
        figure("wr/rd(s)", "wrRdTime", "s", 1.0),
        figure("close(s)", "closeTime", "s", 1.0),
        figure("total(s)", "totalTime", "s", 1.0),
        figure("Latency(s)", least, "ns", 1e9).filter(|of| of.value > 0.0),
        figure("Latency", least, "ns", 1e9).filter(|of| of.value > 0.0),
    ];
    builder.reported(
        span,
        0,
        Reported {
            kind: Some(row.kind),
            iops: value("IOPS"),
            bandwidth_bytes_per_s: value("bw(MiB/s)").map(|rate| rate * MEBIBYTE),
            figures: figures.into_iter().flatten().collect(),
            ..Reported::default()
        },
    );
}

/// The largest rate of the repetitions is the rate if there is one.
fn add_best(builder: &mut RunBuilder, call: &Call, kind: OperationKind, rate: f64) {
    let workload = call.options.workload(kind, call.is_direct(), None, None);
    let step = step(builder, call, &call.options, (kind, call.test), workload);
    let span = builder.execution(step, 0.0);
    let is_only = call.options.repetitions == Some(1);
    let best = ReportedFigure {
        name: "largest of the repetitions".into(),
        value: rate * MEBIBYTE,
        unit: "B/s".into(),
    };
    if !is_only {
        builder.doubt(Statement::new("ior-best-only"));
    }
    builder.reported(
        span,
        0,
        Reported {
            kind: Some(kind),
            bandwidth_bytes_per_s: is_only.then_some(rate * MEBIBYTE),
            figures: if is_only { Vec::new() } else { vec![best] },
            ..Reported::default()
        },
    );
}

#[cfg(test)]
fn fixtures() -> Vec<Fixture> {
    use crate::importer::{stated_of, workload_of};
    let file = Fixture::of;
    fn repetitions(runs: &[Run]) {
        let [run] = runs else {
            panic!("{} runs", runs.len())
        };
        let steps: Vec<_> = run
            .header
            .plan
            .steps
            .iter()
            .map(|step| step.name.as_str())
            .collect();
        assert_eq!(
            (steps.as_slice(), run.header.plan.rounds),
            (["write", "read"].as_slice(), 3)
        );
        let workload = workload_of(run, "write");
        assert_eq!(
            (
                workload.workers,
                workload.block.to_string().as_str(),
                workload.size
            ),
            (2, "64k", Some(Bytes(4 << 20)))
        );
        assert_eq!(run.header.environment.text("host.name"), Some("vm"));
        let doubts = &run.header.imported.as_ref().expect("imported").doubts;
        let not_flushed = Statement::new("ior-writes-not-flushed");
        assert!(!doubts.contains(&not_flushed), "-e was given");
    }
    let appended = |runs: &[Run]| {
        let steps: Vec<_> = runs[0]
            .header
            .plan
            .steps
            .iter()
            .map(|step| step.name.as_str())
            .collect();
        assert_eq!(steps, ["write", "read", "write (2)", "read (2)"]);
    };
    let stonewall = |runs: &[Run]| {
        let doubts = &runs[0].header.imported.as_ref().expect("imported").doubts;
        assert!(doubts.contains(&Statement::new("ior-stonewall")));
        assert!(doubts.contains(&Statement::new("ior-writes-not-flushed")));
        assert_eq!(workload_of(&runs[0], "read").offsets, Offsets::Random);
    };
    let csv = |runs: &[Run]| {
        let rates: Vec<_> = stated_of(&runs[0], "write")
            .iter()
            .map(|of| of.iops)
            .collect();
        assert_eq!(rates, [Some(41_760.338_5), Some(106_522.006_3)]);
    };
    let best_only = |runs: &[Run]| {
        let [write] = stated_of(&runs[0], "write").try_into().expect("one");
        assert_eq!(
            (write.bandwidth_bytes_per_s, write.figures[0].value),
            (None, 10.0 * MEBIBYTE)
        );
    };
    let best = "IOR-3.3.0: MPI Coordinated Test of Parallel I/O\nOptions: \nrepetitions         : 3\nxfersize            : 1 MiB\nMax Write: 10.00 MiB/sec (10.49 MB/sec)\nMax Read:  20.00 MiB/sec (20.97 MB/sec)\n";
    vec![
        file(
            "4.0.0.txt",
            include_bytes!("../../../../testdata/foreign/ior/4.0.0-repetitions.txt"),
            repetitions,
        ),
        file(
            "3.0.1.txt",
            include_bytes!("../../../../testdata/foreign/ior/3.0.1-repetitions.txt"),
            repetitions,
        ),
        file(
            "appended.txt",
            include_bytes!("../../../../testdata/foreign/ior/3.3.0-appended.txt"),
            appended,
        ),
        file(
            "stonewall.txt",
            include_bytes!("../../../../testdata/foreign/ior/4.0.0-verbose-random.txt"),
            stonewall,
        ),
        file(
            "4.0.0.csv",
            include_bytes!("../../../../testdata/foreign/ior/4.0.0.csv"),
            csv,
        ),
        file("best.txt", best.as_bytes(), best_only),
    ]
}
