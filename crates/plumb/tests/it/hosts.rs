//! Simulated hosts for tests between clients and a server: network namespaces, connected by veth pairs.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Writes a script that can be started.
pub fn script(path: &Path, text: &str) {
    fs::write(path, text).expect("script");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o700);
    fs::set_permissions(path, mode).expect("mode");
}

/// True when the line, a program with arguments, ends well.
fn is_done(line: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().collect();
    let status = Command::new(words[0])
        .args(&words[1..])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    status.is_ok_and(|status| status.success())
}

/// Two hosts in network namespaces, joined by a veth pair.
pub struct Hosts {
    pub names: [String; 2],
}

impl Hosts {
    /// `net`: third number of their addresses, 10.231.NET.1 and 10.231.NET.2, and of no other test. `None`: why is printed.
    pub fn new(net: u8) -> Option<Hosts> {
        let id = std::process::id();
        let hosts = Hosts {
            names: [format!("plumb{id}n{net}a"), format!("plumb{id}n{net}b")],
        };
        let [a, b] = &hosts.names;
        let made = [
            format!("ip netns add {a}"),
            format!("ip netns add {b}"),
            format!("ip -n {a} link set lo up"),
            format!("ip -n {b} link set lo up"),
        ];
        let lines = made.into_iter().chain(hosts.wire("eth0", net));
        match lines.into_iter().find(|line| !is_done(line)) {
            None => Some(hosts),
            Some(line) => {
                println!("skipped: network namespaces need root and iproute2: '{line}' failed");
                None
            }
        }
    }

    /// The way to a host by its address, as `ssh` is one: a script that takes options, the host, and a command line for its shell. The hosts have names there.
    pub fn shell(&self, folder: &Path) -> PathBuf {
        let [a, b] = &self.names;
        let reach = folder.join("reach");
        let text = format!(
            "#!/bin/bash\nwhile [[ $1 == -* ]]; do shift; done\nhost=$1; shift\ncase $host in *.1) space={a} name=hosta;; *) space={b} name=hostb;; esac\n\
             exec ip netns exec $space unshare --uts sh -c \"hostname $name; exec $*\"\n"
        );
        script(&reach, &text);
        reach
    }

    /// What joins the two by one more veth pair of this name, with addresses in 10.231.NET.0/24.
    fn wire(&self, interface: &str, net: u8) -> [String; 5] {
        let [a, b] = &self.names;
        [
            format!("ip -n {a} link add {interface} type veth peer name {interface} netns {b}"),
            format!("ip -n {a} addr add 10.231.{net}.1/24 dev {interface}"),
            format!("ip -n {b} addr add 10.231.{net}.2/24 dev {interface}"),
            format!("ip -n {a} link set {interface} up"),
            format!("ip -n {b} link set {interface} up"),
        ]
    }

    /// A third host with the address 10.231.NET.3, a switch with a port to each of the two, where the interface is `eth1` with 10.231.NET.1 and 10.231.NET.2.
    pub fn with_server(&self, net: u8) -> Server {
        let name = format!("{}server", self.names[0]);
        let mut lines = vec![
            format!("ip netns add {name}"),
            format!("ip -n {name} link set lo up"),
            format!("ip -n {name} link add switch type bridge"),
            format!("ip -n {name} addr add 10.231.{net}.3/24 dev switch"),
            format!("ip -n {name} link set switch up"),
        ];
        for (number, host) in (1..).zip(&self.names) {
            lines.extend([
                format!("ip -n {host} link add eth1 type veth peer name port{number} netns {name}"),
                format!("ip -n {name} link set port{number} master switch up"),
                format!("ip -n {host} addr add 10.231.{net}.{number}/24 dev eth1"),
                format!("ip -n {host} link set eth1 up"),
            ]);
        }
        let server = Server {
            name,
            address: format!("10.231.{net}.3"),
        };
        for line in lines {
            assert!(is_done(&line), "{line}");
        }
        server
    }

    /// Joins them a second time, as `eth1`.
    pub fn join_again(&self, net: u8) {
        for line in self.wire("eth1", net) {
            let words: Vec<&str> = line.split_whitespace().collect();
            let done = Command::new(words[0]).args(&words[1..]).status();
            assert!(done.expect("ip").success(), "{line}");
        }
    }

    /// Bytes that the kernel of one of them has received on an interface.
    pub fn received_bytes(&self, host: usize, interface: &str) -> u64 {
        self.counter(host, interface, "rx_bytes")
    }

    /// A counter of the kernel of one of them for an interface.
    pub fn counter(&self, host: usize, interface: &str, name: &str) -> u64 {
        let counter = format!("/sys/class/net/{interface}/statistics/{name}");
        let output = self.on(host, "cat").arg(counter).output().expect("cat");
        let text = String::from_utf8_lossy(&output.stdout);
        text.trim().parse().expect("a count")
    }

    /// A program on one of them, as if started there.
    pub fn on(&self, host: usize, program: &str) -> Command {
        let mut command = Command::new("ip");
        command.args(["netns", "exec", &self.names[host], program]);
        command
    }

    /// Cuts (`down`) or joins (`up`) what connects them.
    pub fn link(&self, state: &str) {
        let set = Command::new("ip")
            .args(["-n", &self.names[0], "link", "set", "eth0", state])
            .status()
            .expect("ip");
        assert!(set.success(), "{state}");
    }
}

impl Drop for Hosts {
    fn drop(&mut self) {
        for name in &self.names {
            let _ = Command::new("ip")
                .args(["netns", "del", name])
                .stderr(Stdio::null())
                .status();
        }
    }
}

/// The third host. Ends with this value.
pub struct Server {
    pub name: String,
    pub address: String,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = Command::new("ip")
            .args(["netns", "del", &self.name])
            .stderr(Stdio::null())
            .status();
    }
}
