//! What is a network interface, and is it suitable for measurements? Link, speed, queues, interrupts, offloads and errors.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use plumb_model::environment::{Environment, Fact};
use plumb_words::numbers::show_bit_rate;

use super::fact::{number_fact, text_fact};
use crate::system::interface as calls;
use crate::system::kernel_files::{self, Known, exists, names, number, numbered, text};
use crate::system::paths::{self, interface_file as file};

/// Facts that only an interface with hardware has.
const HARDWARE_FACTS: [&str; 22] = [
    "network.hardware_interface",
    "network.link",
    "network.speed_bits_per_s",
    "network.duplex",
    "network.driver",
    "network.numa_node",
    "network.receive_queues",
    "network.transmit_queues",
    "network.queues_max",
    "network.rss_queues",
    "network.rps",
    "network.interrupts",
    "network.interrupt_cpus",
    "network.interrupt_top_percent",
    "network.offloads",
    "network.receive_ring",
    "network.transmit_ring",
    "network.pause_frames",
    "network.packets_since_boot",
    "network.errors_since_boot",
    "network.drops_since_boot",
    "network.carrier_changes",
];

/// Sets the facts of interface `name`. What a bond, bridge or VLAN cannot report itself is that of the first interface with hardware under it; an
/// interface without any (loopback, veth, a tunnel) has no such facts.
pub(crate) fn look(root: &Path, name: &str, environment: &mut Environment) {
    let kind = kind(root, name);
    environment.set("network.interface", Fact::Text(name.to_owned()));
    environment.set("network.interface_kind", Fact::Text(kind.to_owned()));
    environment.set(
        "network.mtu_bytes",
        number_fact(number(root, &file(name, "mtu"))),
    );
    let lower = lower(root, name);
    if !lower.is_empty() {
        let reported = lower
            .iter()
            .map(|name| with_speed(root, name))
            .collect::<Vec<_>>()
            .join(", ");
        environment.set("network.lower_interfaces", Fact::Text(reported));
    }
    if ["loopback", "veth", "tunnel"].contains(&kind) {
        return;
    }
    let Some(hardware) = hardware(root, name, 0) else {
        let reason = format!(
            "{name} ({kind}) has no hardware interface below it; its other end is a hypervisor, a container or a program"
        );
        HARDWARE_FACTS
            .iter()
            .for_each(|id| environment.set(*id, Fact::Unknown(reason.clone())));
        return;
    };
    if hardware != name {
        environment.set("network.hardware_interface", Fact::Text(hardware.clone()));
    }
    let speed_of = if kind == "bond" { name } else { &hardware };
    environment.set(
        "network.speed_bits_per_s",
        number_fact(speed_bits_per_s(root, speed_of)),
    );
    environment.set("network.duplex", text_fact(duplex(root, speed_of)));
    environment.set("network.link", text_fact(link(root, &hardware)));
    environment.set("network.driver", text_fact(driver(root, &hardware)));
    environment.set("network.numa_node", numa_node(root, &hardware));
    look_at_queues(root, &hardware, environment);
    look_at_interrupts(root, &hardware, environment);
    look_at_adapter(root, &hardware, environment);
    look_at_counters(root, &hardware, environment);
}

/// Documentation/ABI/testing/sysfs-class-net: type is ARPHRD_ of linux/if_arp.h, uevent has DEVTYPE for most virtual kinds.
fn kind(root: &Path, name: &str) -> &'static str {
    let has = |rest: &str| exists(root, &file(name, rest));
    let uevent = text(root, &file(name, "uevent")).unwrap_or_default();
    let devtype = uevent
        .lines()
        .find_map(|line| line.strip_prefix("DEVTYPE="))
        .unwrap_or_default();
    match (
        text(root, &file(name, "type")).unwrap_or_default().as_str(),
        devtype,
    ) {
        ("772", _) => "loopback",
        ("32", _) => "infiniband",
        (_, "wlan" | "wwan") => "wireless",
        (_, "bond") => "bond",
        (_, "bridge") => "bridge",
        (_, "vlan") => "vlan",
        _ if has("phy80211") || has("wireless") => "wireless",
        _ if has("bonding") => "bond",
        _ if has("bridge") => "bridge",
        _ if has("tun_flags") => "tunnel",
        (_, "vxlan" | "geneve" | "gretap" | "wireguard" | "ppp") => "tunnel",
        ("1", _) if has("device") => "ethernet",
        // A veth is linked to its peer, an interface with another number, and is not built on it.
        ("1", "")
            if lower(root, name).is_empty()
                && text(root, &file(name, "iflink")) != text(root, &file(name, "ifindex")) =>
        {
            "veth"
        }
        ("768" | "769" | "776" | "778" | "65534", _) => "tunnel",
        _ => "other",
    }
}

