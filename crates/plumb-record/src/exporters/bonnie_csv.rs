//! How do bon_csv2html and old result collections read a run? From the CSV line of bonnie++ 2.00 (format 1.98), with the columns of bon_csv2html(1).

use plumb_model::results::summary::StepSummary;
use plumb_model::workload::operation::OperationKind;
use plumb_model::workload::{Job, Offsets, Workload};

use crate::exporter::table::csv_text;
use crate::exporter::{ExportError, ExportedFile, Exporter, Subject};

pub static EXPORTER: Exporter = Exporter {
    name: "bonnie-csv",
    meaning: "one CSV line as bonnie++ 2.00 prints it, for bon_csv2html; each column shows the first step that matches its test",
    is_text: true,
    export,
};

/// Columns of a line (bonnie++ 2.00 prints 50, although its own header has 48).
const COLUMNS: usize = 50;

/// A test: its name, the column of its rate (the next one is its CPU), and that of its latency.
struct Test {
    name: &'static str,
    rate: usize,
    latency: usize,
}

const TESTS: [Test; 12] = [
    Test {
        name: "putc",
        rate: 9,
        latency: 38,
    },
    Test {
        name: "put_block",
        rate: 11,
        latency: 39,
    },
    Test {
        name: "rewrite",
        rate: 13,
        latency: 40,
    },
    Test {
        name: "getc",
        rate: 15,
        latency: 41,
    },
    Test {
        name: "get_block",
        rate: 17,
        latency: 42,
    },
    Test {
        name: "seeks",
        rate: 19,
        latency: 43,
    },
    Test {
        name: "seq_create",
        rate: 26,
        latency: 44,
    },
    Test {
        name: "seq_stat",
        rate: 28,
        latency: 45,
    },
    Test {
        name: "seq_del",
        rate: 30,
        latency: 46,
    },
    Test {
        name: "ran_create",
        rate: 32,
        latency: 47,
    },
    Test {
        name: "ran_stat",
        rate: 34,
        latency: 48,
    },
    Test {
        name: "ran_del",
        rate: 36,
        latency: 49,
    },
];

fn export<'a>(subject: &'a Subject<'a>) -> Result<Vec<ExportedFile<'a>>, ExportError> {
    let mut fields = vec![String::new(); COLUMNS];
    let header = &subject.run.header;
    fields[0] = "1.98".into();
    fields[1] = "2.00a".into();
    // Copies of bonnie++ that ran at the same time.
    fields[3] = "1".into();
    fields[2] = csv_text(header.environment.text("host.name").unwrap_or("plumb")).replace(',', " ");
    let mut assigned: Vec<usize> = Vec::new();
    for test in &TESTS {
        let found = subject.summary.steps.iter().enumerate().find(|(at, step)| {
            let job = job_of(subject, step);
            !assigned.contains(at) && job.is_some_and(|job| name_of(step, job) == Some(test.name))
        });
        let Some((at, step)) = found else { continue };
        assigned.push(at);
        if let Some(job) = job_of(subject, step) {
            describe(&mut fields, test, &job.workload);
        }
        figures(&mut fields, test, step);
    }
    if assigned.is_empty() && !subject.summary.steps.is_empty() {
        return Err(ExportError(
            "no step of this run matches a bonnie++ test; use csv or xlsx, which accept any run"
                .into(),
        ));
    }
    Ok(vec![ExportedFile::from_bytes(
        "bonnie.csv",
        (fields.join(",") + "\n").into_bytes(),
    )])
}

fn job_of<'a>(subject: &'a Subject<'_>, step: &StepSummary) -> Option<&'a Job> {
    let step = subject.run.header.plan.steps.get(step.step as usize)?;
    step.jobs.first()
}

/// The test that matches a step: by its name, else by its work.
fn name_of(step: &StepSummary, job: &Job) -> Option<&'static str> {
    let workload = &job.workload;
    let name = step.name.replace([' ', '-'], "_");
    if let Some(test) = TESTS.iter().find(|test| test.name == name) {
        return Some(test.name);
    }
    let engine = &job.engine;
    let by_character =
        workload.largest_block_bytes() == 1 || engine.call_size.0 == 1 || engine.per_character;
    let sequential = workload.offsets == Offsets::Sequential;
    let kinds: Vec<OperationKind> = workload.mix.0.iter().map(|(kind, _)| *kind).collect();
    let [first, rest @ ..] = kinds.as_slice() else {
        return None;
    };
    let in_order = |sequential_name, random_name| {
        Some(if sequential {
            sequential_name
        } else {
            random_name
        })
    };
    match (first, rest) {
        (OperationKind::Write, []) if sequential => {
            Some(if by_character { "putc" } else { "put_block" })
        }
        (OperationKind::Rewrite, []) if sequential => Some("rewrite"),
        (OperationKind::Read, []) if sequential => {
            Some(if by_character { "getc" } else { "get_block" })
        }
        (OperationKind::Read, [] | [OperationKind::Write]) if !sequential => Some("seeks"),
        (OperationKind::Create, []) => in_order("seq_create", "ran_create"),
        (OperationKind::Stat | OperationKind::ReadFile, []) => in_order("seq_stat", "ran_stat"),
        (OperationKind::Delete, []) => in_order("seq_del", "ran_del"),
        _ => None,
    }
}

