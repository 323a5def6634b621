//! At which value does the answer of a comparison change, and what do its figures come to by hand?

use std::collections::BTreeMap;

use plumb_model::results::comparison::{
    Cell, Comparison, Condition, Design, Direction, Effect, compared_metric,
};
use plumb_model::run::Run;
use plumb_model::statement::Statement;

use super::cells::anomalies::{Of, Trait, anomalies};
use super::effects::{Column, Pending, contrast, decide, widen};
use super::{Entrant, Settings, compare, conditions};
use crate::synthetic::{Builder, Interval, ladder};

fn column(rounds: &[f64]) -> Column {
    Column {
        rounds: rounds.iter().copied().map(Some).collect(),
        ..Column::default()
    }
}

fn cell(effect: Effect) -> Cell {
    Cell {
        step: "step".into(),
        group: "step".into(),
        swept: BTreeMap::new(),
        kind: None,
        metric: "iops".into(),
        unit: "operations/s".into(),
        better: Direction::Higher,
        sides: Vec::new(),
        effects: vec![effect],
    }
}

fn paired(a: &[f64], b: &[f64]) -> (Effect, Pending) {
    contrast(&column(a), &column(b), 1, Design::Blocks, 0.95)
}

fn compared(a: &Run, b: &Run) -> Comparison {
    let entrant = |run| Entrant::Run {
        label: "run".into(),
        run,
    };
    compare(&[entrant(a), entrant(b)], &Settings::default())
}

/// One step whose rounds have these intervals of a second.
fn run(rounds: &[&[f64]]) -> Run {
    let mut builder = Builder::new(ladder("read", &[1]));
    for (round, iops) in rounds.iter().enumerate() {
        let of = |iops: &f64| Interval {
            iops: *iops,
            ..Interval::default()
        };
        let intervals: Vec<Interval> = iops.iter().map(of).collect();
        builder.execute(0, round as u32, &intervals);
    }
    builder.finish()
}

#[test]
fn a_condition_fails_beyond_its_limit_and_not_at_it() {
    // Without scatter: the ratio is what it is, 1/2 or 2.
    let failed = |b: f64, above: bool, change: f64| {
        let (effect, pending) = paired(&[2.0; 5], &[b; 5]);
        let condition = Condition {
            steps: "*".into(),
            metric: "iops".into(),
            above,
            change,
        };
        let (cells, pending) = ([cell(effect)], [vec![pending]]);
        let outcome =
            conditions::outcome(&condition, (&cells, &pending), &[], &Settings::default());
        assert_eq!(outcome.cells, 1);
        (outcome.failed, outcome.explanation.id.to_string())
    };
    let held = (false, "condition-held".to_string());
    let is_failed = (true, "condition-failed".to_string());
    assert_eq!(failed(1.0, false, -0.5), held);
    assert_eq!(failed(1.0, false, -0.499), is_failed);
    assert_eq!(failed(4.0, true, 1.0), held);
    assert_eq!(failed(4.0, true, 0.999), is_failed);
    assert_eq!(failed(4.0, false, -0.499), held);
}

#[test]
fn what_the_machine_explains_is_stated_as_parts_of_the_ratio() {
    let (a, b) = ([100.0; 5], [100.0, 101.0, 99.0, 100.0, 100.0]);
    let (mut effect, mut pending) = paired(&a, &b);
    // Half of the ratio below it, twice as much above.
    let slack = (2f64.ln(), 3f64.ln());
    widen(&mut effect, &mut pending, slack, Vec::new(), 0.95);
    let (below, above) = effect.machine.expect("the machine explains something");
    assert!((below - 0.5).abs() < 1e-12 && (above - 2.0).abs() < 1e-12);
    let (low, high) = effect.interval.expect("an interval");
    let (mut alone, mut pending) = paired(&a, &b);
    widen(&mut alone, &mut pending, (0.0, 0.0), Vec::new(), 0.95);
    assert_eq!(alone.machine, None);
    let (low_alone, high_alone) = alone.interval.expect("an interval");
    assert!((low / low_alone - 0.5).abs() < 1e-9 && (high / high_alone - 3.0).abs() < 1e-9);
}

