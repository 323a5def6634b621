//! Is reading the clock slow on this machine?

use plumb_model::results::finding::{Finding, Severity};
use plumb_model::statement::Statement;

use crate::rule::{Case, Rule, finding};

/// The rule.
pub const RULE: Rule = Rule {
    name: "slow_clock_source",
    needs: &["clock.source"],
    meaning: "With the clock sources hpet and acpi_pm every reading of the clock is a system call and a slow register (about a microsecond instead of 25 ns): all programs that take times get slower, storage benchmarks first.",
    judge,
    #[cfg(test)]
    examples: tests::examples,
};

fn judge(case: &Case) -> Vec<Finding> {
    let Some(source) = case
        .environment
        .text("clock.source")
        .filter(|source| ["hpet", "acpi_pm", "jiffies"].contains(source))
    else {
        return Vec::new();
    };
    let claim = Statement::new("slow-clock-source").name("source", source);
    let advice = Statement::new("slow-clock-source-advice");
    vec![finding(
        &RULE,
        Severity::Warning,
        claim,
        case.facts(RULE.needs),
        advice,
    )]
}

#[cfg(test)]
mod tests {
    use crate::rule::{Examples, Scene};
    use plumb_model::environment::Fact::Text;

    pub fn examples() -> Examples {
        let scene = |source: &str| Scene::environment(&[("clock.source", Text(source.into()))]);
        Examples {
            fires: vec![scene("hpet")],
            silent: vec![scene("tsc"), scene("kvm-clock")],
        }
    }
}