/// Lower interfaces: links named lower_*.
fn lower(root: &Path, name: &str) -> Vec<String> {
    names(root, &file(name, ""))
        .iter()
        .filter_map(|entry| Some(entry.strip_prefix("lower_")?.to_owned()))
        .collect()
}

/// The first interface with hardware at or under this one. `depth` bounds a chain that would lead back to itself.
fn hardware(root: &Path, name: &str, depth: u32) -> Option<String> {
    if exists(root, &file(name, "device")) {
        return Some(name.to_owned());
    }
    (depth < 4).then(|| {
        lower(root, name)
            .iter()
            .find_map(|lower| hardware(root, lower, depth + 1))
    })?
}

fn with_speed(root: &Path, name: &str) -> String {
    match speed_bits_per_s(root, name) {
        Ok(speed) => format!("{name} ({})", show_bit_rate(speed)),
        Err(_) => name.to_owned(),
    }
}

fn speed_bits_per_s(root: &Path, name: &str) -> Known<f64> {
    let path = file(name, "speed");
    // EINVAL: the link is down, or the driver has no such thing as a speed (Documentation/ABI/testing/sysfs-class-net). -1: not known.
    match number(root, &path) {
        Ok(megabits) if megabits > 0.0 => Ok(megabits * 1e6),
        Ok(_) => Err(format!("the driver of {name} reports no speed")),
        Err(error) if exists(root, &path) => Err(format!(
            "the driver of {name} reports no speed, or the link is down ({error})"
        )),
        Err(error) => Err(error),
    }
}

fn duplex(root: &Path, name: &str) -> Known<String> {
    text(root, &file(name, "duplex"))
        .map_err(|_| format!("the driver of {name} does not report it, or the link is down"))
        .and_then(|duplex| {
            if duplex == "unknown" {
                Err(format!("the driver of {name} does not report it"))
            } else {
                Ok(duplex)
            }
        })
}

fn link(root: &Path, name: &str) -> Known<String> {
    let state = text(root, &file(name, "operstate"))?;
    match text(root, &file(name, "carrier")).as_deref() {
        Ok("1") if state == "up" || state == "unknown" => Ok("up".into()),
        Ok("0") => Ok(format!("{state}, no carrier")),
        _ => Ok(state),
    }
}

fn driver(root: &Path, name: &str) -> Known<String> {
    let link = kernel_files::link(root, &file(name, "device/driver"))
        .map_err(|error| format!("no driver is linked: {error}"))?;
    let driver = link
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .ok_or("the link to the driver has no name")?;
    let firmware = if is_live(root) {
        calls::driver(name)
            .map(|(_, firmware)| firmware)
            .unwrap_or_default()
    } else {
        String::new()
    };
    Ok(if firmware.is_empty() || firmware == "N/A" {
        driver
    } else {
        format!("{driver}, firmware {firmware}")
    })
}

fn numa_node(root: &Path, name: &str) -> Fact {
    // A virtio adapter hangs on a PCI device, which has the node.
    let own = file(name, "device/numa_node");
    let path = if exists(root, &own) {
        own
    } else {
        file(name, "device/../numa_node")
    };
    match number(root, &path) {
        Ok(node) if node >= 0.0 => Fact::Number(node),
        Ok(_) => Fact::Text("none".into()),
        Err(error) => Fact::Unknown(error),
    }
}

