//! What did IOR measure? The JSON of `-O summaryFormat=JSON`: each access of each test, repetition by repetition.

use plumb_model::environment::Fact;
use plumb_model::run::Run;
use plumb_model::run::imported::{Reported, ReportedFigure, ReportedLatency};
use plumb_model::statement::Statement;
use plumb_model::target::Target;
use plumb_model::units::Bytes;
use plumb_model::workload::operation::OperationKind;
use plumb_model::workload::{Direct, Layout, Offsets, Weighted, Workload};
use serde_json::Value;

#[cfg(test)]
use crate::importer::Fixture;
use crate::importer::embedded::Embedded;
use crate::importer::rounds::joined;
use crate::importer::{Head, ImportError, Importer, RunBuilder, Source};

pub static IMPORTER: Importer = Importer {
    name: "ior",
    program: "IOR",
    meaning: "results of IOR 3.1 and later as JSON (`ior -O summaryFormat=JSON -O summaryFile=FILE ...`): each access of a test becomes a step, repetitions and further summaries with the same work become rounds",
    recognizes,
    import,
    #[cfg(test)]
    fixtures,
};

/// Longest file: a result has some 300 bytes.
const BYTES_MAX: u64 = 64 << 20;
/// Results of one file.
const RESULTS_MAX: usize = 50_000;

fn recognizes(head: &Head<'_>) -> bool {
    let text = head.text();
    // Only IOR output has all three; the results begin some kilobytes later.
    text.trim_start().starts_with('{')
        && text.contains("\"Command line\"")
        && text.contains("\"tests\"")
        && text.contains("\"Began\"")
}

fn import(source: &mut Source<'_>) -> Result<Vec<Run>, ImportError> {
    let bytes = source.read_all(BYTES_MAX)?;
    let text = String::from_utf8_lossy(&bytes);
    let (text, was_mixed) = without_talk(&text);
    let mut reader = text.as_bytes();
    let mut file = Embedded::new(&mut reader, "IOR");
    let (mut runs, mut found) = (Vec::<Run>::new(), 0);
    while file.next_object()?.0 {
        let root: Value = match file.value() {
            Ok(root) => root,
            Err(error) if runs.is_empty() => return Err(error),
            Err(error) => {
                let imported = runs.last_mut().and_then(|run| run.header.imported.as_mut());
                imported.into_iter().for_each(|from| {
                    from.doubts.push(
                        Statement::new("rest-of-file-left-out").name("error", error.to_string()),
                    );
                });
                break;
            }
        };
        let before = found;
        let run = run_of(&root, was_mixed, &mut found)?;
        runs.extend((found > before).then_some(run));
    }
    if found == 0 {
        return Err(ImportError::of_file(
            "tests with Results, each with an access of read or write and its bwMiB",
        ));
    }
    Ok(joined(runs))
}

/// One summary of IOR, as a run of its own; `found` counts the results.
fn run_of(root: &Value, was_mixed: bool, found: &mut usize) -> Result<Run, ImportError> {
    let words = |name: &str| root.get(name).and_then(Value::as_str);
    let mut builder = RunBuilder::new("IOR", words("Version").map(str::to_string));
    builder.command(words("Command line").unwrap_or_default().split_whitespace());
    if let Some((system, host)) = words("Machine").and_then(|machine| machine.split_once(' ')) {
        builder.fact("host.system", Fact::Text(system.into()));
        builder.fact(
            "host.name",
            Fact::Text(host.split(' ').next().unwrap_or_default().into()),
        );
    }
    builder.doubt(Statement::new("ior-bandwidth-from-open"));
    if was_mixed {
        builder.doubt(Statement::new("ior-lines-between"));
    }
    let tests = root.get("tests").and_then(Value::as_array);
    for (index, test) in tests.into_iter().flatten().enumerate() {
        // Some versions close the options too late, so that the results are inside them, or nest them once more.
        let results = test
            .get("Results")
            .or_else(|| test.get("Options")?.get("Results"));
        let results = results.and_then(Value::as_array).into_iter().flatten();
        for result in results.flat_map(|result| {
            result
                .as_array()
                .map_or(std::slice::from_ref(result), Vec::as_slice)
        }) {
            *found += usize::from(add(&mut builder, index, test, result));
            if *found > RESULTS_MAX {
                return Err(ImportError::of_file(format!(
                    "at most {RESULTS_MAX} results in one file"
                )));
            }
        }
    }
    Ok(builder.finish())
}