#[test]
fn many_figures_take_more_rounds() {
    // Logarithms 0.2 on average with a deviation of 0.1: beyond ln 1.05 at a confidence of 1 - 0.05 / 10 with 8 rounds, with 5 at 95 %
    // (scipy.stats.t.ppf(0.5 + confidence / 2, n - 1) * 0.1 / sqrt(n) <= 0.2 - ln 1.05).
    let b: Vec<f64> = [0.1f64, 0.2, 0.3, 0.1, 0.3].map(f64::exp).to_vec();
    let further = |figures: usize| {
        let (effect, pending) = paired(&[1.0; 5], &b);
        let mut cells: Vec<Cell> = vec![cell(effect); figures];
        let pending: Vec<Vec<Pending>> = vec![vec![pending]; figures];
        assert_eq!(
            decide(&mut cells, &pending, &Settings::default()),
            figures as u32
        );
        cells[0].effects[0].more_rounds
    };
    assert_eq!(further(1), None, "decided");
    assert_eq!(further(10), Some(3));
}

#[test]
fn the_resolution_is_half_an_operation_and_half_a_bucket() {
    let of = |comparison: &Comparison, metric: &str| {
        let cell = comparison.cells.iter().find(|cell| cell.metric == metric);
        cell.expect("a cell").effects[0].resolution
    };
    // 10,000 operations on each side; a median of 100,095 ns in a bucket of 512 ns.
    let rounds: [&[f64]; 5] = [&[10_000.0]; 5];
    let comparison = compared(&run(&rounds), &run(&rounds));
    assert!((of(&comparison, "iops") - (2.0 * 0.5 / 10_000.0f64).exp_m1()).abs() < 1e-12);
    let half_a_bucket: f64 = 0.5 * 512.0 / 100_095.0;
    let got = of(&comparison, "p50");
    assert!((got - (2.0 * half_a_bucket).exp_m1()).abs() < 1e-4, "{got}");
}

#[test]
fn a_drift_over_rounds_is_reported_from_five_percent_on() {
    let iops = compared_metric("iops").expect("a metric");
    let found = |last: f64| {
        let rounds: Vec<Option<f64>> = (0..7)
            .map(|round| Some(1000.0 * last.powf(f64::from(round) / 6.0)))
            .collect();
        anomalies(&rounds, None, None, iops)
    };
    assert!(
        matches!(found(1.051).as_slice(), [Trait::Drift(ratio)] if (ratio - 1.051).abs() < 1e-9)
    );
    assert!(matches!(found(0.951).as_slice(), [Trait::Drift(_)]));
    assert_eq!(found(1.049), []);
    assert_eq!(found(0.953), [], "1 / 0.953 is less than 5 % more");
}

#[test]
fn two_modes_state_the_share_of_the_upper_one() {
    let metric = compared_metric("iops").expect("a metric");
    let modes = Trait::TwoModes {
        low: 100.0,
        high: 200.0,
        upper: 0.25,
        of: Of::Rounds,
        metric,
    };
    let expect = Statement::new("share").percent("share", 25.0);
    assert_eq!(
        modes.of_cell().arguments["share"],
        expect.arguments["share"]
    );
}

#[test]
fn a_round_in_which_nothing_completed_moved_nothing() {
    // Bandwidth and operations per second of a stalled round are 0, not missing.
    let comparison = compare(
        &[
            Entrant::Run {
                label: "a".into(),
                run: &run(&[&[1000.0], &[0.0]]),
            },
            Entrant::Run {
                label: "b".into(),
                run: &run(&[&[1000.0], &[1000.0]]),
            },
        ],
        &Settings {
            metrics: ["iops", "bandwidth"]
                .iter()
                .filter_map(|id| compared_metric(id))
                .collect(),
            ..Settings::default()
        },
    );
    let rounds = |metric: &str, side: usize| {
        let cell = comparison.cells.iter().find(|cell| cell.metric == metric);
        cell.expect("a cell").sides[side].rounds.clone()
    };
    assert_eq!(rounds("iops", 0), [Some(1000.0), Some(0.0)]);
    assert_eq!(rounds("bandwidth", 0), [Some(4_096_000.0), Some(0.0)]);
    assert_eq!(rounds("bandwidth", 1), [Some(4_096_000.0); 2]);
}
