//! What NFS server do tests speak to? A private nfs-ganesha on loopback: its own folders, a free port, no systemd; version 4 only, or 3 and 4 with an rpcbind in
//! a network of its own.

#![allow(dead_code)]

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A server with the exports `/data` (read and write) and `/readonly` of the same folder, and `/squashed`, where root is nobody. Ends when dropped.
pub struct Ganesha {
    folder: tempfile::TempDir,
    /// Its address, and the words before a command that start it on the server's host: `ip netns exec NAME`.
    host: String,
    before: Vec<String>,
    port: u16,
    /// Where MOUNT is spoken, when NFS 3 is.
    mount_port: Option<u16>,
    /// MOUNT knows the exports by their names in NFS 4, not by the folders behind them.
    names_by_pseudo: bool,
    /// Only these of NFS 4, as ganesha writes them, and a lease other than its own, in seconds.
    minor_versions: Option<&'static str>,
    lease_s: Option<u32>,
    /// Kerberos: the realm's settings and the server's key.
    kerberos: Option<(PathBuf, PathBuf)>,
    server: Option<Child>,
}

/// Set for a test that was started again in namespaces of its own.
const INSIDE: &str = "PLUMB_TEST_OWN_NETWORK";

/// True in a network, with a /run, of this test's own: there an rpcbind may have port 111, without which ganesha serves no NFS 3. The test with this name calls
/// it first; outside it is started again inside, and has passed when it passes there. Prints why where there are no namespaces or no rpcbind.
pub fn in_own_network(test: &str) -> bool {
    if std::env::var_os(INSIDE).is_some() {
        return true;
    }
    let has = |program: &str| {
        let paths = std::env::var("PATH").unwrap_or_default() + ":/usr/sbin:/sbin";
        paths
            .split(':')
            .any(|folder| Path::new(folder).join(program).exists())
    };
    let missing: Vec<&str> = ["unshare", "rpcbind", "ip", "ganesha.nfsd"]
        .into_iter()
        .filter(|program| !has(program))
        .collect();
    if !missing.is_empty() || !is_root() {
        println!("skipped: no NFS 3 server: not root, or missing: {missing:?}");
        return false;
    }
    let script = "mount -t tmpfs tmpfs /run && ip link set lo up && { rpcbind -f -w & } && exec \"$0\" \"$@\"";
    // Where a test that needs Kerberos puts the tickets, which it can get inside only.
    let tickets = format!("plumb-tickets-{}-{test}", std::process::id());
    let tickets = std::env::temp_dir().join(tickets);
    let inside = Command::new("unshare")
        .args([
            "--net",
            "--mount",
            "--pid",
            "--fork",
            "--mount-proc",
            "--kill-child",
        ])
        .args(["sh", "-c", script])
        .arg(std::env::current_exe().expect("this test"))
        .args(["--exact", test, "--nocapture"])
        .env(INSIDE, "1")
        .env("KRB5CCNAME", &tickets)
        .output()
        .expect("unshare");
    let _ = fs::remove_file(&tickets);
    let said = String::from_utf8_lossy(&inside.stdout).into_owned()
        + &String::from_utf8_lossy(&inside.stderr);
    assert!(
        inside.status.success() && said.contains("1 passed") && !said.contains("skipped:"),
        "{test} in a network of its own: {said}"
    );
    false
}

fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0)
}

/// Programs of RPC.
const PORTMAPPER: u32 = 100_000;
const NFS: u32 = 100_003;
const MOUNT: u32 = 100_005;

/// RFC 5531: one fragment; a call (0) of RPC 2, of this program, version and procedure, without credentials.
fn call([program, version, procedure]: [u32; 3], arguments: &[u32]) -> Vec<u8> {
    let length = 0x8000_0028 + 4 * arguments.len() as u32;
    let head = [length, 1, 0, 2, program, version, procedure, 0, 0, 0, 0];
    let words = head.iter().chain(arguments);
    words.flat_map(|word| word.to_be_bytes()).collect()
}

/// What it is answered: so many bytes behind the head of an answer that says success.
fn asked(port: u16, call: &[u8], bytes: usize) -> std::io::Result<Vec<u8>> {
    let mut connection = TcpStream::connect(("127.0.0.1", port))?;
    connection.set_read_timeout(Some(Duration::from_secs(5)))?;
    connection.write_all(call)?;
    // The mark of the record, the number of the call, an answer (1), accepted (0), a verifier of nothing, success (0).
    let mut answer = vec![0; 28 + bytes];
    connection.read_exact(&mut answer)?;
    match answer[24..28] {
        [0, 0, 0, 0] => Ok(answer.split_off(28)),
        _ => Err(std::io::Error::other("refused")),
    }
}

impl Ganesha {
    /// Starts one; `None`, with the reason printed, where none can be started.
    pub fn start() -> Option<Ganesha> {
        Ganesha::start_with(None, true)
    }

