//! Does a comparison say what the rounds say?

use std::collections::BTreeMap;

use plumb_model::environment::Fact;
use plumb_model::plan::Step;
use plumb_model::results::comparison::{Cell, Effect};
use plumb_model::results::reference::{
    PublishedFigure, PublishedProgram, PublishedUnit, PublishedWork, Reference,
};
use plumb_model::run::Run;
use plumb_model::run::{Event, SideOf};
use plumb_model::units::Bytes;
use plumb_model::workload::{OperationKind, Workload};

use super::*;
use crate::english::in_english;
use crate::synthetic::{Builder, Interval, Random, ladder, step};

/// Rates that scatter around a level by this part, up to one and a half times of it.
fn noisy(seed: u64, level: f64, noise: f64, rounds: usize) -> Vec<f64> {
    let mut random = Random(seed);
    let mut scatter = || random.next_share() + random.next_share() + random.next_share() - 1.5;
    (0..rounds)
        .map(|_| level * (1.0 + noise * scatter()))
        .collect()
}

/// An operation takes 10 us of CPU time, whatever the rate.
fn interval(iops: f64) -> Interval {
    Interval {
        iops,
        latency_ns: 1e9 / iops,
        cpu_percent: iops / 1000.0,
        ..Interval::default()
    }
}

/// A run of these steps, each with these rates in its rounds.
fn run_of(steps: Vec<Step>, rounds: &[f64]) -> Run {
    let count = steps.len() as u32;
    let mut builder = Builder::new(steps);
    for (round, iops) in rounds.iter().enumerate() {
        for step in 0..count {
            builder.execute(step, round as u32, &[interval(*iops)]);
        }
    }
    builder.finish()
}

fn run(rounds: &[f64]) -> Run {
    run_of(ladder("read", &[1, 4]), rounds)
}

fn compared(runs: &[&Run], settings: &Settings) -> Comparison {
    let entrants: Vec<Entrant> = runs
        .iter()
        .map(|run| Entrant::Run {
            label: "run".into(),
            run,
        })
        .collect();
    compare(&entrants, settings)
}

fn between(a: &Run, b: &Run) -> Comparison {
    compared(&[a, b], &Settings::default())
}

/// The verdicts of all cells on side B by metric, of the first step.
fn verdicts(comparison: &Comparison) -> Vec<(&str, Verdict)> {
    let first = comparison.cells.first().map(|cell| cell.step.as_str());
    let of_first = comparison
        .cells
        .iter()
        .filter(|cell| Some(cell.step.as_str()) == first);
    of_first
        .map(|cell| (cell.metric.as_str(), cell.effects[0].verdict))
        .collect()
}

fn says(comparison: &Comparison, words: &str) -> bool {
    comparison
        .verdict
        .iter()
        .any(|sentence| crate::english::text(sentence).contains(words))
}

fn remarks(comparison: &Comparison, words: &str) -> bool {
    comparison
        .remarks
        .iter()
        .any(|remark| in_english(remark).contains(words))
}

/// Why an effect is decided or not.
fn reason(effect: &Effect) -> String {
    effect.reason.as_ref().map(in_english).unwrap_or_default()
}

#[test]
fn better_worse_and_the_same_know_which_way_is_better() {
    let check = |level: f64, verdict: Verdict, sentence: &str| {
        let comparison = between(
            &run(&noisy(1, 10_000.0, 0.02, 6)),
            &run(&noisy(2, level, 0.02, 6)),
        );
        assert_eq!(
            verdicts(&comparison),
            [("iops", verdict), ("p50", verdict), ("p99", verdict)]
        );
        assert!(says(&comparison, sentence), "{:#?}", comparison.verdict);
        assert_eq!((comparison.method.tested, comparison.cells.len()), (6, 6));
        assert_eq!(comparison.any_worse(), verdict == Verdict::Worse);
    };
    check(
        10_000.0,
        Verdict::Same,
        "B is the same as A in all 6 figures within 5 %.",
    );
    check(
        8_000.0,
        Verdict::Worse,
        "B is worse than A in all 6 figures.",
    );
    check(
        8_000.0,
        Verdict::Worse,
        "it completes 20 % fewer operations per second (between 19 % and 22 %)",
    );
    check(
        8_000.0,
        Verdict::Worse,
        "its median response time is 26 % longer (between 23 % and 29 %)",
    );
    check(
        33_000.0,
        Verdict::Better,
        "it completes 229 % more operations per second",
    );
}

#[test]
fn more_than_five_percent_is_shown_only_by_an_interval_beyond_it() {
    // The ratio is below 0.95 and shown to differ from 1, but the interval reaches within 5 %.
    let (a, b) = (noisy(1, 10_000.0, 0.06, 6), noisy(2, 9_450.0, 0.06, 6));
    let comparison = between(&run(&a), &run(&b));
    for cell in comparison.cells.iter().filter(|cell| cell.metric == "iops") {
        let effect = &cell.effects[0];
        let (low, high) = effect.interval.expect("an interval");
        assert!(
            low < 0.93
                && high > 1.0 / 1.05
                && high < 1.0
                && effect.ratio.is_some_and(|ratio| ratio < 0.95)
                && effect.adjusted_p_value.is_some_and(|p| p < 0.05),
            "{effect:?}"
        );
        assert_eq!(effect.verdict, Verdict::Undecided, "{effect:?}");
    }
    assert!(!comparison.any_worse());
    // And every verdict of a difference lies wholly beyond the threshold.
    for seed in 0..60 {
        let level = 10_000.0 * (0.8 + 0.005 * seed as f64);
        for cell in between(
            &run(&noisy(seed, 10_000.0, 0.05, 6)),
            &run(&noisy(seed + 99, level, 0.05, 6)),
        )
        .cells
        {
            let (low, high) = cell.effects[0].interval.expect("an interval");
            if matches!(cell.effects[0].verdict, Verdict::Better | Verdict::Worse) {
                assert!(low > 1.05 || high < 1.0 / 1.05, "{cell:?}");
            }
        }
    }
}

