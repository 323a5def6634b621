//! Which RDMA adapters and fabrics does this host have? The kernel's view of the adapters, and the offers of libfabric on them.

use std::collections::BTreeMap;
use std::path::Path;

use plumb_load::fabric::{FabricOffer, Fabrics, listing};
use plumb_model::environment::{Environment, Fact};
use plumb_observe::environment::rdma_ports;
use plumb_show::terminal::{Page, environment_text, pairs_text, sentence_text};
use plumb_words::numbers::{show_bit_rate, show_bytes};
use schemars::JsonSchema;
use serde::Serialize;

use crate::commands::Outcome;
use crate::streams::{page, print, print_json};

/// The offer of one libfabric provider on one device.
#[derive(Debug, Serialize, JsonSchema)]
struct Offer {
    /// For `--set provider=`: `verbs;ofi_rxm`.
    provider: String,
    fabric: String,
    /// The adapter or interface, by the provider's name.
    domain: String,
    endpoint: String,
    protocol: String,
    message_max_bytes: u64,
    /// plumb can measure with it.
    usable: bool,
    /// Missing: not reported by the provider.
    link_bits_per_s: Option<u64>,
    mtu_bytes: Option<u64>,
    link_up: Option<bool>,
}

/// Adapters and fabrics of this machine.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FabricExamination {
    /// `plumb-doctor-rdma-1`.
    schema: &'static str,
    /// The facts of each port of each adapter; empty if there is none.
    ports: Vec<Environment>,
    /// Name and version of libfabric; missing if it is not usable.
    library: Option<String>,
    /// Reason why libfabric is not usable.
    library_missing: Option<String>,
    offers: Vec<Offer>,
}

/// `plumb doctor rdma`.
pub fn examine(json: bool) -> anyhow::Result<Outcome> {
    let mut ports = rdma_ports(Path::new("/"));
    let fabrics = listing();
    let adapters = adapters(&ports);
    ports
        .iter_mut()
        .for_each(|port| tell_mtu(port, &adapters, &fabrics));
    if json {
        let offers = fabrics
            .iter()
            .flat_map(|fabrics| &fabrics.offers)
            .map(offer)
            .collect();
        let library = fabrics.as_ref().ok().map(|fabrics| fabrics.library.clone());
        let document = FabricExamination {
            schema: "plumb-doctor-rdma-1",
            ports,
            library,
            library_missing: fabrics.err(),
            offers,
        };
        print_json(&document)?;
        return Ok(Outcome::Done);
    }
    let page = page();
    let mut text: String = ports
        .iter()
        .map(|port| environment_text(port, page) + "\n")
        .collect();
    if ports.is_empty() {
        text += &sentence_text(NO_ADAPTER, page);
        text.push('\n');
    }
    text += &match &fabrics {
        Ok(fabrics) => fabrics_text(fabrics, page),
        Err(reason) => sentence_text(reason, page),
    };
    print(&text)?;
    Ok(Outcome::Done)
}

/// Sets the MTU of the adapter on the path to a server, if there is one.
pub fn tell_mtu_on_the_way(environment: &mut Environment) {
    if environment.text("rdma.device").is_some() {
        tell_mtu(
            environment,
            &adapters(&rdma_ports(Path::new("/"))),
            &listing(),
        );
    }
}

/// The adapter of each port.
fn adapters(ports: &[Environment]) -> Vec<String> {
    ports
        .iter()
        .filter_map(|port| port.text("rdma.device").map(str::to_owned))
        .collect()
}

/// Sets the MTU, which the kernel reports to RDMA programs only. `adapters`: of all ports of this host.
fn tell_mtu(port: &mut Environment, adapters: &[String], fabrics: &Result<Fabrics, String>) {
    let Some(adapter) = port.text("rdma.device").map(str::to_owned) else {
        return;
    };
    let unknown = |why: &str| {
        Fact::Unknown(format!(
            "{why}: see active_mtu in the output of `ibv_devinfo`"
        ))
    };
    let fact = match fabrics {
        _ if adapters.iter().filter(|other| **other == adapter).count() > 1 => {
            unknown("the adapter has several ports, and libfabric reports one without its number")
        }
        Err(_) => unknown("libfabric, which queries the adapter, is not usable"),
        Ok(fabrics) => fabrics.verbs_mtu_bytes(&adapter).map_or_else(
            || unknown("libfabric has no verbs offer for this adapter"),
            |mtu| Fact::Number(mtu as f64),
        ),
    };
    port.set("rdma.mtu_bytes", fact);
}

const NO_ADAPTER: &str = "The kernel reports no RDMA adapter (/sys/class/infiniband is empty): check with 'lspci' whether there is one, and with 'rdma link' whether its \
     driver is loaded. Without an adapter, 'modprobe rdma_rxe' and 'rdma link add rxe0 type rxe netdev INTERFACE' set up software RDMA, for tests and not for speed.";

