//! Do imported files of fio 3.33 have the same figures as the files?

use plumb_model::run::imported::Reported;
use plumb_model::run::{Event, Run};
use plumb_model::workload::operation::OperationKind;

use super::*;
use crate::importer::{Fixture, ImportError, Source};

macro_rules! file {
    ($name:literal) => {
        include_bytes!(concat!("../../../../../testdata/imported/", $name)).to_vec()
    };
}

pub fn fixtures() -> Vec<Fixture> {
    vec![
        Fixture {
            name: "plus.json",
            bytes: file!("fio-3.33-json-plus.json"),
            check: json_plus,
        },
        Fixture {
            name: "clones.json",
            bytes: file!("fio-3.33-clones-json-plus.json"),
            check: clones,
        },
        Fixture {
            name: "client.json",
            bytes: file!("fio-3.33-client.json"),
            check: clients,
        },
        Fixture {
            name: "note.txt",
            bytes: file!("fio-3.33-with-a-note.txt"),
            check: note_before,
        },
        Fixture {
            name: "status.json",
            bytes: file!("fio-3.33-status-interval.json"),
            check: interim,
        },
        Fixture {
            name: "unified.json",
            bytes: file!("fio-3.33-unified.json"),
            check: unified,
        },
    ]
}

fn reported(run: &Run) -> Vec<&Reported> {
    run.notes
        .iter()
        .filter_map(|note| {
            if let Event::Reported { reported, .. } = &note.event {
                Some(reported)
            } else {
                None
            }
        })
        .collect()
}

fn doubts(run: &Run) -> Vec<String> {
    let imported = run.header.imported.as_ref().expect("imported");
    imported.doubts.iter().map(plumb_words::english).collect()
}

fn only(runs: &[Run]) -> &Run {
    let [run] = runs else {
        panic!("{} runs", runs.len())
    };
    run
}

fn json_plus(runs: &[Run]) {
    let run = only(runs);
    assert_eq!(run.header.started, "2026-11-22T07:50:47.940Z");
    let steps: Vec<_> = run
        .header
        .plan
        .steps
        .iter()
        .map(|step| step.name.as_str())
        .collect();
    assert_eq!(steps, ["rw", "seq"]);
    let workload = &run.header.plan.steps[0].jobs[0].workload;
    assert_eq!(
        (
            workload.mix.to_string(),
            workload.depth,
            workload.fsync_every
        ),
        ("read:70,write:30".into(), 8, 64)
    );
    let kinds: Vec<_> = run.ticks[0]
        .kinds
        .iter()
        .map(|kind| (kind.kind, kind.count, kind.bytes, kind.service.count()))
        .collect();
    assert_eq!(
        kinds,
        [
            (OperationKind::Read, 1426, 5_840_896, 1426),
            (OperationKind::Write, 622, 2_547_712, 622),
            (OperationKind::Flush, 74, 0, 74)
        ]
    );
    assert_eq!(
        (
            run.ticks[0].end_ns - run.ticks[0].start_ns,
            run.ticks[1].start_ns
        ),
        (70_000_000, 70_000_000)
    );
    // The percentiles that fio derives from the same buckets: 50 % of the reads of this file are within 70,144 ns.
    let read = reported(run)[0];
    let service = read.service.as_ref().expect("clat");
    assert_eq!(
        (service.min_ns, service.max_ns, service.quantiles_ns.len()),
        (Some(445.0), Some(7_416_058.0), 0)
    );
    assert!(
        read.response.is_none()
            && read
                .figures
                .iter()
                .any(|figure| figure.name == "lat mean" && figure.value == 197_160.921459)
    );
    let cpu: Vec<_> = reported(run)
        .iter()
        .flat_map(|reported| &reported.figures)
        .filter(|figure| figure.name == "sys_cpu")
        .collect();
    assert_eq!((cpu[0].value, cpu[0].unit.as_str()), (30.434783, "%"));
    let seq = &run.header.plan.steps[1].jobs[0];
    assert_eq!(
        (
            seq.workload.workers,
            seq.engine.engine.as_str(),
            seq.target.to_string()
        ),
        (2, "fio io_uring", "/srv/bench".into())
    );
    assert!(
        doubts(run)
            .iter()
            .any(|doubt| doubt.contains("group_reporting")),
        "{:?}",
        doubts(run)
    );
}

fn clones(runs: &[Run]) {
    let run = only(runs);
    let [tick] = run.ticks.as_slice() else {
        panic!("{} ticks", run.ticks.len())
    };
    assert_eq!(
        (
            tick.kinds[0].count,
            tick.kinds[0].service.count(),
            tick.workers.len()
        ),
        (768, 768, 3)
    );
    assert!(
        tick.workers
            .iter()
            .all(|worker| worker.operations == 256 && worker.bytes == 1 << 20)
    );
    assert_eq!(run.header.plan.steps[0].jobs[0].workload.workers, 3);
    let service = reported(run)[0].service.as_ref().expect("clat");
    assert_eq!(service.count, Some(768));
    assert!(
        service.min_ns < service.mean_ns
            && service.mean_ns < service.max_ns
            && service.standard_deviation_ns > Some(0.0)
    );
}

