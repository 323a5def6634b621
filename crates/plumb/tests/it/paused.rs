//! Is a stalled server reported, with the length of the stall, at any depth? A real Samba, stopped by a signal.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::samba::{PASSWORD, Samba, is_installed};

/// Runs reads at this depth on a Samba that is stopped for a while in the middle; returns the summary, and how long it stood still.
fn stopped_at(depth: u32, rate: &str) -> (Value, Duration) {
    let (server, folder) = (Samba::start(&[]), tempfile::tempdir().expect("folder"));
    let line = format!(
        "run --target {} --set mix=read --set offsets=random --size 16m --block 4k --depth {depth} {rate} --time 6s --warm-up 200ms --interval 50ms --json --quiet \
         --no-report --output out",
        server.address("share")
    );
    let mut plumb = Command::new(assert_cmd::cargo::cargo_bin("plumb"));
    plumb
        .args(line.split_whitespace())
        .current_dir(folder.path())
        .env("PLUMB_PASSWORD", PASSWORD);
    let mut child = plumb
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("started");
    let ticks = folder.path().join("out/ticks.jsonl");
    while std::fs::read_to_string(&ticks).map_or(0, |text| text.lines().count()) < 16 {
        assert_eq!(
            child.try_wait().expect("a child"),
            None,
            "ended before the stop"
        );
        std::thread::sleep(Duration::from_millis(20));
    }
    server.signal("STOP");
    // Each signal is a program to be started: it stood for as long as is certain.
    let begun = Instant::now();
    std::thread::sleep(Duration::from_millis(1600));
    let stood = begun.elapsed();
    server.signal("CONT");
    let output = child.wait_with_output().expect("ended");
    let error = String::from_utf8_lossy(&output.stderr);
    (
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{error}")),
        stood,
    )
}

#[test]
fn a_server_that_stands_still_is_told_at_every_depth() {
    if !is_installed() {
        return;
    }
    for (depth, rate) in [(1, ""), (16, ""), (256, ""), (16, "--rate 500")] {
        let (summary, stood) = stopped_at(depth, rate);
        let findings = summary["findings"].as_array().expect("findings");
        let found = findings
            .iter()
            .find(|finding| finding["rule"] == "nothing_completed");
        let found = found.unwrap_or_else(|| panic!("depth {depth} {rate}: {findings:?}"));
        let evidence = found["evidence"].as_array().expect("evidence");
        let pauses: Vec<&Value> = evidence
            .iter()
            .filter(|one| one["what"]["statement"]["text"] == "stall of 'random-read'")
            .collect();
        assert_eq!(pauses.len(), 1, "depth {depth} {rate}: {found}");
        let value = &pauses[0]["value"]["statement"]["arguments"]["length"];
        let length = value["quantity"]["value"].as_f64().expect("nanoseconds") / 1e9;
        let stood = stood.as_secs_f64();
        // What the intervals tell may lack one at each end, and a busy machine is late to go on.
        assert!(
            (0.8 * stood..1.3 * stood).contains(&length),
            "depth {depth} {rate}: {length} s of {stood} s"
        );
    }
}
