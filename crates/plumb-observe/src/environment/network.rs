//! How does this machine reach a server? Name resolution, route, interface, round trip, and TCP settings.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream, ToSocketAddrs, UdpSocket};
use std::path::Path;
use std::time::{Duration, Instant};

use plumb_model::environment::{Environment, Fact};
use plumb_model::target::remote::Remote;

use super::fact::{flag_fact, number_fact, text_fact};
use super::interface::{self, is_live};
use super::windows_interface;
use crate::system;
use crate::system::interface as calls;
use crate::system::kernel_files::{Known, number, text};
use crate::system::paths;

/// A server, and whether it may be connected to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Server {
    pub host: String,
    pub port: u16,
    /// Connect to it, to check whether it responds and how fast; else the reason why not.
    pub connect: Result<(), String>,
}

impl Server {
    /// The server of a target. `trial`: connecting is allowed.
    pub fn of(remote: &Remote, trial: bool) -> Server {
        let untried = remote.scheme.properties().and_then(|of| of.untried);
        let connect = match untried {
            _ if !trial => Err("connecting was not requested".into()),
            // iperf3 serves one client at a time, and with -1 no second one (iperf3(1)).
            Some(why) => Err(why.into()),
            None => Ok(()),
        };
        Server {
            host: remote.host.clone(),
            port: remote.port(),
            connect,
        }
    }
}

/// Timeout of one connect; losing the first packet costs another 1 s (RFC 6298).
const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);
/// Connects for the median round trip.
const CONNECTS: usize = 5;

/// Sets the facts of the path to a server, and of the RDMA adapter on it.
pub(crate) fn look(root: &Path, server: &Server, environment: &mut Environment) {
    environment.set("network.host", Fact::Text(server.host.clone()));
    // Windows has settings of TCP of its own, and reports about RDMA otherwise.
    let on_windows = system::is_this_windows(root);
    if !on_windows {
        look_at_settings(root, environment);
    }
    if !is_live(root) {
        unknown(
            "names can be resolved only on the running system",
            environment,
        );
        return;
    }
    let addresses = match resolve(server, environment) {
        Ok(addresses) => addresses,
        Err(reason) => return unknown(&reason, environment),
    };
    let address = reach(server, &addresses, environment);
    let local = local_address(address);
    environment.set("network.local_address", text_fact(local.clone()));
    let own = calls::addresses()
        .map(|own| own.iter().any(|(_, own)| *own == address.ip()))
        .unwrap_or(false);
    let same_machine = own || address.ip().is_loopback();
    environment.set("network.same_machine", Fact::Flag(same_machine));
    match interface_to(address, local, same_machine) {
        Ok(name) if on_windows => windows_interface::look(&name, environment),
        Ok(name) => {
            interface::look(root, &name, environment);
            super::rdma::look(root, Some(&name), environment);
        }
        Err(reason) => {
            environment.set("network.interface", Fact::Unknown(reason));
            if !on_windows {
                super::rdma::look(root, None, environment);
            }
        }
    }
}

/// Everything that is unknown without an address.
fn unknown(reason: &str, environment: &mut Environment) {
    for id in [
        "network.addresses",
        "network.address",
        "network.same_machine",
        "network.round_trip_us",
        "network.local_address",
        "network.interface",
    ] {
        environment.set(id, Fact::Unknown(reason.to_owned()));
    }
}

/// Addresses of the server, each once, in the order in which the system would try them.
fn resolve(server: &Server, environment: &mut Environment) -> Known<Vec<SocketAddr>> {
    let begun = Instant::now();
    let found = (server.host.as_str(), server.port).to_socket_addrs();
    let took = begun.elapsed();
    let mut addresses: Vec<SocketAddr> = Vec::new();
    for address in
        found.map_err(|error| format!("the name {} cannot be resolved: {error}", server.host))?
    {
        if !addresses.contains(&address) {
            addresses.push(address);
        }
    }
    if addresses.is_empty() {
        return Err(format!("the name {} has no address", server.host));
    }
    // An address as it stands needs no resolver.
    if server.host.parse::<IpAddr>().is_err() {
        environment.set(
            "network.resolution_us",
            Fact::Number(took.as_secs_f64() * 1e6),
        );
    }
    let reported = addresses
        .iter()
        .map(|address| address.ip().to_string())
        .collect::<Vec<_>>()
        .join(", ");
    environment.set("network.addresses", Fact::Text(reported));
    Ok(addresses)
}

