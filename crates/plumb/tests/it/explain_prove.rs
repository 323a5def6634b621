//! Does the experiment of each finding prove true findings, and refute false ones? On targets with a known limit: a FUSE file system and a share.

use std::fs;
use std::path::Path;
use std::time::Duration;

use plumb_analyse::explain::conclude::explain;
use plumb_model::explain::observed::{CallShare, FlowControl, Observed, ObservedFrom, Processors};
use plumb_model::trace::summary::{DepthFigures, TransferTime};
use serde_json::Value;

use crate::fault_fs::{Call, Effect, Fault, FaultFs, Options};
use crate::samba::{PASSWORD, Samba, is_installed};
use crate::slow_network::{Slowness, slow_network};
use crate::{json_of, plumb_in, refusal_of};

const BLOCK: f64 = 16384.0;

/// An application that reads 16 KiB at a time, one request after the other, 5 ms each.
fn reads() -> Observed {
    Observed {
        span_ns: 10_000_000_000,
        requests: Some(1960),
        requests_per_s: Some(196.0),
        bytes_per_s: Some(196.0 * BLOCK),
        bytes_per_request: Some(BLOCK),
        read_share: Some(1.0),
        request_ns: Some(5_000_000.0),
        outstanding: Some(0.98),
        outstanding_most: Some(1),
        ..Observed::unknown(ObservedFrom::Trace, "app.pcap")
    }
}

/// The same with sixteen at once, of which fewer would do: the rate is that of four.
fn many() -> Observed {
    let at = |outstanding| DepthFigures {
        outstanding,
        time_ns: 2_000_000_000,
        answered: 400,
    };
    Observed {
        outstanding: Some(16.0),
        outstanding_most: Some(16),
        request_ns: Some(80_000_000.0),
        by_outstanding: vec![at(4), at(16)],
        ..reads()
    }
}

/// Asserts what a finding's experiment says of this target. Where other work on the machine disturbs the rounds so much that they decide nothing, it is
/// carried out again, as it is advised then; what is decided the other way is wrong at once.
fn assert_state(observed: fn() -> Observed, rule: &str, target: &str, state: &str) {
    for _ in 0..6 {
        let proof = proof_of(observed(), rule, target);
        if proof["state"] == state {
            return;
        }
        assert_eq!(proof["state"], "undecided", "{proof:#}");
        println!("{rule} on {target} was undecided: {}", proof["said"]);
    }
    panic!("{rule} on {target} is not {state}, in six experiments");
}

/// What a finding's experiment says of this target. The recording is explained and stored first, as a user would do it.
fn proof_of(observed: Observed, rule: &str, target: &str) -> Value {
    let folder = tempfile::tempdir().expect("folder");
    let line = stored(folder.path(), observed, rule, target);
    let mut command = plumb_in(
        folder.path(),
        &format!("{line} --time 400ms --quiet --json"),
    );
    command.env("PLUMB_PASSWORD", PASSWORD);
    let proof = json_of(command, 0)["proof"].clone();
    assert_eq!(proof["rule"], rule);
    assert_eq!(proof["rounds"], 6, "{proof:#}");
    proof
}

fn stored(folder: &Path, observed: Observed, rule: &str, target: &str) -> String {
    let explained = explain(observed, "0");
    assert!(
        explained.findings.iter().any(|found| found.rule == rule),
        "{rule}: {explained:#?}"
    );
    let text = serde_json::to_string(&explained).expect("JSON");
    fs::write(folder.join("before.json"), text).expect("stored");
    format!("explain before.json --prove --rule {rule} --target {target}")
}

/// A file system that does this with each call of a kind, and a file of 8 MiB in it.
fn slow(faults: &[(Call, Effect)]) -> Option<(FaultFs, String)> {
    let fs = FaultFs::mount(Options {
        always_direct: true,
        ..Options::default()
    })?;
    let file = fs.path().join("f");
    std::fs::write(&file, vec![7u8; 8 << 20]).expect("a file");
    for (call, effect) in faults {
        fs.inject(Fault::always(*call, effect.clone()));
    }
    let file = file.display().to_string();
    Some((fs, file))
}

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// All at once, and one after the other.
fn at_once(call: Call, time_ms: u64) -> (Call, Effect) {
    (call, Effect::Delay(ms(time_ms)))
}

fn in_turn(call: Call, time_ms: u64) -> (Call, Effect) {
    (call, Effect::Serve(ms(time_ms)))
}