#[test]
fn the_width_of_a_bucket_belongs_to_the_interval() {
    // Each side has all its rounds in one bucket: 1 / 128 of an octave wide, which is 0.8 % at 128 us.
    for (a_ns, b_ns) in [
        (131_500.0, 131_500.0),
        (131_100.0, 144_000.0),
        (131_500.0, 120_000.0),
    ] {
        let of = |latency_ns: f64| {
            let mut builder = Builder::new(ladder("read", &[1]));
            for round in 0..6 {
                builder.execute(
                    0,
                    round,
                    &[Interval {
                        iops: 7_000.0,
                        latency_ns,
                        ..Interval::default()
                    }],
                );
            }
            builder.finish()
        };
        let comparison = between(&of(a_ns), &of(b_ns));
        let cell = comparison
            .cells
            .iter()
            .find(|cell| cell.metric == "p50")
            .expect("a median");
        let (effect, truth) = (&cell.effects[0], b_ns / a_ns);
        let (low, high) = effect.interval.expect("an interval");
        assert!(
            low < truth && truth < high,
            "{effect:?} does not hold {truth}"
        );
        // Half a bucket of each side, below and above: 0.4 to 0.8 %; the rest is what may differ between any two sessions.
        assert!(
            (0.006..0.008).contains(&effect.resolution)
                && (high / low).ln() > 2.0 * effect.resolution,
            "{effect:?}"
        );
        let (low, high) = cell.sides[0].interval.expect("an interval");
        assert!(low < a_ns && a_ns < high, "{:?}", cell.sides[0]);
        assert!(
            comparison.cells.iter().all(|cell| cell.effects[0]
                .interval
                .is_some_and(|(low, high)| low < high)),
            "{comparison:#?}"
        );
    }
}

#[test]
fn ratios_and_intervals_are_those_of_the_rounds() {
    let (a, b) = (
        [100.0, 110.0, 105.0, 95.0, 102.0, 99.0],
        [131.0, 122.0, 140.0, 125.0, 128.0, 133.0],
    );
    let rounds = |values: [f64; 6]| run(&values.map(|value| value * 100.0));
    let comparison = between(&rounds(a), &rounds(b));
    let effect = &comparison.cells[0].effects[0];
    // scipy 1.17.1: ttest_ind(log(b), log(a), equal_var=False): statistic 9.4, difference 0.2440; the values of A have a lag-1 autocorrelation below 0.
    let mean = |values: [f64; 6]| values.iter().map(|value: &f64| value.ln()).sum::<f64>() / 6.0;
    let ratio = (mean(b) - mean(a)).exp();
    assert!(
        (effect.ratio.expect("a ratio") / ratio - 1.0).abs() < 1e-3,
        "{effect:?}"
    );
    let (low, high) = effect.interval.expect("an interval");
    assert!(
        low < ratio && ratio < high && effect.p_value.is_some_and(|p| p < 1e-3),
        "{effect:?}"
    );
    assert!(effect.adjusted_p_value >= effect.p_value);
}

#[test]
fn what_is_undecided_says_how_many_rounds_would_decide_it() {
    let comparison = between(
        &run(&noisy(1, 10_000.0, 0.1, 6)),
        &run(&noisy(2, 10_400.0, 0.1, 6)),
    );
    assert_eq!(verdicts(&comparison)[0], ("iops", Verdict::Undecided));
    let more = comparison.cells[0].effects[0]
        .more_rounds
        .expect("a number of rounds");
    assert!((1..100).contains(&more), "{more}");
    assert!(
        says(&comparison, "Nothing is decided between B and A")
            && says(&comparison, "more rounds per side would probably decide")
    );
}

#[test]
fn too_few_rounds_decide_nothing_and_keep_their_numbers() {
    let check = |rounds: (usize, usize), why: &str, has_interval: bool| {
        let comparison = between(
            &run(&noisy(1, 10_000.0, 0.02, rounds.0)),
            &run(&noisy(2, 5_000.0, 0.02, rounds.1)),
        );
        let effect = &comparison.cells[0].effects[0];
        assert_eq!(
            (effect.verdict, reason(effect).as_str()),
            (Verdict::Undecided, why)
        );
        assert!(
            effect
                .ratio
                .is_some_and(|ratio| (0.45..0.55).contains(&ratio))
        );
        assert_eq!(
            (
                effect.interval.is_some(),
                effect.adjusted_p_value,
                comparison.method.tested
            ),
            (has_interval, None, 0)
        );
        assert!(
            says(&comparison, "No verdict on B"),
            "{:#?}",
            comparison.verdict
        );
        effect.more_rounds
    };
    assert_eq!(
        check((1, 1), "one round says nothing about the spread", false),
        None
    );
    assert_eq!(
        check(
            (1, 6),
            "A has one round, which says nothing about the spread",
            false
        ),
        None
    );
    assert_eq!(
        check(
            (3, 3),
            "with fewer than 5 rounds per side it could be chance",
            true
        ),
        Some(2)
    );
    assert_eq!(
        check(
            (6, 4),
            "with fewer than 5 rounds per side it could be chance",
            true
        ),
        Some(1)
    );
}

#[test]
fn other_work_is_refused_unless_it_is_asked_for() {
    let of = |depth: u32| {
        let workload = Workload {
            depth,
            ..Workload::default()
        };
        run_of(
            vec![step("reads", "reads", &[], workload)],
            &noisy(u64::from(depth), 10_000.0, 0.02, 6),
        )
    };
    let (a, b) = (of(32), of(1));
    let comparison = between(&a, &b);
    assert!(comparison.cells.is_empty() && says(&comparison, "Nothing could be compared"));
    assert_eq!(
        in_english(&comparison.refused[0].reason),
        "the workload differs: depth is 32 on A and 1 on B"
    );
    assert_eq!(comparison.refused[0].side, Some(1));
    let comparison = compared(
        &[&a, &b],
        &Settings {
            any_work: true,
            ..Settings::default()
        },
    );
    assert_eq!((comparison.cells.len(), comparison.refused.len()), (3, 0));
    let depth = comparison
        .work
        .iter()
        .find(|difference| difference.what == "depth")
        .expect("the difference is listed");
    assert_eq!(
        depth.values,
        [Some(Fact::Text("32".into())), Some(Fact::Text("1".into()))]
    );
}

#[test]
fn how_the_work_was_done_is_told_and_compared() {
    let a = run(&noisy(1, 10_000.0, 0.02, 6));
    let mut b = run(&noisy(2, 10_000.0, 0.02, 6));
    for step in &mut b.header.plan.steps {
        (step.jobs[0].workload.seed, step.jobs[0].workload.keep) = (Some(7), true);
    }
    assert!(between(&a, &b).work.is_empty());
    for note in &mut b.notes {
        if let Event::EngineOpened { engine, .. } = &mut note.event {
            (engine.name, engine.direct, engine.size_bytes) =
                ("sync".into(), Some(false), (1 << 30) + 4096);
        }
    }
    let comparison = between(&a, &b);
    let found: Vec<(&str, usize)> = comparison
        .work
        .iter()
        .map(|difference| (difference.what.as_str(), difference.steps.len()))
        .collect();
    assert_eq!(found, [("direct", 0), ("engine", 0)]);
    assert_eq!(comparison.cells.len(), 6);
}

