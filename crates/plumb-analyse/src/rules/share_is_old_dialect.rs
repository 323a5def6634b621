//! Does the share use an old version of its protocol?

use plumb_model::results::finding::{Finding, Severity};
use plumb_model::run::Event;
use plumb_model::statement::Statement;

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
type Old = (&'static str, Severity, fn() -> Statement);

const OLD: [Old; 5] = [
    ("SMB 1", Severity::Severe, || {
        Statement::new("share-is-old-dialect-smb-1")
    }),
    ("SMB 2.", Severity::Warning, || {
        Statement::new("share-is-old-dialect-smb-2")
    }),
    ("SMB 3.0", Severity::Info, || {
        Statement::new("share-is-old-dialect-smb-3-0")
    }),
    ("NFS 2", Severity::Warning, || {
        Statement::new("share-is-old-dialect-nfs-2")
    }),
    ("NFS 4.0", Severity::Info, || {
        Statement::new("share-is-old-dialect-nfs-4-0")
    }),
];

fn judge(case: &Case) -> Vec<Finding> {
    let agreed = case.run.and_then(|run| {
        run.notes.iter().find_map(|note| match &note.event {
            Event::EngineOpened { engine, .. } => engine.connection.get("dialect"),
            _ => None,
        })
    });
    let mut shown = case.facts(RULE.needs);
    let negotiated = case.environment.text("smb.dialect");
    let dialect = match (
        case.environment.text("share.dialect"),
        agreed.map(String::as_str).or(negotiated),
    ) {
        (Some(mounted), _) => mounted.to_string(),
        (None, Some(agreed)) => {
            if negotiated.is_none() {
                shown.push(evidence(
                    Statement::new("share-is-old-dialect-agreed"),
                    agreed,
                    Statement::new("source-session"),
                ));
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
    let claim = Statement::new("share-is-old-dialect")
        .name("dialect", dialect)
        .part("why", why());
    let advice = Statement::new("share-is-old-dialect-advice");
    vec![finding(&RULE, *severity, claim, shown, advice)]
}

#[cfg(test)]
mod tests {
    use crate::rule::{Examples, Scene};
    use plumb_model::environment::Fact::Text;

    pub fn examples() -> Examples {
        let scene = |dialect: &str| Scene::environment(&[("share.dialect", Text(dialect.into()))]);
        Examples {
            fires: vec![
                scene("SMB 2.1"),
                scene("SMB 3.0"),
                scene("SMB 3.0.2"),
                scene("NFS 4.0"),
                Scene::environment(&[("smb.dialect", Text("2.1".into()))]),
            ],
            silent: vec![
                Scene::environment(&[("smb.dialect", Text("3.1.1".into()))]),
                scene("SMB 3.1.1"),
                scene("NFS 4.2"),
                scene("NFS 4.1"),
                scene("NFS 3"),
            ],
        }
    }
}
