//! Do imported files of fio 3.33 have the same figures as the files?

use plumb_model::run::imported::Reported;
use plumb_model::run::{Event, Run};
use plumb_model::workload::operation::OperationKind;

use super::*;
use crate::importer::{Fixture, ImportError};

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
    IMPORTER.of_bytes(bytes)
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
fn invocations_in_one_file_are_rounds_and_steps() {
    let one = file!("fio-3.33-clones-json-plus.json");
    let text = String::from_utf8(one.clone()).expect("text");
    let later = text
        .replace("\"timestamp_ms\" : 17", "\"timestamp_ms\" : 18")
        .replace("\"runtime\" : ", "\"runtime\" : 1");
    let other = later.replace(
        "\"fio version\" : \"fio-3.33\"",
        "\"fio version\" : \"fio-3.34\"",
    );
    let runs = imported(&[one.as_slice(), later.as_bytes()].concat()).expect("both");
    let run = only(&runs);
    assert_eq!(
        (
            run.header.plan.rounds,
            run.header.plan.steps.len(),
            run.ticks.len()
        ),
        (2, 1, 2)
    );
    assert_eq!((run.ticks[0].execution, run.ticks[1].execution), (0, 1));
    assert_eq!(run.ticks[1].start_ns, run.ticks[0].end_ns);
    let different = later.replace("\"jobname\" : \"", "\"jobname\" : \"other-");
    let runs = imported(&[one.as_slice(), different.as_bytes()].concat()).expect("both");
    let run = only(&runs);
    assert_eq!(
        (run.header.plan.rounds, run.header.plan.steps.len()),
        (1, 2)
    );
    // Two versions are no rounds of one measurement.
    assert_eq!(
        imported(&[one.as_slice(), other.as_bytes()].concat())
            .expect("both")
            .len(),
        2
    );
}

#[test]
fn jobs_that_wait_for_others_are_not_added_up() {
    let job = |name: &str, options: &str, start: u64| {
        format!(
            r#"{{"jobname":"{name}","groupid":0,"job_start":{start},"job options":{{"rw":"randread"{options}}},
                "read":{{"io_bytes":4096000,"total_ios":1000,"iops":1000.0,"runtime":1000,"clat_ns":{{"N":1000,"mean":900.0}}}}}}"#
        )
    };
    let steps = |jobs: [String; 2]| {
        let text = format!(
            r#"{{"fio version":"fio-3.36","jobs":[{},{}]}}"#,
            jobs[0], jobs[1]
        );
        let runs = imported(text.as_bytes()).expect("two jobs");
        let steps = runs[0].header.plan.steps.iter().map(|step| step.jobs.len());
        steps.collect::<Vec<_>>()
    };
    let same = 1_700_000_000_000;
    assert_eq!(steps([job("a", "", same), job("b", "", same + 20)]), [2]);
    for options in [
        r#","wait_for":"a""#,
        r#","startdelay":"5""#,
        r#","start_delay":"5s""#,
    ] {
        assert_eq!(
            steps([job("a", "", same), job("b", options, same)]),
            [1, 1],
            "{options}"
        );
    }
    // Started when the other had ended, for whatever reason.
    assert_eq!(
        steps([job("a", "", same), job("b", "", same + 1000)]),
        [1, 1]
    );
    assert_eq!(
        steps([job("a", r#","startdelay":"0""#, same), job("b", "", same)]),
        [2]
    );
}

#[test]
fn flushes_count_that_fio_only_timed() {
    let sync = |sync: &str| {
        let text = format!(
            r#"{{"fio version":"fio-3.33","jobs":[{{"jobname":"e","job options":{{"rw":"write","fdatasync":"1"}},
                "write":{{"io_bytes":4096,"total_ios":912,"iops":7406.5,"runtime":123,"clat_ns":{{"N":912,"mean":4000.0}}}}, "sync":{sync}}}]}}"#
        );
        let runs = imported(text.as_bytes()).expect("a job");
        let kinds = runs[0].ticks[0]
            .kinds
            .iter()
            .map(|kind| (kind.kind, kind.count))
            .collect::<Vec<_>>();
        (kinds, doubts(&runs[0]).join("\n"))
    };
    let writes = (OperationKind::Write, 912);
    // fdatasync: timed and not counted.
    let (kinds, _) = sync(
        r#"{"total_ios":0,"lat_ns":{"min":79189,"max":534642,"mean":131098.1,"stddev":34224.1,"N":911}}"#,
    );
    assert_eq!(kinds, [writes, (OperationKind::Flush, 911)]);
    // Before 3.4: neither.
    let (kinds, doubts) =
        sync(r#"{"total_ios":0,"lat_ns":{"min":0,"max":0,"mean":0.0,"stddev":0.0,"N":0}}"#);
    assert_eq!(kinds, [writes]);
    assert!(doubts.contains("fio reports no flush times"), "{doubts}");
}

