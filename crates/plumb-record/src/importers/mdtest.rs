//! What did mdtest measure? The table SUMMARY rate at the end of its text (1.9 to 4.1).
//!
//! Rates of single iterations, which -v prints, are those of the first task only (mdtest.c): they are not imported.

use plumb_model::run::Run;
use plumb_model::run::imported::{Reported, ReportedFigure};
use plumb_model::statement::Statement;
use plumb_model::target::Target;
use plumb_model::workload::operation::OperationKind;
use plumb_model::workload::{FileSizes, Weighted, Workload};

#[cfg(test)]
use crate::importer::Fixture;
use crate::importer::number::{finite, integer};
use crate::importer::{Head, ImportError, Importer, RunBuilder, Source};

pub static IMPORTER: Importer = Importer {
    name: "mdtest",
    program: "mdtest",
    meaning: "what mdtest 1.9 to 4.1 prints (`mdtest ... > FILE`): each operation of the summary becomes a step with the mean of its iterations",
    recognizes,
    import,
    #[cfg(test)]
    fixtures,
};

/// Rows of one file.
const ROWS_MAX: usize = 20_000;

/// Operations by the first words of a row.
const OPERATIONS: [(&str, OperationKind); 11] = [
    ("Directory creation", OperationKind::Create),
    ("Directory stat", OperationKind::Stat),
    ("Directory rename", OperationKind::Rename),
    ("Directory removal", OperationKind::Delete),
    ("File creation", OperationKind::Create),
    ("File stat", OperationKind::Stat),
    ("File read", OperationKind::ReadFile),
    ("File rename", OperationKind::Rename),
    ("File removal", OperationKind::Delete),
    ("Tree creation", OperationKind::Create),
    ("Tree removal", OperationKind::Delete),
];

/// `mdtest-4.0.0 was launched with 2 total task(s) on 1 node(s)`: version and tasks.
fn launched(line: &str) -> Option<(&str, u64)> {
    let (version, rest) = line
        .strip_prefix("mdtest-")?
        .split_once(" was launched with ")?;
    Some((version, integer(rest.split_once(' ')?.0)?))
}

/// `SUMMARY rate (in ops/sec): (of 3 iterations)`, in 1.9 `SUMMARY: (of 3 iterations)`: whether it is of rates, and the iterations.
fn summary(line: &str) -> Option<(bool, u64)> {
    let rest = line.strip_prefix("SUMMARY")?;
    let (what, count) = rest.split_once("(of ")?;
    let iterations = integer(count.strip_suffix(" iterations)")?)?;
    Some((!what.contains("time"), iterations))
}

fn recognizes(head: &Head<'_>) -> bool {
    let text = head.text();
    let mut lines = text.lines().map(str::trim);
    lines.any(|line| launched(line).is_some() || summary(line).is_some())
}

/// A row: operation, its kind, and max, min, mean, standard deviation.
fn row(line: &str) -> Option<(&'static str, OperationKind, [f64; 4])> {
    let (name, kind) = OPERATIONS.iter().find(|(name, _)| line.starts_with(name))?;
    let rest = line
        .strip_prefix(name)?
        .trim_start()
        .trim_start_matches(':');
    let numbers: Vec<f64> = rest.split_whitespace().map(finite).collect::<Option<_>>()?;
    // With statistics of each rank (--show-perrank-statistics), those of iterations are the last.
    let of_iterations = match numbers.len() {
        4 => &numbers[..],
        7 => &numbers[3..],
        _ => return None,
    };
    Some((name, *kind, of_iterations.try_into().ok()?))
}

/// What is known of the current call.
#[derive(Debug, Default)]
struct Call {
    version: Option<String>,
    command: Option<String>,
    path: Option<String>,
    tasks: Option<u64>,
    items: Option<u64>,
    written_bytes: Option<u64>,
    /// Within a summary of rates, with its iterations.
    iterations: Option<u64>,
}

fn import(source: &mut Source<'_>) -> Result<Vec<Run>, ImportError> {
    let (mut runs, mut call) = (Vec::<(Option<String>, RunBuilder)>::new(), Call::default());
    let (mut number, mut found, mut of_times) = (0u64, 0, false);
    while let Some(line) = source.line()? {
        number += 1;
        let line = line.trim();
        if let Some((version, tasks)) = launched(line) {
            call = Call {
                version: Some(version.into()),
                tasks: Some(tasks),
                ..Call::default()
            };
        } else if let Some((is_rate, iterations)) = summary(line) {
            call.iterations = is_rate.then_some(iterations);
            of_times |= !is_rate;
        } else if line.starts_with("-- finished at") {
            call.iterations = None;
        } else if let (Some(iterations), Some((name, kind, values))) = (call.iterations, row(line))
        {
            found += 1;
            if found > ROWS_MAX {
                return Err(ImportError::at(
                    number,
                    format!("at most {ROWS_MAX} rows in one file"),
                ));
            }
            let known = runs
                .iter()
                .position(|(version, _)| *version == call.version);
            let index = known.unwrap_or(runs.len());
            if known.is_none() {
                runs.push((call.version.clone(), begin(&call)));
            }
            add(&mut runs[index].1, &call, (name, kind), iterations, values);
        } else {
            call.line(line);
        }
    }
    if found == 0 {
        return Err(ImportError::of_file(if of_times {
            "'SUMMARY rate' with rows of operations, found only times (option -P of mdtest prints both)"
        } else {
            "'SUMMARY rate: (of N iterations)' with rows of operations such as 'File creation'"
        }));
    }
    Ok(runs
        .into_iter()
        .map(|(_, builder)| builder.finish())
        .collect())
}

