//! Does `plumb explain` find the limit of a real share, and does the advised change give the predicted gain? Samba, a network with a known delay, captures.

use std::path::Path;
use std::time::Duration;

use assert_cmd::Command;
use serde_json::Value;

use crate::explain::{finding, interval};
use crate::hosts::Hosts;
use crate::samba::{PASSWORD, Samba, is_installed};
use crate::slow_network::{Slowness, slow_network};
use crate::trace::{Capture, can_capture};
use crate::{json_of, measured, plumb_in};

/// Requests per second of plumb's own SMB engine with these settings.
fn rate(command: impl Into<Command>) -> f64 {
    let mut command = command.into();
    command.env("PLUMB_PASSWORD", PASSWORD);
    let summary = measured(command);
    summary["steps"][0]["total"]["iops"]
        .as_f64()
        .expect("a rate")
}

fn line(address: &str, output: &str, more: &str) -> String {
    format!(
        "run --target {address} --pattern random-read --size 4m --set warm-up=0s --time 4s {more} \
         --quiet --json --no-report --output {output}"
    )
}

/// The explanation of a capture in which plumb reads with these settings, and how to name the recording; again where the kernel dropped packets or where other work
/// on the machine disturbed it, so that a gate is closed.
pub fn captured(folder: &Path, port: u16, mut load: impl FnMut(u32)) -> (Value, String) {
    let mut withheld = Vec::new();
    for round in 0..5 {
        let name = format!("{round}.pcap");
        let capture = Capture::start(&folder.join(&name), port);
        load(round);
        if capture.taken().is_none() {
            withheld.push("packets were dropped".to_string());
            continue;
        }
        // Before and after the requests of the load, plumb looks at files, and makes and removes them.
        let recording = format!("{name} --from 2s --to 5s");
        let output = plumb_in(folder, &format!("explain {recording} --json"))
            .output()
            .expect("plumb");
        let explained: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        match output.status.code() {
            Some(0) => return (explained, recording),
            Some(2) => withheld.push(explained["withheld"].to_string()),
            code => panic!("{code:?}: {explained:#}"),
        }
    }
    panic!("each of the captures was disturbed: {withheld:#?}");
}

/// The same, again where the rule abstained: what the machine did in between hid from it how the requests depend on each other.
fn captured_for(folder: &Path, port: u16, rule: &str, mut load: impl FnMut(u32)) -> Value {
    let mut number = 0;
    for attempt in 0..4 {
        let each = folder.join(format!("attempt{attempt}"));
        std::fs::create_dir(&each).expect("a folder");
        let (explained, _) = captured(&each, port, |_| {
            load(number);
            number += 1;
        });
        let abstained = explained["abstained"].as_array().expect("a list");
        if !abstained.iter().any(|of| of["rule"] == rule) {
            return explained;
        }
        println!("{rule} abstained: {:#}", explained["abstained"]);
    }
    panic!("{rule} abstained in each of four captures");
}

/// The file that is read is there before the capture begins: to write it is other work.
pub fn fill(server: &Samba) {
    let mut content = vec![0u8; 4 << 20];
    let mut state = 1u64;
    for byte in &mut content {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        *byte = (state >> 56) as u8;
    }
    std::fs::write(server.share().join("f"), content).expect("a file");
}

pub fn is_possible() -> bool {
    is_installed() && can_capture()
}

/// Through a network with a delay, on the client's side of which is captured.
fn delayed(server: &Samba, delay: Duration) -> (u16, String) {
    let slowness = Slowness {
        delay,
        bytes_per_s: None,
    };
    let port = slow_network(format!("127.0.0.1:{}", server.port), slowness);
    let address = format!("smb://{}@127.0.0.1:{port}/share/f", server.user);
    (port, address)
}

#[test]
fn one_request_at_a_time_over_a_delay_gains_what_is_predicted_for_eight() {
    if !is_possible() {
        return;
    }
    let server = Samba::start(&[]);
    fill(&server);
    let (port, address) = delayed(&server, Duration::from_millis(5));
    let folder = tempfile::tempdir().expect("folder");
    let mut one = 0.0;
    let rule = "too_few_outstanding_requests";
    let explained = captured_for(folder.path(), port, rule, |round| {
        let line = line(&address, &format!("one{round}"), "--block 16k --depth 1");
        one = rate(plumb_in(folder.path(), &line));
    });
    let found = finding(&explained, rule);
    let (low, high) = interval(found);
    // Other work on the machine takes more from one than from the other: both are measured again then, close together.
    let holds = (0..5).any(|round| {
        if round > 0 {
            let line = line(&address, &format!("again{round}"), "--block 16k --depth 1");
            one = rate(plumb_in(folder.path(), &line));
        }
        let eight = line(&address, &format!("eight{round}"), "--block 16k --depth 8");
        let gain = rate(plumb_in(folder.path(), &eight)) / one;
        println!("one at a time over 10 ms: predicted {low:.2} to {high:.2}, measured {gain:.2}");
        (low..=high).contains(&gain)
    });
    assert!(holds, "{found:#}");
}

