//! Do ranks with the same work get the same throughput?

use plumb_model::results::finding::{Finding, Severity};
use plumb_model::results::summary::{PartSummary, StepSummary};
use plumb_model::statement::Statement;

use crate::rule::{Case, Rule, evidence, finding};

/// The rule.
pub const RULE: Rule = Rule {
    name: "ranks_get_unequal_shares",
    needs: &[],
    meaning: "Ranks that ask for the same at the same time should get the same. Where some get much more than others, a server, a queue or a lock serves some first: the sum tells little of what one client will see. Measured by Jain's fairness index, (sum of rates)^2 / (number x sum of their squares): 1 when all get the same, 1/number when one gets all (Jain, Chiu, Hawe 1984).",
    judge,
    #[cfg(test)]
    examples: tests::examples,
};

/// Index below which shares are unequal: with two ranks, if one gets twice as much as the other.
const UNFAIR: f64 = 0.9;

fn judge(case: &Case) -> Vec<Finding> {
    let steps = case.summary.into_iter().flat_map(|summary| &summary.steps);
    let unfair: Vec<Shares<'_>> = steps.filter_map(shares).collect();
    let Some(worst) = unfair.iter().min_by(|a, b| a.index.total_cmp(&b.index)) else {
        return Vec::new();
    };
    let shown = unfair.iter().map(|of| {
        let value = Statement::new("ranks-least-and-most")
            .number("index", of.index)
            .name("least", of.least.rank.unwrap_or_default().to_string())
            .name("most", of.most.rank.unwrap_or_default().to_string())
            .number("low", of.least.iops)
            .number("high", of.most.iops);
        let what = Statement::new("step-named").name("step", &of.step.name);
        evidence(what, value, Statement::new("source-ends-of-ranks"))
    });
    let claim = Statement::new("ranks-get-unequal-shares")
        .name("step", &worst.step.name)
        .name("rank", worst.least.rank.unwrap_or_default().to_string())
        .name("host", &worst.least.host)
        .percent("share", 100.0 * worst.least.iops / worst.most.iops);
    let advice = Statement::new("ranks-get-unequal-shares-advice");
    vec![finding(
        &RULE,
        Severity::Warning,
        claim,
        shown.collect(),
        advice,
    )]
}

/// A step with unequal shares.
struct Shares<'a> {
    step: &'a StepSummary,
    index: f64,
    least: &'a PartSummary,
    most: &'a PartSummary,
}

/// Ranks with a fixed amount of work get it at different speeds; that counts as well.
fn shares(step: &StepSummary) -> Option<Shares<'_>> {
    let ranks = step.ranks.as_ref().filter(|ranks| !ranks.jobs_differ)?;
    let good = || ranks.ranks.iter().filter(|part| part.failures.is_empty());
    let (sum, squares) = good().fold((0.0, 0.0), |(sum, squares), part| {
        (sum + part.iops, squares + part.iops * part.iops)
    });
    let index = sum * sum / (good().count() as f64 * squares);
    let least = good().min_by(|a, b| a.iops.total_cmp(&b.iops))?;
    let most = good().max_by(|a, b| a.iops.total_cmp(&b.iops))?;
    (squares > 0.0 && index < UNFAIR).then_some(Shares {
        step,
        index,
        least,
        most,
    })
}

#[cfg(test)]
mod tests {
    use crate::rule::{Examples, Scene};
    use crate::synthetic::{Builder, Interval, ladder};
    use crate::two_hosts::on_two_hosts;

    pub fn examples() -> Examples {
        let run = |operations: [u64; 2]| {
            let mut builder = Builder::new(ladder("read", &[1]));
            builder.execute(0, 0, &[Interval::default()]);
            Scene::run(on_two_hosts(builder.finish(), operations, 0))
        };
        Examples {
            // Jain's index of 1000 and 450: 1450^2 / (2 (1000^2 + 450^2)) = 0.874.
            fires: vec![run([1000, 450])],
            // Of 1000 and 520: 0.909.
            silent: vec![run([1000, 520])],
        }
    }
}