#[test]
fn fio_2_has_other_units() {
    let old = br#"{"fio version" : "fio-2.16", "jobs" : [{"jobname" : "a", "job options" : {"rw" : "read", "bs" : "4k"},
        "read" : {"io_bytes" : 4000, "bw" : 2000, "iops" : 500.0, "runtime" : 2000, "total_ios" : 1000,
            "slat" : {"min" : 0, "max" : 0, "mean" : 0.0, "stddev" : 0.0},
            "clat" : {"min" : 100, "max" : 9000, "mean" : 1500.5, "stddev" : 10.0, "percentile" : {"1.000000" : 200, "99.000000" : 5000, "0.00" : 0}},
            "lat" : {"min" : 101, "max" : 9001, "mean" : 1501.5, "stddev" : 10.0}}}]}"#;
    let runs = imported(old).expect("fio 2");
    let run = only(&runs);
    assert_eq!(
        run.ticks[0]
            .kinds
            .iter()
            .map(|kind| (kind.kind, kind.count, kind.bytes))
            .collect::<Vec<_>>(),
        [(OperationKind::Read, 1000, 4_096_000)]
    );
    let service = reported(run)[0].service.as_ref().expect("clat");
    assert_eq!(
        (service.mean_ns, service.max_ns),
        (Some(1_500_500.0), Some(9_000_000.0))
    );
    assert_eq!(
        service.quantiles_ns,
        [(0.01, 200_000.0), (0.99, 5_000_000.0)]
    );
    // Before 2.2 there was no count, and since 2.21 bytes are bytes.
    let text = String::from_utf8_lossy(old);
    let oldest = text.replace(r#""total_ios" : 1000,"#, "");
    assert_eq!(
        imported(oldest.as_bytes()).expect("fio 2")[0].ticks[0].kinds[0].count,
        1000
    );
    let newer = text.replace(
        r#""io_bytes" : 4000"#,
        r#""io_bytes" : 4096000, "io_kbytes" : 4000"#,
    );
    assert_eq!(
        imported(newer.as_bytes()).expect("fio 2")[0].ticks[0].kinds[0].bytes,
        4_096_000
    );
}

#[test]
fn clients_are_jobs_of_one_step() {
    let job = |host: &str, reads: u64| {
        format!(
            r#"{{"jobname":"a","groupid":0,"hostname":"{host}","job options":{{"rw":"randread"}},
                "read":{{"io_bytes":{},"total_ios":{reads},"iops":{reads}.0,"runtime":1000,"clat_ns":{{"N":{reads},"mean":900.0}}}}}}"#,
            reads * 4096
        )
    };
    let text = format!(
        r#"{{"fio version":"fio-3.33","client_stats":[{},{},{}]}}"#,
        job("one", 1000),
        job("two", 500),
        job("one", 1500).replace("\"a\"", "\"All clients\"")
    );
    let runs = imported(text.as_bytes()).expect("two clients");
    let run = only(&runs);
    let jobs: Vec<_> = run.header.plan.steps[0]
        .jobs
        .iter()
        .map(|job| job.name.as_str())
        .collect();
    assert_eq!(
        (run.header.plan.steps.len(), jobs),
        (1, vec!["a @one", "a @two"])
    );
    assert_eq!(
        run.ticks
            .iter()
            .map(|tick| tick.kinds[0].count)
            .sum::<u64>(),
        1500
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

#[test]
fn more_runs_than_are_read_are_named() {
    let runs: String = (0..10_001)
        .map(|count| format!("{{\"fio version\":\"fio-3.33\",\"jobs\":[{{\"jobname\":\"a\",\"read\":{{\"total_ios\":{},\"io_bytes\":4096,\"runtime\":5}}}}]}}\n", 1 + count % 7))
        .collect();
    let read = imported(runs.as_bytes()).expect("runs");
    assert_eq!(only(&read).header.plan.rounds, 10_000);
    assert!(
        doubts(only(&read))
            .join("\n")
            .contains("after the first 10,000 are left out"),
        "{:?}",
        doubts(only(&read))
    );
    let all = runs.lines().take(10_000).collect::<Vec<_>>().join("\n");
    assert!(
        !doubts(only(&imported(all.as_bytes()).expect("runs")))
            .join("\n")
            .contains("left out")
    );
}
