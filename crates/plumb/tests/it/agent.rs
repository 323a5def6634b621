//! Does `plumb agent` serve clients with the token, and reject all others without harm?

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};

use crate::{json_of, left_in, plumb_in, refusal_of};

const TOKEN: &str = "a token for tests only";

/// An agent on a free port of the loopback; stopped by its number.
struct Agent {
    child: Child,
    address: String,
}

impl Agent {
    fn start(folder: &Path, allowed: &[&str]) -> Agent {
        token(folder, "token", TOKEN);
        std::fs::create_dir_all(folder.join("kept")).expect("folder");
        let mut command = Command::new(assert_cmd::cargo::cargo_bin("plumb"));
        command.current_dir(folder).args([
            "agent",
            "--listen",
            "127.0.0.1:0",
            "--token-file",
            "token",
            "--output",
            "kept",
        ]);
        for path in allowed {
            command.args(["--allow", path]);
        }
        let mut child = command
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("started");
        let mut lines = BufReader::new(child.stderr.take().expect("standard error")).lines();
        let first = lines.next().expect("a line").expect("text");
        let address = first
            .split_whitespace()
            .nth(2)
            .expect("an address")
            .trim_end_matches(',')
            .to_string();
        // Somebody must read what it says, or it would wait for a reader.
        std::thread::spawn(move || lines.for_each(drop));
        Agent { child, address }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).expect("it listens");
        stream
            .set_read_timeout(Some(Duration::from_secs(20)))
            .expect("timeout");
        stream
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        let _ = Command::new("kill")
            .arg(self.child.id().to_string())
            .status();
        let _ = self.child.wait();
    }
}

fn token(folder: &Path, name: &str, text: &str) {
    use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
    let path = folder.join(name);
    let mut file = std::fs::OpenOptions::new()
        .create(true)
        .write(true)
        .truncate(true)
        .mode(0o600)
        .open(&path)
        .expect("token");
    writeln!(file, "{text}").expect("written");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).expect("mode");
}

fn send(stream: &mut TcpStream, message: &Value) {
    let body = message.to_string();
    stream
        .write_all(&(body.len() as u32).to_be_bytes())
        .expect("sent");
    stream.write_all(body.as_bytes()).expect("sent");
}

/// The next message; `None` when the connection is closed.
fn receive(stream: &mut TcpStream) -> Option<Value> {
    let mut head = [0; 4];
    stream.read_exact(&mut head).ok()?;
    let mut body = vec![0; u32::from_be_bytes(head) as usize];
    stream.read_exact(&mut body).ok()?;
    Some(serde_json::from_slice(&body).expect("JSON"))
}

const QUICK: &str = "--time 60ms --size 4m --rounds 2 --budget 1ms --set interval=20ms --set warm-up=10ms --quiet --device none";

#[test]
fn layers_of_another_machine_come_back_as_records() {
    let folder = tempfile::tempdir().expect("folder");
    for name in ["near", "far"] {
        std::fs::create_dir(folder.path().join(name)).expect("folder");
    }
    let agent = Agent::start(folder.path(), &["near", "far"]);
    let (near, far) = (folder.path().join("near"), folder.path().join("far"));
    let line = format!(
        "layers --agent {} --token-file token --files {} --files {} --json --output out {QUICK}",
        agent.address,
        near.display(),
        far.display()
    );
    let waterfall = json_of(plumb_in(folder.path(), &line), 0);
    let layers = waterfall["layers"].as_array().expect("layers");
    assert_eq!(
        layers
            .iter()
            .filter(|layer| layer["kind"] != "network")
            .count(),
        2,
        "{layers:?}"
    );
    assert!(
        layers.iter().any(|layer| layer["kind"] == "network"),
        "the agent answers messages too"
    );
    assert_eq!(waterfall["design"], "blocks");
    for step in waterfall["steps"].as_array().expect("steps") {
        for figures in step["layers"].as_array().expect("figures") {
            assert!(
                figures["iops"]["value"].as_f64().expect("measured") > 0.0,
                "{step}"
            );
        }
    }
    assert!(
        folder.path().join("out/server/readings.jsonl").is_file(),
        "the agent's machine was watched"
    );
    assert!(
        left_in(&near).is_empty() && left_in(&far).is_empty(),
        "targets are left clean"
    );
    let kept = left_in(&folder.path().join("kept"));
    assert_eq!(kept.len(), 1, "{kept:?}");
    let (theirs, ours) = (
        folder.path().join("kept").join(&kept[0]),
        folder.path().join("out"),
    );
    for (side, file) in [
        ("a", "ticks.jsonl"),
        ("b", "notes.jsonl"),
        ("server", "readings.jsonl"),
    ] {
        let read = |root: &Path| std::fs::read(root.join(side).join(file)).expect(file);
        assert_eq!(
            read(&theirs),
            read(&ours),
            "{side}/{file} is kept there as it was sent"
        );
    }
}

