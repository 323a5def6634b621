//! Are the kinds of a mix, the jobs of a group and its clones reported separately, and does each match fio and the kernel's counters?

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::{measured, output_of, plumb_in};

const FLUSHED: &str = "[wal]\nrw=write\nbs=2300\nsize=512k\nfdatasync=1\nioengine=sync\n";
const EQUAL: &str = "[global]\nsize=2m\nnumber_ios=128\nbs=4k\nrw=randread\nioengine=psync\n\
                     [a]\n[b]\n[c]\nrw=randwrite\n";

fn counts(operations: &Value, kind: &str) -> u64 {
    operations[kind]["count"].as_u64().unwrap_or(0)
}

/// The jobs of fio's own result; `None` where it is not installed.
fn of_fio(folder: &Path, job: &str) -> Option<Vec<Value>> {
    let mut fio = Command::new("fio");
    fio.current_dir(folder).args(["--output-format=json", job]);
    let Ok(output) = fio.output() else {
        println!("skipped: fio is not installed: {job} is not compared with it");
        return None;
    };
    let text = String::from_utf8_lossy(&output.stdout);
    let json = &text[text.find('{').expect("JSON")..];
    let document: Value = serde_json::from_str(json).expect(job);
    document["jobs"].as_array().cloned()
}

/// Calls that strace counts of the worker of a command: the record is kept by another thread, which syncs too.
fn counted_by_strace(command: &assert_cmd::Command, call: &str) -> Option<u64> {
    let mut strace = Command::new("strace");
    strace
        .args(["-f", "-qq", "-e", &format!("trace={call}"), "-o", "seen"])
        .arg(command.get_program())
        .args(command.get_args())
        .current_dir(command.get_current_dir().expect("a folder"));
    let Ok(traced) = strace.output() else {
        println!("skipped: strace is not installed");
        return None;
    };
    assert!(traced.status.success(), "{traced:?}");
    let seen = command.get_current_dir().expect("a folder").join("seen");
    let text = fs::read_to_string(seen).expect("what strace saw");
    // A call that another thread interrupts has two lines, of which one has the bracket.
    let of_call = format!("{call}(");
    let mut by_thread: BTreeMap<&str, u64> = BTreeMap::new();
    for line in text.lines().filter(|line| line.contains(&of_call)) {
        let thread = line.split_whitespace().next().unwrap_or_default();
        *by_thread.entry(thread).or_default() += 1;
    }
    by_thread.into_values().max()
}

#[test]
fn flushes_beside_writes_are_a_figure_of_their_own() {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path();
    fs::write(path.join("wal.fio"), FLUSHED).expect("job file");
    let run = "run wal.fio --json --quiet --output out --no-report";
    let summary = measured(plumb_in(path, run));
    let step = &summary["steps"][0];
    let (writes, flushes) = (
        counts(&step["operations"], "write"),
        counts(&step["operations"], "flush"),
    );
    assert_eq!(step["total"]["count"], writes, "{}", step["total"]);
    assert!(
        writes.abs_diff(flushes) <= 1,
        "{writes} writes, {flushes} flushes"
    );
    let table = output_of(plumb_in(path, "show out"), 0);
    assert!(
        table.contains("\n  write ") && table.contains("\n  flush "),
        "{table}"
    );
    assert!(table.contains(" flush/s (median "), "the verdict: {table}");
    output_of(
        plumb_in(path, "export out --format markdown --output out.md"),
        0,
    );
    let markdown = fs::read_to_string(path.join("out.md")).expect("Markdown");
    let place = |row: &str| {
        markdown
            .find(row)
            .unwrap_or_else(|| panic!("{row}: {markdown}"))
    };
    assert!(place("| wal | write |") < place("| wal | flush |"));
    if let Some(jobs) = of_fio(path, "wal.fio") {
        let theirs = jobs[0]["sync"]["lat_ns"]["N"].as_u64().expect("sync");
        assert!(
            theirs.abs_diff(flushes) <= 1,
            "{theirs} with fio, {flushes} here"
        );
    }
    let again = plumb_in(path, "run wal.fio --quiet --output again --no-report");
    if let Some(calls) = counted_by_strace(&again, "fdatasync") {
        assert_eq!(calls, flushes);
    }
}

#[test]
fn intervals_tell_kinds_apart_and_flushes_are_no_data() {
    let folder = tempfile::tempdir().expect("folder");
    fs::write(folder.path().join("wal.fio"), FLUSHED).expect("job file");
    let run = "run wal.fio --json-lines --quiet --output out --no-report";
    let lines = output_of(plumb_in(folder.path(), run), 0);
    let lines: Vec<Value> = lines
        .lines()
        .map(|line| serde_json::from_str(line).expect(line))
        .collect();
    let sum = |of: &dyn Fn(&Value) -> Option<u64>| lines.iter().filter_map(of).sum::<u64>();
    let all = sum(&|line| line["operations"].as_u64());
    let of_kind = |kind: &str| sum(&|line| line["kinds"][kind]["operations"].as_u64());
    assert!(all > 200, "{lines:?}");
    assert_eq!(
        (all, all.abs_diff(of_kind("flush")) <= 1),
        (of_kind("write"), true)
    );
}

