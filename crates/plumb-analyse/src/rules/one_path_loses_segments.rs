//! Does the path of one host lose segments, unlike those of the others?

use plumb_model::results::finding::{Finding, Severity};
use plumb_model::results::summary::{PartSummary, StepSummary};
use plumb_model::statement::Statement;

use crate::rule::{Case, Rule, evidence, finding};

/// The rule.
pub const RULE: Rule = Rule {
    name: "one_path_loses_segments",
    needs: &[],
    meaning: "Hosts of one run reach the storage over the same network. Where one of them has to send many TCP segments again and the others do not, the loss is on its own path: cable, port, adapter or queue. The counters are those of the whole host.",
    judge,
    #[cfg(test)]
    examples: tests::examples,
};

/// Part of the segments sent, and how many at least, from which on losses matter.
const PART: f64 = 1e-3;
const LEAST: f64 = 20.0;
/// The host loses at least this many times as much as the others.
const TIMES: f64 = 10.0;

fn judge(case: &Case) -> Vec<Finding> {
    let steps = case.summary.into_iter().flat_map(|summary| &summary.steps);
    let lossy: Vec<Lossy<'_>> = steps.filter_map(lossy).collect();
    let Some(worst) = lossy.iter().max_by(|a, b| a.part.total_cmp(&b.part)) else {
        return Vec::new();
    };
    let shown = lossy.iter().map(|of| {
        let what = Statement::new("step-on-host")
            .name("step", &of.step.name)
            .name("host", &of.host.host);
        let value = Statement::new("host-sent-again")
            .number("again", of.again)
            .number("sent", of.sent)
            .percent("others", 100.0 * of.others);
        evidence(what, value, Statement::new("source-counters-of-host"))
    });
    let claim = Statement::new("one-path-loses-segments")
        .name("host", &worst.host.host)
        .name("step", &worst.step.name)
        .percent("part", 100.0 * worst.part)
        .percent("others", 100.0 * worst.others);
    let advice = Statement::new("one-path-loses-segments-advice").name("host", &worst.host.host);
    vec![finding(
        &RULE,
        Severity::Warning,
        claim,
        shown.collect(),
        advice,
    )]
}

/// A host that loses more than the others in a step.
struct Lossy<'a> {
    step: &'a StepSummary,
    host: &'a PartSummary,
    /// Segments sent, and those of them sent again.
    sent: f64,
    again: f64,
    /// The second by the first; and the same at most on another host.
    part: f64,
    others: f64,
}

fn lossy(step: &StepSummary) -> Option<Lossy<'_>> {
    let hosts = &step.ranks.as_ref()?.hosts;
    let found = hosts.iter().filter_map(|host| {
        let machine = host.machine.as_ref()?;
        let (sent, again) = (machine.segments_sent?, machine.segments_retransmitted?);
        (sent > 0.0).then_some((host, sent, again))
    });
    let mut found: Vec<(&PartSummary, f64, f64)> = found.collect();
    found.sort_by(|a, b| (b.2 / b.1).total_cmp(&(a.2 / a.1)));
    let (host, sent, again) = *found.first()?;
    let (_, of_next, again_of_next) = *found.get(1)?;
    let (part, others) = (again / sent, again_of_next / of_next);
    let is_lossy = part >= PART && again >= LEAST && part >= TIMES * others;
    is_lossy.then_some(Lossy {
        step,
        host,
        sent,
        again,
        part,
        others,
    })
}

#[cfg(test)]
mod tests {
    use plumb_model::run::ranks::MachineUse;

    use crate::rule::{Examples, Scene};
    use crate::two_hosts::on_busy_hosts;

    pub fn examples() -> Examples {
        let run = |again: [f64; 2]| {
            Scene::run(on_busy_hosts(again.map(|again| MachineUse {
                covered_s: 1.0,
                segments_sent: Some(10_000.0),
                segments_retransmitted: Some(again),
                ..MachineUse::default()
            })))
        };
        Examples {
            fires: vec![run([0.0, 50.0])],
            // All lose alike: that is what they share.
            silent: vec![run([50.0, 50.0]), run([0.0, 5.0])],
        }
    }
}
