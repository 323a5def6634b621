//! Did an open loop keep to its schedule?

use plumb_model::finding::{Finding, Severity};
use plumb_model::units::{show_count, show_time_ns};

use crate::rule::{Case, Rule, evidence, finding, name_steps, shortened};

/// The rule.
pub const RULE: Rule = Rule {
    name: "rate_not_achieved",
    needs: &[],
    meaning: "An open loop asks for a rate. When the target cannot keep up, operations queue before they are submitted; response times then grow with the length of the run and tell how long it was, not how fast the storage is.",
    judge,
    #[cfg(test)]
    examples: tests::examples,
};

/// Share of the asked rate that counts as kept; a Poisson process scatters by its square root.
const KEPT: f64 = 0.98;
/// Seconds of the asked rate that may be waiting at the end.
const BACKLOG_S: f64 = 0.05;

fn judge(case: &Case) -> Vec<Finding> {
    let mut late = Vec::new();
    for (planned, step) in case.steps() {
        let (Some(asked), Some(iops)) = (step.asked_rate, step.total.iops) else { continue };
        // With jobs of both kinds the completions of the closed loops would count for the rate.
        if asked <= 0.0 || step.total.count == 0 || planned.jobs.iter().any(|job| !job.workload.is_open()) {
            continue;
        }
        let expected = asked * step.duration_s;
        let scatter = 4.0 * expected.sqrt();
        let waiting = step.unsubmitted.unwrap_or(0) as f64;
        let slow = (step.total.count as f64) < KEPT * expected - scatter;
        if slow || waiting > BACKLOG_S * asked + 4.0 * (BACKLOG_S * asked).sqrt() {
            late.push((step, asked, iops, waiting));
        }
    }
    if late.is_empty() {
        return Vec::new();
    }
    let shown = late.iter().map(|(step, asked, iops, waiting)| {
        let lateness =
            step.lateness_ns.as_ref().and_then(|lateness| lateness.p99).map(|ns| format!(", 99 % submitted within {}", show_time_ns(ns)));
        let value = format!(
            "{} of {} operations/s, {} still waiting at the end{}",
            show_count(*iops),
            show_count(*asked),
            show_count(*waiting),
            lateness.unwrap_or_default()
        );
        evidence(format!("rate of '{}'", step.name), value, "ticks")
    });
    let names: Vec<&str> = late.iter().map(|(step, ..)| step.name.as_str()).collect();
    let claim = format!("The asked rate was not achieved in {}: response times there grow with the length of the run.", name_steps(&names));
    let advice = "Lower the rate (of a replay: replay-speed-percent) below what the target sustains, or allow more in flight (more depth, more workers) if the generator waited.";
    vec![finding(&RULE, Severity::Warning, claim, shortened(shown.collect()), advice)]
}

#[cfg(test)]
mod tests {
    use crate::rule::{Examples, Scene};
    use crate::synthetic::{Builder, Interval, step};
    use plumb_model::workload::Workload;

    pub fn examples() -> Examples {
        let run = |iops: f64, backlog: u64| {
            let workload = Workload { rate: Some(10_000.0), ..Workload::default() };
            let mut builder = Builder::new(vec![step("read", "read", &[], workload)]);
            builder.execute(0, 0, &vec![Interval { iops, backlog: Some(backlog), ..Interval::default() }; 5]);
            Scene::run(builder.finish())
        };
        // A log of the same rate that is replayed at its recorded pace.
        let replay = |iops: f64| {
            let holds = "requests:50000,read:200m,written:0,end:1g,length:5s,files:1".parse().ok();
            let workload = Workload { replay: Some("some.log".into()), replay_holds: holds, ..Workload::default() };
            let mut builder = Builder::new(vec![step("replay", "replay", &[], workload)]);
            builder.execute(0, 0, &vec![Interval { iops, backlog: Some(0), ..Interval::default() }; 5]);
            Scene::run(builder.finish())
        };
        Examples {
            fires: vec![run(7_000.0, 15_000), run(9_950.0, 3_000), replay(7_000.0)],
            silent: vec![run(10_000.0, 2), run(9_960.0, 0), replay(10_000.0)],
        }
    }
}
