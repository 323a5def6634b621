//! How is an NFS server reached, and as whom? By the first address of its name that answers, and by the number of the user.

use std::net::{TcpStream, ToSocketAddrs};
use std::time::Duration;

use plumb_model::statement::{Argument, Statement};
use plumb_model::target::remote::Remote;

use super::refusal::unreachable;
use super::xdr::{put_opaque, put_u32};
use crate::engine::stop_request::StopRequest;
use crate::share::{ShareError, ShareErrorKind};
use crate::system::nfs_client;
use crate::system::tcp_connections::notice_vanished_peer;

/// How long a connection may take to come about.
const CONNECT: Duration = Duration::from_secs(3);
/// Seconds without an acknowledgement after which the system gives a connection up.
const UNACKNOWLEDGED_S: u64 = 10;

/// Number of the user, and the body of AUTH_SYS.
pub(super) fn credential(remote: &Remote) -> Result<(u32, Vec<u8>), ShareError> {
    let (mut user, mut group, mut groups) = nfs_client::identity();
    if let Some(named) = &remote.user {
        let number = named.parse().map_err(|_| {
            let why = Statement::new("nfs-user-is-no-number")
                .name("target", remote.to_string())
                .name("user", named)
                .name("host", &remote.host);
            ShareError {
                kind: ShareErrorKind::Denied,
                why,
            }
        })?;
        (user, group, groups) = (number, number, Vec::new());
    }
    let mut body = Vec::new();
    put_u32(&mut body, 0);
    put_opaque(&mut body, b"plumb");
    [user, group, groups.len() as u32]
        .into_iter()
        .for_each(|number| put_u32(&mut body, number));
    groups
        .into_iter()
        .for_each(|group| put_u32(&mut body, group));
    Ok((user, body))
}

/// A connection to the first address of the host that answers, and whether it comes from a privileged port.
pub(super) fn reach(remote: &Remote, stop: &StopRequest) -> Result<(TcpStream, bool), ShareError> {
    let address = remote.clone();
    // The system's calls that look names up and connect cannot be ended.
    match stop.unless_made("plumb-nfs-dial", move || dial(&address)) {
        Ok(Ok(found)) => found,
        Ok(Err(waited)) => {
            let time = waited.as_nanos() as f64;
            let why = Statement::new("nfs-no-answer-after-stop").time_ns("time", time);
            Err(unreachable(remote, why))
        }
        // No thread available: wait without a limit.
        Err(_) => dial(remote),
    }
}

fn dial(remote: &Remote) -> Result<(TcpStream, bool), ShareError> {
    let address = remote.host_and_port();
    let addresses = address.to_socket_addrs().map_err(|error| {
        let why = Statement::new("nfs-name-not-resolved")
            .name("host", &remote.host)
            .name("error", error.to_string());
        unreachable(remote, why)
    })?;
    let mut refusal = Argument::from(Statement::new("nfs-name-has-no-address"));
    for address in addresses {
        match nfs_client::connect(address, CONNECT) {
            Ok((stream, privileged)) => {
                let ready = stream
                    .set_nodelay(true)
                    .and_then(|()| stream.set_nonblocking(true));
                ready.map_err(|error| {
                    let why =
                        Statement::new("nfs-socket-not-set-up").name("error", error.to_string());
                    unreachable(remote, why)
                })?;
                notice_vanished_peer(&stream, UNACKNOWLEDGED_S);
                return Ok((stream, privileged));
            }
            Err(error) => refusal = error.to_string().into(),
        }
    }
    let why = Statement::new("nfs-no-connection")
        .name("server", address)
        .with("error", refusal);
    Err(unreachable(remote, why))
}
