//! Which providers, domains and adapters does libfabric find on this host?

use plumb_words::english;

use super::bindings::{
    FI_EP_RDM, FI_LINK_DOWN, FI_LINK_UP, FI_TYPE_EP_TYPE, FI_TYPE_MR_MODE, FI_TYPE_PROTOCOL,
    NicFid, Offer,
};
use super::error::library_is_missing;
use super::library::{Library, NAMES, text};
use super::provider::{CAPABILITIES, provider_of};

/// All that libfabric offers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fabrics {
    /// `libfabric 1.17`.
    pub library: String,
    pub offers: Vec<FabricOffer>,
}

impl Fabrics {
    /// Active MTU of an adapter's port in bytes: the verbs provider asks the adapter for it (ibv_query_port), and reports one port of each adapter. Missing:
    /// nothing is offered by verbs on this adapter. Seen with rdma_rxe, RDMA in software, not on an adapter (source: prov/verbs/src/verbs_info.c).
    pub fn verbs_mtu_bytes(&self, adapter: &str) -> Option<u64> {
        let by_verbs = self
            .offers
            .iter()
            .filter(|offer| offer.provider.split(';').next() == Some("verbs"));
        let mut devices = by_verbs
            .filter_map(|offer| offer.device.as_ref())
            .filter(|device| device.name.as_deref() == Some(adapter));
        devices.find_map(|device| device.mtu_bytes)
    }
}

/// One way to reach a network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FabricOffer {
    /// Full name, such as `verbs;ofi_rxm`; for `--set provider=`.
    pub provider: String,
    pub fabric: String,
    /// The adapter or interface, as the provider calls it.
    pub domain: String,
    /// `FI_EP_RDM`, `FI_EP_MSG`, ...
    pub endpoint: String,
    pub protocol: String,
    /// Rules for registering memory; empty when there are none.
    pub mr_mode: String,
    pub message_max_bytes: u64,
    /// plumb can measure with it: reliable datagrams, remote memory, tagged messages.
    pub is_usable: bool,
    /// Missing: the provider reports no adapter.
    pub device: Option<FabricDevice>,
}

/// An adapter and its link. Missing: the provider does not report it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FabricDevice {
    pub name: Option<String>,
    pub vendor: Option<String>,
    pub model: Option<String>,
    pub driver: Option<String>,
    pub firmware: Option<String>,
    /// Of the port: a GID, a GUID, or a MAC address.
    pub address: Option<String>,
    pub mtu_bytes: Option<u64>,
    pub speed_bits_per_s: Option<u64>,
    /// `true`: up, `false`: down.
    pub is_up: Option<bool>,
    /// `InfiniBand`, `Ethernet`, ...
    pub network: Option<String>,
}

/// What libfabric finds on this host, in its own order of preference.
///
/// # Errors
/// There is no libfabric, or it finds nothing at all: one sentence with what to do.
pub fn listing() -> Result<Fabrics, String> {
    let library = Library::open(NAMES).map_err(|reason| english(&library_is_missing(reason)))?;
    let offers = library.offers(None, None).map_err(|rc| {
        format!(
            "libfabric {} found no provider ({}); check the network and the environment variable FI_PROVIDER",
            library.version(),
            library.error(rc)
        )
    })?;
    let mut listed: Vec<FabricOffer> = Vec::new();
    for info in offers.iter() {
        let offer = described(&library, info);
        if !listed.contains(&offer) {
            listed.push(offer);
        }
    }
    Ok(Fabrics {
        library: format!("libfabric {}", library.version()),
        offers: listed,
    })
}

fn described(library: &Library, info: &Offer) -> FabricOffer {
    // SAFETY: an offer has all its parts, and its texts end with zeros or are null.
    let (endpoint, domain, fabric, domain_name, nic) = unsafe {
        let domain = &*info.domain_attr;
        (
            &*info.ep_attr,
            domain,
            text((*info.fabric_attr).name),
            text(domain.name),
            info.nic.as_ref(),
        )
    };
    let named = |value: Option<String>| value.unwrap_or_default();
    FabricOffer {
        provider: provider_of(info),
        fabric: named(fabric),
        domain: named(domain_name),
        endpoint: named(library.name_of(&endpoint.kind, FI_TYPE_EP_TYPE)),
        protocol: named(library.name_of(&endpoint.protocol, FI_TYPE_PROTOCOL)),
        mr_mode: if domain.mr_mode == 0 {
            String::new()
        } else {
            named(library.name_of(&domain.mr_mode, FI_TYPE_MR_MODE))
        },
        message_max_bytes: endpoint.max_msg_size as u64,
        is_usable: endpoint.kind == FI_EP_RDM && info.caps & CAPABILITIES == CAPABILITIES,
        device: nic.map(device),
    }
}

fn device(nic: &NicFid) -> FabricDevice {
    let mut device = FabricDevice::default();
    // SAFETY: both parts are valid or null, and their texts end with zeros or are null.
    unsafe {
        if let Some(attributes) = nic.device_attr.as_ref() {
            device.name = text(attributes.name);
            device.vendor = text(attributes.vendor_id);
            device.model = text(attributes.device_id);
            device.driver = text(attributes.driver);
            device.firmware = text(attributes.firmware);
        }
        if let Some(link) = nic.link_attr.as_ref() {
            device.address = text(link.address);
            device.network = text(link.network_type);
            device.mtu_bytes = Some(link.mtu as u64).filter(|mtu| *mtu > 0);
            device.speed_bits_per_s = Some(link.speed as u64).filter(|speed| *speed > 0);
            device.is_up = match link.state {
                FI_LINK_UP => Some(true),
                FI_LINK_DOWN => Some(false),
                _ => None,
            };
        }
    }
    device
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mtu_of_an_adapter_is_what_verbs_says_of_it() {
        let offer = |provider: &str, adapter: &str, mtu_bytes| FabricOffer {
            provider: provider.into(),
            fabric: String::new(),
            domain: adapter.into(),
            endpoint: String::new(),
            protocol: String::new(),
            mr_mode: String::new(),
            message_max_bytes: 0,
            is_usable: true,
            device: Some(FabricDevice {
                name: Some(adapter.into()),
                mtu_bytes,
                ..FabricDevice::default()
            }),
        };
        // An interface of TCP may have the name of an adapter, and has another MTU.
        let offers = vec![
            offer("tcp;ofi_rxm", "mlx5_0", Some(9000)),
            offer("verbs;ofi_rxm", "mlx5_1", Some(1024)),
            offer("verbs", "mlx5_0", None),
            offer("verbs;ofi_rxm", "mlx5_0", Some(4096)),
        ];
        let fabrics = Fabrics {
            library: "libfabric 1.17".into(),
            offers,
        };
        assert_eq!(fabrics.verbs_mtu_bytes("mlx5_0"), Some(4096));
        assert_eq!(fabrics.verbs_mtu_bytes("mlx5_1"), Some(1024));
        assert_eq!(fabrics.verbs_mtu_bytes("mlx5"), None);
    }
}
