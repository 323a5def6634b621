//! What part of a request's time passes on this machine? Through a network with a known delay, which must be in neither part.

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

/// Ways of waiting are told, and not compared without a word.
fn check_ways_of_waiting(target: &str) {
    let folder = tempfile::tempdir().expect("folder");
    for polls in [false, true] {
        let line = format!(
            "run --target {target} --set busy-poll={polls} --pattern random-read --block 4k --size 1m --depth 1 --set warm-up=0s --time 500ms --json --quiet --no-report --output {polls}"
        );
        let mut command = plumb_in(folder.path(), &line);
        command.env("PLUMB_PASSWORD", PASSWORD);
        let summary = measured(command);
        let active = summary["steps"][0]["engine_record"]["active"].to_string();
        assert_eq!(active.contains("busy polling"), polls, "{active}");
        let shown = output_of(plumb_in(folder.path(), &format!("show {polls}")), 0);
        assert_eq!(
            shown.contains("polled the socket for replies"),
            polls,
            "{shown}"
        );
    }
    let compared = output_of(plumb_in(folder.path(), "compare false true --json"), 0);
    assert!(
        compared.contains("engine options") && compared.contains("busy polling"),
        "{compared}"
    );
}

#[test]
fn how_an_smb_client_waits_is_told() {
    if is_installed() {
        check_ways_of_waiting(&Samba::start(&[]).address("share"));
    }
}

#[test]
fn how_an_nfs_client_waits_is_told() {
    if let Some(server) = Ganesha::start() {
        check_ways_of_waiting(&server.address("data"));
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
