//! Are messages of the share signed or encrypted, and what does that cost?

use plumb_model::results::finding::{Evidence, Finding, Severity};
use plumb_model::run::Event;
use plumb_model::statement::{Statement, Unit};
use plumb_model::target::remote::Scheme;

use crate::command_line::again;
use crate::rule::{Case, Rule, evidence, finding, sentences};

/// The rule.
pub const RULE: Rule = Rule {
    name: "signing_or_encryption_costs",
    needs: &[
        "share.signed",
        "share.encrypted",
        "share.dialect",
        "share.security",
        "share.protocol",
        "smb.signing_demanded",
        "smb.encryption_demanded",
        "smb.signing",
        "smb.encryption",
        "smb.signing_ns_per_mib",
        "smb.encryption_ns_per_mib",
    ],
    meaning: "Signing and encryption take CPU time for every byte, on both ends, in the thread that serves the connection: often they, not network or disk, are the bottleneck of one connection.",
    judge,
    #[cfg(test)]
    examples: tests::examples,
};

fn judge(case: &Case) -> Vec<Finding> {
    let found: Vec<(Protection, Evidence)> =
        by_facts(case).into_iter().chain(agreed(case)).collect();
    if found.is_empty() {
        return Vec::new();
    }
    // Encrypted messages carry no separate signature (MS-SMB2 section 3.1.4.3).
    let encrypts = found
        .iter()
        .any(|(protection, _)| *protection == Protection::Encrypted);
    let mut shown: Vec<Evidence> = found.into_iter().map(|(_, evidence)| evidence).collect();
    let algorithm = if encrypts {
        ["smb.encryption", "smb.encryption_ns_per_mib"]
    } else {
        ["smb.signing", "smb.signing_ns_per_mib"]
    };
    shown.extend(case.facts(&algorithm));
    shown.extend(case.facts(&["share.dialect"]));
    let cost_ns = case.environment.number(algorithm[1]);
    let trial = cost_ns.filter(|ns| *ns > 0.0).map(|ns| {
        let rate = (1u64 << 20) as f64 / (ns / 1e9);
        Statement::new("signing-or-encryption-costs-in-trial").quantity(
            "rate",
            rate,
            Unit::BytesPerSecond,
        )
    });
    let claim = Statement::new(if encrypts {
        "signing-or-encryption-costs-encrypted"
    } else {
        "signing-or-encryption-costs-signed"
    });
    let claim = sentences([claim].into_iter().chain(trial));
    let advice = Statement::new("signing-or-encryption-costs-advice");
    let demanded = ["smb.signing_demanded", "smb.encryption_demanded"]
        .iter()
        .any(|id| case.environment.flag(id) == Some(true));
    let is_smb = case.jobs().any(|(_, job)| {
        job.target
            .remote()
            .is_some_and(|remote| remote.scheme == Scheme::Smb)
    });
    let mut reported = finding(&RULE, Severity::Info, claim, shown, advice);
    let without = [
        ("signing", "false".to_string()),
        ("encryption", "false".to_string()),
    ];
    reported.experiment = case
        .run
        .filter(|_| is_smb && !demanded)
        .and_then(|run| again(run, &without));
    vec![reported]
}

/// What is done to messages.
#[derive(PartialEq, Eq)]
enum Protection {
    Signed,
    Encrypted,
}

/// Facts of a mount, and the requirement of the server.
fn by_facts(case: &Case) -> Vec<(Protection, Evidence)> {
    use Protection::{Encrypted, Signed};
    let facts = [
        ("share.signed", Signed),
        ("share.encrypted", Encrypted),
        ("smb.signing_demanded", Signed),
        ("smb.encryption_demanded", Encrypted),
    ];
    let set = facts
        .into_iter()
        .filter(|(id, _)| case.environment.flag(id) == Some(true));
    let mut found: Vec<(Protection, Evidence)> = set
        .filter_map(|(id, protection)| Some((protection, case.fact(id)?)))
        .collect();
    // krb5i signs, krb5p encrypts (nfs(5)).
    let security = match case.environment.text("share.security") {
        Some("krb5i") => Some(Signed),
        Some("krb5p") => Some(Encrypted),
        _ => None,
    };
    found.extend(security.zip(case.fact("share.security")));
    found
}

/// What the session that plumb opened does: the algorithms by their names, or that there are none.
fn agreed(case: &Case) -> Vec<(Protection, Evidence)> {
    let engines = case
        .run
        .into_iter()
        .flat_map(|run| &run.notes)
        .filter_map(|note| match &note.event {
            Event::EngineOpened { engine, .. } => Some(engine),
            _ => None,
        });
    let none = |value: &str| ["", "none", "off", "no", "false"].contains(&value);
    for engine in engines {
        let of = |key: &str| engine.connection.get(key).filter(|value| !none(value));
        let opened = || Statement::new("source-engine-opened").name("engine", &engine.name);
        let encryption = of("encryption").map(|algorithm| {
            let what = Statement::new("signing-or-encryption-costs-encryption");
            (
                Protection::Encrypted,
                evidence(what, algorithm.as_str(), opened()),
            )
        });
        let signing = of("signing").map(|algorithm| {
            let what = Statement::new("signing-or-encryption-costs-signing");
            (
                Protection::Signed,
                evidence(what, algorithm.as_str(), opened()),
            )
        });
        if encryption.is_some() || signing.is_some() {
            return encryption.into_iter().chain(signing).collect();
        }
    }
    Vec::new()
}

#[cfg(test)]
mod tests {
    use crate::rule::{Examples, Scene};
    use crate::synthetic::{Builder, Interval, ladder};
    use plumb_model::environment::Fact::{Flag, Number, Text};
    use plumb_model::run::Event;

    pub fn examples() -> Examples {
        let environment = |signed: bool, encrypted: bool| {
            Scene::environment(&[
                ("share.signed", Flag(signed)),
                ("share.encrypted", Flag(encrypted)),
            ])
        };
        let demanded = |demanded: bool| {
            Scene::environment(&[
                ("smb.encryption_demanded", Flag(demanded)),
                ("smb.encryption", Text("AES-128-GCM".into())),
                ("smb.encryption_ns_per_mib", Number(500_000.0)),
            ])
        };
        let security =
            |security: &str| Scene::environment(&[("share.security", Text(security.into()))]);
        let run = |signing: &str| {
            let mut builder = Builder::new(ladder("read", &[1]));
            builder.execute(0, 0, &[Interval::default()]);
            for note in &mut builder.run.notes {
                if let Event::EngineOpened { engine, .. } = &mut note.event {
                    engine.connection.insert("signing".into(), signing.into());
                }
            }
            Scene::run(builder.finish())
        };
        Examples {
            fires: vec![
                environment(true, false),
                environment(false, true),
                security("krb5p"),
                run("AES-128-GMAC"),
                demanded(true),
            ],
            silent: vec![
                environment(false, false),
                security("sys"),
                run("none"),
                demanded(false),
            ],
        }
    }
}
