//! Do the rounds of a step agree?

use plumb_model::results::finding::{Finding, Severity};
use plumb_model::statement::{Statement, Unit};

use crate::command_line::again;
use crate::rule::{Case, Rule, evidence, finding, name_steps, shortened};
use crate::statistics::{mean_interval, median, range};

/// The rule.
pub const RULE: Rule = Rule {
    name: "rounds_disagree",
    needs: &[],
    meaning: "Rounds of the same step that differ by much more than their intervals explain mean that something outside the plan decides the figure: other users, caches, placement, or two states of the storage.",
    judge,
    #[cfg(test)]
    examples: tests::examples,
};

/// Highest less lowest round, in parts of the median, from which on the step has no single figure.
const SPREAD: f64 = 0.25;

/// True when the rounds fall into two levels: a gap between neighbours four times as wide as either side, with two rounds or more on each.
fn two_levels(sorted: &[f64]) -> bool {
    (2..sorted.len().saturating_sub(1)).any(|split| {
        let gap = sorted[split] - sorted[split - 1];
        let inside = (sorted[split - 1] - sorted[0]).max(sorted[sorted.len() - 1] - sorted[split]);
        gap > 4.0 * inside
    })
}

fn judge(case: &Case) -> Vec<Finding> {
    let mut apart = Vec::new();
    for (_, step) in case.steps() {
        let mut rates: Vec<f64> = step
            .rounds
            .iter()
            .filter(|round| round.operations >= 100 && !round.left_out)
            .filter_map(|round| round.iops)
            .collect();
        rates.sort_by(f64::total_cmp);
        if let (Some((low, high)), Some(middle)) = (range(&rates), median(&rates))
            && rates.len() > 1
            && high - low > SPREAD * middle
        {
            apart.push((step, rates, middle));
        }
    }
    if apart.is_empty() {
        return Vec::new();
    }
    let shown = apart.iter().map(|(step, rates, middle)| {
        evidence(
            Statement::new("iops-of-step").name("step", &step.name),
            described(rates, *middle),
            Statement::new("source-rounds"),
        )
    });
    let names: Vec<&str> = apart.iter().map(|(step, ..)| step.name.as_str()).collect();
    let split = apart.iter().any(|(_, rates, _)| two_levels(rates));
    let claim = Statement::new(if split {
        "rounds-disagree-on-two-levels"
    } else {
        "rounds-disagree"
    })
    .part("steps", name_steps(&names));
    let taken = apart
        .iter()
        .map(|(_, rates, _)| rates.len())
        .max()
        .unwrap_or(0);
    let advice = Statement::new("rounds-disagree-advice");
    let mut found = finding(
        &RULE,
        Severity::Warning,
        claim,
        shortened(shown.collect()),
        advice,
    );
    found.experiment = case
        .run
        .and_then(|run| again(run, &[("rounds", (2 * taken).max(6).to_string())]));
    vec![found]
}

/// Scatter of the rounds, by their sorted rates and their median.
fn described(rates: &[f64], median: f64) -> Statement {
    let interval = mean_interval(rates, 0.95).filter(|(low, _)| rates.len() > 2 && *low > 0.0);
    match interval {
        _ if two_levels(rates) => Statement::new("rounds-disagree-rates-on-two-levels"),
        Some((low, high)) => Statement::new("rounds-disagree-rates-with-mean")
            .quantity("mean-low", low, Unit::PerSecond)
            .quantity("mean-high", high, Unit::PerSecond),
        None => Statement::new("rounds-disagree-rates").quantity("median", median, Unit::PerSecond),
    }
    .count("rounds", rates.len() as u64)
    .quantity("low", rates[0], Unit::PerSecond)
    .quantity("high", rates[rates.len() - 1], Unit::PerSecond)
}

#[cfg(test)]
mod tests {
    use crate::rule::{Examples, Scene};
    use crate::synthetic::{Builder, Interval, ladder};

    fn run(rounds: &[f64]) -> Scene {
        let mut builder = Builder::new(ladder("read", &[1]));
        for (round, iops) in rounds.iter().enumerate() {
            builder.execute(
                0,
                round as u32,
                &vec![
                    Interval {
                        iops: *iops,
                        ..Interval::default()
                    };
                    3
                ],
            );
        }
        Scene::run(builder.finish())
    }

    pub fn examples() -> Examples {
        let two_levels = run(&[10_000.0, 20_000.0, 10_100.0, 20_100.0]);
        Examples {
            fires: vec![run(&[10_000.0, 14_000.0]), two_levels],
            silent: vec![run(&[10_000.0, 10_500.0, 9_800.0]), run(&[10_000.0])],
        }
    }

    #[test]
    fn more_rounds_are_advised_than_there_were() {
        let advised = |rounds: &[f64]| {
            run(rounds)
                .judge(&super::RULE)
                .remove(0)
                .experiment
                .expect("a command line")
        };
        assert!(advised(&[10_000.0, 14_000.0]).contains("rounds=6"));
        assert!(
            advised(&[10_000.0, 14_000.0, 10_000.0, 14_000.0, 9_000.0, 12_000.0])
                .contains("rounds=12")
        );
    }

    #[test]
    fn two_levels_are_told_from_a_spread() {
        assert!(super::two_levels(&[1.0, 1.1, 2.0, 2.1]));
        assert!(!super::two_levels(&[1.0, 1.3, 1.6, 2.0]));
        assert!(!super::two_levels(&[1.0, 1.1, 2.0]));
    }
}
