//! Which provider of libfabric carries the test? The one that was asked for, or the best of those that can.

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
pub struct Wanted<'a> {
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

/// True when the provider is the one that was asked for: by its full name, or by one of its parts.
fn is_meant(provider: &str, asked: &str) -> bool {
    provider == asked || (!asked.contains(';') && provider.split(';').next() == Some(asked))
}

/// Asks the library for endpoints and takes the best.
pub fn choose(
    library: &Arc<Library>,
    wanted: &Wanted<'_>,
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
        (*info.tx_attr).size = wanted.depth;
        (*info.ep_attr).kind = FI_EP_RDM;
        (*info.domain_attr).mr_mode = MEMORY_RULES;
        (*info.domain_attr).threading = FI_THREAD_DOMAIN;
    }
    let source = wanted.source.to_string();
    let asked = |source: Option<&str>| library.offers(source, Some(&hints));
    // Providers whose addresses are not those of IP know nothing of the source.
    let attempts = [Some(source.as_str()), None];
    let mut seen: Vec<String> = Vec::new();
    for with_size in [true, false] {
        if !with_size {
            // SAFETY: as above.
            unsafe { (*(*hints.first()).tx_attr).size = 0 };
        }
        for offers in attempts.iter().filter_map(|source| asked(*source).ok()) {
            let best = best_of(&offers, wanted.provider);
            if let Some(info) = best {
                // SAFETY: the entry is the library's own and ours alone; providers may leave out of an offer what the hints asked for.
                unsafe { (*(*info).tx_attr).op_flags |= FI_DELIVERY_COMPLETE };
                return Ok((offers, info));
            }
            seen.extend(offers.iter().map(provider_of));
        }
    }
    seen.sort();
    seen.dedup();
    Err(none_fits(wanted.provider, seen))
}

/// Why none was chosen; `seen`: the providers that offer what is needed.
fn none_fits(asked: &str, seen: Vec<String>) -> Statement {
    match (asked, seen.is_empty()) {
        ("auto", true) => Statement::new("libfabric-no-provider-fits"),
        ("auto", false) => Statement::new("libfabric-no-known-provider").names("others", seen),
        (_, true) => Statement::new("libfabric-provider-does-not-fit").name("provider", asked),
        (_, false) => Statement::new("libfabric-provider-does-not-fit-others")
            .name("provider", asked)
            .names("others", seen),
    }
}

/// The offer of the asked provider, or the best of all.
fn best_of(offers: &Offers, asked: &str) -> Option<*mut Offer> {
    let entries = || {
        std::iter::successors(Some(offers.first()), |info| {
            // SAFETY: the list is whole until it is freed.
            Some(unsafe { (**info).next }).filter(|next| !next.is_null())
        })
    };
    // SAFETY: as above.
    let named =
        |name: &str| entries().find(|info| is_meant(&provider_of(unsafe { &**info }), name));
    if asked == "auto" {
        PREFERRED.iter().find_map(|name| named(name))
    } else {
        named(asked)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_provider_is_meant_by_its_name_or_its_first_part() {
        for (provider, asked, meant) in [
            ("tcp;ofi_rxm", "tcp;ofi_rxm", true),
            ("verbs;ofi_rxm", "verbs", true),
            ("tcp;ofi_rxm", "ofi_rxm", false),
            ("tcp", "tcp;ofi_rxm", false),
            ("udp;ofi_rxd", "tcp", false),
        ] {
            assert_eq!(is_meant(provider, asked), meant, "{provider} for {asked}");
        }
    }
}