fn clients(runs: &[Run]) {
    let run = only(runs);
    let steps: Vec<_> = run
        .header
        .plan
        .steps
        .iter()
        .map(|step| step.name.as_str())
        .collect();
    assert_eq!(steps, ["rw", "seq"], "'All clients' is no job");
    assert_eq!(run.header.environment.text("host.name"), Some("127.0.0.1"));
    let quantiles = &reported(run)[0]
        .service
        .as_ref()
        .expect("clat")
        .quantiles_ns;
    assert!(
        quantiles.len() == 17 && quantiles.is_sorted_by(|a, b| a.0 < b.0 && a.1 <= b.1),
        "{quantiles:?}"
    );
    assert!(
        run.ticks
            .iter()
            .all(|tick| tick.kinds.iter().all(|kind| kind.service.count() == 0)),
        "percentiles make no histogram"
    );
}

fn note_before(runs: &[Run]) {
    let run = only(runs);
    assert!(
        doubts(run)
            .iter()
            .any(|doubt| doubt.contains("queue depth will be capped at 1")),
        "{:?}",
        doubts(run)
    );
    assert_eq!(
        run.header
            .imported
            .as_ref()
            .and_then(|imported| imported.version.as_deref()),
        Some("3.33")
    );
}

fn interim(runs: &[Run]) {
    let run = only(runs);
    assert_eq!(run.ticks[0].kinds[0].count, 73_673);
    assert!(
        doubts(run)
            .iter()
            .any(|doubt| doubt.contains("3 interim reports")),
        "{:?}",
        doubts(run)
    );
}

fn unified(runs: &[Run]) {
    let run = only(runs);
    assert!(run.ticks[0].kinds.is_empty() && run.ticks[0].end_ns > 0);
    let all = reported(run)[0];
    assert!(all.kind.is_none() && all.iops.is_some() && all.bandwidth_bytes_per_s.is_some());
    assert_eq!(
        all.response
            .as_ref()
            .expect("lat_percentiles=1")
            .quantiles_ns
            .len(),
        17
    );
    assert_eq!(
        all.service
            .as_ref()
            .map(|service| service.quantiles_ns.len()),
        Some(17)
    );
}

fn imported(bytes: &[u8]) -> Result<Vec<Run>, ImportError> {
    let mut reader = bytes;
    import(&mut Source {
        name: "x",
        reader: &mut reader,
    })
}

#[test]
fn a_file_that_breaks_off_gives_the_jobs_before() {
    let integer = file!("fio-3.33-json-plus.json");
    let at = integer
        .windows(12)
        .position(|window| window == b"\"groupid\" : ")
        .expect("a job");
    let second = at
        + 12
        + integer[at + 12..]
            .windows(12)
            .position(|window| window == b"\"groupid\" : ")
            .expect("another");
    let runs = imported(&integer[..second]).expect("the first job");
    assert_eq!(runs[0].header.plan.steps.len(), 1);
    let line = integer[..second]
        .iter()
        .filter(|byte| **byte == b'\n')
        .count()
        + 1;
    assert!(
        doubts(&runs[0])
            .iter()
            .any(|doubt| doubt.contains(&format!("line {line}"))),
        "{:?}",
        doubts(&runs[0])
    );
    let error = imported(&integer[..at]).expect_err("no job").to_string();
    assert!(
        error.contains("line ") && error.contains("JSON as fio writes it"),
        "{error}"
    );
}

#[test]
fn two_invocations_in_one_file_are_two_runs() {
    let one = file!("fio-3.33-clones-json-plus.json");
    let later = String::from_utf8(one.clone())
        .expect("text")
        .replace("\"timestamp_ms\" : 17", "\"timestamp_ms\" : 18");
    let both = [one.as_slice(), later.as_bytes()].concat();
    assert_eq!(imported(&both).expect("both").len(), 2);
}

#[test]
fn units_of_fio_2_are_not_taken_for_those_of_3() {
    let old = br#"{"fio version" : "fio-2.16", "jobs" : [{"jobname" : "a", "read" : {"io_bytes" : 4, "total_ios" : 1}}]}"#;
    assert!(
        imported(old)
            .expect_err("other units")
            .to_string()
            .contains("fio-2.16")
    );
}

#[test]
fn figures_beyond_reason_are_left_out() {
    let text = br#"{"fio version" : "fio-3.33", "jobs" : [{"jobname" : "a", "read" : {"io_bytes" : 4096, "total_ios" : 1, "runtime" : 5}},
        {"jobname" : "b", "read" : {"total_ios" : 4503599627370496, "clat_ns" : {"N" : 1, "bins" : {"18446744073709551615" : 4e15, "-1" : 2}}}}]}"#;
    let runs = imported(text).expect("the first job");
    assert_eq!(runs[0].header.plan.steps[0].jobs.len(), 1);
    assert!(
        doubts(&runs[0])
            .iter()
            .any(|doubt| doubt.contains("impossible number of operations")),
        "{:?}",
        doubts(&runs[0])
    );
}