#[test]
fn batches_are_compared_by_what_was_submitted_at_once() {
    // The engine's limit, and the operations and submissions of each round, where they are counted.
    let of = |limit: u32, submitted: Option<(u64, u64)>| {
        let mut run = run(&noisy(1, 10_000.0, 0.02, 6));
        let notes = std::mem::take(&mut run.notes);
        for mut note in notes {
            let mut end = None;
            if let Event::EngineOpened {
                execution, engine, ..
            } = &mut note.event
            {
                engine.batch = limit;
                end = submitted.map(|(operations, submissions)| Event::WorkerEnded {
                    execution: *execution,
                    job: 0,
                    worker: 0,
                    end: serde_json::from_value(serde_json::json!({
                        "stopped_by": "time",
                        "start_ns": 0,
                        "end_ns": 1,
                        "levels": {"in_flight": [operations], "submitted": [submissions]},
                    }))
                    .expect("the end of a worker"),
                });
            }
            let time_ns = note.time_ns;
            run.notes.push(note);
            run.notes
                .extend(end.map(|event| plumb_model::run::Note { time_ns, event }));
        }
        run
    };
    let differences = |a: &Run, b: &Run| -> Vec<(String, Vec<Option<Fact>>)> {
        let work = between(a, b).work.into_iter();
        work.map(|difference| (difference.what, difference.values))
            .collect()
    };
    let batch = |a: &str, b: &str| {
        let values = [a, b].map(|value| Some(Fact::Text(value.to_string())));
        vec![("batch".to_string(), values.to_vec())]
    };
    let grown = of(16, Some((1_580, 100)));
    assert_eq!(differences(&grown, &of(16, Some((1_590, 100)))), []);
    // One plan on two targets, of which one answers at once.
    let small = of(16, Some((203, 100)));
    assert_eq!(differences(&grown, &small), batch("15.8", "2.03"));
    // Another limit that made no difference, and one of a record that has the limit alone.
    assert_eq!(differences(&small, &of(2, Some((200, 100)))), []);
    assert_eq!(differences(&of(16, None), &of(2, None)), batch("16", "2"));
}

#[test]
fn steps_match_by_name_or_by_equal_work() {
    let of = |steps: &[(&str, u32)]| {
        let step_of = |(name, depth): &(&str, u32)| {
            step(
                name,
                name,
                &[],
                Workload {
                    depth: *depth,
                    ..Workload::default()
                },
            )
        };
        run_of(
            steps.iter().map(step_of).collect(),
            &noisy(3, 10_000.0, 0.02, 6),
        )
    };
    let check = |a: &[(&str, u32)], b: &[(&str, u32)], steps: &[&str], refused: &[&str]| {
        let comparison = between(&of(a), &of(b));
        let mut found: Vec<&str> = comparison
            .cells
            .iter()
            .map(|cell| cell.step.as_str())
            .collect();
        found.dedup();
        assert_eq!(found, steps);
        assert_eq!(
            comparison
                .refused
                .iter()
                .map(|refusal| refusal.step.as_str())
                .collect::<Vec<_>>(),
            refused,
            "{:?}",
            comparison.refused
        );
    };
    check(
        &[("x", 1), ("y", 2)],
        &[("y", 2), ("x", 1)],
        &["x", "y"],
        &[],
    );
    check(
        &[("x", 1), ("y", 2)],
        &[("v", 2), ("w", 1)],
        &["x", "y"],
        &[],
    );
    // Two of the same work: neither belongs to the other's only one.
    check(&[("x", 1), ("y", 1)], &[("z", 1)], &[], &["x", "y", "z"]);
    check(&[("x", 1), ("y", 2)], &[("x", 1)], &["x"], &["y"]);
    check(&[("x", 1)], &[("x", 1), ("y", 2)], &["x"], &["y"]);
}

#[test]
fn a_step_of_a_sweep_matches_the_same_step_where_nothing_is_swept() {
    let of = |steps: &[(&str, &str, bool, u32)]| {
        let step_of = |(name, group, is_swept, depth): &(&str, &str, bool, u32)| {
            let text = depth.to_string();
            let swept: &[(&str, &str)] = if *is_swept { &[("depth", &text)] } else { &[] };
            // Work of its own, so that equal work decides nothing.
            let time = plumb_model::units::Nanos(u64::from(*depth) * 1_000_000_000);
            step(
                name,
                group,
                swept,
                Workload {
                    depth: *depth,
                    time: Some(time),
                    ..Workload::default()
                },
            )
        };
        run_of(
            steps.iter().map(step_of).collect(),
            &noisy(3, 10_000.0, 0.02, 6),
        )
    };
    let swept = of(&[
        ("reads depth=1", "reads", true, 1),
        ("reads depth=4", "reads", true, 4),
        ("again depth=4", "again", true, 4),
    ]);
    let fixed = of(&[("again", "again", false, 4), ("reads", "reads", false, 4)]);
    for (a, b) in [(&swept, &fixed), (&fixed, &swept)] {
        let comparison = between(a, b);
        let groups: std::collections::BTreeSet<&str> = comparison
            .cells
            .iter()
            .map(|cell| cell.group.as_str())
            .collect();
        assert_eq!(groups.into_iter().collect::<Vec<_>>(), ["again", "reads"]);
        assert_eq!(
            comparison
                .refused
                .iter()
                .map(|refusal| refusal.step.as_str())
                .collect::<Vec<_>>(),
            ["reads depth=1"]
        );
    }
    // Another depth is another place, and two steps at one place are not chosen from.
    let comparison = between(&swept, &of(&[("reads", "reads", false, 2)]));
    assert!(comparison.cells.is_empty(), "{:?}", comparison.refused);
    let comparison = between(
        &swept,
        &of(&[
            ("reads a", "reads", false, 4),
            ("reads b", "reads", false, 4),
        ]),
    );
    assert!(comparison.cells.is_empty(), "{:?}", comparison.refused);
}

#[test]
fn an_amount_that_ended_nothing_is_no_part_of_the_work() {
    use plumb_model::run::step_end::StopReason;

    // Rounds of one second; `program`: another one measured it, and does not say what ended a job.
    let of = |time: &str, bytes: Option<u64>, ended_by: StopReason| {
        let workload = Workload {
            time: time.parse().ok(),
            bytes: bytes.map(Bytes),
            ..Workload::default()
        };
        let steps = vec![step("reads", "reads", &[], workload)];
        let mut run = run_of(steps, &noisy(1, 10_000.0, 0.02, 6));
        for note in &mut run.notes {
            if let Event::ExecutionEnded { stopped_by, .. } = &mut note.event {
                *stopped_by = ended_by.clone();
            }
        }
        run
    };
    let open = of("1s", None, StopReason::Time);
    let is_same = |other: &Run| between(&open, other).refused.is_empty();
    assert!(is_same(&of("1s", Some(1 << 30), StopReason::Time)));
    assert!(is_same(&of("1s", Some(1 << 30), StopReason::Program)));
    assert!(!is_same(&of("1s", Some(1 << 30), StopReason::Bytes)));
    assert!(
        !is_same(&of("2s", Some(1 << 30), StopReason::Program)),
        "it ended before its time"
    );
}