/// Workload columns of the line, as bonnie++ 2.00 prints them: the chunk size stays empty, sizes of 0 and a single directory do too, and the number of directories
/// stands in the column of the chunk size of small files. Each from the first test that has it.
fn describe(fields: &mut [String], test: &Test, workload: &Workload) {
    let mut set = |column: usize, value: Option<u64>| {
        if let (Some(field), Some(value)) = (
            fields.get_mut(column).filter(|field| field.is_empty()),
            value,
        ) {
            *field = value.to_string();
        }
    };
    if test.rate >= 26 {
        // Files are counted in units of 1024; other numbers cannot be written.
        let whole = workload.files.is_multiple_of(1024);
        set(21, whole.then_some(workload.files / 1024));
        if test.name.ends_with("create") {
            let (from, to) = (
                workload.smallest_file_bytes(),
                workload.largest_file_bytes(),
            );
            set(22, Some(to).filter(|bytes| *bytes > 0));
            set(23, Some(from).filter(|bytes| *bytes > 0));
            set(25, Some(workload.folders).filter(|folders| *folders > 1));
        }
        return;
    }
    if test.name == "seeks" {
        set(7, workload.operations);
        set(8, Some(u64::from(workload.workers)));
    }
    if let Some(field) = fields.get_mut(5).filter(|field| field.is_empty())
        && let Some(size) = workload.size.filter(|size| size.0 >= 1 << 20)
    {
        *field = file_size(size.0 >> 20);
    }
}

/// `300M`, `2G`.
fn file_size(mebibytes: u64) -> String {
    match mebibytes.is_multiple_of(1024) {
        true => format!("{}G", mebibytes >> 10),
        false => format!("{mebibytes}M"),
    }
}

/// KiB/s for the tests of one file, operations/s for the others; CPU in percent; the longest time of one operation. A rewrite reads and writes its blocks,
/// which bonnie++ counts once.
fn figures(fields: &mut [String], test: &Test, step: &StepSummary) {
    let by_file = matches!(
        test.name,
        "putc" | "put_block" | "rewrite" | "getc" | "get_block"
    );
    let bandwidth = match step
        .operations
        .get(OperationKind::Write.word())
        .filter(|_| test.name == "rewrite")
    {
        Some(writes) => writes.bandwidth_bytes_per_s,
        None => step.total.bandwidth_bytes_per_s,
    };
    let rate = if by_file {
        bandwidth.map(|rate| rate / 1024.0)
    } else {
        step.total.iops
    };
    let rounded = |value: Option<f64>| value.map(|value| format!("{value:.0}")).unwrap_or_default();
    fields[test.rate] = rounded(rate);
    let cpu = step
        .cpu
        .user_percent
        .zip(step.cpu.system_percent)
        .map(|(user, system)| user + system);
    fields[test.rate + 1] = rounded(cpu);
    fields[test.latency] = step.service_ns.max.map(latency).unwrap_or_default();
}

/// As bonnie++ prints it: integer microseconds below 100 ms, milliseconds below 100 s, then seconds.
fn latency(ns: f64) -> String {
    match ns {
        ns if ns < 1e8 => format!("{:.0}us", ns / 1e3),
        ns if ns < 1e11 => format!("{:.0}ms", ns / 1e6),
        ns => format!("{:.0}s", ns / 1e9),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_as_bonnie_does() {
        assert_eq!(
            [14_828_000.0, 212_000_000.0, 2e11].map(latency),
            ["14828us", "212ms", "200s"]
        );
    }

    #[test]
    fn each_test_has_columns_of_its_own() {
        let mut columns: Vec<usize> = TESTS
            .iter()
            .flat_map(|test| [test.rate, test.rate + 1, test.latency])
            .collect();
        columns.sort_unstable();
        columns.dedup();
        assert_eq!((columns.len(), columns.last()), (36, Some(&(COLUMNS - 1))));
    }
}
