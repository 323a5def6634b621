//! Failures of one of several hosts: a full disk, a wrong clock, a different token. Each is reported with its host and rank, and no record is lost.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use plumb_model::run::tick::Phase;
use serde_json::Value;

use crate::many_hosts::{check_sums, free_port, outputs, program, text, token, total};

/// Ranks on hosts of their own, as far as a name and mounts make one: `host0`, `host1`, ...
struct Ranks<'a> {
    folder: &'a Path,
    port: u16,
    ranks: u32,
}

impl Ranks<'_> {
    /// `before`: what the shell does there before it becomes plumb.
    fn start(&self, rank: u32, before: &str, line: &str) -> Child {
        let script = format!(
            "hostname host{rank}\n{before}\nexec {} {line}",
            program().display()
        );
        Command::new("unshare")
            .args(["--uts", "--mount", "sh", "-ec", &script])
            .current_dir(self.folder)
            .env("PLUMB_RANK", rank.to_string())
            .env("PLUMB_RANKS", self.ranks.to_string())
            .env("PLUMB_JOIN", format!("127.0.0.1:{}", self.port))
            .env("PLUMB_TOKEN_FILE", self.folder.join("token"))
            .env("PLUMB_LANGUAGE", "en")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("started")
    }
}

/// The folder, with the token; `None`, and said, where hosts cannot be made.
fn folder() -> Option<tempfile::TempDir> {
    let made = Command::new("unshare")
        .args(["--uts", "--mount", "true"])
        .status();
    if !made.is_ok_and(|status| status.success()) {
        println!("skipped: hosts with names and mounts of their own need root and util-linux");
        return None;
    }
    let folder = tempfile::tempdir().expect("folder");
    token(folder.path(), "token", "a token of some length\n");
    Some(folder)
}

fn ended(children: Vec<Child>, codes: &[&[i32]]) -> Vec<String> {
    let ended: Vec<Output> = outputs(children);
    let check = |(output, codes): (&Output, &&[i32])| {
        let is_expected = output
            .status
            .code()
            .is_some_and(|code| codes.contains(&code));
        assert!(is_expected, "not {codes:?}: {}", text(output));
    };
    ended.iter().zip(codes).for_each(check);
    ended.iter().map(text).collect()
}

fn finding(folder: &Path, rule: &str) -> Value {
    let mut show = crate::plumb();
    show.args(["show", "--json"]).arg(folder);
    let summary = crate::measured(show);
    let findings = summary["findings"].as_array().into_iter().flatten();
    let mut found = findings.filter(|finding| finding["rule"] == rule);
    found
        .next()
        .unwrap_or_else(|| panic!("no {rule}: {}", summary["findings"]))
        .clone()
}

/// Files of 4 KiB, each of which is made after a pause.
const FILES: u64 = 800;

#[test]
fn a_disk_that_fills_up_on_one_host_is_named_and_the_others_go_on() {
    let Some(folder) = folder() else { return };
    let ranks = Ranks {
        folder: folder.path(),
        port: free_port(),
        ranks: 3,
    };
    let line = format!(
        "run --target disk/target --pattern create --size 4k --files {FILES} --time 20s --set interval=100ms --set think-time=3ms --quiet --output run.plumb"
    );
    // Its own disk has room for all, until somebody else fills it when the load runs.
    let small = "mount -t tmpfs -o size=8m tmpfs disk; mkdir disk/target\n\
        (until [ -s run.plumb/ticks.jsonl ]; do sleep 0.02; done; head -c 9m /dev/zero >disk/others || true) 2>/dev/null &";
    fs::create_dir_all(folder.path().join("disk/target")).expect("folder");
    let started = vec![
        ranks.start(0, "", &line),
        ranks.start(1, small, &line),
        ranks.start(2, "", &line),
    ];
    let said = ended(started, &[&[0, 1], &[0], &[0]]);
    assert!(
        said[0].contains("operations failed") && said[0].contains("all on rank 1 on host1"),
        "{}",
        said[0]
    );
    let output = folder.path().join("run.plumb");
    let all = check_sums(&output, 3);
    let made = total(&all, Phase::Measure).0;
    assert!(made > 2 * FILES && made < 3 * FILES, "{made}");
    let finding = finding(&output, "errors_occurred");
    let evidence = finding["evidence"].to_string();
    for told in ["rank 1 on host1", "x ENOSPC", "host1:disk/target"] {
        assert!(evidence.contains(told), "no {told}: {evidence}");
    }
    let left = crate::left_in(&folder.path().join("disk/target"));
    assert_eq!(left, Vec::<String>::new());
}

