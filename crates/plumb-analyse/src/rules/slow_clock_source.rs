//! Is reading the clock slow on this machine?

use plumb_model::finding::{Finding, Severity};

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
    let claim = format!(
        "The kernel's clock source is '{source}': every reading of the clock is slow, and the rates that one CPU can generate are lower."
    );
    let advice = "Find out from the kernel's log why the time-stamp counter was given up ('dmesg | grep -i tsc'); a firmware update or 'tsc=reliable' may bring it back.";
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
        let scene = |source: &str| Scene::ground(&[("clock.source", Text(source.into()))]);
        Examples {
            fires: vec![scene("hpet")],
            silent: vec![scene("tsc"), scene("kvm-clock")],
        }
    }
}