#[test]
fn random_places_of_another_program_may_repeat() {
    let of = |offsets: &str, is_imported: bool| {
        let workload = Workload {
            offsets: offsets.parse().expect(offsets),
            ..Workload::default()
        };
        let steps = vec![step("reads", "reads", &[], workload)];
        let mut run = run_of(steps, &noisy(1, 10_000.0, 0.02, 6));
        run.header.imported = is_imported.then(|| plumb_model::run::imported::Imported {
            program: "fio".into(),
            version: None,
            importer: "fio-json".into(),
            file: "f".into(),
            names_all_options: true,
            unstated: Vec::new(),
            doubts: Vec::new(),
        });
        run
    };
    let repeating = of("random-with-replacement", false);
    let found = between(&of("random", true), &repeating);
    assert!(found.refused.is_empty(), "{:?}", found.refused);
    assert!(
        found
            .work
            .iter()
            .any(|differing| differing.what == "offsets")
    );
    assert!(!between(&of("random", false), &repeating).refused.is_empty());
    assert!(
        !between(&of("sequential", true), &repeating)
            .refused
            .is_empty()
    );
}

#[test]
fn what_an_imported_run_does_not_tell_is_said_and_does_not_stop_a_comparison() {
    let imported = |names_all_options: bool| {
        let mut run = run_of(
            vec![step("reads", "reads", &[], Workload::default())],
            &noisy(1, 10_000.0, 0.02, 6),
        );
        let (program, importer, file) = ("x".into(), "x".into(), "f".into());
        run.header.imported = Some(plumb_model::run::imported::Imported {
            unstated: Vec::new(),
            program,
            version: None,
            importer,
            file,
            names_all_options,
            doubts: Vec::new(),
        });
        run
    };
    let own = |workload: Workload| {
        run_of(
            vec![step("reads", "reads", &[], workload)],
            &noisy(2, 10_000.0, 0.02, 6),
        )
    };
    let once = own(Workload {
        passes: Some(1),
        fresh: true,
        ..Workload::default()
    });
    let comparison = between(&imported(false), &once);
    assert!(
        comparison.refused.is_empty() && !comparison.cells.is_empty(),
        "{:?}",
        comparison.refused
    );
    let found: Vec<(&str, &[Option<Fact>])> = comparison
        .work
        .iter()
        .map(|difference| (difference.what.as_str(), difference.values.as_slice()))
        .collect();
    let value = |text: &str| [None, Some(Fact::Text(text.into()))];
    assert!(
        found.contains(&("passes", &value("1"))) && found.contains(&("fresh", &value("true"))),
        "{found:?}"
    );
    assert!(
        !found
            .iter()
            .any(|(what, _)| ["verify", "pin", "warm-up"].contains(what)),
        "{found:?}"
    );
    // Where all options are known, one that is not there is known too; and so is the depth of any result.
    assert_eq!(between(&imported(true), &once).cells.len(), 0);
    assert_eq!(
        between(
            &imported(false),
            &own(Workload {
                depth: 32,
                ..Workload::default()
            })
        )
        .cells
        .len(),
        0
    );
}

#[test]
fn rounds_of_one_live_comparison_are_compared_block_by_block() {
    // The level wanders from block to block by far more than the sides differ.
    let wander = [10_000.0, 16_000.0, 7_000.0, 13_000.0, 9_000.0, 20_000.0];
    let of = |side: u32, factor: f64| {
        let jitter = noisy(u64::from(side) + 1, 1.0, 0.01, 6);
        let mut run = run(&wander
            .iter()
            .zip(jitter)
            .map(|(level, jitter)| level * factor * jitter)
            .collect::<Vec<_>>());
        run.header.id = format!("side-{side}");
        run.header.side_of = Some(SideOf {
            comparison: "c".into(),
            side,
            sides: 2,
        });
        run
    };
    let (a, mut b) = (of(0, 1.0), of(1, 0.85));
    let comparison = between(&a, &b);
    assert_eq!(
        (comparison.method.design, verdicts(&comparison)[0]),
        (Design::Blocks, ("iops", Verdict::Worse))
    );
    assert!(!remarks(&comparison, "measured separately"));
    // A round of B that failed takes its block with it, and the others stay where they were.
    let third = b
        .notes
        .iter()
        .filter(|note| matches!(note.event, Event::ExecutionStarted { step: 0, .. }))
        .nth(2)
        .map(|note| note.event.clone());
    let Some(Event::ExecutionStarted { execution, .. }) = third else {
        panic!("no third round")
    };
    b.notes.retain(|note| !matches!(note.event, Event::ExecutionEnded { execution: ended, .. } if ended == execution));
    let comparison = between(&a, &b);
    assert_eq!(
        comparison.cells[0].sides[1]
            .rounds
            .iter()
            .position(Option::is_none),
        Some(2)
    );
    assert_eq!(verdicts(&comparison)[0], ("iops", Verdict::Worse));
    assert!(
        remarks(
            &comparison,
            "Rounds of B are left out of random-read depth=1: each did not end."
        ),
        "{:#?}",
        comparison.remarks
    );
    b.header.side_of = None;
    let comparison = between(&a, &b);
    assert_eq!(
        (comparison.method.design, verdicts(&comparison)[0].1),
        (Design::Independent, Verdict::Undecided)
    );
}

/// A run of one step whose workers waited for a CPU in this share of the time, and with this CPU time per operation.
fn run_on(level: f64, waited_percent: f64, cpu_us: f64, seed: u64) -> Run {
    let mut builder =
        Builder::new(ladder("read", &[1])).fact("host.kernel", Fact::Text("6.1".into()));
    for (round, iops) in noisy(seed, level, 0.01, 6).into_iter().enumerate() {
        let cpu_percent = iops * cpu_us / 1e4;
        builder.execute(
            0,
            round as u32,
            &[Interval {
                cpu_percent,
                waited_percent: Some(waited_percent),
                ..interval(iops)
            }],
        );
    }
    builder.finish()
}

