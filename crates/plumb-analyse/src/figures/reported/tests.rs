//! Does what a source states reach the summary, and nothing that it does not state?

use plumb_model::results::summary::StepSummary;
use plumb_model::run::imported::Imported;
use plumb_model::run::{Event, Run};
use plumb_model::statement::Statement;
use plumb_model::workload::Workload;

use super::*;
use crate::figures::summarise::{figures as summary_of, summarise};
use crate::synthetic::{Builder, Interval, step};

fn latency(count: u64, mean_ns: f64) -> ReportedLatency {
    ReportedLatency {
        count: Some(count),
        min_ns: Some(mean_ns / 2.0),
        mean_ns: Some(mean_ns),
        standard_deviation_ns: None,
        max_ns: Some(mean_ns * 9.0),
        quantiles_ns: vec![(0.5, mean_ns * 0.9), (0.99, mean_ns * 3.0)],
    }
}

/// A run of one step; the ticks have lost their histograms where `keep` is false, as those of an imported run have none.
fn run(mix: &str, keep: bool, rounds: &[Vec<Reported>]) -> Run {
    let workload = Workload {
        mix: mix.parse().expect("mix"),
        ..Workload::default()
    };
    let mut builder = Builder::new(vec![step("step", "step", &[], workload)]);
    for (round, reported) in rounds.iter().enumerate() {
        let execution = builder.execute(0, round as u32, &[Interval::default()]);
        for reported in reported {
            builder.note(Event::Reported {
                execution,
                job: 0,
                reported: reported.clone(),
            });
        }
    }
    let mut run = builder.finish();
    if !keep {
        run.ticks
            .iter_mut()
            .flat_map(|tick| &mut tick.kinds)
            .for_each(|kind| kind.service = Histogram::default());
    }
    run
}

fn only(run: &Run) -> StepSummary {
    let mut steps = summary_of(run).steps;
    assert_eq!(steps.len(), 1);
    steps.remove(0)
}

fn read(service: ReportedLatency) -> Reported {
    Reported {
        kind: Some(OperationKind::Read),
        service: Some(service),
        ..Reported::default()
    }
}

#[test]
fn stated_percentiles_stand_where_there_is_no_histogram() {
    let step = only(&run("read", false, &[vec![read(latency(10_000, 1000.0))]]));
    for of in [&step.response_ns, &step.operations["read"].service_ns] {
        assert_eq!(
            (of.count, of.min, of.mean, of.max),
            (10_000, Some(500.0), Some(1000.0), Some(9000.0))
        );
        assert_eq!(
            (of.p50, of.p99, of.p90, of.p99_9),
            (Some(900.0), Some(3000.0), None, None),
            "only what was stated"
        );
    }
    assert_eq!(
        (
            step.total.count,
            step.total.iops,
            step.rounds[0].response_p99_ns
        ),
        (10_000, Some(10_000.0), Some(3000.0))
    );
    // 10,000 operations of 1 us in a second.
    assert!(
        step.achieved_depth
            .is_some_and(|depth| (depth - 0.01).abs() < 1e-9),
        "{:?}",
        step.achieved_depth
    );
}

#[test]
fn percentiles_are_not_averaged() {
    let rounds = [
        vec![read(latency(10_000, 1000.0))],
        vec![read(latency(30_000, 2000.0))],
    ];
    let step = only(&run("read", false, &rounds));
    assert_eq!((step.response_ns.p50, step.response_ns.p99), (None, None));
    assert_eq!(
        (
            step.response_ns.min,
            step.response_ns.mean,
            step.response_ns.max
        ),
        (Some(500.0), Some(1750.0), Some(18_000.0))
    );
    assert_eq!(
        (
            step.rounds[0].response_p50_ns,
            step.rounds[1].response_p50_ns
        ),
        (Some(900.0), Some(1800.0))
    );
}

#[test]
fn exact_ends_go_before_those_of_buckets_and_bound_their_percentiles() {
    let exact = ReportedLatency {
        quantiles_ns: Vec::new(),
        max_ns: Some(110_000.0),
        ..latency(10_000, 105_000.0)
    };
    let step = only(&run("read", true, &[vec![read(exact)]]));
    assert_eq!(
        (step.response_ns.mean, step.response_ns.max),
        (Some(105_000.0), Some(110_000.0))
    );
    assert!(
        step.response_ns.p50.is_some_and(|p50| p50 > 90_000.0)
            && step.response_ns.p99_9 == Some(110_000.0),
        "{:?}",
        step.response_ns
    );
}

