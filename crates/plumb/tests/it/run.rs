//! Does `plumb run` measure real files, record them, and leave nothing else behind?

use std::io::Write as _;

use serde_json::Value;

use crate::{left_in, measured, plumb_in, refusal_of};

fn steps(summary: &Value) -> &Vec<Value> {
    summary["steps"].as_array().expect("steps")
}

#[test]
fn an_ad_hoc_workload_on_a_new_file_is_measured_recorded_and_removed() {
    let folder = tempfile::tempdir().expect("folder");
    let line = "run --target ./x --pattern random-read --block 4k --depth 4 --workers 2 --time 500ms --size 8m --interval 100ms --output out --json --quiet";
    let summary = measured(plumb_in(folder.path(), line));
    assert_eq!(summary["schema"], "plumb-summary-2");
    assert_eq!(summary["state"], "finished");
    let [step] = steps(&summary).as_slice() else {
        panic!("one step")
    };
    let reads = &step["operations"]["read"];
    let (count, bytes) = (
        reads["count"].as_u64().expect("count"),
        reads["bytes"].as_u64().expect("bytes"),
    );
    assert!(count > 0);
    assert_eq!(bytes, count * 4096);
    assert_eq!(reads["errors"], 0);
    for field in [
        "min", "mean", "p50", "p90", "p99", "p99_9", "p99_99", "p99_999", "p99_9999", "max",
    ] {
        assert!(
            reads["service_ns"].get(field).is_some() && reads["response_ns"].get(field).is_some(),
            "{field}"
        );
    }
    assert!(step["achieved_depth"].as_f64().is_some() && step["duration_s"].as_f64().is_some());
    assert_eq!(left_in(folder.path()), ["out"], "the test file is removed");
    for file in [
        "notes.jsonl",
        "readings.jsonl",
        "report.html",
        "run.json",
        "ticks.jsonl",
    ] {
        assert!(
            left_in(&folder.path().join("out")).contains(&file.to_string()),
            "{file}"
        );
    }
    let again = measured(plumb_in(folder.path(), "show out --json"));
    assert_eq!(
        again, summary,
        "a stored run is derived to the same summary"
    );
}

#[test]
fn every_engine_reads_a_character_device_of_a_given_size() {
    for engine in ["auto", "io_uring", "sync", "mmap", "stdio"] {
        let folder = tempfile::tempdir().expect("folder");
        let line = format!(
            "run --target /dev/zero --size 1m --engine {engine} --pattern random-read --time 200ms --json --quiet --output out"
        );
        let mut command = plumb_in(folder.path(), &line);
        let output = command.output().expect("started");
        let error = String::from_utf8_lossy(&output.stderr);
        if output.status.code() == Some(2) && engine != "auto" && engine != "sync" {
            assert!(
                error.contains(engine),
                "a refusal names the engine: {error}"
            );
            println!("skipped: engine {engine}: {error}");
            continue;
        }
        assert!(
            matches!(output.status.code(), Some(0 | 1)),
            "{engine}: {error}"
        );
        let summary: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert!(
            steps(&summary)[0]["operations"]["read"]["count"]
                .as_u64()
                .expect("count")
                > 0,
            "{engine}"
        );
        if engine != "auto" {
            assert_eq!(steps(&summary)[0]["engine"], engine);
        }
    }
}

#[test]
fn a_plan_file_sweeps_rounds_and_jobs_beside() {
    let folder = tempfile::tempdir().expect("folder");
    let plan = "rounds = 2\norder = 'interleaved'\n[defaults]\nsize = '4m'\ntime = '150ms'\ninterval = '50ms'\n\
        [[step]]\nname = 'r'\npattern = 'random-read'\n[step.sweep]\ndepth = [1, 4]\n\
        [[step]]\nname = 'w'\npattern = 'mixed'\n[[step.beside]]\nname = 'log'\npattern = 'sequential-write'\nsync = 'dsync'\n";
    std::fs::write(folder.path().join("p.toml"), plan).expect("written");
    let summary = measured(plumb_in(
        folder.path(),
        "run p.toml . --output out --json --quiet",
    ));
    let names: Vec<&str> = steps(&summary)
        .iter()
        .filter_map(|step| step["name"].as_str())
        .collect();
    assert_eq!(names, ["r depth=1", "r depth=4", "w"]);
    assert!(steps(&summary).iter().all(|step| {
        step["rounds"]
            .as_array()
            .is_some_and(|rounds| rounds.len() == 2)
    }));
    let jobs = steps(&summary)[2]["jobs"].as_array().expect("jobs");
    assert_eq!(jobs[1]["name"], "log");
    assert!(
        jobs[1]["operations"]["write"]["count"]
            .as_u64()
            .expect("count")
            > 0
    );
    assert_eq!(left_in(folder.path()), ["out", "p.toml"]);
}

