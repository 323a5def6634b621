//! How does a user prove who they are by Kerberos? RPCSEC_GSS (RFC 2203) with the mechanism krb5 (RFC 4121), by a ticket that lies in the user's cache.

mod ap_exchange;
pub mod context;
pub mod log_in;
mod ticket;
pub mod tokens;

use plumb_model::workload::NfsSecurity;

/// The flavor of RPC (RFC 5531, 8.2).
pub const RPCSEC_GSS: u32 = 6;

/// What of a message is protected (`rpc_gss_service_t`, RFC 2203, 5.3.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum Service {
    /// The head.
    None = 1,
    /// Requests and replies too, with a checksum.
    Integrity = 2,
    /// The same, encrypted.
    Privacy = 3,
}

impl Service {
    /// `None`: no Kerberos.
    pub fn of(security: NfsSecurity) -> Option<Service> {
        match security {
            NfsSecurity::Auto | NfsSecurity::Sys => None,
            NfsSecurity::Krb5 => Some(Service::None),
            NfsSecurity::Krb5i => Some(Service::Integrity),
            NfsSecurity::Krb5p => Some(Service::Privacy),
        }
    }
}
