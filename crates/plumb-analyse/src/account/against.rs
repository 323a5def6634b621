//! How many times as fast is a changed command? From run times of both in turn.

use plumb_model::explain::account::Against;
use plumb_model::statement::Statement;

use crate::statistics::effect::t_quantile;

/// Of the interval.
const CONFIDENCE: f64 = 0.9;

/// The factor of speed, from rounds of one run of each. `command` is the changed one; the times are nanoseconds, a round in the same place of both.
pub fn against(command: &str, before_ns: Vec<u64>, after_ns: Vec<u64>) -> Against {
    let factor = factor_of_rounds(&before_ns, &after_ns);
    let statement = match factor {
        None => Statement::new("why-against-too-few"),
        Some((middle, low, high)) if low > 1.0 => Statement::new("why-against-faster")
            .number("factor", middle)
            .number("low", low)
            .number("high", high),
        Some((middle, low, high)) if high < 1.0 => Statement::new("why-against-slower")
            .number("factor", 1.0 / middle)
            .number("low", 1.0 / high)
            .number("high", 1.0 / low),
        Some((_, low, high)) => Statement::new("why-against-undecided")
            .number("low", low)
            .number("high", high),
    };
    Against {
        command: command.to_string(),
        before_ns,
        after_ns,
        factor,
        statement,
    }
}

/// How many times as fast the second ones are, with its interval; a round is in the same place of both.
pub(super) fn factor_of_rounds(before_ns: &[u64], after_ns: &[u64]) -> Option<(f64, f64, f64)> {
    let rounds = before_ns.iter().zip(after_ns);
    let logs: Vec<f64> = rounds
        .filter(|(before, after)| **before > 0 && **after > 0)
        .map(|(before, after)| (*before as f64 / *after as f64).ln())
        .collect();
    interval(&logs)
}

/// Geometric mean of the factors with its interval; `None` for fewer than two.
fn interval(logs: &[f64]) -> Option<(f64, f64, f64)> {
    let n = logs.len() as f64;
    if logs.len() < 2 {
        return None;
    }
    let mean = logs.iter().sum::<f64>() / n;
    let away: f64 = logs.iter().map(|log| (log - mean).powi(2)).sum();
    let error = (away / (n - 1.0) / n).sqrt() * t_quantile(CONFIDENCE, n - 1.0);
    Some((mean.exp(), (mean - error).exp(), (mean + error).exp()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_factor_is_that_of_rounds_and_mirrors_when_the_commands_are_swapped() {
        let (before, after) = (vec![4_000, 4_400, 3_600], vec![2_000, 2_100, 1_900]);
        let of = against("x", before.clone(), after.clone());
        let (middle, low, high) = of.factor.expect("a factor");
        // The cube root of 2 * 2.0952 * 1.8947.
        assert!((middle - 1.9949).abs() < 1e-3, "{middle}");
        // The logarithms differ by 0.0504 (standard deviation); t(0.9, 2) is 2.92.
        assert!(((high / low).ln() / 2.0 - 0.0504 / 3f64.sqrt() * 2.92).abs() < 2e-3);
        assert_eq!(of.statement.id, "why-against-faster");
        let swapped = against("x", after, before);
        let (other, other_low, other_high) = swapped.factor.expect("a factor");
        for (a, b) in [(middle, other), (low, other_high), (high, other_low)] {
            assert!((a * b - 1.0).abs() < 1e-9);
        }
        assert_eq!(swapped.statement.id, "why-against-slower");
    }

    #[test]
    fn one_round_is_too_few_and_equal_times_are_undecided() {
        assert_eq!(against("x", vec![5], vec![4]).factor, None);
        let of = against("x", vec![100, 110, 90], vec![105, 95, 100]);
        assert_eq!(of.statement.id, "why-against-undecided");
    }
}
