//! Are messages with real peers, `plumb serve-net` and `iperf3 -s`, counted identically at both ends, and is a broken connection handled?

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::hosts::Hosts;
use crate::ports::free_port;
use crate::{left_in, measured, plumb_in, refusal_of};

/// A peer that was started for one test, and is stopped by its number.
struct Peer {
    child: Child,
    port: u16,
}

impl Drop for Peer {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// `plumb serve-net` on a port that is free; it says itself which one it got.
fn serve_net(more: &[&str]) -> Peer {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin("plumb"));
    command
        .args(["serve-net", "--listen", "127.0.0.1:0"])
        .args(more)
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    let mut child = command.spawn().expect("started");
    let mut lines = BufReader::new(child.stderr.take().expect("piped")).lines();
    let first = lines.next().expect("a line").expect("text");
    // What it says of its clients must not fill the pipe.
    std::thread::spawn(move || lines.for_each(drop));
    let port = first
        .strip_prefix("listening on 127.0.0.1:")
        .and_then(|rest| rest.split(',').next()?.parse().ok());
    Peer {
        child,
        port: port.unwrap_or_else(|| panic!("{first}")),
    }
}

/// A real `iperf3 -s`; `None` where it is not installed.
fn iperf3() -> Option<Peer> {
    if Command::new("iperf3")
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_err()
    {
        println!("skipped: iperf3 is not installed");
        return None;
    }
    let port = free_port();
    let mut command = Command::new("iperf3");
    command
        .args(["-s", "--bind", "127.0.0.1", "-p", &port.to_string()])
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let peer = Peer {
        child: command.spawn().expect("started"),
        port,
    };
    for _ in 0..200 {
        if is_listening(port) {
            return Some(peer);
        }
        std::thread::sleep(Duration::from_millis(25));
    }
    panic!("iperf3 does not listen");
}

/// Whether someone listens on a port, without talking to him: the kernel's own list (proc_net_tcp, state 0A).
fn is_listening(port: u16) -> bool {
    let wanted = format!(":{port:04X} 00000000:0000 0A");
    std::fs::read_to_string("/proc/net/tcp").is_ok_and(|sockets| sockets.contains(&wanted))
}

fn notes(folder: &Path, event: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(folder.join("out/notes.jsonl")).expect("notes");
    let notes = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    notes.filter(|note| note["event"] == event).collect()
}

/// What the engines of a run counted, added up by name.
fn counted(folder: &Path, name: &str) -> u64 {
    notes(folder, "engine-closed")
        .iter()
        .filter_map(|note| note["account"]["numbers"][name].as_f64())
        .sum::<f64>() as u64
}

fn run(scheme: &str, port: u16, rest: &str) -> (tempfile::TempDir, Value) {
    let folder = tempfile::tempdir().expect("folder");
    let line =
        format!("run --target {scheme}://127.0.0.1:{port} {rest} --json --quiet --output out");
    let summary = measured(plumb_in(folder.path(), &line));
    (folder, summary)
}

