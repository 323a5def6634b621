//! A network that is slower than loopback, by a known time and a known rate: a proxy before a real server. Kernels without netem have nothing else.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// What it does to each connection.
#[derive(Debug, Clone, Copy)]
pub struct Slowness {
    /// Added to each way.
    pub delay: Duration,
    /// Of the way back, one byte after the other; missing: as fast as it goes.
    pub bytes_per_s: Option<f64>,
}

/// A proxy for all connections of a test; ends with the process. Returns its port.
pub fn slow_network(server: String, slowness: Slowness) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    std::thread::spawn(move || {
        for client in listener.incoming().flatten() {
            let Ok(upstream) = TcpStream::connect(&server) else {
                return;
            };
            for socket in [&client, &upstream] {
                socket.set_nodelay(true).expect("an option");
            }
            let there = (copy(&client), copy(&upstream));
            let unlimited = Slowness {
                bytes_per_s: None,
                ..slowness
            };
            one_way(there.0, there.1, unlimited);
            one_way(upstream, client, slowness);
        }
    });
    port
}

fn copy(socket: &TcpStream) -> TcpStream {
    socket.try_clone().expect("a socket")
}

/// Reads what comes, and hands it on when it is due.
fn one_way(mut from: TcpStream, to: TcpStream, slowness: Slowness) {
    let (pieces, due) = channel::<(Instant, Vec<u8>)>();
    std::thread::spawn(move || deliver(to, &due));
    std::thread::spawn(move || {
        let mut buffer = vec![0; 64 << 10];
        let mut free = Instant::now();
        while let Ok(length @ 1..) = from.read(&mut buffer) {
            let begin = free.max(Instant::now());
            let takes = slowness
                .bytes_per_s
                .map_or(0.0, |rate| length as f64 / rate);
            free = begin + Duration::from_secs_f64(takes);
            if pieces
                .send((free + slowness.delay, buffer[..length].to_vec()))
                .is_err()
            {
                break;
            }
        }
    });
}

fn deliver(mut to: TcpStream, due: &Receiver<(Instant, Vec<u8>)>) {
    while let Ok((at, bytes)) = due.recv() {
        std::thread::sleep(at.saturating_duration_since(Instant::now()));
        if to.write_all(&bytes).is_err() {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Both);
}
