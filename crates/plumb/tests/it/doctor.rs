//! Does `plumb doctor` examine a real environment?

use crate::{json_of, output_of, plumb, plumb_in};

#[test]
fn the_doctor_tells_facts_of_a_directory_as_text_and_json() {
    let folder = tempfile::tempdir().expect("folder");
    // 0 or 1: a severe finding may be true of the machine that runs the test.
    let run = |json: bool| {
        let mut command = plumb();
        command
            .arg("doctor")
            .arg(folder.path())
            .args(json.then_some("--json"));
        let output = command.output().expect("started");
        assert!(
            matches!(output.status.code(), Some(0 | 1)),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8(output.stdout).expect("text")
    };
    assert!(run(false).contains("directory"));
    let document: serde_json::Value = serde_json::from_str(&run(true)).expect("one JSON document");
    assert_eq!(document["schema"], "plumb-doctor-2");
    assert_eq!(document["environment"]["target.kind"]["text"], "directory");
    assert!(
        document["environment"]["memory.total_bytes"]["number"]
            .as_f64()
            .is_some_and(|bytes| bytes > 1e6)
    );
    assert!(document["findings"].is_array());
    assert_eq!(
        crate::left_in(folder.path()),
        Vec::<String>::new(),
        "the trial of O_DIRECT leaves nothing behind"
    );
}

#[test]
fn help_is_given_for_every_verb() {
    for verb in ["", "check", "run", "plans", "doctor", "show", "schema"] {
        assert!(
            output_of(
                plumb_in(std::path::Path::new("."), &format!("{verb} --help")),
                0
            )
            .contains("Usage: plumb")
        );
    }
}

/// A listener on a free port of loopback that takes connections until it is dropped.
struct Peer {
    port: u16,
    _listener: std::net::TcpListener,
}

fn peer() -> Peer {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    // Connections are taken by the backlog of the kernel: the doctor asks for no answer.
    Peer {
        port: listener.local_addr().expect("address").port(),
        _listener: listener,
    }
}

#[test]
fn the_doctor_tells_the_way_to_a_peer() {
    let peer = peer();
    let target = format!("tcp://127.0.0.1:{}", peer.port);
    let output = plumb()
        .args(["doctor", &target, "--json"])
        .output()
        .expect("started");
    assert!(
        matches!(output.status.code(), Some(0 | 1)),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let document: serde_json::Value =
        serde_json::from_slice(&output.stdout).expect("one JSON document");
    let facts = &document["environment"];
    assert_eq!(facts["target.kind"]["text"], "peer");
    assert_eq!(facts["network.address"]["text"], "127.0.0.1");
    assert_eq!(facts["network.same_machine"]["flag"], true);
    assert!(
        facts["network.round_trip_us"]["number"]
            .as_f64()
            .is_some_and(|us| us > 0.0),
        "{facts}"
    );
    let findings = document["findings"].as_array().expect("findings");
    assert!(
        findings
            .iter()
            .any(|finding| finding["rule"] == "client_is_server"),
        "{findings:?}"
    );
    let text = output_of(
        plumb_in(std::path::Path::new("."), &format!("doctor {target}")),
        output.status.code().unwrap_or(0),
    );
    assert!(
        text.contains("\nNetwork\n") && text.contains("\nRDMA\n"),
        "{text}"
    );
}

#[test]
fn a_server_that_cannot_be_reached_is_one_message() {
    let port = peer().port;
    for (target, expected) in [
        (format!("tcp://127.0.0.1:{port}"), "plumb serve-net"),
        (format!("smb://127.0.0.1:{port}/share"), "firewall"),
        // RFC 2606: .invalid is never a name.
        (
            "nfs://no-such-host.invalid/export".to_string(),
            "cannot be resolved",
        ),
    ] {
        let output = plumb().args(["doctor", &target]).output().expect("started");
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(
            (output.status.code(), message.trim_end().lines().count()),
            (Some(2), 1),
            "{target}: {message}"
        );
        assert!(
            message.contains(&target) && message.contains(expected),
            "{message}"
        );
        assert!(
            output.stdout.is_empty(),
            "{}",
            String::from_utf8_lossy(&output.stdout)
        );
    }
}

#[test]
fn rdma_is_told_with_or_without_adapters() {
    let document: serde_json::Value = {
        let output = plumb()
            .args(["doctor", "rdma", "--json"])
            .output()
            .expect("started");
        assert_eq!(
            output.status.code(),
            Some(0),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        serde_json::from_slice(&output.stdout).expect("one JSON document")
    };
    assert_eq!(document["schema"], "plumb-doctor-rdma-1");
    let ports = document["ports"].as_array().expect("ports");
    assert!(
        document["library"].is_string() != document["library_missing"].is_string(),
        "{document}"
    );
    let text = output_of(plumb_in(std::path::Path::new("."), "doctor rdma"), 0);
    assert_eq!(
        text.contains("reports no RDMA adapter"),
        ports.is_empty(),
        "{text}"
    );
}

#[test]
fn the_self_test_counts_and_verifies_what_every_engine_does() {
    let folder = tempfile::tempdir().expect("folder");
    let summary = json_of(plumb_in(folder.path(), "doctor . --self-test --json"), 0);
    let steps = summary["steps"].as_array().expect("steps");
    let engines: Vec<_> = steps.iter().map(|step| &step["engine"]).collect();
    for engine in ["sync", "mmap", "stdio"] {
        assert!(engines.iter().any(|of| *of == engine), "{engines:?}");
    }
    for step in steps {
        let kinds = step["operations"].as_object().expect("operations");
        let counts = kinds.values().filter_map(|kind| kind["count"].as_u64());
        let count = counts.sum::<u64>();
        // At the end every block is read back that some step wrote: those of this name's, and most of the others.
        let name = step["name"].as_str().expect("a name");
        let written = name.strip_suffix(" verify").map(|name| {
            let of = steps.iter().find(|step| step["name"] == name);
            of.and_then(|step| step["operations"]["write"]["count"].as_u64())
                .expect("writes")
        });
        match written {
            Some(written) => assert!((written..=4096).contains(&count), "{step:#}"),
            None => assert_eq!(count, 4000, "{step:#}"),
        }
        assert_eq!(step["total"]["errors"], 0, "{step:#}");
    }
}

#[test]
fn the_self_test_makes_nothing_where_there_is_nothing_to_test() {
    let folder = tempfile::tempdir().expect("folder");
    for (target, word) in [
        ("nowhere", "nowhere"),
        ("rdma", "name a folder"),
        ("smb://server/share", "name a folder"),
    ] {
        let line = format!("doctor {target} --self-test");
        let error = crate::refusal_of(plumb_in(folder.path(), &line));
        assert!(error.contains(word), "{target}: {error}");
    }
    assert!(crate::left_in(folder.path()).is_empty());
}
