//! Does `plumb check` work on a real directory and a real file?

use serde_json::{Value, json};

use crate::{json_of, left_in, plumb_in};

/// Runs a check; a severe finding (exit code 1) may be true of the machine that runs the test.
fn check(folder: &std::path::Path, line: &str) -> (Value, String) {
    let output = plumb_in(folder, line).output().expect("started");
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(matches!(output.status.code(), Some(0 | 1)), "{error}");
    (
        serde_json::from_slice(&output.stdout).expect("JSON alone on standard output"),
        error,
    )
}

fn groups(summary: &Value) -> Vec<&str> {
    let mut groups: Vec<&str> = summary["steps"]
        .as_array()
        .expect("steps")
        .iter()
        .filter_map(|step| step["name"].as_str()?.split(' ').next())
        .collect();
    groups.dedup();
    groups
}

#[test]
fn a_directory_is_measured_in_full_and_left_clean() {
    let folder = tempfile::tempdir().expect("folder");
    let (summary, error) = check(
        folder.path(),
        "check --size 16m --time 4s --json --output out",
    );
    assert_eq!(
        groups(&summary),
        [
            "random-read",
            "random-write",
            "sequential-read",
            "sequential-write",
            "sequential-read-1",
            "sequential-write-1",
            "create",
            "stat",
            "read-file",
            "delete"
        ]
    );
    assert!(
        error.contains("16 MiB") && error.contains("the steps write what the target accepts in"),
        "{error}"
    );
    let verdict: Vec<&str> = summary["verdict"]
        .as_array()
        .expect("verdict")
        .iter()
        .filter_map(|said| said["text"].as_str())
        .collect();
    assert!(
        verdict.iter().any(|text| text.contains("one at a time: ")
            && text.contains(" IOPS")
            && text.contains("mean ")),
        "{verdict:?}"
    );
    assert!(
        verdict
            .iter()
            .any(|text| text.starts_with("Sequential reads at depth 8")),
        "{verdict:?}"
    );
    assert!(verdict.contains(&"Test file size: 16 MiB."), "{verdict:?}");
    let told = error
        .lines()
        .find(|line| line.starts_with("written: "))
        .expect("what was written is told at the end");
    assert!(
        told.contains("by the steps") && told.contains("16 MiB to prepare"),
        "{told}"
    );
    assert!(
        summary["steps"]
            .as_array()
            .expect("steps")
            .iter()
            .all(|step| step["rounds"]
                .as_array()
                .is_some_and(|rounds| rounds.len() == 3))
    );
    assert_eq!(left_in(folder.path()), ["out"]);
    assert!(left_in(&folder.path().join("out")).contains(&"report.html".to_string()));
}

#[test]
fn a_file_is_only_read_and_that_is_said() {
    let folder = tempfile::tempdir().expect("folder");
    let content = vec![9u8; 16 << 20];
    std::fs::write(folder.path().join("data"), &content).expect("written");
    let (summary, error) = check(folder.path(), "check data --time 2s --json --output out");
    assert_eq!(
        groups(&summary),
        ["random-read", "sequential-read", "sequential-read-1"]
    );
    assert!(error.contains("only read"), "{error}");
    assert_eq!(
        std::fs::read(folder.path().join("data")).expect("read"),
        content
    );
}

#[test]
fn rounds_workers_and_keys_are_taken_and_a_dry_run_runs_nothing() {
    let folder = tempfile::tempdir().expect("folder");
    let line = "check --rounds 6 --workers 2 --set sync=dsync --set size=32m --dry-run --json";
    let plan = json_of(plumb_in(folder.path(), line), 0)["plan"].clone();
    assert_eq!(plan["rounds"], 6);
    let job = &plan["steps"][0]["jobs"][0]["workload"];
    assert_eq!(
        (&job["workers"], &job["sync"], &job["size"]),
        (&json!(2), &json!("dsync"), &json!("32m"))
    );
    assert!(left_in(folder.path()).is_empty());
}

/// The warning stands before the first step: whoever meant another target has lost no time.
/// A terminal of 24 lines ends with the grid and what follows it.
#[test]
fn the_grid_is_still_on_the_screen_when_a_first_look_ends() {
    let folder = tempfile::tempdir().expect("folder");
    let line = "run quick --target . --set time=20ms --set size=8m";
    let output = plumb_in(folder.path(), line).output().expect("started");
    let screen = String::from_utf8_lossy(&output.stdout);
    let lines: Vec<&str> = screen.lines().collect();
    // The last line has the prompt.
    let first_seen = lines.len().saturating_sub(23);
    let grid = lines.iter().rposition(|line| line.contains("read MB/s"));
    assert!(grid >= Some(first_seen), "{screen}");
    let below = &lines[grid.unwrap_or(0) + 1..];
    let names = [
        "Sequential 1 MiB, QD8 ",
        "Sequential 1 MiB, QD1 ",
        "Random 4 KiB, QD32 ",
        "Random 4 KiB, QD1 ",
    ];
    for (row, name) in below.iter().zip(names) {
        assert!(row.starts_with(name), "{screen}");
    }
    let sentences = below.iter().filter(|line| line.starts_with("  • "));
    assert_eq!(sentences.count(), 3, "{screen}");
    assert!(screen.contains("more sentences: plumb show"), "{screen}");
}

#[test]
fn a_target_in_memory_is_told_before_the_load() {
    let Ok(folder) = tempfile::tempdir_in("/dev/shm") else {
        println!("skipped: no /dev/shm here");
        return;
    };
    let (_, error) = check(
        folder.path(),
        "check --size 16m --time 1s --json --output out",
    );
    let at = |text: &str| {
        error
            .find(text)
            .unwrap_or_else(|| panic!("'{text}' in {error}"))
    };
    assert!(
        at("warning: The target is in memory") < at("random-read depth=1, round 1"),
        "{error}"
    );
}
