//! Does `plumb run` measure memory that `plumb serve-net --rdma` provides, and is the peer's end described correctly?

use std::io::{BufRead, BufReader, Write as _};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::Value;

use crate::ports::free_port;
use crate::{measured, plumb_in, refusal_of};

/// Without libfabric nothing can be lent; CI installs it.
fn is_there() -> bool {
    let is_there = plumb_load::fabric::listing()
        .map_err(|reason| println!("skipped: {reason}"))
        .is_ok();
    assert!(
        is_there || std::env::var_os("CI").is_none(),
        "CI installs libfabric1"
    );
    is_there
}

/// `plumb serve-net --rdma` on loopback, stopped by its number when it is dropped.
struct Peer {
    child: Child,
    port: u16,
    lines: Receiver<String>,
}

impl Peer {
    fn start(port: u16) -> Peer {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin("plumb"));
        command.args([
            "serve-net",
            "--listen",
            "127.0.0.1:0",
            &format!("--rdma=127.0.0.1:{port}"),
        ]);
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("started");
        let error = child.stderr.take().expect("standard error");
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            BufReader::new(error)
                .lines()
                .map_while(Result::ok)
                .try_for_each(|line| sender.send(line))
        });
        let mut peer = Peer { child, port, lines };
        let line = peer.line_with("providing memory");
        let address = line
            .split_whitespace()
            .find(|word| word.starts_with("127.0.0.1:"))
            .expect("address");
        peer.port = address
            .trim_end_matches(',')
            .rsplit(':')
            .next()
            .and_then(|port| port.parse().ok())
            .expect("port");
        peer
    }

    /// The next line with these words.
    fn line_with(&self, words: &str) -> String {
        loop {
            let line = self
                .lines
                .recv_timeout(Duration::from_secs(30))
                .unwrap_or_else(|_| panic!("no line says '{words}'"));
            if line.contains(words) {
                return line;
            }
        }
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn run(port: u16, flags: &str) -> Value {
    let folder = tempfile::tempdir().expect("folder");
    let line = format!(
        "run --target rdma://127.0.0.1:{port} --set provider=tcp --interval 100ms --output out --json --quiet {flags}"
    );
    measured(plumb_in(folder.path(), &line))
}

#[test]
fn memory_is_read_and_written_and_messages_are_exchanged() {
    if !is_there() {
        return;
    }
    let peer = Peer::start(0);
    for (mix, kind, block, depth) in [
        ("read", "read", 65_536u64, 16),
        ("write", "write", 8, 1),
        ("send", "send", 4096, 8),
        ("receive", "receive", 4096, 8),
        ("ping-pong", "ping-pong", 8, 1),
        ("ping-pong --set ping-pong-by=write", "ping-pong", 8, 1),
        (
            "ping-pong --set ping-pong-by=write --set iopoll=true",
            "ping-pong",
            65_536,
            1,
        ),
    ] {
        let summary = run(
            peer.port,
            &format!("--set mix={mix} --block {block} --depth {depth} --time 300ms"),
        );
        let operations = &summary["steps"][0]["operations"][kind];
        let count = operations["count"]
            .as_u64()
            .unwrap_or_else(|| panic!("{mix}: {summary}"));
        let directions = if kind == "ping-pong" { 2 } else { 1 };
        assert!(count > 0, "{mix}");
        assert_eq!(
            operations["bytes"].as_u64(),
            Some(count * block * directions),
            "{mix}"
        );
        assert_eq!(operations["errors"], 0, "{mix}");
        assert_eq!(summary["steps"][0]["engine"], "rdma");
    }
    assert!(peer.line_with("tcp").contains("bytes of memory"));
}

#[test]
fn what_is_written_by_one_step_is_verified_by_the_next() {
    if !is_there() {
        return;
    }
    let peer = Peer::start(0);
    let folder = tempfile::tempdir().expect("folder");
    let plan = format!(
        "name = \"verified\"\ntitle = \"Is it there?\"\n[defaults]\ntarget = \"rdma://127.0.0.1:{}\"\nsize = \"4m\"\nblock = \"4k\"\ndepth = 8\n\
         verify = true\noffsets = \"sequential\"\ntime = \"400ms\"\n[[step]]\nname = \"write\"\nmix = \"write\"\n[[step]]\nname = \"read\"\nmix = \"read\"\n",
        peer.port
    );
    std::fs::File::create(folder.path().join("plan.toml"))
        .and_then(|mut file| file.write_all(plan.as_bytes()))
        .expect("plan");
    let summary = measured(plumb_in(
        folder.path(),
        "run plan.toml --output out --json --quiet",
    ));
    for (step, kind) in [(0, "write"), (1, "read")] {
        let operations = &summary["steps"][step]["operations"][kind];
        assert!(
            operations["count"].as_u64().expect("count") > 1024 && operations["errors"] == 0,
            "{operations}"
        );
    }
    let notes = std::fs::read_to_string(folder.path().join("out/notes.jsonl")).expect("notes");
    assert!(notes.contains("\"verified-all\""), "{notes}");
    assert!(
        notes.contains("\"memory\":\"new\"") && notes.contains("\"memory\":\"kept\""),
        "{notes}"
    );
    // Two sizes are two memories.
    let other = plan.replace("mix = \"read\"", "mix = \"read\"\nsize = \"2m\"");
    std::fs::write(folder.path().join("other.toml"), other).expect("plan");
    let error = refusal_of(plumb_in(
        folder.path(),
        "run other.toml --output other --quiet",
    ));
    assert!(
        error.contains("the same size in all steps") && error.contains("set size"),
        "{error}"
    );
}

#[test]
fn a_peer_that_is_killed_and_started_again_is_a_gap_in_the_run() {
    if !is_there() {
        return;
    }
    let peer = Peer::start(0);
    let port = peer.port;
    let folder = tempfile::tempdir().expect("folder");
    let line = format!(
        "run --target rdma://127.0.0.1:{port} --set mix=read --block 4k --depth 4 --time 8s --interval 100ms --output out --quiet --no-report"
    );
    let mut command = Command::new(assert_cmd::cargo::cargo_bin("plumb"));
    let mut load = command
        .current_dir(folder.path())
        .args(line.split_whitespace())
        .stdout(Stdio::null())
        .spawn()
        .expect("started");
    peer.line_with("bytes of memory");
    let ticks = folder.path().join("out/ticks.jsonl");
    while std::fs::read_to_string(&ticks).map_or(0, |text| text.lines().count()) < 5 {
        std::thread::sleep(Duration::from_millis(50));
        assert_eq!(load.try_wait().expect("load"), None, "the run is under way");
    }
    drop(peer);
    std::thread::sleep(Duration::from_millis(500));
    let again = Peer::start(port);
    again.line_with("bytes of memory");
    let status = load.wait().expect("ended");
    assert!(matches!(status.code(), Some(0 | 1)), "{status}");
    let notes = std::fs::read_to_string(folder.path().join("out/notes.jsonl")).expect("notes");
    assert!(
        notes.contains("\"lost\"")
            && notes.contains("\"restored\"")
            && notes.contains("connection-restored-memory-new"),
        "{notes}"
    );
    assert!(notes.contains("\"reconnects\":1.0"), "{notes}");
    let after = std::fs::read_to_string(&ticks).expect("ticks");
    assert!(
        after
            .lines()
            .last()
            .is_some_and(|line| line.contains("\"read\"")),
        "operations go on"
    );
}

#[test]
fn what_cannot_be_had_is_one_clear_sentence() {
    let port = free_port();
    let folder = tempfile::tempdir().expect("folder");
    let refused = |flags: &str| {
        refusal_of(plumb_in(
            folder.path(),
            &format!("run --target rdma://127.0.0.1:{port} --quiet --output out --time 1s {flags}"),
        ))
    };
    let error = refused("--set mix=ping-pong --set ping-pong-by=write --depth 2");
    assert!(
        error.contains("one message is in flight at a time") && error.contains("depth = 1"),
        "{error}"
    );
    let error = refused("--set mix=stat");
    assert!(
        error.contains("rdma://") && error.contains("does not support stat"),
        "{error}"
    );
    if is_there() {
        let line = format!(
            "run --target rdma://127.0.0.1:{port} --quiet --output out --time 1s --set mix=read"
        );
        let output = plumb_in(folder.path(), &line).output().expect("started");
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{error}");
        assert!(
            error.contains("no peer responds")
                && error.contains("plumb serve-net --listen any --rdma"),
            "{error}"
        );
    }
}
