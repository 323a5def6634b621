//! `plumb serve-net`: what answers on this host when another one measures the network between them?

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::atomic::Ordering;

use anyhow::Context;
use plumb_load::fabric::Responder;
use plumb_load::peer::{Listener, Rules};
use plumb_model::remote::Scheme;

use super::Outcome;
use crate::cli::ServeNetArguments;
use crate::measurement::stop_on_signals;
use crate::streams::say;

/// Listens, says where, and serves until a signal comes.
pub fn serve_net(arguments: &ServeNetArguments) -> anyhow::Result<Outcome> {
    let stop = stop_on_signals()?;
    let port = Scheme::Tcp.default_port();
    let asked = arguments.listen.unwrap_or_else(|| SocketAddr::from((Ipv6Addr::UNSPECIFIED, port)));
    let listener = match arguments.listen {
        Some(address) => Listener::bind(address),
        None => Listener::bind_everywhere(port),
    };
    let remedy = "another program may use the port, or the address is none of this host: name another with --listen ADDRESS:PORT";
    let listener = listener.with_context(|| format!("nothing can listen on {asked}; {remedy}"))?;
    let address = listener.address().context("the system does not tell where it listens")?;
    let whom = match arguments.allowed.as_slice() {
        [] => "every host that reaches it".to_string(),
        allowed => allowed.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "),
    };
    say(&format!("listening on {address}, serving {whom}; nothing that is sent here is stored"));
    say(&format!("on the other host: plumb run network-stream {}", target(Scheme::Tcp, address)));
    let rules = Rules { allowed: arguments.allowed.clone(), once: arguments.once };
    let responder = arguments.rdma.map(|address| lend(address, &whom)).transpose()?;
    std::thread::scope(|scope| {
        if let Some(responder) = &responder {
            let (allowed, stop) = (&rules.allowed, &stop);
            scope.spawn(move || responder.serve(allowed, stop, &|line| say(&line)));
        }
        listener.serve(&rules, &stop, &|line| say(&line));
        // With `once` the listener ends by itself.
        stop.store(true, Ordering::Relaxed);
    });
    Ok(Outcome::Done)
}

/// Memory for RDMA peers, beside TCP.
fn lend(address: SocketAddr, whom: &str) -> anyhow::Result<Responder> {
    let everywhere = SocketAddr::from((Ipv6Addr::UNSPECIFIED, Scheme::Rdma.default_port()));
    let only_v4 = SocketAddr::from((Ipv4Addr::UNSPECIFIED, address.port()));
    let responder = Responder::bind(address).or_else(|error| if address == everywhere { Responder::bind(only_v4) } else { Err(error) });
    let responder = responder.map_err(anyhow::Error::msg)?;
    let address = responder.local_addr().context("the system does not tell where it listens")?;
    say(&format!("lending memory to RDMA peers at {address}, serving {whom}; it is given back a minute after they have gone"));
    say(&format!("on the other host: plumb run rdma {}", target(Scheme::Rdma, address)));
    Ok(responder)
}

/// What a client names as its target.
fn target(scheme: Scheme, address: SocketAddr) -> String {
    let host = match address.ip() {
        any if any.is_unspecified() => "THIS-HOST".to_string(),
        std::net::IpAddr::V6(v6) => format!("[{v6}]"),
        v4 => v4.to_string(),
    };
    let port = if address.port() == scheme.default_port() { String::new() } else { format!(":{}", address.port()) };
    format!("{scheme}://{host}{port}")
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_target_is_what_a_client_types() {
        let check =
            |address: &str, expected: &str| assert_eq!(super::target(super::Scheme::Tcp, address.parse().expect("address")), expected);
        check("[::]:7473", "tcp://THIS-HOST");
        check("0.0.0.0:7000", "tcp://THIS-HOST:7000");
        check("10.0.0.7:7473", "tcp://10.0.0.7");
        check("[fd00::7]:7000", "tcp://[fd00::7]:7000");
    }
}