fn look_at_queues(root: &Path, name: &str, environment: &mut Environment) {
    let folder = file(name, "queues");
    let count = |prefix: &str| match numbered(root, &folder, prefix).len() {
        0 => Err(format!("/{folder} lists no queues")),
        count => Ok(count as f64),
    };
    environment.set("network.receive_queues", number_fact(count("rx-")));
    environment.set("network.transmit_queues", number_fact(count("tx-")));
    let queues = numbered(root, &folder, "rx-");
    let masks: Vec<Known<String>> = queues
        .iter()
        .map(|queue| text(root, &format!("{folder}/{queue}/rps_cpus")))
        .collect();
    let steered: Vec<&String> = masks
        .iter()
        .flatten()
        .filter(|mask| mask.bytes().any(|byte| !matches!(byte, b'0' | b',')))
        .collect();
    environment.set(
        "network.rps",
        match (masks.first(), steered.first()) {
            (None | Some(Err(_)), _) => {
                Fact::Unknown(format!("/{folder} has no CPU masks (CONFIG_RPS)"))
            }
            (_, None) => Fact::Text("off".into()),
            (_, Some(mask)) => Fact::Text(format!(
                "on for {} of {} queues, CPU mask {mask}",
                steered.len(),
                queues.len()
            )),
        },
    );
}

/// Which CPUs handle the adapter's interrupts: /proc/interrupts, in the lines that the device's msi_irqs name.
fn look_at_interrupts(root: &Path, name: &str, environment: &mut Environment) {
    let counts = interrupts(root, name);
    let (taken, lines) = match counts {
        Ok(reported) => reported,
        Err(reason) => {
            for id in [
                "network.interrupts",
                "network.interrupt_cpus",
                "network.interrupt_top_percent",
            ] {
                environment.set(id, Fact::Unknown(reason.clone()));
            }
            return;
        }
    };
    let all: f64 = taken.iter().sum();
    environment.set("network.interrupts", Fact::Number(lines as f64));
    environment.set(
        "network.interrupt_cpus",
        Fact::Number(taken.iter().filter(|count| **count >= 0.01 * all).count() as f64),
    );
    environment.set(
        "network.interrupt_top_percent",
        Fact::Number(100.0 * taken.iter().copied().fold(0.0, f64::max) / all),
    );
}

/// Interrupts of each CPU, and how many lines had any.
fn interrupts(root: &Path, name: &str) -> Known<(Vec<f64>, usize)> {
    let device = kernel_files::below_root(root, &file(name, "device"))
        .map_err(|error| format!("no interrupts of {name}: {error}"))?;
    let own: BTreeSet<String> = [device.join("msi_irqs"), parent_of(&device).join("msi_irqs")]
        .iter()
        .filter_map(|folder| std::fs::read_dir(folder).ok())
        .flat_map(|entries| {
            entries
                .flatten()
                .filter_map(|entry| entry.file_name().into_string().ok())
        })
        .collect();
    let table = text(root, paths::INTERRUPTS)?;
    let cpus = table
        .lines()
        .next()
        .unwrap_or_default()
        .split_whitespace()
        .count();
    let (mut taken, mut lines) = (vec![0.0; cpus], 0);
    for line in table.lines().skip(1) {
        let Some((number, rest)) = line.split_once(':') else {
            continue;
        };
        // Without msi_irqs (old kernels, some virtual adapters), the name of the interrupt reports, as drivers choose it.
        let named = own.is_empty()
            && rest
                .split_whitespace()
                .skip(cpus)
                .any(|word| word == name || word.starts_with(&format!("{name}-")));
        if !named && !own.contains(number.trim()) {
            continue;
        }
        let counts: Vec<f64> = rest
            .split_whitespace()
            .take(cpus)
            .filter_map(|count| count.parse().ok())
            .collect();
        lines += usize::from(counts.iter().any(|count| *count > 0.0));
        taken
            .iter_mut()
            .zip(counts)
            .for_each(|(sum, count)| *sum += count);
    }
    if lines == 0 {
        Err(format!("/proc/interrupts shows no interrupt of {name}"))
    } else {
        Ok((taken, lines))
    }
}

