//! Which RDMA adapters are there, and is one on the path to the server? From /sys/class/infiniband.

use std::path::Path;

use plumb_model::environment::{Environment, Fact};

use super::fact::{number_fact, text_fact};
use crate::system::kernel_files::{Known, link, names, numbered, text};
use crate::system::paths::{self, rdma_adapter, rdma_port};

/// One port of an RDMA adapter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Port {
    pub device: String,
    pub number: String,
    /// Network interfaces that its GIDs belong to, each once.
    pub interfaces: Vec<String>,
}

/// Most GIDs that are looked at: the table of an adapter has up to a thousand slots, and those in use are at its beginning.
const GIDS: usize = 64;

/// All ports of all adapters, in order.
pub(crate) fn ports(root: &Path) -> Vec<Port> {
    let mut ports = Vec::new();
    for device in names(root, paths::RDMA_ADAPTERS) {
        for number in numbered(root, &rdma_adapter(&device, "ports"), "") {
            let mut interfaces: Vec<String> = Vec::new();
            for (index, _) in gids(root, &device, &number) {
                let name = text(
                    root,
                    &rdma_port(&device, &number, &format!("gid_attrs/ndevs/{index}")),
                )
                .unwrap_or_default();
                if !name.is_empty() && !interfaces.contains(&name) {
                    interfaces.push(name);
                }
            }
            // An adapter names its interfaces also by the device that both hang on: IPoIB has GIDs without an interface on older kernels.
            if interfaces.is_empty() {
                interfaces = names(root, &rdma_adapter(&device, "device/net"));
            }
            ports.push(Port {
                device: device.clone(),
                number,
                interfaces,
            });
        }
    }
    ports
}

/// GIDs in use: (index, GID). Slots of zeros are free.
fn gids(root: &Path, device: &str, number: &str) -> Vec<(usize, String)> {
    let of = |index: usize| {
        text(root, &rdma_port(device, number, &format!("gids/{index}")))
            .ok()
            .map(|gid| (index, gid))
    };
    (0..GIDS)
        .map_while(of)
        .filter(|(_, gid)| gid.bytes().any(|byte| !matches!(byte, b'0' | b':')))
        .collect()
}

/// Sets what adapters there are and whether `interface`, which the route to the server uses, has one; then the facts of that port.
pub(crate) fn look(root: &Path, interface: Option<&str>, environment: &mut Environment) {
    let ports = ports(root);
    environment.set("rdma.devices", Fact::Text(listed(&ports)));
    let Some(interface) = interface else {
        environment.set(
            "rdma.capable",
            Fact::Unknown("the interface to the server is unknown".into()),
        );
        return;
    };
    // What the route uses may be on the adapter's interface: a bond, a bridge or a VLAN.
    let hardware = environment
        .text("network.hardware_interface")
        .map(str::to_owned);
    let fits = |port: &&Port| {
        port.interfaces
            .iter()
            .any(|name| name == interface || Some(name) == hardware.as_ref())
    };
    let found = ports.iter().find(fits);
    environment.set("rdma.capable", Fact::Flag(found.is_some()));
    if let Some(port) = found {
        look_at_port(root, port, environment);
    }
}

/// The adapters by name, or none.
fn listed(ports: &[Port]) -> String {
    if ports.is_empty() {
        return "none".into();
    }
    let of = |port: &Port| match port.interfaces.first() {
        Some(interface) => format!("{}/{} ({interface})", port.device, port.number),
        None => format!("{}/{}", port.device, port.number),
    };
    ports.iter().map(of).collect::<Vec<_>>().join(", ")
}

/// Documentation/ABI/stable/sysfs-class-infiniband.
pub(crate) fn look_at_port(root: &Path, port: &Port, environment: &mut Environment) {
    let device = |name: &str| text(root, &rdma_adapter(&port.device, name));
    let of_port = |name: &str| text(root, &rdma_port(&port.device, &port.number, name));
    environment.set("rdma.device", Fact::Text(port.device.clone()));
    environment.set("rdma.port", Fact::Text(port.number.clone()));
    let interfaces = match port.interfaces.as_slice() {
        [] => Err("no GID of the port belongs to a network interface".to_owned()),
        interfaces => Ok(interfaces.join(", ")),
    };
    environment.set("rdma.interface", text_fact(interfaces));
    // `4: ACTIVE` and `5: LinkUp`.
    let word = |line: Known<String>| {
        line.map(|line| {
            line.split_once(": ")
                .map_or(line.clone(), |(_, word)| word.to_owned())
        })
    };
    environment.set("rdma.state", text_fact(word(of_port("state"))));
    environment.set(
        "rdma.physical_state",
        text_fact(word(of_port("phys_state"))),
    );
    environment.set(
        "rdma.rate_bits_per_s",
        number_fact(of_port("rate").and_then(|rate| rate_bits_per_s(&rate))),
    );
    environment.set("rdma.link_layer", text_fact(of_port("link_layer")));
    environment.set(
        "rdma.mtu_bytes",
        Fact::Unknown(
            "the kernel reports it only to RDMA programs; see active_mtu of `ibv_devinfo`".into(),
        ),
    );
    environment.set("rdma.gids", text_fact(gids_text(root, port)));
    if of_port("link_layer").as_deref() == Ok("InfiniBand") {
        environment.set("rdma.lid", text_fact(of_port("lid")));
    }
    let firmware = device("fw_ver").and_then(|version| {
        if version.is_empty() {
            Err("the device has none".to_owned())
        } else {
            Ok(version)
        }
    });
    environment.set("rdma.firmware", text_fact(firmware));
    environment.set("rdma.guid", text_fact(device("node_guid")));
    let driver = link(root, &rdma_adapter(&port.device, "device/driver"));
    let driver = driver
        .ok()
        .and_then(|link| Some(link.file_name()?.to_string_lossy().into_owned()));
    let software = || "no hardware device: RDMA in software (rdma_rxe, siw)".to_owned();
    environment.set("rdma.software", Fact::Flag(driver.is_none()));
    environment.set("rdma.driver", Fact::Text(driver.unwrap_or_else(software)));
}

