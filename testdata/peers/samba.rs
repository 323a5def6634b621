//! Where do the tests get an SMB server from? A Samba of their own on loopback: private folders, a free port, stopped by its process number.

#![allow(dead_code)]

use std::fmt::Write as _;
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Password of the server's user.
pub const PASSWORD: &str = "plumb-pass-1";

/// A running server. Ends with this value.
pub struct Samba {
    pub port: u16,
    pub user: String,
    /// Its address.
    host: String,
    /// Words before the command that starts it: `ip netns exec NAME`.
    before: Vec<String>,
    folder: tempfile::TempDir,
    server: Option<Child>,
}

/// A share beside the usual ones: name, folder, further lines of its section.
pub struct Section<'a> {
    pub name: &'a str,
    pub path: &'a Path,
    pub lines: &'a [&'a str],
}

/// Runs a program that must succeed, with this input; returns what it printed.
pub fn run(command: &mut Command, input: &str) -> String {
    use std::io::Write as _;
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("program");
    child
        .stdin
        .take()
        .expect("input")
        .write_all(input.as_bytes())
        .expect("input");
    let output = child.wait_with_output().expect("output");
    let text = format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(output.status.success(), "{command:?}: {text}");
    text
}

/// True when the programs are installed; else says why the test is skipped.
pub fn is_installed() -> bool {
    let missing = ["smbd", "pdbedit", "smbclient"]
        .into_iter()
        .find(|program| {
            !std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())
                .chain([PathBuf::from("/usr/sbin")])
                .any(|folder| folder.join(program).exists())
        });
    if let Some(program) = missing {
        println!("skipped: {program} is not installed (Debian packages samba and smbclient)");
    }
    missing.is_none()
}

/// The user that runs the tests: Samba's password database wants one of the system.
pub fn user() -> String {
    run(Command::new("id").arg("-un"), "").trim().to_string()
}

impl Samba {
    /// Starts a server with the share `share`, and `readonly` on the same folder. `global` are lines of its `[global]` section.
    pub fn start(global: &[&str]) -> Samba {
        Samba::with_shares(global, &[])
    }

