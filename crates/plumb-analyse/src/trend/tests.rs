//! Does a trend name the run, the figure, the way it went and what changed with it, and leave out what does not belong?

use super::*;
use crate::english::in_english;
use crate::phrases::NAMED;
use crate::synthetic::{Builder, Interval, Random, ladder, step};
use plumb_model::results::comparison::compared_metric;
use plumb_model::run::{Event, Run, RunHeader};
use plumb_model::workload::Workload;

const HOUR_NS: u64 = 3_600_000_000_000;

/// A run of two steps and three rounds, `scatter` around what the factors say: of the throughput, and of the latency of the first step.
fn run(number: u64, iops: f64, latency: f64, random: &mut Random) -> Run {
    let kernel = Fact::Text(if iops < 1.0 { "6.2" } else { "6.1" }.into());
    let mut builder = Builder::new(ladder("read", &[1, 32]))
        .fact("host.kernel", kernel)
        .fact("host.name", Fact::Text("box".into()));
    for round in 0..3 {
        for step in 0..2 {
            let noise = 1.0 + 0.02 * (random.next_share() - 0.5);
            let latency_ns = 100_000.0 * noise * if step == 0 { latency } else { 1.0 };
            builder.execute(
                step,
                round,
                &[Interval {
                    iops: 10_000.0 * noise * iops,
                    latency_ns,
                    ..Interval::default()
                }],
            );
        }
    }
    let mut run = builder.finish();
    run.header.id = format!("run-{number}");
    run.header.started_unix_ns = number * HOUR_NS;
    run
}

fn trend_of(runs: &[Run], settings: &Settings) -> Trend {
    let figures = runs
        .iter()
        .map(|run| RunFigures::of(&format!("{}.plumb", run.header.id), run, settings));
    trend(figures.collect(), settings, &|folder| {
        header_of(runs, folder)
    })
}

fn header_of(runs: &[Run], folder: &str) -> Option<RunHeader> {
    let named = |run: &&Run| format!("{}.plumb", run.header.id) == folder;
    Some(runs.iter().find(named)?.header.clone())
}

/// So many runs; throughput falls to 80 % at `at`.
fn falling(count: u64, at: u64) -> Vec<Run> {
    let mut random = Random(3);
    (0..count)
        .map(|number| {
            run(
                number,
                if number < at { 1.0 } else { 0.8 },
                1.0,
                &mut random,
            )
        })
        .collect()
}

fn changed(trend: &Trend) -> Vec<String> {
    let found = |line: &TrendLine| {
        line.changes
            .iter()
            .map(|c| format!("{} {} {} {}", line.step, line.metric, c.run, c.verdict))
            .collect::<Vec<_>>()
    };
    trend.lines.iter().flat_map(found).collect()
}

#[test]
fn a_change_is_named_with_its_run_its_size_and_its_ground() {
    let mut runs = falling(20, 12);
    // They come in any order.
    runs.reverse();
    let trend = trend_of(&runs, &Settings::default());
    assert_eq!(
        changed(&trend),
        [
            "random-read depth=1 iops 12 worse",
            "random-read depth=32 iops 12 worse"
        ]
    );
    assert!(trend.ends_worse());
    // All six lines were judged.
    let by_chance = Statement::new("changes-by-chance").count("lines", 6);
    assert!(trend.remarks.contains(&by_chance), "{:?}", trend.remarks);
    assert_eq!(
        (
            trend.lines.len(),
            trend.runs[12].id.as_str(),
            trend.runs[12].folder.as_str()
        ),
        (6, "run-12", "run-12.plumb")
    );
    let line = &trend.lines[0];
    let change = &line.changes[0];
    assert!(
        (change.ratio - 0.8).abs() < 0.01
            && (change.after / change.before - change.ratio).abs() < 1e-9,
        "{change:?}"
    );
    assert!(
        (change.before - 10_000.0).abs() < 100.0 && change.p_value < 0.001,
        "{change:?}"
    );
    let kernel: Vec<&str> = change
        .environment
        .iter()
        .map(|difference| difference.what.as_str())
        .collect();
    assert_eq!(kernel, ["host.kernel"]);
    assert_eq!(
        change.environment[0].values,
        [
            Some(Fact::Text("6.1".into())),
            Some(Fact::Text("6.2".into()))
        ]
    );
    let point = &line.points[3];
    assert!(
        point.rounds == 3
            && point
                .range
                .is_some_and(|(low, high)| low <= point.value && point.value <= high),
        "{point:?}"
    );
}

