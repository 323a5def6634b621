//! Does the main job work on a real directory and a real file?

use serde_json::Value;

use crate::{left_in, plumb_in};

/// Runs a check; a severe finding (exit code 1) may be true of the machine that runs the test.
fn check(folder: &std::path::Path, line: &str) -> (Value, String) {
    let output = plumb_in(folder, line).output().expect("started");
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(matches!(output.status.code(), Some(0 | 1)), "{error}");
    (serde_json::from_slice(&output.stdout).expect("JSON alone on standard output"), error)
}

fn groups(summary: &Value) -> Vec<&str> {
    let mut groups: Vec<&str> =
        summary["steps"].as_array().expect("steps").iter().filter_map(|step| step["name"].as_str()?.split(' ').next()).collect();
    groups.dedup();
    groups
}

#[test]
fn a_directory_is_measured_in_full_and_left_clean() {
    let folder = tempfile::tempdir().expect("folder");
    let (summary, error) = check(folder.path(), "check --size 16m --time 4s --json --output out");
    assert_eq!(
        groups(&summary),
        ["random-read", "random-write", "sequential-read", "sequential-write", "create", "stat", "read-file", "delete"]
    );
    assert!(error.contains("16 MiB") && error.contains("the steps write at most"), "{error}");
    assert!(!summary["verdict"].as_array().expect("verdict").is_empty());
    assert!(
        summary["steps"].as_array().expect("steps").iter().all(|step| step["rounds"].as_array().is_some_and(|rounds| rounds.len() == 3))
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
    assert_eq!(groups(&summary), ["random-read", "sequential-read"]);
    assert!(error.contains("only read"), "{error}");
    assert_eq!(std::fs::read(folder.path().join("data")).expect("read"), content);
}
