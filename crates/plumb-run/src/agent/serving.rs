//! Whom does an agent serve? One client at a time, after it has shown that it has the token; all others are sent away with a reason.

use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow, bail};

use super::exclusive_use::{ExclusiveUse, Taken};
use super::frame::{FRAME_MAX, Frames, Sender, within};
use super::handshake::{LOGIN_MAX, SILENCE_MAX, answer};
use super::ranking::serve_rank;
use super::service::Agent;
use super::session::serve_client;
use super::slots::{Slot, Slots};
use super::{Handshaken, Hello, Login, VERSION, Welcome};
use crate::notices::say;

/// How often the end is looked for.
const LOOK: Duration = Duration::from_millis(50);
/// The message for a client with another token.
const OTHER_TOKEN: &str =
    "wrong token for this agent: --token-file must name a copy of the agent's token file";
/// At the end of the agent its client has so long to take what its steps brought.
const FAREWELL: Duration = Duration::from_secs(2);

/// A socket that waits for clients, and where.
pub fn listen(address: SocketAddr) -> anyhow::Result<(TcpListener, SocketAddr)> {
    let remedy = "another program may use the port, or this host does not have the address: set another with --listen ADDRESS:PORT";
    let listener = TcpListener::bind(address)
        .with_context(|| format!("cannot listen on {address}; {remedy}"))?;
    listener
        .set_nonblocking(true)
        .context("cannot poll the socket")?;
    let address = listener
        .local_addr()
        .context("cannot determine the listening address")?;
    Ok((listener, address))
}

/// Serves the one client that is connected already, whose token is known. Errors: what it did wrong, or what went wrong with its connection.
pub fn serve_connected(agent: &Agent, stream: TcpStream, stop: &AtomicBool) -> anyhow::Result<()> {
    let exclusive = ExclusiveUse::default();
    let admitted = admit(agent, stream, &exclusive)?;
    admitted.serve(agent, stop)
}

/// Serves until `stop` is set; what a client started is released first.
pub fn serve(agent: &Agent, listener: &TcpListener, stop: &AtomicBool) {
    let (exclusive, slots) = (ExclusiveUse::default(), Slots::default());
    std::thread::scope(|scope| {
        while !stop.load(Ordering::Relaxed) {
            let Ok((stream, address)) = listener.accept() else {
                std::thread::sleep(LOOK);
                continue;
            };
            let (exclusive, slots) = (&exclusive, &slots);
            let taken = match stream
                .try_clone()
                .map(|copy| slots.take(address.ip(), copy))
            {
                Ok(Ok(slot)) => slot,
                Ok(Err(full)) => {
                    turn_away(stream, &full.to_string());
                    continue;
                }
                // No descriptor is left: the client is disconnected, and may retry.
                Err(_) => continue,
            };
            let one = move || match serve_one(agent, (stream, taken), address, exclusive, stop) {
                Ok(()) => say(&format!("{address}: left")),
                Err(error) => say(&format!("{address}: dropped: {error:#}")),
            };
            if let Err(error) = std::thread::Builder::new()
                .name("plumb-agent".into())
                .spawn_scoped(scope, one)
            {
                say(&format!(
                    "{address}: dropped: cannot start a thread to serve it: {error}"
                ));
            }
        }
        slots.close_strangers();
        let ended = Instant::now();
        while !slots.is_empty() && ended.elapsed() < FAREWELL {
            std::thread::sleep(LOOK);
        }
        slots.close_all();
    });
}

/// One connection from its first word to its last.
fn serve_one(
    agent: &Agent,
    (stream, slot): (TcpStream, Slot<'_>),
    address: SocketAddr,
    exclusive: &ExclusiveUse,
    stop: &AtomicBool,
) -> anyhow::Result<()> {
    let admitted = admit(agent, stream, exclusive)?;
    slot.is_known();
    say(&format!("{address}: logged in"));
    admitted.serve(agent, stop)
}

/// A connection that has shown the token, with its slot.
struct Admitted<'p> {
    frames: Frames,
    sender: Sender,
    is_rank: bool,
    _slot: Taken<'p>,
}

impl Admitted<'_> {
    fn serve(self, agent: &Agent, stop: &AtomicBool) -> anyhow::Result<()> {
        match self.is_rank {
            true => serve_rank(agent, self.frames, self.sender, stop),
            false => serve_client(agent, self.frames, self.sender, stop),
        }
    }
}

/// Says why a connection is not served, as far as that goes without waiting.
fn turn_away(stream: TcpStream, reason: &str) {
    let _ = stream.set_nonblocking(true);
    let mut sender = Sender::new(stream);
    let hello = Hello {
        protocol: "plumb-agent".into(),
        version: VERSION,
    };
    let _ = sender.send(&hello).and_then(|()| {
        sender.send(&Handshaken::Refused {
            reason: reason.into(),
        })
    });
}

/// The login, which has [`LOGIN_MAX`] from the first word to the last. Takes the slot if it succeeds.
fn admit<'p>(
    agent: &Agent,
    stream: TcpStream,
    exclusive: &'p ExclusiveUse,
) -> anyhow::Result<Admitted<'p>> {
    let until = within(LOGIN_MAX);
    let (mut frames, mut sender) = answer(stream, (&agent.token, OTHER_TOKEN), until)?;
    let late = || anyhow!("no login within {} s", LOGIN_MAX.as_secs());
    let login: Login = frames.next(until)?.ok_or_else(late)?;
    let Some(taken) = exclusive.take(login.rank_of.as_deref()) else {
        let reason = "the agent is busy with another client: concurrent measurements would disturb each other; try again later";
        let _ = sender.send(&Welcome::Refused {
            reason: reason.into(),
        });
        bail!(reason);
    };
    let granted = Welcome::Granted {
        host: agent.host.clone(),
        plumb_version: env!("CARGO_PKG_VERSION").into(),
    };
    sender.send(&granted)?;
    sender.stream().set_write_timeout(Some(SILENCE_MAX))?;
    frames.longest = FRAME_MAX;
    Ok(Admitted {
        frames,
        sender,
        is_rank: login.rank_of.is_some(),
        _slot: taken,
    })
}