/// The parent device: for virtio, the PCI device that has the interrupts.
fn parent_of(device: &Path) -> PathBuf {
    device
        .canonicalize()
        .ok()
        .and_then(|path| path.parent().map(Path::to_path_buf))
        .unwrap_or_default()
}

/// Information from ethtool, which needs a system call and so only works on the running system.
fn look_at_adapter(root: &Path, name: &str, environment: &mut Environment) {
    fn reported<T>(root: &Path, what: &str, ask: impl FnOnce() -> std::io::Result<T>) -> Known<T> {
        if !is_live(root) {
            return Err(format!(
                "{what} needs a system call, which a directory of saved files does not support"
            ));
        }
        ask().map_err(|error| format!("the driver does not report it ({what}): {error}"))
    }
    let channels = reported(root, "ethtool -l", || calls::channels(name));
    environment.set(
        "network.queues_max",
        number_fact(channels.map(|channels| f64::from(channels.receive_max.max(channels.receive)))),
    );
    let table = reported(root, "ethtool -x", || calls::indirection_table(name));
    let distinct = table.map(|table| table.into_iter().collect::<BTreeSet<u32>>().len() as f64);
    environment.set("network.rss_queues", number_fact(distinct));
    let rings = reported(root, "ethtool -g", || calls::rings(name));
    let ring = |now: u32, most: u32| format!("{now} of {most}");
    environment.set(
        "network.receive_ring",
        text_fact(
            rings
                .clone()
                .map(|rings| ring(rings.receive, rings.receive_max)),
        ),
    );
    environment.set(
        "network.transmit_ring",
        text_fact(rings.map(|rings| ring(rings.transmit, rings.transmit_max))),
    );
    let pause = reported(root, "ethtool -a", || calls::pause(name)).map(|pause| {
        match (pause.receive, pause.transmit) {
            (true, true) => "on",
            (true, false) => "received, not sent",
            (false, true) => "sent, not received",
            (false, false) => "off",
        }
    });
    environment.set("network.pause_frames", text_fact(pause));
    let offloads =
        reported(root, "ethtool -k", || Ok(calls::offloads(name))).and_then(|offloads| {
            let of = |selected: bool| {
                offloads
                    .iter()
                    .filter(|(_, on)| *on == selected)
                    .map(|(name, _)| *name)
                    .collect::<Vec<_>>()
                    .join(" ")
            };
            match (of(true), of(false)) {
                (on, off) if on.is_empty() && off.is_empty() => {
                    Err("the driver reports no offloads (ethtool -k)".to_owned())
                }
                (on, off) if off.is_empty() => Ok(on),
                (on, off) if on.is_empty() => Ok(format!("none; off: {off}")),
                (on, off) => Ok(format!("{on}; off: {off}")),
            }
        });
    environment.set("network.offloads", text_fact(offloads));
}

fn look_at_counters(root: &Path, name: &str, environment: &mut Environment) {
    let sum = |counters: &[&str]| -> Fact {
        number_fact(
            counters
                .iter()
                .map(|counter| number(root, &file(name, &format!("statistics/{counter}"))))
                .sum(),
        )
    };
    environment.set(
        "network.packets_since_boot",
        sum(&["rx_packets", "tx_packets"]),
    );
    environment.set(
        "network.errors_since_boot",
        sum(&["rx_errors", "tx_errors"]),
    );
    environment.set(
        "network.drops_since_boot",
        sum(&["rx_dropped", "tx_dropped"]),
    );
    environment.set(
        "network.carrier_changes",
        number_fact(number(root, &file(name, "carrier_changes"))),
    );
}