/// The order of the classics: written from nothing, rewritten, read cold. What a step leaves short is filled before another one reads it, outside of the
/// measuring, and that is recorded.
#[test]
fn files_are_emptied_for_fresh_steps_and_made_whole_for_the_others() {
    let folder = tempfile::tempdir().expect("folder");
    let plan = "rounds = 2\norder = 'interleaved'\n[defaults]\nsize = '4m'\nblock = '64k'\noffsets = 'sequential'\npasses = 1\n\
        [[step]]\nname = 'write'\nmix = 'write'\nfresh = true\nflush-at-end = true\nengine = 'stdio'\n\
        [[step]]\nname = 'rewrite'\nmix = 'rewrite'\npositioned = false\n\
        [[step]]\nname = 'read'\nmix = 'read'\ncold = true\n\
        [[step]]\nname = 'half'\nmix = 'write'\nfresh = true\noperations = 32\n\
        [[step]]\nname = 'after'\nmix = 'read'\nworkers = 2\n";
    std::fs::write(folder.path().join("p.toml"), plan).expect("written");
    let dry = crate::json_of(plumb_in(folder.path(), "run p.toml . --dry-run --json"), 0);
    assert_eq!(
        dry["estimate"]["prepared_bytes"], 0,
        "the first step writes the file"
    );
    assert_eq!(dry["estimate"]["written_bytes_max"], 20 << 20);
    let summary = measured(plumb_in(
        folder.path(),
        "run p.toml . --output out --json --quiet",
    ));
    for (at, kind, bytes, engine) in [
        (0, "write", 8 << 20, "stdio"),
        (1, "rewrite", 8 << 20, "sync"),
        (2, "read", 8 << 20, ""),
        (3, "write", 4 << 20, ""),
        (4, "read", 8 << 20, ""),
    ] {
        let step = &steps(&summary)[at];
        assert_eq!(
            (
                step["operations"][kind]["bytes"].as_u64(),
                &step["total"]["errors"]
            ),
            (Some(bytes), &Value::from(0)),
            "{step}"
        );
        assert!(engine.is_empty() || step["engine"] == engine, "{step}");
    }
    assert_eq!(
        steps(&summary)[0]["operations"]["flush"]["count"],
        2,
        "one in each round"
    );
    let notes = std::fs::read_to_string(folder.path().join("out/notes.jsonl")).expect("notes");
    let notes: Vec<Value> = notes
        .lines()
        .map(|line| serde_json::from_str(line).expect("a note"))
        .collect();
    let events: Vec<&str> = notes
        .iter()
        .filter_map(|note| note["event"].as_str())
        .collect();
    let prepared: Vec<usize> = events
        .iter()
        .enumerate()
        .filter(|(_, event)| **event == "prepared")
        .map(|(at, _)| at)
        .collect();
    assert_eq!(
        prepared.len(),
        2,
        "before 'after' in each round: {events:?}"
    );
    assert!(
        prepared
            .iter()
            .all(|at| notes[*at]["bytes"] == 4 << 20 && notes[at - 1]["step"] == 4),
        "{events:?}"
    );
    assert_eq!(left_in(folder.path()), ["out", "p.toml"]);
}

