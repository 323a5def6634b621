//! Did the machine do other work just before the run?

use plumb_model::results::finding::{Finding, Severity};
use plumb_model::statement::Statement;

use crate::rule::{Case, Rule, finding};

/// The rule.
pub const RULE: Rule = Rule {
    name: "machine_was_busy",
    needs: &[
        "activity.cpu_busy_percent",
        "activity.window_s",
        "activity.io_pressure_percent",
        "host.load_1min",
        "cpu.threads",
    ],
    meaning: "Other processes on the CPUs take time from the load generator and from the kernel's I/O path: throughput falls and tails grow for reasons outside of the storage.",
    judge,
    #[cfg(test)]
    examples: tests::examples,
};

/// Share of all CPUs from which on other work matters.
const BUSY_PERCENT: f64 = 25.0;

fn judge(case: &Case) -> Vec<Finding> {
    let Some(busy) = case
        .environment
        .number("activity.cpu_busy_percent")
        .filter(|busy| *busy >= BUSY_PERCENT)
    else {
        return Vec::new();
    };
    let claim = Statement::new("machine-was-busy").percent("busy", busy);
    vec![finding(
        &RULE,
        Severity::Warning,
        claim,
        case.facts(RULE.needs),
        Statement::new("machine-was-busy-advice"),
    )]
}

#[cfg(test)]
mod tests {
    use crate::rule::{Examples, Scene};
    use plumb_model::environment::Fact::Number;

    pub fn examples() -> Examples {
        let scene = |busy: f64| {
            Scene::environment(&[
                ("activity.cpu_busy_percent", Number(busy)),
                ("activity.window_s", Number(0.3)),
            ])
        };
        Examples {
            fires: vec![scene(60.0)],
            silent: vec![scene(3.0)],
        }
    }
}
