//! Does plumb work with SMB servers other than Samba? With impacket's server, which supports only SMB 2.0.2 or SMB 1, and reports no free space.

use std::fs;
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::export::consumer;
use crate::ports::free_port;
use crate::{measured, plumb_in, refusal_of};

const USER: &str = "alice";
const PASSWORD: &str = "plumb-pass-1";

/// A running server. Ends with this value.
struct Impacket {
    server: Child,
    port: u16,
}

impl Impacket {
    /// A server of this folder that speaks versions up to this one; missing where impacket is not installed.
    fn start(folder: &Path, version: &str) -> Option<Impacket> {
        let python = consumer("python3")?;
        let script = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../testdata/peers/impacket_server.py"
        );
        let port = free_port();
        let server = Command::new(python)
            .arg(script)
            .arg(port.to_string())
            .arg(folder)
            .args([USER, PASSWORD, version])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("started");
        let impacket = Impacket { server, port };
        let begun = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(begun.elapsed() < Duration::from_secs(60), "it listens");
            std::thread::sleep(Duration::from_millis(50));
        }
        Some(impacket)
    }

    fn address(&self) -> String {
        format!("smb://{USER}@127.0.0.1:{}/SHARE", self.port)
    }
}

impl Drop for Impacket {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// A line of words for plumb, with this password.
fn with_password(folder: &Path, line: &str, password: &str) -> assert_cmd::Command {
    let mut command = plumb_in(folder, line);
    command.env("PLUMB_PASSWORD", password);
    command
}

#[test]
fn what_is_written_to_a_server_of_smb_2_0_2_is_read_back_whole() {
    let folder = tempfile::tempdir().expect("folder");
    let shared = tempfile::tempdir().expect("folder");
    let Some(server) = Impacket::start(shared.path(), "2") else {
        return;
    };
    let target = server.address();
    let written = format!(
        "run --target {target} --mix read:50,write:50 --offsets random --block 128k --depth 4 --size 1m --operations 300 --verify --quiet --json --no-report --output written"
    );
    let run = measured(with_password(folder.path(), &written, PASSWORD));
    assert_eq!(run["steps"][0]["total"]["errors"], 0, "{run:#}");
    let notes = fs::read_to_string(folder.path().join("written/notes.jsonl")).expect("notes");
    assert!(notes.contains("verified-all"), "{notes}");
    let connection = &run["steps"][0]["engine_record"]["connection"];
    assert_eq!(connection["dialect"], "2.0.2", "{connection:#}");
    assert_eq!(connection["authentication"], "NTLMv2", "{connection:#}");
    // Signed by the key that both sides made of the login.
    let signed = format!(
        "run --target {target} --pattern random-read --block 4k --depth 4 --operations 200 --set signing=true --json --no-report --output signed"
    );
    let output = with_password(folder.path(), &signed, PASSWORD)
        .output()
        .expect("started");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(matches!(output.status.code(), Some(0 | 1)), "{said}");
    assert!(said.contains("does not report its free space"), "{said}");
    let left: Vec<_> = fs::read_dir(shared.path()).expect("there").collect();
    assert!(left.is_empty(), "{left:?}");
    let said = refusal_of(with_password(folder.path(), &signed, "wrong"));
    assert!(said.contains("STATUS_LOGON_FAILURE"), "{said}");
}

#[test]
fn a_server_of_smb_1_is_called_so() {
    let folder = tempfile::tempdir().expect("folder");
    let Some(server) = Impacket::start(folder.path(), "1") else {
        return;
    };
    let line = format!(
        "run --target {} --pattern random-read --operations 10 --quiet",
        server.address()
    );
    let said = refusal_of(with_password(folder.path(), &line, PASSWORD));
    assert!(said.contains("the server supports only SMB 1"), "{said}");
    assert!(said.contains("allow SMB 2 or 3 there"), "{said}");
}
