//! Are recorded patterns replayed request by request, with the same data as in fio, and never on a target that the user did not name?

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::{json_of, left_in, measured, output_of, plumb_in, refusal_of};

/// A log that fio 3.33 wrote, of a job of reads and writes with two block sizes and a sync after each eight writes.
fn log_of_fio() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/fio/iologs/fio-3.33-mixed.log")
}

/// Requests of a log of version 3 by their actions: number and bytes of each.
fn in_log(text: &str, action: &str) -> (u64, u64) {
    let of = text
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>())
        .filter(|words| words.len() == 5 && words[2] == action);
    of.fold((0, 0), |(count, bytes), words| {
        (
            count + 1,
            bytes + words[4].parse::<u64>().expect("a length"),
        )
    })
}

fn done(summary: &Value, kind: &str) -> (u64, u64) {
    let of = &summary["steps"][0]["operations"][kind];
    (
        of["count"].as_u64().unwrap_or(0),
        of["bytes"].as_u64().unwrap_or(0),
    )
}

#[test]
fn a_log_that_fio_wrote_is_replayed_as_under_fio() {
    let folder = tempfile::tempdir().expect("folder");
    let text = fs::read_to_string(log_of_fio()).expect("log");
    fs::create_dir(folder.path().join("jobs")).expect("folder");
    fs::write(folder.path().join("jobs/recorded.log"), &text).expect("log");
    let job = "[again]\nioengine=psync\nread_iolog=recorded.log\nreplay_redirect=target\nreplay_no_stall=1\n";
    fs::write(folder.path().join("jobs/again.fio"), job).expect("job file");
    let summary = measured(plumb_in(
        folder.path(),
        "run jobs/again.fio --json --quiet --output out --no-report",
    ));
    for kind in ["read", "write"] {
        assert_eq!(done(&summary, kind), in_log(&text, kind), "{kind}");
    }
    assert_eq!(
        done(&summary, "flush").0,
        in_log(&text, "sync").0 + in_log(&text, "datasync").0
    );
    assert_eq!(summary["steps"][0]["ended_by"], "operations");
    assert_eq!(left_in(folder.path()), ["jobs", "out"]);
    // fio looks for the log and the target from where it was started, and reads what is there.
    fs::write(folder.path().join("jobs/target"), vec![1; 512 << 10]).expect("target");
    let output = Command::new("fio")
        .current_dir(folder.path().join("jobs"))
        .args(["--output-format=json", "again.fio"])
        .output();
    let Ok(output) = output else {
        return println!("skipped: fio is not installed: its replay is not compared");
    };
    let text = String::from_utf8_lossy(&output.stdout);
    let json: Value = serde_json::from_str(&text[text.find('{').expect("JSON")..])
        .unwrap_or_else(|error| panic!("{error}\n{text}"));
    for kind in ["read", "write"] {
        let of = &json["jobs"][0][kind];
        let theirs = (
            of["total_ios"].as_u64().expect("count"),
            of["io_bytes"].as_u64().expect("bytes"),
        );
        println!(
            "{kind}: {:?} here, {theirs:?} with fio",
            done(&summary, kind)
        );
        assert_eq!(done(&summary, kind), theirs, "{kind}");
    }
}

/// Two seconds of a log at twenty times its speed: requests keep their moments, which the record says.
#[test]
fn a_recorded_pace_is_an_open_loop() {
    let folder = tempfile::tempdir().expect("folder");
    let mut log = String::from("fio version 3 iolog\n0 /nowhere/file add\n0 /nowhere/file open\n");
    (0..200).for_each(|number| {
        log += &format!(
            "{} /nowhere/file write {} 4096\n",
            number * 10_000,
            number * 8192
        )
    });
    fs::write(folder.path().join("slow.log"), log).expect("log");
    let line = "run --set replay=slow.log --set replay-speed-percent=2000 --target target --set content=pattern:ab --keep";
    let dry = json_of(
        plumb_in(folder.path(), &format!("{line} --dry-run --json --quiet")),
        0,
    );
    let length = dry["estimate"]["duration_s"].as_f64().expect("a length");
    assert!((length - 0.0995).abs() < 1e-9, "{length}");
    assert_eq!(dry["estimate"]["written_bytes_max"], 200 * 4096);
    assert_eq!(dry["estimate"]["prepared_bytes"], 199 * 8192 + 4096);
    fs::write(folder.path().join("target"), vec![0; 199 * 8192 + 4096]).expect("target");
    let summary = measured(plumb_in(
        folder.path(),
        &format!("{line} --overwrite=target --json --quiet --output out --no-report"),
    ));
    let step = &summary["steps"][0];
    assert_eq!(
        (step["name"].as_str(), done(&summary, "write")),
        (Some("replay"), (200, 200 * 4096))
    );
    assert!(
        step["lateness_ns"].is_object() && step["asked_depth"].is_null(),
        "{step}"
    );
    assert!(
        step["duration_s"].as_f64().expect("a duration") >= 0.0994,
        "{step}"
    );
    let bytes = fs::read(folder.path().join("target")).expect("target");
    assert_eq!(bytes.len(), 199 * 8192 + 4096);
    let blocks: Vec<bool> = bytes
        .chunks(4096)
        .map(|block| block.iter().all(|byte| *byte == 0xab))
        .collect();
    assert!(
        blocks
            .iter()
            .enumerate()
            .all(|(number, written)| *written == (number % 2 == 0)),
        "every second block"
    );
}