/// True if the files are those of the running system, so that system calls apply to the same machine.
pub(crate) fn is_live(root: &Path) -> bool {
    root == Path::new("/")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    fn facts_of(name: &str) -> Environment {
        let tree = fixture::tree("proc-share");
        let root = tree.path().canonicalize().unwrap();
        let mut environment = Environment::default();
        look(&root, name, &mut environment);
        environment
    }

    #[test]
    #[cfg_attr(
        windows,
        ignore = "the files of this machine have symlinks and names with colons"
    )]
    fn an_adapter_tells_link_queues_interrupts_and_errors() {
        let facts = facts_of("eth0");
        assert_eq!(facts.text("network.interface_kind"), Some("ethernet"));
        assert_eq!(facts.number("network.speed_bits_per_s"), Some(25e9));
        assert_eq!(facts.text("network.duplex"), Some("full"));
        assert_eq!(facts.text("network.link"), Some("up"));
        assert_eq!(facts.number("network.mtu_bytes"), Some(1500.0));
        assert_eq!(facts.text("network.driver"), Some("mlx5_core"));
        assert_eq!(facts.number("network.numa_node"), Some(1.0));
        assert_eq!(
            (
                facts.number("network.receive_queues"),
                facts.number("network.transmit_queues")
            ),
            (Some(2.0), Some(2.0))
        );
        assert_eq!(
            facts.text("network.rps"),
            Some("on for 1 of 2 queues, CPU mask 00000000,0000000f")
        );
        assert_eq!(facts.number("network.interrupts"), Some(2.0));
        assert_eq!(facts.number("network.interrupt_cpus"), Some(2.0));
        assert_eq!(facts.number("network.interrupt_top_percent"), Some(75.0));
        assert_eq!(
            facts.number("network.packets_since_boot"),
            Some(3_000_000.0)
        );
        assert_eq!(facts.number("network.errors_since_boot"), Some(12.0));
        assert_eq!(facts.number("network.drops_since_boot"), Some(7.0));
        assert!(
            matches!(&facts.facts["network.rss_queues"], Fact::Unknown(why) if why.contains("ethtool -x"))
        );
    }

    #[test]
    #[cfg_attr(
        windows,
        ignore = "the files of this machine have symlinks and names with colons"
    )]
    fn a_bond_has_its_own_speed_and_the_hardware_of_its_first_member() {
        let facts = facts_of("bond0");
        assert_eq!(facts.text("network.interface_kind"), Some("bond"));
        assert_eq!(
            facts.text("network.lower_interfaces"),
            Some("eth0 (25 Gbit/s), eth1")
        );
        assert_eq!(facts.text("network.hardware_interface"), Some("eth0"));
        assert_eq!(facts.number("network.speed_bits_per_s"), Some(50e9));
        assert_eq!(facts.number("network.mtu_bytes"), Some(9000.0));
        assert_eq!(facts.text("network.driver"), Some("mlx5_core"));
    }

    #[test]
    #[cfg_attr(
        windows,
        ignore = "the files of this machine have symlinks and names with colons"
    )]
    fn what_has_no_hardware_has_no_speed() {
        for (name, kind) in [("lo", "loopback"), ("veth7", "veth")] {
            let facts = facts_of(name);
            assert_eq!(facts.text("network.interface_kind"), Some(kind), "{name}");
            assert!(
                !facts.facts.contains_key("network.speed_bits_per_s"),
                "{name}"
            );
        }
        let facts = facts_of("br0");
        assert_eq!(facts.text("network.interface_kind"), Some("bridge"));
        assert!(
            matches!(&facts.facts["network.speed_bits_per_s"], Fact::Unknown(why) if why.contains("hypervisor"))
        );
    }

    #[test]
    #[cfg_attr(
        windows,
        ignore = "the files of this machine have symlinks and names with colons"
    )]
    fn an_interface_that_is_down_says_so() {
        let facts = facts_of("eth1");
        assert_eq!(facts.text("network.link"), Some("down, no carrier"));
        assert!(matches!(
            facts.facts["network.speed_bits_per_s"],
            Fact::Unknown(_)
        ));
        let facts = facts_of("gone0");
        assert!(
            facts
                .facts
                .values()
                .all(|fact| !matches!(fact, Fact::Number(_))),
            "{facts:?}"
        );
    }
}