fn offer(offer: &FabricOffer) -> Offer {
    let device = offer.device.as_ref();
    Offer {
        provider: offer.provider.clone(),
        fabric: offer.fabric.clone(),
        domain: offer.domain.clone(),
        endpoint: offer.endpoint.clone(),
        protocol: offer.protocol.clone(),
        message_max_bytes: offer.message_max_bytes,
        usable: offer.is_usable,
        link_bits_per_s: device.and_then(|device| device.speed_bits_per_s),
        mtu_bytes: device.and_then(|device| device.mtu_bytes),
        link_up: device.and_then(|device| device.is_up),
    }
}

/// One line per provider, usable ones first.
fn fabrics_text(fabrics: &Fabrics, page: Page) -> String {
    let mut groups: Vec<(&str, Vec<&FabricOffer>)> = Vec::new();
    for offer in &fabrics.offers {
        match groups
            .iter_mut()
            .find(|(provider, _)| *provider == offer.provider)
        {
            Some((_, members)) => members.push(offer),
            None => groups.push((&offer.provider, vec![offer])),
        }
    }
    let (usable, other): (Vec<_>, Vec<_>) = groups
        .iter()
        .partition(|(_, offers)| offers.iter().any(|offer| offer.is_usable));
    let rows: Vec<(String, String)> = usable
        .iter()
        .map(|(provider, offers)| (provider.to_string(), described(offers)))
        .collect();
    let mut text = pairs_text(
        &format!("{}: usable by plumb (--set provider=NAME)", fabrics.library),
        &rows,
        page,
    );
    if !other.is_empty() {
        let names: Vec<&str> = other.iter().map(|(provider, _)| *provider).collect();
        text += &pairs_text(
            "Offered, but not usable by plumb",
            &[("providers".into(), names.join(", "))],
            page,
        );
    }
    text
}

/// Devices with their links: `lo, eth0; messages up to 1 GiB`.
fn described(offers: &[&FabricOffer]) -> String {
    let mut devices: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for offer in offers.iter().filter(|offer| offer.is_usable) {
        let reported = devices.entry(&offer.domain).or_default();
        let device = offer.device.as_ref();
        let facts = [
            device
                .and_then(|device| device.speed_bits_per_s)
                .map(|speed| show_bit_rate(speed as f64)),
            device
                .and_then(|device| device.mtu_bytes)
                .map(|mtu| format!("MTU {}", show_bytes(mtu as f64))),
            device
                .and_then(|device| device.is_up)
                .map(|up| if up { "up" } else { "down" }.to_string()),
            device
                .and_then(|device| device.firmware.clone())
                .map(|firmware| format!("firmware {firmware}")),
        ];
        facts.into_iter().flatten().for_each(|fact| {
            if !reported.contains(&fact) {
                reported.push(fact);
            }
        });
    }
    let one = |(name, facts): (&&str, &Vec<String>)| {
        if facts.is_empty() {
            name.to_string()
        } else {
            format!("{name} ({})", facts.join(", "))
        }
    };
    let devices = devices.iter().map(one).collect::<Vec<_>>().join(", ");
    let largest = offers
        .iter()
        .map(|offer| offer.message_max_bytes)
        .max()
        .unwrap_or_default();
    // Providers over streams have no limit, and report the largest number.
    if largest >= 1 << 60 {
        format!("{devices}; messages of any size")
    } else {
        format!("{devices}; messages up to {}", show_bytes(largest as f64))
    }
}

#[cfg(test)]
mod tests {
    use plumb_load::fabric::FabricDevice;

    use super::*;

    #[test]
    fn the_mtu_is_told_or_why_it_is_not() {
        let offer = FabricOffer {
            provider: "verbs;ofi_rxm".into(),
            fabric: String::new(),
            domain: "mlx5_0".into(),
            endpoint: String::new(),
            protocol: String::new(),
            mr_mode: String::new(),
            message_max_bytes: 0,
            is_usable: true,
            device: Some(FabricDevice {
                name: Some("mlx5_0".into()),
                mtu_bytes: Some(4096),
                ..FabricDevice::default()
            }),
        };
        let fabrics = Ok(Fabrics {
            library: String::new(),
            offers: vec![offer],
        });
        let told = |adapter: &str, adapters: &[&str], fabrics: &Result<Fabrics, String>| {
            let mut port = Environment::default();
            port.set("rdma.device", Fact::Text(adapter.into()));
            tell_mtu(
                &mut port,
                &adapters.iter().map(ToString::to_string).collect::<Vec<_>>(),
                fabrics,
            );
            port.facts["rdma.mtu_bytes"].clone()
        };
        assert_eq!(
            told("mlx5_0", &["mlx5_0", "rxe0"], &fabrics),
            Fact::Number(4096.0)
        );
        for (fact, why) in [
            (
                told("mlx5_0", &["mlx5_0", "mlx5_0"], &fabrics),
                "several ports",
            ),
            (
                told("rxe0", &["mlx5_0", "rxe0"], &fabrics),
                "no verbs offer",
            ),
            (
                told("mlx5_0", &["mlx5_0"], &Err("no libfabric".into())),
                "is not usable",
            ),
        ] {
            assert!(
                matches!(&fact, Fact::Unknown(text) if text.contains(why) && text.contains("ibv_devinfo")),
                "{fact:?}"
            );
        }
    }
}