#[test]
fn a_log_writes_over_nothing_that_exists_and_its_own_names_are_not_touched() {
    let folder = tempfile::tempdir().expect("folder");
    let precious = folder.path().join("precious");
    fs::write(&precious, "precious".repeat(1000)).expect("file");
    let log = format!(
        "fio version 2 iolog\n{0} add\n{0} open\n{0} write 0 4096\n{0} close\n",
        precious.display()
    );
    fs::write(folder.path().join("w.log"), log).expect("log");
    fs::write(folder.path().join("w.fio"), "[w]\nread_iolog=w.log\n").expect("job file");
    let summary = measured(plumb_in(
        folder.path(),
        "run w.fio --json --quiet --output out --no-report",
    ));
    assert_eq!(done(&summary, "write"), (1, 4096), "to a file of its own");
    let error = refusal_of(plumb_in(
        folder.path(),
        "run --set replay=w.log --target precious --quiet",
    ));
    assert!(
        error.contains("precious") && error.contains("--overwrite"),
        "{error}"
    );
    fs::write(
        folder.path().join("far.log"),
        "fio version 2 iolog\nf read 1000000 4096\n",
    )
    .expect("log");
    let error = refusal_of(plumb_in(
        folder.path(),
        "run --set replay=far.log --target precious --quiet",
    ));
    assert!(
        error.contains("far.log extends to offset 1004096; replay-divisor"),
        "{error}"
    );
    assert_eq!(
        fs::read_to_string(&precious).expect("file"),
        "precious".repeat(1000)
    );
    assert_eq!(
        left_in(folder.path()),
        ["far.log", "out", "precious", "w.fio", "w.log"]
    );
}

#[test]
fn what_the_log_holds_is_told_before_the_run_and_stands_in_the_imported_plan() {
    let folder = tempfile::tempdir().expect("folder");
    let log =
        "fio version 3 iolog\n0 a add\n0 b add\n1 a read 0 4096\n2 b write 0 512\n3 a sync 0 0\n";
    fs::write(folder.path().join("two.log"), log).expect("log");
    fs::write(
        folder.path().join("two.fio"),
        "[two]\nread_iolog=two.log\nreplay_skip=sync\n",
    )
    .expect("job file");
    let output = plumb_in(folder.path(), "run two.fio --dry-run")
        .output()
        .expect("started");
    let (out, told) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    assert!(
        told.contains("two.log has 2 requests") && told.contains("1 request is skipped"),
        "{told}"
    );
    assert!(told.contains("two.log uses 2 files (a, b)"), "{told}");
    assert!(
        out.contains("replay-holds") && out.contains("resolved"),
        "{out}"
    );
    let printed = output_of(plumb_in(folder.path(), "plans two.fio"), 0);
    assert!(
        printed.contains("# replay: two.log has 2 requests"),
        "{printed}"
    );
    fs::write(folder.path().join("two.toml"), &printed).expect("plan");
    let summary = measured(plumb_in(
        folder.path(),
        "run two.toml --rounds 2 --json --quiet --output out --no-report",
    ));
    assert_eq!(
        (done(&summary, "read"), done(&summary, "write")),
        ((2, 8192), (2, 1024)),
        "two rounds"
    );
    let notes = fs::read_to_string(folder.path().join("out/run.json")).unwrap_or_default();
    assert!(
        notes.contains("placed one after another")
            || summary.to_string().contains("placed one after another"),
        "the record notes it"
    );
}

#[test]
fn what_is_no_log_is_refused_by_line() {
    let folder = tempfile::tempdir().expect("folder");
    fs::write(
        folder.path().join("bad.log"),
        "fio version 3 iolog\n0 a open\n0 a reed 0 1\n",
    )
    .expect("log");
    fs::write(
        folder.path().join("binary.log"),
        [7, 0x74, 0x61, 0x65, 0, 1, 2, 3],
    )
    .expect("log");
    for (log, expected) in [
        ("bad.log", "bad.log, line 3: 'reed' is no action"),
        ("binary.log", "binary block trace"),
        ("none.log", "none.log: cannot read the replay log"),
        (".", ".: a replay log must be a regular file"),
    ] {
        fs::write(
            folder.path().join("r.fio"),
            format!("[r]\nread_iolog={log}\n"),
        )
        .expect("job file");
        let error = refusal_of(plumb_in(folder.path(), "run r.fio"));
        assert!(error.contains(expected), "{log}: {error}");
    }
}
