//! The truth lab on real shares: captured scenarios with a known limit. Is the limit found, and does its change give the predicted gain?

use std::path::Path;
use std::time::Duration;

use serde_json::Value;

use crate::explain::interval;
use crate::explain_share::{captured, fill, is_possible};
use crate::samba::{PASSWORD, Samba};
use crate::slow_network::{Slowness, slow_network};
use crate::{measured, plumb_in};

/// A load on a share behind a network with a delay of 5 ms each way, and the change that would help.
struct Scene {
    name: &'static str,
    /// What limits it, as the rule is called.
    limit: &'static str,
    /// Rules that have to find nothing, since their change would bring nothing.
    not: &'static [&'static str],
    /// Lines of the server's settings and the load: as it is, and after the change.
    server: [&'static [&'static str]; 2],
    load: [&'static str; 2],
    /// Whether the change is judged by bytes; else by requests that move content.
    by_bytes: bool,
}

const ROOMY: &[&str] = &[];
const FEW_CREDITS: &[&str] = &["smb2 max credits = 8"];

const SCENES: [Scene; 5] = [
    Scene {
        name: "few credits",
        limit: "flow_control",
        not: &[
            "too_few_outstanding_requests",
            "storage_waits_for_application",
        ],
        server: [FEW_CREDITS, ROOMY],
        load: ["f --pattern random-read --block 16k --depth 32"; 2],
        by_bytes: false,
    },
    Scene {
        name: "a flush after each write",
        limit: "durability",
        not: &["metadata", "storage_waits_for_application"],
        server: [ROOMY; 2],
        load: [
            "w --pattern random-write --size 4m --block 16k --depth 1 --set fsync-every=1",
            "w --pattern random-write --size 4m --block 16k --depth 1 --set fsync-every=4",
        ],
        by_bytes: false,
    },
    Scene {
        name: "a file for each read",
        limit: "metadata",
        not: &["durability", "storage_waits_for_application"],
        server: [ROOMY; 2],
        load: [
            "d --set mix=read-file --set files=12 --set file-size=128k --depth 1",
            "f --pattern random-read --block 128k --depth 1",
        ],
        by_bytes: false,
    },
    Scene {
        name: "a file for each read, in one message",
        limit: "too_few_outstanding_requests",
        not: &["metadata", "durability", "storage_waits_for_application"],
        server: [ROOMY; 2],
        load: [
            "d --set mix=read-file --set files=12 --set file-size=16k --depth 1",
            "d --set mix=read-file --set files=12 --set file-size=16k --depth 8",
        ],
        by_bytes: false,
    },
    Scene {
        name: "small reads in order",
        limit: "requests_too_small",
        not: &["metadata", "storage_waits_for_application"],
        server: [ROOMY; 2],
        load: [
            "f --pattern sequential-read --set block=4k:50,12k:50 --depth 1",
            "f --pattern sequential-read --set block=16k:50,48k:50 --depth 1",
        ],
        by_bytes: true,
    },
];

/// A share with a file to read and a folder, through the network.
struct Share {
    _server: Samba,
    port: u16,
    address: String,
}

impl Share {
    fn with(settings: &[&str]) -> Share {
        let server = Samba::start(settings);
        fill(&server);
        std::fs::create_dir(server.share().join("d")).expect("a folder");
        let slowness = Slowness {
            delay: Duration::from_millis(5),
            bytes_per_s: None,
        };
        let port = slow_network(format!("127.0.0.1:{}", server.port), slowness);
        let address = format!("smb://{}@127.0.0.1:{port}/share", server.user);
        Share {
            _server: server,
            port,
            address,
        }
    }

    /// Requests, or bytes, per second of this load.
    fn rate(&self, folder: &Path, load: &str, output: &str, by_bytes: bool) -> f64 {
        let address = &self.address;
        let line = format!(
            "run --target {address}/{load} --set warm-up=0s --time 5s --quiet --json --no-report --output {output}"
        );
        let mut command = plumb_in(folder, &line);
        command.env("PLUMB_PASSWORD", PASSWORD);
        let total = &measured(command)["steps"][0]["total"];
        let figure = match by_bytes {
            true => &total["bandwidth_bytes_per_s"],
            false => &total["iops"],
        };
        figure.as_f64().expect("a rate")
    }
}

/// Rules that found something, the first first.
fn found(explained: &Value) -> Vec<&str> {
    let findings = explained["findings"].as_array().expect("a list");
    let rules = findings.iter().filter_map(|found| found["rule"].as_str());
    rules.collect()
}

#[test]
fn limits_of_real_shares_are_found_and_their_change_brings_what_was_predicted() {
    if !is_possible() {
        return;
    }
    let mut wrong = Vec::new();
    for scene in &SCENES {
        let folder = tempfile::tempdir().expect("folder");
        let (before, after) = (Share::with(scene.server[0]), Share::with(scene.server[1]));
        let mut today = 0.0;
        let (explained, _) = captured(folder.path(), before.port, |round| {
            let output = format!("before{round}");
            today = before.rate(folder.path(), scene.load[0], &output, scene.by_bytes);
        });
        let rules = found(&explained);
        let of_limit = explained["findings"].as_array().expect("a list");
        let of_limit = of_limit.iter().find(|found| found["rule"] == scene.limit);
        println!("{}: {rules:?}", scene.name);
        let claims_more = rules.iter().any(|rule| scene.not.contains(rule));
        let Some(limit) = of_limit.filter(|_| !claims_more) else {
            wrong.push(format!("{}: {rules:?}", scene.name));
            continue;
        };
        let (low, high) = interval(limit);
        // Other work on the machine disturbs one of the two more than the other: both are measured again then, close together.
        let holds = (0..5).any(|round| {
            let measured = |of: &Share, load, when: &str| {
                let output = format!("{when}{round}");
                of.rate(folder.path(), load, &output, scene.by_bytes)
            };
            if round > 0 {
                today = measured(&before, scene.load[0], "again");
            }
            let gain = measured(&after, scene.load[1], "after") / today;
            println!(
                "  {}: predicted {low:.2} to {high:.2}, measured {gain:.2}",
                scene.limit
            );
            (low..=high).contains(&gain)
        });
        if !holds {
            wrong.push(format!("{}: not within {low:.2} to {high:.2}", scene.name));
        }
    }
    println!(
        "{} of {} scenes as they are",
        SCENES.len() - wrong.len(),
        SCENES.len()
    );
    assert!(wrong.is_empty(), "{wrong:#?}");
}