#[test]
fn what_the_machine_took_is_no_difference_of_stored_sides() {
    let quiet = run_on(10_000.0, 0.1, 5.0, 1);
    let iops = |comparison: &Comparison| comparison.cells[0].effects[0].clone();
    // 30 % fewer operations, and 30 % of the time waited for a CPU: that may be all of it.
    let comparison = between(&quiet, &run_on(7_000.0, 30.0, 5.0, 2));
    let effect = iops(&comparison);
    assert_eq!(
        (effect.verdict, effect.undecided),
        (Verdict::Undecided, Some(Undecided::MachineNotSame))
    );
    assert!(
        reason(&effect).contains("workers waited for a CPU 0 % of the time on A and 29 % on B"),
        "{effect:?}"
    );
    assert!(
        effect
            .machine
            .is_some_and(|(below, above)| below < 0.002 && (0.40..0.44).contains(&above))
            && effect.more_rounds.is_none()
    );
    let evidence = &comparison.machine[0];
    assert_eq!(
        (evidence.what.as_str(), evidence.side, evidence.steps.len()),
        ("waited_for_cpu", 1, 1)
    );
    assert!(
        remarks(&comparison, "The machine was not the same, or not idle")
            && !comparison.any_worse(),
        "{:#?}",
        comparison.remarks
    );
    // The same on a quiet machine is shown, and so is more than the machine can explain, and what is better in spite of it.
    assert_eq!(
        iops(&between(&quiet, &run_on(7_000.0, 0.1, 5.0, 2))).verdict,
        Verdict::Worse
    );
    assert_eq!(
        iops(&between(&quiet, &run_on(5_000.0, 30.0, 5.0, 2))).verdict,
        Verdict::Worse
    );
    assert_eq!(
        iops(&between(&quiet, &run_on(12_000.0, 30.0, 5.0, 2))).verdict,
        Verdict::Better
    );
    // Equal figures of which one was disturbed are not shown to be the same.
    assert_eq!(
        iops(&between(&quiet, &run_on(10_000.0, 30.0, 5.0, 2))).verdict,
        Verdict::Undecided
    );
    // Sides in turns met the same machine.
    let live = |mut run: Run, side: u32| {
        run.header.side_of = Some(SideOf {
            comparison: "c".into(),
            side,
            sides: 2,
        });
        run
    };
    let comparison = between(
        &live(quiet.clone(), 0),
        &live(run_on(7_000.0, 30.0, 5.0, 2), 1),
    );
    assert_eq!(
        (iops(&comparison).verdict, comparison.machine.len()),
        (Verdict::Worse, 0)
    );
}

#[test]
fn a_slower_cpu_is_told_from_slower_storage() {
    let iops = |a: &Run, b: &Run| between(a, b).cells[0].effects[0].clone();
    // From the page cache all is CPU time: 90 us of 100 us, and 120 us of 130 us.
    let (a, b) = (
        run_on(10_000.0, 0.0, 90.0, 1),
        run_on(7_692.0, 0.0, 120.0, 2),
    );
    let effect = iops(&a, &b);
    assert!(
        reason(&effect).contains("an operation took 90 us of CPU time on A and 120 us on B")
            || reason(&effect).contains("of CPU time"),
        "{effect:?}"
    );
    assert_eq!(effect.undecided, Some(Undecided::MachineNotSame));
    // The storage took 30 us more, and the CPU nothing.
    assert_eq!(
        iops(&a, &run_on(7_692.0, 0.0, 90.0, 2)).verdict,
        Verdict::Worse
    );
    // Another kernel may need more CPU time for the same: that is a difference of the sides.
    let mut other = b.clone();
    other
        .header
        .environment
        .set("host.kernel", Fact::Text("6.2".into()));
    assert_eq!(iops(&a, &other).verdict, Verdict::Worse);
}

#[test]
fn a_run_beside_itself_shows_nothing() {
    let one = run(&noisy(1, 10_000.0, 0.001, 6));
    let comparison = between(&one, &one.clone());
    assert!(
        crate::english::text(&comparison.verdict[0]).starts_with("A and B are the same record"),
        "{:#?}",
        comparison.verdict
    );
    let same_record = |cell: &Cell| cell.effects[0].undecided == Some(Undecided::SameRecord);
    assert!(comparison.cells.iter().all(same_record) && comparison.method.tested == 0);
    // Another run may be as like as one egg to another.
    assert_eq!(
        verdicts(&between(&one, &run(&noisy(2, 10_000.0, 0.001, 6))))[0].1,
        Verdict::Same
    );
}

#[test]
fn a_side_that_fails_is_not_faster() {
    let of = |level: f64, errors: u64| {
        let mut builder = Builder::new(ladder("read", &[1]));
        for (round, iops) in noisy(errors + 1, level, 0.02, 6).into_iter().enumerate() {
            let errors = if errors > 0 {
                vec![("EIO", errors)]
            } else {
                Vec::new()
            };
            builder.execute(
                0,
                round as u32,
                &[Interval {
                    errors,
                    ..interval(iops)
                }],
            );
        }
        builder.finish()
    };
    let (sound, failing) = (of(10_000.0, 0), of(20_000.0, 5_000));
    for (a, b, letter) in [(&sound, &failing, "B"), (&failing, &sound, "A")] {
        let comparison = between(a, b);
        assert_eq!(verdicts(&comparison)[0], ("iops", Verdict::Undecided));
        let first = &crate::english::text(&comparison.verdict[0]);
        assert!(
            first.starts_with(&format!("{letter} fails where")) && first.contains("30,000 of"),
            "{first}"
        );
        assert!(reason(&comparison.cells[0].effects[0]).contains("operations failed"));
        assert!(
            in_english(&comparison.remarks[0]).starts_with(letter),
            "{:?}",
            comparison.remarks
        );
    }
    // The slower one stays worse, whether it fails or not; and few failures on both sides are no difference.
    assert_eq!(
        verdicts(&between(&sound, &of(5_000.0, 5_000)))[0],
        ("iops", Verdict::Worse)
    );
    assert!(
        !crate::english::text(&between(&of(10_000.0, 2), &of(10_000.0, 3)).verdict[0])
            .contains("fails")
    );
}

#[test]
fn a_step_that_could_not_run_is_refused() {
    let a = run(&noisy(1, 10_000.0, 0.02, 6));
    let mut b = run(&noisy(2, 10_000.0, 0.02, 6));
    b.notes.retain(
        |note| !matches!(note.event, Event::ExecutionEnded { execution, .. } if execution % 2 == 1),
    );
    for execution in [1, 3, 5, 7, 9, 11] {
        b.notes.push(plumb_model::run::Note {
            time_ns: 0,
            event: Event::ExecutionFailed {
                execution,
                error: plumb_model::statement::Statement::verbatim("no space"),
            },
        });
    }
    let comparison = between(&a, &b);
    assert_eq!(
        (
            comparison.cells.len(),
            in_english(&comparison.refused[0].reason).as_str()
        ),
        (3, "could not run on B: no space")
    );
    assert!(
        crate::english::text(&comparison.verdict[0]).contains("rounds could not run"),
        "{:?}",
        comparison.verdict
    );
}

