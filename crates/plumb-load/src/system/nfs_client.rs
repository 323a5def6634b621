//! What does the NFS client need from the system? Who runs it, and a privileged port.

use std::io;
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// Number of the user, of the group, and of further groups, as `AUTH_SYS` sends them (RFC 5531, appendix A).
#[cfg(unix)]
pub fn identity() -> (u32, u32, Vec<u32>) {
    /// The protocol carries no more.
    const GROUPS_MAX: usize = 16;
    let mut groups: Vec<libc::gid_t> = vec![0; 1024];
    // SAFETY: plain calls; the array holds as many numbers as passed.
    let (user, group, count) = unsafe {
        (
            libc::geteuid(),
            libc::getegid(),
            libc::getgroups(groups.len() as libc::c_int, groups.as_mut_ptr()),
        )
    };
    groups.truncate(usize::try_from(count).unwrap_or(0).min(GROUPS_MAX));
    (user, group, groups)
}

/// Systems without such numbers are nobody to the server.
#[cfg(not(unix))]
pub fn identity() -> (u32, u32, Vec<u32>) {
    (65534, 65534, Vec::new())
}

/// Connects from a port below 1024 where the process may: most servers take requests from such ports only (option `secure` of exports(5)). Says
/// whether the port is one.
///
/// # Errors
/// The system's own, when there is no connection at all.
pub fn connect(address: SocketAddr, timeout: Duration) -> io::Result<(TcpStream, bool)> {
    for port in privileged_ports() {
        match connect_from(address, port, timeout) {
            Ok(stream) => return Ok((stream, true)),
            // Taken, or still in TIME_WAIT with this server: the next.
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::AddrInUse | io::ErrorKind::AddrNotAvailable
                ) => {}
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => break,
            Err(error) => return Err(error),
        }
    }
    TcpStream::connect_timeout(&address, timeout).map(|stream| (stream, false))
}

fn connect_from(address: SocketAddr, port: u16, timeout: Duration) -> io::Result<TcpStream> {
    use socket2::{Domain, Protocol, Socket, Type};
    let socket = Socket::new(
        Domain::for_address(address),
        Type::STREAM,
        Some(Protocol::TCP),
    )?;
    let any: SocketAddr = if address.is_ipv6() {
        (std::net::Ipv6Addr::UNSPECIFIED, port).into()
    } else {
        (std::net::Ipv4Addr::UNSPECIFIED, port).into()
    };
    socket.bind(&any.into())?;
    socket.connect_timeout(&address.into(), timeout)?;
    Ok(socket.into())
}

/// The range that other clients use (665 to 1023), from a start that differs from call to call.
#[cfg(unix)]
fn privileged_ports() -> impl Iterator<Item = u16> {
    use std::hash::{BuildHasher, Hasher};
    const FIRST: u64 = 665;
    const COUNT: u64 = 1024 - FIRST;
    let start = std::hash::RandomState::new().build_hasher().finish() % COUNT;
    (0..COUNT).map(move |index| (FIRST + (start + index) % COUNT) as u16)
}

/// Windows has no privileged ports.
#[cfg(not(unix))]
fn privileged_ports() -> impl Iterator<Item = u16> {
    std::iter::empty()
}
