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
            format!("ip -n {a} link add eth0 type veth peer name eth0 netns {b}"),
            format!("ip -n {a} addr add 10.231.{net}.1/24 dev eth0"),
            format!("ip -n {b} addr add 10.231.{net}.2/24 dev eth0"),
            format!("ip -n {a} link set eth0 up"),
            format!("ip -n {b} link set eth0 up"),
            format!("ip -n {a} link set lo up"),
            format!("ip -n {b} link set lo up"),
        ];
        match made.iter().find(|line| !ok(line)) {
            None => Some(hosts),
            Some(line) => {
                println!("skipped: network namespaces need root and iproute2: '{line}' failed");
                None
            }
        }
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
