//! Does the share use TCP although RDMA is available?

use plumb_model::environment::Environment;
use plumb_model::results::finding::{Finding, Severity};
use plumb_model::statement::{Argument, Statement};
use plumb_model::target::Target;

use crate::rule::{Case, Rule, finding};

/// The rule.
pub const RULE: Rule = Rule {
    name: "rdma_available_but_not_used",
    needs: &[
        "rdma.capable",
        "rdma.device",
        "rdma.state",
        "rdma.rate_bits_per_s",
        "rdma.driver",
        "rdma.software",
        "share.protocol",
        "share.transport",
        "share.server_rdma",
        "smb.interfaces_rdma",
        "target.given",
        "network.same_machine",
    ],
    meaning: "The adapter on the way to the server can do RDMA, and the share goes over TCP: every byte is copied and every packet handled by a CPU. Whether the server can do it too is known only where it offers it.",
    judge,
    #[cfg(test)]
    examples: tests::examples,
};

fn judge(case: &Case) -> Vec<Finding> {
    let environment = case.environment;
    let ready = environment.flag("rdma.capable") == Some(true)
        && environment.text("rdma.state") == Some("ACTIVE")
        // RDMA in software saves nothing: it runs on the CPU that it would spare.
        && environment.flag("rdma.software") != Some(true)
        && environment.flag("network.same_machine") != Some(true);
    let mounted = environment.text("share.transport") == Some("tcp");
    let negotiated = environment
        .text("target.given")
        .and_then(|target| target.parse::<Target>().ok())
        .is_some_and(|target| {
            target
                .remote()
                .is_some_and(|remote| remote.scheme.is_share())
        });
    if !ready || !(mounted || negotiated) || offers(environment) == Some(false) {
        return Vec::new();
    }
    let device = environment.text("rdma.device").map_or_else(
        || Statement::new("rdma-available-but-not-used-adapter").into(),
        Argument::from,
    );
    let offered = offers(environment) == Some(true);
    let claim = match (mounted, offered) {
        (true, true) => Statement::new("rdma-available-but-not-used-offered"),
        (true, false) => Statement::new("rdma-available-but-not-used"),
        (false, _) => Statement::new("rdma-available-but-not-used-by-plumb"),
    }
    .with("device", device);
    let advice = match environment.text("share.protocol") {
        Some("cifs") => Statement::new("rdma-available-but-not-used-smb-advice"),
        Some("nfs") => Statement::new("rdma-available-but-not-used-nfs-advice"),
        _ => Statement::new("rdma-available-but-not-used-advice"),
    };
    let severity = if mounted && offered {
        Severity::Warning
    } else {
        Severity::Info
    };
    vec![finding(
        &RULE,
        severity,
        claim,
        case.facts(RULE.needs),
        advice,
    )]
}

/// The server announces RDMA, to the kernel or to plumb's own session.
fn offers(environment: &Environment) -> Option<bool> {
    environment.flag("share.server_rdma").or(environment
        .number("smb.interfaces_rdma")
        .map(|count| count > 0.0))
}

#[cfg(test)]
mod tests {
    use crate::rule::{Examples, Scene};
    use plumb_model::environment::Fact::{Flag, Text};

    pub fn examples() -> Examples {
        let scene = |capable: bool, software: bool, transport: &str, extra: &[(&str, bool)]| {
            let mut scene = Scene::environment(&[
                ("rdma.capable", Flag(capable)),
                ("rdma.state", Text("ACTIVE".into())),
                ("rdma.device", Text("mlx5_0".into())),
                ("rdma.software", Flag(software)),
                ("share.protocol", Text("nfs".into())),
                ("share.transport", Text(transport.into())),
            ]);
            extra
                .iter()
                .for_each(|(id, flag)| scene.environment.set(*id, Flag(*flag)));
            scene
        };
        let mut negotiated = scene(true, false, "", &[]);
        negotiated
            .environment
            .facts
            .retain(|id, _| !id.starts_with("share."));
        negotiated
            .environment
            .set("target.given", Text("smb://server/share".into()));
        Examples {
            fires: vec![
                scene(true, false, "tcp", &[]),
                scene(true, false, "tcp", &[("share.server_rdma", true)]),
                negotiated,
            ],
            silent: vec![
                scene(true, false, "rdma", &[]),
                scene(false, false, "tcp", &[]),
                scene(true, true, "tcp", &[]),
                scene(true, false, "tcp", &[("share.server_rdma", false)]),
                scene(true, false, "tcp", &[("network.same_machine", true)]),
            ],
        }
    }
}
