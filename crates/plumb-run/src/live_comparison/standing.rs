//! What is the status of a comparison in progress? How many figures are worse, better, the same and undecided.

use plumb_model::results::comparison::{Comparison, Effect, Tally};
use plumb_model::statement::Statement;

/// `after 6 blocks: 3 worse, 12 the same, 9 undecided`.
pub(super) fn of(comparison: &Comparison, blocks: u32) -> Statement {
    let sum = |of: fn(&Tally) -> u32| u64::from(comparison.tallies.iter().map(of).sum::<u32>());
    let (worse, better) = (sum(|tally| tally.worse), sum(|tally| tally.better));
    let (same, undecided) = (sum(|tally| tally.same), sum(|tally| tally.undecided));
    let counts = [
        (worse, Statement::new("stands-worse").count("count", worse)),
        (
            better,
            Statement::new("stands-better").count("count", better),
        ),
        (same, Statement::new("stands-same").count("count", same)),
        (
            undecided,
            Statement::new("stands-undecided").count("count", undecided),
        ),
    ];
    let shown = counts.into_iter().filter(|(count, _)| *count > 0);
    let joined = shown.map(|(_, text)| text).rev().reduce(|rest, first| {
        Statement::new("stands-between-counts")
            .part("first", first)
            .part("rest", rest)
    });
    match joined {
        Some(counts) => Statement::new("stands-after-blocks")
            .count("blocks", blocks.into())
            .part("counts", counts),
        None => Statement::new("stands-with-nothing").count("blocks", blocks.into()),
    }
}

/// True if more rounds would add little: the interval of every throughput (of the medians, where there is none) is at most half as wide as what counts as
/// the same, or small against the effect itself. The width decides, not the verdict: to stop as soon as there is a verdict would be to pick it.
pub(super) fn all_narrow(comparison: &Comparison) -> bool {
    let is_throughput = |metric: &str| matches!(metric, "iops" | "bandwidth");
    let has_throughput = comparison
        .cells
        .iter()
        .any(|cell| is_throughput(&cell.metric));
    let mut effects = comparison
        .cells
        .iter()
        .filter(|cell| !has_throughput || is_throughput(&cell.metric))
        .flat_map(|cell| &cell.effects);
    effects.all(|effect| is_narrow(effect, comparison.method.threshold))
}

fn is_narrow(effect: &Effect, threshold: f64) -> bool {
    match (effect.ratio, effect.interval) {
        // No ratio is possible, however long it runs.
        (None, _) => true,
        (Some(_), None) => false,
        (Some(ratio), Some((low, high))) => {
            (high / low).ln() / 2.0 <= ((1.0 + threshold).ln() / 2.0).max(ratio.ln().abs() / 4.0)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn narrow_is_a_matter_of_width_or_of_size() {
        let effect = |ratio: f64, low: f64, high: f64| Effect {
            side: 1,
            ratio: Some(ratio),
            interval: Some((low, high)),
            p_value: None,
            adjusted_p_value: None,
            threshold_p_value: None,
            verdict: plumb_model::results::comparison::Verdict::Undecided,
            undecided: None,
            reason: None,
            more_rounds: None,
            widened: 1.0,
            resolution: 0.0,
            machine: None,
        };
        let check =
            |of: Effect, expected: bool| assert_eq!(is_narrow(&of, 0.05), expected, "{of:?}");
        check(effect(1.0, 0.98, 1.02), true);
        check(effect(1.0, 0.95, 1.05), false);
        check(effect(3.0, 2.7, 3.3), true);
        check(
            Effect {
                interval: None,
                ..effect(1.0, 1.0, 1.0)
            },
            false,
        );
        check(
            Effect {
                ratio: None,
                interval: None,
                ..effect(1.0, 1.0, 1.0)
            },
            true,
        );
    }
}
