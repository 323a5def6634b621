//! Were the CPUs of the load-generating hosts at their limit?

use plumb_model::results::finding::{Finding, Severity};
use plumb_model::results::summary::{PartSummary, StepSummary};
use plumb_model::run::ranks::MachineUse;
use plumb_model::statement::Statement;

use crate::rule::{Case, Rule, evidence, finding};

/// The rule.
pub const RULE: Rule = Rule {
    name: "hosts_are_busy",
    needs: &[],
    meaning: "A host whose CPUs are all busy cannot ask for more, whatever the storage has to give: the figures are then of the hosts. The CPU time is that of the whole host, by its own counters.",
    judge,
    #[cfg(test)]
    examples: tests::examples,
};

/// Use of all CPUs of a host, in percent, from which on they are its limit.
const BUSY: f64 = 90.0;

fn judge(case: &Case) -> Vec<Finding> {
    let steps = case.summary.into_iter().flat_map(|summary| &summary.steps);
    let busy: Vec<(&StepSummary, &PartSummary, f64, usize)> = steps.filter_map(busiest).collect();
    let Some((step, host, percent, hosts)) = busy.iter().max_by(|a, b| a.2.total_cmp(&b.2)) else {
        return Vec::new();
    };
    let shown = busy.iter().map(|(step, host, percent, _)| {
        let what = Statement::new("step-on-host")
            .name("step", &step.name)
            .name("host", &host.host);
        evidence(
            what,
            used(host, *percent),
            Statement::new("source-counters-of-host"),
        )
    });
    let claim = Statement::new("hosts-are-busy")
        .name("step", &step.name)
        .name("host", &host.host)
        .percent("cpu", *percent)
        .count("hosts", *hosts as u64);
    let advice = Statement::new("hosts-are-busy-advice");
    vec![finding(
        &RULE,
        Severity::Warning,
        claim,
        shown.collect(),
        advice,
    )]
}

/// CPU utilization of a host, and the load generator's part of it if known.
fn used(host: &PartSummary, percent: f64) -> Statement {
    match host.cpus {
        Some(own) => Statement::new("host-cpus-used")
            .percent("cpu", percent)
            .number("own", own),
        None => Statement::new("host-cpus-used-by-all").percent("cpu", percent),
    }
}

/// The busiest host of a step, with its CPU utilization and how many hosts are as busy; `None` if none is at its limit.
fn busiest(step: &StepSummary) -> Option<(&StepSummary, &PartSummary, f64, usize)> {
    let hosts = &step.ranks.as_ref()?.hosts;
    let percent = |host: &PartSummary| {
        let machine: Option<&MachineUse> = host.machine.as_ref();
        machine.and_then(|machine| machine.cpu_percent)
    };
    let used = || hosts.iter().filter_map(|host| Some((host, percent(host)?)));
    let (host, most) = used().max_by(|a, b| a.1.total_cmp(&b.1))?;
    let busy = used().filter(|(_, percent)| *percent >= BUSY).count();
    (busy > 0).then_some((step, host, most, busy))
}

#[cfg(test)]
mod tests {
    use plumb_model::run::ranks::MachineUse;

    use crate::rule::{Examples, Scene};
    use crate::two_hosts::on_busy_hosts;

    pub fn examples() -> Examples {
        let run = |percent: [Option<f64>; 2]| {
            Scene::run(on_busy_hosts(percent.map(|cpu_percent| MachineUse {
                covered_s: 1.0,
                cpus: 4,
                cpu_percent,
                ..MachineUse::default()
            })))
        };
        Examples {
            fires: vec![run([Some(97.0), Some(96.0)]), run([Some(20.0), Some(91.0)])],
            silent: vec![run([Some(80.0), None])],
        }
    }
}
