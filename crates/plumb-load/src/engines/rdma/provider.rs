//! Which provider of libfabric carries the test? The requested one, or the best available.

use std::ffi::c_int;
use std::net::IpAddr;
use std::sync::Arc;

use plumb_model::statement::Statement;

use super::bindings::{
    FI_CONTEXT, FI_CONTEXT2, FI_DELIVERY_COMPLETE, FI_EP_RDM, FI_MR_ALLOCATED, FI_MR_ENDPOINT,
    FI_MR_LOCAL, FI_MR_PROV_KEY, FI_MR_VIRT_ADDR, FI_MSG, FI_READ, FI_REMOTE_READ, FI_REMOTE_WRITE,
    FI_RMA, FI_TAGGED, FI_THREAD_DOMAIN, FI_WRITE, Offer,
};
use super::library::{Library, Offers, text};

/// What an endpoint must be able to do.
pub const CAPABILITIES: u64 =
    FI_MSG | FI_TAGGED | FI_RMA | FI_READ | FI_WRITE | FI_REMOTE_READ | FI_REMOTE_WRITE;
/// Rules of registering memory that are kept here.
const MEMORY_RULES: c_int =
    FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY | FI_MR_ENDPOINT;
/// Providers for `auto`, best first: adapters, then TCP, which is everywhere.
const PREFERRED: &[&str] = &[
    "verbs;ofi_rxm",
    "efa",
    "cxi",
    "psm3",
    "opx",
    "tcp;ofi_rxm",
    "tcp",
];

/// What endpoint is wanted.
pub struct EndpointRequest<'a> {
    /// `auto`, a provider (`verbs`), or its full name (`verbs;ofi_rxm`).
    pub provider: &'a str,
    /// The address of this side on the way to the peer.
    pub source: IpAddr,
    /// Operations that will be outstanding.
    pub depth: usize,
    /// Completions are polled for, never waited for in the kernel.
    pub polling: bool,
}

/// The provider's full name, such as `tcp;ofi_rxm`.
pub fn provider_of(info: &Offer) -> String {
    // SAFETY: an offer has all its parts, and its texts end with zeros or are null.
    unsafe {
        info.fabric_attr
            .as_ref()
            .and_then(|fabric| text(fabric.prov_name))
    }
    .unwrap_or_default()
}

/// True if this is the requested provider: by its full name, or by one of its parts.
fn matches(provider: &str, requested: &str) -> bool {
    provider == requested
        || (!requested.contains(';') && provider.split(';').next() == Some(requested))
}

/// Asks the library for endpoints and takes the best.
pub fn choose(
    library: &Arc<Library>,
    endpoint_request: &EndpointRequest<'_>,
) -> Result<(Offers, *mut Offer), Statement> {
    let hints = library
        .hints()
        .ok_or_else(|| Statement::new("libfabric-has-no-memory-for-hints"))?;
    // SAFETY: the library made the hints with all their parts, and nobody else knows them yet.
    unsafe {
        let info = &mut *hints.first();
        (info.caps, info.mode) = (CAPABILITIES, FI_CONTEXT | FI_CONTEXT2);
        // Without this a write is done when the provider has copied it: 0.8 to 2.9 us over a network of 15 us.
        (*info.tx_attr).op_flags = FI_DELIVERY_COMPLETE;
        (*info.tx_attr).size = endpoint_request.depth;
        (*info.ep_attr).kind = FI_EP_RDM;
        (*info.domain_attr).mr_mode = MEMORY_RULES;
        (*info.domain_attr).threading = FI_THREAD_DOMAIN;
    }
    let source = endpoint_request.source.to_string();
    let requested = |source: Option<&str>| library.offers(source, Some(&hints));
    // Providers whose addresses are not those of IP know nothing of the source.
    let attempts = [Some(source.as_str()), None];
    let mut seen: Vec<String> = Vec::new();
    for with_size in [true, false] {
        if !with_size {
            // SAFETY: as above.
            unsafe { (*(*hints.first()).tx_attr).size = 0 };
        }
        for offers in attempts.iter().filter_map(|source| requested(*source).ok()) {
            let best = best_of(&offers, endpoint_request.provider);
            if let Some(info) = best {
                // SAFETY: the entry is the library's own and ours alone; providers may omit requested hints from an offer.
                unsafe { (*(*info).tx_attr).op_flags |= FI_DELIVERY_COMPLETE };
                return Ok((offers, info));
            }
            seen.extend(offers.iter().map(provider_of));
        }
    }
    seen.sort();
    seen.dedup();
    Err(none_fits(endpoint_request.provider, seen))
}

/// Why none was chosen; `seen`: the providers that offer what is needed.
fn none_fits(requested: &str, seen: Vec<String>) -> Statement {
    match (requested, seen.is_empty()) {
        ("auto", true) => Statement::new("libfabric-no-provider-fits"),
        ("auto", false) => Statement::new("libfabric-no-known-provider").names("others", seen),
        (_, true) => Statement::new("libfabric-provider-does-not-fit").name("provider", requested),
        (_, false) => Statement::new("libfabric-provider-does-not-fit-others")
            .name("provider", requested)
            .names("others", seen),
    }
}

/// The offer of the requested provider, or the best of all.
fn best_of(offers: &Offers, requested: &str) -> Option<*mut Offer> {
    let entries = || {
        std::iter::successors(Some(offers.first()), |info| {
            // SAFETY: the list is valid until it is freed.
            Some(unsafe { (**info).next }).filter(|next| !next.is_null())
        })
    };
    // SAFETY: as above.
    let named = |name: &str| entries().find(|info| matches(&provider_of(unsafe { &**info }), name));
    if requested == "auto" {
        PREFERRED.iter().find_map(|name| named(name))
    } else {
        named(requested)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_provider_is_meant_by_its_name_or_its_first_part() {
        for (provider, requested, expected) in [
            ("tcp;ofi_rxm", "tcp;ofi_rxm", true),
            ("verbs;ofi_rxm", "verbs", true),
            ("tcp;ofi_rxm", "ofi_rxm", false),
            ("tcp", "tcp;ofi_rxm", false),
            ("udp;ofi_rxd", "tcp", false),
        ] {
            assert_eq!(
                matches(provider, requested),
                expected,
                "{provider} for {requested}"
            );
        }
    }
}
