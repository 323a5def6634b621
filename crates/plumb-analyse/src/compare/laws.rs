//! Which laws does a comparison obey, whatever was measured? Swapped sides give the mirrored answer; an interval holds its ratio.

use std::collections::BTreeMap;

use plumb_model::results::comparison::{Cell, Comparison, Design, Direction, Effect, Verdict};
use plumb_model::run::Run;
use proptest::collection::vec;
use proptest::prelude::*;

use super::effects::{Column, contrast, decide};
use super::{Entrant, Settings, compare};
use crate::synthetic::{Builder, Interval, ladder};

/// One step with these operations per second in its rounds.
fn run(rounds: &[f64]) -> Run {
    let mut builder = Builder::new(ladder("read", &[1]));
    for (round, iops) in rounds.iter().enumerate() {
        let interval = Interval {
            iops: *iops,
            latency_ns: 1e9 / iops,
            ..Interval::default()
        };
        builder.execute(0, round as u32, &[interval]);
    }
    builder.finish()
}

fn between(a: &Run, b: &Run) -> Comparison {
    let entrant = |run| Entrant::Run {
        label: "run".into(),
        run,
    };
    compare(&[entrant(a), entrant(b)], &Settings::default())
}

fn mirrored(verdict: Verdict) -> Verdict {
    match verdict {
        Verdict::Better => Verdict::Worse,
        Verdict::Worse => Verdict::Better,
        other => other,
    }
}

fn close(a: f64, b: f64) -> bool {
    (a / b - 1.0).abs() < 1e-6
}

/// Rounds around a level, and those of another side whose level is that many times higher.
fn sides() -> impl Strategy<Value = (Vec<f64>, Vec<f64>)> {
    let factor = prop_oneof![Just(1.0), 0.9..1.1, 0.5..2.0];
    let side = || vec(0.97..1.03, 4..8);
    (side(), side(), factor).prop_map(|(a, b, factor)| {
        let scaled = |side: Vec<f64>, level: f64| side.iter().map(|share| share * level).collect();
        (scaled(a, 20_000.0), scaled(b, 20_000.0 * factor))
    })
}

proptest! {
    #![proptest_config(proptest::test_runner::Config { cases: 24, ..crate::laws() })]

    #[test]
    fn swapped_sides_give_the_mirrored_verdict((a, b) in sides()) {
        let (a, b) = (run(&a), run(&b));
        let (there, back) = (between(&a, &b), between(&b, &a));
        prop_assert_eq!(there.cells.len(), back.cells.len());
        prop_assert!(!there.cells.is_empty());
        for (cell, swapped) in there.cells.iter().zip(&back.cells) {
            prop_assert_eq!(&cell.metric, &swapped.metric);
            let (effect, other) = (&cell.effects[0], &swapped.effects[0]);
            prop_assert_eq!(effect.verdict, mirrored(other.verdict), "{}: {:?} {:?}", cell.metric, effect, other);
            if let (Some(ratio), Some(back)) = (effect.ratio, other.ratio) {
                prop_assert!(close(ratio * back, 1.0), "{}: {} {}", cell.metric, ratio, back);
            }
            prop_assert_eq!(effect.interval.is_some(), other.interval.is_some());
            if let (Some((low, high)), Some((back_low, back_high))) = (effect.interval, other.interval) {
                prop_assert!(close(low * back_high, 1.0) && close(high * back_low, 1.0), "{}", cell.metric);
                let ratio = effect.ratio.expect("an interval is around a ratio");
                prop_assert!(low <= ratio && ratio <= high, "{}: {} {} {}", cell.metric, low, ratio, high);
            }
            for (p, adjusted) in effect.p_value.iter().zip(&effect.adjusted_p_value) {
                prop_assert!((0.0..=1.0).contains(p) && p <= adjusted && *adjusted <= 1.0);
            }
        }
    }

    #[test]
    fn a_run_is_the_same_as_its_repetition((a, _) in sides()) {
        let a = run(&a);
        // A record with its own name: of one record with itself nothing is stated.
        let mut b = a.clone();
        b.header.id = "repetition".into();
        for cell in &between(&a, &b).cells {
            let effect = &cell.effects[0];
            prop_assert!(matches!(effect.verdict, Verdict::Same | Verdict::Undecided), "{}: {:?}", cell.metric, effect);
            prop_assert!(effect.ratio.is_none_or(|ratio| close(ratio, 1.0)), "{}", cell.metric);
        }
    }
}

/// The effect of the only cell.
fn judged(a: &[f64], b: &[f64], design: Design, better: Direction) -> Effect {
    let column = |rounds: &[f64]| Column {
        rounds: rounds.iter().copied().map(Some).collect(),
        ..Column::default()
    };
    let (effect, pending) = contrast(&column(a), &column(b), 1, design, 0.95);
    let mut cells = [Cell {
        step: "step".into(),
        group: "step".into(),
        swept: BTreeMap::new(),
        kind: None,
        metric: "iops".into(),
        unit: "operations/s".into(),
        better,
        sides: Vec::new(),
        effects: vec![effect],
    }];
    decide(&mut cells, &[vec![pending]], &Settings::default());
    cells[0].effects.remove(0)
}

