//! May Windows park cores and clock them down between operations?

use plumb_model::results::finding::{Finding, Severity};
use plumb_model::statement::Statement;

use crate::rule::{Case, Rule, finding};

/// The rule.
pub const RULE: Rule = Rule {
    name: "power_plan_saves_power",
    needs: &["host.power_plan", "host.virtualisation"],
    meaning: "The power plans Balanced and Power saver let Windows park cores and lower their frequency while idle, which lengthens short latencies at low depth and makes runs differ (Performance Tuning Guidelines for Windows Server, power and performance). In a virtual machine the host decides.",
    judge,
    #[cfg(test)]
    examples: tests::examples,
};

/// The power-saving plans of every Windows. The effect of other plans is unknown.
const SAVING: [&str; 2] = ["Balanced", "Power saver"];

fn judge(case: &Case) -> Vec<Finding> {
    let plan = case.environment.text("host.power_plan");
    let is_host = case.environment.text("host.virtualisation") == Some("none");
    let Some(plan) = plan.filter(|plan| is_host && SAVING.contains(plan)) else {
        return Vec::new();
    };
    let claim = Statement::new("power-plan-saves-power").name("plan", plan);
    let advice = Statement::new("power-plan-saves-power-advice");
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
        let scene = |plan: &str, virtualisation: &str| {
            Scene::environment(&[
                ("host.power_plan", Text(plan.into())),
                ("host.virtualisation", Text(virtualisation.into())),
            ])
        };
        Examples {
            fires: vec![scene("Balanced", "none"), scene("Power saver", "none")],
            silent: vec![
                scene("High performance", "none"),
                scene("Ultimate Performance", "none"),
                scene("Messplatz", "none"),
                scene("Balanced", "Hyper-V"),
            ],
        }
    }
}
