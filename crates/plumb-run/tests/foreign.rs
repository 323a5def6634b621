//! Are the figures of imported files those that an independent reader finds in them? Every file of testdata/foreign, against expected.json of read.py.

// The whole binary is a test; clippy knows only functions with #[test] as such.
#![allow(clippy::expect_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::io::BufReader;
use std::path::{Path, PathBuf};

use plumb_analyse::figures::watch::summarise_recording;
use plumb_analyse::summarise;
use plumb_model::results::summary::{Latency, OperationSummary, StepSummary};
use plumb_model::run::{Event, Run};
use plumb_record::importer::{HEAD_BYTES, Source};
use serde_json::Value;

/// Largest difference from a stated figure beyond the rounding of its print, as a share: of arithmetic, not of measurement.
const ARITHMETIC: f64 = 1e-9;

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/foreign")
}

fn expected() -> Vec<Value> {
    let text = std::fs::read_to_string(corpus().join("expected.json")).expect("expected.json");
    serde_json::from_str(&text).expect("a list of figures")
}

/// Every file of the programs that read.py reads.
fn files(programs: &BTreeSet<&str>) -> BTreeSet<String> {
    let mut files = BTreeSet::new();
    for program in programs {
        let folder = std::fs::read_dir(corpus().join(program)).expect("a folder");
        for file in folder {
            let file = file.expect("a file").file_name();
            files.insert(format!("{program}/{}", file.to_string_lossy()));
        }
    }
    files
}

