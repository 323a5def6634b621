//! `plumb serve`: how does a browser show the library of runs? By a server on this host, for clients with the token.

mod answer;
pub mod arguments;
mod door;
mod pages;
mod query;
mod runner;
mod server;
mod shelf;
mod slots;

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener};
use std::sync::Arc;

use plumb_load::secret::Secret;
use plumb_run::agent::{serving::listen, token};

use crate::commands::Outcome;
use crate::listen_at::ListenAt;
use crate::outcome::stop;
use crate::streams::{say, words};
use arguments::ServeArguments;
use door::{Door, new_token};
use pages::Pages;
use runner::Runner;
use shelf::Shelf;

/// The default port: the next after those of `plumb serve-net` and `plumb agent`.
const DEFAULT_PORT: u16 = 7476;

/// Serves until a signal arrives.
pub fn serve(arguments: &ServeArguments) -> anyhow::Result<Outcome> {
    let stop = stop()?;
    let shelf = Shelf::new(&arguments.folders)?;
    let runner = match arguments.plans.as_slice() {
        [] => None,
        plans => Some(Runner::new(
            plans,
            &arguments.targets,
            shelf.first_root(),
            words(),
        )?),
    };
    let given = arguments.token_file.as_deref().map(token).transpose()?;
    let is_new = given.is_none();
    let token = given.map_or_else(new_token, Ok)?;
    let (listener, address) = bound(arguments.listen)?;
    tell(&shelf, address, is_new.then_some(&token), arguments);
    let door = Door::new(&token, arguments.names.clone(), address.port());
    drop(token);
    let pages = Arc::new(Pages::new(door, shelf, runner, words()));
    let served = server::serve(listener, &pages, stop.flag());
    // A measurement in progress is stopped as by Ctrl-C, for any end of the server.
    pages.end();
    served?;
    Ok(Outcome::Done)
}

fn bound(at: Option<ListenAt>) -> anyhow::Result<(TcpListener, SocketAddr)> {
    let port = at.and_then(|at| at.port).unwrap_or(DEFAULT_PORT);
    match at {
        None => listen((Ipv4Addr::LOCALHOST, port).into()),
        Some(ListenAt {
            address: Some(address),
            ..
        }) => listen((address, port).into()),
        Some(ListenAt { address: None, .. }) => listen((Ipv6Addr::UNSPECIFIED, port).into())
            .or_else(|_| listen((Ipv4Addr::UNSPECIFIED, port).into())),
    }
}

/// Prints the address and how to log in. The token is printed only here.
fn tell(shelf: &Shelf, address: SocketAddr, token: Option<&Secret>, arguments: &ServeArguments) {
    say(&format!(
        "serving {} at http://{}/",
        shelf.in_words(),
        place(address)
    ));
    match token {
        Some(token) => say(&format!(
            "open http://{}/?token={}",
            place(address),
            token.expose()
        )),
        None => say(&format!(
            "open http://{}/ and enter the token of the file",
            place(address)
        )),
    }
    if !address.ip().is_loopback() {
        say(
            "plumb: the connection is not encrypted, and the token can be read on the network: use it on this host only, or through `ssh -L`",
        );
    }
    if !arguments.plans.is_empty() {
        say(&format!(
            "browsers may start {} on {}",
            arguments.plans.join(", "),
            arguments.targets.join(", ")
        ));
    }
}

/// The address for a browser.
fn place(address: SocketAddr) -> SocketAddr {
    let ip = match address.ip() {
        IpAddr::V4(any) if any.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(any) if any.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, address.port())
}
