//! Does `plumb serve-net` serve its clients while others try to keep it busy, and only this host by default?

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::hosts::Hosts;
use crate::{measured, plumb_in, refusal_of};

/// `plumb serve-net` with these words, stopped by its number when it is dropped; and its first lines.
struct Served {
    child: Child,
    said: Vec<String>,
}

impl Served {
    fn start(mut plumb: Command, words: &[&str], lines: usize) -> Served {
        plumb
            .arg("serve-net")
            .args(words)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        let mut child = plumb.spawn().expect("started");
        let mut told = BufReader::new(child.stderr.take().expect("piped"))
            .lines()
            .map_while(Result::ok);
        let said = told.by_ref().take(lines).collect();
        // What it says of its clients must not fill the pipe.
        std::thread::spawn(move || told.for_each(drop));
        Served { child, said }
    }

    /// The port that the line with these words tells.
    fn port(&self, words: &str) -> u16 {
        let line = self
            .said
            .iter()
            .find(|line| line.contains(words))
            .unwrap_or_else(|| panic!("{words}: {:?}", self.said));
        let address = line
            .split([' ', ','])
            .find(|word| word.starts_with("127.0.0.1:"))
            .expect("address");
        address
            .rsplit(':')
            .next()
            .and_then(|port| port.parse().ok())
            .expect("port")
    }

    /// The most memory that it has used, in bytes.
    fn peak_bytes(&self) -> u64 {
        let status =
            std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).expect("status");
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix("VmHWM:"))
            .expect("VmHWM");
        line.split_whitespace()
            .next()
            .and_then(|kib| kib.parse::<u64>().ok())
            .expect("KiB")
            * 1024
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn plumb() -> Command {
    Command::new(assert_cmd::cargo::cargo_bin("plumb"))
}

/// A connection from an address of the loopback.
fn connect(from: &str, port: u16) -> TcpStream {
    let socket =
        socket2::Socket::new(socket2::Domain::IPV4, socket2::Type::STREAM, None).expect("socket");
    socket
        .bind(
            &format!("{from}:0")
                .parse::<SocketAddr>()
                .expect("address")
                .into(),
        )
        .expect("bound");
    socket
        .connect(&SocketAddr::from(([127, 0, 0, 1], port)).into())
        .expect("it listens");
    let stream = TcpStream::from(socket);
    stream
        .set_read_timeout(Some(Duration::from_secs(20)))
        .expect("timeout");
    stream
}

/// A greeting of the protocol: version 1, this mode, messages of 8 bytes.
fn greeting(mode: u8) -> [u8; 32] {
    let mut hello = [0u8; 32];
    hello[..8].copy_from_slice(b"plumbnet");
    (hello[8], hello[10], hello[12]) = (1, mode, 8);
    hello
}

/// Connections from this address that send a greeting and nothing else.
fn silent(port: u16, from: &str, count: usize) -> Vec<TcpStream> {
    let one = |number: usize| {
        let mut stream = connect(from, port);
        stream
            .write_all(&greeting(1 + (number % 3) as u8))
            .map(|()| stream)
    };
    (0..count).filter_map(|number| one(number).ok()).collect()
}

/// A load of 100 messages is served.
fn serves(port: u16) {
    let folder = tempfile::tempdir().expect("folder");
    let line = format!(
        "run --target tcp://127.0.0.1:{port} --set mix=ping-pong --block 8 --operations 100 --json --quiet --output out"
    );
    let summary = measured(plumb_in(folder.path(), &line));
    assert_eq!(summary["steps"][0]["total"]["count"], 100);
}

#[test]
fn silent_connections_shut_nobody_out() {
    let served = Served::start(plumb(), &["--listen", "127.0.0.1:0"], 1);
    let port = served.port("listening");
    // One address takes all that it may have: others have theirs.
    let mut held = silent(port, "127.0.0.2", 300);
    serves(port);
    // Two take all there are; once nothing has moved on them for a moment, they make room.
    held.extend(silent(port, "127.0.0.3", 300));
    std::thread::sleep(Duration::from_secs(11));
    serves(port);
}

/// With few descriptors there are fewer connections, and each address still has its share.
#[test]
fn few_descriptors_of_a_server_are_shared_among_addresses() {
    let mut limited = Command::new("sh");
    limited.args(["-c", "ulimit -n 256; exec \"$0\" \"$@\""]);
    limited.arg(plumb().get_program());
    let served = Served::start(limited, &["--listen", "127.0.0.1:0"], 1);
    let port = served.port("listening");
    let _held = silent(port, "127.0.0.2", 300);
    serves(port);
}