/// Connects, and sets address and round trip. The address that responds, else the first.
fn reach(server: &Server, addresses: &[SocketAddr], environment: &mut Environment) -> SocketAddr {
    let first = addresses[0];
    if let Err(reason) = &server.connect {
        environment.set("network.address", Fact::Text(first.ip().to_string()));
        environment.set("network.round_trip_us", Fact::Unknown(reason.clone()));
        return first;
    }
    let mut refusals = Vec::new();
    for address in addresses {
        match connect_ns(address) {
            Ok(first_ns) => {
                // The first connect also fills the caches of addresses on the way, and is not counted with the others.
                let mut times: Vec<f64> = (1..CONNECTS)
                    .filter_map(|_| connect_ns(address).ok())
                    .collect();
                if times.is_empty() {
                    times.push(first_ns);
                }
                times.sort_by(f64::total_cmp);
                environment.set("network.address", Fact::Text(address.ip().to_string()));
                environment.set(
                    "network.round_trip_us",
                    Fact::Number(times[times.len() / 2] / 1e3),
                );
                return *address;
            }
            Err(error) => refusals.push(format!("{address}: {error}")),
        }
    }
    let reason = format!("no response from {}", refusals.join("; "));
    environment.set("network.address", Fact::Unknown(reason.clone()));
    environment.set("network.round_trip_us", Fact::Unknown(reason));
    first
}

/// Time of one TCP connect in nanoseconds: one round trip and what both systems do for it.
fn connect_ns(address: &SocketAddr) -> std::io::Result<f64> {
    let begun = Instant::now();
    TcpStream::connect_timeout(address, CONNECT_TIMEOUT)?;
    Ok(begun.elapsed().as_nanos() as f64)
}

/// The local address on the path to a server: that of a UDP socket connected to it, which sends nothing.
fn local_address(server: SocketAddr) -> Known<IpAddr> {
    let any: SocketAddr = if server.is_ipv4() {
        ([0u8; 4], 0).into()
    } else {
        ([0u16; 8], 0).into()
    };
    let socket = UdpSocket::bind(any).and_then(|socket| socket.connect(server).map(|()| socket));
    let local = socket.and_then(|socket| socket.local_addr());
    local
        .map(|local| local.ip())
        .map_err(|error| format!("no route to {}: {error}", server.ip()))
}

/// The outgoing interface to the server. Traffic to a local address stays on loopback, whichever interface has the address.
fn interface_to(server: SocketAddr, local: Known<IpAddr>, same_machine: bool) -> Known<String> {
    let local = match (same_machine, server.is_ipv4()) {
        (true, true) => IpAddr::V4(Ipv4Addr::LOCALHOST),
        (true, false) => IpAddr::V6(Ipv6Addr::LOCALHOST),
        (false, _) => local?,
    };
    match calls::interface_of(local) {
        Ok(Some(name)) => Ok(name),
        Ok(None) => Err(format!("no local interface has the address {local}")),
        Err(error) => Err(format!("the interfaces cannot be listed: {error}")),
    }
}

/// Name of the interface that the route to this target's server uses; `None` where it cannot be found out.
pub(crate) fn interface_name(host: &str, port: u16) -> Option<String> {
    let address = (host, port).to_socket_addrs().ok()?.next()?;
    let own = calls::addresses()
        .ok()?
        .iter()
        .any(|(_, own)| *own == address.ip());
    interface_to(
        address,
        local_address(address),
        own || address.ip().is_loopback(),
    )
    .ok()
}