#[test]
fn what_was_not_allowed_is_not_touched() {
    let folder = tempfile::tempdir().expect("folder");
    for name in ["allowed", "secret"] {
        std::fs::create_dir(folder.path().join(name)).expect("folder");
    }
    let agent = Agent::start(folder.path(), &["allowed"]);
    let (allowed, secret) = (folder.path().join("allowed"), folder.path().join("secret"));
    let line = format!(
        "layers --agent {} --token-file token --files {} --files {} {QUICK}",
        agent.address,
        allowed.display(),
        secret.display()
    );
    let message = refusal_of(plumb_in(folder.path(), &line));
    assert!(
        message.contains("not allowed on this agent") && message.contains("--allow"),
        "{message}"
    );
    assert!(left_in(&secret).is_empty());
    token(folder.path(), "wrong", "quite another token");
    let line = line.replace("--token-file token", "--token-file wrong");
    let message = refusal_of(plumb_in(folder.path(), &line));
    assert!(
        message.contains("wrong token for this agent") && !message.contains("quite another"),
        "{message}"
    );
}

#[test]
fn strangers_and_garbage_are_dropped_and_the_agent_goes_on() {
    let folder = tempfile::tempdir().expect("folder");
    std::fs::create_dir(folder.path().join("data")).expect("folder");
    let agent = Agent::start(folder.path(), &["data"]);
    let opening = |message: &str| json!({"message": message});
    type Hostile<'a> = (&'a str, &'a dyn Fn(&mut TcpStream));
    let hostile: [Hostile; 9] = [
        ("says nothing and goes", &|_| {}),
        ("sends what is no frame", &|stream| {
            drop(stream.write_all(&[0xff; 4096]))
        }),
        ("says that 4 GiB follow", &|stream| {
            drop(stream.write_all(&u32::MAX.to_be_bytes()))
        }),
        ("sends JSON of something else", &|stream| {
            send(stream, &json!(["hello", {"a": 1}]))
        }),
        ("opens with no digits", &|stream| {
            send(stream, &opening("zz"))
        }),
        ("opens too short", &|stream| send(stream, &opening("00"))),
        ("has no token", &|stream| {
            send(stream, &opening(&"5a".repeat(48)))
        }),
        ("opens too long", &|stream| {
            send(stream, &opening(&"5a".repeat(2000)))
        }),
        ("asks without a login", &|stream| {
            send(stream, &json!({"request": "look", "target": "/etc"}))
        }),
    ];
    for (what, act) in hostile {
        let mut stream = agent.connect();
        let hello = receive(&mut stream).expect("a hello");
        assert_eq!(
            (&hello["protocol"], &hello["version"]),
            (&json!("plumb-agent"), &json!(4))
        );
        act(&mut stream);
        let _ = stream.shutdown(std::net::Shutdown::Write);
        while let Some(answer) = receive(&mut stream) {
            assert_eq!(answer["handshake"], "refused", "{what}: {answer}");
        }
    }
    // Cut in the middle of the length, and of the body.
    for length in 0..6u8 {
        let mut stream = agent.connect();
        receive(&mut stream).expect("a hello");
        let _ = stream.write_all(&[0, 0, 0, 9, b'{', b'"'][..usize::from(length)]);
    }
    let line = format!(
        "layers --agent {} --token-file token --files {} --json --output out {QUICK}",
        agent.address,
        folder.path().join("data").display()
    );
    json_of(plumb_in(folder.path(), &line), 0);
}

