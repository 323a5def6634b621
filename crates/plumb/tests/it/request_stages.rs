//! Which part of a request's time is spent on this host? Over a network with a known delay, which must be in neither part.

use std::time::Duration;

use serde_json::Value;

use crate::ganesha::Ganesha;
use crate::samba::{PASSWORD, Samba, is_installed};
use crate::slow_network::{Slowness, slow_network};
use crate::{measured, output_of, plumb_in};

const DELAY: Duration = Duration::from_millis(30);

fn slowly_to(port: u16) -> u16 {
    let slowness = Slowness {
        delay: DELAY,
        bytes_per_s: None,
    };
    slow_network(format!("127.0.0.1:{port}"), slowness)
}

/// Reads at depth 1: the delay of both ways is in the response time, and in no part of it that passed here.
fn check(target: &str) {
    let folder = tempfile::tempdir().expect("folder");
    let line = format!(
        "run --target {target} --pattern random-read --block 4k --size 1m --depth 1 --set warm-up=0s --time 2s --json --quiet --no-report --output out"
    );
    let mut command = plumb_in(folder.path(), &line);
    command.env("PLUMB_PASSWORD", PASSWORD);
    let summary = measured(command);
    let connections = &summary["steps"][0]["connections"];
    let ms = |latency: &Value| latency["p50"].as_f64().expect("a median") / 1e6;
    let stages = &connections["stages"]["READ"];
    let delay_ms = DELAY.as_secs_f64() * 1e3;
    let whole = ms(&connections["commands"]["READ"]);
    assert!(whole >= 2.0 * delay_ms, "{connections}");
    for part in ["send_queue_ns", "wake_up_ns"] {
        let part = ms(&stages[part]);
        assert!(part > 0.0 && part < delay_ms / 2.0, "{part}: {connections}");
    }
    assert_eq!(
        stages["wake_up_ns"]["count"], connections["commands"]["READ"]["count"],
        "each reply has its stamp"
    );
    let shown = output_of(plumb_in(folder.path(), "show out"), 0);
    assert!(
        shown.contains("send queue") && shown.contains("wake-up"),
        "{shown}"
    );
    output_of(plumb_in(folder.path(), "show out --report page.html"), 0);
    let page = std::fs::read_to_string(folder.path().join("page.html")).expect("page");
    assert!(
        page.contains("send queue") && page.contains("Wake-up (p50)"),
        "two columns and what they are"
    );
}

/// A condition of the figures: its key, what the record calls it, and words of the finding.
const CONDITIONS: [(&str, &str, &str); 2] = [
    ("busy-poll", "busy polling", "polled the socket for replies"),
    (
        "skip-rx-copy",
        "data discarded in the kernel",
        "was discarded in the kernel",
    ),
];

/// Ways of waiting and of receiving are told, and not compared without a word.
fn check_conditions(target: &str) {
    for (key, in_use, found) in CONDITIONS {
        let folder = tempfile::tempdir().expect("folder");
        for is_set in [false, true] {
            let line = format!(
                "run --target {target} --set {key}={is_set} --pattern random-read --block 64k --size 1m --depth 2 --set warm-up=0s --time 500ms --json --quiet --no-report --output {is_set}"
            );
            let mut command = plumb_in(folder.path(), &line);
            command.env("PLUMB_PASSWORD", PASSWORD);
            let summary = measured(command);
            let step = &summary["steps"][0];
            let active = step["engine_record"]["active"].to_string();
            assert_eq!(active.contains(in_use), is_set, "{active}");
            assert_eq!(step["total"]["errors"], 0, "{step}");
            let shown = output_of(plumb_in(folder.path(), &format!("show {is_set}")), 0);
            let told = shown.split_whitespace().collect::<Vec<_>>().join(" ");
            assert_eq!(told.contains(found), is_set, "{shown}");
        }
        let mut compare = plumb_in(folder.path(), "compare false true --json");
        let compared = compare.output().expect("compared").stdout;
        let compared = String::from_utf8_lossy(&compared);
        assert!(
            compared.contains("engine options") && compared.contains(in_use),
            "{compared}"
        );
    }
}

/// How long workers polled before they slept is counted, and told where it was much of their time.
fn check_polling_before_sleeping(target: &str) {
    let folder = tempfile::tempdir().expect("folder");
    for choice in ["false", "auto"] {
        let line = format!(
            "run --target {target} --set busy-poll={choice} --pattern random-read --block 4k --size 1m --depth 1 --set warm-up=0s --time 500ms --json --quiet --no-report --output {choice}"
        );
        let mut command = plumb_in(folder.path(), &line);
        command.env("PLUMB_PASSWORD", PASSWORD);
        let summary = measured(command);
        let step = &summary["steps"][0];
        let polled_s = step["connections"]["numbers"]["socket_poll_s"]
            .as_f64()
            .expect("a time");
        let duration_s = step["duration_s"].as_f64().expect("a time");
        assert_eq!(polled_s > 0.0, choice == "auto", "{step}");
        let shown = output_of(plumb_in(folder.path(), &format!("show {choice}")), 0);
        let told = shown.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(
            told.contains("before they slept (busy-poll = auto)"),
            polled_s / duration_s >= 0.1,
            "{polled_s} s: {shown}"
        );
    }
}

#[test]
fn conditions_of_an_smb_client_are_told() {
    if is_installed() {
        let server = Samba::start(&[]);
        check_conditions(&server.address("share"));
        check_polling_before_sleeping(&server.address("share"));
    }
}

#[test]
fn conditions_of_an_nfs_client_are_told() {
    if let Some(server) = Ganesha::start() {
        check_conditions(&server.address("data"));
        check_polling_before_sleeping(&server.address("data"));
    }
}

#[test]
fn the_time_of_smb_requests_is_told_in_parts() {
    if !is_installed() {
        return;
    }
    let server = Samba::start(&[]);
    let port = slowly_to(server.port);
    check(&format!("smb://{}@127.0.0.1:{port}/share", server.user));
}

#[test]
fn the_time_of_nfs_requests_is_told_in_parts() {
    let Some(server) = Ganesha::start() else {
        return;
    };
    check(&format!(
        "nfs://127.0.0.1:{}/data",
        slowly_to(server.port())
    ));
}
