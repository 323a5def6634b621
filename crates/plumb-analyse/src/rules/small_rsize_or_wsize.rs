//! Are requests to the share cut into small ones?

use plumb_model::results::finding::{Finding, Severity};
use plumb_model::statement::Statement;

use crate::rule::{Case, Rule, finding};

/// The rule.
pub const RULE: Rule = Rule {
    name: "small_rsize_or_wsize",
    needs: &[
        "share.read_max_bytes",
        "share.write_max_bytes",
        "share.protocol",
        "share.dialect",
        "network.round_trip_us",
    ],
    meaning: "Blocks larger than rsize and wsize are split into requests of that size, each of which costs processing on both ends; current clients and servers negotiate 1 MiB and more.",
    judge,
    #[cfg(test)]
    examples: tests::examples,
};

/// Below this, sequential work has to make many requests.
const SMALL_BYTES: f64 = 524_288.0;
/// Below this, also a common block of a program is cut.
const TINY_BYTES: f64 = 65_536.0;

fn judge(case: &Case) -> Vec<Finding> {
    let sizes =
        ["share.read_max_bytes", "share.write_max_bytes"].map(|id| case.environment.number(id));
    let Some(smallest) = sizes
        .into_iter()
        .flatten()
        .filter(|bytes| *bytes > 0.0)
        .reduce(f64::min)
    else {
        return Vec::new();
    };
    if smallest >= SMALL_BYTES {
        return Vec::new();
    }
    let severity = if smallest < TINY_BYTES {
        Severity::Warning
    } else {
        Severity::Info
    };
    let claim = Statement::new("small-rsize-or-wsize").bytes("size", smallest);
    let advice = Statement::new("small-rsize-or-wsize-advice");
    vec![finding(
        &RULE,
        severity,
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
        let scene = |read: f64, write: f64| {
            Scene::environment(&[
                ("share.read_max_bytes", Number(read)),
                ("share.write_max_bytes", Number(write)),
            ])
        };
        Examples {
            fires: vec![scene(131_072.0, 1_048_576.0), scene(32_768.0, 32_768.0)],
            silent: vec![
                scene(1_048_576.0, 1_048_576.0),
                scene(4_194_304.0, 4_194_304.0),
            ],
        }
    }
}
