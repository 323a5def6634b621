//! Does the interface lose packets?

use plumb_model::results::finding::{Evidence, Finding, Severity};
use plumb_model::run::Run;
use plumb_model::statement::Statement;

use crate::figures::counters::Counters;
use crate::rule::{Case, Rule, evidence, finding};

/// The rule.
pub const RULE: Rule = Rule {
    name: "interface_has_errors",
    needs: &[
        "network.errors_since_boot",
        "network.drops_since_boot",
        "network.packets_since_boot",
        "network.interface",
        "network.receive_errors",
        "network.transmit_errors",
        "network.receive_drops",
        "network.transmit_drops",
    ],
    meaning: "Packets with errors point to a cable, a connector or a port; dropped ones to rings that are too short or to a CPU that is too slow to empty them. TCP retransmits them, at a cost far beyond their number.",
    judge,
    #[cfg(test)]
    examples: tests::examples,
};

/// Part of all packets since boot from which on errors are no accident of plugging in.
const ERRORS_PART: f64 = 1e-5;
/// Drops since boot are often packets of unsupported protocols: only a larger share matters.
const DROPS_PART: f64 = 1e-3;
/// Drops within a run from which they are reported.
const DROPS_IN_RUN: f64 = 10.0;

fn judge(case: &Case) -> Vec<Finding> {
    let mut shown = case.run.map(during).unwrap_or_default();
    let in_run = !shown.is_empty();
    shown.extend(since_boot(case));
    if shown.is_empty() {
        return Vec::new();
    }
    let claim = Statement::new(if in_run {
        "interface-has-errors-in-run"
    } else {
        "interface-has-errors-since-boot"
    });
    let advice = Statement::new("interface-has-errors-advice");
    vec![finding(&RULE, Severity::Warning, claim, shown, advice)]
}

fn since_boot(case: &Case) -> Vec<Evidence> {
    let number = |id: &str| case.environment.number(id);
    let Some(packets) = number("network.packets_since_boot").filter(|packets| *packets > 0.0)
    else {
        return Vec::new();
    };
    let above = |id: &str, part: f64| number(id).is_some_and(|count| count > part * packets);
    if above("network.errors_since_boot", ERRORS_PART)
        || above("network.drops_since_boot", DROPS_PART)
    {
        return case.facts(&[
            "network.interface",
            "network.errors_since_boot",
            "network.drops_since_boot",
            "network.packets_since_boot",
        ]);
    }
    Vec::new()
}

/// What rose from the first reading to the last.
fn during(run: &Run) -> Vec<Evidence> {
    let counters = Counters::of(&run.readings);
    let mut shown = Vec::new();
    for (metric, least) in [
        ("network.receive_errors", 1.0),
        ("network.transmit_errors", 1.0),
        ("network.receive_drops", DROPS_IN_RUN),
        ("network.transmit_drops", DROPS_IN_RUN),
    ] {
        for interface in counters.instances(metric) {
            if let Some(rise) = counters
                .rise(metric, interface)
                .filter(|rise| *rise >= least)
            {
                shown.push(evidence(
                    metric,
                    Statement::new("interface-has-errors-count")
                        .number("count", rise)
                        .name("interface", interface),
                    Statement::new("source-counters-over-run"),
                ));
            }
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use crate::rule::{Examples, Scene};
    use crate::synthetic::{Builder, Interval, ladder};
    use plumb_model::environment::Fact::Number;

    pub fn examples() -> Examples {
        let environment = |errors: f64, drops: f64| {
            Scene::environment(&[
                ("network.errors_since_boot", Number(errors)),
                ("network.drops_since_boot", Number(drops)),
                ("network.packets_since_boot", Number(1e6)),
            ])
        };
        let run = |metric: &'static str, rise: f64| {
            let mut builder = Builder::new(ladder("read", &[1]));
            builder.reading(metric, "eth0", Some(5.0));
            builder.execute(0, 0, &vec![Interval::default(); 3]);
            builder.reading(metric, "eth0", Some(5.0 + rise));
            Scene::run(builder.finish())
        };
        Examples {
            fires: vec![
                environment(100.0, 0.0),
                environment(0.0, 5000.0),
                run("network.receive_errors", 1.0),
                run("network.receive_drops", 50.0),
            ],
            silent: vec![
                environment(0.0, 0.0),
                environment(2.0, 100.0),
                run("network.receive_errors", 0.0),
                run("network.receive_drops", 2.0),
            ],
        }
    }
}
