//! May the CPU clock down between operations?

use plumb_model::results::finding::{Finding, Severity};
use plumb_model::statement::Statement;

use crate::rule::{Case, Rule, finding};

/// The rule.
pub const RULE: Rule = Rule {
    name: "governor_not_performance",
    needs: &["cpu.governor", "cpu.frequency_max_hz"],
    meaning: "Another frequency governor than 'performance' lets cores clock down while idle, which lengthens short latencies at low depth and makes runs differ (Documentation/admin-guide/pm/cpufreq.rst).",
    judge,
    #[cfg(test)]
    examples: tests::examples,
};

fn judge(case: &Case) -> Vec<Finding> {
    let Some(governor) = case
        .environment
        .text("cpu.governor")
        .filter(|governor| *governor != "performance")
    else {
        return Vec::new();
    };
    let claim = Statement::new("governor-not-performance").name("governor", governor);
    let advice = Statement::new("governor-not-performance-advice");
    vec![finding(
        &RULE,
        Severity::Info,
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
        let scene = |governor: &str| Scene::environment(&[("cpu.governor", Text(governor.into()))]);
        Examples {
            fires: vec![scene("powersave"), scene("schedutil")],
            silent: vec![scene("performance")],
        }
    }
}