/// Connections from an address of the loopback that is not the client's, which send one byte after the other until they are closed or `over` is set.
fn trickle(
    agent: &Agent,
    from: &str,
    count: usize,
    over: &Arc<AtomicBool>,
) -> Vec<std::thread::JoinHandle<bool>> {
    let at: SocketAddr = agent.address.parse().expect("address");
    let connect = || {
        let socket = socket2::Socket::new(socket2::Domain::IPV4, socket2::Type::STREAM, None)
            .expect("socket");
        socket
            .bind(
                &format!("{from}:0")
                    .parse::<SocketAddr>()
                    .expect("address")
                    .into(),
            )
            .expect("bound");
        socket.connect(&at.into()).expect("it listens");
        TcpStream::from(socket)
    };
    let drip = |mut stream: TcpStream, over: Arc<AtomicBool>| {
        // Until the length is there nothing can be wrong with what comes; then it is a body that never ends.
        let mut bytes = [0u8, 0, 15, 0].into_iter().chain(std::iter::repeat(b' '));
        for _ in 0..200 {
            if over.load(Ordering::Relaxed) {
                return false;
            }
            let byte = bytes.next().expect("endless");
            if stream.write_all(&[byte]).is_err() {
                return true;
            }
            std::thread::sleep(Duration::from_millis(150));
        }
        false
    };
    (0..count)
        .map(|_| (connect(), over.clone()))
        .map(|(stream, over)| std::thread::spawn(move || drip(stream, over)))
        .collect()
}

#[test]
fn who_dribbles_before_the_login_is_cut_off_and_shuts_nobody_out() {
    let folder = tempfile::tempdir().expect("folder");
    std::fs::create_dir(folder.path().join("data")).expect("folder");
    let agent = Agent::start(folder.path(), &["data"]);
    let over = Arc::new(AtomicBool::new(false));
    let hostile: Vec<_> = ["127.0.0.2", "127.0.0.3"]
        .iter()
        .flat_map(|from| trickle(&agent, from, 40, &over))
        .collect();
    let line = format!(
        "layers --agent {} --token-file token --files {} --json --output out {QUICK}",
        agent.address,
        folder.path().join("data").display()
    );
    json_of(plumb_in(folder.path(), &line), 0);
    // 200 bytes take 30 s: the agent has closed each of them long before.
    assert!(
        hostile
            .into_iter()
            .all(|thread| thread.join().expect("no panic")),
        "a connection was kept before its login"
    );
}

#[test]
fn a_signal_ends_the_agent_whoever_is_connected() {
    let folder = tempfile::tempdir().expect("folder");
    std::fs::create_dir(folder.path().join("data")).expect("folder");
    let mut agent = Agent::start(folder.path(), &["data"]);
    let over = Arc::new(AtomicBool::new(false));
    let hostile: Vec<_> = (2..18)
        .flat_map(|host| trickle(&agent, &format!("127.0.0.{host}"), 1, &over))
        .collect();
    // Dropping the agent sends the signal once more, to nobody.
    let killed = Command::new("kill")
        .arg(agent.child.id().to_string())
        .status()
        .expect("kill");
    assert!(killed.success());
    let mut left = 0;
    let status = loop {
        if let Some(status) = agent.child.try_wait().expect("a child") {
            break status;
        }
        left += 1;
        assert!(left < 400, "the agent goes on after SIGTERM");
        std::thread::sleep(Duration::from_millis(50));
    };
    assert!(status.success(), "{status}");
    over.store(true, Ordering::Relaxed);
    hostile
        .into_iter()
        .for_each(|thread| assert!(thread.join().is_ok()));
}

/// A machine in the middle: it passes on what client and agent say, keeps a copy of each direction, and changes one bit of the byte at `flip`.
struct Middle {
    address: String,
    copies: Arc<Mutex<[Vec<u8>; 2]>>,
}

