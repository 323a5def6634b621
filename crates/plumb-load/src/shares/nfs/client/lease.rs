//! How is the lease of an idle NFS 4.0 client renewed? By RENEW on a separate connection, if nothing else has renewed it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crossbeam_channel::{RecvTimeoutError, Sender, bounded};
use plumb_model::target::remote::Remote;
use plumb_model::workload::NfsSecurity;

use crate::engine::stop_request::StopRequest;
use crate::share::ShareError;
use crate::shares::nfs::buffers::Blocks;
use crate::shares::nfs::call::op;
use crate::shares::nfs::connection::Connection;
use crate::shares::nfs::exchange::exchange;
use crate::shares::nfs::gss::log_in::log_in;
use crate::shares::nfs::message::Protocol;
use crate::shares::nfs::reach::{credential, reach};

/// A lease that is kept until this is dropped.
#[derive(Debug)]
pub(super) struct Lease {
    _end: Sender<()>,
}

impl Lease {
    /// Keeps a lease of this many seconds. `renewed`: set with each request that renews it. `None`: no thread could be started; the client is registered again
    /// should the lease run out.
    pub(super) fn keep(
        remote: &Remote,
        client: (u64, NfsSecurity),
        seconds: u32,
        renewed: Arc<AtomicBool>,
    ) -> Option<Lease> {
        // What was sent right after a look counts at the next one, so that two pauses may pass without anything.
        let pause = Duration::from_secs(u64::from(seconds.max(1))) / 4;
        let remote = remote.clone();
        let (end, ended) = bounded(0);
        let look = move || {
            while ended.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) {
                if !renewed.swap(false, Ordering::Relaxed) {
                    // Whoever works with the client learns from its next request what has become of it.
                    let _ = renew(&remote, client);
                }
            }
        };
        let thread = std::thread::Builder::new().name("plumb-nfs-lease".into());
        thread.spawn(look).ok()?;
        Some(Lease { _end: end })
    }
}

/// A client of NFS 4.0 is bound to no connection (RFC 7530, 9.1.1), but to who registered it.
fn renew(remote: &Remote, (client, security): (u64, NfsSecurity)) -> Result<(), ShareError> {
    let (_, credential) = credential(remote)?;
    let (stream, _) = reach(remote, &StopRequest::default())?;
    let mut connection = Connection::new(stream, credential, Protocol::Compound { minor: 0 });
    if let Ok(mut none) = Blocks::own(1, 1)
        && log_in(&mut connection, &mut none, remote, security).is_ok()
    {
        let _ = exchange(
            &mut connection,
            &mut none,
            |call| call.renew(client),
            |connection, answer| connection.results(answer)?.done(op::RENEW),
        );
    }
    Ok(())
}