#[test]
fn the_way_it_went_depends_on_the_metric() {
    let mut random = Random(5);
    let faster = |number: u64| if number < 10 { 1.0 } else { 0.5 };
    let runs: Vec<Run> = (0..20)
        .map(|number| run(number, 1.0, faster(number), &mut random))
        .collect();
    let trend = trend_of(&runs, &Settings::default());
    assert_eq!(
        changed(&trend),
        [
            "random-read depth=1 p50 10 better",
            "random-read depth=1 p99 10 better"
        ]
    );
    assert!(!trend.ends_worse());
    assert!(
        trend.lines[1].changes[0].environment.is_empty(),
        "nothing differs but the figure"
    );
}

#[test]
fn steps_and_metrics_can_be_chosen() {
    let settings = Settings {
        steps: "*=32".into(),
        metrics: compared_metric("mean").into_iter().collect(),
        ..Settings::default()
    };
    let trend = trend_of(&falling(8, 99), &settings);
    assert_eq!(
        trend
            .lines
            .iter()
            .map(|line| (line.step.as_str(), line.metric.as_str()))
            .collect::<Vec<_>>(),
        [("random-read depth=32", "mean")]
    );
    assert!(trend.lines[0].undecided_because.is_none());
}

#[test]
fn few_runs_are_listed_and_not_judged() {
    let trend = trend_of(&falling(7, 3), &Settings::default());
    assert!(changed(&trend).is_empty() && trend.lines.iter().all(|line| line.points.len() == 7));
    assert!(
        trend.lines.iter().all(|line| line
            .undecided_because
            .as_ref()
            .is_some_and(|why| in_english(why).contains('8'))),
        "{:?}",
        trend.lines[0].undecided_because
    );
    assert!(
        trend
            .remarks
            .iter()
            .any(|remark| in_english(remark).contains("7 runs are too few")
                && in_english(remark).contains("plumb compare")),
        "{:?}",
        trend.remarks
    );
    for runs in [&[][..], &falling(1, 0)] {
        let trend = trend_of(runs, &Settings::default());
        assert_eq!(trend.lines.len(), runs.len() * 6);
        assert!(!trend.ends_worse());
    }
}

#[test]
fn what_does_not_belong_is_left_out_and_named() {
    let mut runs = falling(12, 99);
    runs[2].header.plan.steps[1].jobs[0].workload.workers = 4;
    runs[5]
        .notes
        .retain(|note| !matches!(note.event, Event::Finished { .. }));
    runs[7]
        .ticks
        .iter_mut()
        .filter(|tick| tick.execution < 4)
        .flat_map(|tick| &mut tick.kinds)
        .for_each(|kind| kind.count = 0);
    runs[8].ticks[0].kinds[0].errors.insert("EIO".into(), 3);
    let trend = trend_of(&runs, &Settings::default());
    let points = |index: usize| {
        trend.lines[index]
            .points
            .iter()
            .map(|point| point.run)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        points(0),
        [0, 1, 2, 3, 4, 5, 6, 8, 9, 10, 11],
        "nothing completed in run 7"
    );
    assert_eq!(
        points(3),
        [0, 1, 3, 4, 5, 6, 8, 9, 10, 11],
        "and run 2 did other work in the second step"
    );
    let found = |words: &[&str]| {
        trend
            .remarks
            .iter()
            .any(|remark| words.iter().all(|word| in_english(remark).contains(word)))
    };
    assert!(
        found(&["workers", "run-2.plumb", "random-read depth=32"]),
        "{:?}",
        trend.remarks
    );
    assert!(
        found(&["run-5.plumb", "killed"]) && found(&["run-7.plumb", "nothing completed"]),
        "{:?}",
        trend.remarks
    );
    assert!(
        found(&["Operations failed", "run-8.plumb", "3"]),
        "{:?}",
        trend.remarks
    );
}

#[test]
fn how_a_step_was_carried_out_and_the_version_belong_to_the_ground() {
    let mut runs = falling(16, 8);
    for run in &mut runs[8..] {
        run.header.plumb_version = "0.2.0".into();
        for note in &mut run.notes {
            if let Event::EngineOpened { engine, .. } = &mut note.event {
                engine.name = "sync".into();
            }
        }
    }
    let trend = trend_of(&runs, &Settings::default());
    let what: Vec<&str> = trend.lines[0].changes[0]
        .environment
        .iter()
        .map(|difference| difference.what.as_str())
        .collect();
    assert_eq!(what, ["host.kernel", "plumb_version", "engine"]);
}

