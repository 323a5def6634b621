//! Does an experiment cover the path from the disk of a server to its share on a client? Server and client in network namespaces, connected by a veth pair.

use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::hosts::Hosts;
use crate::left_in;
use crate::samba::{PASSWORD, Samba, is_installed};

/// Stopped by its number.
struct Stopped(Child);

impl Drop for Stopped {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn one_command_on_the_client_measures_server_network_and_share() {
    if !is_installed() {
        return;
    }
    let Some(hosts) = Hosts::new(9) else { return };
    let server = Samba::on_host("10.231.9.2", &["ip", "netns", "exec", &hosts.names[1]]);
    let folder = tempfile::tempdir().expect("folder");
    let token = folder.path().join("token");
    std::fs::write(&token, "a token for tests only\n").expect("token");
    std::fs::set_permissions(&token, std::os::unix::fs::PermissionsExt::from_mode(0o600))
        .expect("mode");
    let plumb = assert_cmd::cargo::cargo_bin("plumb");
    let plumb = plumb.to_str().expect("a path");
    let mut agent = hosts.on(1, plumb);
    agent
        .args([
            "agent",
            "--listen",
            "10.231.9.2:7575",
            "--token-file",
            "token",
            "--output",
            "kept",
            "--allow",
        ])
        .arg(server.share());
    std::fs::create_dir(folder.path().join("kept")).expect("folder");
    let log = std::fs::File::create(folder.path().join("agent.log")).expect("log");
    let agent = agent
        .current_dir(folder.path())
        .stdout(Stdio::null())
        .stderr(log)
        .spawn()
        .expect("started");
    let _agent = Stopped(agent);
    let begun = Instant::now();
    while !std::fs::read_to_string(folder.path().join("agent.log"))
        .expect("log")
        .contains("10.231.9.2:7575")
    {
        assert!(
            begun.elapsed() < Duration::from_secs(30),
            "the agent does not listen"
        );
        std::thread::sleep(Duration::from_millis(20));
    }
    let share = server.address("share");
    let files = server.share().display().to_string();
    let line = format!(
        "layers --agent 10.231.9.2:7575 --token-file token --device none --files {files} --share {share} --json --output out --quiet \
         --time 60ms --size 4m --rounds 2 --budget 1ms --set interval=20ms --set warm-up=10ms"
    );
    let output = hosts
        .on(0, plumb)
        .args(line.split_whitespace())
        .current_dir(folder.path())
        .env("PLUMB_PASSWORD", PASSWORD)
        .output()
        .expect("started");
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{error}");
    let waterfall: Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|wrong| panic!("{wrong}: {error}"));
    let kinds: Vec<&str> = waterfall["layers"]
        .as_array()
        .expect("layers")
        .iter()
        .filter_map(|layer| layer["kind"].as_str())
        .collect();
    assert_eq!(kinds, ["file-system", "network", "share"]);
    for step in waterfall["steps"].as_array().expect("steps") {
        for figures in step["layers"].as_array().expect("figures") {
            assert!(
                figures["iops"]["value"].as_f64().expect("measured") > 0.0,
                "{step}"
            );
        }
    }
    let remarks = waterfall["remarks"].to_string();
    assert!(
        !remarks.contains("One machine"),
        "two hosts are no single machine: {remarks}"
    );
    assert!(
        left_in(&server.share()).is_empty(),
        "nothing stays on the share"
    );
}