/// With -v, lines such as `Commencing write performance test: ...` are mixed with those of the JSON (issue 503 of hpc/ior).
fn without_talk(text: &str) -> (std::borrow::Cow<'_, str>, bool) {
    let is_talk = |line: &&str| line.starts_with("Commencing ");
    if !text.lines().any(|line| is_talk(&line)) {
        return (text.into(), false);
    }
    // An empty line replaces each, to keep line numbers.
    (
        text.lines()
            .map(|line| {
                if is_talk(&line) {
                    "\n".to_string()
                } else {
                    format!("{line}\n")
                }
            })
            .collect::<String>()
            .into(),
        true,
    )
}

/// A number of 0 or more.
fn number(of: Option<&Value>, name: &str) -> Option<f64> {
    of?.get(name)?
        .as_f64()
        .filter(|number| number.is_finite() && *number >= 0.0)
}

fn integer(of: Option<&Value>, name: &str) -> Option<u64> {
    of?.get(name)?.as_u64()
}

/// Adds one result; false if it is invalid.
fn add(builder: &mut RunBuilder, index: usize, test: &Value, result: &Value) -> bool {
    let kind = match result.get("access").and_then(Value::as_str) {
        Some("write") => OperationKind::Write,
        Some("read") => OperationKind::Read,
        _ => return false,
    };
    let Some(bandwidth) = number(Some(result), "bwMiB") else {
        return false;
    };
    let parameters = test.get("Parameters");
    let id = integer(Some(test), "TestID").unwrap_or(index as u64);
    let name = if id == 0 {
        kind.to_string()
    } else {
        format!("{kind} (test {id})")
    };
    let step = builder.step(&name, || {
        let path = parameters
            .and_then(|parameters| parameters.get("testFileName"))
            .and_then(Value::as_str)
            .filter(|path| !path.is_empty());
        let interface = parameters
            .and_then(|parameters| parameters.get("api"))
            .and_then(Value::as_str)
            .unwrap_or("POSIX");
        vec![RunBuilder::job(
            "",
            Target::Path(path.unwrap_or("unknown").into()),
            &interface.to_lowercase(),
            workload(test, result, kind),
        )]
    });
    if integer(parameters, "deadlineForStonewall").is_some_and(|seconds| seconds > 0) {
        builder.doubt(Statement::new("ior-stonewall"));
    }
    if kind == OperationKind::Write
        && integer(parameters, "fsync") == Some(0)
        && integer(parameters, "useO_DIRECT") == Some(0)
    {
        builder.doubt(Statement::new("ior-writes-not-flushed"));
    }
    if kind == OperationKind::Read
        && integer(parameters, "reorderTasks") == Some(0)
        && integer(parameters, "reorderTasksRandom") == Some(0)
    {
        builder.doubt(Statement::new("ior-own-cache"));
    }
    let span = builder.execution(step, number(Some(result), "totalTime").unwrap_or(0.0));
    let figure =
        |name: &str, unit: &str| ReportedFigure::known(name, number(Some(result), name), unit);
    let figures = [
        figure("openTime", "s"),
        figure("wrRdTime", "s"),
        figure("closeTime", "s"),
        figure("totalTime", "s"),
    ];
    // The mean of the task with the lowest mean (ReduceIterResults in ior.c).
    let least = number(Some(result), "latency").map(|seconds| ReportedFigure {
        name: "latency: mean of the fastest task".into(),
        value: seconds * 1e9,
        unit: "ns".into(),
    });
    builder.reported(
        span,
        0,
        Reported {
            kind: Some(kind),
            iops: number(Some(result), "iops"),
            bandwidth_bytes_per_s: Some(bandwidth * 1_048_576.0),
            service: None::<ReportedLatency>,
            figures: figures.into_iter().flatten().chain(least).collect(),
            ..Reported::default()
        },
    );
    true
}

