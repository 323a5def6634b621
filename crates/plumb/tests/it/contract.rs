//! Is the JSON output that scripts rely on correct: exact counts, rates equal to their quotients, null percentiles for few samples?

use serde_json::Value;

use crate::{measured, plumb_in};

const PERCENTILES: [(&str, u64); 8] = [
    ("p50", 2),
    ("p90", 10),
    ("p99", 100),
    ("p99_9", 1_000),
    ("p99_99", 10_000),
    ("p99_999", 100_000),
    ("p99_9999", 1_000_000),
    // Far more than any run here: so `max` is looked at like the others, but always stated.
    ("max", 0),
];

/// One measured step of a run from flags.
fn step(line: &str) -> Value {
    let folder = tempfile::tempdir().expect("folder");
    let mut summary = measured(plumb_in(
        folder.path(),
        &format!("run {line} --json --quiet --no-report --output out"),
    ));
    summary["steps"][0].take()
}

/// Instructions per operation are counted from outside over two lengths of a run: it must do nothing that depends on the speed of the machine.
#[test]
fn a_run_that_ends_by_operations_measures_no_ceiling_of_the_generator() {
    for (end, has_ceiling) in [("--operations 100", false), ("--time 50ms", true)] {
        let folder = tempfile::tempdir().expect("folder");
        measured(plumb_in(
            folder.path(),
            &format!(
                "run --target /dev/zero --size 1m {end} --json --quiet --no-report --output out"
            ),
        ));
        let notes = std::fs::read_to_string(folder.path().join("out/notes.jsonl")).expect("notes");
        assert_eq!(
            notes.contains("\"event\":\"ceiling\""),
            has_ceiling,
            "{end}: {notes}"
        );
    }
}

#[test]
fn operations_on_blocks_and_on_files_mix() {
    for workers in [1, 3] {
        let line = format!(
            "--target . --size 4m --set mix=read:40,write:20,create:20,stat:10,delete:10 --set files=50 --workers {workers} --operations 3000"
        );
        let step = step(&line);
        assert_eq!(
            (&step["total"]["count"], &step["total"]["errors"]),
            (&Value::from(3000), &Value::from(0)),
            "{line}: {step}"
        );
        let kinds: Vec<&str> = step["operations"]
            .as_object()
            .expect("kinds")
            .keys()
            .map(String::as_str)
            .collect();
        assert_eq!(
            kinds,
            ["create", "delete", "read", "stat", "write"],
            "{line}"
        );
    }
}

#[test]
fn operations_and_bytes_are_counted_exactly_whatever_the_engine_and_the_crew() {
    let crews = [
        "",
        "--workers 3 --depth 4",
        "--workers 2 --depth 16 --warm-up 20ms",
        "--workers 3 --rate 20000 --arrivals poisson --depth 8",
    ];
    for target in [
        "null:",
        "/dev/zero --engine sync",
        "/dev/zero --engine mmap",
        "/dev/zero --engine io_uring",
        ".",
    ] {
        for crew in crews {
            let line =
                format!("--target {target} --size 4m --pattern mixed --operations 1001 {crew}");
            let step = step(&line);
            assert_eq!(step["total"]["count"], 1001, "{line}");
            assert_eq!(step["total"]["bytes"], 1001 * 4096, "{line}");
            assert_eq!(step["ended_by"], "operations", "{line}");
            let kinds = step["operations"].as_object().expect("kinds");
            assert_eq!(
                kinds
                    .values()
                    .filter_map(|kind| kind["count"].as_u64())
                    .sum::<u64>(),
                1001,
                "{line}"
            );
        }
    }
    for workers in [1, 3, 7] {
        let step = step(&format!(
            "--target null: --pattern sequential-read --bytes 1m --workers {workers}"
        ));
        assert_eq!(
            step["total"]["bytes"],
            1 << 20,
            "{workers} workers share 1 MiB of 4 KiB blocks"
        );
    }
}

#[test]
fn rates_are_quotients_and_percentiles_rest_on_samples() {
    for operations in [1u64, 150, 2_000, 150_000] {
        let step = step(&format!(
            "--target null: --pattern mixed --operations {operations} --depth 4"
        ));
        let seconds = step["duration_s"].as_f64().expect("duration");
        for (name, kind) in step["operations"].as_object().expect("kinds") {
            let count = kind["count"].as_u64().expect("count");
            let quotient = count as f64 / seconds;
            assert!(
                (kind["iops"].as_f64().expect("rate") / quotient - 1.0).abs() < 1e-9,
                "{name}: {kind}"
            );
            let bytes = kind["bandwidth_bytes_per_s"].as_f64().expect("bandwidth");
            assert!(
                (bytes / quotient / 4096.0 - 1.0).abs() < 1e-9,
                "{name}: {kind}"
            );
            for latency in [&kind["response_ns"], &kind["service_ns"]] {
                assert_stated_by_samples(latency, count);
            }
        }
        assert_stated_by_samples(&step["response_ns"], operations);
        let (achieved, asked) = (
            step["achieved_depth"].as_f64().expect("depth"),
            step["asked_depth"].as_f64().expect("depth"),
        );
        assert!(achieved > 0.0 && achieved <= asked, "{achieved} of {asked}");
    }
}

/// A percentile with less than one sample beyond it is null; one with twenty is stated; those that are stated rise.
fn assert_stated_by_samples(latency: &Value, count: u64) {
    let mut last = latency["min"].as_f64().expect("min");
    for (name, samples) in PERCENTILES {
        match latency[name].as_f64() {
            Some(ns) => {
                assert!(
                    count >= samples && ns >= last,
                    "{name} of {count}: {latency}"
                );
                last = ns;
            }
            None => assert!(count < 20 * samples, "{name} of {count}: {latency}"),
        }
    }
}
