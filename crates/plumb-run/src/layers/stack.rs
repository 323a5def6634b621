//! Which layers are there? Those that were named, and those that can be found: the device under the files, the page cache, the loopback.

use std::fs::File;
use std::path::{Path, PathBuf};

use anyhow::{anyhow, bail};
use plumb_model::environment::Environment;
use plumb_model::results::waterfall::LayerKind;
use plumb_model::target::Target;
use plumb_model::target::remote::Remote;
use plumb_observe::environment::{Options, look};

use super::request::LayersRequest;
use crate::agent::client::Client;
use crate::measurement::announce::{DEFAULT_SIZE_BYTES, default_size_bytes};

/// Word for the loopback, for the agent's own end, and for no network at all.
const LOOPBACK: &str = "loopback";
const AGENT: &str = "agent";
const NONE: &str = "none";

/// One layer that is to be measured.
#[derive(Debug, Clone)]
pub struct Layer {
    pub kind: LayerKind,
    pub target: Target,
    /// An agent measures it.
    pub on_agent: bool,
    /// What was seen of the target; empty for a network and a share.
    pub environment: Environment,
}

impl Layer {
    /// It lies between server and client: clients measure it, where they are named.
    pub fn is_of_clients(&self) -> bool {
        matches!(self.kind, LayerKind::Network | LayerKind::Share)
    }
}

/// Where messages are answered.
#[derive(Debug, Clone, PartialEq)]
pub enum OtherEnd {
    /// Nowhere: no network is measured.
    None,
    /// By this program itself.
    Here,
    /// By the agent.
    Agent,
    Named(Target),
}

/// All layers but the network, from the storage up, and remarks for the user.
pub fn stack(
    request: &LayersRequest,
    agent: Option<&Client>,
) -> anyhow::Result<(Vec<Layer>, Vec<String>)> {
    let (mut layers, mut remarks) = (Vec::new(), Vec::new());
    let local = |kind: LayerKind, named: &str| -> anyhow::Result<Layer> {
        let target: Target = named.parse()?;
        let Target::Path(path) = &target else {
            bail!(
                "{target}: --{} takes a path",
                if kind == LayerKind::Device {
                    "device"
                } else {
                    "files"
                }
            )
        };
        let environment = match agent {
            Some(agent) => agent.look(named)?,
            None => look(&target, &Options::default()),
        };
        expect_kind(kind, path, &environment)?;
        Ok(Layer {
            kind,
            target,
            on_agent: agent.is_some(),
            environment,
        })
    };
    let files: Vec<Layer> = request
        .files
        .iter()
        .map(|named| local(LayerKind::FileSystem, named))
        .collect::<anyhow::Result<_>>()?;
    match request.device.as_deref() {
        Some(NONE) => {}
        Some(named) => layers.push(local(LayerKind::Device, named)?),
        None => {
            if let Some(file) = files.first() {
                match device_under(file) {
                    Ok(path) => match local(LayerKind::Device, &path.display().to_string()) {
                        Ok(device) => layers.push(device),
                        Err(error) => remarks.push(format!(
                            "the device under {} is left out: {error:#}",
                            file.target
                        )),
                    },
                    Err(why) => remarks.push(format!(
                        "no device under {} is measured: {why}",
                        file.target
                    )),
                }
            }
        }
    }
    let cached = request.cached || !request.share.is_empty();
    let page_cache: Vec<Layer> = files
        .iter()
        .filter(|_| cached)
        .filter(|file| has_page_cache_layer(file))
        .map(|file| Layer {
            kind: LayerKind::PageCache,
            ..file.clone()
        })
        .collect();
    layers.extend(files);
    layers.extend(page_cache);
    for named in &request.share {
        let remote = named
            .parse::<Remote>()
            .ok()
            .filter(|remote| remote.scheme.is_share());
        let remote = remote.ok_or_else(|| match named.parse::<Target>() {
            Err(error) => anyhow!("{error}"),
            Ok(_) => anyhow!("{named} is not a share: use smb://[user@]server/share[/path]"),
        })?;
        layers.push(Layer {
            kind: LayerKind::Share,
            target: Target::Remote(remote),
            on_agent: false,
            environment: Environment::default(),
        });
    }
    Ok((layers, remarks))
}

