//! How does plumb speak to a file server by SMB 2.1 to 3.1.1? Connections, sessions and requests of its own, nothing being mounted.

pub mod answer;
pub mod command;
pub mod connection;
pub mod draft;
pub mod fault;
mod inbox;
mod key;
mod login;
pub mod negotiate;
mod nonces;
mod ntlm;
mod outbox;
pub mod protect;
pub mod session;
pub mod share;
pub mod status;
mod survey;
mod validate;

use plumb_model::remote::Remote;
use plumb_model::workload::EngineChoice;

use crate::secret::Secret;
use crate::share::{ShareError, SharedShare};

pub use survey::survey;

/// Connects to the share of this address.
///
/// # Errors
/// No connection, a refused login, no such share, or protection that cannot be had: one sentence each.
pub fn connect(
    remote: &Remote,
    secret: Option<&Secret>,
    choice: &EngineChoice,
) -> Result<SharedShare, ShareError> {
    let access = session::Access {
        remote: remote.clone(),
        secret: secret.cloned(),
        choice: choice.clone(),
    };
    Ok(SharedShare::new(Box::new(share::connect(access)?)))
}
