//! Does one host lag behind the others?

use plumb_model::results::finding::{Finding, Severity};
use plumb_model::results::summary::{PartSummary, StepSummary};
use plumb_model::statement::Statement;

use crate::rule::{Case, Rule, evidence, finding};

/// The rule.
pub const RULE: Rule = Rule {
    name: "one_host_is_slower",
    needs: &[],
    meaning: "Hosts that do the same work on the same storage should get about the same of it. One that gets clearly less has a slower path (link, switch port, mount options), a slower or busier CPU, or is served after the others.",
    judge,
    #[cfg(test)]
    examples: tests::examples,
};

/// Share of the median of the other hosts, per rank, below which a host lags behind.
const LAGS: f64 = 0.8;

fn judge(case: &Case) -> Vec<Finding> {
    let steps = case.summary.into_iter().flat_map(|summary| &summary.steps);
    let slow: Vec<Slow<'_>> = steps.filter_map(slowest).collect();
    let Some(worst) = slow.iter().min_by(|a, b| a.share.total_cmp(&b.share)) else {
        return Vec::new();
    };
    let shown = slow.iter().map(|slow| {
        let what = Statement::new("step-on-host")
            .name("step", &slow.step.name)
            .name("host", &slow.host.host);
        let share = 100.0 * slow.share;
        let value = match slow.host.cpus {
            Some(cpus) => Statement::new("host-gets-share")
                .percent("share", share)
                .percent("cpu", 100.0 * cpus),
            None => Statement::new("host-gets-share-of-others").percent("share", share),
        };
        evidence(what, value, Statement::new("source-ends-of-ranks"))
    });
    let claim = Statement::new("one-host-is-slower")
        .name("host", &worst.host.host)
        .name("step", &worst.step.name)
        .percent("share", 100.0 * worst.share);
    let advice = Statement::new("one-host-is-slower-advice").name("host", &worst.host.host);
    vec![finding(
        &RULE,
        Severity::Warning,
        claim,
        shown.collect(),
        advice,
    )]
}

/// A host that lags behind in a step.
struct Slow<'a> {
    step: &'a StepSummary,
    host: &'a PartSummary,
    /// What each of its ranks gets, by the median of the other hosts.
    share: f64,
}

/// Operations a second of each rank of a host, on average.
fn of_each(host: &PartSummary) -> f64 {
    host.iops / f64::from(host.ranks.max(1))
}

/// The slowest host of a step, if it lags behind. A requested rate is the same for all that achieve it.
fn slowest(step: &StepSummary) -> Option<Slow<'_>> {
    let ranks = step.ranks.as_ref().filter(|ranks| !ranks.jobs_differ)?;
    let hosts = &ranks.hosts;
    let host = hosts
        .iter()
        .filter(|host| host.failures.is_empty())
        .min_by(|a, b| of_each(a).total_cmp(&of_each(b)))?;
    let mut others: Vec<f64> = hosts
        .iter()
        .filter(|other| other.host != host.host && other.failures.is_empty())
        .map(of_each)
        .collect();
    others.sort_by(f64::total_cmp);
    let median = *others.get(others.len() / 2)?;
    let share = of_each(host) / median;
    (median > 0.0 && share < LAGS).then_some(Slow { step, host, share })
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
            fires: vec![run([1000, 700])],
            silent: vec![run([1000, 900])],
        }
    }
}
