//! Which NFS 3 server needs no root, no portmapper and no privileged port? One in Go, from the module github.com/willscott/go-nfs, built from go_nfs/.

#![allow(dead_code)]

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// A server of one folder. Ends when dropped.
pub struct GoNfs {
    folder: tempfile::TempDir,
    address: String,
    server: Child,
}

impl GoNfs {
    /// Builds it, when that was not done before, in a folder of Cargo's for tests, and starts it; `None`, with the reason printed, where Go 1.21 or later is not installed or its modules cannot be had: Debian 12 has an older one.
    pub fn start(built_in: &str) -> Option<GoNfs> {
        let program = Path::new(built_in).join("go_nfs");
        if let Err(reason) = build(&program) {
            println!("left out: no NFS server in Go: {reason}");
            return None;
        }
        let folder = tempfile::tempdir().expect("a folder");
        let mut server = Command::new(&program)
            .arg("127.0.0.1:0")
            .arg(folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("go_nfs");
        let mut address = String::new();
        BufReader::new(server.stdout.take().expect("its output"))
            .read_line(&mut address)
            .expect("its address");
        Some(GoNfs {
            folder,
            address: address.trim().to_string(),
            server,
        })
    }

    /// The address of a place on the server, whose folder has any name in front.
    pub fn address(&self, path: &str) -> String {
        format!("nfs://{}/{path}", self.address)
    }

    /// The folder behind it.
    pub fn data(&self) -> PathBuf {
        self.folder.path().to_path_buf()
    }
}

impl Drop for GoNfs {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

fn build(program: &Path) -> Result<(), String> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/peers/go_nfs");
    let installed = Path::new("/usr/local/go/bin/go");
    let go = if installed.exists() {
        installed
    } else {
        Path::new("go")
    };
    let built = Command::new(go)
        .args(["build", "-o"])
        .arg(program)
        .arg(".")
        .current_dir(source)
        .output()
        .map_err(|error| format!("go: {error}"))?;
    if built.status.success() {
        Ok(())
    } else {
        Err(String::from_utf8_lossy(&built.stderr).into_owned())
    }
}