#[test]
fn a_step_whose_data_was_lost_at_the_end_is_not_done() {
    let folder = tempfile::tempdir().expect("folder");
    let keys = "--set mix=write --set offsets=sequential --set stdio-buffer=64k --set block=1k --set operations=3 --set size=64k";
    let output = plumb_in(
        folder.path(),
        &format!("run --target /dev/full {keys} --quiet --output out"),
    )
    .output()
    .expect("started");
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert!(
        error.contains("not all data counted as written is in the file"),
        "{error}"
    );
    assert!(
        left_in(&folder.path().join("out")).contains(&"ticks.jsonl".to_string()),
        "what was measured is recorded"
    );
}

#[test]
fn a_file_of_the_user_is_never_emptied() {
    let folder = tempfile::tempdir().expect("folder");
    let file = folder.path().join("precious");
    std::fs::write(&file, vec![7u8; 1 << 20]).expect("written");
    let line = "run --target precious --set mix=write --set fresh=true --operations 10 --quiet --overwrite --output out";
    let error = refusal_of(plumb_in(folder.path(), line));
    assert!(
        error.contains("is not truncated") && error.contains("omit fresh"),
        "{error}"
    );
    assert_eq!(std::fs::read(&file).expect("read"), vec![7u8; 1 << 20]);
}

#[test]
fn an_existing_file_is_not_written_without_permission() {
    let folder = tempfile::tempdir().expect("folder");
    let file = folder.path().join("precious");
    std::fs::write(&file, vec![7u8; 1 << 20]).expect("written");
    let line = "run --target precious --pattern random-write --operations 10 --quiet --output out";
    let error = refusal_of(plumb_in(folder.path(), line));
    assert!(
        error.contains("--overwrite") && error.contains("precious"),
        "{error}"
    );
    assert_eq!(std::fs::read(&file).expect("read"), vec![7u8; 1 << 20]);
    assert_eq!(left_in(folder.path()), ["precious"]);
    measured(plumb_in(
        folder.path(),
        &format!("{line} --overwrite --json"),
    ));
    let written = std::fs::read(&file).expect("read");
    assert_eq!(written.len(), 1 << 20, "the length stays");
    assert_ne!(
        written,
        vec![7u8; 1 << 20],
        "the content was overwritten, as asked"
    );
}

#[test]
fn an_existing_file_is_read_without_permission_and_stays() {
    let folder = tempfile::tempdir().expect("folder");
    let mut file = std::fs::File::create(folder.path().join("data")).expect("made");
    file.write_all(&vec![3u8; 1 << 20]).expect("written");
    let summary = measured(plumb_in(
        folder.path(),
        "run --target data --pattern sequential-read --bytes 2m --json --quiet --output out",
    ));
    assert_eq!(steps(&summary)[0]["operations"]["read"]["bytes"], 2 << 20);
    assert_eq!(left_in(folder.path()), ["data", "out"]);
}

#[test]
fn small_files_live_and_die() {
    let folder = tempfile::tempdir().expect("folder");
    // Creating ends when all files are there, however slow the machine is.
    let line = "run small-files . --files 200 --time 300ms --set create.time=5m --rounds 1 --json --quiet --output out";
    let summary = measured(plumb_in(folder.path(), line));
    for (step, kind) in steps(&summary).iter().zip([
        "create",
        "stat",
        "open",
        "read-file",
        "rename",
        "fsync",
        "delete",
    ]) {
        assert!(
            step["operations"][kind]["count"].as_u64().expect(kind) > 0,
            "{kind}"
        );
        assert_eq!(step["operations"][kind]["errors"], 0, "{kind}");
    }
    assert_eq!(steps(&summary)[0]["operations"]["create"]["count"], 200);
    assert_eq!(left_in(folder.path()), ["out"]);
}

#[test]
fn plain_lines_tell_what_will_happen_and_where_the_record_is() {
    let folder = tempfile::tempdir().expect("folder");
    let output = plumb_in(
        folder.path(),
        "run --target null: --time 200ms --output out",
    )
    .output()
    .expect("started");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(
        error.contains("load runs for 200 ms to 300 ms")
            && error.contains("the steps write nothing"),
        "{error}"
    );
    assert!(
        error.contains("plumb show out") && error.contains("report.html"),
        "{error}"
    );
    let quiet = plumb_in(
        folder.path(),
        "run --target null: --time 200ms --output out2 --quiet --json --no-report",
    )
    .output()
    .expect("started");
    assert!(
        quiet.stderr.is_empty(),
        "{}",
        String::from_utf8_lossy(&quiet.stderr)
    );
    assert!(!left_in(&folder.path().join("out2")).contains(&"report.html".to_string()));
}

