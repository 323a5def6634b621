//! How are the hosts of a run reached without MPI? An agent waits on each, or `ssh` starts one there for this run; then each is a rank.

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use plumb_load::secret::Secret;

use super::bridge::{bridge, to_child};
use super::rank_order::{RankOrder, Taken};
use super::tcp::Tcp;
use super::wire::Wire;
use super::{AsSide, OnLostRank, RanksRequest, identity_of, lead};
use crate::Stop;
use crate::agent::client::{Connected, connect, log_in};
use crate::agent::frame::{Frames, Sender};
use crate::agent::handshake::first;
use crate::measurement::{Measurement, Request, random_number};

/// How long a shell may take to end once the run is over.
const SHELL_PATIENCE: Duration = Duration::from_secs(5);

/// How the agent on a host is reached.
#[derive(Debug, Clone)]
pub enum Way {
    /// It listens, and has the same token.
    Agents(Secret),
    /// This command, with the host and the command line of the agent added, starts it: `ssh`.
    Shell(Vec<String>),
}

/// A plan that agents on hosts measure together.
pub struct LaunchRequest {
    pub request: Request,
    pub hosts: Vec<String>,
    pub way: Way,
    /// The program on the hosts, where a shell starts it.
    pub program: String,
    /// Ranks on each host.
    pub ranks_per_host: u32,
    pub overwrite: bool,
    pub on_lost_rank: OnLostRank,
    /// Name of the measurement; the agents take ranks of one at a time.
    pub measurement: String,
    /// It is one of several that are measured together.
    pub side: Option<AsSide>,
}

/// Lets the hosts measure, and gathers what they recorded. Errors: a host cannot be reached or refuses; the record cannot be written.
pub fn launch(launch: LaunchRequest, stop: &Stop) -> anyhow::Result<Measurement> {
    let plan = launch.request.plan.to_toml();
    let identity = identity_of(&plan);
    let each = launch.ranks_per_host as usize;
    let placed: Vec<&String> = launch
        .hosts
        .iter()
        .flat_map(|host| vec![host; each])
        .collect();
    let ranks = placed.len() as u32 + 1;
    // Their connections end before they are waited for.
    let mut shells = Shells(Vec::new());
    let mut connections = Vec::new();
    for (rank, host) in (1..).zip(placed) {
        let order = RankOrder {
            rank,
            ranks,
            plan: plan.clone(),
            identity: identity.clone(),
            tags: launch.request.tags.clone(),
            overwrite: launch.overwrite,
        };
        let (frames, sender) =
            ordered(&launch, host, &order, &mut shells).with_context(|| format!("rank {rank}"))?;
        connections.push((rank, frames, sender));
    }
    let join = move || {
        let tcp = Tcp::connected(0, ranks, connections);
        Ok(Box::new(tcp) as Box<dyn Wire>)
    };
    let request = RanksRequest {
        request: launch.request,
        join: Box::new(join),
        on_lost_rank: launch.on_lost_rank,
        side: launch.side,
    };
    lead(request, identity, stop)
}

/// Shells that started agents; they end with their connections.
struct Shells(Vec<Child>);

impl Drop for Shells {
    fn drop(&mut self) {
        let begun = Instant::now();
        for shell in &mut self.0 {
            // Its agent ends with the run; one that hangs is not waited for.
            while matches!(shell.try_wait(), Ok(None)) && begun.elapsed() < SHELL_PATIENCE {
                std::thread::sleep(Duration::from_millis(10));
            }
            let _ = shell.kill();
            let _ = shell.wait();
        }
    }
}

/// Reaches a host and orders its part. Errors: it cannot be reached, or does not take it; the host is named.
fn ordered(
    launch: &LaunchRequest,
    host: &str,
    order: &RankOrder,
    shells: &mut Shells,
) -> anyhow::Result<(Frames, Sender)> {
    let (mut frames, mut sender) = reach(launch, host, shells)?;
    sender
        .send(order)
        .with_context(|| format!("{host}: connection lost"))?;
    match first(&mut frames).with_context(|| format!("{host}: no response"))? {
        Taken::Yes => Ok((frames, sender)),
        Taken::No { reason } => bail!("{host}: {reason}"),
    }
}

fn reach(
    launch: &LaunchRequest,
    host: &str,
    shells: &mut Shells,
) -> anyhow::Result<(Frames, Sender)> {
    let shell = match &launch.way {
        Way::Agents(token) => {
            let Connected { frames, sender, .. } = connect(host, token, Some(&launch.measurement))?;
            return Ok((frames, sender));
        }
        Way::Shell(shell) => shell,
    };
    let (program, arguments) = shell.split_first().context("the shell has no name")?;
    // Known to both ends, and to nobody else: it goes through the shell's own connection.
    let token = format!("{:016x}{:016x}", random_number(), random_number());
    let mut child = Command::new(program)
        .args(arguments)
        .arg(host)
        .args([launch.program.as_str(), "agent", "--stdio"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("{program}: cannot be started to connect to {host}"))?;
    let stream = bridge().and_then(|(far, near)| {
        to_child(&mut child, &token, far)?;
        Ok(near)
    });
    shells.0.push(child);
    // A shell that ends at once may be gone before the token is sent.
    let logged_in = stream.map_err(anyhow::Error::from).and_then(|stream| {
        log_in(
            stream,
            &Secret::new(&token),
            host,
            Some(&launch.measurement),
        )
    });
    logged_in.with_context(|| {
        format!(
            "{host}: {program} did not connect to a plumb agent: try '{program} {host} {} --version'",
            launch.program
        )
    })
}

/// A name for a measurement that no other has.
pub fn name_of_measurement() -> String {
    format!("{:016x}", random_number())
}
