//! Does the clock of the object store differ from that of this machine?

use plumb_model::results::finding::{Finding, Severity};
use plumb_model::statement::Statement;

use crate::rule::{Case, Rule, finding};

/// The rule.
pub const RULE: Rule = Rule {
    name: "object_store_clock_differs",
    needs: &["s3.clock_ahead_s"],
    meaning: "Signatures carry the time of this machine. A store refuses a request whose time differs by more than 15 minutes from its own (RequestTimeTooSkewed): a clock that drifts there ends a long run.",
    judge,
    #[cfg(test)]
    examples: tests::examples,
};

/// Seconds. Dates of HTTP have a resolution of one, and the round trip adds to it.
const AHEAD_MAX: f64 = 60.0;

fn judge(case: &Case) -> Vec<Finding> {
    let ahead = case.environment.number("s3.clock_ahead_s");
    let Some(ahead) = ahead.filter(|ahead| ahead.abs() > AHEAD_MAX) else {
        return Vec::new();
    };
    let by_ns = ahead.abs() * 1e9;
    let claim = match ahead > 0.0 {
        true => Statement::new("object-store-clock-ahead").time_ns("by", by_ns),
        false => Statement::new("object-store-clock-behind").time_ns("by", by_ns),
    };
    let advice = Statement::new("object-store-clock-advice");
    let shown = case.facts(RULE.needs);
    vec![finding(&RULE, Severity::Warning, claim, shown, advice)]
}

#[cfg(test)]
mod tests {
    use plumb_model::environment::Fact::Number;

    use crate::rule::{Examples, Scene};

    pub fn examples() -> Examples {
        let scene = |ahead: f64| Scene::environment(&[("s3.clock_ahead_s", Number(ahead))]);
        Examples {
            fires: vec![scene(-61.0), scene(300.0)],
            silent: vec![scene(0.0), scene(-59.0), scene(60.0)],
        }
    }
}
