//! How is a plan run on several hosts without MPI? The ranks are agents that run on the hosts, or that ssh starts.

pub mod arguments;

use anyhow::bail;
use plumb_load::site::Admission;
use plumb_run::agent::token;
use plumb_run::ranks::launch::{LaunchRequest, Way, name_of_measurement};

use crate::commands::Outcome;
use crate::commands::measure::launch::arguments::LaunchArguments;
use crate::commands::measure::run::resolved;
use crate::outcome::{Detail, launch_and_show};

/// `plumb launch`.
pub fn launch_on_hosts(arguments: &LaunchArguments) -> anyhow::Result<Outcome> {
    let run = &arguments.run;
    if run.dry_run {
        bail!("launch has no --dry-run: use plumb run --dry-run on a host");
    }
    let plan = resolved(run)?;
    let way = match (&arguments.ssh, &arguments.token_file) {
        (Some(command), _) => Way::Shell(command.split_whitespace().map(Into::into).collect()),
        (None, Some(file)) => Way::Agents(token(file)?),
        (None, None) => {
            bail!("give the token of the agents with --token-file, or start them with --ssh")
        }
    };
    let request = run.out.request(plan, Admission::default(), Vec::new());
    let launched = LaunchRequest {
        request,
        hosts: arguments.hosts.clone(),
        way,
        program: arguments.program.clone(),
        ranks_per_host: arguments.ranks_per_host,
        measurement: name_of_measurement(),
        side: None,
        overwrite: run.overwrite.is_some(),
        on_lost_rank: run.on_lost_rank,
    };
    launch_and_show(launched, &run.out, Detail::Table)
}
