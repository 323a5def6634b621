//! `plumb serve-net`: which peer serves network measurements of another host?

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::atomic::Ordering;

use anyhow::{Context, anyhow};
use plumb_load::fabric::Responder;
use plumb_load::peer::{Listener, Rules};
use plumb_model::target::remote::Scheme;
use plumb_model::text::shell::quoted;
use plumb_model::units::Bytes;

use crate::cli::ServeNetArguments;
use crate::commands::Outcome;
use crate::listen_at::ListenAt;
use crate::outcome::stop;
use crate::streams::say;

/// Listens, prints the address, and serves until a signal arrives.
pub fn serve_net(arguments: &ServeNetArguments) -> anyhow::Result<Outcome> {
    let stop = stop()?.flag().clone();
    let at = arguments.listen.unwrap_or(ListenAt {
        address: Some(Ipv4Addr::LOCALHOST.into()),
        port: None,
    });
    let listener = bind(at, Scheme::Tcp, Listener::bind)?;
    let address = listener
        .address()
        .context("cannot determine the listening address")?;
    let whom = match arguments.allowed.as_slice() {
        [] if address.ip().is_loopback() => {
            "this host only (for others: --listen any, with --allow and their addresses)"
                .to_string()
        }
        [] => "every host that can connect (restrict it with --allow)".to_string(),
        allowed => allowed
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
            .join(", "),
    };
    say(&format!(
        "listening on {address}, serving {whom}; received data is discarded"
    ));
    say(&format!(
        "on {}: plumb run network-stream {}",
        client_of(address),
        quoted(&target(Scheme::Tcp, address).to_string())
    ));
    let rules = Rules {
        allowed: arguments.allowed.clone(),
        once: arguments.once,
    };
    let most = arguments
        .rdma_memory
        .as_deref()
        .map(str::parse::<Bytes>)
        .transpose()
        .map_err(|error| anyhow!("--rdma-memory: {error}"))?;
    let responder = arguments
        .rdma
        .map(|at_rdma| {
            provide(
                at_rdma.unwrap_or(ListenAt { port: None, ..at }),
                most,
                &whom,
            )
        })
        .transpose()?;
    std::thread::scope(|scope| {
        if let Some(responder) = &responder {
            let (allowed, stop) = (&rules.allowed, &stop);
            let providing = move || responder.serve(allowed, stop, &|line| say(&line));
            std::thread::Builder::new()
                .spawn_scoped(scope, providing)
                .context("cannot start the thread for RDMA peers (ulimit -u)")?;
        }
        listener.serve(&rules, &stop, &|line| say(&line));
        // With `once` the listener returns.
        stop.store(true, Ordering::Relaxed);
        Ok(Outcome::Done)
    })
}

/// Binds to the requested address; all addresses includes IPv4 and IPv6 if the system has both.
fn bind<T, E: Into<anyhow::Error>>(
    at: ListenAt,
    scheme: Scheme,
    bind: impl Fn(SocketAddr) -> Result<T, E>,
) -> anyhow::Result<T> {
    let port = at.port.unwrap_or(scheme.default_port());
    let v4 = || SocketAddr::from((Ipv4Addr::UNSPECIFIED, port));
    let (requested, bound) = match at.address {
        Some(address) => (
            SocketAddr::from((address, port)),
            bind((address, port).into()),
        ),
        None => (
            v4(),
            bind((Ipv6Addr::UNSPECIFIED, port).into()).or_else(|_| bind(v4())),
        ),
    };
    let remedy = "another program may use the port, or the address is not one of this host: set another with --listen ADDRESS:PORT";
    bound
        .map_err(Into::into)
        .with_context(|| format!("cannot listen on {requested}; {remedy}"))
}

/// Memory for RDMA peers, in addition to TCP.
fn provide(at: ListenAt, most: Option<Bytes>, whom: &str) -> anyhow::Result<Responder> {
    let mut responder = bind(at, Scheme::Rdma, |address| {
        Responder::bind(address).map_err(anyhow::Error::msg)
    })?;
    if let Some(most) = most {
        responder.limit_memory(most.0);
    }
    let address = responder
        .local_addr()
        .context("cannot determine the listening address")?;
    say(&format!(
        "providing memory to RDMA peers at {address}, serving {whom}; it is released a minute after they disconnect"
    ));
    say(&format!(
        "on {}: plumb run rdma {}",
        client_of(address),
        quoted(&target(Scheme::Rdma, address).to_string())
    ));
    Ok(responder)
}

/// The host that can connect to this address.
fn client_of(address: SocketAddr) -> &'static str {
    if address.ip().is_loopback() {
        "this host"
    } else {
        "the other host"
    }
}

/// The target of a client.
fn target(scheme: Scheme, address: SocketAddr) -> String {
    let host = match address.ip() {
        any if any.is_unspecified() => "THIS-HOST".to_string(),
        std::net::IpAddr::V6(v6) => format!("[{v6}]"),
        v4 => v4.to_string(),
    };
    let port = if address.port() == scheme.default_port() {
        String::new()
    } else {
        format!(":{}", address.port())
    };
    format!("{scheme}://{host}{port}")
}

#[cfg(test)]
mod tests {
    #[test]
    fn where_to_listen_is_read_as_people_write_it() {
        let read = |text: &str| {
            text.parse::<super::ListenAt>()
                .map(|at| (at.address.map(|ip| ip.to_string()), at.port))
        };
        let some = |address: &str| Some(address.to_string());
        for (text, expected) in [
            ("any", (None, None)),
            ("any:7000", (None, Some(7000))),
            ("10.0.0.5", (some("10.0.0.5"), None)),
            ("10.0.0.5:0", (some("10.0.0.5"), Some(0))),
            ("fd00::5", (some("fd00::5"), None)),
            ("[fd00::5]", (some("fd00::5"), None)),
            ("[fd00::5]:7", (some("fd00::5"), Some(7))),
        ] {
            assert_eq!(read(text), Ok(expected), "{text}");
        }
        for nonsense in [
            "",
            "everywhere",
            "any:",
            "any:70000",
            "anyhow",
            "10.0.0:7",
            "localhost",
        ] {
            assert!(
                read(nonsense).is_err_and(|error| error.contains("any:7000")),
                "{nonsense}"
            );
        }
    }

    #[test]
    fn the_target_is_what_a_client_types() {
        let check = |address: &str, expected: &str| {
            assert_eq!(
                super::target(super::Scheme::Tcp, address.parse().expect("address")),
                expected
            )
        };
        check("[::]:7473", "tcp://THIS-HOST");
        check("0.0.0.0:7000", "tcp://THIS-HOST:7000");
        check("10.0.0.7:7473", "tcp://10.0.0.7");
        check("[fd00::7]:7000", "tcp://[fd00::7]:7000");
    }
}