fn imported(file: &str) -> Vec<Run> {
    let bytes = std::fs::read(corpus().join(file)).expect("a file");
    let mut reader = BufReader::with_capacity(HEAD_BYTES, bytes.as_slice());
    let source = &mut Source {
        name: file,
        reader: &mut reader,
    };
    plumb_record::importers::import(source, None).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// The figures of one round of one step.
fn round_of(run: &Run, step: u32, round: u32) -> Option<StepSummary> {
    let started = run.notes.iter().find_map(|note| match note.event {
        Event::ExecutionStarted {
            execution,
            step: of,
            round: at,
        } if (of, at) == (step, round) => Some(execution),
        _ => None,
    })?;
    let mut one = run.clone();
    one.ticks.retain(|tick| tick.execution == started);
    one.notes.retain_mut(|note| {
        note.event
            .execution_mut()
            .is_none_or(|execution| *execution == started)
    });
    let steps = summarise(&one).steps;
    steps.into_iter().find(|summary| summary.step == step)
}

fn latency(of: &Latency, name: &str) -> Option<f64> {
    match name {
        "mean_ns" => of.mean,
        "min_ns" => of.min,
        "max_ns" => of.max,
        "p50_ns" => of.p50,
        "p90_ns" => of.p90,
        "p95_ns" => of.p95,
        "p99_ns" => of.p99,
        "p99_9_ns" => of.p99_9,
        "p99_99_ns" => of.p99_99,
        name => panic!("no figure {name}"),
    }
}

fn figure(of: &OperationSummary, name: &str) -> Option<f64> {
    match name {
        "iops" => of.iops,
        "bytes_per_s" => of.bandwidth_bytes_per_s,
        "count" => Some(of.count as f64),
        "bytes" => Some(of.bytes as f64),
        name => latency(&of.response_ns, name),
    }
}

/// Compares one entry of the table; what differs is added.
fn compare(entry: &Value, step: &StepSummary, found: &mut Vec<String>) {
    let kind = entry["kind"].as_str().expect("a kind");
    let of = match kind {
        "total" => Some(&step.total),
        kind => step.operations.get(kind),
    };
    let Some(of) = of else {
        found.push(format!("{entry}: no {kind}"));
        return;
    };
    for (name, value) in entry.as_object().expect("an object") {
        if matches!(name.as_str(), "file" | "run" | "step" | "round" | "kind") {
            continue;
        }
        let got = figure(of, name);
        let right = match value.as_array().map(Vec::as_slice) {
            None => got.is_none(),
            Some([value, rounding]) => {
                let (value, rounding) = (value.as_f64(), rounding.as_f64());
                let (value, rounding) = value.zip(rounding).expect("two numbers");
                got.is_some_and(|got| {
                    (got - value).abs() <= rounding * (1.0 + 1e-6) + value.abs() * ARITHMETIC
                })
            }
            Some(other) => panic!("{other:?} is no figure"),
        };
        if !right {
            let place = ["file", "run", "step", "round", "kind"].map(|key| entry[key].to_string());
            found.push(format!(
                "{}: {name} is {got:?}, the file says {value}",
                place.join(" ")
            ));
        }
    }
}

/// Compares reports of counters over time: intervals of the recording. Returns the number of figures.
fn compare_reports(file: &str, entries: &[Value], runs: &[Run], found: &mut Vec<String>) -> usize {
    let [run] = runs else {
        panic!("{file}: {} runs", runs.len())
    };
    let mut intervals = Vec::new();
    summarise_recording(run, file, |interval| intervals.push(interval));
    let (mut figures, mut reports) = (0, 0);
    for entry in entries {
        let report = entry["report"].as_u64().expect("a number") as usize;
        reports = reports.max(report + 1);
        let table = intervals.get(report).and_then(|interval| {
            interval
                .tables
                .iter()
                .find(|table| table.group.ends_with("disk"))
        });
        let value = |column: &str| {
            let table = table?;
            let at = table.columns.iter().position(|of| of.id == column)?;
            let row = table.rows.iter().find(|row| {
                Some(row.instance.as_ref()) == entry["device"].as_str()
                    && Some(row.kind) == entry["kind"].as_str()
            })?;
            row.values[at]
        };
        for (name, column) in [
            ("iops", "per_second"),
            ("bytes_per_s", "bytes_per_second"),
            ("mean_ns", "time_ns"),
        ] {
            let Some([stated, rounding]) = entry[name].as_array().map(Vec::as_slice) else {
                continue;
            };
            figures += 1;
            let (stated, rounding) = (stated.as_f64(), rounding.as_f64());
            let (stated, rounding) = stated.zip(rounding).expect("two numbers");
            let got = value(column);
            // A kind that did nothing may have no row.
            let right = got.unwrap_or(0.0) - stated;
            if right.abs() > rounding + stated.abs() * ARITHMETIC || (got.is_none() && stated > 0.0)
            {
                found.push(format!("{file}: {name} is {got:?}: {entry}"));
            }
        }
    }
    if intervals.len() != reports {
        found.push(format!(
            "{file}: {} intervals, {reports} reports",
            intervals.len()
        ));
    }
    figures
}

#[test]
fn every_figure_is_the_one_that_the_file_states() {
    let mut by_file: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for entry in expected() {
        let file = entry["file"].as_str().expect("a file").to_string();
        by_file.entry(file).or_default().push(entry);
    }
    let listed: BTreeSet<String> = by_file.keys().cloned().collect();
    let programs = listed
        .iter()
        .filter_map(|file| Some(file.split_once('/')?.0));
    let of_listed = files(&programs.collect());
    assert_eq!(of_listed, listed, "run testdata/foreign/read.py --write");
    let (mut found, mut figures) = (Vec::new(), 0);
    for (file, entries) in by_file {
        let runs = imported(&file);
        if entries.iter().any(|entry| entry.get("report").is_some()) {
            figures += compare_reports(&file, &entries, &runs, &mut found);
            continue;
        }
        let number = |entry: &Value, key: &str| entry[key].as_u64().expect("a number") as u32;
        let place = |entry: &Value| {
            let kind = entry["kind"].as_str().expect("a kind").to_string();
            (
                number(entry, "run"),
                number(entry, "step"),
                number(entry, "round"),
                kind,
            )
        };
        let stated: BTreeSet<_> = entries.iter().map(place).collect();
        let mut held = BTreeSet::new();
        for (index, run) in runs.iter().enumerate() {
            for note in &run.notes {
                let Event::ExecutionStarted { step, round, .. } = note.event else {
                    continue;
                };
                let Some(summary) = round_of(run, step, round) else {
                    continue;
                };
                let kinds = summary.operations.iter();
                let kinds =
                    kinds.filter(|(_, of)| of.is_measured() || of.response_ns.mean.is_some());
                held.extend(kinds.map(|(kind, _)| (index as u32, step, round, kind.clone())));
                for entry in &entries {
                    if (
                        number(entry, "run"),
                        number(entry, "step"),
                        number(entry, "round"),
                    ) == (index as u32, step, round)
                    {
                        compare(entry, &summary, &mut found);
                        figures += entry.as_object().map_or(0, |of| of.len() - 5);
                        held.insert(place(entry));
                    }
                }
            }
        }
        for lacking in stated.symmetric_difference(&held) {
            found.push(format!("{file}: {lacking:?} is only on one side"));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
    assert!(figures > 50, "only {figures} figures were compared");
}