#[cfg(unix)]
#[test]
fn an_interrupt_keeps_the_record_and_removes_the_files() {
    let folder = tempfile::tempdir().expect("folder");
    let mut child = std::process::Command::new(assert_cmd::cargo::cargo_bin("plumb"))
        .current_dir(folder.path())
        .args("run --target . --pattern random-write --size 8m --time 60s --interval 50ms --quiet --output out".split(' '))
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("started");
    let ticks = folder.path().join("out/ticks.jsonl");
    while std::fs::metadata(&ticks).map_or(0, |file| file.len()) == 0 {
        assert!(
            child.try_wait().expect("waited").is_none(),
            "ended before it was interrupted"
        );
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let killed = std::process::Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .expect("kill");
    assert!(killed.success());
    let output = child.wait_with_output().expect("ended");
    assert_eq!(output.status.code(), Some(130));
    assert!(String::from_utf8_lossy(&output.stderr).contains("interrupted"));
    assert_eq!(left_in(folder.path()), ["out"], "the test file is removed");
    let summary = measured(plumb_in(folder.path(), "show out --json"));
    assert_eq!(summary["state"], "interrupted");
    assert!(
        steps(&summary)[0]["operations"]["write"]["count"]
            .as_u64()
            .expect("count")
            > 0
    );
}

#[test]
fn verified_blocks_are_all_right_on_honest_storage_and_planted_damage_is_found() {
    let folder = tempfile::tempdir().expect("folder");
    let line = "run --target . --pattern mixed --verify --block 4k --depth 8 --workers 2 --size 4m --operations 5000 --seed 7 --json --quiet --output out";
    let summary = measured(plumb_in(folder.path(), line));
    assert_eq!(
        steps(&summary)[0]["operations"]["read"]["errors"],
        0,
        "no false alarm"
    );
    let notes = std::fs::read_to_string(folder.path().join("out/notes.jsonl")).expect("notes");
    assert!(
        notes.contains("\"verified-") && !notes.contains("\"mismatch\""),
        "{notes}"
    );

    // A file that plumb filled, kept, and that something else then damaged in one place.
    let keep = "run --target kept --pattern random-write --verify --block 4k --size 1m --operations 300 --seed 7 --keep --json --quiet --output first";
    measured(plumb_in(folder.path(), keep));
    let path = folder.path().join("kept");
    let mut content = std::fs::read(&path).expect("kept");
    content.copy_within(8 * 4096..9 * 4096, 20 * 4096);
    std::fs::write(&path, content).expect("damaged");
    let read = "run --target kept --pattern sequential-read --verify --block 4k --size 1m --operations 256 --seed 7 --keep --json --quiet --output second";
    let output = plumb_in(folder.path(), read).output().expect("started");
    assert_eq!(
        output.status.code(),
        Some(1),
        "damage is severe: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    let notes = std::fs::read_to_string(folder.path().join("second/notes.jsonl")).expect("notes");
    assert!(
        notes.contains("\"mismatch\"") && notes.contains("\"offset\":81920"),
        "{notes}"
    );
}

#[test]
fn a_step_in_which_all_operations_fail_is_recorded_and_severe() {
    let folder = tempfile::tempdir().expect("folder");
    let line = "run --target /dev/full --size 1m --pattern random-write --time 5s --json --quiet --no-report --output out";
    let output = plumb_in(folder.path(), line).output().expect("started");
    assert_eq!(
        output.status.code(),
        Some(1),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let summary: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let write = &steps(&summary)[0]["operations"]["write"];
    assert!(write["errors"].as_u64().expect("errors") >= 1000, "{write}");
    assert!(
        summary["findings"]
            .as_array()
            .expect("findings")
            .iter()
            .any(|finding| finding["rule"] == "errors_occurred")
    );
}
