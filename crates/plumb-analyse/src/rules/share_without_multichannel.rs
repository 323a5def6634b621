//! Does the mounted share use one connection although it could use several?

use plumb_model::results::finding::{Finding, Severity};
use plumb_model::statement::Statement;

use crate::rule::{Case, Rule, finding};

/// The rule.
pub const RULE: Rule = Rule {
    name: "share_without_multichannel",
    needs: &[
        "share.protocol",
        "share.channels",
        "share.channels_asked",
        "share.dialect",
        "share.server_interfaces",
        "share.server_rss",
        "share.server_fast_interfaces",
    ],
    meaning: "A server that offers an interface with receive-side scaling, or several fast ones, can be reached by several connections of one SMB session (multichannel); one connection is handled by one CPU on each end, and uses one link.",
    judge,
    #[cfg(test)]
    examples: tests::examples,
};

fn judge(case: &Case) -> Vec<Finding> {
    let environment = case.environment;
    if environment.text("share.protocol") != Some("cifs")
        || environment.number("share.channels") != Some(1.0)
    {
        return Vec::new();
    }
    let several = environment
        .number("share.server_fast_interfaces")
        .is_some_and(|count| count > 1.0);
    let scales = environment.flag("share.server_rss") == Some(true);
    if !several && !scales {
        return Vec::new();
    }
    let requested = environment
        .number("share.channels_asked")
        .is_some_and(|requested| requested > 1.0);
    let claim = Statement::new(if several {
        "share-without-multichannel-of-interfaces"
    } else {
        "share-without-multichannel"
    });
    let advice = Statement::new(if requested {
        "share-without-multichannel-asked-advice"
    } else {
        "share-without-multichannel-advice"
    });
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
    use plumb_model::environment::Fact::{Flag, Number, Text};

    pub fn examples() -> Examples {
        let scene = |channels: f64, requested: f64, rss: bool, fast: f64| {
            Scene::environment(&[
                ("share.protocol", Text("cifs".into())),
                ("share.channels", Number(channels)),
                ("share.channels_asked", Number(requested)),
                ("share.server_rss", Flag(rss)),
                ("share.server_fast_interfaces", Number(fast)),
            ])
        };
        let nfs = Scene::environment(&[
            ("share.protocol", Text("nfs".into())),
            ("share.channels", Number(1.0)),
            ("share.server_rss", Flag(true)),
        ]);
        Examples {
            fires: vec![scene(1.0, 1.0, true, 1.0), scene(1.0, 4.0, false, 2.0)],
            silent: vec![scene(4.0, 4.0, true, 2.0), scene(1.0, 1.0, false, 1.0), nfs],
        }
    }
}