/// As many rounds of both sides, from a scatter of next to nothing to one that hides everything.
fn blocks() -> impl Strategy<Value = (Vec<f64>, Vec<f64>)> {
    let factor = prop_oneof![Just(1.0), 0.9..1.1, 0.5..2.0];
    let scatter = prop_oneof![Just(0.002), Just(0.02), Just(0.3)];
    (factor, scatter, vec((-1.0..1.0f64, -1.0..1.0f64), 5..12)).prop_map(
        |(factor, scatter, rounds)| {
            let of = |(a, b): (f64, f64)| (1.0 + scatter * a, factor * (1.0 + scatter * b));
            rounds.into_iter().map(of).unzip()
        },
    )
}

fn design() -> impl Strategy<Value = Design> {
    prop_oneof![Just(Design::Independent), Just(Design::Blocks)]
}

fn same(a: &Effect, b: &Effect) -> bool {
    let near = |a: Option<f64>, b: Option<f64>| match (a, b) {
        (Some(a), Some(b)) => close(a, b),
        (a, b) => a == b,
    };
    let ends = |effect: &Effect| effect.interval.unzip();
    a.verdict == b.verdict
        && a.undecided == b.undecided
        && near(a.ratio, b.ratio)
        && near(ends(a).0, ends(b).0)
        && near(ends(a).1, ends(b).1)
}

proptest! {
    #![proptest_config(proptest::test_runner::Config { cases: 500, ..crate::laws() })]

    #[test]
    fn the_interval_decides_the_verdict((a, b) in blocks(), design in design()) {
        let effect = judged(&a, &b, design, Direction::Higher);
        let (ratio, (low, high)) = effect.ratio.zip(effect.interval).expect("five rounds");
        prop_assert!(low <= ratio && ratio <= high);
        // 5 % is the threshold; a single figure was tested, so that its interval of 95 % is what is compared with it.
        let expect = if low >= 1.0 / 1.05 && high <= 1.05 {
            Verdict::Same
        } else if low > 1.05 {
            Verdict::Better
        } else if high < 1.0 / 1.05 {
            Verdict::Worse
        } else {
            Verdict::Undecided
        };
        prop_assert_eq!(effect.verdict, expect, "{:?}", &effect);
        prop_assert_eq!(effect.undecided.is_some(), expect == Verdict::Undecided);
        if let Some(more) = effect.more_rounds {
            prop_assert!(expect == Verdict::Undecided && (1..=1000).contains(&more));
        }
    }

    #[test]
    fn swapped_sides_mirror_in_either_design((a, b) in blocks(), design in design()) {
        let there = judged(&a, &b, design, Direction::Higher);
        let back = judged(&b, &a, design, Direction::Higher);
        prop_assert_eq!(there.verdict, mirrored(back.verdict));
        let ((low, high), (back_low, back_high)) = there.interval.zip(back.interval).expect("five rounds");
        prop_assert!(close(low * back_high, 1.0) && close(high * back_low, 1.0));
        prop_assert!(close(there.ratio.expect("rounds") * back.ratio.expect("rounds"), 1.0));
        prop_assert_eq!(there.more_rounds, back.more_rounds);
        // Where less is better, the other side wins.
        let latency = judged(&a, &b, design, Direction::Lower);
        prop_assert_eq!(there.verdict, mirrored(latency.verdict));
        prop_assert_eq!((there.ratio, there.interval), (latency.ratio, latency.interval));
    }

    #[test]
    fn the_unit_of_a_figure_decides_nothing((a, b) in blocks(), design in design(), power in -20..40) {
        let larger = |side: &[f64]| side.iter().map(|value| value * 2f64.powi(power)).collect::<Vec<_>>();
        let (now, then) = (
            judged(&a, &b, design, Direction::Higher),
            judged(&larger(&a), &larger(&b), design, Direction::Higher),
        );
        prop_assert!(same(&now, &then), "{:?} {:?}", now, then);
    }

    #[test]
    fn the_order_of_blocks_decides_nothing((a, b) in blocks(), turn in 1..5usize) {
        let turned = |side: &[f64]| [&side[turn..], &side[..turn]].concat();
        let (now, then) = (
            judged(&a, &b, Design::Blocks, Direction::Higher),
            judged(&turned(&a), &turned(&b), Design::Blocks, Direction::Higher),
        );
        prop_assert!(same(&now, &then), "{:?} {:?}", now, then);
        // Rounds that resemble their neighbors widen the interval of separate runs; they do not move it.
        let ratio = |a: &[f64], b: &[f64]| judged(a, b, Design::Independent, Direction::Higher).ratio.expect("rounds");
        prop_assert!(close(ratio(&a, &b), ratio(&turned(&a), &b)));
    }
}
