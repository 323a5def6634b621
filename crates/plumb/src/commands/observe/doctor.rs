//! Is the environment fit for measuring? Facts of host and target, and findings about anything that distorts results.

mod fabric;

pub use fabric::FabricExamination;
use plumb_analyse::judge_environment;
use plumb_model::environment::{Environment, Fact};
use plumb_model::results::finding::Finding;
use plumb_model::target::Target;
use plumb_model::target::remote::{Remote, Scheme};
use plumb_show::terminal::{environment_text, findings_text};
use schemars::JsonSchema;
use serde::Serialize;

use crate::arguments::OutputArguments;
use crate::cli::DoctorArguments;
use crate::commands::measure::run::arguments::RunArguments;
use crate::commands::measure::run::run;
use crate::commands::{Outcome, outcome_of};
use crate::outcome::stop;
use crate::settings::{Settings, connection_choice};
use crate::streams::{page, print, print_json};
use plumb_run::ranks::OnLostRank;
use plumb_run::{environment, secrets};

/// Name and version of the schema of `plumb doctor --json`.
const SCHEMA: &str = "plumb-doctor-2";

/// The result of `plumb doctor`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Examination {
    /// `plumb-doctor-2`.
    pub schema: &'static str,
    /// As given by the user.
    pub target: String,
    pub environment: Environment,
    pub findings: Vec<Finding>,
}

/// The target for the RDMA adapters of this host; write `./rdma` for a file of that name.
const FABRIC: &str = "rdma";

/// The run that tests the engines.
fn self_test_run(arguments: &DoctorArguments) -> RunArguments {
    RunArguments {
        plan: Some("self-test".into()),
        positional_target: Some(arguments.target.clone()),
        settings: Settings::default(),
        set: Vec::new(),
        dry_run: false,
        overwrite: None,
        on_lost_rank: OnLostRank::default(),
        login: arguments.login.clone(),
        out: OutputArguments {
            json: arguments.json,
            ..OutputArguments::default()
        },
    }
}

/// `plumb doctor`.
pub fn doctor(arguments: &DoctorArguments) -> anyhow::Result<Outcome> {
    if arguments.self_test {
        let target: Target = arguments.target.parse()?;
        if target.remote().is_some() || arguments.target == FABRIC {
            anyhow::bail!(
                "--self-test tests the engines for files and devices: name a folder of this host, such as plumb doctor . --self-test"
            );
        }
        refuse_missing(&target)?;
        return run(&self_test_run(arguments));
    }
    if arguments.target == FABRIC {
        return fabric::examine(arguments.json);
    }
    let target: Target = arguments.target.parse()?;
    refuse_missing(&target)?;
    let secrets = secrets::gather(target.remote(), &arguments.login.login())?;
    let is_share = target
        .remote()
        .is_some_and(|remote| remote.scheme.is_share());
    // For other targets the signal ends the process at once.
    let stop = is_share.then(stop).transpose()?.unwrap_or_default();
    let choice = connection_choice(&target, &arguments.set)?;
    let mut environment = environment::examine(&target, &secrets, &choice, &stop.request())?;
    if stop.is_requested() {
        anyhow::bail!(
            "interrupted before the examination of {target} was complete; nothing was changed on it"
        );
    }
    fabric::tell_mtu_on_the_way(&mut environment);
    if let Some(remote) = target.remote() {
        environment::refuse_unreachable(remote, &environment)?;
        if remote.scheme == Scheme::Rdma {
            ping(remote, &mut environment)?;
        }
    }
    let findings = judge_environment(&environment, None);
    let outcome = outcome_of(&findings);
    if arguments.json {
        print_json(&Examination {
            schema: SCHEMA,
            target: arguments.target.clone(),
            environment,
            findings,
        })?;
        return Ok(outcome);
    }
    let page = page();
    let judgement = match findings_text(&findings, page) {
        empty if empty.trim().is_empty() => {
            format!("{}\n", page.words.label("label-nothing-would-spoil"))
        }
        text => text,
    };
    print(&format!(
        "{}\n{judgement}",
        environment_text(&environment, page)
    ))?;
    Ok(outcome)
}

/// Pings an RDMA peer, and records its response.
fn ping(remote: &Remote, environment: &mut Environment) -> anyhow::Result<()> {
    let pong = plumb_load::fabric::ping(remote, "auto").map_err(anyhow::Error::msg)?;
    let us = |ns: u64| Fact::Number(ns as f64 / 1e3);
    environment.set("rdma.peer_software", Fact::Text(pong.peer_software));
    environment.set("rdma.peer_set_up_us", us(pong.set_up_ns));
    environment.set("rdma.peer_read_us", us(pong.read_ns));
    if let Some((_, provider)) = pong
        .connection
        .into_iter()
        .find(|(name, _)| *name == "provider")
    {
        environment.set("rdma.peer_provider", Fact::Text(provider));
    }
    Ok(())
}

/// A target that does not exist has no environment to check.
pub fn refuse_missing(target: &Target) -> anyhow::Result<()> {
    match target {
        Target::Path(path) => match std::fs::metadata(path) {
            Ok(_) => Ok(()),
            Err(error) => anyhow::bail!(
                "{}: {error}; name a directory, a file or a block device",
                path.display()
            ),
        },
        Target::Null | Target::Remote(_) => Ok(()),
    }
}