#[test]
fn a_disk_without_room_on_one_host_is_named_before_anything_is_measured() {
    let Some(folder) = folder() else { return };
    let ranks = Ranks {
        folder: folder.path(),
        port: free_port(),
        ranks: 2,
    };
    let line = "run --target disk --pattern random-write --size 8m --direct try --time 20s --quiet --output run.plumb";
    fs::create_dir(folder.path().join("disk")).expect("folder");
    let started = vec![
        ranks.start(0, "", line),
        ranks.start(1, "mount -t tmpfs -o size=2m tmpfs disk", line),
    ];
    let said = ended(started, &[&[2], &[2]]);
    assert!(
        said[0].contains("rank 1 on host1: 8 MiB do not fit in"),
        "{}",
        said[0]
    );
    assert!(said[1].contains("8 MiB do not fit in"), "{}", said[1]);
    assert!(said[0].contains("Nothing was measured"), "{}", said[0]);
    let left = crate::left_in(&folder.path().join("disk"));
    assert_eq!(left, Vec::<String>::new());
}

/// The time of day of one process is 3 s ahead (libfaketime; the clock that measures is the machine's).
#[test]
fn a_clock_that_is_3_s_ahead_is_named_and_no_figure_rests_on_it() {
    let Some(folder) = folder() else { return };
    let library = Command::new("faketime")
        .args(["-f", "+0s", "sh", "-c", "echo $LD_PRELOAD"])
        .output();
    let Ok(library) = library else {
        println!("skipped: faketime is not installed (Debian package faketime)");
        return;
    };
    let library = String::from_utf8_lossy(&library.stdout).trim().to_string();
    let ranks = Ranks {
        folder: folder.path(),
        port: free_port(),
        ranks: 2,
    };
    let line = "run --target null: --set think-time=2ms --time 600ms --set interval=200ms --quiet --output run.plumb";
    let ahead =
        format!("export LD_PRELOAD='{library}' FAKETIME=+3s FAKETIME_DONT_FAKE_MONOTONIC=1");
    let started = vec![ranks.start(0, "", line), ranks.start(1, &ahead, line)];
    let said = ended(started, &[&[0, 1], &[0]]);
    let named = "The clock of host1 is 3 s ahead of the clock of rank 0's host";
    assert!(said[0].contains(named), "{}", said[0]);
    let output = folder.path().join("run.plumb");
    let all = check_sums(&output, 2);
    let processes = &all.header.ranks.as_ref().expect("ranks").processes;
    let ahead_ns = processes[1].time_of_day_ahead_ns;
    assert!(
        (2_900_000_000..3_100_000_000).contains(&ahead_ns),
        "{ahead_ns}"
    );
    // The intervals of both are those of the same time.
    let both = all.ticks.iter().filter_map(|tick| tick.ranks);
    assert_eq!(both.map(|of| of.ranks).max(), Some(2));
}

#[test]
fn a_rank_with_another_token_is_named_on_both_sides_and_may_come_again() {
    let Some(folder) = folder() else { return };
    token(folder.path(), "other", "another token of some length\n");
    let ranks = Ranks {
        folder: folder.path(),
        port: free_port(),
        ranks: 2,
    };
    let line = "run --target null: --set think-time=2ms --time 400ms --set interval=200ms --quiet --output run.plumb";
    let first = ranks.start(0, "", line);
    let other = ranks.start(1, "export PLUMB_TOKEN_FILE=other", line);
    let said = ended(vec![other], &[&[2]]);
    assert!(
        said[0].contains("rank 1 on host1: ")
            && said[0].contains("the token differs from rank 0's"),
        "{}",
        said[0]
    );
    let again = ranks.start(1, "", line);
    let said = ended(vec![first, again], &[&[0, 1], &[0]]);
    assert!(
        said[0].contains("rejected as a rank: 127.0.0.1:")
            && said[0].contains("the token differs from rank 0's"),
        "{}",
        said[0]
    );
    check_sums(&folder.path().join("run.plumb"), 2);
}