#[test]
fn what_is_peculiar_is_remarked() {
    let drifting: Vec<f64> = (0..8)
        .map(|round| 10_000.0 * (1.0 + 0.03 * f64::from(round)))
        .collect();
    let steady = run(&noisy(2, 10_000.0, 0.02, 8));
    let comparison = between(&run(&drifting), &steady);
    assert!(remarks(
        &comparison,
        "The figures of A drift from round to round in random-read depth=1 and random-read depth=4"
    ));
    assert!(
        in_english(&comparison.cells[0].sides[0].remarks[0])
            .starts_with("drifts over the rounds: +2"),
        "{:?}",
        comparison.cells[0].sides
    );
    assert!(
        comparison.cells[0].effects[0].widened > 1.5
            && remarks(&comparison, "intervals of B against A are widened")
    );
    let modes: Vec<f64> = (0..16)
        .map(|round| 10_000.0 + 3_000.0 * f64::from(round % 2) + 10.0 * f64::from(round * 7 % 11))
        .collect();
    let comparison = between(&steady, &run(&modes));
    assert!(
        remarks(&comparison, "The rounds of B are bimodal"),
        "{:#?}",
        comparison.remarks
    );
    let mut far = noisy(2, 10_000.0, 0.01, 8);
    far[3] = 4_000.0;
    let comparison = between(&steady, &run(&far));
    assert!(
        comparison.cells[0].sides[1]
            .remarks
            .iter()
            .any(|remark| in_english(remark) == "round 4 far from the others"),
        "{:?}",
        comparison.cells[0].sides[1]
    );
    assert!(
        !remarks(&between(&steady, &steady), "drift")
            && remarks(&between(&steady, &steady), "the same record")
    );
}

#[test]
fn what_happens_within_the_rounds_is_remarked() {
    let of = |rate: &dyn Fn(u32) -> f64| {
        let mut builder = Builder::new(ladder("read", &[1]));
        for round in 0..6 {
            builder.execute(
                0,
                round,
                &(0..12)
                    .map(|second| interval(rate(second)))
                    .collect::<Vec<_>>(),
            );
        }
        builder.finish()
    };
    let steady = of(&|second| 10_000.0 + f64::from(second * 5 % 7));
    let falling = of(&|second| 10_000.0 / (1.0 + 0.1 * f64::from(second)));
    let modes = of(&|second| {
        if second % 2 == 0 {
            5_000.0 + f64::from(second)
        } else {
            10_000.0 + f64::from(second)
        }
    });
    assert!(remarks(
        &between(&steady, &falling),
        "The throughput of B drifts within the rounds"
    ));
    assert!(remarks(
        &between(&steady, &modes),
        "The intervals of B are bimodal"
    ));
    let quiet = between(&steady, &steady);
    assert!(
        !remarks(&quiet, "drift") && !remarks(&quiet, "modes"),
        "{:#?}",
        quiet.remarks
    );
}

#[test]
fn figures_that_the_rounds_cannot_state_are_missing() {
    // 500 operations: a median, no 99th percentile.
    let comparison = between(
        &run(&noisy(1, 500.0, 0.02, 6)),
        &run(&noisy(2, 500.0, 0.02, 6)),
    );
    assert_eq!(
        comparison
            .cells
            .iter()
            .map(|cell| cell.metric.as_str())
            .collect::<Vec<_>>(),
        ["iops", "p50", "iops", "p50"]
    );
    assert!(remarks(
        &comparison,
        "p99 is not compared in random-read depth=1 and random-read depth=4: rounds have too few operations"
    ));
    let settings = Settings {
        metrics: vec![plumb_model::results::comparison::compared_metric("p99").expect("a metric")],
        ..Settings::default()
    };
    let comparison = compared(
        &[
            &run(&noisy(1, 500.0, 0.02, 6)),
            &run(&noisy(2, 2_000.0, 0.02, 6)),
        ],
        &settings,
    );
    let effect = &comparison.cells[0].effects[0];
    assert_eq!(
        (effect.verdict, reason(effect).as_str()),
        (
            Verdict::Undecided,
            "6 of 6 rounds of A have too few operations to state this figure"
        )
    );
    // A stalled round has no logarithm.
    let mut stalled = noisy(1, 10_000.0, 0.02, 6);
    stalled[2] = 0.0;
    let comparison = between(&run(&stalled), &run(&noisy(2, 10_000.0, 0.02, 6)));
    let effect = &comparison.cells[0].effects[0];
    assert_eq!(
        (effect.ratio, reason(effect).as_str()),
        (None, "a round of A completed nothing: there is no ratio")
    );
}

#[test]
fn kinds_of_a_mix_are_compared_each_by_itself() {
    let of = |seed: u64| {
        let workload = Workload {
            mix: "read:70,write:30".parse().expect("a mix"),
            block: "1m".parse().expect("a size"),
            ..Workload::default()
        };
        run_of(
            vec![step("mixed", "mixed", &[], workload)],
            &noisy(seed, 10_000.0, 0.02, 6),
        )
    };
    let settings = |ids: &[&str]| Settings {
        metrics: ids
            .iter()
            .filter_map(|id| plumb_model::results::comparison::compared_metric(id))
            .collect(),
        ..Settings::default()
    };
    let figures = |settings: &Settings| -> Vec<(Option<String>, String)> {
        compared(&[&of(1), &of(2)], settings)
            .cells
            .into_iter()
            .map(|cell| (cell.kind, cell.metric))
            .collect()
    };
    let kind = |kind: &str, metric: &str| (Some(kind.to_string()), metric.to_string());
    let expected = ["read", "write"]
        .map(|word| {
            [
                kind(word, "bandwidth"),
                kind(word, "p50"),
                kind(word, "p99"),
            ]
        })
        .concat();
    assert_eq!(figures(&Settings::default()), expected);
    assert_eq!(
        figures(&settings(&["cpu", "mean"])),
        [
            kind("read", "mean"),
            kind("write", "mean"),
            (None, "cpu".to_string())
        ]
    );
}