/// Documentation/networking/ip-sysctl.rst and admin-guide/sysctl/net.rst.
fn look_at_settings(root: &Path, environment: &mut Environment) {
    let ipv4 = paths::ipv4_setting;
    environment.set(
        "network.tcp_congestion_control",
        text_fact(text(root, &ipv4("tcp_congestion_control"))),
    );
    // Three numbers: least, at the start, most.
    let most = |name: &str| {
        let path = ipv4(name);
        let line = text(root, &path)?;
        line.split_whitespace()
            .nth(2)
            .and_then(|most| most.parse().ok())
            .ok_or_else(|| format!("/{path} holds '{line}'"))
    };
    environment.set(
        "network.tcp_receive_max_bytes",
        number_fact(most("tcp_rmem")),
    );
    environment.set("network.tcp_send_max_bytes", number_fact(most("tcp_wmem")));
    environment.set(
        "network.socket_receive_max_bytes",
        number_fact(number(root, &paths::socket_setting("rmem_max"))),
    );
    environment.set(
        "network.socket_send_max_bytes",
        number_fact(number(root, &paths::socket_setting("wmem_max"))),
    );
    for (id, name) in [
        ("network.tcp_window_scaling", "tcp_window_scaling"),
        ("network.tcp_timestamps", "tcp_timestamps"),
    ] {
        environment.set(
            id,
            flag_fact(number(root, &ipv4(name)).map(|value| value > 0.0)),
        );
    }
    let probing = number(root, &ipv4("tcp_mtu_probing")).map(|value| match value as i64 {
        0 => "off".to_owned(),
        1 => "after a black hole".to_owned(),
        _ => "always".to_owned(),
    });
    environment.set("network.tcp_mtu_probing", text_fact(probing));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;
    use std::net::TcpListener;

    fn server(host: &str, port: u16) -> Server {
        Server {
            host: host.into(),
            port,
            connect: Ok(()),
        }
    }

    fn facts_of(server: &Server) -> Environment {
        let mut environment = Environment::default();
        look(Path::new("/"), server, &mut environment);
        environment
    }

    #[test]
    fn a_listener_on_loopback_is_reached_and_called_the_same_machine() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let facts = facts_of(&server("127.0.0.1", listener.local_addr().unwrap().port()));
        assert_eq!(facts.text("network.address"), Some("127.0.0.1"));
        assert_eq!(facts.flag("network.same_machine"), Some(true));
        let round_trip_us = facts.number("network.round_trip_us").unwrap();
        assert!(round_trip_us > 0.0, "{round_trip_us}");
        assert!(
            !facts.facts.contains_key("network.resolution_us"),
            "an address needs no resolver"
        );
        if crate::system::IS_WINDOWS {
            assert_eq!(facts.text("network.interface_kind"), Some("loopback"));
        } else if crate::system::IS_LINUX {
            assert_eq!(facts.text("network.interface"), Some("lo"));
            assert_eq!(facts.text("network.interface_kind"), Some("loopback"));
            assert_eq!(interface_name("127.0.0.1", 1).as_deref(), Some("lo"));
        } else {
            eprintln!("skipped: interfaces are named by Linux only");
        }
    }

    #[test]
    fn a_port_without_a_listener_is_unknown_with_the_systems_words() {
        let port = TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap()
            .port();
        let facts = facts_of(&server("localhost", port));
        for id in ["network.address", "network.round_trip_us"] {
            assert!(
                matches!(&facts.facts[id], Fact::Unknown(why) if why.contains("no response from") && why.contains("refused")),
                "{:?}",
                facts.facts[id]
            );
        }
        assert!(facts.number("network.resolution_us").is_some());
        assert!(
            facts
                .text("network.addresses")
                .unwrap()
                .contains("127.0.0.1")
        );
    }

    #[test]
    fn a_name_that_nobody_knows_leaves_all_unknown() {
        // RFC 2606: .invalid is never a name.
        let facts = facts_of(&server("no-such-host.invalid", 445));
        assert!(
            matches!(&facts.facts["network.address"], Fact::Unknown(why) if why.contains("cannot be resolved")),
            "{facts:?}"
        );
        assert!(matches!(facts.facts["network.interface"], Fact::Unknown(_)));
    }

    #[test]
    fn an_iperf3_server_is_left_alone() {
        let remote: Remote = "iperf3://127.0.0.1".parse().unwrap();
        let facts = facts_of(&Server::of(&remote, true));
        assert!(
            matches!(&facts.facts["network.round_trip_us"], Fact::Unknown(why) if why.contains("one client at a time"))
        );
        assert_eq!(
            Server::of(&"tcp://h".parse().unwrap(), true).connect,
            Ok(())
        );
        assert!(
            Server::of(&"tcp://h".parse().unwrap(), false)
                .connect
                .is_err()
        );
    }

    #[test]
    fn settings_are_read_from_the_kernels_files() {
        let tree = fixture::tree("proc-share");
        let mut facts = Environment::default();
        look_at_settings(tree.path(), &mut facts);
        assert_eq!(facts.text("network.tcp_congestion_control"), Some("cubic"));
        assert_eq!(
            facts.number("network.tcp_receive_max_bytes"),
            Some(6_291_456.0)
        );
        assert_eq!(
            facts.number("network.tcp_send_max_bytes"),
            Some(4_194_304.0)
        );
        assert_eq!(
            facts.number("network.socket_receive_max_bytes"),
            Some(212_992.0)
        );
        assert_eq!(facts.flag("network.tcp_window_scaling"), Some(true));
        assert_eq!(facts.text("network.tcp_mtu_probing"), Some("off"));
    }
}
