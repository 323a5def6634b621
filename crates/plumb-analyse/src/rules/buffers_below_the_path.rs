//! Are the TCP buffers large enough for the bandwidth-delay product of the path to the server?

use plumb_model::results::finding::{Finding, Severity};
use plumb_model::statement::{Statement, Unit};

use crate::rule::{Case, Rule, finding};

/// The rule.
pub const RULE: Rule = Rule {
    name: "buffers_below_the_path",
    needs: &[
        "network.speed_bits_per_s",
        "network.round_trip_us",
        "network.tcp_receive_max_bytes",
        "network.tcp_window_scaling",
        "network.same_machine",
    ],
    meaning: "A connection has at most one window in flight for each round trip: where the largest buffer of TCP is smaller than speed times round trip, one connection cannot fill the link (RFC 7323).",
    judge,
    #[cfg(test)]
    examples: tests::examples,
};

/// Part of a receive buffer that becomes the window: half, the other being for the overhead of the kernel (tcp_adv_win_scale of ip-sysctl.rst).
const WINDOW_PART: f64 = 0.5;
/// The largest window without scaling.
const UNSCALED_BYTES: f64 = 65_535.0;

fn judge(case: &Case) -> Vec<Finding> {
    let number = |id: &str| case.environment.number(id);
    let (Some(speed), Some(round_trip_us)) = (
        number("network.speed_bits_per_s"),
        number("network.round_trip_us"),
    ) else {
        return Vec::new();
    };
    let Some(buffer) = number("network.tcp_receive_max_bytes") else {
        return Vec::new();
    };
    let scaled = case.environment.flag("network.tcp_window_scaling") != Some(false);
    let window = if scaled {
        WINDOW_PART * buffer
    } else {
        (WINDOW_PART * buffer).min(UNSCALED_BYTES)
    };
    let path = speed / 8.0 * round_trip_us / 1e6;
    if case.environment.flag("network.same_machine") == Some(true)
        || window <= 0.0
        || round_trip_us <= 0.0
        || window >= path
    {
        return Vec::new();
    }
    let rate = window / (round_trip_us / 1e6);
    let claim = Statement::new("buffers-below-the-path")
        .bytes("path", path)
        .bytes("window", window)
        .quantity("rate", rate, Unit::BytesPerSecond);
    let advice = Statement::new("buffers-below-the-path-advice");
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
    use plumb_model::environment::Fact::{Flag, Number};

    pub fn examples() -> Examples {
        let scene = |round_trip_us: f64, scaling: bool| {
            Scene::environment(&[
                ("network.speed_bits_per_s", Number(10e9)),
                ("network.round_trip_us", Number(round_trip_us)),
                ("network.tcp_receive_max_bytes", Number(6_291_456.0)),
                ("network.tcp_window_scaling", Flag(scaling)),
            ])
        };
        let mut here = scene(20_000.0, true);
        here.environment.set("network.same_machine", Flag(true));
        Examples {
            fires: vec![scene(20_000.0, true), scene(200.0, false)],
            silent: vec![scene(200.0, true), here],
        }
    }
}
