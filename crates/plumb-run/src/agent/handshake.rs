//! How do both ends of a connection come to have its keys? One message of the Noise protocol each, which only who has the token can make.

use std::net::TcpStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow, bail};
use plumb_load::secret::Secret;
use plumb_load::system::tcp_connections::notice_vanished_peer;
use serde::de::DeserializeOwned;

use super::frame::{Frames, Sender, within};
use super::noise::{Handshake, NotSealed, Seal, hex, unhex};
use super::{Handshaken, Hello, Opening, VERSION};

/// Read timeout of a connection: so long a lost end or a signal may go unnoticed.
pub const READ_TIMEOUT: Duration = Duration::from_millis(250);
/// How long a connection may take, and each word of the end that answers.
pub const CONNECT_MAX: Duration = Duration::from_secs(10);
/// How long a login may take.
pub const LOGIN_MAX: Duration = Duration::from_secs(5);
/// An end that takes nothing, or is not there any more, is given up after this.
pub const SILENCE_MAX: Duration = Duration::from_secs(30);

/// A word of the other end before the first request.
pub fn first<T: DeserializeOwned>(frames: &mut Frames) -> anyhow::Result<T> {
    let message = frames.next(within(CONNECT_MAX))?;
    message.ok_or_else(|| anyhow!("no response within {} s", CONNECT_MAX.as_secs()))
}

/// The end that connected. `address` is how messages name the other. Errors: it is no plumb, another version of it, or has another token.
pub fn open(stream: TcpStream, token: &Secret, address: &str) -> anyhow::Result<(Frames, Sender)> {
    stream.set_read_timeout(Some(READ_TIMEOUT))?;
    stream.set_nodelay(true)?;
    notice_vanished_peer(&stream, SILENCE_MAX.as_secs());
    let (mut frames, mut sender) = (Frames::new(stream.try_clone()?), Sender::new(stream));
    let no_agent = || format!("{address}: not an agent of this version of plumb");
    let hello: Hello = first(&mut frames).with_context(no_agent)?;
    if hello.protocol != "plumb-agent" || hello.version != VERSION {
        bail!(
            "{address}: uses {} version {}, and this plumb uses version {VERSION}: use the same version of plumb on both hosts",
            hello.protocol,
            hello.version
        );
    }
    let mut handshake = Handshake::client(token)?;
    sender.send(&Opening {
        message: hex(&handshake.write()?),
    })?;
    let message = match first(&mut frames).with_context(no_agent)? {
        Handshaken::Message { message } => message,
        Handshaken::Refused { reason } => bail!("{address}: {reason}"),
    };
    let answered = unhex(&message)
        .ok_or(NotSealed)
        .and_then(|message| handshake.read(&message));
    answered
        .map_err(|_| anyhow!("{address}: the peer does not have the token: it is not the agent"))?;
    let seal = Arc::new(handshake.finish()?);
    frames.seal(seal.clone());
    sender.seal(seal);
    Ok((frames, sender))
}

/// The accepting end, which has until `until` to complete. `refusal`: the message for a client with another token.
///
/// Errors: the other end is late, or has another token.
pub fn answer(
    stream: TcpStream,
    (token, refusal): (&Secret, &str),
    until: Instant,
) -> anyhow::Result<(Frames, Sender)> {
    // A socket that was accepted may have taken over that its listener does not block.
    stream.set_nonblocking(false)?;
    stream.set_read_timeout(Some(READ_TIMEOUT))?;
    stream.set_write_timeout(Some(LOGIN_MAX))?;
    stream.set_nodelay(true)?;
    notice_vanished_peer(&stream, SILENCE_MAX.as_secs());
    let (mut frames, mut sender) = (Frames::new(stream.try_clone()?), Sender::new(stream));
    sender.send(&Hello {
        protocol: "plumb-agent".into(),
        version: VERSION,
    })?;
    let late = || anyhow!("no login within {} s", LOGIN_MAX.as_secs());
    let opening: Opening = frames.next(until)?.ok_or_else(late)?;
    let seal = match shake_hands(token, &opening.message) {
        Ok((answer, seal)) => {
            sender.send(&Handshaken::Message {
                message: hex(&answer),
            })?;
            Arc::new(seal)
        }
        Err(NotSealed) => {
            // Whoever has gone meanwhile needs no reason.
            let _ = sender.send(&Handshaken::Refused {
                reason: refusal.into(),
            });
            bail!("{refusal}");
        }
    };
    frames.seal(seal.clone());
    sender.seal(seal);
    Ok((frames, sender))
}

/// The answer to the other end's message, and the keys.
fn shake_hands(token: &Secret, message: &str) -> Result<(Vec<u8>, Seal), NotSealed> {
    let mut handshake = Handshake::agent(token)?;
    handshake.read(&unhex(message).ok_or(NotSealed)?)?;
    let answer = handshake.write()?;
    Ok((answer, handshake.finish()?))
}
