//! A share measured by two clients at the same time, and the file system of its server with as many requests and bytes.

use std::process::{Command, Stdio};

use plumb_model::run::Run;
use plumb_record::read_run;
use serde_json::Value;

use crate::many_hosts::{agent_with, program, text, token};
use crate::samba::{self, PASSWORD, Samba};

const MIB: u64 = 1 << 20;

/// Workers, depth and bytes in use of the first step of a layer, for each of those that carried it out.
fn asked(run: &Run) -> (u32, u32, u64) {
    let workload = &run.header.plan.steps[0].jobs[0].workload;
    let size = workload.size.map_or(0, |size| size.0);
    (workload.workers, workload.depth, size)
}

/// Both layers have a time for each step, with the requests of both clients in flight.
fn check_figures(waterfall: &Value) {
    let layers = waterfall["layers"].as_array().expect("layers");
    let steps = waterfall["steps"].as_array().expect("steps");
    assert_eq!((layers.len(), steps.len()), (2, 3));
    for (step, in_flight) in steps.iter().zip([16, 16, 2]) {
        assert_eq!(step["in_flight"], in_flight, "{step}");
        for layer in step["layers"].as_array().expect("layers") {
            assert!(layer["time_ns"]["value"].as_f64() > Some(0.0), "{layer}");
        }
        let effects = step["layers"][1]["effects"].as_array().expect("effects");
        assert_eq!(effects.len(), 1, "the share beside the files: {step}");
    }
}

#[test]
fn two_clients_measure_a_share_that_the_server_measures_below() {
    if !samba::is_installed() {
        return;
    }
    let (folder, samba) = (tempfile::tempdir().expect("folder"), Samba::start(&[]));
    token(folder.path(), "token", "a token of some length\n");
    let share = samba.address("share");
    let password = [("PLUMB_PASSWORD", PASSWORD)];
    let (mut one, at_one) = agent_with(folder.path(), "one", &share, &password);
    let (mut two, at_two) = agent_with(folder.path(), "two", &share, &password);
    let layers = |own: &[&str]| {
        Command::new(program())
            .args(["layers", "--files"])
            .arg(samba.share())
            .args([
                "--share",
                &share,
                "--clients",
                &format!("{at_one},{at_two}"),
            ])
            .args(["--token-file", "token", "--rounds", "2", "--budget", "1s"])
            .args(["--size", "8m", "--time", "200ms", "--set", "interval=100ms"])
            .args(own)
            .stdin(Stdio::null())
            .current_dir(folder.path())
            .output()
            .expect("ran")
    };
    // The loopback of this machine is none of the clients'.
    let refused = layers(&["--network", "loopback", "--output", "refused"]);
    assert_eq!(refused.status.code(), Some(2), "{}", text(&refused));
    assert!(text(&refused).contains("plumb serve-net"));
    let ran = layers(&["--json", "--output", "out"]);
    assert!(ran.status.success(), "{}", text(&ran));
    assert!(
        text(&ran).contains("from 2 clients at once"),
        "{}",
        text(&ran)
    );
    assert!(text(&ran).contains("the network is left out"));
    let waterfall: Value = serde_json::from_slice(&ran.stdout).expect("JSON");
    let of = |side: &str| read_run(&folder.path().join("out").join(side)).expect("a run");
    let (server, clients) = (of("a"), of("b"));
    assert_eq!(asked(&server), (2, 8, 8 * MIB), "the load of both clients");
    assert_eq!(asked(&clients), (1, 8, 4 * MIB), "each client has its part");
    let ranks = clients.header.ranks.as_ref().expect("ranks");
    assert_eq!(ranks.processes.len(), 2);
    assert!(server.header.ranks.is_none());
    check_figures(&waterfall);
    // Two rounds of three steps, each carried out by both.
    for rank in [1, 2] {
        let record = read_run(&folder.path().join(format!("out/b/ranks/{rank:04}")));
        let record = record.expect("the record of a client");
        let begun = record.notes.iter();
        let begun = begun
            .filter(|note| matches!(note.event, plumb_model::run::Event::ExecutionStarted { .. }));
        assert_eq!(begun.count(), 6);
    }
    assert_eq!(crate::left_in(&samba.share()), Vec::<String>::new());
    for agent in [&mut one, &mut two] {
        agent.kill().expect("killed");
        agent.wait().expect("ended");
    }
}
