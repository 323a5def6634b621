//! What is the environment of a target? What is visible from here, and what only the server of a share knows.

use std::time::Duration;

use anyhow::bail;
use plumb_load::engine::stop_request::StopRequest;
use plumb_load::secret::Secrets;
use plumb_load::share::ShareRoom;
use plumb_load::shares::{self, nfs, s3, smb};
use plumb_model::environment::{Environment, Fact};
use plumb_model::target::Target;
use plumb_model::target::remote::{Remote, Scheme};
use plumb_model::workload::EngineChoice;
use plumb_observe::environment::{Options, look};

/// Facts of a target; a share is queried too, for its properties and free space. Once `stop` is requested, a server that does not respond is not waited for.
///
/// Errors: a share that cannot be reached or opened, in one sentence with the server's status.
pub fn examine(
    target: &Target,
    secrets: &Secrets,
    choice: &EngineChoice,
    stop: &StopRequest,
) -> anyhow::Result<Environment> {
    let mut environment = look(target, &Options::default());
    if let Some(remote) = target.remote().filter(|remote| remote.scheme.is_share()) {
        refuse_unreachable(remote, &environment)?;
        let facts = match remote.scheme {
            Scheme::Smb => smb::survey(remote, secrets.of(remote), choice, stop)?,
            Scheme::Nfs => nfs::survey(remote, choice, stop)?,
            Scheme::S3 => s3::survey(remote, choice, stop)?,
            _ => Vec::new(),
        };
        facts
            .into_iter()
            .for_each(|(id, fact)| environment.set(id, fact));
        look_on_share(remote, secrets, choice, stop, &mut environment)?;
    }
    Ok(environment)
}

/// The few facts that predict time and space of a run, without measuring anything; what a share does not report stays missing.
pub fn glance(
    target: &Target,
    secrets: &Secrets,
    choice: &EngineChoice,
    stop: &StopRequest,
) -> anyhow::Result<Environment> {
    let mut environment = look(
        target,
        &Options {
            watch: Duration::ZERO,
            trial: false,
            ..Options::default()
        },
    );
    if let Some(remote) = target.remote().filter(|remote| remote.scheme.is_share()) {
        look_on_share(remote, secrets, choice, stop, &mut environment)?;
    }
    Ok(environment)
}

/// What the address names on its share, and the room there.
fn look_on_share(
    remote: &Remote,
    secrets: &Secrets,
    choice: &EngineChoice,
    stop: &StopRequest,
    environment: &mut Environment,
) -> anyhow::Result<()> {
    let share = shares::connect_unless(stop, remote, secrets.of(remote), choice)?;
    let found = share.lock().look_up(remote.below_share())?;
    let has_prefixes = share.lock().has_prefixes();
    let named = match &found {
        Some(entry) if entry.is_folder => "directory",
        Some(_) => "file",
        None if has_prefixes => "directory",
        None => "missing",
    };
    environment.set("share.named", Fact::Text(named.into()));
    if let Some(file) = found.filter(|entry| !entry.is_folder) {
        environment.set("target.size_bytes", Fact::Number(file.size_bytes as f64));
    }
    let room = share.lock().room();
    let bytes = |of: fn(ShareRoom) -> u64| match &room {
        Ok(Some(room)) => Fact::Number(of(*room) as f64),
        Ok(None) => Fact::Unknown("not reported by the server".into()),
        Err(error) => Fact::Unknown(error.to_string()),
    };
    environment.set("share.free_bytes", bytes(|room| room.free_bytes));
    environment.set("share.total_bytes", bytes(|room| room.total_bytes));
    Ok(())
}

/// An unreachable server has no environment visible from here.
pub fn refuse_unreachable(remote: &Remote, environment: &Environment) -> anyhow::Result<()> {
    let Some(Fact::Unknown(reason)) = environment.facts.get("network.address") else {
        return Ok(());
    };
    // An NFS 3 server may serve another port than the usual one, which its portmapper knows: clients look it up there.
    let may_be_elsewhere = remote.scheme == Scheme::Nfs && remote.port.is_none();
    if may_be_elsewhere && environment.text("network.addresses").is_some() {
        return Ok(());
    }
    let link = match (
        environment.text("network.interface"),
        environment.text("network.link"),
    ) {
        (Some(interface), Some(link)) if link != "up" => {
            format!(" ({interface}, the interface to it, is {link})")
        }
        _ => String::new(),
    };
    let remedy = remote
        .scheme
        .properties()
        .map_or("check the name", |of| of.unreachable_remedy);
    bail!("{remote}: {reason}{link}: {remedy}")
}

/// What is there by the target's name, on a share as in a local file system: `directory`, `file`, `missing`, or another kind of target.
pub fn kind(environment: &Environment) -> Option<&str> {
    match environment.text("target.kind") {
        Some("share") => environment.text("share.named"),
        kind => kind,
    }
}

/// Space that is free there, in bytes.
pub fn free_bytes(environment: &Environment) -> Option<u64> {
    environment
        .number("mount.free_bytes")
        .or_else(|| environment.number("share.free_bytes"))
        .map(|free| free as u64)
}

/// The name of this machine, looked up without a target; `None` if the system does not report it.
pub fn host_name() -> Option<String> {
    let options = Options {
        watch: Duration::ZERO,
        trial: false,
        ..Options::default()
    };
    let environment = look(&Target::Null, &options);
    environment.text("host.name").map(str::to_string)
}
