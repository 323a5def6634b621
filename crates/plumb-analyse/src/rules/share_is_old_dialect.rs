//! Is the protocol of the share an old version of itself?

use plumb_model::finding::{Finding, Severity};
use plumb_model::run::Event;

use crate::rule::{Case, Rule, evidence, finding};

/// The rule.
pub const RULE: Rule = Rule {
    name: "share_is_old_dialect",
    needs: &["share.dialect", "share.protocol", "smb.dialect"],
    meaning: "SMB below 3.0 has neither encryption nor several channels, and SMB 3.0 only their slow algorithms; NFS below 4.1 has no sessions. The figure of a share may change with the version alone.",
    judge,
    #[cfg(test)]
    examples: tests::examples,
};

/// Beginning of what a dialect is called, how much that matters, and why.
const OLD: [(&str, Severity, &str); 5] = [
    (
        "SMB 1",
        Severity::Severe,
        "it is slow, and not safe: servers and clients have given it up",
    ),
    (
        "SMB 2.",
        Severity::Warning,
        "it has neither several channels nor encryption",
    ),
    (
        "SMB 3.0",
        Severity::Info,
        "it signs by AES-CMAC and encrypts by AES-CCM, which cost several times the CPU of what SMB 3.1.1 has",
    ),
    (
        "NFS 2",
        Severity::Warning,
        "its requests hold 8 KiB at most",
    ),
    (
        "NFS 4.0",
        Severity::Info,
        "it has no sessions: trunking, and limits that client and server agree on, begin with 4.1",
    ),
];

fn judge(case: &Case) -> Vec<Finding> {
    let agreed = case.run.and_then(|run| {
        run.notes.iter().find_map(|note| match &note.event {
            Event::EngineOpened { engine, .. } => engine.connection.get("dialect"),
            _ => None,
        })
    });
    let mut shown = case.facts(RULE.needs);
    let spoken = case.environment.text("smb.dialect");
    let dialect = match (
        case.environment.text("share.dialect"),
        agreed.map(String::as_str).or(spoken),
    ) {
        (Some(mounted), _) => mounted.to_string(),
        (None, Some(agreed)) => {
            if spoken.is_none() {
                shown.push(evidence("dialect", agreed, "the session that plumb opened"));
            }
            if agreed.starts_with(|c: char| c.is_ascii_digit()) {
                format!("SMB {agreed}")
            } else {
                agreed.to_string()
            }
        }
        (None, None) => return Vec::new(),
    };
    let Some((_, severity, why)) = OLD
        .iter()
        .find(|(beginning, _, _)| dialect.starts_with(beginning))
    else {
        return Vec::new();
    };
    let claim = format!("The share is spoken to by {dialect}: {why}.");
    let advice = "Let client and server agree on the newest version that both have (no vers= on the mount, dialect auto in plumb), and compare.";
    vec![finding(&RULE, *severity, claim, shown, advice)]
}

#[cfg(test)]
mod tests {
    use crate::rule::{Examples, Scene};
    use plumb_model::environment::Fact::Text;

    pub fn examples() -> Examples {
        let scene = |dialect: &str| Scene::ground(&[("share.dialect", Text(dialect.into()))]);
        Examples {
            fires: vec![
                scene("SMB 2.1"),
                scene("SMB 3.0"),
                scene("SMB 3.0.2"),
                scene("NFS 4.0"),
                Scene::ground(&[("smb.dialect", Text("2.1".into()))]),
            ],
            silent: vec![
                Scene::ground(&[("smb.dialect", Text("3.1.1".into()))]),
                scene("SMB 3.1.1"),
                scene("NFS 4.2"),
                scene("NFS 4.1"),
                scene("NFS 3"),
            ],
        }
    }
}