#[test]
fn kinds_of_one_step_have_lines_of_their_own() {
    let mixed = Workload {
        mix: "read:70,write:30".parse().expect("a mix"),
        ..Workload::default()
    };
    let run = |number: u64| {
        let mut builder = Builder::new(vec![step("mixed", "mixed", &[], mixed.clone())]);
        builder.execute(0, 0, &[Interval::default()]);
        let mut run = builder.finish();
        run.header.started_unix_ns = number;
        run
    };
    let trend = trend_of(&(0..9).map(run).collect::<Vec<_>>(), &Settings::default());
    let lines: Vec<(Option<&str>, &str)> = trend
        .lines
        .iter()
        .map(|line| (line.kind.as_deref(), line.metric.as_str()))
        .collect();
    assert_eq!(lines[..2], [(Some("read"), "iops"), (Some("read"), "p50")]);
    assert!(lines.contains(&(Some("write"), "iops")));
}

#[test]
fn what_is_missing_in_some_runs_is_not_said_to_be_unchanged() {
    let mut random = Random(5);
    // In the last four runs operations take so long that a round has too few of them for a 99th percentile.
    let runs: Vec<Run> = (0..14)
        .map(|number| {
            run(
                number,
                if number < 10 { 1.0 } else { 0.05 },
                1.0,
                &mut random,
            )
        })
        .collect();
    let trend = trend_of(&runs, &Settings::default());
    let p99: Vec<&TrendLine> = trend
        .lines
        .iter()
        .filter(|line| line.metric == "p99")
        .collect();
    assert_eq!(p99.len(), 2);
    for line in p99 {
        assert!(
            line.changes.is_empty() && line.points.len() == 10,
            "{line:?}"
        );
        let why = line
            .undecided_because
            .as_ref()
            .map(in_english)
            .expect("it is not known whether it changed");
        assert!(
            why.starts_with("4 of 14 runs lack it")
                && why.ends_with("whether it changed is not known"),
            "{why}"
        );
    }
}

#[test]
fn a_slow_drift_is_not_sold_as_steps() {
    let mut random = Random(9);
    let runs: Vec<Run> = (0..60)
        .map(|number| run(number, 0.99f64.powi(number as i32), 1.0, &mut random))
        .collect();
    let trend = trend_of(&runs, &Settings::default());
    assert_eq!(changed(&trend), Vec::<String>::new());
    let drift = trend.lines[0].drift.as_ref().expect("a drift");
    assert!(
        (drift.ratio - 0.99f64.powi(59)).abs() < 0.01 && (drift.first - 10_000.0).abs() < 200.0,
        "{drift:?}"
    );
    assert!(drift.verdict == Verdict::Worse && trend.ends_worse());
    assert_eq!(
        trend
            .lines
            .iter()
            .filter(|line| line.drift.is_some())
            .count(),
        2,
        "throughput of both steps"
    );
    // A step is no drift, though a line through it has a slope.
    assert!(
        trend_of(&falling(20, 12), &Settings::default())
            .lines
            .iter()
            .all(|line| line.drift.is_none())
    );
}

#[test]
fn doubtful_runs_beyond_those_that_are_named_are_counted() {
    let more = |doubtful: usize| {
        let settings = Settings::default();
        let runs = falling(12, 99);
        let figures = runs.iter().enumerate().map(|(number, run)| {
            let mut figures = RunFigures::of(&run.header.id, run, &settings);
            figures.doubts = vec![Statement::new("none"); usize::from(number < doubtful)];
            figures
        });
        let trend = trend(figures.collect(), &settings, &|_| None);
        let remarks = trend.remarks.into_iter();
        let named = |remark: &Statement| remark.id == "run-is-doubtful";
        let (named, others): (Vec<Statement>, Vec<Statement>) = remarks.partition(named);
        let more = others
            .into_iter()
            .find(|remark| remark.id == "more-runs-are-doubtful");
        (named.len(), more)
    };
    assert_eq!(more(NAMED), (NAMED, None));
    let two = Statement::new("more-runs-are-doubtful").count("more", 2);
    assert_eq!(more(NAMED + 2), (NAMED, Some(two)));
}

#[test]
fn the_method_states_the_threshold_in_percent() {
    let trend = trend_of(&falling(1, 0), &Settings::default());
    let smallest = Statement::new("trend-smallest-change").percent("change", 5.0);
    assert_eq!(trend.method.parameters["smallest change"], smallest);
}
