//! Does a run that is stopped leave everything unchanged?

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::{left_in, plumb_in};

/// A run in `folder` that goes on for longer than any test.
fn started(folder: &Path, line: &str) -> Child {
    let prepared = plumb_in(folder, line);
    let mut command = Command::new(prepared.get_program());
    command
        .args(prepared.get_args())
        .current_dir(folder)
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command.spawn().expect("started")
}

/// Sends a signal by its name, as a shell would.
fn send(child: &Child, signal: &str) {
    let sent = Command::new("kill")
        .args([&format!("-{signal}"), &child.id().to_string()])
        .status()
        .expect("kill is there");
    assert!(sent.success(), "{signal}");
}

/// Waits until something that the run makes is there.
fn await_file(path: &Path) {
    for _ in 0..600 {
        if std::fs::metadata(path).is_ok_and(|metadata| metadata.len() > 0) {
            return;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    panic!("{} did not come", path.display());
}

#[test]
fn a_signal_that_comes_twice_at_once_still_ends_a_run_in_good_order() {
    // `timeout` signals its child and then the group that the child is in.
    for signal in ["TERM", "INT", "HUP"] {
        let folder = tempfile::tempdir().expect("folder");
        let line = "run --target . --pattern random-write --size 4m --time 10m --interval 10ms --quiet --no-report --output out";
        let mut child = started(folder.path(), line);
        await_file(&folder.path().join("out/ticks.jsonl"));
        send(&child, signal);
        send(&child, signal);
        let status = child.wait().expect("ended");
        let expected = if signal == "INT" { 130 } else { 2 };
        assert_eq!(status.code(), Some(expected), "{signal}");
        assert_eq!(
            left_in(folder.path()),
            ["out"],
            "{signal}: what the run made is removed"
        );
    }
}

#[test]
fn a_signal_while_the_target_is_filled_leaves_nothing() {
    for (signal, code) in [("TERM", 2), ("INT", 130)] {
        let folder = tempfile::tempdir().expect("folder");
        let mut child = started(
            folder.path(),
            "run --target ./x --size 512m --time 10m --quiet --no-report --output out",
        );
        await_file(&folder.path().join("x"));
        send(&child, signal);
        assert_eq!(child.wait().expect("ended").code(), Some(code), "{signal}");
        assert!(
            !folder.path().join("x").exists(),
            "{:?}",
            left_in(folder.path())
        );
    }
}

#[test]
fn a_live_comparison_that_is_interrupted_keeps_its_blocks_and_leaves_the_targets_clean() {
    let folder = tempfile::tempdir().expect("folder");
    for target in ["a", "b"] {
        std::fs::create_dir(folder.path().join(target)).expect("folder");
    }
    let plan = "name = 'p'\n[defaults]\nsize = '1m'\ntime = '100ms'\ninterval = '20ms'\n[[step]]\nname = 'w'\npattern = 'random-write'\n";
    std::fs::write(folder.path().join("p.toml"), plan).expect("plan written");
    let mut child = started(
        folder.path(),
        "compare --live p.toml a b --rounds 900 --quiet --output out",
    );
    await_file(&folder.path().join("out/b/ticks.jsonl"));
    send(&child, "INT");
    assert_eq!(child.wait().expect("ended").code(), Some(130));
    for target in ["a", "b"] {
        assert!(left_in(&folder.path().join(target)).is_empty(), "{target}");
    }
    assert!(folder.path().join("out/report.html").exists());
}

/// Threads that do nothing but need a CPU, until they are dropped.
struct Busy(Vec<Child>);

impl Busy {
    fn new(count: usize) -> Busy {
        let busy = || {
            Command::new("sh")
                .args(["-c", "while :; do :; done"])
                .stdout(Stdio::null())
                .spawn()
                .expect("a shell")
        };
        Busy((0..count).map(|_| busy()).collect())
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Start and end of the intervals in a record, in nanoseconds since 1970; `plumb show` must be able to read it.
fn recorded(folder: &Path) -> Vec<(u64, u64)> {
    let run = plumb_record::read_run(&folder.join("out")).expect("readable");
    let started_ns = run.header.started_unix_ns;
    let mut intervals = Vec::new();
    plumb_record::each_tick(&folder.join("out"), |tick| {
        intervals.push((started_ns + tick.start_ns, started_ns + tick.end_ns))
    })
    .expect("readable");
    assert!(
        run.doubts
            .iter()
            .all(|doubt| doubt.id == "doubt-last-line-is-cut-off"),
        "{:?}",
        run.doubts
    );
    intervals
}

/// More than twice as many threads as CPUs want to run, and that of the program which shows and samples gets a CPU only when all others have had theirs.
#[test]
fn a_run_killed_on_a_busy_machine_keeps_its_intervals() {
    if Command::new("chrt").arg("--version").output().is_err() {
        return println!("skipped: there is no chrt to hold back the main thread with");
    }
    let cpus = std::thread::available_parallelism().map_or(2, usize::from);
    let _busy = Busy::new(2 * cpus + 1);
    for engine in ["sync", "io_uring", "mmap", "null"] {
        let folder = tempfile::tempdir().expect("folder");
        let target = if engine == "null" { "null:" } else { "." };
        let line = format!(
            "run --target {target} --engine {engine} --pattern random-read --size 4m --direct=false --time 10m --interval 10ms --quiet --no-report --output out"
        );
        let mut child = started(folder.path(), &line);
        await_file(&folder.path().join("out/ticks.jsonl"));
        // Without --all-tasks it is the main thread alone.
        let held_back = Command::new("chrt")
            .args(["--idle", "--pid", "0", &child.id().to_string()])
            .status()
            .expect("chrt");
        assert!(held_back.success());
        std::thread::sleep(Duration::from_secs(4));
        let killed_ns = std::time::UNIX_EPOCH
            .elapsed()
            .expect("after 1970")
            .as_nanos() as u64;
        send(&child, "KILL");
        child.wait().expect("ended");
        let intervals = recorded(folder.path());
        assert!(
            intervals.windows(2).all(|pair| pair[1].0 <= pair[0].1),
            "{engine}: none is missing between others"
        );
        let last_ns = intervals.last().expect("intervals").1;
        let lost_ms = killed_ns.saturating_sub(last_ns) / 1_000_000;
        println!(
            "{engine}: {} intervals, the last ended {lost_ms} ms before the kill",
            intervals.len()
        );
        assert!(
            lost_ms < 1_000,
            "{engine}: {lost_ms} ms of the end are missing"
        );
    }
}
