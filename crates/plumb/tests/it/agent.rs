//! Does `plumb agent` serve those who have the token, and drop all others without harm?

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
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
        command.current_dir(folder).args(["agent", "--listen", "127.0.0.1:0", "--token-file", "token", "--output", "kept"]);
        for path in allowed {
            command.args(["--allow", path]);
        }
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("started");
        let mut lines = BufReader::new(child.stderr.take().expect("standard error")).lines();
        let first = lines.next().expect("a line").expect("text");
        let address = first.split_whitespace().nth(2).expect("an address").trim_end_matches(',').to_string();
        // Somebody must read what it says, or it would wait for a reader.
        std::thread::spawn(move || lines.for_each(drop));
        Agent { child, address }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).expect("it listens");
        stream.set_read_timeout(Some(Duration::from_secs(20))).expect("timeout");
        stream
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        let _ = Command::new("kill").arg(self.child.id().to_string()).status();
        let _ = self.child.wait();
    }
}

fn token(folder: &Path, name: &str, text: &str) {
    use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
    let path = folder.join(name);
    let mut file = std::fs::OpenOptions::new().create(true).write(true).truncate(true).mode(0o600).open(&path).expect("token");
    writeln!(file, "{text}").expect("written");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).expect("mode");
}

fn send(stream: &mut TcpStream, message: &Value) {
    let body = message.to_string();
    stream.write_all(&(body.len() as u32).to_be_bytes()).expect("sent");
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
    assert_eq!(layers.iter().filter(|layer| layer["kind"] != "network").count(), 2, "{layers:?}");
    assert!(layers.iter().any(|layer| layer["kind"] == "network"), "the agent answers messages too");
    assert_eq!(waterfall["design"], "blocks");
    for step in waterfall["steps"].as_array().expect("steps") {
        for figures in step["layers"].as_array().expect("figures") {
            assert!(figures["iops"]["value"].as_f64().expect("measured") > 0.0, "{step}");
        }
    }
    assert!(folder.path().join("out/server/readings.jsonl").is_file(), "the agent's machine was watched");
    assert!(left_in(&near).is_empty() && left_in(&far).is_empty(), "targets are left clean");
    let kept = left_in(&folder.path().join("kept"));
    assert_eq!(kept.len(), 1, "{kept:?}");
    let (theirs, ours) = (folder.path().join("kept").join(&kept[0]), folder.path().join("out"));
    for (side, file) in [("a", "ticks.jsonl"), ("b", "notes.jsonl"), ("server", "readings.jsonl")] {
        let read = |root: &Path| std::fs::read(root.join(side).join(file)).expect(file);
        assert_eq!(read(&theirs), read(&ours), "{side}/{file} is kept there as it was sent");
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
    let line =
        format!("layers --agent {} --token-file token --files {} --files {} {QUICK}", agent.address, allowed.display(), secret.display());
    let message = refusal_of(plumb_in(folder.path(), &line));
    assert!(message.contains("not allowed on this agent") && message.contains("--allow"), "{message}");
    assert!(left_in(&secret).is_empty());
    token(folder.path(), "wrong", "quite another token");
    let line = line.replace("--token-file token", "--token-file wrong");
    let message = refusal_of(plumb_in(folder.path(), &line));
    assert!(message.contains("the token is not that of this agent") && !message.contains("quite another"), "{message}");
}

#[test]
fn strangers_and_garbage_are_dropped_and_the_agent_goes_on() {
    let folder = tempfile::tempdir().expect("folder");
    std::fs::create_dir(folder.path().join("data")).expect("folder");
    let agent = Agent::start(folder.path(), &["data"]);
    let login = |proof: &str| json!({"version": 1, "nonce": "00", "proof": proof});
    type Hostile<'a> = (&'a str, &'a dyn Fn(&mut TcpStream));
    let hostile: [Hostile; 6] = [
        ("says nothing and goes", &|_| {}),
        ("sends what is no frame", &|stream| drop(stream.write_all(&[0xff; 4096]))),
        ("says that 4 GiB follow", &|stream| drop(stream.write_all(&u32::MAX.to_be_bytes()))),
        ("sends JSON of something else", &|stream| send(stream, &json!(["hello", {"a": 1}]))),
        ("has no token", &|stream| send(stream, &login("00"))),
        ("asks without a login", &|stream| send(stream, &json!({"request": "look", "target": "/etc"}))),
    ];
    for (what, act) in hostile {
        let mut stream = agent.connect();
        let hello = receive(&mut stream).expect("a hello");
        assert_eq!((&hello["protocol"], hello["challenge"].as_str().expect("challenge").len()), (&json!("plumb-agent"), 64));
        act(&mut stream);
        let _ = stream.shutdown(std::net::Shutdown::Write);
        while let Some(answer) = receive(&mut stream) {
            assert_eq!(answer["login"], "refused", "{what}: {answer}");
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

#[test]
fn a_token_that_is_short_missing_or_open_to_others_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("folder");
    token(folder.path(), "short", "abc");
    token(folder.path(), "open", TOKEN);
    std::fs::set_permissions(folder.path().join("open"), std::fs::Permissions::from_mode(0o644)).expect("mode");
    for (line, expected) in [
        ("agent --allow . --token-file nowhere", "head -c 24 /dev/urandom"),
        ("agent --allow . --token-file short", "at least 16 characters"),
        ("agent --allow . --token-file open", "chmod 600"),
        ("agent --allow nowhere --token-file short", "no such file"),
        ("agent --token-file short", "--allow"),
        ("agent --allow . --overwrite=/etc/passwd --token-file short", "not allowed"),
    ] {
        let message = refusal_of(plumb_in(folder.path(), line));
        assert!(message.contains(expected) && !message.contains("abc"), "{line}:\n{message}");
    }
}
