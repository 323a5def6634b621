//! Do the counters of Windows come through the real calls of PDH? With a pdh.dll beside the program that plays recordings (tests/pdh/system.rs).
#![cfg(windows)]
#![allow(clippy::unwrap_used, reason = "a test")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use plumb_model::run::metric::Reading;
use plumb_observe::observer::Observer;
use plumb_observe::source::Scope;

const PLAYED: &str = "PLUMB_PLAYED_COUNTERS";
const SAMPLES: &str = "PLUMB_PLAYED_SAMPLES";
const SCOPE: &str = "PLUMB_PLAYED_DISK";

/// Not for itself: what the copy of this program does that has the other pdh.dll next to it. It prints each reading as JSON.
#[test]
fn plays() {
    if std::env::var_os(PLAYED).is_none() {
        return;
    }
    let samples: u64 = std::env::var(SAMPLES).unwrap().parse().unwrap();
    let scope = Scope {
        disks: std::env::var(SCOPE).ok().map(|disk| vec![disk]),
        ..Scope::default()
    };
    let mut observer = Observer::new(Path::new("/"), scope);
    for time_ns in 0..samples {
        let mut out = Vec::new();
        observer.sample(time_ns, &mut out);
        for reading in &out {
            println!("\nreading {}", serde_json::to_string(reading).unwrap());
        }
    }
}

/// What the observer reports while a recording is played, by time, metric and instance.
type Reported = BTreeMap<(u64, String, String), Option<f64>>;

/// `None` where the other pdh.dll was not built (cargo test --test pdh builds no examples), or this system takes its own.
fn played(recording: &str, samples: u64, disk: Option<&str>) -> Option<Reported> {
    let own = std::env::current_exe().unwrap();
    let built = own.parent()?.parent()?.join("examples").join("pdh.dll");
    if !built.exists() {
        eprintln!("skipped: {} was not built", built.display());
        return None;
    }
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("player.exe");
    std::fs::copy(&own, &program).unwrap();
    std::fs::copy(&built, folder.path().join("pdh.dll")).unwrap();
    let file: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../testdata/pdh")
        .join(recording);
    let mut command = Command::new(&program);
    command
        .args(["--exact", "plays", "--nocapture"])
        .env("WINEDLLOVERRIDES", "pdh=n")
        .env(PLAYED, file)
        .env(SAMPLES, samples.to_string());
    if let Some(disk) = disk {
        command.env(SCOPE, disk);
    }
    let output = command.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    let readings = text
        .lines()
        .filter_map(|line| line.strip_prefix("reading "));
    let reported = readings.map(|line| {
        let reading: Reading = serde_json::from_str(line).unwrap();
        let key = (
            reading.time_ns,
            reading.metric.into_owned(),
            reading.instance,
        );
        (key, reading.value)
    });
    Some(reported.collect())
}

/// What was reported of a metric: instance and value, for each sample.
fn of(reported: &Reported, metric: &str) -> Vec<(u64, String, Option<f64>)> {
    reported
        .iter()
        .filter(|((_, known, _), _)| known == metric)
        .map(|((time, _, instance), value)| (*time, instance.clone(), *value))
        .collect()
}

fn expect(reported: &Reported, metric: &str, expected: &[(u64, &str, Option<f64>)]) {
    let expected: Vec<_> = expected
        .iter()
        .map(|(time, instance, value)| (*time, (*instance).to_owned(), *value))
        .collect();
    assert_eq!(of(reported, metric), expected, "{metric}");
}

#[test]
fn instances_come_and_go() {
    let Some(reported) = played("comes-and-goes.csv", 4, None) else {
        return;
    };
    // A rate has no value before the second sample, a disk that has gone has no row, and all disks together are none of them.
    expect(
        &reported,
        "physical_disk.reads_per_second",
        &[
            (0, "0 C:", None),
            (0, "1 E:", None),
            (1, "0 C:", Some(100.0)),
            (1, "1 E:", Some(50.0)),
            (2, "0 C:", Some(110.0)),
            (3, "0 C:", Some(0.0)),
            (3, "1 E:", Some(20.0)),
        ],
    );
    expect(
        &reported,
        "physical_disk.read_seconds",
        &[
            (0, "0 C:", None),
            (0, "1 E:", None),
            (1, "0 C:", Some(0.005)),
            (1, "1 E:", Some(0.01)),
            (2, "0 C:", Some(0.004)),
            (3, "0 C:", None),
            (3, "1 E:", Some(0.002)),
        ],
    );
}

