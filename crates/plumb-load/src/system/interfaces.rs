//! Which addresses does this machine have, and how does a connection leave by one of them?

use std::io;
use std::net::{IpAddr, SocketAddr, TcpStream};
use std::time::Duration;

use socket2::{Domain, Protocol, Socket, Type};

/// An address of an interface that is up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalAddress {
    /// Name of the interface.
    pub interface: String,
    pub address: IpAddr,
    /// Bits of the address that name its network.
    pub prefix_bits: u8,
    /// As reported by the driver; missing if not reported.
    pub speed_bits_per_s: Option<u64>,
    /// Queues that received packets are spread over; missing if the system does not report it.
    pub receive_queues: Option<u32>,
}

impl LocalAddress {
    /// The other address is of the same network.
    pub fn shares_network_with(&self, other: IpAddr) -> bool {
        let bits = u32::from(self.prefix_bits);
        match (self.address, other) {
            (IpAddr::V4(mine), IpAddr::V4(other)) => {
                (mine.to_bits() ^ other.to_bits()).leading_zeros() >= bits
            }
            (IpAddr::V6(mine), IpAddr::V6(other)) => {
                (mine.to_bits() ^ other.to_bits()).leading_zeros() >= bits
            }
            _ => false,
        }
    }
}

/// All addresses of interfaces that are up.
///
/// # Errors
/// The system does not list them.
pub fn local_addresses() -> io::Result<Vec<LocalAddress>> {
    let found = if_addrs::get_if_addrs()?;
    let up = found.into_iter().filter(if_addrs::Interface::is_oper_up);
    Ok(up
        .map(|interface| LocalAddress {
            address: interface.ip(),
            prefix_bits: match &interface.addr {
                if_addrs::IfAddr::V4(address) => address.prefixlen,
                if_addrs::IfAddr::V6(address) => address.prefixlen,
            },
            speed_bits_per_s: speed_bits_per_s(&interface.name),
            receive_queues: receive_queues(&interface.name),
            interface: interface.name,
        })
        .collect())
}

/// sysfs-class-net: Mbit/s, -1 where the driver does not know.
#[cfg(target_os = "linux")]
fn speed_bits_per_s(interface: &str) -> Option<u64> {
    let text = std::fs::read_to_string(format!("/sys/class/net/{interface}/speed")).ok()?;
    let mbit_per_s: u64 = text.trim().parse().ok()?;
    Some(mbit_per_s * 1_000_000)
}

#[cfg(target_os = "linux")]
fn receive_queues(interface: &str) -> Option<u32> {
    let queues = std::fs::read_dir(format!("/sys/class/net/{interface}/queues")).ok()?;
    let receive = queues
        .flatten()
        .filter(|entry| entry.file_name().to_string_lossy().starts_with("rx-"));
    Some(receive.count() as u32).filter(|count| *count > 0)
}

#[cfg(not(target_os = "linux"))]
fn speed_bits_per_s(_: &str) -> Option<u64> {
    None
}

#[cfg(not(target_os = "linux"))]
fn receive_queues(_: &str) -> Option<u32> {
    None
}

/// Connects from this address, by its interface where the system lets a program choose one: two interfaces of one network would else both be left by the
/// first.
///
/// # Errors
/// No connection within this time.
pub fn connect_from(
    from: Option<&LocalAddress>,
    to: SocketAddr,
    patience: Duration,
) -> io::Result<TcpStream> {
    let Some(from) = from else {
        return TcpStream::connect_timeout(&to, patience);
    };
    let socket = Socket::new(Domain::for_address(to), Type::STREAM, Some(Protocol::TCP))?;
    leave_by(&socket, &from.interface);
    socket.bind(&SocketAddr::new(from.address, 0).into())?;
    socket.connect_timeout(&to.into(), patience)?;
    Ok(socket.into())
}

/// Without the right to choose, routes decide.
#[cfg(target_os = "linux")]
fn leave_by(socket: &Socket, interface: &str) {
    let _ = socket.bind_device(Some(interface.as_bytes()));
}

#[cfg(not(target_os = "linux"))]
fn leave_by(_: &Socket, _: &str) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_those_of_the_same_network() {
        let of = |address: &str, prefix_bits| LocalAddress {
            interface: "eth0".into(),
            address: address.parse().expect("an address"),
            prefix_bits,
            speed_bits_per_s: None,
            receive_queues: None,
        };
        for (mine, bits, other, expected) in [
            ("10.0.1.2", 24, "10.0.1.77", true),
            ("10.0.1.2", 24, "10.0.2.77", false),
            ("10.0.1.2", 32, "10.0.1.2", true),
            ("10.0.1.2", 0, "192.168.0.1", true),
            ("fd00::1", 64, "fd00::2", true),
            ("fd00::1", 64, "fd00:1::2", false),
            ("10.0.1.2", 8, "fd00::1", false),
        ] {
            let other = other.parse().expect("an address");
            assert_eq!(
                of(mine, bits).shares_network_with(other),
                expected,
                "{mine}/{bits}"
            );
        }
    }

    #[test]
    fn this_machine_has_a_loopback_that_can_be_left_by() {
        let all = local_addresses().expect("addresses");
        let loopback = all
            .iter()
            .find(|one| one.address.is_loopback() && one.address.is_ipv4())
            .expect("a loopback");
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("its address");
        let stream = connect_from(Some(loopback), address, Duration::from_secs(10)).expect("there");
        assert_eq!(
            stream.local_addr().expect("an address").ip(),
            loopback.address
        );
    }
}
