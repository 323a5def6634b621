//! Is a network option used with a target that supports it?

use plumb_model::target::remote::Scheme;
use plumb_model::workload::{BusyPoll, Job, NfsSecurity, OperationKind, Protection};

use super::rule::{Group, has, rule};

/// Protocols whose sockets plumb reads itself, with one common client.
const HAVE_OPTIONS: [Scheme; 3] = [Scheme::Smb, Scheme::Nfs, Scheme::Tcp];

/// The target uses one of these protocols.
fn has_options(job: &Job) -> bool {
    let remote = job.target.remote();
    remote.is_some_and(|remote| HAVE_OPTIONS.contains(&remote.scheme))
}

pub(super) const OF_SKIP_RX_COPY: Group = Group {
    concerns: |job| job.engine.skip_rx_copy,
    rules: &[
        rule("skip-rx-copy", |job| {
            (!has_options(job)).then(|| {
                format!(
                    "skip-rx-copy is an option of smb://, nfs:// and tcp:// targets, not of {}; remove it",
                    job.target
                )
            })
        }),
        rule("skip-rx-copy", |job| {
            let receives = [
                OperationKind::Read,
                OperationKind::ReadFile,
                OperationKind::Receive,
            ];
            (!receives.iter().any(|kind| has(job, *kind))).then(|| {
                format!(
                    "skip-rx-copy is for data read from a share or received as a stream, and the mix {} has none; remove it",
                    job.workload.mix
                )
            })
        }),
        rule("skip-rx-copy", |job| {
            job.workload
                .verify
                .then(|| "skip-rx-copy discards data that verify needs; remove one of them".into())
        }),
        rule("skip-rx-copy", |job| {
            let engine = &job.engine;
            let protections = [
                ("signing = true", engine.signing == Protection::Yes),
                ("encryption = true", engine.encryption == Protection::Yes),
                (
                    "nfs-security = krb5i",
                    engine.nfs_security == NfsSecurity::Krb5i,
                ),
                (
                    "nfs-security = krb5p",
                    engine.nfs_security == NfsSecurity::Krb5p,
                ),
            ];
            let (protection, _) = protections.into_iter().find(|(_, is_set)| *is_set)?;
            Some(format!(
                "skip-rx-copy discards data that must be checked or decrypted with {protection}; remove one of them"
            ))
        }),
    ],
};

pub(super) const OF_BUSY_POLL: Group = Group {
    concerns: |job| job.engine.busy_poll != BusyPoll::Auto && !has_options(job),
    rules: &[rule("busy-poll", |job| {
        let instead = match job.target.remote() {
            Some(remote) if !remote.scheme.is(|of| of.lends_memory) => "remove it",
            _ => "remove it, or use iopoll = true for polling of completions",
        };
        Some(format!(
            "busy-poll is an option of smb://, nfs:// and tcp:// targets, not of {}: {instead}",
            job.target
        ))
    })],
};