    /// The same on another host, which has this address and on which `before` starts programs.
    pub fn on_host(host: &str, before: &[&str]) -> Option<Ganesha> {
        let mut ganesha = Ganesha::new(None, true)?;
        ganesha.host = host.into();
        ganesha.before = before.iter().map(|word| word.to_string()).collect();
        ganesha.restart();
        Some(ganesha)
    }

    /// Bytes that it has read from files and written to them, as the kernel counts for its process (`rchar`, `wchar`); connections are not among them.
    pub fn file_bytes(&self) -> [u64; 2] {
        let process = self.server.as_ref().expect("it runs").id();
        let counts = fs::read_to_string(format!("/proc/{process}/io")).expect("counts");
        ["rchar", "wchar"].map(|name| {
            let line = counts.lines().find_map(|line| line.strip_prefix(name));
            let value = line.and_then(|line| line.strip_prefix(": ")?.parse().ok());
            value.unwrap_or_else(|| panic!("no {name} in {counts}"))
        })
    }

    /// From the next [`Ganesha::restart`] on it speaks of NFS 4 only 4.0, and grants leases of so many seconds.
    pub fn limit_to_4_0(&mut self, lease_s: u32) {
        (self.minor_versions, self.lease_s) = (Some("0"), Some(lease_s));
    }

    /// The same, with NFS 3 besides; within [`in_own_network`].
    pub fn start_3() -> Ganesha {
        Ganesha::start_with(Some(super::ports::free_port()), true).expect("a server")
    }

    /// The same, and from the next [`Ganesha::restart`] on `/data` and `/readonly` are for those with a Kerberos ticket only, `/squashed` for all.
    pub fn require_kerberos(&mut self, settings: PathBuf, keytab: PathBuf) {
        self.kerberos = Some((settings, keytab));
    }

    /// The same, with exports that NFS 3 knows by the folders behind them.
    pub fn start_3_by_folders() -> Ganesha {
        Ganesha::start_with(Some(super::ports::free_port()), false).expect("a server")
    }

    fn start_with(mount_port: Option<u16>, names_by_pseudo: bool) -> Option<Ganesha> {
        let mut ganesha = Ganesha::new(mount_port, names_by_pseudo)?;
        ganesha.restart();
        Some(ganesha)
    }

    /// Not started yet.
    fn new(mount_port: Option<u16>, names_by_pseudo: bool) -> Option<Ganesha> {
        let installed = Command::new("ganesha.nfsd")
            .arg("-v")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .is_ok();
        // The file system below is reached by handles (open_by_handle_at), which only root may do.
        if !installed || !is_root() {
            let reason = if installed {
                "not root"
            } else {
                "packages nfs-ganesha and nfs-ganesha-vfs are not installed"
            };
            println!("skipped: no NFS server: {reason}");
            return None;
        }
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["data", "squashed", "recovery"] {
            fs::create_dir(folder.path().join(name)).expect("a folder");
        }
        Some(Ganesha {
            folder,
            host: "127.0.0.1".into(),
            before: Vec::new(),
            port: super::ports::free_port(),
            mount_port,
            names_by_pseudo,
            minor_versions: None,
            lease_s: None,
            kerberos: None,
            server: None,
        })
    }

    /// Starts the server, again on the same port.
    pub fn restart(&mut self) {
        self.stop();
        let configuration = self.path("ganesha.conf");
        fs::write(&configuration, self.configuration()).expect("configuration");
        self.server = Some(self.spawn(&configuration));
        let begun = Instant::now();
        while !self.answers() {
            let log = || fs::read_to_string(self.path("log")).unwrap_or_default();
            assert!(
                begun.elapsed() < Duration::from_secs(60),
                "ganesha.nfsd does not answer: {}",
                log()
            );
            std::thread::sleep(Duration::from_millis(50));
            // It gives up when the portmapper does not take its ports at once.
            let server = self.server.as_mut().expect("started above");
            if server.try_wait().expect("its state").is_some() {
                self.server = Some(self.spawn(&configuration));
            }
        }
    }

    fn spawn(&self, configuration: &Path) -> Child {
        let mut server = self.command("ganesha.nfsd");
        server
            .args(["-F", "-N", "NIV_EVENT", "-f"])
            .arg(configuration)
            .arg("-L")
            .arg(self.path("log"))
            .arg("-p")
            .arg(self.path("pid"));
        if let Some((settings, _)) = &self.kerberos {
            // It listens on an address without a name; and takes a ticket twice in a microsecond.
            server.env("KRB5_CONFIG", settings);
            server.env("KRB5RCACHENAME", "none:");
        }
        server
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("ganesha.nfsd")
    }

    /// A program on the server's host.
    fn command(&self, program: &str) -> Command {
        let mut words = self.before.iter().map(String::as_str).chain([program]);
        let mut command = Command::new(words.next().expect("a program"));
        command.args(words);
        command
    }

