//! How does a host let `plumb layers` and `plumb launch` measure on it? It listens, admits clients with the token, and runs plans on allowed paths.

use anyhow::{Context, bail};
use plumb_load::secret::Secret;
use plumb_run::Stop;
use plumb_run::agent::serving::{listen, serve, serve_connected};
use plumb_run::agent::{Agent, Permit, token};
use plumb_run::environment::host_name;
use plumb_run::ranks::bridge::{bridge, to_own_streams};

use crate::commands::Outcome;
use crate::commands::measure::layers::arguments::AgentArguments;
use crate::outcome::stop;
use crate::streams::say;

/// `plumb agent`. Serves until a signal arrives.
pub fn agent(arguments: &AgentArguments) -> anyhow::Result<Outcome> {
    let stop = stop()?;
    if arguments.stdio {
        return serve_own_streams(arguments, &stop);
    }
    let (Some(token_file), false) = (&arguments.token_file, arguments.allowed.is_empty()) else {
        bail!(
            "an agent requires allowed paths and a token: plumb agent --allow /srv/data --token-file token; create a token with: (umask 077; head -c 24 /dev/urandom | base64 > token)"
        );
    };
    let permit = Permit::new(&arguments.allowed, &arguments.overwrite)?;
    let token = token(token_file)?;
    let host = host();
    let (listener, address) = listen(arguments.listen)?;
    say(&format!(
        "listening on {address}, for {}; encrypted with the token; records are kept in {}",
        permit.in_words(),
        arguments.output.display()
    ));
    say(&format!(
        "on the client: plumb layers --agent {host}:{0} --token-file TOKEN ..., or plumb launch --hosts {host}:{0},... --token-file TOKEN ...",
        address.port()
    ));
    let agent = Agent {
        token,
        permit,
        kept: arguments.output.clone(),
        host,
    };
    serve(&agent, &listener, stop.flag());
    Ok(Outcome::Done)
}

/// Serves the process that started it. Errors: those of its part.
fn serve_own_streams(arguments: &AgentArguments, stop: &Stop) -> anyhow::Result<Outcome> {
    let (far, near) = bridge().context("cannot connect this process to itself")?;
    let token = to_own_streams(far).context("standard input is not connected to plumb launch")?;
    let agent = Agent {
        token: Secret::new(token),
        permit: Permit::everything(),
        kept: arguments.output.clone(),
        host: host(),
    };
    serve_connected(&agent, near, stop.flag())?;
    Ok(Outcome::Done)
}

fn host() -> String {
    host_name().unwrap_or_else(|| "the agent's host".into())
}
