//! How are layers measured together? As sides of one live measurement, some of them by an agent, which watches its machine meanwhile.

mod on_clients;
mod plans;
mod request;
mod stack;

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, bail};
use plumb_analyse::compare::Settings;
use plumb_load::peer::{Listener, Rules};
use plumb_load::secret::Secrets;
use plumb_load::site::Admission;
use plumb_model::environment::Environment;
use plumb_model::results::comparison::side_letter;
use plumb_model::results::waterfall::LayerKind;
use plumb_model::run::SideOf;
use plumb_model::target::Target;
use plumb_model::units::Nanos;

use on_clients::Clients;
use plans::RequestedPlan;
pub use request::LayersRequest;
use stack::{Layer, OtherEnd, other_end, size_bytes, stack};

use crate::Stop;
use crate::agent::client::Client;
use crate::agent::token;
use crate::live_comparison::{Elsewhere, LiveRequest, LiveSide, Measured, Side, measure_sides_in};
use crate::measurement::claim_folder;
use crate::notices::say;
use crate::secrets;

/// Maximum duration, unless the requested rounds take longer.
const BUDGET: Nanos = Nanos(300_000_000_000);
/// Name of the folder with the server's counters, beside those of the layers.
pub const SERVER: &str = "server";

/// Sides that are not measured here: by the server's agent, or by its clients.
struct OnAgents<'c> {
    server: Option<&'c Client<'c>>,
    clients: Option<&'c Clients>,
    layers: &'c [Layer],
    tags: Vec<String>,
    /// The machine is watched.
    watching: Cell<bool>,
}

impl Elsewhere for OnAgents<'_> {
    fn begin<'e>(
        &'e self,
        number: usize,
        side: &LiveSide,
        header: SideOf,
        folder: &Path,
    ) -> Option<anyhow::Result<Box<dyn Side + 'e>>> {
        let layer = self.layers.get(number)?;
        if let Some(server) = self.server.filter(|_| layer.on_agent) {
            let begun = server.begin(side, header, &self.tags, folder);
            return Some(begun.map(|side| Box::new(side) as Box<dyn Side + 'e>));
        }
        let clients = self.clients.filter(|_| layer.is_of_clients())?;
        let begun = clients.begin(side, header, folder);
        Some(begun.map(|side| Box::new(side) as Box<dyn Side + 'e>))
    }
}

/// Measures all layers that were named or found. Errors: there are fewer than two, or one cannot be had.
pub fn measure(request: &LayersRequest, stop: &Stop) -> anyhow::Result<Measured> {
    refuse_clients_without_share(request)?;
    let agent = match (&request.agent, &request.token_file) {
        (Some(name), Some(file)) => Some(Client::connect(name, &token(file)?, stop.flag())?),
        _ => None,
    };
    let (layers, mut remarks) = stack(request, agent.as_ref())?;
    let end = other_end(request, &layers)?;
    if !request.clients.is_empty() && end == OtherEnd::None && request.network.is_none() {
        remarks.push("the network is left out: start plumb serve-net on the server, and add --network tcp://SERVER".into());
    }
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let peer = match &end {
            OtherEnd::None => None,
            OtherEnd::Named(target) => Some(target.clone()),
            OtherEnd::Agent => agent
                .as_ref()
                .map(Client::peer)
                .transpose()?
                .map(|address| address.parse())
                .transpose()?,
            OtherEnd::Here => {
                let listener = Listener::bind(([127, 0, 0, 1], 0).into())
                    .context("cannot open a port on the loopback interface")?;
                let address = format!("tcp://{}", listener.address()?);
                let over = &over;
                let serve = move || listener.serve(&Rules::default(), over, &|_| {});
                std::thread::Builder::new()
                    .spawn_scoped(scope, serve)
                    .context("cannot start a thread for the peer")?;
                Some(address.parse::<Target>()?)
            }
        };
        let measured = with_peer(request, (layers, remarks), peer, agent.as_ref(), stop);
        over.store(true, Ordering::Relaxed);
        measured
    })
}

