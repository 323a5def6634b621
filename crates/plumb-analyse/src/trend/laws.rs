//! Which laws do the changes of a trend obey, whatever was measured? Time reversed mirrors them; the unit of a figure decides nothing.

use plumb_model::results::comparison::{Direction, Verdict};
use plumb_model::results::trend::TrendDrift;
use proptest::collection::vec;
use proptest::prelude::*;

use super::{Settings, judge};
use crate::statistics::change_points::Change;

/// Figures of the runs, with a scatter of 1 % around what they should be.
fn logarithms(levels: impl Iterator<Item = f64>, scatter: &[f64]) -> Vec<f64> {
    let scattered = levels
        .zip(scatter)
        .map(|(level, noise)| level * (1.0 + 0.01 * noise));
    scattered.map(f64::ln).collect()
}

fn judged(values: &[f64], better: Direction) -> (Vec<Change>, Option<TrendDrift>) {
    judge(values, better, &Settings::default())
}

fn reversed(values: &[f64]) -> Vec<f64> {
    values.iter().rev().copied().collect()
}

/// A factor that is no small change, up or down.
fn factor() -> impl Strategy<Value = f64> {
    prop_oneof![0.3..0.8f64, 1.25..3.0f64]
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-9 * a.abs().max(b.abs())
}

fn verdict_of(rises: bool, better: Direction) -> Verdict {
    match (rises, better) {
        (true, Direction::Higher) | (false, Direction::Lower) => Verdict::Better,
        _ => Verdict::Worse,
    }
}

proptest! {
    #![proptest_config(crate::laws())]

    #[test]
    fn a_change_is_at_the_run_where_it_was_made(
        scatter in vec(-1.0..1.0f64, 12..40),
        at in 0.0..1.0f64,
        factor in factor(),
        unit in -20..20
    ) {
        let index = 5 + (at * (scatter.len() - 10) as f64) as usize;
        let levels = |unit: f64| (0..).map(move |run| if run < index { unit } else { unit * factor });
        let values = logarithms(levels(1.0), &scatter);
        let (there, drift) = judged(&values, Direction::Higher);
        let (back, _) = judged(&reversed(&values), Direction::Higher);
        prop_assert_eq!(drift, None);
        prop_assert_eq!((there.len(), back.len()), (1, 1));
        prop_assert_eq!((there[0].index, back[0].index), (index, values.len() - index));
        let ratio = (there[0].after - there[0].before).exp();
        prop_assert!((ratio / factor - 1.0).abs() < 0.02, "{} for {}", ratio, factor);
        prop_assert!(close(there[0].after, back[0].before) || (there[0].after - back[0].before).abs() < 1e-12);
        prop_assert!(there[0].p_value < 0.001);
        // Operations per second or per hour: the same run.
        let (other, _) = judged(&logarithms(levels(2f64.powi(unit)), &scatter), Direction::Higher);
        prop_assert_eq!(other.len(), 1);
        prop_assert_eq!(other[0].index, index);
        prop_assert!(((other[0].after - other[0].before).exp() / ratio - 1.0).abs() < 1e-9);
    }

    #[test]
    fn a_drift_has_the_ends_of_its_line(scatter in vec(-0.2..0.2f64, 20..40), factor in factor()) {
        let last = (scatter.len() - 1) as f64;
        let levels = (0..).map(|run| factor.powf(f64::from(run) / last));
        let values = logarithms(levels, &scatter);
        for better in [Direction::Higher, Direction::Lower] {
            let (changes, drift) = judged(&values, better);
            prop_assert!(changes.is_empty(), "a drift is no change");
            let drift = drift.expect("a line fits better than steps");
            prop_assert!((drift.ratio / factor - 1.0).abs() < 0.01, "{} for {}", drift.ratio, factor);
            prop_assert!(close(drift.last / drift.first, drift.ratio));
            prop_assert_eq!(drift.verdict, verdict_of(factor > 1.0, better));
            let back = judged(&reversed(&values), better).1.expect("the same line");
            prop_assert!(close(back.first, drift.last) && close(back.last, drift.first));
            prop_assert!(close(back.ratio * drift.ratio, 1.0));
            prop_assert_eq!(back.verdict, verdict_of(factor < 1.0, better));
        }
    }

    #[test]
    fn less_than_five_percent_is_no_change(scatter in vec(-0.01..0.01f64, 20..40), factor in 0.96..1.04f64) {
        let last = (scatter.len() - 1) as f64;
        let drifting = (0..).map(|run| 10_000.0 * factor.powf(f64::from(run) / last));
        prop_assert_eq!(judged(&logarithms(drifting, &scatter), Direction::Higher), (Vec::new(), None));
        let half = scatter.len() / 2;
        let stepping = (0..).map(|run| if run < half { 10_000.0 } else { 10_000.0 * factor });
        prop_assert_eq!(judged(&logarithms(stepping, &scatter), Direction::Higher), (Vec::new(), None));
    }
}