impl Middle {
    fn start(agent: &str, flip: Option<(usize, usize)>) -> Middle {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("address").to_string();
        let (copies, agent) = (
            Arc::new(Mutex::new([Vec::new(), Vec::new()])),
            agent.to_string(),
        );
        let kept = copies.clone();
        std::thread::spawn(move || {
            let (client, _) = listener.accept().expect("a client");
            let server = TcpStream::connect(agent).expect("the agent");
            let ways = [
                (client.try_clone(), server.try_clone()),
                (server.try_clone(), client.try_clone()),
            ];
            for (way, (from, to)) in ways.into_iter().enumerate() {
                let (mut from, mut to, kept) = (
                    from.expect("descriptor"),
                    to.expect("descriptor"),
                    kept.clone(),
                );
                std::thread::spawn(move || {
                    let mut part = [0; 65_536];
                    while let Ok(count @ 1..) = from.read(&mut part) {
                        let before = {
                            let mut kept = kept.lock().expect("whole");
                            kept[way].extend(&part[..count]);
                            kept[way].len() - count
                        };
                        if let Some((_, at)) = flip.filter(|(which, at)| {
                            *which == way && (before..before + count).contains(at)
                        }) {
                            part[at - before] ^= 1;
                        }
                        if to.write_all(&part[..count]).is_err() {
                            break;
                        }
                    }
                    let _ = (
                        to.shutdown(std::net::Shutdown::Both),
                        from.shutdown(std::net::Shutdown::Both),
                    );
                });
            }
        });
        Middle { address, copies }
    }
}

#[test]
fn a_machine_in_the_middle_learns_nothing_changes_nothing_and_cannot_repeat() {
    let folder = tempfile::tempdir().expect("folder");
    std::fs::create_dir(folder.path().join("data-of-the-array")).expect("folder");
    let agent = Agent::start(folder.path(), &["data-of-the-array"]);
    let data = folder.path().join("data-of-the-array");
    let line = |address: &str, output: &str| {
        format!(
            "layers --agent {address} --token-file token --files {} --json --output {output} {QUICK}",
            data.display()
        )
    };
    let middle = Middle::start(&agent.address, None);
    json_of(plumb_in(folder.path(), &line(&middle.address, "out")), 0);
    let copies = middle.copies.lock().expect("whole").clone();
    for (way, copy) in copies.iter().enumerate() {
        assert!(copy.len() > 1000, "way {way}: {} bytes", copy.len());
        for word in [
            "data-of-the-array",
            "random-read",
            "request",
            "time_ns",
            TOKEN,
        ] {
            assert!(
                !copy.windows(word.len()).any(|part| part == word.as_bytes()),
                "way {way} shows '{word}'"
            );
        }
    }
    // The same bytes once more are no login, and leave the place of the one client free.
    let mut again = agent.connect();
    again.write_all(&copies[0]).expect("sent");
    let mut heard = Vec::new();
    let _ = again.read_to_end(&mut heard);
    // A hello and the answer to the handshake, and nothing after them.
    assert!(
        heard.len() < 400,
        "{} bytes came in answer to a recording",
        heard.len()
    );
    json_of(plumb_in(folder.path(), &line(&agent.address, "out-2")), 0);
    for (number, flip) in [(0, 40), (0, 300), (0, 800), (1, 150), (1, 400), (1, 3000)]
        .into_iter()
        .enumerate()
    {
        let middle = Middle::start(&agent.address, Some(flip));
        let outcome = plumb_in(
            folder.path(),
            &line(&middle.address, &format!("changed-{number}")),
        )
        .output()
        .expect("ran");
        assert!(
            !outcome.status.success(),
            "{flip:?}: a changed byte was taken"
        );
        let said = String::from_utf8_lossy(&outcome.stderr).to_string();
        assert!(
            said.contains("token")
                || said.contains("connection")
                || said.contains("no agent of this version"),
            "{flip:?}: {said}"
        );
        assert!(!said.contains("panicked"), "{flip:?}: {said}");
    }
    json_of(plumb_in(folder.path(), &line(&agent.address, "out-3")), 0);
}

#[test]
fn a_token_that_is_short_missing_or_open_to_others_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("folder");
    token(folder.path(), "short", "abc");
    token(folder.path(), "open", TOKEN);
    std::fs::set_permissions(
        folder.path().join("open"),
        std::fs::Permissions::from_mode(0o644),
    )
    .expect("mode");
    for (line, expected) in [
        (
            "agent --allow . --token-file nowhere",
            "head -c 24 /dev/urandom",
        ),
        (
            "agent --allow . --token-file short",
            "at least 16 characters",
        ),
        ("agent --allow . --token-file open", "chmod 600"),
        ("agent --allow nowhere --token-file short", "no such file"),
        ("agent --token-file short", "--allow"),
        (
            "agent --allow . --overwrite=/etc/passwd --token-file short",
            "not allowed",
        ),
    ] {
        let message = refusal_of(plumb_in(folder.path(), line));
        assert!(
            message.contains(expected) && !message.contains("abc"),
            "{line}:\n{message}"
        );
    }
}