/// Where O_DIRECT does not work, the files go through the page cache anyhow; where they lie in memory, they are the page cache.
fn has_page_cache_layer(files: &Layer) -> bool {
    files.environment.flag("target.direct") != Some(false) && memory_of(files).is_none()
}

/// Type of the file system, where it keeps its files in memory.
fn memory_of(files: &Layer) -> Option<&str> {
    let lies = files.environment.flag("mount.memory") == Some(true);
    lies.then(|| files.environment.text("mount.file_system").unwrap_or("?"))
}

/// A device is one, and files lie in a directory.
fn expect_kind(kind: LayerKind, path: &Path, environment: &Environment) -> anyhow::Result<()> {
    let found = environment.text("target.kind").unwrap_or("missing");
    match (kind, found) {
        (LayerKind::Device, "block-device" | "character-device")
        | (LayerKind::FileSystem, "directory" | "file") => Ok(()),
        (LayerKind::Device, "missing") => bail!(
            "{}: no such device; give a block device with --device (lsblk lists them)",
            path.display()
        ),
        (_, "missing") => bail!(
            "{}: no such directory; create it, or give one on the storage to measure with --files",
            path.display()
        ),
        (LayerKind::Device, other) => bail!(
            "{} is not a device but a {other}: use --files",
            path.display()
        ),
        (_, other) => bail!(
            "{} is not a directory but a {other}: use --device",
            path.display()
        ),
    }
}

/// The device that carries files, when it can be read.
fn device_under(files: &Layer) -> Result<PathBuf, String> {
    if let Some(kind) = memory_of(files) {
        return Err(format!("the files are in memory ({kind})"));
    }
    let Some(name) = files.environment.text("device.name") else {
        return Err("the kernel reports no block device for the file system".into());
    };
    let path = Path::new("/dev").join(name);
    // On the agent's host the agent is queried.
    match File::open(&path) {
        Err(error) if !files.on_agent => Err(format!("{} cannot be read: {error}", path.display())),
        _ => Ok(path),
    }
}

/// Where messages are answered: as named, else beside the share.
pub fn other_end(request: &LayersRequest, layers: &[Layer]) -> anyhow::Result<OtherEnd> {
    let share_here = layers
        .iter()
        .filter_map(|layer| layer.target.remote())
        .any(|remote| is_loopback(&remote.host));
    match request.network.as_deref() {
        Some(NONE) => Ok(OtherEnd::None),
        Some(word @ (LOOPBACK | AGENT)) if !request.clients.is_empty() => bail!(
            "--network {word}: reachable from this host only; for clients start plumb serve-net on the server, and use --network tcp://SERVER"
        ),
        Some(LOOPBACK) => Ok(OtherEnd::Here),
        Some(AGENT) if request.agent.is_some() => Ok(OtherEnd::Agent),
        Some(AGENT) => bail!(
            "--network agent: no agent is given; add --agent, or use another host that runs plumb serve-net"
        ),
        Some(named) => {
            let target: Target = named.parse()?;
            match target.remote() {
                Some(remote) if !remote.scheme.is_share() => Ok(OtherEnd::Named(target)),
                _ => bail!(
                    "{named} is not a network peer: --network accepts tcp://HOST, iperf3://HOST, rdma://HOST, loopback, agent or none"
                ),
            }
        }
        None if !request.clients.is_empty() => Ok(OtherEnd::None),
        None if request.agent.is_some() => Ok(OtherEnd::Agent),
        None if share_here => Ok(OtherEnd::Here),
        None => Ok(OtherEnd::None),
    }
}

fn is_loopback(host: &str) -> bool {
    host == "localhost"
        || host
            .parse()
            .is_ok_and(|address: std::net::IpAddr| address.is_loopback())
}

/// Bytes in use on every layer: the size of the smallest, a multiple of all usual block sizes.
pub fn size_bytes(layers: &[Layer]) -> u64 {
    let of = |layer: &Layer| match layer.environment.text("target.kind") {
        Some("directory" | "missing") => default_size_bytes(&layer.environment),
        _ => layer
            .environment
            .number("target.size_bytes")
            .map(|bytes| bytes as u64),
    };
    // What lies on one file system shares its room, which a tenth for each leaves enough of.
    let least = layers
        .iter()
        .filter_map(of)
        .min()
        .unwrap_or(DEFAULT_SIZE_BYTES);
    (least.min(DEFAULT_SIZE_BYTES) >> 20 << 20).max(1 << 20)
}