#[test]
fn a_greeting_that_dribbles_is_cut_off() {
    let served = Served::start(plumb(), &["--listen", "127.0.0.1:0"], 1);
    let mut stream = connect("127.0.0.1", served.port("listening"));
    // 32 bytes, half a second each, are 16 s.
    let ended = greeting(1)[..31].iter().position(|byte| {
        std::thread::sleep(Duration::from_millis(500));
        stream.write_all(&[*byte]).is_err()
    });
    let mut rest = Vec::new();
    let heard = stream.read_to_end(&mut rest);
    assert!(
        ended.is_some() || matches!(heard, Ok(0)),
        "{ended:?} {heard:?}: the connection was kept"
    );
}

#[test]
fn without_an_address_it_serves_this_host_only() {
    let Some(hosts) = Hosts::new(23) else { return };
    let plumb = assert_cmd::cargo::cargo_bin("plumb").display().to_string();
    let folder = tempfile::tempdir().expect("folder");
    let reach = |host: usize, address: &str, output: &str| {
        let mut command = hosts.on(host, &plumb);
        let line = format!(
            "run --target tcp://{address} --set mix=ping-pong --block 8 --operations 100 --quiet --output {output}"
        );
        command
            .args(line.split_whitespace())
            .current_dir(folder.path());
        let output = command.output().expect("started");
        (
            output.status.code(),
            String::from_utf8_lossy(&output.stderr).to_string(),
        )
    };
    let alone = Served::start(hosts.on(1, &plumb), &[], 2);
    assert!(
        alone.said[0].starts_with(
            "listening on 127.0.0.1:7473, serving this host only (for others: --listen any"
        ),
        "{:?}",
        alone.said
    );
    let (code, error) = reach(0, "10.231.23.2", "refused");
    assert!(
        code == Some(2) && error.contains("nothing listens at 10.231.23.2:7473"),
        "{code:?} {error}"
    );
    assert!(matches!(reach(1, "127.0.0.1", "near").0, Some(0 | 1)));
    drop(alone);
    let all = Served::start(hosts.on(1, &plumb), &["--listen", "any"], 2);
    assert!(
        all.said[0].contains("serving every host that can connect"),
        "{:?}",
        all.said
    );
    assert!(matches!(reach(0, "10.231.23.2", "far").0, Some(0 | 1)));
    drop(all);
    let nonsense = refusal_of(plumb_in(folder.path(), "serve-net --listen here"));
    assert!(nonsense.contains("any:7000"), "{nonsense}");
}

/// A hello of the protocol for RDMA: tcp;ofi_rxm, this depth, message and memory.
fn rdma_hello(depth: u32, message: u32, memory: u64, name: u64) -> Vec<u8> {
    let mut body = Vec::new();
    for part in [
        &b"tcp;ofi_rxm"[..],
        &[2, 0, 200, 100, 127, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0],
    ] {
        body.extend((part.len() as u16).to_be_bytes());
        body.extend(part);
    }
    body.extend(depth.to_be_bytes());
    body.extend(message.to_be_bytes());
    body.extend(memory.to_be_bytes());
    body.extend(name.to_be_bytes());
    body.push(0);
    body.extend([0; 20]);
    let mut hello = b"PLMBRDM2".to_vec();
    hello.extend((body.len() as u32).to_be_bytes());
    hello.extend(body);
    hello
}

#[test]
fn hellos_cannot_make_it_use_more_memory_than_it_lends() {
    if plumb_load::fabric::listing()
        .map_err(|reason| println!("skipped: {reason}"))
        .is_err()
    {
        assert!(std::env::var_os("CI").is_none(), "CI installs libfabric1");
        return;
    }
    let words = [
        "--listen",
        "127.0.0.1:0",
        "--rdma=127.0.0.1:0",
        "--rdma-memory",
        "512m",
    ];
    let served = Served::start(plumb(), &words, 3);
    let port = served.port("providing memory");
    let before = served.peak_bytes();
    let mut held = Vec::new();
    let mut ask = |hello: &[u8]| {
        let mut stream = connect("127.0.0.1", port);
        stream.write_all(hello).expect("sent");
        let mut head = [0; 13];
        stream.read_exact(&mut head).expect("an answer");
        held.push(stream);
        head[12] == 1
    };
    // A gigabyte of messages, of memory, and both together: more than there is.
    for (depth, message, memory) in [
        (1, 1 << 30, 4096),
        (1, 8, 1 << 30),
        (1 << 16, 1 << 20, 300 << 20),
    ] {
        assert!(
            !ask(&rdma_hello(depth, message, memory, 1)),
            "{depth} {message} {memory}"
        );
    }
    // Many that would fit alone: so many are served as fit together.
    let granted = (0..20)
        .filter(|name| ask(&rdma_hello(1, 0, 64 << 20, 100 + name)))
        .count();
    assert!((1..=3).contains(&granted), "{granted}");
    let grown = served.peak_bytes() - before;
    assert!(grown < 560 << 20, "{} MiB for a limit of 512", grown >> 20);
    let error = refusal_of(plumb_in(
        std::env::temp_dir().as_path(),
        "serve-net --rdma --rdma-memory lots",
    ));
    assert!(error.contains("--rdma-memory"), "{error}");
}
