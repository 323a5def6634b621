//! Do the engines of shares and of the network, the agent and the waterfall run on Windows too, against servers on Linux?

use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};

use crate::ganesha::Ganesha;
use crate::samba::{PASSWORD, Samba};
use crate::served::Served;
use crate::{here, json, on_windows, printed, samba};

const LOAD: &str = "--mix read:50,write:50 --block 16k --size 2m --operations 200 --depth 4 --verify --seed 5 --quiet --no-report";

/// What a run of the Windows program says of its first step, as this system shows it.
fn shown(place: &std::path::Path, run: Command) -> serde_json::Value {
    printed(run);
    let told = json(here(place, "show run --json"));
    let step = &told["steps"][0];
    assert_eq!(step["total"]["errors"], 0, "{step:#}");
    step.clone()
}

#[test]
fn shares_of_smb() {
    if !samba::is_installed() {
        return;
    }
    let folder = tempfile::tempdir().expect("folder");
    let server = Samba::start(&[]);
    let line = format!(
        "run --target {} --output run {LOAD}",
        server.address("share")
    );
    let Some(mut run) = on_windows(folder.path(), &line) else {
        return;
    };
    run.env("PLUMB_PASSWORD", PASSWORD);
    let step = shown(folder.path(), run);
    assert_eq!(step["total"]["count"], 200, "{step:#}");
    assert_eq!(step["engine"], "smb");
}

#[test]
fn exports_of_nfs() {
    let Some(server) = Ganesha::start() else {
        return;
    };
    let folder = tempfile::tempdir().expect("folder");
    let line = format!(
        "run --target {} --output run {LOAD}",
        server.address("data")
    );
    // Windows has no numbers of users: the server takes it for nobody.
    let everybody = std::fs::Permissions::from_mode(0o777);
    std::fs::set_permissions(server.data(), everybody).expect("permissions");
    let Some(run) = on_windows(folder.path(), &line) else {
        return;
    };
    let step = shown(folder.path(), run);
    assert_eq!(step["total"]["count"], 200, "{step:#}");
}

#[test]
fn blocks_and_streams_over_tcp_both_ways() {
    let folder = tempfile::tempdir().expect("folder");
    let place = folder.path();
    let words = "serve-net --listen 127.0.0.1:0";
    let Some(there) = on_windows(place, words) else {
        return;
    };
    let load = "--mix send --block 64k --operations 400 --quiet --no-report";
    for (server, is_windows) in [(there, false), (here(place, words), true)] {
        let server = Served::start(server);
        let output = format!("to-{}", server.port);
        let line = format!(
            "run --target tcp://127.0.0.1:{} --output {output} {load}",
            server.port
        );
        match is_windows {
            true => printed(on_windows(place, &line).expect("it is there")),
            false => printed(here(place, &line)),
        };
        let told = json(here(place, &format!("show {output} --json")));
        let total = &told["steps"][0]["total"];
        assert_eq!(
            (&total["count"], &total["errors"]),
            (&400.into(), &0.into()),
            "{total:#}"
        );
    }
}

#[test]
fn a_waterfall() {
    let folder = tempfile::tempdir().expect("folder");
    std::fs::create_dir(folder.path().join("data")).expect("folder");
    let line = "layers --device none --files data --network loopback --json --output out --time 100ms --size 4m --rounds 1 --budget 1ms \
                --set interval=20ms --set warm-up=0s --quiet";
    let Some(layers) = on_windows(folder.path(), line) else {
        return;
    };
    let waterfall = json(layers);
    let layers = waterfall["layers"].as_array().expect("layers");
    for kind in ["file-system", "network"] {
        assert!(
            layers.iter().any(|layer| layer["kind"] == kind),
            "{kind}: {waterfall:#}"
        );
    }
}

#[test]
fn a_real_server_of_iperf3() {
    let port = crate::ports::free_port();
    let mut server = Command::new("iperf3");
    server.args(["-s", "--bind", "127.0.0.1", "-p", &port.to_string()]);
    let Ok(child) = server.stdout(Stdio::null()).stderr(Stdio::null()).spawn() else {
        return println!("skipped: iperf3 is not installed");
    };
    let _server = Served { child, port };
    let is_listening = || {
        let listed = std::fs::read_to_string("/proc/net/tcp").unwrap_or_default();
        // proc_net_tcp(5): the port in hexadecimal digits, and state 0A for a listener.
        let begin = format!("0100007F:{port:04X} 00000000:0000 0A");
        listed.lines().any(|line| line.contains(&begin))
    };
    while !is_listening() {
        std::thread::sleep(std::time::Duration::from_millis(25));
    }
    let folder = tempfile::tempdir().expect("folder");
    let line = format!(
        "run --target iperf3://127.0.0.1:{port} --mix send --block 128k --time 300ms --set interval=100ms --output run --quiet --no-report"
    );
    let Some(run) = on_windows(folder.path(), &line) else {
        return;
    };
    let step = shown(folder.path(), run);
    assert_eq!(step["engine"], "iperf3");
    assert!(step["total"]["bytes"].as_u64() > Some(0), "{step:#}");
}

/// An agent on Windows is asked by the program of this system, over one network and for files there.
#[test]
fn an_agent_measures_its_files_and_the_network_for_another_host() {
    let folder = tempfile::tempdir().expect("folder");
    let place = folder.path();
    for name in ["kept", "data"] {
        std::fs::create_dir(place.join(name)).expect("folder");
    }
    std::fs::write(place.join("token"), "a token for tests only\n").expect("token");
    let private = std::fs::Permissions::from_mode(0o600);
    std::fs::set_permissions(place.join("token"), private).expect("mode");
    let line = "agent --listen 127.0.0.1:0 --token-file token --output kept --allow data";
    let Some(agent) = on_windows(place, line) else {
        return;
    };
    let agent = Served::start(agent);
    let files = format!("Z:{}/data", place.display()).replace('/', "\\");
    let line = format!(
        "layers --agent 127.0.0.1:{} --token-file token --device none --files {files} --json --output out --quiet --time 60ms --size 4m --rounds 1 \
         --budget 1ms --set interval=20ms --set warm-up=0s",
        agent.port
    );
    let waterfall = json(here(place, &line));
    for step in waterfall["steps"].as_array().expect("steps") {
        for figures in step["layers"].as_array().expect("figures") {
            assert!(figures["iops"]["value"].as_f64() > Some(0.0), "{step:#}");
        }
    }
    assert!(
        waterfall["layers"]
            .as_array()
            .is_some_and(|layers| layers.len() >= 2),
        "{waterfall:#}"
    );
}
