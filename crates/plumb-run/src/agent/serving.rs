//! Whom does an agent serve? One client at a time, after it has shown that it has the token; all others are sent away with a reason.

use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow, bail};
use plumb_load::secret::Secret;
use plumb_load::system::tcp_connections::notice_vanished_peer;

use super::frame::{FRAME_MAX, Frames, Sender, within};
use super::noise::{Handshake, NotSealed, Seal, hex, unhex};
use super::service::Agent;
use super::session::serve_client;
use super::slots::{Slot, Slots};
use super::{Handshaken, Hello, Login, Opening, VERSION, Welcome};
use crate::notices::say;

/// How often the end is looked for.
const LOOK: Duration = Duration::from_millis(50);
/// A connection that has not shown that it has the token so long after it began is closed.
const LOGIN_MAX: Duration = Duration::from_secs(5);
/// Read timeout of a connection: so long a lost client or a signal may go unnoticed.
const READ_TIMEOUT: Duration = Duration::from_millis(250);
/// A client that does not take what is sent to it is gone after this.
const WRITE_TIMEOUT: Duration = Duration::from_secs(30);
/// At the end of the agent its client has so long to take what its steps brought.
const FAREWELL: Duration = Duration::from_secs(2);

/// A socket that waits for clients, and where.
pub fn listen(address: SocketAddr) -> anyhow::Result<(TcpListener, SocketAddr)> {
    let remedy = "another program may use the port, or the address is none of this machine: name another with --listen ADDRESS:PORT";
    let listener = TcpListener::bind(address)
        .with_context(|| format!("nothing can listen on {address}; {remedy}"))?;
    listener
        .set_nonblocking(true)
        .context("the socket cannot be watched")?;
    let address = listener
        .local_addr()
        .context("the system does not tell where it listens")?;
    Ok((listener, address))
}

/// Serves until `stop` is set; what a client began is given back first.
pub fn serve(agent: &Agent, listener: &TcpListener, stop: &AtomicBool) {
    let (busy, slots) = (AtomicBool::new(false), Slots::default());
    std::thread::scope(|scope| {
        while !stop.load(Ordering::Relaxed) {
            let Ok((stream, address)) = listener.accept() else {
                std::thread::sleep(LOOK);
                continue;
            };
            let (busy, slots) = (&busy, &slots);
            let taken = match stream
                .try_clone()
                .map(|copy| slots.take(address.ip(), copy))
            {
                Ok(Ok(slot)) => slot,
                Ok(Err(full)) => {
                    turn_away(stream, &full.to_string());
                    continue;
                }
                // No descriptor is left: whoever knocks is let go, and may come back.
                Err(_) => continue,
            };
            let one = move || match serve_one(agent, (stream, taken), address, busy, stop) {
                Ok(()) => say(&format!("{address}: left")),
                Err(error) => say(&format!("{address}: dropped: {error:#}")),
            };
            if let Err(error) = std::thread::Builder::new()
                .name("plumb-agent".into())
                .spawn_scoped(scope, one)
            {
                say(&format!(
                    "{address}: dropped: no thread to serve it: {error}"
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
    busy: &AtomicBool,
    stop: &AtomicBool,
) -> anyhow::Result<()> {
    let (frames, sender) = admit(agent, stream, busy)?;
    slot.is_known();
    say(&format!("{address}: logged in"));
    let ended = serve_client(agent, frames, sender, stop);
    busy.store(false, Ordering::Release);
    ended
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

/// The login, which has [`LOGIN_MAX`] from the first word to the last. Takes the place of the one client when it succeeds.
fn admit(agent: &Agent, stream: TcpStream, busy: &AtomicBool) -> anyhow::Result<(Frames, Sender)> {
    let until = within(LOGIN_MAX);
    // A socket that was accepted may have taken over that its listener does not block.
    stream.set_nonblocking(false)?;
    stream.set_read_timeout(Some(READ_TIMEOUT))?;
    stream.set_write_timeout(Some(LOGIN_MAX))?;
    stream.set_nodelay(true)?;
    notice_vanished_peer(&stream, WRITE_TIMEOUT.as_secs());
    let (mut frames, mut sender) = (Frames::new(stream.try_clone()?), Sender::new(stream));
    let late = || anyhow!("no login within {} s", LOGIN_MAX.as_secs());
    sender.send(&Hello {
        protocol: "plumb-agent".into(),
        version: VERSION,
    })?;
    let opening: Opening = frames.next(until)?.ok_or_else(late)?;
    let seal = match shake_hands(&agent.token, &opening.message) {
        Ok((answer, seal)) => {
            sender.send(&Handshaken::Message {
                message: hex(&answer),
            })?;
            Arc::new(seal)
        }
        Err(NotSealed) => {
            let reason =
                "the token is not that of this agent: --token-file must name a copy of the agent's";
            // Whoever has gone meanwhile needs no reason.
            let _ = sender.send(&Handshaken::Refused {
                reason: reason.into(),
            });
            bail!(reason);
        }
    };
    frames.seal(seal.clone());
    sender.seal(seal);
    frames.next::<Login>(until)?.ok_or_else(late)?;
    if busy
        .compare_exchange(false, true, Ordering::AcqRel, Ordering::Relaxed)
        .is_err()
    {
        let reason = "the agent is busy with another client: two measurements at once would disturb each other; try again later";
        let _ = sender.send(&Welcome::Refused {
            reason: reason.into(),
        });
        bail!(reason);
    }
    let granted = Welcome::Granted {
        host: agent.host.clone(),
        plumb_version: env!("CARGO_PKG_VERSION").into(),
    };
    let welcomed = sender.send(&granted).map_err(anyhow::Error::from);
    let ready =
        welcomed.and_then(|()| Ok(sender.stream().set_write_timeout(Some(WRITE_TIMEOUT))?));
    if let Err(error) = ready {
        busy.store(false, Ordering::Release);
        return Err(error);
    }
    frames.longest = FRAME_MAX;
    Ok((frames, sender))
}

/// The answer to the client's message of the handshake, and the keys.
fn shake_hands(token: &Secret, message: &str) -> Result<(Vec<u8>, Seal), NotSealed> {
    let mut handshake = Handshake::agent(token)?;
    handshake.read(&unhex(message).ok_or(NotSealed)?)?;
    let answer = handshake.write()?;
    Ok((answer, handshake.finish()?))
}
