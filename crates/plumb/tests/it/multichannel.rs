//! Do the channels of an SMB session use all available paths? Two hosts in network namespaces with two links; the kernel counts the bytes of each path.

use serde_json::Value;

use crate::hosts::Hosts;
use crate::measured;
use crate::samba::{PASSWORD, Samba, is_installed};

const SPEED: &str = "speed=10000000000,capability=RSS";

/// A run of several workers against the server, from the other host.
fn run(hosts: &Hosts, folder: &std::path::Path, server: &Samba, output: &str, more: &str) -> Value {
    let plumb = assert_cmd::cargo::cargo_bin("plumb");
    let line = format!(
        "run --target {} --pattern random-read --block 256k --size 8m --depth 2 --workers 4 --set warm-up=0s --time 1s --quiet --json --no-report \
         --output {output} {more}",
        server.address("share/f")
    );
    let mut command = hosts.on(0, plumb.to_str().expect("a path"));
    command
        .args(line.split_whitespace())
        .current_dir(folder)
        .env("PLUMB_PASSWORD", PASSWORD);
    measured(command.into())
}

fn paths(summary: &Value) -> Vec<(String, f64, f64)> {
    let paths = summary["steps"][0]["connections"]["paths"]
        .as_array()
        .expect("paths");
    let number = |path: &Value, name: &str| path[name].as_f64().expect("a number");
    paths
        .iter()
        .map(|path| {
            (
                format!(
                    "{} {}",
                    path["client"].as_str().expect("an address"),
                    path["server"].as_str().expect("an address")
                ),
                number(path, "connections"),
                number(path, "received_bytes"),
            )
        })
        .collect()
}

fn refused(summary: &Value) -> String {
    summary["steps"][0]["engine_record"]["refused"].to_string()
}

#[test]
fn channels_take_every_path_that_the_server_offers_and_the_kernel_counts_the_same_bytes() {
    if !is_installed() {
        return;
    }
    let Some(hosts) = Hosts::new(41) else { return };
    hosts.join_again(42);
    let offers = format!("interfaces = \"10.231.41.2;{SPEED}\" \"10.231.42.2;{SPEED}\"");
    let before = ["ip", "netns", "exec", &hosts.names[1]];
    let server = Samba::on_host_with("10.231.41.2", &before, &[&offers]);
    std::fs::write(server.share().join("f"), vec![7; 8 << 20]).expect("a file");
    let folder = tempfile::tempdir().expect("a folder");

    let counted = |interface| hosts.received_bytes(0, interface) as f64;
    let at_first = [counted("eth0"), counted("eth1")];
    let summary = run(&hosts, folder.path(), &server, "both", "");
    let by_kernel = [counted("eth0") - at_first[0], counted("eth1") - at_first[1]];
    let port = server.port;
    let paths = paths(&summary);
    let names: Vec<&str> = paths.iter().map(|(name, ..)| name.as_str()).collect();
    assert_eq!(
        names,
        [
            format!("10.231.41.1 10.231.41.2:{port}"),
            format!("10.231.42.1 10.231.42.2:{port}")
        ]
    );
    for ((name, connections, received), kernel) in paths.iter().zip(by_kernel) {
        assert_eq!(*connections, 2.0, "{name}");
        assert!(*received > 1e6, "{name}: {received}");
        // The kernel counts headers too: of segments, and of TCP and IP; and the bytes of connections that only prepare the run.
        let part = kernel / received;
        println!("{name}: plumb {received}, the kernel {kernel}");
        assert!((1.0..1.2).contains(&part), "{name}: {received} of {kernel}");
    }
    let record = &summary["steps"][0]["engine_record"];
    assert_eq!(
        record["connection"]["channels"],
        "4 channels of one session"
    );
    let told = record["connection"]["paths"].as_str().expect("paths");
    assert!(told.contains("(eth0)") && told.contains("(eth1)"), "{told}");
    assert_eq!(refused(&summary), "[]");

    // Sessions of their own go where they were told to.
    let apart = run(
        &hosts,
        folder.path(),
        &server,
        "apart",
        "--set channels=sessions",
    );
    assert_eq!(self::paths(&apart).len(), 1);
}

#[test]
fn an_offered_address_that_cannot_be_reached_is_told_and_left_out() {
    if !is_installed() {
        return;
    }
    let Some(hosts) = Hosts::new(43) else { return };
    hosts.join_again(44);
    let server_address = hosts
        .on(1, "ip")
        .args(["addr", "add", "10.99.0.1/24", "dev", "lo"])
        .status();
    assert!(server_address.expect("ip").success());
    let offers = format!(
        "interfaces = \"10.231.43.2;{SPEED}\" \"10.99.0.1;{SPEED}\" \"10.231.44.2;speed=1000000000,capability=RSS\""
    );
    let before = ["ip", "netns", "exec", &hosts.names[1]];
    let server = Samba::on_host_with("10.231.43.2", &before, &[&offers]);
    std::fs::write(server.share().join("f"), vec![7; 8 << 20]).expect("a file");
    let folder = tempfile::tempdir().expect("a folder");
    let summary = run(&hosts, folder.path(), &server, "some", "");
    let paths = paths(&summary);
    assert_eq!(paths.len(), 1, "the slow one is not used: {paths:?}");
    assert_eq!(
        paths[0].0,
        format!("10.231.43.1 10.231.43.2:{}", server.port)
    );
    assert_eq!(paths[0].1, 4.0);
    let refused = refused(&summary);
    assert!(
        refused.contains("refused-path") && refused.contains("10.99.0.1"),
        "{refused}"
    );
}
