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
    /// The agent was stopped.
    stopped: bool,
}

impl<'a> Client<'a> {
    /// Connects and logs in. Errors: nobody answers there, it is no agent, or it has another token.
    pub fn connect(name: &str, token: &Secret, stop: &'a AtomicBool) -> anyhow::Result<Client<'a>> {
        let Connected {
            host_and_port,
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
            name: host_and_port,
            address: address.ip(),
            wire,
            stop,
        })
    }

    /// Asks, hands every piece of a record to `take`, and returns the answer. Errors: the agent's own refusal, or the connection is lost.
    fn request(&self, request: &Request, take: TakePiece<'_>) -> anyhow::Result<Answer> {
        let mut wire = self.wire.borrow_mut();
        let lost = || format!("agent {}: connection lost", self.name);
        wire.sender.send(request).with_context(lost)?;
        let mut last_frame = Instant::now();
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
                None if last_frame.elapsed() > SILENCE_MAX => {
                    bail!(
                        "agent {}: no response for {} s",
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
            last_frame = Instant::now();
        }
    }

    fn odd(&self) -> anyhow::Error {
        anyhow!(
            "agent {}: unexpected response; use the same version of plumb on both hosts",
            self.name
        )
    }

    /// Facts of the environment of a target on the agent's machine.
    pub fn look(&self, target: &str) -> anyhow::Result<Environment> {
        match self.request(
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
        match self.request(&Request::Peer, &mut |_, _, _| Ok(()))? {
            Answer::Peer { port } => Ok(format!("tcp://{host}:{port}")),
            _ => Err(self.odd()),
        }
    }

    /// The agent records its machine's counters from now on.
    pub fn watch(&self) -> anyhow::Result<()> {
        let unix_ns = u64::try_from(Timestamp::now().as_nanosecond()).unwrap_or_default();
        self.request(&Request::Watch { unix_ns }, &mut |_, _, _| Ok(()))
            .map(drop)
    }

    /// Ends that; the record goes to `folder`.
    pub fn unwatch(&self, folder: &Path) -> anyhow::Result<()> {
        std::fs::create_dir_all(folder)?;
        self.request(&Request::Unwatch, &mut |_, file, text| {
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
        self.request(
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
fn reach(address: &str) -> anyhow::Result<(TcpStream, SocketAddr)> {
    let addresses = address
        .to_socket_addrs()
        .with_context(|| format!("{address}: cannot resolve the agent's host name"))?;
    let mut last = None;
    for address in addresses {
        match TcpStream::connect_timeout(&address, CONNECT_MAX) {
            Ok(stream) => return Ok((stream, address)),
            Err(error) => last = Some(error),
        }
    }
    let error = last.ok_or_else(|| anyhow!("{address}: the agent's host name has no address"))?;
    let remedy = format!(
        "{address}: no agent responds; start it there: plumb agent --listen {address} --allow PATH --token-file FILE"
    );
    Err(anyhow::Error::from(error).context(remedy))
}

/// A connection to an agent that has let this end in.
pub struct Connected {
    /// HOST:PORT.
    pub host_and_port: String,
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
            _ => bail!("{name}: '{port}' is not a port: use a number from 1 to 65535"),
        },
        _ => Ok(format!("{name}:{DEFAULT_PORT}")),
    }
}

/// Connects and logs in: as a client, or for a rank of the measurement of this name. Errors: nobody answers there, it is no agent, it has another token, or it is busy.
pub fn connect(name: &str, token: &Secret, rank_of: Option<&str>) -> anyhow::Result<Connected> {
    let host_and_port = with_port(name)?;
    let (stream, address) = reach(&host_and_port)?;
    let (frames, sender) = log_in(stream, token, &host_and_port, rank_of)?;
    Ok(Connected {
        host_and_port,
        address,
        frames,
        sender,
    })
}

/// Logs in over a connection that is there. Errors: as for [`connect`].
pub fn log_in(
    stream: TcpStream,
    token: &Secret,
    address: &str,
    rank_of: Option<&str>,
) -> anyhow::Result<(Frames, Sender)> {
    let (mut frames, mut sender) = open(stream, token, address)?;
    sender.send(&Login {
        plumb_version: env!("CARGO_PKG_VERSION").into(),
        rank_of: rank_of.map(Into::into),
    })?;
    let no_agent = || format!("{address}: not an agent of this version of plumb");
    if let Welcome::Refused { reason } = first(&mut frames).with_context(no_agent)? {
        bail!("{address}: {reason}");
    }
    frames.longest = FRAME_MAX;
    Ok((frames, sender))
}

/// Appends a piece of a record. Only the files of a run are taken, whatever the other end calls them.
pub fn append(folder: &Path, file: &str, text: &str) -> anyhow::Result<()> {
    let name = RUN_FILES
        .iter()
        .find(|name| **name == file)
        .ok_or_else(|| anyhow!("the peer sent a file that does not belong to a run"))?;
    let path = folder.join(name);
    let written = OpenOptions::new()
        .create(true)
        .append(true)
        .open(&path)
        .and_then(|mut file| file.write_all(text.as_bytes()));
    written.with_context(|| format!("{}: cannot write the record", path.display()))
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
        match self.client.request(&request, &mut |_, file, text| {
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
            .request(&Request::End { side: self.number }, &mut |_, file, text| {
                append(&self.folder, file, text)
            });
        match ended {
            Ok(_) => Ok(self.failures),
            // A side whose connection is lost has reported it already, and its record has what was received.
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
        let address = |name: &str| with_port(name).map_err(|error| error.to_string());
        let own = |host: &str| Ok(format!("{host}:{DEFAULT_PORT}"));
        assert_eq!(address("hosta"), own("hosta"));
        assert_eq!(address("fe80::1"), own("[fe80::1]"));
        assert_eq!(address("[fe80::1]"), own("[fe80::1]"));
        for complete in ["hosta:4000", "[fe80::1]:4000"] {
            assert_eq!(address(complete), Ok(complete.into()));
        }
        for nonsense in ["hosta:99999", "hosta:0", "hosta:", "hosta:x"] {
            let error = address(nonsense).unwrap_err();
            assert!(error.contains("from 1 to 65535"), "{nonsense}: {error}");
        }
    }
}
