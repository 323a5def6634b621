//! Is the link to the server slower than common storage?

use plumb_model::results::finding::{Finding, Severity};
use plumb_model::statement::{Argument, Statement, Unit};

use crate::rule::{Case, Rule, finding};

/// The rule.
pub const RULE: Rule = Rule {
    name: "link_is_slow",
    needs: &[
        "network.speed_bits_per_s",
        "network.duplex",
        "network.interface",
        "network.driver",
    ],
    meaning: "A link below 10 Gbit/s carries less than one solid-state drive gives, and one in half duplex less than half of its name: the figure of a share is then that of the link.",
    judge,
    #[cfg(test)]
    examples: tests::examples,
};

/// From here on a link is not the first thing to suspect.
const FAST_BITS_PER_S: f64 = 10e9;
/// Up to here one disk fills it.
const SLOW_BITS_PER_S: f64 = 1e9;
/// What TCP over Ethernet with packets of 1500 bytes carries of the bits on the wire: 1448 of 1538 bytes, with time stamps.
const PAYLOAD: f64 = 1448.0 / 1538.0;

fn judge(case: &Case) -> Vec<Finding> {
    let half = case.environment.text("network.duplex") == Some("half");
    let speed = case
        .environment
        .number("network.speed_bits_per_s")
        .filter(|speed| *speed > 0.0);
    let interface = case.environment.text("network.interface").map_or_else(
        || Statement::new("link-is-slow-interface").into(),
        Argument::from,
    );
    let shown = case.facts(RULE.needs);
    if half {
        let claim = Statement::new("link-is-slow-half-duplex").with("interface", interface);
        let advice = Statement::new("link-is-slow-half-duplex-advice");
        return vec![finding(&RULE, Severity::Severe, claim, shown, advice)];
    }
    let Some(speed) = speed.filter(|speed| *speed < FAST_BITS_PER_S) else {
        return Vec::new();
    };
    let severity = if speed <= SLOW_BITS_PER_S {
        Severity::Warning
    } else {
        Severity::Info
    };
    let payload = PAYLOAD * speed / 8.0;
    let claim = Statement::new("link-is-slow")
        .with("interface", interface)
        .quantity("speed", speed, Unit::BitsPerSecond)
        .quantity("payload", payload, Unit::BytesPerSecond);
    let advice = Statement::new("link-is-slow-advice");
    vec![finding(&RULE, severity, claim, shown, advice)]
}

#[cfg(test)]
mod tests {
    use crate::rule::{Examples, Scene};
    use plumb_model::environment::Fact::{Number, Text};

    pub fn examples() -> Examples {
        let scene = |speed: f64, duplex: &str| {
            Scene::environment(&[
                ("network.speed_bits_per_s", Number(speed)),
                ("network.duplex", Text(duplex.into())),
            ])
        };
        Examples {
            fires: vec![
                scene(1e9, "full"),
                scene(1e8, "full"),
                scene(2.5e9, "full"),
                scene(10e9, "half"),
            ],
            silent: vec![
                scene(10e9, "full"),
                scene(100e9, "full"),
                Scene::environment(&[("network.duplex", Text("full".into()))]),
            ],
        }
    }
}
