//! Which rsync daemon do tests copy to? One of their own, on a free port of this machine, with a private folder; it ends with its value.

use std::net::{Ipv4Addr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// A daemon with one module, `data`.
pub struct RsyncDaemon {
    child: Child,
    port: u16,
    folder: tempfile::TempDir,
}

impl RsyncDaemon {
    /// Starts it; `None` when rsync is not installed here. `settings`: further lines of the module, such as `read only = yes`.
    pub fn start(settings: &str) -> Option<RsyncDaemon> {
        Command::new("rsync")
            .arg("--version")
            .stdout(Stdio::null())
            .status()
            .ok()?;
        // Another test may take the port before the daemon does: then it ends at once, and another port is tried.
        Some(
            (0..20)
                .find_map(|_| RsyncDaemon::try_once(settings))
                .expect("the rsync daemon does not start"),
        )
    }

    fn try_once(settings: &str) -> Option<RsyncDaemon> {
        let folder = tempfile::tempdir().expect("folder");
        let port = super::ports::free_port();
        let at = folder.path().display();
        std::fs::create_dir(folder.path().join("data")).expect("folder");
        let user = Command::new("id").arg("-u").output().expect("id is there");
        let own = if user.stdout.trim_ascii() == b"0" {
            "uid = 0\ngid = 0\n"
        } else {
            ""
        };
        let text = format!(
            "use chroot = no\n{own}pid file = {at}/pid\nlog file = {at}/log\nlock file = {at}/lock\n[data]\npath = {at}/data\nread only = no\n{settings}\n"
        );
        std::fs::write(folder.path().join("conf"), text).expect("written");
        let mut command = Command::new("rsync");
        command.args([
            "--daemon",
            "--no-detach",
            "--address=127.0.0.1",
            &format!("--port={port}"),
            &format!("--config={at}/conf"),
        ]);
        let child = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("rsync starts");
        let mut daemon = RsyncDaemon {
            child,
            port,
            folder,
        };
        for _ in 0..500 {
            if TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_ok() {
                return Some(daemon);
            }
            if daemon.child.try_wait().expect("asked").is_some() {
                return None;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        None
    }

    /// `rsync://127.0.0.1:PORT/data`.
    pub fn address(&self) -> String {
        format!("rsync://127.0.0.1:{}/data", self.port)
    }

    /// What lies in the module.
    pub fn data(&self) -> PathBuf {
        Path::new(self.folder.path()).join("data")
    }
}

impl Drop for RsyncDaemon {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
