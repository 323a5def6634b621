//! Do access specifications transfer the specified data, and do Iometer configuration files run?

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::{json_of, left_in, measured, output_of, plumb_in, refusal_of};

fn icf() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/iometer/whole.icf");
    fs::read_to_string(path).expect("a configuration file")
}

/// Count and bytes of one kind of operation of a step.
fn moved(step: &Value, kind: &str) -> (f64, f64) {
    let operations = &step["operations"][kind];
    (
        operations["count"].as_f64().unwrap_or(0.0),
        operations["bytes"].as_f64().unwrap_or(0.0),
    )
}

/// A share of `count` draws lies within five standard deviations of what was asked.
fn near(what: &str, found: f64, count: f64, share: f64) {
    let bound = 5.0 * (count * share * (1.0 - share)).sqrt();
    assert!(
        (found - count * share).abs() <= bound,
        "{what}: {found} of {count}, not {share}"
    );
}

#[test]
fn lines_of_a_specification_are_moved_in_their_shares() {
    let folder = tempfile::tempdir().expect("folder");
    let access = "4k share 60 reads 100 random 100; 64k share 40 reads 25 random 0 align 4k";
    let mut command = plumb_in(
        folder.path(),
        "run --target . --set operations=20000 --set workers=2 --set size=16m --json --quiet --output out",
    );
    command.args(["--set", &format!("access={access}")]);
    let summary = measured(command);
    let step = &summary["steps"][0];
    assert_eq!(step["name"], "access");
    let ((reads, read_bytes), (writes, written_bytes)) =
        (moved(step, "read"), moved(step, "write"));
    assert_eq!(reads + writes, 20_000.0);
    assert_eq!(written_bytes, writes * 65_536.0);
    near("writes", writes, 20_000.0, 0.3);
    near(
        "reads of 64 KiB",
        (read_bytes - reads * 4096.0) / (65_536.0 - 4096.0),
        20_000.0,
        0.1,
    );
    let plan = &summary["plan"]["steps"][0]["jobs"][0]["workload"];
    assert_eq!(
        (&plan["access"], &plan["mix"]),
        (&access.into(), &"read:70,write:30".into())
    );
}

#[test]
fn bursts_of_a_specification_pause_between_them() {
    let folder = tempfile::tempdir().expect("folder");
    let mut command = plumb_in(
        folder.path(),
        "run --target null: --set operations=40 --json --quiet --output out",
    );
    command.args(["--set", "access=4k delay 20ms burst 10"]);
    let summary = measured(command);
    assert_eq!(moved(&summary["steps"][0], "read").0, 40.0);
    // Three pauses lie between four bursts; a machine that is busy makes them longer.
    assert!(
        summary["steps"][0]["duration_s"]
            .as_f64()
            .expect("duration")
            >= 0.06
    );
}

#[test]
fn the_built_in_plan_runs_small() {
    let folder = tempfile::tempdir().expect("folder");
    let line = "run iometer . --set time=100ms --set warm-up=0s --set workers=2 --set depth=4 --set size=16m --json --quiet --output out";
    let summary = measured(plumb_in(folder.path(), line));
    let steps = summary["steps"].as_array().expect("steps");
    let names: Vec<&str> = steps
        .iter()
        .filter_map(|step| step["name"].as_str())
        .collect();
    assert_eq!(
        names,
        [
            "default",
            "file-server",
            "database",
            "workstation",
            "web-server"
        ]
    );
    for (step, share) in steps.iter().zip([0.67, 0.8, 0.67, 0.8, 1.0]) {
        let (reads, writes) = (moved(step, "read").0, moved(step, "write").0);
        assert!(reads > 0.0);
        near(
            step["name"].as_str().expect("name"),
            reads,
            reads + writes,
            share,
        );
    }
    let (count, bytes) = moved(&steps[0], "read");
    assert_eq!(bytes, count * 2048.0);
    assert_eq!(left_in(folder.path()), ["out"]);
}

#[test]
fn a_configuration_file_runs_and_is_taken_over_as_a_plan() {
    let folder = tempfile::tempdir().expect("folder");
    fs::write(folder.path().join("my.icf"), icf()).expect("configuration file");
    let out = output_of(plumb_in(folder.path(), "import my.icf"), 0);
    assert!(
        out.contains("my.icf: Iometer configuration file, converted to a plan: plumb run my.toml"),
        "{out}"
    );
    assert!(
        out.contains("  ? target: Iometer's are C: \"System\""),
        "{out}"
    );
    let of = |file: &str| {
        json_of(
            plumb_in(folder.path(), &format!("run {file} --dry-run --json")),
            0,
        )["plan"]["steps"]
            .clone()
    };
    assert_eq!(of("my.toml"), of("my.icf"));
    assert_eq!(
        output_of(plumb_in(folder.path(), "plans my.icf"), 0),
        fs::read_to_string(folder.path().join("my.toml")).expect("plan")
    );
    let line = "run my.icf --set time=50ms --set warm-up=0s --set depth=8 --set size=4m --set start=0 --json --quiet --output out";
    let summary = measured(plumb_in(folder.path(), line));
    assert_eq!(summary["steps"].as_array().map(Vec::len), Some(3));
    assert_eq!(summary["plan"]["title"], "File server, 1 to 64 outstanding");
    fs::write(
        folder.path().join("bad.icf"),
        icf().replace("512,10,80,100,0,1,0,0", "512,ten"),
    )
    .expect("configuration file");
    assert!(
        refusal_of(plumb_in(folder.path(), "run bad.icf"))
            .contains("bad.icf, line 38: expected eight numbers")
    );
    assert!(
        refusal_of(plumb_in(
            folder.path(),
            "run iometer --set block=8k --dry-run"
        ))
        .contains("contradicts access")
    );
}
