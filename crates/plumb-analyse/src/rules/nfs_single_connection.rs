//! Does one TCP connection carry an NFS mount over a fast link?

use plumb_model::results::finding::{Finding, Severity};
use plumb_model::statement::{Statement, Unit};

use crate::rule::{Case, Rule, finding};

/// The rule.
pub const RULE: Rule = Rule {
    name: "nfs_single_connection",
    needs: &[
        "share.protocol",
        "share.transport",
        "share.channels",
        "share.dialect",
        "network.speed_bits_per_s",
        "network.same_machine",
        "network.round_trip_us",
    ],
    meaning: "One TCP connection is handled by one CPU on each end, and seldom fills a link of 10 Gbit/s and more; the option nconnect of nfs(5) spreads a mount over up to 16.",
    judge,
    #[cfg(test)]
    examples: tests::examples,
};

const FAST_BITS_PER_S: f64 = 10e9;

fn judge(case: &Case) -> Vec<Finding> {
    let environment = case.environment;
    let is_nfs = environment.text("share.protocol") == Some("nfs")
        && environment.text("share.transport") == Some("tcp");
    let fast = environment
        .number("network.speed_bits_per_s")
        .filter(|speed| *speed >= FAST_BITS_PER_S);
    let (true, Some(speed), Some(1.0)) = (is_nfs, fast, environment.number("share.channels"))
    else {
        return Vec::new();
    };
    let claim =
        Statement::new("nfs-single-connection").quantity("speed", speed, Unit::BitsPerSecond);
    let advice = Statement::new("nfs-single-connection-advice");
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
    use plumb_model::environment::Fact::{Number, Text};

    pub fn examples() -> Examples {
        let scene = |transport: &str, channels: f64, speed: f64| {
            Scene::environment(&[
                ("share.protocol", Text("nfs".into())),
                ("share.transport", Text(transport.into())),
                ("share.channels", Number(channels)),
                ("network.speed_bits_per_s", Number(speed)),
            ])
        };
        Examples {
            fires: vec![scene("tcp", 1.0, 25e9)],
            silent: vec![
                scene("tcp", 8.0, 25e9),
                scene("tcp", 1.0, 1e9),
                scene("rdma", 1.0, 100e9),
            ],
        }
    }
}