fn with_peer(
    request: &LayersRequest,
    (mut layers, remarks): (Vec<Layer>, Vec<String>),
    peer: Option<Target>,
    agent: Option<&Client>,
    stop: &Stop,
) -> anyhow::Result<Measured> {
    let clients = match &request.token_file {
        Some(file) if !request.clients.is_empty() => {
            let token = token(file)?;
            Some(Clients::new(&request.clients, token, &request.tags, stop))
        }
        _ => None,
    };
    let size = size_bytes(&layers);
    insert_network(&mut layers, peer);
    refuse_too_few(request, &layers, &remarks)?;
    let asked = RequestedPlan::of(request, size)?;
    let sides = layers.iter().map(|layer| side_of(layer, &asked, request));
    let sides = sides.collect::<anyhow::Result<Vec<LiveSide>>>()?;
    refuse_unused_permission(request, &layers)?;
    if !request.quiet {
        announce(&layers, &sides, &remarks, &request.clients);
    }
    let mut live = LiveRequest {
        sides,
        rounds: request.rounds,
        budget: request.budget.unwrap_or(BUDGET),
        settings: Settings {
            any_work: true,
            threshold: request.threshold,
            ..Settings::default()
        },
        output: request.output.clone(),
        quiet: request.quiet,
        tags: request.tags.clone(),
        words: request.words,
        view: None,
    };
    let folder = claim_folder(request.output.as_deref(), "layers")?;
    let elsewhere = OnAgents {
        server: agent,
        clients: clients.as_ref(),
        layers: &layers,
        tags: request.tags.clone(),
        watching: Cell::new(false),
    };
    if let Some(agent) = agent {
        agent.watch()?;
        elsewhere.watching.set(true);
    }
    let suffix: PathBuf = folder.0.clone();
    let measured = measure_sides_in(&mut live, folder, stop.flag(), &elsewhere)?;
    if let Some(agent) = agent.filter(|_| elsewhere.watching.get()) {
        // The layers are measured: missing counters are reported, and no reason to lose the rest.
        if let Err(error) = agent.unwatch(&suffix.join(SERVER)) {
            say(&format!(
                "plumb: the counters of the agent's host are missing: {error:#}"
            ));
        }
    }
    Ok(measured)
}

/// The network comes before the share, which rests on it.
fn insert_network(layers: &mut Vec<Layer>, peer: Option<Target>) {
    let Some(target) = peer else {
        return;
    };
    let share = layers
        .iter()
        .position(|layer| layer.kind == LayerKind::Share);
    let network = Layer {
        kind: LayerKind::Network,
        target,
        on_agent: false,
        environment: Environment::default(),
    };
    layers.insert(share.unwrap_or(layers.len()), network);
}

/// What is measured on this layer.
fn side_of(
    layer: &Layer,
    asked: &RequestedPlan,
    request: &LayersRequest,
) -> anyhow::Result<LiveSide> {
    let (plan, overwrite) = asked.on(layer, &request.overwrite)?;
    // Clients have the passwords of their own environment.
    let secrets = match layer.is_of_clients() && !request.clients.is_empty() {
        true => Secrets::default(),
        false => secrets::of_plan(&plan, &request.login)?,
    };
    Ok(LiveSide {
        name: layer.kind.word().replace('-', " "),
        plan,
        admission: Admission {
            overwrite,
            login: secrets.into(),
        },
        copying: None,
    })
}

fn refuse_clients_without_share(request: &LayersRequest) -> anyhow::Result<()> {
    if !request.clients.is_empty() && request.share.is_empty() {
        bail!(
            "--clients measure a share together: specify it with --share smb://[user@]server/share"
        );
    }
    if !request.clients.is_empty() && request.token_file.is_none() {
        bail!("--clients are agents: give their token file with --token-file");
    }
    Ok(())
}

fn refuse_too_few(
    request: &LayersRequest,
    layers: &[Layer],
    remarks: &[String],
) -> anyhow::Result<()> {
    if layers.len() + request.measured_before >= 2 {
        return Ok(());
    }
    let found = layers
        .first()
        .map_or("no layer is specified".to_string(), |layer| {
            format!("{} is the only layer", layer.target)
        });
    let why = if remarks.is_empty() {
        String::new()
    } else {
        format!(" ({})", remarks.join("; "))
    };
    bail!(
        "{found}{why}: give at least two of --device, --files, --network, --share and --layer NAME=FOLDER"
    );
}

fn refuse_unused_permission(request: &LayersRequest, layers: &[Layer]) -> anyhow::Result<()> {
    let is_layer = |path: &PathBuf| {
        layers
            .iter()
            .any(|layer| layer.target == Target::Path(path.clone()))
    };
    match request.overwrite.iter().find(|path| !is_layer(path)) {
        Some(path) => bail!(
            "--overwrite={} matches no layer: spell it as in --device or --files",
            path.display()
        ),
        None => Ok(()),
    }
}

/// Which side is which layer, and what it does not do.
fn announce(layers: &[Layer], sides: &[LiveSide], remarks: &[String], clients: &[String]) {
    let steps = sides
        .iter()
        .map(|side| side.plan.steps.len())
        .max()
        .unwrap_or(0);
    for (number, (layer, side)) in layers.iter().zip(sides).enumerate() {
        let part = if side.plan.steps.len() < steps && layer.kind != LayerKind::Network {
            ", read only"
        } else {
            ""
        };
        let suffix = match layer.on_agent {
            true => ", from the agent".to_string(),
            false if layer.is_of_clients() && !clients.is_empty() => {
                format!(
                    ", from {} clients at once: {}",
                    clients.len(),
                    clients.join(", ")
                )
            }
            false => String::new(),
        };
        say(&format!(
            "       {}: {} on {}{part}{suffix}",
            side_letter(number),
            layer.kind.word().replace('-', " "),
            layer.target
        ));
    }
    remarks
        .iter()
        .for_each(|remark| say(&format!("       {remark}")));
}
