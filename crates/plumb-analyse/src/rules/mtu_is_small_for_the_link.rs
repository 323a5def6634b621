//! Is the MTU small for the speed of the link?

use plumb_model::results::finding::{Finding, Severity};
use plumb_model::statement::{Statement, Unit};

use crate::rule::{Case, Rule, finding};

/// The rule.
pub const RULE: Rule = Rule {
    name: "mtu_is_small_for_the_link",
    needs: &[
        "network.mtu_bytes",
        "network.speed_bits_per_s",
        "network.interface",
        "network.offloads",
    ],
    meaning: "From 10 Gbit/s on, packets of 1500 bytes come at 800,000 a second and more; with jumbo frames of 9000 bytes each CPU has a sixth of them to handle.",
    judge,
    #[cfg(test)]
    examples: tests::examples,
};

const FAST_BITS_PER_S: f64 = 10e9;
/// The MTU of Ethernet without jumbo frames, and what it is with them.
const PLAIN_BYTES: f64 = 1500.0;

fn judge(case: &Case) -> Vec<Finding> {
    let environment = case.environment;
    let (Some(mtu), Some(speed)) = (
        environment.number("network.mtu_bytes"),
        environment.number("network.speed_bits_per_s"),
    ) else {
        return Vec::new();
    };
    if mtu > PLAIN_BYTES || mtu <= 0.0 || speed < FAST_BITS_PER_S {
        return Vec::new();
    }
    // 38 bytes of Ethernet around each: preamble, header, checksum, gap.
    let packets = speed / 8.0 / (mtu + 38.0);
    let claim = Statement::new("mtu-is-small-for-the-link")
        .number("mtu", mtu)
        .quantity("speed", speed, Unit::BitsPerSecond)
        .quantity("packets", packets, Unit::PerSecond);
    let advice = Statement::new("mtu-is-small-for-the-link-advice");
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
    use plumb_model::environment::Fact::Number;

    pub fn examples() -> Examples {
        let scene = |mtu: f64, speed: f64| {
            Scene::environment(&[
                ("network.mtu_bytes", Number(mtu)),
                ("network.speed_bits_per_s", Number(speed)),
            ])
        };
        Examples {
            fires: vec![scene(1500.0, 10e9), scene(1450.0, 100e9)],
            silent: vec![
                scene(9000.0, 10e9),
                scene(1500.0, 1e9),
                Scene::environment(&[("network.mtu_bytes", Number(1500.0))]),
            ],
        }
    }
}