#[test]
fn a_response_time_of_its_own_is_not_the_service_time() {
    let both = Reported {
        response: Some(latency(10_000, 4000.0)),
        ..read(latency(10_000, 1000.0))
    };
    let step = only(&run("read", false, &[vec![both]]));
    assert_eq!(
        (step.response_ns.p50, step.service_ns.p50),
        (Some(3600.0), Some(900.0))
    );
}

#[test]
fn rates_without_counts_are_shown_and_not_zero() {
    let reported = Reported {
        kind: Some(OperationKind::Write),
        bandwidth_bytes_per_s: Some(5e6),
        ..Reported::default()
    };
    let mut run = run(
        "write",
        false,
        &[
            vec![reported.clone()],
            vec![Reported {
                bandwidth_bytes_per_s: Some(7e6),
                ..reported
            }],
        ],
    );
    run.ticks.clear();
    run.header.imported = Some(Imported {
        program: "x".into(),
        version: None,
        importer: "x".into(),
        file: "f".into(),
        names_all_options: false,
        unstated: Vec::new(),
        doubts: vec![plumb_model::statement::Statement::verbatim("rounded")],
    });
    let summary = summarise(&run);
    let step = &summary.steps[0];
    assert_eq!(
        (
            step.total.uncounted,
            step.total.iops,
            step.total.bandwidth_bytes_per_s
        ),
        (true, None, Some(6e6))
    );
    assert_eq!(
        (
            step.rounds[1].bandwidth_bytes_per_s,
            step.rounds[1].iops,
            step.achieved_depth
        ),
        (Some(7e6), None, None)
    );
    assert!(step.operations["write"].is_measured());
    assert_eq!(summary.doubts, [Statement::verbatim("rounded")]);
    assert!(
        summary
            .imported
            .is_some_and(|from| from.program == "x" && from.doubts.is_empty())
    );
    assert!(
        !summary
            .verdict
            .iter()
            .any(|sentence| crate::english::text(sentence).contains("Nothing was measured")),
        "{:?}",
        summary.verdict
    );
}

#[test]
fn what_is_stated_of_all_kinds_together_is_the_total_alone() {
    let all = Reported {
        iops: Some(300.0),
        service: Some(latency(300, 1000.0)),
        ..Reported::default()
    };
    let mut run = run("read", false, &[vec![all]]);
    run.ticks.iter_mut().for_each(|tick| tick.kinds.clear());
    let step = only(&run);
    assert_eq!(
        (
            step.total.iops,
            step.total.bandwidth_bytes_per_s,
            step.response_ns.p50
        ),
        (Some(300.0), None, Some(900.0))
    );
    assert!(step.operations.is_empty());
}

#[test]
fn figures_by_name_say_of_what_they_are() {
    let figure = |name: &str| ReportedFigure {
        name: name.into(),
        value: 1.0,
        unit: "%".into(),
    };
    let of_read = Reported {
        kind: Some(OperationKind::Read),
        figures: vec![figure("slat mean")],
        ..Reported::default()
    };
    let rounds = [
        vec![of_read],
        vec![Reported {
            figures: vec![figure("usr_cpu")],
            ..Reported::default()
        }],
    ];
    let step = only(&run("read", true, &rounds));
    let names: Vec<_> = step
        .reported
        .iter()
        .map(|figure| figure.name.as_str())
        .collect();
    assert_eq!(names, ["read: slat mean, round 1", "usr_cpu, round 2"]);
    assert_eq!(
        (step.total.count, step.total.uncounted),
        (20_000, false),
        "figures by name change nothing else"
    );
    assert!(step.response_ns.p99.is_some());
}

#[test]
fn numbers_without_times_have_no_depth() {
    let step = only(&run("read", false, &[vec![]]));
    assert_eq!(
        (step.achieved_depth, step.response_ns.mean, step.total.iops),
        (None, None, Some(10_000.0))
    );
}
