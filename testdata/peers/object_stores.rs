//! Which object stores do tests work with? moto, which ./dev installs from PyPI, and versitygw, which checks signatures, where it is installed.

use std::fs::File;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::ports::free_port;

pub const KEY: &str = "plumb-key";
pub const SECRET: &str = "plumb-secret";

/// A server with a bucket named `bucket`.
pub struct Store {
    child: Child,
    port: u16,
    log: PathBuf,
    _folder: tempfile::TempDir,
}

impl Store {
    /// All that are installed here; prints which are not.
    pub fn start_all() -> Vec<Store> {
        [Store::moto(), Store::versitygw()]
            .into_iter()
            .flatten()
            .collect()
    }

    /// moto's server, which believes every signature.
    pub fn moto() -> Option<Store> {
        // Another server may have taken its port meanwhile: then it is that one that replies.
        let mut reply = String::new();
        for _ in 0..5 {
            let store = Store::start_moto(None)?;
            reply = store.request("PUT /bucket", "");
            if reply.contains(" 200 ") {
                return Some(store);
            }
        }
        panic!("no bucket: {reply}");
    }

    /// The same with TLS, and the file of its certificate. It has no bucket.
    #[allow(dead_code)]
    pub fn moto_with_tls(folder: &Path) -> Option<(Store, PathBuf)> {
        let (certificate, key) = (folder.join("certificate.pem"), folder.join("key.pem"));
        let mut openssl = Command::new("openssl");
        openssl
            .args(["req", "-x509", "-newkey", "ec", "-nodes", "-days", "2"])
            .args(["-pkeyopt", "ec_paramgen_curve:prime256v1"])
            .args(["-subj", "/CN=plumb-test"])
            .args(["-addext", "subjectAltName=IP:127.0.0.1"])
            .args(["-addext", "basicConstraints=critical,CA:FALSE"])
            .arg("-keyout")
            .arg(&key)
            .arg("-out")
            .arg(&certificate);
        if !openssl.output().is_ok_and(|made| made.status.success()) {
            println!("skipped: openssl is not installed");
            return None;
        }
        let store = Store::start_moto(Some((&certificate, &key)))?;
        Some((store, certificate))
    }

    fn start_moto(tls: Option<(&Path, &Path)>) -> Option<Store> {
        let program = consumers().join("moto_server");
        if !program.exists() {
            println!(
                "skipped: {} is not installed (./dev test installs it)",
                program.display()
            );
            return None;
        }
        let folder = tempfile::tempdir().expect("a folder");
        let (port, log) = (free_port(), folder.path().join("log"));
        let output = File::create(&log).expect("a log");
        let mut command = Command::new(program);
        command.args(["-H", "127.0.0.1", "-p", &port.to_string()]);
        if let Some((certificate, key)) = tls {
            command
                .arg("-s")
                .arg("-c")
                .arg(certificate)
                .arg("-k")
                .arg(key);
        }
        let child = command
            .stdout(Stdio::null())
            .stderr(output)
            .spawn()
            .expect("moto");
        let store = Store {
            child,
            port,
            log,
            _folder: folder,
        };
        store.wait();
        Some(store)
    }

    /// A gateway to a folder.
    pub fn versitygw() -> Option<Store> {
        let folder = tempfile::tempdir().expect("a folder");
        let (port, log) = (free_port(), folder.path().join("log"));
        let root = folder.path().join("root");
        std::fs::create_dir_all(root.join("bucket")).expect("a bucket");
        let started = Command::new("versitygw")
            .args(["--access", KEY, "--secret", SECRET])
            .args([
                "--port",
                &format!("127.0.0.1:{port}"),
                "--quiet",
                "--keep-alive",
            ])
            .arg("--access-log")
            .arg(&log)
            .arg("posix")
            .arg(&root)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        let Ok(child) = started else {
            println!(
                "left out: versitygw, which checks signatures, is not installed (go install github.com/versity/versitygw/cmd/versitygw)"
            );
            return None;
        };
        let store = Store {
            child,
            port,
            log,
            _folder: folder,
        };
        store.wait();
        Some(store)
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    /// Its log of requests, one a line.
    pub fn log(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap_or_default()
    }

    /// Waits until it responds.
    fn wait(&self) {
        let begun = Instant::now();
        while TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)).is_err() {
            assert!(begun.elapsed() < Duration::from_secs(60), "no server");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Sends a request that is not signed, such as `PUT /bucket` and returns the reply. moto carries it out.
    pub fn request(&self, line: &str, body: &str) -> String {
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)).expect("a server");
        let request = format!(
            "{line} HTTP/1.1\r\nhost: localhost\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(request.as_bytes()).expect("sent");
        let mut reply = String::new();
        let _ = stream.read_to_string(&mut reply);
        reply
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Where ./dev installs the programs of testdata/consumers/requirements.txt: in the folder that builds go to, which this test lies in.
fn consumers() -> PathBuf {
    let test = std::env::current_exe().expect("this test");
    let target = test.ancestors().nth(3).unwrap_or(Path::new("target"));
    target.join("consumers/bin")
}