    /// It answers the procedure NULL of NFS 4, and where it speaks NFS 3 that of NFS 3 too, and the portmapper knows its MOUNT. It listens before it can, and
    /// resets connections until then.
    fn answers(&self) -> bool {
        let of_nfs = |version| call([NFS, version, 0], &[]);
        if !self.before.is_empty() {
            return self.answers_there(&of_nfs(4));
        }
        let is_there = |version| asked(self.port, &of_nfs(version), 0).is_ok();
        let Some(mount_port) = self.mount_port else {
            return is_there(4);
        };
        // RFC 1833: the procedure GETPORT (3) of the portmapper, for MOUNT 3 over TCP (6).
        let where_is_mount = call([PORTMAPPER, 2, 3], &[MOUNT, 3, 6, 0]);
        let told = || asked(111, &where_is_mount, 4);
        let port = u32::from(mount_port).to_be_bytes();
        is_there(4) && is_there(3) && told().is_ok_and(|told| told == port)
    }

    /// The same, asked by a shell on the server's host.
    fn answers_there(&self, call: &[u8]) -> bool {
        let bytes: String = call.iter().map(|byte| format!("\\x{byte:02x}")).collect();
        let asked = format!(
            "exec 3<>/dev/tcp/{}/{} && printf '{bytes}' >&3 && timeout 5 head -c 28 <&3",
            self.host, self.port
        );
        let answer = self.command("bash").args(["-c", &asked]).output();
        answer.is_ok_and(|answer| answer.stdout.len() == 28 && answer.stdout[24..] == [0; 4])
    }

    /// Stops the server at once, as a crash would.
    pub fn stop(&mut self) {
        if let Some(mut server) = self.server.take() {
            let _ = server.kill();
            let _ = server.wait();
        }
    }

    /// The address of a place on the server.
    pub fn address(&self, path: &str) -> String {
        format!("nfs://{}:{}/{path}", self.host, self.port)
    }

    /// The port it listens on.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The port of MOUNT.
    pub fn mount_port(&self) -> u16 {
        self.mount_port.expect("a server of NFS 3")
    }

    /// Sends a signal such as `STOP` or `CONT` to the server.
    pub fn signal(&self, name: &str) {
        if let Some(server) = &self.server {
            let number = server.id().to_string();
            let sent = Command::new("kill")
                .args([&format!("-{name}"), &number])
                .status();
            assert!(sent.is_ok_and(|status| status.success()), "{name}");
        }
    }

    /// The folder behind the exports `/data` and `/readonly`.
    pub fn data(&self) -> PathBuf {
        self.path("data")
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn configuration(&self) -> String {
        let (port, recovery) = (self.port, self.path("recovery"));
        // A network with loopback alone has no address that could be bound by its name.
        let (versions, own) = match self.mount_port {
            None => ("4", format!("Bind_addr = {};", self.host)),
            Some(mount_port) => (
                "3, 4",
                format!(
                    "MNT_Port = {mount_port}; Mount_Path_Pseudo = {};",
                    self.names_by_pseudo
                ),
            ),
        };
        let minor_versions = self
            .minor_versions
            .map(|versions| format!("Minor_Versions = {versions};"));
        let lease = self
            .lease_s
            .map(|seconds| format!("Lease_Lifetime = {seconds};"));
        let (minor_versions, lease) = (
            minor_versions.unwrap_or_default(),
            lease.unwrap_or_default(),
        );
        let (kerberos, security) = match &self.kerberos {
            None => (String::new(), ["sys", "sys"]),
            Some((_, keytab)) => (
                format!(
                    "NFS_KRB5 {{ PrincipalName = nfs; KeytabPath = {}; Active_krb5 = true; CCacheDir = {}; }}\n",
                    keytab.display(),
                    recovery.display()
                ),
                ["krb5, krb5i, krb5p", "krb5p, sys"],
            ),
        };
        let export = |number: u32, folder: &Path, name: &str, access: &str, squash: &str| {
            let security = security[usize::from(name == "squashed")];
            format!(
                "EXPORT {{ Export_Id = {number}; Path = {}; Pseudo = /{name}; Access_Type = {access}; Squash = {squash}; Protocols = {versions}; Transports = TCP; \
                 SecType = {security}; FSAL {{ Name = VFS; }} }}\n",
                folder.display()
            )
        };
        let exports = [
            export(1, &self.path("data"), "data", "RW", "No_Root_Squash"),
            export(2, &self.path("data"), "readonly", "RO", "No_Root_Squash"),
            export(3, &self.path("squashed"), "squashed", "RW", "Root_Squash"),
        ];
        format!(
            "NFS_CORE_PARAM {{ Protocols = {versions}; NFS_Port = {port}; {own} Enable_UDP = false; Enable_NLM = false; Enable_RQUOTA = false; }}\n\
             NFSV4 {{ Graceless = true; RecoveryBackend = fs; RecoveryRoot = {}; {minor_versions} {lease} }}\n{kerberos}{}",
            recovery.display(),
            exports.concat()
        )
    }
}

impl Drop for Ganesha {
    fn drop(&mut self) {
        self.stop();
    }
}