    /// The same, with further shares.
    pub fn with_shares(global: &[&str], sections: &[Section<'_>]) -> Samba {
        Samba::begin("127.0.0.1", &[], global, sections)
    }

    /// The same on another host, which has this address and on which `before` starts programs.
    pub fn on_host(host: &str, before: &[&str]) -> Samba {
        Samba::on_host_with(host, before, &[&format!("interfaces = {host}/24")])
    }

    /// The same with these lines in its `[global]` section, `interfaces` among them.
    pub fn on_host_with(host: &str, before: &[&str], global: &[&str]) -> Samba {
        Samba::begin(host, before, global, &[])
    }

    fn begin(host: &str, before: &[&str], global: &[&str], sections: &[Section<'_>]) -> Samba {
        let folder = tempfile::Builder::new()
            .prefix("plumb-samba-")
            .tempdir_in(shared_memory())
            .expect("folder");
        let before = before.iter().map(|word| word.to_string()).collect();
        let mut samba = Samba {
            port: super::ports::free_port(),
            user: user(),
            host: host.into(),
            before,
            folder,
            server: None,
        };
        samba.write_settings(global, sections);
        let settings = samba.settings();
        run(
            Command::new("pdbedit")
                .arg("-s")
                .arg(&settings)
                .args(["-a", "-t", "-u", &samba.user]),
            &format!("{PASSWORD}\n{PASSWORD}\n"),
        );
        samba.resume();
        samba
    }

    /// The folder behind `share`.
    pub fn share(&self) -> PathBuf {
        self.folder.path().join("share")
    }

    /// Address of a place on it, for its user.
    pub fn address(&self, path: &str) -> String {
        format!("smb://{}@{}:{}/{path}", self.user, self.host, self.port)
    }

    /// What the server wrote, for a test that fails.
    pub fn log(&self) -> String {
        let files = std::fs::read_dir(self.folder.path().join("log"))
            .into_iter()
            .flatten()
            .flatten();
        files
            .map(|file| {
                String::from_utf8_lossy(&std::fs::read(file.path()).unwrap_or_default())
                    .into_owned()
            })
            .collect()
    }

    /// Starts the server, at first or again, on the same port.
    pub fn resume(&mut self) {
        let folder = self.folder.path();
        let log = std::fs::File::create(folder.join("log/output")).expect("log");
        // Without --no-process-group the server makes a group of its own; with it, its end would be that of the caller's group.
        let child = self
            .command("smbd")
            .args(["-F", "-s"])
            .arg(self.settings())
            .arg("-l")
            .arg(folder.join("log"))
            .stdin(Stdio::null())
            .stdout(log.try_clone().expect("log"))
            .stderr(log)
            .spawn()
            .expect("smbd");
        self.server = Some(child);
        let begun = Instant::now();
        while !self.listens() {
            assert!(
                begun.elapsed() < Duration::from_secs(60),
                "smbd does not listen: {}",
                self.log()
            );
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// A program on the server's host.
    fn command(&self, program: &str) -> Command {
        let mut words = self.before.iter().map(String::as_str).chain([program]);
        let mut command = Command::new(words.next().expect("a program"));
        command.args(words);
        command
    }

    fn listens(&self) -> bool {
        if self.before.is_empty() {
            return TcpStream::connect((self.host.as_str(), self.port)).is_ok();
        }
        let connect = format!("exec 3<>/dev/tcp/{}/{}", self.host, self.port);
        self.command("bash")
            .args(["-c", &connect])
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success())
    }

    /// Stops the server and all its connections; [`Samba::resume`] starts it again.
    pub fn pause(&mut self) {
        let Some(mut server) = self.server.take() else {
            return;
        };
        let children = children_of(server.id());
        for process in std::iter::once(server.id()).chain(children) {
            let _ = Command::new("kill")
                .arg(process.to_string())
                .stderr(Stdio::null())
                .status();
        }
        let _ = server.wait();
    }

    /// Sends a signal such as `STOP` or `CONT` to the server and all its connections.
    pub fn signal(&self, name: &str) {
        let Some(server) = &self.server else { return };
        for process in std::iter::once(server.id()).chain(children_of(server.id())) {
            let sent = Command::new("kill")
                .args([&format!("-{name}"), &process.to_string()])
                .status();
            // A connection may have ended meanwhile.
            assert!(
                process != server.id() || sent.is_ok_and(|status| status.success()),
                "{name} to {process}"
            );
        }
    }

    /// Runs `smbclient` on a share of it; returns what it printed.
    pub fn smbclient(&self, share: &str, commands: &str) -> String {
        let mut command = Command::new("smbclient");
        command
            .args([
                &format!("//127.0.0.1/{share}"),
                "-p",
                &self.port.to_string(),
                "-m",
                "SMB3_11",
                "-U",
                &format!("{}%{PASSWORD}", self.user),
            ])
            .args(["-s", &self.settings().to_string_lossy(), "-c", commands]);
        run(&mut command, "")
    }

    /// What the server has counted of itself by this name (`smbstatus --profile`); its setting `smbd profiling level` must be `on`.
    pub fn counter(&self, name: &str) -> u64 {
        let mut command = Command::new("smbstatus");
        command.arg("-s").arg(self.settings()).arg("-P");
        let counters = run(&mut command, "");
        let counted = counters.lines().find_map(|line| {
            let (known, value) = line.split_once(':')?;
            (known == name).then(|| value.trim().parse().ok())?
        });
        counted.unwrap_or_else(|| panic!("no {name} in {counters}"))
    }

    fn settings(&self) -> PathBuf {
        self.folder.path().join("smb.conf")
    }

    fn write_settings(&self, global: &[&str], sections: &[Section<'_>]) {
        let folder = self.folder.path();
        for name in [
            "private", "state", "cache", "lock", "pid", "ncalrpc", "log", "share",
        ] {
            std::fs::create_dir(folder.join(name)).expect("folder");
        }
        let place = folder.display();
        let mut text = format!(
            "[global]\n server role = standalone server\n netbios name = PLUMB\n workgroup = WORKGROUP\n interfaces = 127.0.0.1/8\n \
             bind interfaces only = yes\n smb ports = {}\n disable netbios = yes\n server min protocol = SMB2_02\n \
             passdb backend = tdbsam:{place}/private/passdb.tdb\n private dir = {place}/private\n state directory = {place}/state\n \
             cache directory = {place}/cache\n lock directory = {place}/lock\n pid directory = {place}/pid\n ncalrpc dir = {place}/ncalrpc\n \
             log file = {place}/log/smbd.log\n log level = 1\n load printers = no\n printing = bsd\n printcap name = /dev/null\n disable spoolss = yes\n",
            self.port
        );
        for line in global {
            writeln!(text, " {line}").expect("text");
        }
        let share = folder.join("share");
        let usual = [
            Section {
                name: "share",
                path: &share,
                lines: &["read only = no"],
            },
            Section {
                name: "readonly",
                path: &share,
                lines: &["read only = yes"],
            },
            Section {
                name: "sealed",
                path: &share,
                lines: &["read only = no", "server smb encrypt = required"],
            },
        ];
        for section in usual.iter().chain(sections) {
            writeln!(
                text,
                "[{}]\n path = {}",
                section.name,
                section.path.display()
            )
            .expect("text");
            for line in section.lines {
                writeln!(text, " {line}").expect("text");
            }
        }
        std::fs::write(self.settings(), text).expect("settings");
    }
}

impl Drop for Samba {
    fn drop(&mut self) {
        self.pause();
    }
}

/// A folder in memory where there is one.
fn shared_memory() -> PathBuf {
    let memory = PathBuf::from("/dev/shm");
    if memory.is_dir() {
        memory
    } else {
        std::env::temp_dir()
    }
}

/// Processes that this one has started: each connection has one, which would go on for a while after its parent.
fn children_of(parent: u32) -> Vec<u32> {
    let tasks = std::fs::read_to_string(format!("/proc/{parent}/task/{parent}/children"))
        .unwrap_or_default();
    tasks
        .split_ascii_whitespace()
        .filter_map(|process| process.parse().ok())
        .collect()
}
