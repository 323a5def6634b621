//! Is there a ticket for an NFS server? In the cache that KRB5CCNAME names, for the service nfs on that host; getting one is what `kinit` and `kvno` are there for.

use jiff::Timestamp;
use plumb_model::statement::Statement;
use plumb_model::target::remote::Scheme;
use smb2::auth::kerberos::ccache::{CcacheCredential, load_ccache};
use smb2::auth::kerberos::messages::{PrincipalName, Ticket, parse_ticket};
use zeroize::Zeroizing;

/// A ticket, with what is needed to use it.
pub struct HeldTicket {
    pub ticket: Ticket,
    /// Of AES with 128 or 256 bits.
    pub key: Zeroizing<Vec<u8>>,
    pub realm: String,
    pub client: PrincipalName,
}

impl HeldTicket {
    /// Who the ticket is for, as `klist` writes it.
    pub fn principal(&self) -> String {
        format!("{}@{}", self.client.name_string.join("/"), self.realm)
    }
}

/// The ticket for the NFS server of a host.
///
/// # Errors
/// There is none, or it cannot be used; with what to do.
pub fn find(host: &str) -> Result<HeldTicket, Statement> {
    let unfit = |why: Statement| {
        Statement::new("nfs-no-ticket")
            .part("why", why)
            .name("host", host)
    };
    let of_library = |error: smb2::Error| unfit(Statement::verbatim(error.to_string()));
    let cache = load_ccache(None).map_err(of_library)?;
    let now = Timestamp::now().as_second();
    let is_for_it = |held: &&CcacheCredential| match &held.server.components[..] {
        [service, of] => *service == Scheme::Nfs.to_string() && of.eq_ignore_ascii_case(host),
        _ => false,
    };
    // The one that ends last, should there be several.
    let held = cache.credentials.iter().filter(is_for_it);
    let service = format!("nfs/{host}");
    let Some(held) = held.max_by_key(|held| held.endtime) else {
        return Err(unfit(
            Statement::new("nfs-no-ticket-for").name("service", service),
        ));
    };
    if i64::from(held.endtime) <= now {
        return Err(unfit(
            Statement::new("nfs-ticket-has-ended").name("service", service),
        ));
    }
    // aes128-cts-hmac-sha1-96 and aes256-cts-hmac-sha1-96 (RFC 3962).
    let key_bytes = match held.key_etype {
        17 => 16,
        18 => 32,
        _ => 0,
    };
    if held.key_data.len() != key_bytes {
        return Err(unfit(
            Statement::new("nfs-ticket-of-another-cipher")
                .name("service", service)
                .name("cipher", held.key_etype.to_string()),
        ));
    }
    Ok(HeldTicket {
        ticket: parse_ticket(&held.ticket).map_err(of_library)?,
        key: Zeroizing::new(held.key_data.clone()),
        realm: held.client.realm.clone(),
        client: PrincipalName {
            name_type: held.client.name_type as i32,
            name_string: held.client.components.clone(),
        },
    })
}