fn workload(test: &Value, result: &Value, kind: OperationKind) -> Workload {
    let (parameters, options) = (test.get("Parameters"), test.get("Options"));
    let kibibytes =
        |name: &str| number(Some(result), name).map(|kibibytes| (kibibytes * 1024.0) as u64);
    let transfer = kibibytes("xferKiB")
        .or_else(|| integer(parameters, "transferSize"))
        .filter(|bytes| *bytes > 0);
    let block = kibibytes("blockKiB").or_else(|| integer(parameters, "blockSize"));
    let tasks = integer(options, "tasks")
        .or_else(|| integer(options, "numTasks"))
        .or_else(|| integer(parameters, "numTasks"))
        .unwrap_or(1);
    let segments = integer(parameters, "segmentCount").unwrap_or(1);
    let size = block
        .and_then(|block| block.checked_mul(segments)?.checked_mul(tasks))
        .filter(|bytes| *bytes > 0);
    let is = |name: &str| integer(parameters, name).is_some_and(|flag| flag > 0);
    Workload {
        mix: Weighted::only(kind),
        block: Weighted::only(Bytes(transfer.unwrap_or(262_144))),
        offsets: if is("randomOffset") {
            Offsets::Random
        } else {
            Offsets::Sequential
        },
        layout: Layout::Own,
        workers: tasks.clamp(1, u64::from(u32::MAX)) as u32,
        size: size.map(Bytes),
        direct: if is("useO_DIRECT") {
            Direct::Yes
        } else {
            Direct::No
        },
        fsync_every: u64::from(is("fsyncperwrite")),
        ..Workload::default()
    }
}

#[cfg(test)]
fn fixtures() -> Vec<Fixture> {
    use crate::importer::{stated_of, workload_of};
    let check = |runs: &[Run]| {
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
            (names.as_slice(), run.header.plan.rounds),
            (["write", "read"].as_slice(), 2)
        );
        let rates: Vec<_> = stated_of(run, "write")
            .iter()
            .map(|reported| reported.bandwidth_bytes_per_s)
            .collect();
        assert_eq!(
            rates,
            [Some(5122.115 * 1_048_576.0), Some(5081.9 * 1_048_576.0)]
        );
        let workload = workload_of(run, "read");
        assert_eq!(
            (
                workload.workers,
                workload.block.to_string().as_str(),
                workload.size
            ),
            (16, "1m", Some(Bytes(16 << 30)))
        );
        assert_eq!(run.header.environment.text("host.name"), Some("node038"));
    };
    let text = include_str!("../../../../testdata/imported/ior/4.0.json");
    let cut = &text[..text.len() / 2];
    let with_progress_lines = text.replace(
        "      \"Results\": [\n",
        "      \"Results\": [\nCommencing write performance test: Tue Mar 12 10:01:02 2024\n",
    );
    vec![
        Fixture {
            name: "4.0.json",
            bytes: text.into(),
            check,
        },
        Fixture {
            name: "verbose.json",
            bytes: with_progress_lines.into(),
            check,
        },
        Fixture {
            name: "appended.json",
            bytes: [text, &text.replace("5122.115", "5000.5"), cut]
                .concat()
                .into(),
            check: |runs| {
                let [run] = runs else {
                    panic!("{} runs", runs.len())
                };
                let rates: Vec<_> = stated_of(run, "write")
                    .iter()
                    .map(|reported| reported.bandwidth_bytes_per_s)
                    .collect();
                let stated = [5122.115, 5081.9, 5000.5, 5081.9];
                assert_eq!(rates, stated.map(|rate| Some(rate * 1_048_576.0)));
                let doubts = &run.header.imported.as_ref().expect("imported").doubts;
                assert!(
                    doubts
                        .iter()
                        .any(|doubt| doubt.id == "rest-of-file-left-out"),
                    "{doubts:?}"
                );
            },
        },
    ]
}
