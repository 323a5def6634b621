//! How does Prometheus have the last sample? Over HTTP, as OpenMetrics text, from a thread that sleeps until a request comes.

use std::io::{self, Read, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::Context;
use plumb_model::run::metric::{Metric, Reading};
use plumb_record::exporter::openmetrics::{MEDIA_TYPE, readings_text};

/// A request is small and arrives at once: slower clients are dropped.
const REQUEST_BYTES_MAX: usize = 8 << 10;
const REQUEST_DUE: Duration = Duration::from_secs(2);
/// Default path of Prometheus.
const PATH: &str = "/metrics";

/// Serves until it goes.
pub struct Scraped {
    shared: Arc<Shared>,
    address: SocketAddr,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Shared {
    /// What readings may be of.
    metrics: Vec<&'static Metric>,
    last: Mutex<Last>,
    is_over: AtomicBool,
}

#[derive(Default)]
struct Last {
    readings: Vec<Reading>,
    started_unix_ns: u64,
}

impl Scraped {
    /// Listens at the first of these addresses that can be had, for readings of these metrics; `None` where there is none. Errors: none can be had.
    pub fn listen(
        addresses: &[SocketAddr],
        metrics: Vec<&'static Metric>,
    ) -> anyhow::Result<Option<Scraped>> {
        let Some(address) = addresses.first() else {
            return Ok(None);
        };
        let listener = TcpListener::bind(addresses).with_context(|| {
            format!(
                "--open-metrics: cannot listen on port {}; nothing was started; use an address of this host, and a free port",
                address.port()
            )
        })?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared {
            metrics,
            ..Shared::default()
        });
        let served = Arc::clone(&shared);
        let thread = std::thread::Builder::new()
            .name("open-metrics".into())
            .spawn(move || serve(&listener, &served))
            .context("cannot start a thread for --open-metrics; nothing was started")?;
        Ok(Some(Scraped {
            shared,
            address,
            thread: Some(thread),
        }))
    }

    /// Takes the last sample; it is formatted on request.
    pub fn take(&self, readings: &[Reading], started_unix_ns: u64) {
        let mut last = self
            .shared
            .last
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        last.readings.clear();
        last.readings.extend_from_slice(readings);
        last.started_unix_ns = started_unix_ns;
    }
}

impl Drop for Scraped {
    fn drop(&mut self) {
        self.shared.is_over.store(true, Ordering::Release);
        let ip = match self.address.ip() {
            ip if ip.is_unspecified() => IpAddr::V4(Ipv4Addr::LOCALHOST),
            ip => ip,
        };
        // A connection wakes the thread. Where none can be made the thread is left to the end of the program.
        let woken = TcpStream::connect_timeout(&(ip, self.address.port()).into(), REQUEST_DUE);
        if let (Ok(_), Some(thread)) = (woken, self.thread.take()) {
            let _ = thread.join();
        }
    }
}

fn serve(listener: &TcpListener, shared: &Shared) {
    for stream in listener.incoming() {
        if shared.is_over.load(Ordering::Acquire) {
            break;
        }
        let answered = stream.and_then(|stream| answer(stream, shared));
        if let Err(error) = answered {
            log::debug!("open-metrics: {error}");
            // No descriptor is left, or the client has gone: neither is to take a core.
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

/// Answers one request, and closes.
fn answer(mut stream: TcpStream, shared: &Shared) -> io::Result<()> {
    stream.set_write_timeout(Some(REQUEST_DUE))?;
    let request = request_of(&mut stream)?;
    let mut words = request.split(' ');
    let (method, target) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
    let path = target.split('?').next().unwrap_or("");
    let (status, media, body) = match (method, path) {
        ("GET" | "HEAD", PATH | "/") => {
            let last = shared.last.lock().unwrap_or_else(PoisonError::into_inner);
            let text = readings_text(
                shared.metrics.iter().copied(),
                &last.readings,
                last.started_unix_ns,
            );
            ("200 OK", MEDIA_TYPE, text)
        }
        ("GET" | "HEAD", _) => {
            let text = format!("The readings are at {PATH}.\n");
            ("404 Not Found", "text/plain; charset=utf-8", text)
        }
        _ => {
            let text = "Only GET and HEAD are supported.\n".to_string();
            ("405 Method Not Allowed", "text/plain; charset=utf-8", text)
        }
    };
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {media}\r\nContent-Length: {}\r\nAllow: GET, HEAD\r\nConnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes())?;
    if method != "HEAD" {
        stream.write_all(body.as_bytes())?;
    }
    stream.flush()
}

/// The first line of a request, once its head is there. Errors: it is too long, late, or the client has gone.
fn request_of(stream: &mut TcpStream) -> io::Result<String> {
    let due = Instant::now() + REQUEST_DUE;
    let (mut bytes, mut piece) = (Vec::new(), [0; 1024]);
    while !bytes.windows(4).any(|end| end == b"\r\n\r\n") {
        let left = due.saturating_duration_since(Instant::now());
        if left.is_zero() || bytes.len() > REQUEST_BYTES_MAX {
            return Err(io::ErrorKind::TimedOut.into());
        }
        stream.set_read_timeout(Some(left))?;
        match stream.read(&mut piece)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            read => bytes.extend_from_slice(&piece[..read]),
        }
    }
    let text = String::from_utf8_lossy(&bytes);
    Ok(text.lines().next().unwrap_or_default().to_owned())
}

#[cfg(test)]
mod tests {
    use plumb_observe::sources::metrics;

    use super::*;

    fn response_to(address: SocketAddr, request: &str) -> String {
        let mut stream = TcpStream::connect(address).expect("listens");
        stream.write_all(request.as_bytes()).expect("sent");
        let mut text = String::new();
        stream.read_to_string(&mut text).expect("answered");
        text
    }

    #[test]
    fn the_last_sample_is_served_and_nothing_else() {
        let anywhere = (Ipv4Addr::LOCALHOST, 0).into();
        let scraped = Scraped::listen(&[anywhere], metrics().collect())
            .expect("free")
            .expect("one");
        let reading = |value| Reading {
            metric: "disk.reads".into(),
            instance: "vda".into(),
            time_ns: 0,
            value: Some(value),
        };
        scraped.take(&[reading(1.0)], 5_000_000_000);
        scraped.take(&[reading(2.0)], 5_000_000_000);
        let text = response_to(scraped.address, "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n");
        assert!(text.starts_with("HTTP/1.1 200 OK\r\n"), "{text}");
        assert!(
            text.ends_with("plumb_disk_reads_total{name=\"vda\"} 2 5.000\n# EOF\n"),
            "{text}"
        );
        let head = response_to(scraped.address, "HEAD / HTTP/1.1\r\n\r\n");
        assert!(head.ends_with("\r\n\r\n"), "{head}");
        for (request, status) in [
            ("GET /x HTTP/1.1\r\n\r\n", "404"),
            ("POST /metrics HTTP/1.1\r\n\r\n", "405"),
            ("\0\r\n\r\n", "405"),
        ] {
            let text = response_to(scraped.address, request);
            assert!(text.starts_with(&format!("HTTP/1.1 {status}")), "{text}");
        }
        // A client that disconnects without a request changes nothing.
        drop(TcpStream::connect(scraped.address));
        let text = response_to(scraped.address, "GET /metrics HTTP/1.0\r\n\r\n");
        assert!(text.contains("# EOF"), "{text}");
        let address = scraped.address;
        drop(scraped);
        assert!(TcpListener::bind(address).is_ok(), "the port is released");
    }

    #[test]
    fn a_port_that_is_taken_is_refused() {
        let taken = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("free");
        let address = taken.local_addr().expect("bound");
        let refusal = Scraped::listen(&[address], Vec::new())
            .err()
            .expect("taken")
            .to_string();
        assert!(refusal.contains(&address.port().to_string()), "{refusal}");
    }
}
