//! How does a machine let `plumb layers` measure on it? It listens, admits who has the token, and carries out plans on the paths that were allowed.

use plumb_model::target::Target;
use plumb_observe::environment::{Options, look};
use plumb_run::agent::serving::{listen, serve};
use plumb_run::agent::{Agent, Permit, token};

use crate::commands::Outcome;
use crate::commands::measure::layers::arguments::AgentArguments;
use crate::outcome::stop;
use crate::streams::say;

/// `plumb agent`. Serves until a signal comes.
pub fn agent(arguments: &AgentArguments) -> anyhow::Result<Outcome> {
    let stop = stop()?;
    let permit = Permit::new(&arguments.allowed, &arguments.overwrite)?;
    let token = token(&arguments.token_file)?;
    let environment = look(
        &Target::Null,
        &Options {
            watch: std::time::Duration::ZERO,
            trial: false,
            ..Options::default()
        },
    );
    let host = environment
        .text("host.name")
        .unwrap_or("the agent's machine")
        .to_string();
    let (listener, address) = listen(arguments.listen)?;
    say(&format!(
        "listening on {address}, for {}; encrypted with the token; records are kept in {}",
        permit.in_words(),
        arguments.output.display()
    ));
    say(&format!(
        "on the client: plumb layers --agent {host}:{} --token-file TOKEN ...",
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