#[test]
fn what_fails_or_is_not_there_is_missing_and_takes_nothing_with_it() {
    let Some(reported) = played("comes-and-goes.csv", 4, None) else {
        return;
    };
    // A counter that the recording has of one disk only, and one that it has not at all.
    let queue = of(&reported, "physical_disk.current_queue_length");
    assert!(queue.contains(&(0, "0 C:".into(), Some(1.0))), "{queue:?}");
    assert!(queue.contains(&(1, "1 E:".into(), None)), "{queue:?}");
    let writes = of(&reported, "physical_disk.writes_per_second");
    assert!(
        writes.len() == 7 && writes.iter().all(|(.., value)| value.is_none()),
        "{writes:?}"
    );
    // A counter that fails takes no other with it; more than 100 percent are not cut.
    let busy = r"Processor Information\% Processor Time";
    expect(
        &reported,
        busy,
        &[
            (0, "0,0", None),
            (0, "_Total", None),
            (1, "0,0", Some(25.0)),
            (1, "_Total", Some(12.5)),
            (2, "0,0", None),
            (3, "0,0", Some(5.0)),
            (3, "_Total", Some(2.5)),
        ],
    );
    let performance = of(&reported, r"Processor Information\% Processor Performance");
    assert!(performance.contains(&(1, "0,0".into(), Some(131.5))));
    // A share that is connected to later, and a set that is not there.
    expect(
        &reported,
        "smb_client_share.data_requests_per_second",
        &[
            (0, "", None),
            (1, "", None),
            (2, r"\nas\backup", Some(176.0)),
            (3, r"\nas\backup", Some(180.0)),
        ],
    );
    let rdma = of(&reported, r"RDMA Activity\RDMA Inbound Bytes/sec");
    assert_eq!(rdma.len(), 4);
    assert!(
        rdma.iter()
            .all(|(_, name, value)| name.is_empty() && value.is_none())
    );
}

#[test]
fn a_named_disk_alone_is_told_and_missing_while_it_is_not_there() {
    let Some(reported) = played("comes-and-goes.csv", 4, Some("E:")) else {
        return;
    };
    expect(
        &reported,
        "physical_disk.reads_per_second",
        &[
            (0, "1 E:", None),
            (1, "1 E:", Some(50.0)),
            (2, "E:", None),
            (3, "1 E:", Some(20.0)),
        ],
    );
}

#[test]
fn a_recorded_case_is_read_live_as_it_was_recorded() {
    let Some(reported) = played("e5-one-thread.csv", 30, None) else {
        return;
    };
    let rates = of(&reported, "smb_client_share.data_requests_per_second");
    assert_eq!(rates.len(), 30);
    assert_eq!(rates[0].2, None);
    let mean = rates.iter().filter_map(|(.., value)| *value).sum::<f64>() / 29.0;
    assert!((mean / 176.0 - 1.0).abs() < 0.03, "{mean}");
    let queue = of(&reported, "smb_client_share.current_data_queue_length");
    assert!(queue.iter().all(|(.., value)| *value == Some(1.0)));
}

/// The system's own PDH: whatever it has, what it lacks is missing, and nothing breaks.
#[test]
fn the_counters_of_this_system_are_read_or_missing() {
    let mut observer = Observer::new(Path::new("/"), Scope::default());
    let mut out = Vec::new();
    observer.sample(0, &mut out);
    observer.sample(1, &mut out);
    let disks = out
        .iter()
        .filter(|reading| reading.metric == "physical_disk.reads_per_second");
    assert!(disks.clone().count() >= 2, "told at each sample");
    assert!(
        disks
            .filter(|reading| reading.instance.is_empty())
            .all(|reading| reading.value.is_none())
    );
}
