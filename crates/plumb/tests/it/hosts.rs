//! Two hosts on one machine, for what happens between a client and a server.

use std::process::{Command, Stdio};

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
        let ok = |line: &str| {
            let words: Vec<&str> = line.split_whitespace().collect();
            let status = Command::new(words[0])
                .args(&words[1..])
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .status();
            status.is_ok_and(|status| status.success())
        };
        let [a, b] = &hosts.names;
        let made = [
            format!("ip netns add {a}"),
            format!("ip netns add {b}"),
            format!("ip -n {a} link set lo up"),
            format!("ip -n {b} link set lo up"),
        ];
        let lines = made.into_iter().chain(hosts.wire("eth0", net));
        match lines.into_iter().find(|line| !ok(line)) {
            None => Some(hosts),
            Some(line) => {
                println!("skipped: network namespaces need root and iproute2: '{line}' failed");
                None
            }
        }
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
        let counter = format!("/sys/class/net/{interface}/statistics/rx_bytes");
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