#[test]
fn few_outstanding_requests_are_proven_where_they_overlap_and_refuted_where_they_take_turns() {
    let rule = "too_few_outstanding_requests";
    let Some((_parallel, file)) = slow(&[at_once(Call::Read, 10)]) else {
        return;
    };
    assert_state(reads, rule, &file, "proven");
    let Some((_serial, file)) = slow(&[in_turn(Call::Read, 5)]) else {
        return;
    };
    assert_state(reads, rule, &file, "refuted");
}

#[test]
fn more_outstanding_than_needed_is_proven_in_turns_and_refuted_at_once() {
    let rule = "more_outstanding_than_needed";
    let Some((_serial, file)) = slow(&[in_turn(Call::Read, 5)]) else {
        return;
    };
    assert_state(many, rule, &file, "proven");
    let Some((_parallel, file)) = slow(&[at_once(Call::Read, 40)]) else {
        return;
    };
    assert_state(many, rule, &file, "refuted");
}

#[test]
fn a_full_path_is_proven_where_more_bring_nothing_and_refuted_where_they_do() {
    let rule = "path_is_full";
    let full = || Observed {
        ceiling_bytes_per_s: Some(200.0 * BLOCK),
        ..reads()
    };
    let Some((_serial, file)) = slow(&[in_turn(Call::Read, 10)]) else {
        return;
    };
    assert_state(full, rule, &file, "proven");
    let Some((_parallel, file)) = slow(&[at_once(Call::Read, 10)]) else {
        return;
    };
    assert_state(full, rule, &file, "refuted");
}

#[test]
fn pauses_are_proven_where_the_storage_is_quick_and_refuted_where_it_is_not() {
    let rule = "storage_waits_for_application";
    // 20 ms between an answer and the next request.
    let thinks = || Observed {
        requests: Some(400),
        requests_per_s: Some(40.0),
        bytes_per_s: Some(40.0 * BLOCK),
        outstanding: Some(0.2),
        idle_share: Some(0.8),
        ..reads()
    };
    let Some((_quick, file)) = slow(&[at_once(Call::Read, 5)]) else {
        return;
    };
    assert_state(thinks, rule, &file, "proven");
    let Some((_slow, file)) = slow(&[at_once(Call::Read, 60)]) else {
        return;
    };
    assert_state(thinks, rule, &file, "refuted");
}

#[test]
fn small_requests_are_proven_where_each_costs_the_same_and_refuted_where_bytes_cost() {
    let rule = "requests_too_small";
    let small = || Observed {
        transfer_time: Some(TransferTime {
            count: 1960,
            base_ns: 4_900_000.0,
            ns_per_byte: 5.0,
            ns_per_byte_error: Some(1.0),
            ns_per_byte_before: None,
            explained: 0.4,
        }),
        sequential_share: Some(0.99),
        ..reads()
    };
    let Some((_per_request, file)) = slow(&[at_once(Call::Read, 10)]) else {
        return;
    };
    assert_state(small, rule, &file, "proven");
    let Some((per_byte, file)) = slow(&[]) else {
        return;
    };
    for times in [1, 2, 4] {
        let delay = Effect::Delay(ms(10 * u64::from(times)));
        per_byte.inject(Fault::always(Call::Read, delay).of_size(16384 * times));
    }
    assert_state(small, rule, &file, "refuted");
}

/// Half of the time and more in calls of this kind.
fn share(most: &str) -> CallShare {
    CallShare {
        per_s: Some(196.0),
        mean_ns: Some(4_000_000.0),
        time_share: Some(0.7),
        most: Some(most.into()),
    }
}

#[test]
fn metadata_is_proven_where_opening_takes_the_time_and_refuted_where_reading_does() {
    let rule = "metadata";
    let opens = || Observed {
        requests: Some(600),
        requests_per_s: Some(60.0),
        bytes_per_s: Some(60.0 * BLOCK),
        metadata: share("CREATE"),
        ..reads()
    };
    // A file is read to its end, which takes two reads: three calls of 5 ms for each file, one of them within one file.
    let Some((slow_to_open, _)) = slow(&[at_once(Call::Open, 5), at_once(Call::Read, 5)]) else {
        return;
    };
    let folder = slow_to_open.path().display().to_string();
    assert_state(opens, rule, &folder, "proven");
    let Some((slow_to_read, file)) = slow(&[at_once(Call::Read, 10)]) else {
        return;
    };
    let folder = slow_to_read.path().display().to_string();
    assert_state(opens, rule, &folder, "refuted");
    // In a file there is no room for files.
    let place = tempfile::tempdir().expect("folder");
    let line = stored(place.path(), opens(), rule, &file);
    let refused = refusal_of(plumb_in(place.path(), &line));
    assert!(refused.contains("folder"), "{refused}");
}