/// `100 Gb/sec (4X EDR)` in bits per second.
fn rate_bits_per_s(text: &str) -> Known<f64> {
    let number = text
        .split_once(" Gb/sec")
        .and_then(|(number, _)| number.trim().parse::<f64>().ok());
    number
        .map(|gigabits| gigabits * 1e9)
        .ok_or_else(|| format!("the rate is reported as '{text}'"))
}

/// The GIDs in use with their types: `3: fe80::1 (RoCE v2)`. The index is what RDMA programs ask for.
fn gids_text(root: &Path, port: &Port) -> Known<String> {
    let of = |(index, gid): (usize, String)| {
        let address = gid.parse::<std::net::Ipv6Addr>().map_or(gid, |address| {
            match address.to_ipv4_mapped() {
                Some(address) => address.to_string(),
                None => address.to_string(),
            }
        });
        match text(
            root,
            &rdma_port(
                &port.device,
                &port.number,
                &format!("gid_attrs/types/{index}"),
            ),
        ) {
            Ok(kind) => format!("{index}: {address} ({kind})"),
            Err(_) => format!("{index}: {address}"),
        }
    };
    match gids(root, &port.device, &port.number)
        .into_iter()
        .map(of)
        .collect::<Vec<_>>()
    {
        gids if gids.is_empty() => {
            Err("the port has no GID; check that its interface is up".into())
        }
        gids => Ok(gids.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    #[test]
    #[cfg_attr(
        windows,
        ignore = "the files of this machine have symlinks and names with colons"
    )]
    fn the_adapter_of_the_route_is_found_by_its_interface() {
        let tree = fixture::tree("proc-share");
        let mut facts = Environment::default();
        look(tree.path(), Some("eth0"), &mut facts);
        assert_eq!(
            facts.text("rdma.devices"),
            Some("mlx5_0/1 (eth0), rxe0/1 (eth7)")
        );
        assert_eq!(facts.flag("rdma.capable"), Some(true));
        assert_eq!(facts.text("rdma.device"), Some("mlx5_0"));
        assert_eq!(facts.text("rdma.state"), Some("ACTIVE"));
        assert_eq!(facts.text("rdma.physical_state"), Some("LinkUp"));
        assert_eq!(facts.number("rdma.rate_bits_per_s"), Some(25e9));
        assert_eq!(facts.text("rdma.link_layer"), Some("Ethernet"));
        assert_eq!(
            facts.text("rdma.gids"),
            Some("0: fe80::ee0d:9aff:fe2b:1c4e (IB/RoCE v1), 1: 192.0.2.10 (RoCE v2)")
        );
        assert_eq!(facts.text("rdma.firmware"), Some("14.32.1010"));
        assert_eq!(facts.text("rdma.driver"), Some("mlx5_core"));
        assert_eq!(facts.flag("rdma.software"), Some(false));
        assert!(
            matches!(&facts.facts["rdma.mtu_bytes"], Fact::Unknown(why) if why.contains("ibv_devinfo"))
        );
        assert!(!facts.facts.contains_key("rdma.lid"));
    }

    #[test]
    #[cfg_attr(
        windows,
        ignore = "the files of this machine have symlinks and names with colons"
    )]
    fn software_rdma_says_what_it_is() {
        let tree = fixture::tree("proc-share");
        let mut facts = Environment::default();
        look(tree.path(), Some("eth7"), &mut facts);
        assert_eq!(facts.number("rdma.rate_bits_per_s"), Some(2.5e9));
        assert!(facts.text("rdma.driver").unwrap().contains("software"));
        assert_eq!(facts.flag("rdma.software"), Some(true));
        assert!(matches!(facts.facts["rdma.firmware"], Fact::Unknown(_)));
    }

    #[test]
    #[cfg_attr(
        windows,
        ignore = "the files of this machine have symlinks and names with colons"
    )]
    fn a_bond_over_the_adapter_is_capable_and_another_interface_is_not() {
        let tree = fixture::tree("proc-share");
        let mut facts = Environment::default();
        facts.set("network.hardware_interface", Fact::Text("eth0".into()));
        look(tree.path(), Some("bond0"), &mut facts);
        assert_eq!(facts.flag("rdma.capable"), Some(true));
        let mut facts = Environment::default();
        look(tree.path(), Some("lo"), &mut facts);
        assert_eq!(facts.flag("rdma.capable"), Some(false));
        assert!(!facts.facts.contains_key("rdma.device"));
    }

    #[test]
    fn without_adapters_the_answer_is_none() {
        let nothing = tempfile::tempdir().unwrap();
        let mut facts = Environment::default();
        look(nothing.path(), Some("eth0"), &mut facts);
        assert_eq!(facts.text("rdma.devices"), Some("none"));
        assert_eq!(facts.flag("rdma.capable"), Some(false));
    }
}