#[test]
fn pauses_between_requests_are_the_applications() {
    if !is_possible() {
        return;
    }
    let server = Samba::start(&[]);
    fill(&server);
    let (port, address) = delayed(&server, Duration::from_millis(2));
    let folder = tempfile::tempdir().expect("folder");
    let mut paused = 0.0;
    let (explained, _) = captured(folder.path(), port, |round| {
        let more = "--block 16k --depth 1 --set think-time=15ms";
        let line = line(&address, &format!("paused{round}"), more);
        paused = rate(plumb_in(folder.path(), &line));
    });
    assert_eq!(
        explained["findings"][0]["rule"], "storage_waits_for_application",
        "{explained:#}"
    );
    let (low, high) = interval(&explained["findings"][0]);
    let holds = (0..5).any(|round| {
        if round > 0 {
            let more = "--block 16k --depth 1 --set think-time=15ms";
            let line = line(&address, &format!("again{round}"), more);
            paused = rate(plumb_in(folder.path(), &line));
        }
        let without = line(
            &address,
            &format!("without{round}"),
            "--block 16k --depth 1",
        );
        let gain = rate(plumb_in(folder.path(), &without)) / paused;
        println!("pauses of 15 ms: predicted {low:.2} to {high:.2}, measured {gain:.2}");
        (low..=high).contains(&gain)
    });
    assert!(holds, "{explained:#}");
}

#[test]
fn a_path_with_a_token_bucket_is_full_and_more_requests_bring_nothing() {
    if !is_possible() {
        return;
    }
    let Some(hosts) = Hosts::new(14) else { return };
    let server = Samba::on_host("10.231.14.2", &["ip", "netns", "exec", &hosts.names[1]]);
    fill(&server);
    let shaped = hosts
        .on(1, "tc")
        .args(["qdisc", "add", "dev", "eth0", "root", "tbf"])
        .args(["rate", "160mbit", "burst", "32kb", "latency", "500ms"])
        .status()
        .expect("tc");
    if !shaped.success() {
        println!("skipped: the kernel has no token bucket (tc qdisc tbf)");
        return;
    }
    let folder = tempfile::tempdir().expect("folder");
    let plumb = assert_cmd::cargo::cargo_bin("plumb");
    let on_client = |line: &str| {
        let mut command = hosts.on(0, plumb.to_str().expect("a path"));
        command
            .args(line.split_whitespace())
            .current_dir(folder.path());
        command
    };
    let address = server.address("share/f");
    let sizes = "--set block=16k:34,64k:33,128k:33";
    // Where the machine is busy, the kernel may drop packets of the capture.
    let taken = (0..5).find_map(|round| {
        let name = format!("full{round}.pcap");
        let file = folder.path().join(&name);
        let capture = Capture::with(hosts.on(0, "tcpdump"), "eth0", &file, server.port);
        let eight = rate(on_client(&line(
            &address,
            &format!("eight{round}"),
            &format!("{sizes} --depth 8"),
        )));
        capture.taken().map(|_| (name, eight))
    });
    let (name, eight) = taken.expect("the kernel dropped packets of each capture");
    let explained = json_of(
        plumb_in(folder.path(), &format!("explain {name} --json")),
        0,
    );
    let found = finding(&explained, "path_is_full");
    let (low, high) = interval(found);
    let more = line(&address, "sixteen", &format!("{sizes} --depth 16"));
    let gain = rate(on_client(&more)) / eight;
    println!("160 Mbit/s: predicted {low:.2} to {high:.2}, measured {gain:.2}");
    assert!((low..=high).contains(&gain), "{gain}: {found:#}");
    // 160 Mbit/s with what TCP and SMB add to the bytes of the files.
    let bytes = explained["observed"]["bytes_per_s"]
        .as_f64()
        .expect("bytes");
    assert!((14e6..20.5e6).contains(&bytes), "{bytes}");
}

#[test]
fn the_experiment_proves_few_outstanding_requests_over_a_delay() {
    if !is_possible() {
        return;
    }
    let server = Samba::start(&[]);
    fill(&server);
    let (port, address) = delayed(&server, Duration::from_millis(5));
    let folder = tempfile::tempdir().expect("folder");
    let (explained, capture) = captured(folder.path(), port, |round| {
        let line = line(&address, &format!("one{round}"), "--block 16k --depth 1");
        rate(plumb_in(folder.path(), &line));
    });
    finding(&explained, "too_few_outstanding_requests");
    let line = format!("explain {capture} --prove --target {address} --time 1s --quiet --json");
    let mut command = plumb_in(folder.path(), &line);
    command.env("PLUMB_PASSWORD", PASSWORD);
    let proof = &json_of(command, 0)["proof"];
    assert_eq!(proof["state"], "proven", "{proof:#}");
    assert_eq!(proof["rounds"], 6);
}
