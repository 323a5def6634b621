//! Which servers do the victims use? Real ones of the bench's own on loopback, each started when the first victim needs it.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::ganesha::Ganesha;
use crate::samba::{PASSWORD, Samba, is_installed};

/// Content of the user's own file, which nobody may touch.
pub const OWN: &str = "the user's own";

/// A command of plumb that serves until it is stopped by its number.
struct Serving {
    child: Child,
    address: String,
}

impl Serving {
    fn start(words: &[&str], folder: &Path) -> Result<Serving, String> {
        let mut command = Command::new(env!("CARGO_BIN_EXE_plumb"));
        let started = command
            .args(words)
            .current_dir(folder)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn();
        let mut child = started.map_err(|error| format!("plumb {}: {error}", words[0]))?;
        let mut lines = BufReader::new(child.stderr.take().ok_or("no standard error")?).lines();
        let first = lines.next().and_then(Result::ok).unwrap_or_default();
        // Its messages about clients must not fill the pipe.
        std::thread::spawn(move || lines.for_each(drop));
        let address = first
            .split_whitespace()
            .nth(2)
            .map(|word| word.trim_end_matches(',').to_string());
        let address =
            address.ok_or_else(|| format!("plumb {} says no address: {first}", words[0]))?;
        Ok(Serving { child, address })
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = Command::new("kill")
            .arg(self.child.id().to_string())
            .status();
        let _ = self.child.wait();
    }
}

/// The servers; missing if one is not installed, which is reported once.
pub struct Servers {
    folder: tempfile::TempDir,
    peer: Serving,
    agent: Serving,
    samba: Option<Samba>,
    ganesha: Option<Ganesha>,
}

impl Servers {
    /// Starts them. Errors: plumb itself cannot serve.
    pub fn start() -> Result<Servers, String> {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let place = folder.path();
        for name in ["kept", "files"] {
            fs::create_dir(place.join(name)).map_err(|error| error.to_string())?;
        }
        let token = fs::OpenOptions::new()
            .create_new(true)
            .write(true)
            .mode(0o600)
            .open(place.join("token"));
        token
            .and_then(|mut file| file.write_all(b"a token for the bench only\n"))
            .map_err(|error| format!("token: {error}"))?;
        let peer = Serving::start(&["serve-net", "--listen", "127.0.0.1:0"], place)?;
        let agent = [
            "agent",
            "--listen",
            "127.0.0.1:0",
            "--token-file",
            "token",
            "--output",
            "kept",
            "--allow",
            "files",
        ];
        let agent = Serving::start(&agent, place)?;
        let servers = Servers {
            peer,
            agent,
            samba: is_installed().then(|| Samba::start(&[])),
            ganesha: Ganesha::start(),
            folder,
        };
        for folder in servers.folders() {
            fs::write(folder.join("own"), OWN)
                .map_err(|error| format!("{}: {error}", folder.display()))?;
        }
        Ok(servers)
    }

    /// The words with the addresses in them; `None` where the server is missing.
    pub fn filled(&self, words: &str) -> Option<String> {
        let mut words = words
            .replace("{tcp}", &format!("tcp://{}", self.peer.address))
            .replace("{agent}", &self.agent.address);
        words = words
            .replace("{token}", &self.path("token"))
            .replace("{files}", &self.path("files"));
        if words.contains("{smb}") {
            words = words.replace("{smb}", &self.samba.as_ref()?.address("share"));
        }
        if words.contains("{nfs}") {
            words = words.replace("{nfs}", &self.ganesha.as_ref()?.address("data"));
        }
        Some(words)
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).display().to_string()
    }

    /// What the servers store in, on this machine.
    pub fn folders(&self) -> Vec<PathBuf> {
        let shares = [
            self.samba.as_ref().map(Samba::share),
            self.ganesha.as_ref().map(Ganesha::data),
        ];
        std::iter::once(self.folder.path().join("files"))
            .chain(shares.into_iter().flatten())
            .collect()
    }

    /// What a client needs to log on.
    pub fn environment(&self) -> (&'static str, &'static str) {
        ("PLUMB_PASSWORD", PASSWORD)
    }
}
