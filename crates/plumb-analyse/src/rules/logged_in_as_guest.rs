//! Was the user logged in to a share as guest?

use plumb_model::results::finding::{Finding, Severity};
use plumb_model::run::Event;
use plumb_model::statement::Statement;

use crate::rule::{Case, Rule, evidence, finding};

/// The rule.
pub const RULE: Rule = Rule {
    name: "logged_in_as_guest",
    needs: &["smb.authentication"],
    meaning: "A server that does not know a user may let him in as a guest and say success. A guest has no key: nothing is signed or encrypted, and rights, quotas and places of files are those of the guest.",
    judge,
    #[cfg(test)]
    examples: tests::examples,
};

/// Suffix of the login method if the server reports a guest (MS-SMB2 2.2.6), and the name of the anonymous login.
const GUEST: &str = ", as guest";
const WITHOUT_USER: &str = "anonymous";

/// A user was named, and the server made him a guest.
fn is_guest(authentication: &str) -> bool {
    authentication
        .strip_suffix(GUEST)
        .is_some_and(|way| way != WITHOUT_USER)
}

fn judge(case: &Case) -> Vec<Finding> {
    let known = case.environment.text("smb.authentication");
    let opened = case.run.and_then(|run| {
        run.notes.iter().find_map(|note| match &note.event {
            Event::EngineOpened { engine, .. } => engine.connection.get("authentication"),
            _ => None,
        })
    });
    let opened = opened.map(String::as_str).filter(|of| is_guest(of));
    let shown = match (known.filter(|of| is_guest(of)), opened) {
        (Some(_), _) => case.facts(RULE.needs),
        (None, Some(opened)) => vec![evidence(
            "smb.authentication",
            opened,
            Statement::new("source-session"),
        )],
        (None, None) => return Vec::new(),
    };
    let claim = Statement::new("logged-in-as-guest");
    let advice = Statement::new("logged-in-as-guest-advice");
    vec![finding(&RULE, Severity::Warning, claim, shown, advice)]
}

#[cfg(test)]
mod tests {
    use plumb_model::environment::Fact;

    use crate::rule::{Examples, Scene};
    use crate::synthetic::{Builder, Interval, ladder};

    pub fn examples() -> Examples {
        let doctor = |authentication: &str| {
            Scene::environment(&[("smb.authentication", Fact::Text(authentication.into()))])
        };
        let run = |authentication: &str| {
            let mut builder = Builder::new(ladder("read", &[1]));
            builder.execute(0, 0, &[Interval::default()]);
            let mut run = builder.finish();
            for note in &mut run.notes {
                if let super::Event::EngineOpened { engine, .. } = &mut note.event {
                    let found = ("authentication".to_string(), authentication.to_string());
                    engine.connection = [found].into();
                }
            }
            Scene::run(run)
        };
        Examples {
            fires: vec![doctor("NTLMv2, as guest"), run("NTLMv2, as guest")],
            silent: vec![
                doctor("NTLMv2"),
                doctor("anonymous"),
                doctor("anonymous, as guest"),
                run("Kerberos"),
            ],
        }
    }
}
