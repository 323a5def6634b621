//! How does a measurement use an agent on another machine? One connection, over which sides begin, run step by step, and send their records.

use std::cell::RefCell;
use std::fs::OpenOptions;
use std::io::Write;
use std::net::{IpAddr, Ipv6Addr, SocketAddr, TcpStream, ToSocketAddrs};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use anyhow::{Context, anyhow, bail};
use jiff::Timestamp;
use plumb_load::secret::Secret;
use plumb_load::site::Overwrite;
use plumb_model::environment::Environment;
use plumb_model::run::SideOf;

use super::frame::{FRAME_MAX, Frames, Sender, within};
use super::handshake::{CONNECT_MAX, READ_TIMEOUT, SILENCE_MAX, first, open};
use super::{Answer, DEFAULT_PORT, Login, RUN_FILES, Request, SideRequest, Welcome};
use crate::live_comparison::{LiveSide, Side};
use crate::measurement::Outlook;

/// Takes a piece of a record: the side it is of, the name of its file, and its text.
type TakePiece<'a> = &'a mut dyn FnMut(Option<u32>, &str, &str) -> anyhow::Result<()>;

/// An agent that was logged in to.
pub struct Client<'a> {
    /// As the user named it.
    name: String,
    address: IpAddr,
    wire: RefCell<Wire>,
    stop: &'a AtomicBool,
}

struct Wire {
    sender: Sender,
    frames: Frames,
    /// The agent was told to stop.
    stopped: bool,
}

impl<'a> Client<'a> {
    /// Connects and logs in. Errors: nobody answers there, it is no agent, or it has another token.
    pub fn connect(name: &str, token: &Secret, stop: &'a AtomicBool) -> anyhow::Result<Client<'a>> {
        let Connected {
            place,
            address,
            frames,
            sender,
        } = connect(name, token, None)?;
        let wire = RefCell::new(Wire {
            sender,
            frames,
            stopped: false,
        });
        Ok(Client {
            name: place,
            address: address.ip(),
            wire,
            stop,
        })
    }

    /// Asks, hands every piece of a record to `take`, and returns the answer. Errors: the agent's own refusal, or the connection is lost.
    fn ask(&self, request: &Request, take: TakePiece<'_>) -> anyhow::Result<Answer> {
        let mut wire = self.wire.borrow_mut();
        let lost = || format!("agent {}: the connection is lost", self.name);
        wire.sender.send(request).with_context(lost)?;
        let mut heard = Instant::now();
        loop {
            if self.stop.load(Ordering::Relaxed) && !wire.stopped {
                wire.stopped = true;
                wire.sender.send(&Request::Stop).with_context(lost)?;
            }
            match wire
                .frames
                .next::<Answer>(within(READ_TIMEOUT))
                .with_context(lost)?
            {
                None if heard.elapsed() > SILENCE_MAX => {
                    bail!(
                        "agent {}: nothing was heard of it for {} s",
                        self.name,
                        SILENCE_MAX.as_secs()
                    )
                }
                None => continue,
                Some(Answer::Alive) => {}
                Some(Answer::Piece { side, file, text }) => take(side, &file, &text)?,
                Some(Answer::Failed { reason }) => bail!("agent {}: {reason}", self.name),
                Some(answer) => return Ok(answer),
            }
            heard = Instant::now();
        }
    }

    fn odd(&self) -> anyhow::Error {
        anyhow!(
            "agent {}: its answer does not fit the question; use the same plumb on both machines",
            self.name
        )
    }

    /// Facts of the environment of a target on the agent's machine.
    pub fn look(&self, target: &str) -> anyhow::Result<Environment> {
        match self.ask(
            &Request::Look {
                target: target.into(),
            },
            &mut |_, _, _| Ok(()),
        )? {
            Answer::Looked { environment } => Ok(environment),
            _ => Err(self.odd()),
        }
    }

    /// The address at which the agent answers messages from now on.
    pub fn peer(&self) -> anyhow::Result<String> {
        let host = if self.address.is_ipv6() {
            format!("[{}]", self.address)
        } else {
            self.address.to_string()
        };
        match self.ask(&Request::Peer, &mut |_, _, _| Ok(()))? {
            Answer::Peer { port } => Ok(format!("tcp://{host}:{port}")),
            _ => Err(self.odd()),
        }
    }

    /// The agent records its machine's counters from now on.
    pub fn watch(&self) -> anyhow::Result<()> {
        let unix_ns = u64::try_from(Timestamp::now().as_nanosecond()).unwrap_or_default();
        self.ask(&Request::Watch { unix_ns }, &mut |_, _, _| Ok(()))
            .map(drop)
    }

    /// Ends that; the record goes to `folder`.
    pub fn unwatch(&self, folder: &Path) -> anyhow::Result<()> {
        std::fs::create_dir_all(folder)?;
        self.ask(&Request::Unwatch, &mut |_, file, text| {
            append(folder, file, text)
        })
        .map(drop)
    }

    /// Begins a side.
    pub fn begin(
        &self,
        side: &LiveSide,
        side_of: SideOf,
        tags: &[String],
        folder: &Path,
    ) -> anyhow::Result<AgentSide<'_>> {
        let number = side_of.side;
        let overwrite = side.admission.overwrite != Overwrite::No;
        let side = SideRequest {
            plan: side.plan.to_toml(),
            side_of,
            tags: tags.to_vec(),
            overwrite,
        };
        self.ask(
            &Request::Begin {
                side: Box::new(side),
            },
            &mut |_, _, _| Ok(()),
        )?;
        Ok(AgentSide {
            client: self,
            number,
            folder: folder.to_path_buf(),
            failures: Vec::new(),
        })
    }
}

