//! How is the server reached? At the address that was named, or by a path that it offers.

use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::time::{Duration, Instant};

use plumb_model::statement::Statement;
use plumb_model::target::remote::Remote;
use plumb_model::workload::EngineChoice;

use crate::engine::stop_request::StopRequest;
use crate::secret::Secret;
use crate::shares::smb::fault::{Fault, SmbResult};
use crate::shares::smb::session::paths::Path;
use crate::system::interfaces::connect_from;

/// A connection that takes longer does not come.
const CONNECT_MAX: Duration = Duration::from_secs(10);
/// The same for an address that a server offers: many offer some that not every client reaches.
const CONNECT_OFFERED_MAX: Duration = Duration::from_secs(3);

/// Where to go, as whom, and how. An owner of its own, so that a thread that connects again can have one.
#[derive(Debug, Clone)]
pub struct Access {
    pub remote: Remote,
    pub secret: Option<Secret>,
    pub choice: EngineChoice,
    /// Once it is made, a server that does not answer is not waited for.
    pub stop: StopRequest,
}

/// How long each step of the way took.
#[derive(Debug, Clone, Copy, Default)]
pub struct Steps {
    pub resolve: Duration,
    pub connect: Duration,
    pub negotiate: Duration,
    /// Login and connection to the share.
    pub set_up: Duration,
}

/// Connects to the server's port, at whichever of its addresses answers first, or by this path.
///
/// # Errors
/// A name without an address, no listener, no answer, or a request to end meanwhile.
pub fn dial(access: &Access, path: Option<&Path>) -> SmbResult<(TcpStream, Steps)> {
    let (remote, path) = (access.remote.clone(), path.cloned());
    let call = move || match &path {
        Some(path) => call_by(path),
        None => call(&remote),
    };
    // The system's calls that look names up and connect cannot be ended.
    let found = access.stop.unless_made("plumb-smb-dial", call.clone());
    match found {
        Ok(found) => found.unwrap_or_else(|waited| Err(Fault::stopped(waited))),
        // No thread available: wait without a limit.
        Err(_) => call(),
    }
}

fn call_by(path: &Path) -> SmbResult<(TcpStream, Steps)> {
    let begun = Instant::now();
    let socket = connect_from(path.from.as_ref(), path.to, CONNECT_OFFERED_MAX)
        .map_err(|error| unreached(path.to, &error, CONNECT_OFFERED_MAX))?;
    let connect = begun.elapsed();
    Ok((
        socket,
        Steps {
            connect,
            ..Steps::default()
        },
    ))
}

fn unreached(address: SocketAddr, error: &std::io::Error, waited: Duration) -> Fault {
    Fault::Lost(if error.kind() == std::io::ErrorKind::TimedOut {
        Statement::new("smb-address-did-not-answer")
            .name("address", address.to_string())
            .time_ns("time", waited.as_nanos() as f64)
    } else {
        Statement::new("smb-no-connection")
            .name("address", address.to_string())
            .name("error", error.to_string())
    })
}

fn call(remote: &Remote) -> SmbResult<(TcpStream, Steps)> {
    let begun = Instant::now();
    let addresses: Vec<SocketAddr> = (remote.host.as_str(), remote.port())
        .to_socket_addrs()
        .map_err(|error| {
            Fault::Unresolved(
                Statement::new("smb-name-not-resolved")
                    .name("host", &remote.host)
                    .name("error", error.to_string()),
            )
        })?
        .collect();
    let mut steps = Steps {
        resolve: begun.elapsed(),
        ..Steps::default()
    };
    let no_address = Statement::new("smb-name-has-no-address").name("host", &remote.host);
    let mut refusal = Fault::Unresolved(no_address);
    for address in addresses {
        let begun = Instant::now();
        match TcpStream::connect_timeout(&address, CONNECT_MAX) {
            Ok(socket) => {
                steps.connect = begun.elapsed();
                return Ok((socket, steps));
            }
            Err(error) => refusal = unreached(address, &error, CONNECT_MAX),
        }
    }
    Err(refusal)
}
