//! Whom does an agent serve? One client at a time, after it has proven that it has the token; all others are sent away with a reason.

use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow, bail};
use plumb_load::secret::Secret;

use super::frame::{FRAME_MAX, Frames, send};
use super::permit::Permit;
use super::proof::{End, holds, prove, random_hex};
use super::session::serve_client;
use super::{Hello, Login, VERSION, Welcome};
use crate::streams::say;

/// How often the end is looked for.
const LOOK: Duration = Duration::from_millis(50);
/// A connection that has not proven itself by then is closed.
const LOGIN_MAX: Duration = Duration::from_secs(5);
/// Connections that may be at their login at the same time.
const STRANGERS_MAX: usize = 16;
/// Read timeout of a connection: so long a lost client or a signal may go unnoticed.
const READ_TIMEOUT: Duration = Duration::from_millis(250);
/// A client that does not take what is sent to it is gone after this.
const WRITE_TIMEOUT: Duration = Duration::from_secs(30);

/// What an agent is.
pub struct Agent {
    pub token: Secret,
    pub permit: Permit,
    /// The folder in which records are kept.
    pub kept: PathBuf,
    pub host: String,
}

/// A socket that waits for clients, and where.
pub fn listen(address: SocketAddr) -> anyhow::Result<(TcpListener, SocketAddr)> {
    let remedy = "another program may use the port, or the address is none of this machine: name another with --listen ADDRESS:PORT";
    let listener = TcpListener::bind(address).with_context(|| format!("nothing can listen on {address}; {remedy}"))?;
    listener.set_nonblocking(true).context("the socket cannot be watched")?;
    let address = listener.local_addr().context("the system does not tell where it listens")?;
    Ok((listener, address))
}

/// Serves until `stop` is set; what a client began is given back first.
pub fn serve(agent: &Agent, listener: &TcpListener, stop: &AtomicBool) {
    let (busy, strangers) = (AtomicBool::new(false), std::sync::atomic::AtomicUsize::new(0));
    std::thread::scope(|scope| {
        while !stop.load(Ordering::Relaxed) {
            let Ok((stream, address)) = listener.accept() else {
                std::thread::sleep(LOOK);
                continue;
            };
            if strangers.fetch_add(1, Ordering::Relaxed) >= STRANGERS_MAX {
                strangers.fetch_sub(1, Ordering::Relaxed);
                continue;
            }
            let (busy, strangers) = (&busy, &strangers);
            scope.spawn(move || {
                let admitted = admit(agent, stream, busy);
                strangers.fetch_sub(1, Ordering::Relaxed);
                let ended = admitted.and_then(|(frames, stream)| {
                    say(&format!("{address}: logged in"));
                    let ended = serve_client(agent, frames, stream, stop);
                    busy.store(false, Ordering::Release);
                    ended
                });
                match ended {
                    Ok(()) => say(&format!("{address}: left")),
                    Err(error) => say(&format!("{address}: dropped: {error:#}")),
                }
            });
        }
    });
}

/// The login. Takes the place of the one client when it succeeds.
fn admit(agent: &Agent, mut stream: TcpStream, busy: &AtomicBool) -> anyhow::Result<(Frames, TcpStream)> {
    // A socket that was accepted may have taken over that its listener does not block.
    stream.set_nonblocking(false)?;
    stream.set_read_timeout(Some(READ_TIMEOUT))?;
    stream.set_write_timeout(Some(WRITE_TIMEOUT))?;
    stream.set_nodelay(true)?;
    let challenge = random_hex()?;
    send(&mut stream, &Hello { protocol: "plumb-agent".into(), version: VERSION, challenge: challenge.clone() })?;
    let mut frames = Frames::new(stream.try_clone()?);
    let begun = Instant::now();
    let login = loop {
        match frames.next::<Login>()? {
            Some(login) => break login,
            None if begun.elapsed() > LOGIN_MAX => bail!("no login within {} s", LOGIN_MAX.as_secs()),
            None => {}
        }
    };
    let mut refuse = |reason: String| {
        // Whoever has gone meanwhile needs no reason.
        let _ = send(&mut stream, &Welcome::Refused { reason: reason.clone() });
        anyhow!(reason)
    };
    if login.version != VERSION {
        return Err(refuse(format!(
            "the client speaks version {} of the protocol, this agent {VERSION}: use the same plumb on both",
            login.version
        )));
    }
    if !holds(&agent.token, End::Client, (&challenge, &login.nonce), &login.proof) {
        return Err(refuse("the token is not that of this agent: --token-file must name a copy of the agent's".into()));
    }
    if busy.compare_exchange(false, true, Ordering::AcqRel, Ordering::Relaxed).is_err() {
        return Err(refuse(
            "the agent is busy with another client: two measurements at once would disturb each other; try again later".into(),
        ));
    }
    let proof = prove(&agent.token, End::Agent, &challenge, &login.nonce)?;
    let granted = Welcome::Granted { proof, host: agent.host.clone(), plumb_version: env!("CARGO_PKG_VERSION").into() };
    if let Err(error) = send(&mut stream, &granted) {
        busy.store(false, Ordering::Release);
        return Err(error.into());
    }
    frames.longest = FRAME_MAX;
    Ok((frames, stream))
}