#[test]
fn a_rate_that_was_asked_for_and_kept_is_no_result() {
    let of = |achieved: f64| {
        let workload = Workload {
            rate: Some(5_000.0),
            ..Workload::default()
        };
        run_of(
            vec![step("open", "open", &[], workload)],
            &noisy(1, achieved, 0.0, 6),
        )
    };
    let metrics = |a: &Run, b: &Run| {
        between(a, b)
            .cells
            .iter()
            .map(|cell| cell.metric.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(metrics(&of(5_000.0), &of(4_990.0)), ["p50", "p99"]);
    assert_eq!(metrics(&of(5_000.0), &of(4_000.0)), ["iops", "p50", "p99"]);
}

#[test]
fn three_sides_are_each_compared_with_the_first() {
    let runs =
        [10_000.0, 10_050.0, 20_000.0].map(|level| run(&noisy(level as u64, level, 0.01, 6)));
    let comparison = compared(&[&runs[0], &runs[1], &runs[2]], &Settings::default());
    assert_eq!(
        comparison
            .tallies
            .iter()
            .map(|tally| (tally.same, tally.better))
            .collect::<Vec<_>>(),
        [(6, 0), (0, 6)]
    );
    assert_eq!(
        (
            comparison.method.tested,
            comparison.sides[2].letter.as_str()
        ),
        (12, "C")
    );
    assert!(
        comparison
            .cells
            .iter()
            .all(|cell| cell.sides.len() == 3 && cell.effects.len() == 2)
    );
}

/// Neither failed nor shown to hold: a CI system shows it as skipped.
#[test]
fn a_condition_is_undecided_beyond_its_limit_without_proof_or_without_a_test() {
    let check =
        |level: f64, noise: f64, rounds: usize, condition: &str, undecided: bool, words: &str| {
            let settings = Settings {
                conditions: vec![condition.parse().expect("a condition")],
                ..Settings::default()
            };
            let (a, b) = (
                noisy(1, 10_000.0, noise, rounds),
                noisy(2, level, noise, rounds),
            );
            let comparison = compared(&[&run(&a), &run(&b)], &settings);
            let outcome = &comparison.conditions[0];
            let of = (outcome.failed, outcome.undecided);
            assert_eq!(of, (false, undecided), "{outcome:?}");
            let text = in_english(&outcome.explanation);
            assert!(text.contains(words), "{text}");
        };
    check(
        9_900.0,
        0.02,
        6,
        "iops < -30%",
        false,
        "none of 2 figures is beyond the limit",
    );
    check(
        8_000.0,
        0.5,
        6,
        "iops < -10%",
        true,
        "beyond the limit, but not shown to be",
    );
    check(
        9_900.0,
        0.02,
        1,
        "iops < -30%",
        true,
        "but 2 cannot be tested",
    );
}

#[test]
fn conditions_fail_when_the_limit_is_passed_and_proven() {
    let check = |level: f64, noise: f64, condition: &str, failed: bool, cells: u32, words: &str| {
        let settings = Settings {
            conditions: vec![condition.parse().expect("a condition")],
            ..Settings::default()
        };
        let comparison = compared(
            &[
                &run(&noisy(1, 10_000.0, noise, 6)),
                &run(&noisy(2, level, noise, 6)),
            ],
            &settings,
        );
        let outcome = &comparison.conditions[0];
        assert_eq!(
            (outcome.failed, outcome.cells),
            (failed, cells),
            "{outcome:?}"
        );
        assert!(
            in_english(&outcome.explanation).contains(words),
            "{outcome:?}"
        );
    };
    check(
        8_000.0,
        0.02,
        "iops < -10%",
        true,
        2,
        "failed: random-read depth=1, IOPS of B: -20 %",
    );
    check(
        8_000.0,
        0.02,
        "iops < -30%",
        false,
        2,
        "none of 2 figures is beyond the limit",
    );
    check(
        8_000.0,
        0.02,
        "*=4 p99 > +10%",
        true,
        1,
        "failed: random-read depth=4, p99 of B: +26 %",
    );
    check(
        8_000.0,
        0.02,
        "write* p99 > +10%",
        false,
        0,
        "no figure of this comparison matches",
    );
    // What is not compared by itself is compared for a condition.
    check(
        8_000.0,
        0.02,
        "mean > +10%",
        true,
        2,
        "failed: random-read depth=1, mean latency of B: +2",
    );
    check(
        9_700.0,
        0.2,
        "iops < -1%",
        false,
        2,
        "beyond the limit, but not shown to be",
    );
    // Shown to differ from no change at all is not shown to lie beyond the limit: -12 % of which -6 % may be all.
    check(
        9_000.0,
        0.06,
        "iops < -10%",
        false,
        2,
        "beyond the limit, but not shown to be: random-read depth=1, IOPS of B: -1",
    );
    check(9_500.0, 0.004, "iops < -2%", true, 2, "failed");
}

fn reference(id: &str, figures: Vec<PublishedFigure>) -> Reference {
    Reference {
        id: id.into(),
        title: "A disk".into(),
        experiment: "E4".into(),
        system: "P4800X".into(),
        published: "2017".into(),
        source: "a magazine".into(),
        doubts: vec!["one run of each".into()],
        environment: BTreeMap::from([("device.model".to_string(), Fact::Text("P4800X".into()))]),
        conditions: BTreeMap::new(),
        programs: vec![PublishedProgram {
            name: "Iometer".into(),
            command: None,
            units: vec![PublishedUnit {
                printed: "IOPS".into(),
                is: 1.0,
                known_by: "operations per second".into(),
            }],
        }],
        figures,
    }
}

fn published(name: &str, value: Option<f64>, depth: Option<u32>) -> PublishedFigure {
    let work: PublishedWork =
        serde_json::from_value(serde_json::json!({"kind": "read", "block": "4k", "depth": depth}))
            .expect("work");
    assert_eq!(
        (work.kind, work.block),
        (Some(OperationKind::Read), Some(Bytes(4096)))
    );
    let figure = serde_json::json!({
        "name": name, "table": "by depth", "row": name, "program": "Iometer", "operation": "random read", "order": "random",
        "cache": "bypassed", "metric": "iops", "value": value, "unit": value.map(|_| "IOPS"), "printed": "x",
    });
    PublishedFigure {
        work: depth.map(|_| work),
        ..serde_json::from_value(figure).expect("a figure")
    }
}

#[test]
fn published_figures_stand_beside_measured_ones_without_a_verdict() {
    let run = run(&noisy(1, 214_000.0, 0.02, 6));
    let figures = vec![
        published("4k depth 4", Some(580_000.0), Some(4)),
        published("per character", Some(1.0), None),
        published("mistyped", None, Some(4)),
    ];
    let reference = reference("optane", figures);
    let measured = Entrant::Run {
        label: "mine".into(),
        run: &run,
    };
    let comparison = compare(
        &[measured.clone(), Entrant::Reference(&reference)],
        &Settings::default(),
    );
    let [cell] = comparison.cells.as_slice() else {
        panic!("{:#?}", comparison.cells)
    };
    assert_eq!(
        (
            cell.step.as_str(),
            cell.metric.as_str(),
            cell.effects[0].verdict
        ),
        ("random-read depth=4", "iops", Verdict::Undecided)
    );
    assert!(
        reason(&cell.effects[0]).ends_with("it is above all 6 rounds of A"),
        "{:?}",
        cell.effects[0].reason
    );
    assert!(
        says(
            &comparison,
            "1 of the 3 rows of E4 was measured. A published figure is one round"
        ) && says(&comparison, "mine against P4800X: -63 % (4k depth 4)."),
        "{:#?}",
        comparison.verdict
    );
    assert_eq!(comparison.refused, [], "the table says it");
    let [table] = comparison.published.as_slice() else {
        panic!("{:#?}", comparison.published)
    };
    let reasons: Vec<Option<String>> = table
        .rows
        .iter()
        .map(|row| row.reason.as_ref().map(in_english))
        .collect();
    assert_eq!(
        reasons,
        [
            None,
            Some("plumb has no workload for this".into()),
            Some("the publication has no value".into())
        ]
    );
    let measured_cell = table.rows[0].measured[0].as_ref().expect("measured");
    assert_eq!(measured_cell.steps, ["random-read depth=4"]);
    assert_eq!(measured_cell.rounds, 6);
    assert!(measured_cell.interval.is_some());
    assert_eq!(
        (comparison.sides[1].kind, comparison.sides[1].label.as_str()),
        (SideKind::Reference, "ref:optane")
    );
    assert!(
        comparison
            .environment
            .iter()
            .any(|difference| difference.what == "device.model")
    );
    // The other way round, and beside another publication.
    let comparison = compare(
        &[Entrant::Reference(&reference), measured],
        &Settings::default(),
    );
    assert_eq!(
        (comparison.cells.len(), comparison.cells[0].step.as_str()),
        (1, "4k depth 4")
    );
    assert!(
        comparison.cells[0].effects[0]
            .ratio
            .is_some_and(|ratio| ratio < 0.4)
    );
    let other = Reference {
        id: "other".into(),
        ..reference.clone()
    };
    let comparison = compare(
        &[Entrant::Reference(&reference), Entrant::Reference(&other)],
        &Settings::default(),
    );
    assert_eq!(
        comparison
            .cells
            .iter()
            .map(|cell| cell.step.as_str())
            .collect::<Vec<_>>(),
        ["4k depth 4", "per character"]
    );
}

#[test]
fn percentiles_are_drawn_of_compared_steps_only() {
    let (a, b) = (
        run(&noisy(1, 10_000.0, 0.02, 2)),
        run_of(ladder("read", &[4, 8]), &noisy(2, 10_000.0, 0.02, 2)),
    );
    let entrants = [
        Entrant::Run {
            label: "a".into(),
            run: &a,
        },
        Entrant::Run {
            label: "b".into(),
            run: &b,
        },
    ];
    let plots = comparison_plots(&entrants, &compare(&entrants, &Settings::default()));
    let [step] = plots.percentiles.as_slice() else {
        panic!("{plots:?}")
    };
    assert_eq!(
        (step.step.as_str(), step.lines.len()),
        ("random-read depth=4", 2)
    );
    // 20,000 samples over both rounds: as far as 99.9 %.
    assert!(
        step.lines
            .iter()
            .all(|(_, line)| line.points.last().is_some_and(|(nines, _)| *nines >= 3.0))
    );
}

/// Numbers of a comparison that are not finite, or texts that show such numbers.
fn nonsense(comparison: &Comparison) -> Vec<String> {
    let of_cell = |cell: &Cell| {
        let sides = cell.sides.iter().flat_map(|side| {
            side.rounds
                .iter()
                .copied()
                .flatten()
                .chain(side.value)
                .chain(
                    side.interval
                        .into_iter()
                        .flat_map(|(low, high)| [low, high]),
                )
                .collect::<Vec<_>>()
        });
        let effects = cell.effects.iter().flat_map(|effect| {
            let interval = effect
                .interval
                .into_iter()
                .flat_map(|(low, high)| [low, high]);
            effect
                .ratio
                .into_iter()
                .chain(interval)
                .chain(effect.p_value)
                .chain(effect.adjusted_p_value)
                .chain([effect.widened])
                .collect::<Vec<_>>()
        });
        sides
            .chain(effects)
            .filter(|number| !number.is_finite())
            .map(|number| format!("{}: {number}", cell.step))
            .collect::<Vec<_>>()
    };
    let texts = comparison
        .verdict
        .iter()
        .map(crate::english::text)
        .chain(comparison.remarks.iter().map(in_english));
    comparison
        .cells
        .iter()
        .flat_map(of_cell)
        .chain(texts.filter(|text| text.contains("NaN") || text.contains("inf ")))
        .collect()
}

#[test]
fn damaged_runs_are_compared_without_a_panic() {
    let complete = run(&noisy(1, 10_000.0, 0.1, 6));
    let mut random = Random(5);
    for round in 0..200u32 {
        let mut damaged = complete.clone();
        damaged.header.side_of = (round % 2 == 0).then(|| SideOf {
            comparison: "c".into(),
            side: 0,
            sides: 2,
        });
        for _ in 0..5 {
            let mut any = |below: usize| (random.next_number() % below.max(1) as u64) as usize;
            let (ticks, notes) = (damaged.ticks.len(), damaged.notes.len());
            let extremes = [0, 1, 1 << 40, u64::MAX];
            match any(9) {
                0 => damaged.ticks[any(ticks)].execution = any(9) as u32,
                1 => damaged.ticks[any(ticks)].end_ns = extremes[any(4)],
                2 => damaged.ticks[any(ticks)].start_ns = extremes[any(4)],
                3 => damaged.ticks[any(ticks)].kinds.clear(),
                4 => {
                    damaged.notes[any(notes)].event = Event::ExecutionStarted {
                        execution: any(4) as u32,
                        step: any(3) as u32,
                        round: u32::MAX,
                    }
                }
                5 => {
                    damaged.notes[any(notes)].event = Event::ExecutionStarted {
                        execution: any(4) as u32,
                        step: u32::MAX,
                        round: 0,
                    }
                }
                6 => damaged.ticks[any(ticks)].kinds.iter_mut().for_each(|kind| {
                    (kind.count, kind.bytes) = (extremes[any(4)], extremes[any(4)])
                }),
                7 => damaged.header.plan.steps[any(2)].jobs.clear(),
                _ => drop(damaged.notes.remove(any(notes))),
            }
        }
        let mut other = complete.clone();
        other.header.side_of = damaged.header.side_of.clone();
        for (a, b) in [(&damaged, &other), (&other, &damaged), (&damaged, &damaged)] {
            let comparison = between(a, b);
            assert_eq!(nonsense(&comparison), Vec::<String>::new());
            let entrants = [
                Entrant::Run {
                    label: "a".into(),
                    run: a,
                },
                Entrant::Run {
                    label: "b".into(),
                    run: b,
                },
            ];
            comparison_plots(&entrants, &comparison);
        }
    }
    assert!(compare(&[], &Settings::default()).cells.is_empty());
    assert!(
        compared(&[&complete], &Settings::default())
            .cells
            .is_empty()
    );
}