impl Call {
    fn line(&mut self, line: &str) {
        if let Some(command) = line.strip_prefix("Command line used:") {
            self.command = Some(command.trim().into());
            let words: Vec<&str> = command
                .split_whitespace()
                .map(|word| word.trim_matches('\''))
                .collect();
            let written = words
                .iter()
                .position(|word| *word == "-w")
                .and_then(|at| words.get(at + 1));
            // Files are empty unless -w says otherwise.
            self.written_bytes = written.map_or(Some(0), |bytes| integer(bytes));
        } else if let Some((_, path)) = line
            .split_once(':')
            .filter(|(name, _)| name.trim() == "Path")
        {
            self.path = Some(path.trim().into());
        } else if let Some((tasks, items)) = line.split_once(" tasks, ") {
            // `2 tasks, 100 files/directories`
            self.tasks = integer(tasks).or(self.tasks);
            self.items = items.split_once(' ').and_then(|(count, _)| integer(count));
        }
    }
}

fn begin(call: &Call) -> RunBuilder {
    let mut builder = RunBuilder::new("mdtest", call.version.clone());
    if let Some(command) = &call.command {
        builder.command(
            command
                .split_whitespace()
                .map(|word| word.trim_matches('\'')),
        );
    }
    builder
}

fn add(
    builder: &mut RunBuilder,
    call: &Call,
    operation: (&str, OperationKind),
    iterations: u64,
    values: [f64; 4],
) {
    let ((name, kind), [max, min, mean, deviation]) = (operation, values);
    let is_of_files = name.starts_with("File");
    let written = call.written_bytes.filter(|_| is_of_files);
    let workload = Workload {
        mix: Weighted::only(kind),
        workers: call.tasks.unwrap_or(1).clamp(1, u64::from(u32::MAX)) as u32,
        files: call
            .items
            .filter(|items| *items > 0 && !name.starts_with("Tree"))
            .unwrap_or(Workload::default().files),
        file_size: written.map(|bytes| FileSizes::between(bytes, bytes)),
        ..Workload::default()
    };
    match name {
        "Tree creation" | "Tree removal" => builder.doubt(Statement::new("mdtest-tree")),
        _ if name.starts_with("Directory") => builder.doubt(Statement::new("mdtest-directories")),
        _ => {}
    }
    let place = call
        .path
        .as_deref()
        .filter(|path| !path.is_empty())
        .unwrap_or("unknown");
    let job = RunBuilder::job("", Target::Path(place.into()), "posix", workload);
    let step = builder.step_of_work(name, job);
    let span = builder.execution(step, 0.0);
    let figure = |name: &str, value: f64| ReportedFigure {
        name: name.into(),
        value,
        unit: "operations/s".into(),
    };
    let figures = match iterations {
        0 | 1 => Vec::new(),
        _ => {
            builder.doubt(Statement::new("mdtest-mean-of-iterations"));
            vec![
                figure("max", max),
                figure("min", min),
                figure("standard deviation", deviation),
            ]
        }
    };
    builder.reported(
        span,
        0,
        Reported {
            kind: Some(kind),
            // A test that was not run is printed as 0.
            iops: Some(mean).filter(|mean| *mean > 0.0),
            figures,
            ..Reported::default()
        },
    );
}

#[cfg(test)]
fn fixtures() -> Vec<Fixture> {
    use crate::importer::{stated_of, workload_of};
    let file = Fixture::of;
    fn iterations(runs: &[Run]) {
        let [run] = runs else {
            panic!("{} runs", runs.len())
        };
        let [creation] = stated_of(run, "File creation").try_into().expect("one");
        assert_eq!(
            (creation.kind, creation.figures.len()),
            (Some(OperationKind::Create), 3)
        );
        let workload = workload_of(run, "File stat");
        assert_eq!((workload.workers, workload.files), (2, 100));
    }
    let files = |runs: &[Run]| {
        let names: Vec<_> = runs[0]
            .header
            .plan
            .steps
            .iter()
            .map(|step| step.name.as_str())
            .collect();
        let expected = [
            "File creation",
            "File stat",
            "File read",
            "File removal",
            "Tree creation",
            "Tree removal",
        ];
        assert_eq!(names, expected);
        let workload = workload_of(&runs[0], "File read");
        assert_eq!(workload.file_size, Some(FileSizes::between(3901, 3901)));
        assert!(
            stated_of(&runs[0], "File read")[0].figures.is_empty(),
            "one iteration"
        );
    };
    vec![
        file(
            "4.0.0.txt",
            include_bytes!("../../../../testdata/foreign/mdtest/4.0.0-iterations.txt"),
            iterations,
        ),
        file(
            "3.3.0.txt",
            include_bytes!("../../../../testdata/foreign/mdtest/3.3.0-iterations.txt"),
            iterations,
        ),
        file(
            "verbose.txt",
            include_bytes!("../../../../testdata/foreign/mdtest/4.1.0+dev-files-verbose.txt"),
            files,
        ),
    ]
}
