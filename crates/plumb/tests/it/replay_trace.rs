//! Does `plumb replay` replay exactly the reads, writes and flushes of a trace, at their offsets, and never overwrite the user's data?

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::samba::{PASSWORD, Samba, is_installed};
use crate::{json_of, left_in, measured, plumb_in, refusal_of};

/// Requests of the trace below: (write, offset, bytes), one each 2 ms.
fn requests() -> Vec<(bool, u64, u64)> {
    (0..200u64)
        .map(|number| {
            let bytes = [4096, 512, 65_536][number as usize % 3];
            (number % 4 == 0, (number * 7919 % 1000) * 512, bytes)
        })
        .collect()
}

/// A block trace in the form of MSR Cambridge's: Windows' time in 100 ns, host, disk, kind, offset, bytes, response time.
fn write_trace(folder: &Path) {
    let mut text = String::new();
    for (number, (is_write, offset, bytes)) in requests().into_iter().enumerate() {
        let at = 128_166_372_000_000_000u64 + number as u64 * 20_000;
        let kind = if is_write { "Write" } else { "Read" };
        writeln!(text, "{at},host,0,{kind},{offset},{bytes},1500").expect("text");
    }
    fs::write(folder.join("trace.csv"), text).expect("trace");
}

fn done(summary: &Value, kind: &str) -> (u64, u64) {
    let of = &summary["steps"][0]["operations"][kind];
    let number = |key: &str| of[key].as_u64().unwrap_or(0);
    (number("count"), number("bytes"))
}

fn asked(writes: bool) -> (u64, u64) {
    requests()
        .into_iter()
        .filter(|(is_write, ..)| *is_write == writes)
        .fold((0, 0), |(count, all), (_, _, bytes)| {
            (count + 1, all + bytes)
        })
}

#[test]
fn a_trace_is_carried_out_at_its_moments_and_faster() {
    let folder = tempfile::tempdir().expect("folder");
    write_trace(folder.path());
    for (options, least_s) in [("", 0.398), ("--speed 4", 0.0995), ("--depth 4", 0.0)] {
        let summary = measured(plumb_in(
            folder.path(),
            &format!("replay trace.csv . {options} --json --quiet --output out --no-report"),
        ));
        assert_eq!(done(&summary, "read"), asked(false), "{options}");
        assert_eq!(done(&summary, "write"), asked(true), "{options}");
        // The last request is never started before its moment.
        let took_s = summary["steps"][0]["rounds"][0]["duration_s"].as_f64();
        assert!(
            took_s.expect("a duration") >= least_s,
            "{options} {took_s:?}"
        );
        let says = |id: &str| {
            let verdict = summary["verdict"].as_array().expect("a verdict");
            verdict.iter().any(|said| said["id"] == id)
        };
        assert_eq!(
            says("replay-timing"),
            !options.contains("depth"),
            "{summary}"
        );
        // Nothing is left but the trace and the record, which holds what was replayed.
        assert_eq!(left_in(folder.path()), ["out", "trace.csv"]);
        assert!(folder.path().join("out/requests.iolog").is_file());
        fs::remove_dir_all(folder.path().join("out")).expect("removed");
    }
}

/// `pread64(7, "..."..., 4096, 512) = 4096`
fn calls_in(strace: &str) -> Vec<(bool, u64, u64)> {
    let call = |line: &str| {
        let is_write = line.starts_with("pwrite64(");
        let (asked, _) = line.rsplit_once(')')?;
        let mut words = asked.rsplit(", ");
        let offset = words.next()?.parse().ok()?;
        Some((is_write, offset, words.next()?.parse().ok()?))
    };
    strace.lines().filter_map(call).collect()
}

/// The kernel's own account, by strace: each request at its place, in the order of the trace.
#[test]
fn requests_go_where_the_trace_says() {
    let folder = tempfile::tempdir().expect("folder");
    write_trace(folder.path());
    fs::write(folder.path().join("data"), vec![7; 2 << 20]).expect("file");
    let line = "replay trace.csv data --overwrite --depth 1 --set engine=sync --quiet --output out --no-report";
    let prepared = plumb_in(folder.path(), line);
    let traced = Command::new("strace")
        .args(["-ff", "-e", "trace=pread64,pwrite64", "-o", "seen", "-P"])
        .arg(folder.path().join("data"))
        .arg(prepared.get_program())
        .args(prepared.get_args())
        .current_dir(folder.path())
        .output();
    let Ok(traced) = traced else {
        return println!("skipped: strace is not installed");
    };
    assert!(traced.status.success(), "{traced:?}");
    // One file for each thread.
    let is_there = left_in(folder.path())
        .iter()
        .filter(|name| name.starts_with("seen."))
        .map(|name| fs::read_to_string(folder.path().join(name)).expect("seen"))
        .any(|text| calls_in(&text) == requests());
    assert!(is_there, "no thread made {:?}", requests());
}

#[test]
fn what_is_the_users_stays() {
    let folder = tempfile::tempdir().expect("folder");
    write_trace(folder.path());
    fs::write(folder.path().join("mine"), vec![7; 2 << 20]).expect("file");
    let refused = refusal_of(plumb_in(folder.path(), "replay trace.csv mine"));
    assert!(refused.contains("--overwrite"), "{refused}");
    let is_as_before = || fs::read(folder.path().join("mine")).expect("file") == vec![7; 2 << 20];
    assert!(is_as_before());
    // Neither is a record left of what did not run.
    assert_eq!(left_in(folder.path()), ["mine", "trace.csv"]);
    for (line, expected) in [
        ("replay absent.csv .", "absent.csv"),
        ("replay . .", "is a folder"),
        ("replay mine .", "unknown format"),
        ("replay trace.csv . --speed 0", "--speed 0"),
    ] {
        let refused = refusal_of(plumb_in(folder.path(), line));
        assert!(refused.contains(expected), "{line}: {refused}");
    }
    assert_eq!(left_in(folder.path()), ["mine", "trace.csv"]);
    let summary = json_of(
        plumb_in(
            folder.path(),
            "replay trace.csv mine --overwrite --depth 2 --json --quiet --output out --no-report",
        ),
        0,
    );
    assert_eq!(done(&summary, "write"), asked(true));
    assert!(!is_as_before());
}

#[test]
fn a_trace_is_replayed_on_a_share() {
    if !is_installed() {
        return;
    }
    let (server, folder) = (Samba::start(&[]), tempfile::tempdir().expect("folder"));
    write_trace(folder.path());
    let mut command = plumb_in(
        folder.path(),
        &format!(
            "replay trace.csv {} --depth 4 --json --quiet --output out --no-report",
            server.address("share")
        ),
    );
    command.env("PLUMB_PASSWORD", PASSWORD);
    let summary = measured(command);
    assert_eq!(done(&summary, "read"), asked(false));
    assert_eq!(done(&summary, "write"), asked(true));
    assert_eq!(left_in(&server.share()), Vec::<String>::new());
}
