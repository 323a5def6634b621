//! Does `plumb find` find the highest rate of a target with a known limit, and does the record hold the evidence?

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use serde_json::Value;

use crate::hosts::Hosts;
use crate::{left_in, measured, plumb_in, refusal_of};

/// Each rate that was tried, lowest first: the rate, and for each round whether the limit was kept.
fn tried(summary: &Value) -> Vec<(f64, Vec<Option<bool>>)> {
    let steps = summary["steps"].as_array().expect("steps");
    let of_step = |step: &Value| {
        let rounds = step["latency_limits"][0]["rounds"].as_array();
        let kept = rounds.expect("rounds").iter();
        (
            step["asked_rate"].as_f64().expect("a rate"),
            kept.map(|round| round["kept"].as_bool()).collect(),
        )
    };
    steps.iter().map(of_step).collect()
}

/// The highest rate up to which each round kept the limit, and how many rounds it had.
fn answer(tried: &[(f64, Vec<Option<bool>>)]) -> Option<(f64, usize)> {
    tried
        .iter()
        .take_while(|(_, rounds)| rounds.iter().all(|kept| *kept == Some(true)))
        .last()
        .map(|(rate, rounds)| (*rate, rounds.len()))
}

/// A queue of known length of service: messages of 10,000 bytes come back over a link of 8 Mbit/s, which carries 97 a second with their headers.
#[test]
fn the_rate_of_a_link_of_known_speed_is_found_and_never_exceeded() {
    let Some(hosts) = Hosts::new(31) else { return };
    let shaped = hosts
        .on(1, "tc")
        .args(["qdisc", "add", "dev", "eth0", "root", "tbf"])
        .args(["rate", "8mbit", "burst", "16kb", "latency", "2s"])
        .status()
        .expect("tc");
    if !shaped.success() {
        println!("skipped: the kernel has no token bucket (tc qdisc tbf)");
        return;
    }
    let plumb = assert_cmd::cargo::cargo_bin("plumb");
    let plumb = plumb.to_str().expect("a path");
    let mut peer = hosts
        .on(1, plumb)
        .args(["serve-net", "--listen", "10.231.31.2:7473"])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("serve-net");
    let mut first = String::new();
    let said = peer.stderr.as_mut().expect("stderr");
    BufReader::new(said)
        .read_line(&mut first)
        .expect("a first line");
    let folder = tempfile::tempdir().expect("folder");
    let line = "find tcp://10.231.31.2:7473 --p95 <80ms --resolution 10% --set mix=ping-pong --block 10000 --time 1s --json --quiet --no-report --output";
    let search = |output: String| {
        let mut command = hosts.on(0, plumb);
        command
            .args(line.split_whitespace())
            .arg(output)
            .current_dir(folder.path());
        let summary = measured(assert_cmd::Command::from_std(command));
        let tried = tried(&summary);
        (summary, tried)
    };
    // Other tests beside this one can disturb a round far below the border: then what is told is a lower rate, of fewer rounds.
    let is_whole =
        |(_, tried): &(Value, Vec<_>)| answer(tried).is_some_and(|(_, rounds)| rounds == 3);
    let mut searches = (0..3).map(|search_of| search(format!("out{search_of}")));
    let found = searches.find(is_whole);
    let _ = peer.kill();
    let _ = peer.wait();
    let (summary, tried) = found.expect("three searches, none of them undisturbed");
    let (rate, rounds) = answer(&tried).unwrap_or_else(|| panic!("{tried:?}"));
    assert!((20.0..=98.0).contains(&rate), "{rate}: {tried:?}");
    assert_eq!(rounds, 3, "{tried:?}");
    // What is above it was tried too, and did not hold.
    assert!(
        tried
            .iter()
            .any(|(above, kept)| *above > rate && kept.iter().any(|kept| *kept != Some(true))),
        "{tried:?}"
    );
    let verdict = summary["verdict"].as_array().expect("a verdict");
    let said = verdict
        .iter()
        .find(|said| said["id"] == "ladder-keeps-limit-up-to")
        .unwrap_or_else(|| panic!("{verdict:?}"));
    let text = said["text"].as_str().expect("a text");
    assert!(text.contains(&format!("rate = {rate} ")), "{text}");
    let left = left_in(folder.path());
    assert!(left.iter().all(|name| name.starts_with("out")), "{left:?}");
}

#[test]
fn what_cannot_be_searched_is_refused_with_what_to_write() {
    let folder = tempfile::tempdir().expect("folder");
    for (line, expected) in [
        ("find .", "--p99"),
        ("find . --p99 fast", "'<1ms'"),
        ("find . --p99 <0s", "'<1ms'"),
        ("find --p99 <1ms", "a target is required"),
        ("find . --p99 <1ms --target x", "two targets"),
        (
            "find . --p99 <1ms --set rate=100",
            "'rate' is set by the search",
        ),
        ("find . --p99 <1ms --resolution 0.1%", "1% to 100%"),
        ("find . --p99 <1ms --start 0", "--start must be"),
    ] {
        let refused = refusal_of(plumb_in(folder.path(), line));
        assert!(refused.contains(expected), "{line}: {refused}");
    }
    assert_eq!(left_in(folder.path()), Vec::<String>::new());
}