/// A run that goes on, and has measured already: `plumb` with the words of this line, which name the folder `out`.
fn measuring(mut plumb: Command, folder: &Path, line: &str) -> Child {
    plumb
        .args(line.split_whitespace())
        .current_dir(folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = plumb.spawn().expect("started");
    while std::fs::metadata(folder.join("out/ticks.jsonl")).map_or(0, |file| file.len()) == 0 {
        assert!(
            child.try_wait().expect("waited").is_none(),
            "ended before it was cut"
        );
        std::thread::sleep(Duration::from_millis(20));
    }
    child
}

#[test]
fn both_ends_count_the_same_bytes() {
    let peer = serve_net(&[]);
    for (mix, own, by_peer) in [
        ("send", "bytes_sent", "bytes_received_by_peer"),
        ("receive", "bytes_received", "bytes_sent_by_peer"),
        ("ping-pong", "bytes_sent", "bytes_received_by_peer"),
        (
            "send:1,receive:1,ping-pong:2",
            "bytes_received",
            "bytes_sent_by_peer",
        ),
    ] {
        let (folder, summary) = run(
            "tcp",
            peer.port,
            &format!("--set mix={mix} --block 64k --workers 2 --operations 2000 --set window=256k"),
        );
        let step = &summary["steps"][0];
        assert_eq!(
            (&step["total"]["count"], &step["total"]["errors"]),
            (&2000.into(), &0.into()),
            "{mix}"
        );
        assert!(counted(folder.path(), own) > 0, "{mix}");
        assert_eq!(
            counted(folder.path(), own),
            counted(folder.path(), by_peer),
            "{mix}"
        );
        assert!(
            notes(folder.path(), "warning").is_empty(),
            "{mix}: {:?}",
            notes(folder.path(), "warning")
        );
        let connection = &step["engine_record"]["connection"];
        for fact in [
            "peer_address",
            "congestion_control",
            "send_buffer_bytes",
            "peer_receive_buffer_bytes",
            "window_asked_bytes",
        ] {
            assert!(
                connection[fact].is_string(),
                "{mix}: {fact} in {connection}"
            );
        }
    }
}

#[test]
fn a_round_trip_counts_its_bytes_twice_and_its_time_is_told_one_way() {
    let peer = serve_net(&[]);
    let (_folder, summary) = run(
        "tcp",
        peer.port,
        "--set mix=ping-pong --block 1 --operations 3000",
    );
    let total = &summary["steps"][0]["total"];
    assert_eq!(
        (&total["count"], &total["bytes"]),
        (&3000.into(), &6000.into())
    );
    let verdict = summary["verdict"][0]["text"].as_str().expect("a verdict");
    assert!(
        verdict.starts_with("A message of 1 B takes ")
            && verdict.contains("one way: half of the median round trip of"),
        "{verdict}"
    );
}

/// Messages larger than the socket takes at once, by calls that come back at once when they move nothing.
#[test]
fn messages_come_whole_over_a_socket_that_is_polled() {
    let peer = serve_net(&[]);
    for mix in ["ping-pong", "send", "receive"] {
        let line =
            format!("--set mix={mix} --set busy-poll=true --block 64,8k,8m --operations 300");
        let (folder, summary) = run("tcp", peer.port, &line);
        let step = &summary["steps"][0];
        let active = step["engine_record"]["active"].to_string();
        assert!(active.contains("busy polling"), "{active}");
        assert_eq!(step["total"]["count"], 300, "{mix}: {step}");
        assert_eq!(counted(folder.path(), "reconnects"), 0, "{mix}");
        let (sent, arrived) = (
            counted(folder.path(), "bytes_sent"),
            counted(folder.path(), "bytes_received_by_peer"),
        );
        assert_eq!(sent, arrived, "{mix}");
    }
}

/// What is discarded in the kernel is counted as what is copied, at both ends.
#[test]
fn a_stream_that_is_discarded_is_counted_alike_at_both_ends() {
    let peer = serve_net(&[]);
    for polls in [false, true] {
        let line = format!(
            "--set mix=receive --set skip-rx-copy=true --set busy-poll={polls} --block 1m --operations 300"
        );
        let (folder, summary) = run("tcp", peer.port, &line);
        let step = &summary["steps"][0];
        let active = step["engine_record"]["active"].to_string();
        assert!(active.contains("discarded in the kernel"), "{active}");
        assert_eq!(step["total"]["bytes"], 300u64 << 20, "{step}");
        let (received, sent) = (
            counted(folder.path(), "bytes_received"),
            counted(folder.path(), "bytes_sent_by_peer"),
        );
        assert!(received == sent && sent >= 300 << 20, "{received} {sent}");
    }
}

#[test]
fn messages_of_several_sizes_come_back_on_one_connection() {
    let peer = serve_net(&[]);
    let (folder, summary) = run(
        "tcp",
        peer.port,
        "--set mix=ping-pong --block 1:50,3:25,65536:25 --operations 4000 --seed 3",
    );
    assert_eq!(summary["steps"][0]["total"]["errors"], 0);
    assert_eq!(
        summary["steps"][0]["total"]["bytes"]
            .as_u64()
            .expect("bytes"),
        2 * counted(folder.path(), "bytes_sent")
    );
}

#[test]
fn the_built_in_ladders_run_and_are_drawn() {
    let peer = serve_net(&[]);
    let folder = tempfile::tempdir().expect("folder");
    let line = format!(
        "run netpipe tcp://127.0.0.1:{} --time 10ms --set warm-up=0 --interval 10ms --rounds 1 --json --quiet --output out",
        peer.port
    );
    let summary = measured(plumb_in(folder.path(), &line));
    assert_eq!(summary["steps"].as_array().expect("steps").len(), 124 + 12);
    assert!(
        summary["steps"]
            .as_array()
            .expect("steps")
            .iter()
            .all(|step| step["total"]["errors"] == 0)
    );
    let said: Vec<&str> = summary["verdict"]
        .as_array()
        .expect("verdict")
        .iter()
        .filter_map(|sentence| sentence["text"].as_str())
        .collect();
    assert!(
        said.iter()
            .any(|text| text.contains("Ping-pong reaches") && text.contains("bit/s")),
        "{said:?}"
    );
    let page = std::fs::read_to_string(folder.path().join("out/report.html")).expect("a report");
    assert!(
        page.contains("Bandwidth by message size") && page.contains("One-way time by message size")
    );
    let folder = tempfile::tempdir().expect("folder");
    let line = format!(
        "run network-stream tcp://127.0.0.1:{} --time 100ms --set warm-up=0 --json --quiet --output out",
        peer.port
    );
    let summary = measured(plumb_in(folder.path(), &line));
    assert_eq!(summary["steps"].as_array().expect("steps").len(), 7);
    let said = summary["verdict"].to_string();
    assert!(
        said.contains("Sent over 4 connections") && said.contains("At the same time ('both'): "),
        "{said}"
    );
}

#[test]
fn a_real_iperf3_server_counts_what_was_sent_and_received() {
    let Some(peer) = iperf3() else { return };
    for (mix, workers, own, by_peer) in [
        ("send", 1, "bytes_sent", "bytes_received_by_peer"),
        ("receive", 3, "bytes_received", "bytes_sent_by_peer"),
        ("send", 2, "bytes_sent", "bytes_received_by_peer"),
    ] {
        let (folder, summary) = run(
            "iperf3",
            peer.port,
            &format!(
                "--set mix={mix} --block 128k --workers {workers} --time 500ms --interval 100ms"
            ),
        );
        assert_eq!(summary["steps"][0]["total"]["errors"], 0, "{mix}");
        let (own, by_peer) = (counted(folder.path(), own), counted(folder.path(), by_peer));
        assert!(
            own > 0 && by_peer > 0,
            "{mix}: {own} {by_peer} {:?}",
            notes(folder.path(), "warning")
        );
        // What is under way when the test ends counts at the end that sends alone.
        let (sent, received) = if mix == "send" {
            (own, by_peer)
        } else {
            (by_peer, own)
        };
        assert!(
            received <= sent && sent - received < 64 << 20,
            "{mix}: {sent} {received}"
        );
        assert!(
            notes(folder.path(), "engine-closed")
                .iter()
                .any(|note| note["account"]["numbers"]["peer_cpu_system_s"].is_number())
        );
    }
}

#[test]
fn streams_of_both_directions_are_one_test_of_a_real_iperf3_server() {
    let Some(peer) = iperf3() else { return };
    let folder = tempfile::tempdir().expect("folder");
    let line = format!(
        "run network-stream iperf3://127.0.0.1:{} --time 200ms --set warm-up=0 --interval 100ms --json --quiet --output out",
        peer.port
    );
    let summary = measured(plumb_in(folder.path(), &line));
    let steps = summary["steps"].as_array().expect("steps");
    let last = steps.last().expect("a step");
    assert_eq!(
        (steps.len(), last["name"].as_str(), &last["total"]["errors"]),
        (7, Some("both"), &Value::from(0))
    );
    let numbers = &last["connections"]["numbers"];
    let number = |name: &str| {
        numbers[name]
            .as_f64()
            .unwrap_or_else(|| panic!("{name}: {numbers}"))
    };
    // What is under way when the test ends counts at the end that sends alone.
    for (sent, received) in [
        ("bytes_sent", "bytes_received_by_peer"),
        ("bytes_sent_by_peer", "bytes_received"),
    ] {
        let (sent, received) = (number(sent), number(received));
        assert!(
            received > 0.0 && received <= sent && sent - received < f64::from(64 << 20),
            "{sent} {received}"
        );
    }
    assert!(
        summary["verdict"]
            .to_string()
            .contains("At the same time ('both'): send "),
        "{}",
        summary["verdict"]
    );

    let plan = format!(
        "name = 'uneven'\n[defaults]\ntarget = 'iperf3://127.0.0.1:{}'\ntime = '1s'\n\
         [[step]]\nname = 'a'\nmix = 'send'\nworkers = 2\n[[step.beside]]\nname = 'b'\nmix = 'receive'\n",
        peer.port
    );
    std::fs::write(folder.path().join("uneven.toml"), plan).expect("written");
    let error = refusal_of_run(folder.path(), "run uneven.toml --quiet --output uneven");
    assert!(
        error.contains("here 2 send and 1 receive; give the jobs the same number of workers"),
        "{error}"
    );
}

#[test]
fn an_iperf3_server_that_is_killed_ends_its_step() {
    let Some(mut peer) = iperf3() else { return };
    let folder = tempfile::tempdir().expect("folder");
    let line = format!(
        "run --target iperf3://127.0.0.1:{} --set mix=receive --time 10m --interval 50ms --json --quiet --output out",
        peer.port
    );
    let child = measuring(
        Command::new(assert_cmd::cargo::cargo_bin("plumb")),
        folder.path(),
        &line,
    );
    peer.child.kill().expect("killed");
    let output = child.wait_with_output().expect("ended");
    let summary: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let step = &summary["steps"][0];
    assert!(
        step["ended_with"][0]["text"]
            .as_str()
            .is_some_and(|by| by.contains("cannot be resumed")),
        "{step}"
    );
    assert_eq!(
        (output.status.code(), &step["total"]["errors"]),
        (Some(1), &Value::from(1))
    );
    let said = summary["verdict"].to_string();
    assert!(
        said.contains("the step ended there, and its figures cover the time until then"),
        "{said}"
    );
}

#[test]
fn a_busy_iperf3_server_is_told() {
    let Some(peer) = iperf3() else { return };
    let busy = Command::new("iperf3")
        .args([
            "-c",
            "127.0.0.1",
            "-b",
            "1M",
            "-t",
            "60",
            "-p",
            &peer.port.to_string(),
        ])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let _busy = Peer {
        child: busy.expect("started"),
        port: 0,
    };
    // The client has its test once the server holds its two connections.
    let established = format!(":{:04X} ", peer.port);
    for _ in 0..200 {
        let sockets = std::fs::read_to_string("/proc/net/tcp").expect("sockets");
        if sockets
            .lines()
            .filter(|line| line.contains(&established) && line.contains(" 01 "))
            .count()
            >= 4
        {
            break;
        }
        std::thread::sleep(Duration::from_millis(25));
    }
    let folder = tempfile::tempdir().expect("folder");
    let line = format!(
        "run --target iperf3://127.0.0.1:{} --set mix=send --time 1s --quiet --output out",
        peer.port
    );
    let error = refusal_of_run(folder.path(), &line);
    assert!(
        error
            .contains("is busy with another test, and runs one at a time; wait until it has ended"),
        "{error}"
    );
}

/// What a run says that could not start a step, with exit code 2; its record tells of it on standard output.
fn refusal_of_run(folder: &Path, line: &str) -> String {
    let output = plumb_in(folder, line).output().expect("started");
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert!(!error.contains("panicked"), "{error}");
    error
}

#[test]
fn a_peer_that_is_none_is_told_apart() {
    let refused = |port: u16, scheme: &str, expected: &str| {
        let folder = tempfile::tempdir().expect("folder");
        let line = format!(
            "run --target {scheme}://127.0.0.1:{port} --set mix=send --time 1s --quiet --output out"
        );
        let error = refusal_of_run(folder.path(), &line);
        assert!(error.contains(expected), "{error}");
    };
    let nobody = free_port();
    refused(nobody, "tcp", "nothing listens at 127.0.0.1");
    refused(
        nobody,
        "tcp",
        "start 'plumb serve-net --listen any' on that host",
    );
    refused(
        nobody,
        "tcp",
        &format!("tcp://127.0.0.1:{nobody} cannot be measured"),
    );
    refused(nobody, "iperf3", "start 'iperf3 -s' on that host");
    let foreign = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = foreign.local_addr().expect("address").port();
    std::thread::spawn(move || {
        for mut stream in foreign.incoming().map_while(Result::ok) {
            // Enough for any greeting that is waited for; then it goes.
            let _ = stream.write_all(&[b'?'; 64]);
            let _ = stream.read(&mut [0; 64]);
        }
    });
    refused(
        port,
        "tcp",
        "not 'plumb serve-net' (it uses another protocol)",
    );
    refused(port, "iperf3", "is not an iperf3 server");
    let elsewhere = serve_net(&["--allow", "192.0.2.1"]);
    refused(
        elsewhere.port,
        "tcp",
        "it does not serve this address; start it with --allow",
    );
}

#[test]
fn garbage_does_not_hurt_the_responder() {
    let peer = serve_net(&[]);
    let connect = || TcpStream::connect(("127.0.0.1", peer.port)).expect("connected");
    // Nothing, half a greeting, letters, zeros, ones, and a greeting that asks for a message of 4 GiB.
    let mut huge = [0u8; 32];
    huge[..8].copy_from_slice(b"plumbnet");
    (huge[8], huge[10]) = (1, 3);
    huge[12..16].fill(0xff);
    let letters = vec![b'G'; 100_000];
    for garbage in [
        &b""[..],
        b"plumbnet",
        &letters,
        &[0; 32],
        &[0xff; 4096],
        &huge,
    ] {
        let mut stream = connect();
        // The responder may have closed before everything was written.
        let _ = stream.write_all(garbage);
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        assert!(answer.len() <= 32, "{} bytes", answer.len());
    }
    // A framed ping-pong whose message is longer than announced.
    let mut long = huge;
    long[12..16].copy_from_slice(&8u32.to_le_bytes());
    long[11] = 1;
    let mut stream = connect();
    stream.write_all(&long).expect("written");
    let _ = stream.write_all(&u32::MAX.to_le_bytes());
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    assert_eq!(answer.len(), 32, "welcomed, then dropped");
    let (_folder, summary) = run(
        "tcp",
        peer.port,
        "--set mix=ping-pong --block 8 --operations 100",
    );
    assert_eq!(
        summary["steps"][0]["total"]["count"], 100,
        "it still serves"
    );
}

#[test]
fn the_responder_ends_in_good_order() {
    for signal in ["TERM", "INT"] {
        let mut peer = serve_net(&[]);
        let mut idle = TcpStream::connect(("127.0.0.1", peer.port)).expect("connected");
        let sent = Command::new("kill")
            .args([&format!("-{signal}"), &peer.child.id().to_string()])
            .status()
            .expect("kill");
        assert!(sent.success());
        assert_eq!(
            peer.child.wait().expect("ended").code(),
            Some(0),
            "{signal}"
        );
        assert!(
            matches!(idle.read(&mut [0; 1]), Ok(0) | Err(_)),
            "connections are closed"
        );
    }
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let folder = tempfile::tempdir().expect("folder");
    let error = refusal_of(plumb_in(
        folder.path(),
        &format!(
            "serve-net --listen {}",
            taken.local_addr().expect("address")
        ),
    ));
    assert!(
        error.contains("cannot listen on 127.0.0.1:") && error.contains("--listen ADDRESS:PORT"),
        "{error}"
    );
    let error = refusal_of(plumb_in(folder.path(), "serve-net --listen everywhere"));
    assert!(error.contains("--listen"), "{error}");
    assert!(left_in(folder.path()).is_empty());
}

#[test]
fn a_responder_that_is_killed_and_started_again_is_found_again() {
    let mut peer = serve_net(&[]);
    let folder = tempfile::tempdir().expect("folder");
    let line = format!(
        "run --target tcp://127.0.0.1:{} --set mix=ping-pong --block 4k --time 6s --interval 50ms --json --quiet --output out",
        peer.port
    );
    let child = measuring(
        Command::new(assert_cmd::cargo::cargo_bin("plumb")),
        folder.path(),
        &line,
    );
    let port = peer.port;
    peer.child.kill().expect("killed");
    peer.child.wait().expect("gone");
    std::thread::sleep(Duration::from_millis(700));
    let again = Command::new(assert_cmd::cargo::cargo_bin("plumb"))
        .args(["serve-net", "--listen", &format!("127.0.0.1:{port}")])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let _again = Peer {
        child: again.expect("started"),
        port,
    };
    let output = child.wait_with_output().expect("ended");
    let summary: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let states: Vec<Value> = notes(folder.path(), "connection")
        .into_iter()
        .map(|note| note["state"].clone())
        .collect();
    assert_eq!(
        states,
        ["lost", "restored"],
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let total = &summary["steps"][0]["total"];
    assert!(
        total["errors_by_kind"]["ENOTCONN"]
            .as_u64()
            .expect("failures in the gap")
            >= 1,
        "{total}"
    );
    assert_eq!(counted(folder.path(), "reconnects"), 1);
    assert_eq!(summary["steps"][0]["ended_by"], "time");
}

#[test]
fn a_cut_link_between_two_hosts_is_a_gap_and_no_end() {
    let Some(hosts) = Hosts::new(7) else { return };
    let plumb = assert_cmd::cargo::cargo_bin("plumb");
    let plumb = plumb.to_str().expect("a path");
    let server = hosts
        .on(1, plumb)
        .args(["serve-net", "--listen", "10.231.7.2:7473"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let _server = Peer {
        child: server.expect("started"),
        port: 7473,
    };
    let folder = tempfile::tempdir().expect("folder");
    std::thread::sleep(Duration::from_millis(500));
    let line = "run --target tcp://10.231.7.2 --set mix=ping-pong --block 1k --time 12s --interval 100ms --json --quiet --output out";
    let child = measuring(hosts.on(0, plumb), folder.path(), line);
    hosts.link("down");
    std::thread::sleep(Duration::from_secs(4));
    hosts.link("up");
    let output = child.wait_with_output().expect("ended");
    let summary: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let connections = notes(folder.path(), "connection");
    let states: Vec<&Value> = connections.iter().map(|note| &note["state"]).collect();
    assert_eq!(
        states,
        ["lost", "restored"],
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(
        connections[0]["text"]
            .to_string()
            .contains("cause-no-byte-moved"),
        "{connections:?}"
    );
    // The gap begins with the last message, and not when it was noticed two seconds later.
    let time = |note: &Value| note["time_ns"].as_u64().expect("a time");
    let mut moved = Vec::new();
    let take = |tick: &plumb_model::run::tick::Tick| {
        moved.extend(
            tick.kinds
                .iter()
                .any(|kind| kind.count > 0)
                .then_some(tick.end_ns),
        )
    };
    plumb_record::each_tick(&folder.path().join("out"), take).expect("ticks");
    let last = moved
        .into_iter()
        .filter(|end_ns| *end_ns < time(&connections[1]))
        .max()
        .expect("messages before the cut");
    assert!(
        time(&connections[0]) < last + 1_000_000_000,
        "{connections:?}: {last}"
    );
    assert_eq!(summary["steps"][0]["ended_by"], "time");
    assert!(
        summary["steps"][0]["total"]["errors_by_kind"]["ETIMEDOUT"]
            .as_u64()
            .expect("the message that was cut")
            == 1
    );
}