#[test]
fn flushes_are_proven_where_they_take_the_time_and_refuted_where_writes_do() {
    let rule = "durability";
    let flushes = || Observed {
        read_share: Some(0.0),
        flushes: share("FLUSH"),
        ..reads()
    };
    let Some((slow_to_flush, _)) = slow(&[at_once(Call::Fsync, 10)]) else {
        return;
    };
    let written = Fault::always(Call::Write, Effect::Delay(ms(4)));
    slow_to_flush.inject(written.of_size(BLOCK as u32));
    let folder = slow_to_flush.path().display().to_string();
    assert_state(flushes, rule, &folder, "proven");
    let flushed = slow_to_flush.served(Call::Fsync);
    assert!(flushed > 100, "{flushed} flushes: they are never left out");
    let Some((slow_to_write, _)) = slow(&[]) else {
        return;
    };
    let written = Fault::always(Call::Write, Effect::Delay(ms(10)));
    slow_to_write.inject(written.of_size(BLOCK as u32));
    let folder = slow_to_write.path().display().to_string();
    assert_state(flushes, rule, &folder, "refuted");
}

/// A share behind a network with this delay and this rate of each connection, with a file of 4 MiB.
fn share_over(server: &Samba, delay_ms: u64, bytes_per_s: Option<f64>) -> String {
    std::fs::write(server.share().join("f"), vec![7u8; 4 << 20]).expect("a file");
    let slowness = Slowness {
        delay: ms(delay_ms),
        bytes_per_s,
    };
    let port = slow_network(format!("127.0.0.1:{}", server.port), slowness);
    format!("smb://{}@127.0.0.1:{port}/share/f", server.user)
}

#[test]
fn credits_are_proven_where_the_server_grants_few_and_refuted_where_it_grants_many() {
    if !is_installed() {
        return;
    }
    let rule = "flow_control";
    let starved = || Observed {
        outstanding: Some(7.9),
        outstanding_most: Some(8),
        request_ns: Some(40_000_000.0),
        flow: FlowControl {
            stalls_per_s: None,
            last_credit_share: Some(0.9),
            credits_in_use: Some(8),
        },
        ..reads()
    };
    let few = Samba::start(&["smb2 max credits = 8"]);
    assert_state(starved, rule, &share_over(&few, 20, None), "proven");
    let many = Samba::start(&[]);
    assert_state(starved, rule, &share_over(&many, 20, None), "refuted");
    // A folder of this machine has no credits.
    let place = tempfile::tempdir().expect("folder");
    let line = stored(place.path(), starved(), rule, ".");
    let refused = refusal_of(plumb_in(place.path(), &line));
    assert!(refused.contains("smb://"), "{refused}");
}

#[test]
fn what_one_connection_carries_is_proven_by_several_and_refuted_where_all_share_it() {
    if !is_installed() {
        return;
    }
    let rule = "one_core_is_busy";
    let busy = || Observed {
        outstanding: Some(7.9),
        outstanding_most: Some(8),
        request_ns: Some(40_000_000.0),
        processors: Processors {
            busiest_core: Some(0.98),
            all_cores: Some(0.2),
            cores: Some(8),
        },
        ..reads()
    };
    // Each connection carries 2 MB/s: what a core that does all of its work would let through.
    let server = Samba::start(&[]);
    assert_state(busy, rule, &share_over(&server, 1, Some(2e6)), "proven");
    let Some((_serial, file)) = slow(&[in_turn(Call::Read, 5)]) else {
        return;
    };
    assert_state(busy, rule, &file, "refuted");
}

#[test]
fn what_has_no_experiment_or_no_finding_is_refused_with_what_to_do() {
    let place = tempfile::tempdir().expect("folder");
    let far = Observed {
        round_trip_ns: Some(4_500_000.0),
        round_trip_share: Some(0.9),
        ..reads()
    };
    let line = stored(place.path(), far, "distance", ".");
    let refused = refusal_of(plumb_in(place.path(), &line));
    assert!(refused.contains("next to the server"), "{refused}");
    for (rule, words) in [("distanc", "distance"), ("metadata", "there are")] {
        let line = format!("explain before.json --prove --rule {rule} --target .");
        let refused = refusal_of(plumb_in(place.path(), &line));
        assert!(refused.contains(words), "{rule}: {refused}");
    }
}
