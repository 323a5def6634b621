//! Which share protocols does plumb implement?

pub mod nfs;
pub mod s3;
pub mod smb;

use plumb_model::statement::Statement;
use plumb_model::target::remote::Remote;
use plumb_model::workload::EngineChoice;

use crate::engine::stop_request::StopRequest;
use crate::secret::Secret;
use crate::share::{ShareError, ShareErrorKind, ShareKind, SharedShare};

/// All of them.
static SHARES: &[&ShareKind] = &[&smb::share::SHARE, &nfs::export::SHARE, &s3::bucket::SHARE];

/// Connects to the share of this address.
///
/// # Errors
/// No connection, a wrong password, no such share, or a protocol that this build does not support.
pub fn connect(
    remote: &Remote,
    secret: Option<&Secret>,
    choice: &EngineChoice,
) -> Result<SharedShare, ShareError> {
    connect_unless(&StopRequest::default(), remote, secret, choice)
}

/// The same with a stop request, which may come now or while the share is in use: then a server that does not respond is not waited for.
///
/// # Errors
/// As [`connect`].
pub fn connect_unless(
    stop: &StopRequest,
    remote: &Remote,
    secret: Option<&Secret>,
    choice: &EngineChoice,
) -> Result<SharedShare, ShareError> {
    let speaks = |kind: &&&ShareKind| kind.scheme == remote.scheme;
    match SHARES.iter().find(speaks) {
        Some(kind) => (kind.connect)(remote, secret, choice, stop),
        None => Err(ShareError {
            kind: ShareErrorKind::Other,
            why: Statement::new("share-protocol-not-built")
                .name("scheme", remote.scheme.to_string()),
        }),
    }
}