/// A connection to the first address of the agent's machine that answers.
fn reach(place: &str) -> anyhow::Result<(TcpStream, SocketAddr)> {
    let addresses = place
        .to_socket_addrs()
        .with_context(|| format!("{place}: the name of the agent's machine is not known"))?;
    let mut last = None;
    for address in addresses {
        match TcpStream::connect_timeout(&address, CONNECT_MAX) {
            Ok(stream) => return Ok((stream, address)),
            Err(error) => last = Some(error),
        }
    }
    let error =
        last.ok_or_else(|| anyhow!("{place}: the name of the agent's machine leads nowhere"))?;
    let remedy = format!(
        "{place}: no agent answers; start it there: plumb agent --listen {place} --allow PATH --token-file FILE"
    );
    Err(anyhow::Error::from(error).context(remedy))
}

/// A connection to an agent that has let this end in.
pub struct Connected {
    /// HOST:PORT.
    pub place: String,
    pub address: SocketAddr,
    pub frames: Frames,
    pub sender: Sender,
}

/// HOST:PORT of `HOST`, `HOST:PORT`, an address of IPv6, or that in brackets with a port.
fn with_port(name: &str) -> anyhow::Result<String> {
    if name.parse::<Ipv6Addr>().is_ok() {
        return Ok(format!("[{name}]:{DEFAULT_PORT}"));
    }
    match name.rsplit_once(':') {
        Some((_, port)) if !port.ends_with(']') => match port.parse::<u16>() {
            Ok(1..) => Ok(name.to_string()),
            _ => bail!("{name}: '{port}' is no port of an agent: a number from 1 to 65535"),
        },
        _ => Ok(format!("{name}:{DEFAULT_PORT}")),
    }
}

/// Connects and logs in: as a client, or for a rank of the measurement of this name. Errors: nobody answers there, it is no agent, it has another token, or it is busy.
pub fn connect(name: &str, token: &Secret, rank_of: Option<&str>) -> anyhow::Result<Connected> {
    let place = with_port(name)?;
    let (stream, address) = reach(&place)?;
    let (frames, sender) = log_in(stream, token, &place, rank_of)?;
    Ok(Connected {
        place,
        address,
        frames,
        sender,
    })
}

/// Logs in over a connection that is there. Errors: as for [`connect`].
pub fn log_in(
    stream: TcpStream,
    token: &Secret,
    place: &str,
    rank_of: Option<&str>,
) -> anyhow::Result<(Frames, Sender)> {
    let (mut frames, mut sender) = open(stream, token, place)?;
    sender.send(&Login {
        plumb_version: env!("CARGO_PKG_VERSION").into(),
        rank_of: rank_of.map(Into::into),
    })?;
    let no_agent = || format!("{place}: what answers there is no agent of this version of plumb");
    if let Welcome::Refused { reason } = first(&mut frames).with_context(no_agent)? {
        bail!("{place}: {reason}");
    }
    frames.longest = FRAME_MAX;
    Ok((frames, sender))
}

/// Appends a piece of a record. Only the files of a run are taken, whatever the other end calls them.
pub fn append(folder: &Path, file: &str, text: &str) -> anyhow::Result<()> {
    let name = RUN_FILES
        .iter()
        .find(|name| **name == file)
        .ok_or_else(|| anyhow!("the other end sends a file that no run has"))?;
    let path = folder.join(name);
    let written = OpenOptions::new()
        .create(true)
        .append(true)
        .open(&path)
        .and_then(|mut file| file.write_all(text.as_bytes()));
    written.with_context(|| format!("{}: the record cannot be written", path.display()))
}

/// A side that an agent measures.
pub struct AgentSide<'c> {
    client: &'c Client<'c>,
    number: u32,
    folder: PathBuf,
    failures: Vec<String>,
}

impl Side for AgentSide<'_> {
    fn execute(&mut self, step: usize, round: u32, _: Outlook) {
        let request = Request::Execute {
            side: self.number,
            step: step as u32,
            round,
        };
        match self.client.ask(&request, &mut |_, file, text| {
            append(&self.folder, file, text)
        }) {
            Ok(Answer::Executed { failure }) => self.failures.extend(failure),
            Ok(_) => self.failures.push(self.client.odd().to_string()),
            Err(error) => self.failures.push(format!("{error:#}")),
        }
    }

    fn failures(&self) -> &[String] {
        &self.failures
    }

    fn end(self: Box<Self>) -> anyhow::Result<Vec<String>> {
        let ended = self
            .client
            .ask(&Request::End { side: self.number }, &mut |_, file, text| {
                append(&self.folder, file, text)
            });
        match ended {
            Ok(_) => Ok(self.failures),
            // A side whose connection is lost has told so already, and its record holds what came.
            Err(error) if self.failures.is_empty() => Err(error),
            Err(_) => Ok(self.failures),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_is_named_with_or_without_its_port() {
        let place = |name: &str| with_port(name).map_err(|error| error.to_string());
        let own = |host: &str| Ok(format!("{host}:{DEFAULT_PORT}"));
        assert_eq!(place("hosta"), own("hosta"));
        assert_eq!(place("fe80::1"), own("[fe80::1]"));
        assert_eq!(place("[fe80::1]"), own("[fe80::1]"));
        for whole in ["hosta:4000", "[fe80::1]:4000"] {
            assert_eq!(place(whole), Ok(whole.into()));
        }
        for nonsense in ["hosta:99999", "hosta:0", "hosta:", "hosta:x"] {
            let error = place(nonsense).unwrap_err();
            assert!(error.contains("from 1 to 65535"), "{nonsense}: {error}");
        }
    }
}
