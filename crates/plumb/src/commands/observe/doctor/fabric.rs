//! Which RDMA adapters and fabrics has this machine? The kernel's view of the adapters, and what libfabric offers on them.

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

/// What one provider of libfabric offers on one device.
#[derive(Debug, Serialize, JsonSchema)]
struct Offer {
    /// For `--set provider=`: `verbs;ofi_rxm`.
    provider: String,
    fabric: String,
    /// The adapter or interface, as the provider calls it.
    domain: String,
    endpoint: String,
    protocol: String,
    message_max_bytes: u64,
    /// plumb can measure with it.
    usable: bool,
    /// Missing: the provider does not tell.
    link_bits_per_s: Option<u64>,
    mtu_bytes: Option<u64>,
    link_up: Option<bool>,
}

/// Adapters and fabrics of this machine.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FabricExamination {
    /// `plumb-doctor-rdma-1`.
    schema: &'static str,
    /// The facts of each port of each adapter; empty when there is none.
    ports: Vec<Environment>,
    /// Name and version of libfabric; missing when it cannot be used.
    library: Option<String>,
    /// Why libfabric cannot be used.
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

/// Fills in the MTU of the adapter on the way to a server, where there is one.
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

/// Fills in what the kernel tells to RDMA programs only. `adapters`: of all ports of this machine.
fn tell_mtu(port: &mut Environment, adapters: &[String], fabrics: &Result<Fabrics, String>) {
    let Some(adapter) = port.text("rdma.device").map(str::to_owned) else {
        return;
    };
    let unknown = |why: &str| Fact::Unknown(format!("{why}: ask `ibv_devinfo` for active_mtu"));
    let fact = match fabrics {
        _ if adapters.iter().filter(|other| **other == adapter).count() > 1 => {
            unknown("the adapter has several ports, and libfabric tells of one without its number")
        }
        Err(_) => unknown("libfabric, which would ask the adapter, cannot be used"),
        Ok(fabrics) => fabrics.verbs_mtu_bytes(&adapter).map_or_else(
            || unknown("libfabric offers nothing by verbs on this adapter"),
            |mtu| Fact::Number(mtu as f64),
        ),
    };
    port.set("rdma.mtu_bytes", fact);
}

const NO_ADAPTER: &str = "The kernel knows no RDMA adapter (/sys/class/infiniband is empty): see with 'lspci' whether there is one, with 'rdma link' whether its \
     driver is loaded; without one, 'modprobe rdma_rxe' and 'rdma link add rxe0 type rxe netdev INTERFACE' make RDMA in software, for trials and not for speed.";

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

/// One line for each provider, those that plumb can measure with first.
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
        &format!(
            "{}: measured with by plumb (--set provider=NAME)",
            fabrics.library
        ),
        &rows,
        page,
    );
    if !other.is_empty() {
        let names: Vec<&str> = other.iter().map(|(provider, _)| *provider).collect();
        text += &pairs_text(
            "Offered, without what plumb needs",
            &[("providers".into(), names.join(", "))],
            page,
        );
    }
    text
}

/// Devices, and what their links are like: `lo, eth0; messages up to 1 GiB`.
fn described(offers: &[&FabricOffer]) -> String {
    let mut devices: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for offer in offers.iter().filter(|offer| offer.is_usable) {
        let told = devices.entry(&offer.domain).or_default();
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
            if !told.contains(&fact) {
                told.push(fact);
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
    // Providers over streams know no limit, and say so by the largest number there is.
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
                "nothing by verbs",
            ),
            (
                told("mlx5_0", &["mlx5_0"], &Err("no libfabric".into())),
                "cannot be used",
            ),
        ] {
            assert!(
                matches!(&fact, Fact::Unknown(text) if text.contains(why) && text.contains("ibv_devinfo")),
                "{fact:?}"
            );
        }
    }
}
