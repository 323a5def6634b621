//! Which port does a server of the tests listen on? One below those that the system lends to connections and to whoever binds port 0
//! (ip(7), ip_local_port_range: from 32768), so that nobody takes it between its choice and the server's start; none twice in a process.

use std::net::{Ipv4Addr, TcpListener, UdpSocket};
use std::sync::atomic::{AtomicU16, Ordering};

const FIRST: u16 = 10_000;
const PORTS: u16 = 20_000;
/// How far the first ports of two processes lie apart, when their numbers follow each other.
const STRIDE: u16 = 101;

static CHOSEN: AtomicU16 = AtomicU16::new(0);

/// A port that nobody listens on, neither by TCP nor by UDP, and that this process did not choose before.
pub fn free_port() -> u16 {
    let begin = (std::process::id() as u16).wrapping_mul(STRIDE);
    let is_free = |port| {
        TcpListener::bind((Ipv4Addr::UNSPECIFIED, port)).is_ok()
            && UdpSocket::bind((Ipv4Addr::UNSPECIFIED, port)).is_ok()
    };
    let ports = std::iter::repeat_with(|| {
        FIRST + begin.wrapping_add(CHOSEN.fetch_add(1, Ordering::Relaxed)) % PORTS
    });
    ports
        .take(PORTS.into())
        .find(|port| is_free(*port))
        .unwrap_or_else(|| panic!("none of the {PORTS} ports from {FIRST} on is free"))
}
