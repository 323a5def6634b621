//! Does throughput scale with hosts, or is the storage at its limit?

use plumb_model::results::finding::{Evidence, Finding, Severity};
use plumb_model::results::scaling::{Scaling, ScalingPoint};
use plumb_model::statement::Statement;

use crate::figures::scaling::scaling;
use crate::plots::curves::HOSTS;
use crate::rule::{Case, Rule, evidence, finding};

/// The rule.
pub const RULE: Rule = Rule {
    name: "hosts_scale",
    needs: &[],
    meaning: "Where twice the hosts get no more together, what they share is the limit: the server, its network or its disks. Where each host gets as much as it gets alone, the limit lies in the hosts and their paths, and the storage has more to give than was asked of it.",
    judge,
    #[cfg(test)]
    examples: tests::examples,
};

/// Growth of the last step over the one before it below which more hosts give no more.
const NO_MORE: f64 = 1.1;
/// Efficiency in percent from which each host gets as much as alone.
const IN_PROPORTION: f64 = 90.0;

fn judge(case: &Case) -> Vec<Finding> {
    let ladders = case.summary.map(scaling).unwrap_or_default();
    let of_hosts = ladders.iter().filter(|ladder| ladder.key == HOSTS);
    of_hosts.filter_map(of_ladder).collect()
}

fn of_ladder(ladder: &Scaling) -> Option<Finding> {
    let [first, .., last] = ladder.points.as_slice() else {
        return None;
    };
    let before = ladder.points.iter().rev().nth(1)?;
    let efficiency = last.efficiency_percent?;
    let is_full = last.iops < NO_MORE * before.iops;
    if !is_full && efficiency < IN_PROPORTION {
        return None;
    }
    let (claim, advice) = match is_full {
        true => (
            Statement::new("hosts-get-no-more")
                .name("group", &ladder.group)
                .name("before", &before.label)
                .name("hosts", &last.label)
                .percent("growth", 100.0 * (last.iops / before.iops - 1.0)),
            Statement::new("hosts-get-no-more-advice").name("hosts", &before.label),
        ),
        false => (
            Statement::new("hosts-limit-themselves")
                .name("group", &ladder.group)
                .name("hosts", &last.label)
                .percent("efficiency", efficiency),
            Statement::new("hosts-limit-themselves-advice").name("hosts", &last.label),
        ),
    };
    let shown = [first, before, last].into_iter();
    let shown = shown.skip(usize::from(std::ptr::eq(first, before)));
    Some(finding(
        &RULE,
        Severity::Info,
        claim,
        shown.map(seen).collect(),
        advice,
    ))
}

fn seen(point: &ScalingPoint) -> Evidence {
    let what = Statement::new("step-on-hosts").name("hosts", &point.label);
    let value = Statement::new("hosts-get-together")
        .number("iops", point.iops)
        .percent("efficiency", point.efficiency_percent.unwrap_or_default());
    evidence(what, value, Statement::new("source-sums-of-ranks"))
}

#[cfg(test)]
mod tests {
    use crate::rule::{Examples, Scene};
    use crate::two_hosts::hosts_that_share;

    pub fn examples() -> Examples {
        let run = |iops| Scene::run(hosts_that_share(iops));
        Examples {
            fires: vec![run([10e3, 19e3, 20e3]), run([10e3, 19e3, 38e3])],
            silent: vec![run([10e3, 16e3, 25e3])],
        }
    }
}
