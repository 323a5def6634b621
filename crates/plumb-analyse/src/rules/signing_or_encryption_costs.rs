//! Are messages of the share signed or encrypted, and what does that cost?

use plumb_model::finding::{Evidence, Finding, Severity};
use plumb_model::remote::Scheme;
use plumb_model::run::Event;
use plumb_model::units::show_bandwidth;

use crate::command_line::again;
use crate::rule::{Case, Rule, evidence, finding};

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
    meaning: "Signing and encryption take CPU time for every byte, on both ends, in the thread that serves the connection: often they, and not network or disk, are the limit of one connection.",
    judge,
    #[cfg(test)]
    examples: tests::examples,
};

fn judge(case: &Case) -> Vec<Finding> {
    let mut shown: Vec<Evidence> = Vec::new();
    for id in [
        "share.signed",
        "share.encrypted",
        "smb.signing_demanded",
        "smb.encryption_demanded",
    ] {
        if case.environment.flag(id) == Some(true) {
            shown.extend(case.fact(id));
        }
    }
    // krb5i signs, krb5p encrypts (nfs(5)).
    if case
        .environment
        .text("share.security")
        .is_some_and(|security| ["krb5i", "krb5p"].contains(&security))
    {
        shown.extend(case.fact("share.security"));
    }
    shown.extend(agreed(case));
    if shown.is_empty() {
        return Vec::new();
    }
    // Encrypted messages carry no signature beside (MS-SMB2 section 3.1.4.3).
    let encrypts = shown
        .iter()
        .any(|one| one.what.contains("encrypt") || one.value == "krb5p");
    let algorithm = if encrypts {
        ["smb.encryption", "smb.encryption_ns_per_mib"]
    } else {
        ["smb.signing", "smb.signing_ns_per_mib"]
    };
    shown.extend(case.facts(&algorithm));
    shown.extend(case.facts(&["share.dialect"]));
    let most = case
        .environment
        .number(algorithm[1])
        .filter(|ns| *ns > 0.0)
        .map(|ns| {
            let rate = show_bandwidth((1u64 << 20) as f64 / (ns / 1e9));
            format!(" One core of this machine did {rate} of it in a short trial.")
        });
    let what = if encrypts { "encrypted" } else { "signed" };
    let claim = format!(
        "Messages of the share are {what}: each byte costs CPU time on both ends beside what the share itself costs.{}",
        most.unwrap_or_default()
    );
    let advice = "That is right where the network is not trusted. To see what it costs, measure the same share without it, where the server does not demand it (NFS: an export with sec=krb5 or sys).";
    let demanded = ["smb.signing_demanded", "smb.encryption_demanded"]
        .iter()
        .any(|id| case.environment.flag(id) == Some(true));
    let is_smb = case.jobs().any(|(_, job)| {
        job.target
            .remote()
            .is_some_and(|remote| remote.scheme == Scheme::Smb)
    });
    let mut told = finding(&RULE, Severity::Info, claim, shown, advice);
    let without = [
        ("signing", "false".to_string()),
        ("encryption", "false".to_string()),
    ];
    told.experiment = case
        .run
        .filter(|_| is_smb && !demanded)
        .and_then(|run| again(run, &without));
    vec![told]
}

/// What the session that plumb opened does: the algorithms by their names, or that there are none.
fn agreed(case: &Case) -> Vec<Evidence> {
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
        let shown: Vec<Evidence> = ["encryption", "signing"]
            .iter()
            .filter_map(|key| {
                Some(evidence(
                    *key,
                    of(key)?.clone(),
                    format!("engine {} as opened", engine.name),
                ))
            })
            .collect();
        if !shown.is_empty() {
            return shown;
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
        let ground = |signed: bool, encrypted: bool| {
            Scene::ground(&[
                ("share.signed", Flag(signed)),
                ("share.encrypted", Flag(encrypted)),
            ])
        };
        let demanded = |demanded: bool| {
            Scene::ground(&[
                ("smb.encryption_demanded", Flag(demanded)),
                ("smb.encryption", Text("AES-128-GCM".into())),
                ("smb.encryption_ns_per_mib", Number(500_000.0)),
            ])
        };
        let security = |security: &str| Scene::ground(&[("share.security", Text(security.into()))]);
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
                ground(true, false),
                ground(false, true),
                security("krb5p"),
                run("AES-128-GMAC"),
                demanded(true),
            ],
            silent: vec![
                ground(false, false),
                security("sys"),
                run("none"),
                demanded(false),
            ],
        }
    }
}
