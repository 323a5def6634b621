//! Which version is used with a server? The highest of those requested, from 4.2 down to 3.

use std::time::{Duration, Instant};

use plumb_model::statement::Statement;
use plumb_model::target::remote::Remote;
use plumb_model::workload::NfsVersion;

use super::{Client, ConnectOptions};
use crate::share::ShareError;

/// After a silence this long on one version, no other version is tried.
const SILENT: Duration = Duration::from_secs(10);

/// Why a version was not agreed.
pub(super) struct NotAgreed {
    pub(super) error: ShareError,
    pub(super) why: Refusal,
}

/// What an error says about other versions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refusal {
    /// The server does not know the version.
    Unknown,
    /// It answers the first request by what makes no sense, or not at all.
    Nonsense,
    Other,
}

impl Client {
    /// Connects, proves itself by the number of the user, and agrees a version, and a session where it has one. A client that comes back under the same
    /// `name` may open again what it had open before (`Opening::Reclaimed`); then [`Client::enter_export`] follows.
    ///
    /// # Errors
    /// Which of these failed, the server's status, and what to do next.
    pub fn connect(
        remote: &Remote,
        options: ConnectOptions,
        name: &str,
    ) -> Result<Client, ShareError> {
        let begun = Instant::now();
        let minors: &[u32] = match options.version {
            NfsVersion::V3 => return Client::connect_3(remote, options, name),
            NfsVersion::V40 => &[0],
            NfsVersion::V41 => &[1],
            NfsVersion::V42 => &[2],
            NfsVersion::Auto => &[2, 1, 0],
        };
        let refused = match Client::connect_4(remote, options.clone(), name, minors) {
            Ok(client) => return Ok(client),
            Err(refused) => refused,
        };
        let is_over = || begun.elapsed() > SILENT || options.stop.is_made();
        if options.version != NfsVersion::Auto || is_over() {
            return Err(refused.error);
        }
        // Some servers answer unknown requests with invalid data, or disconnect: they may still support NFS 4.0, or 3.
        if refused.why == Refusal::Nonsense
            && let Ok(client) = Client::connect_4(remote, options.clone(), name, &[0])
        {
            return Ok(client);
        }
        if is_over() {
            return Err(refused.error);
        }
        Client::connect_3(remote, options.clone(), name).map_err(|three| {
            if refused.why != Refusal::Unknown {
                return refused.error;
            }
            let why = Statement::new("nfs-no-version-in-common")
                .part("four", refused.error.why)
                .part("three", three.why);
            ShareError { why, ..three }
        })
    }
}