#[test]
fn each_job_of_a_group_ends_by_itself() {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path();
    fs::write(path.join("equal.fio"), EQUAL).expect("job file");
    let summary = measured(plumb_in(
        path,
        "run equal.fio --json --quiet --output out --no-report",
    ));
    let jobs = summary["steps"][0]["jobs"].as_array().expect("jobs");
    let ours: Vec<u64> = jobs
        .iter()
        .map(|job| counts(&job["operations"], "read") + counts(&job["operations"], "write"))
        .collect();
    assert_eq!(ours, [128, 128, 128]);
    let table = output_of(plumb_in(path, "show out"), 0);
    for row in ["\n  a: read ", "\n  b: read ", "\n  c: write "] {
        assert!(table.contains(row), "{row}: {table}");
    }
    let Some(theirs) = of_fio(path, "equal.fio") else {
        return;
    };
    for (job, ours) in theirs.iter().zip(&ours) {
        let count = |direction: &str| job[direction]["total_ios"].as_u64().expect("total_ios");
        assert_eq!(count("read") + count("write"), *ours, "{}", job["jobname"]);
    }
}

#[test]
fn clones_have_rows_of_their_own_unless_they_report_as_a_group() {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path();
    let job = "[few]\nsize=2m\nnumber_ios=128\nbs=4k\nrw=randrw\nioengine=psync\nnumjobs=3\n";
    fs::write(path.join("apart.fio"), job).expect("job file");
    fs::write(path.join("group.fio"), format!("{job}group_reporting\n")).expect("job file");
    let summary = measured(plumb_in(
        path,
        "run apart.fio --json --quiet --output apart --no-report",
    ));
    let step = &summary["steps"][0];
    let workers = step["workers"].as_array().expect("workers");
    let of_all = |kind: &str| -> u64 {
        let of_each = workers
            .iter()
            .map(|worker| counts(&worker["operations"], kind));
        of_each.sum()
    };
    assert_eq!(workers.len(), 3);
    for worker in workers {
        let operations = &worker["operations"];
        assert_eq!(
            counts(operations, "read") + counts(operations, "write"),
            128
        );
    }
    for kind in ["read", "write"] {
        assert_eq!(of_all(kind), counts(&step["operations"], kind), "{kind}");
    }
    // One operation at a time, by one thread each.
    let levels = &step["depth_levels"];
    assert_eq!(levels.as_array().map(Vec::len), Some(1), "{levels}");
    assert_eq!(
        (&levels[0]["to"], &levels[0]["percent"]),
        (&1.into(), &100.0.into())
    );
    output_of(
        plumb_in(path, "export apart --format csv --output apart.csv"),
        0,
    );
    let csv = fs::read_to_string(path.join("apart.csv")).expect("CSV");
    assert_eq!(csv.matches(",few.2").count(), 2, "{csv}");
    let summary = measured(plumb_in(
        path,
        "run group.fio --json --quiet --output group --no-report",
    ));
    assert!(summary["steps"][0]["workers"].is_null());
    assert_eq!(summary["steps"][0]["total"]["count"], 384);
}

#[test]
fn the_depth_of_a_queue_is_counted_as_it_was() {
    let folder = tempfile::tempdir().expect("folder");
    let run = "run --target null: --time 300ms --depth 8 --mix read --json --quiet --output out --no-report";
    let summary = measured(plumb_in(folder.path(), run));
    let levels = summary["steps"][0]["depth_levels"]
        .as_array()
        .expect("levels");
    let share: f64 = levels
        .iter()
        .filter_map(|level| level["percent"].as_f64())
        .sum();
    assert!((share - 100.0).abs() < 1e-6, "{levels:?}");
    assert!(levels.iter().all(|level| level["to"].as_u64() <= Some(15)));
}

#[test]
fn the_size_of_a_step_is_its_own() {
    let folder = tempfile::tempdir().expect("folder");
    let text = "[global]\nfilename=one\nrw=randread\nbs=4k\nioengine=psync\nnumber_ios=9\n\
                [small]\nsize=1m\n[large]\nstonewall\nsize=4m\n";
    fs::write(folder.path().join("sizes.fio"), text).expect("job file");
    let run = "run sizes.fio --json --quiet --output out --no-report";
    let summary = measured(plumb_in(folder.path(), run));
    let sizes: Vec<&Value> = (0..2)
        .map(|step| &summary["steps"][step]["engine_record"]["size_bytes"])
        .collect();
    assert_eq!(sizes, [&Value::from(1 << 20), &Value::from(4 << 20)]);
}
