//! The contract of exporters: each writes a run without figures as well as one with many, and makes nothing up.

use plumb_model::environment::Environment;
use plumb_model::summary::{Cpu, Latency, OperationSummary, StepSummary, Summary};

use super::*;
use crate::exporter::Subject;
use crate::tests::synthetic::{Builder, ladder};

fn summary(run: &plumb_model::run::Run, steps: Vec<StepSummary>) -> Summary {
    Summary {
        schema: plumb_model::summary::SUMMARY_SCHEMA.into(),
        id: run.header.id.clone(),
        plumb_version: run.header.plumb_version.clone(),
        started: run.header.started.clone(),
        state: "finished".into(),
        plan: run.header.plan.clone(),
        environment: Environment::default(),
        findings: Vec::new(),
        verdict: Vec::new(),
        steps,
        doubts: Vec::new(),
        imported: None,
    }
}

/// A step whose latency is known in part, as a short one's is.
fn step(name: &str, at: u32) -> StepSummary {
    let latency = Latency { count: 100, min: Some(1000.0), mean: Some(2000.0), p50: Some(1900.0), max: Some(9000.0), ..Latency::default() };
    let read = OperationSummary {
        count: 100,
        bytes: 409_600,
        iops: Some(50.0),
        bandwidth_bytes_per_s: Some(204_800.0),
        response_ns: latency.clone(),
        service_ns: latency.clone(),
        ..OperationSummary::default()
    };
    StepSummary {
        name: name.into(),
        step: at,
        swept: std::collections::BTreeMap::new(),
        duration_s: 2.0,
        engine: "io_uring".into(),
        engine_record: None,
        asked_depth: Some(1.0),
        achieved_depth: Some(1.0),
        asked_rate: None,
        operations: [("read".to_string(), read.clone())].into(),
        total: read,
        response_ns: latency.clone(),
        service_ns: latency,
        lateness_ns: None,
        unsubmitted: None,
        cpu: Cpu::default(),
        rounds: Vec::new(),
        jobs: Vec::new(),
        connections: None,
        stated: Vec::new(),
        ended_by: "time".into(),
    }
}

#[test]
fn each_writes_runs_with_and_without_figures() {
    let run = Builder::new(ladder("read", &[1, 2])).run;
    for steps in [vec![], vec![step("plain", 0)], vec![step("with, comma and \"quotes\" = ü", 0), step("=1+1", 1)]] {
        let summary = summary(&run, steps);
        for exporter in EXPORTERS {
            let files =
                (exporter.export)(&Subject { run: &run, summary: &summary }).unwrap_or_else(|error| panic!("{}: {error}", exporter.name));
            assert!(!files.is_empty() && files.iter().all(|file| !file.bytes.is_empty()), "{}", exporter.name);
            if exporter.is_text {
                for file in &files {
                    let text = std::str::from_utf8(&file.bytes).expect("text");
                    assert!(!text.contains("NaN") && !text.contains("inf"), "{}: {text}", exporter.name);
                }
            }
        }
    }
}

#[test]
fn formats_that_there_are_not_are_refused_with_those_there_are() {
    assert!(by_name("xml").expect_err("no such format").contains("csv"));
    assert_eq!(by_name("csv").expect("listed").name, "csv");
}
