//! Where does a copy go that needs an rsync daemon? To one of plumb's own, on this machine, for as long as the test lasts.

use std::io::{BufRead, BufReader};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};

/// Name of the daemon's only module.
const MODULE: &str = "plumb";
/// How long it may take to answer.
const PATIENCE: Duration = Duration::from_secs(10);
/// Ports to try: another program may take one between our look and the daemon's.
const TRIES: usize = 5;

/// An rsync daemon that ends with this value.
pub struct Daemon {
    child: Child,
    port: u16,
}

impl Daemon {
    /// Starts one that serves the folder `module`; its own files go into the folder `state`, which must not lie in the module.
    ///
    /// Errors: rsync is not there, or does not answer.
    pub fn start(module: &Path, state: &Path) -> anyhow::Result<Daemon> {
        let mut last = None;
        for _ in 0..TRIES {
            match Daemon::try_once(module, state) {
                Ok(daemon) => return Ok(daemon),
                Err(error) => last = Some(error),
            }
        }
        match last {
            Some(error) => Err(error),
            None => bail!("cannot start an rsync daemon"),
        }
    }

    fn try_once(module: &Path, state: &Path) -> anyhow::Result<Daemon> {
        let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
            .and_then(|listener| listener.local_addr())
            .context("no free port on this host")?;
        let port = free.port();
        let settings = state.join("rsyncd.conf");
        std::fs::write(&settings, text(module, state))
            .with_context(|| format!("{}: cannot be written", settings.display()))?;
        let mut command = Command::new("rsync");
        command
            .args(["--daemon", "--no-detach", "--address=127.0.0.1"])
            .arg(format!("--port={port}"));
        command
            .arg(format!("--config={}", settings.display()))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let child = command
            .spawn()
            .context("cannot start the rsync daemon: install rsync")?;
        let mut daemon = Daemon { child, port };
        daemon.await_greeting(state)?;
        Ok(daemon)
    }

    /// Waits until it greets: `@RSYNCD: 31.0`.
    fn await_greeting(&mut self, state: &Path) -> anyhow::Result<()> {
        let begun = Instant::now();
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, self.port));
        while begun.elapsed() < PATIENCE {
            if let Ok(stream) = TcpStream::connect_timeout(&address, PATIENCE) {
                stream.set_read_timeout(Some(PATIENCE))?;
                let mut line = String::new();
                if BufReader::new(stream).read_line(&mut line).is_ok()
                    && line.starts_with("@RSYNCD:")
                {
                    return Ok(());
                }
            }
            if let Some(status) = self.child.try_wait()? {
                let log = std::fs::read_to_string(state.join("rsyncd.log")).unwrap_or_default();
                bail!(
                    "the rsync daemon exited at once ({status}): {}",
                    log.lines().last().unwrap_or("it wrote no log")
                );
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        bail!(
            "the rsync daemon on port {} did not respond within {} s",
            self.port,
            PATIENCE.as_secs()
        )
    }

    /// Address of a folder in the module.
    pub fn address(&self, folder: &str) -> String {
        format!("rsync://127.0.0.1:{}/{MODULE}/{folder}", self.port)
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// rsyncd.conf(5). Owners are kept as numbers, and the daemon stays the user who started it: it must be able to set what `-a` requires.
fn text(module: &Path, state: &Path) -> String {
    // A daemon of root would become nobody, and one of anybody else cannot become another.
    let user_id = Command::new("id").arg("-u").stdin(Stdio::null()).output();
    let own = if user_id.is_ok_and(|user_id| user_id.stdout.trim_ascii() == b"0") {
        "uid = 0\ngid = 0\n"
    } else {
        ""
    };
    format!(
        "use chroot = no\nnumeric ids = yes\nreverse lookup = no\nlog file = {0}/rsyncd.log\npid file = {0}/rsyncd.pid\nlock file = {0}/rsyncd.lock\n{own}\
         [{MODULE}]\npath = {1}\nread only = no\nhosts allow = 127.0.0.1\n",
        state.display(),
        module.display()
    )
}
