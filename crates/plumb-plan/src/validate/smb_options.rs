//! Which SMB options are used with a target that does not support them?

use plumb_model::target::remote::Scheme;
use plumb_model::workload::{Channels, Dialect, Job, Protection};

use super::rule::{Group, rule};

const PROTECTED_OTHERWISE: &str = "remove it; to protect NFS, mount with sec=krb5i (signed) or krb5p (encrypted) and give the folder";
const LEAVE_OUT: &str = "remove it";

/// SMB options, which an NFS export would silently ignore.
pub(super) const ON_NFS: Group = Group {
    concerns: |job| {
        job.target
            .remote()
            .is_some_and(|remote| remote.scheme == Scheme::Nfs)
    },
    rules: &[
        rule("signing", |job| {
            let set = job.engine.signing == Protection::Yes;
            foreign(job, "signing", set, PROTECTED_OTHERWISE)
        }),
        rule("encryption", |job| {
            let set = job.engine.encryption == Protection::Yes;
            foreign(job, "encryption", set, PROTECTED_OTHERWISE)
        }),
        rule("dialect", |job| {
            foreign(
                job,
                "dialect",
                job.engine.dialect != Dialect::Auto,
                LEAVE_OUT,
            )
        }),
        rule("channels", |job| {
            let set = job.engine.channels == Channels::Multichannel;
            foreign(job, "channels", set, LEAVE_OUT)
        }),
    ],
};

/// SMB options, which an object store would silently ignore.
pub(super) const ON_S3: Group = Group {
    concerns: |job| {
        job.target
            .remote()
            .is_some_and(|remote| remote.scheme == Scheme::S3)
    },
    rules: &[
        rule("signing", |job| {
            foreign(
                job,
                "signing",
                job.engine.signing == Protection::Yes,
                LEAVE_OUT,
            )
        }),
        rule("encryption", |job| {
            let set = job.engine.encryption == Protection::Yes;
            foreign(
                job,
                "encryption",
                set,
                "remove it, and use an https endpoint",
            )
        }),
        rule("dialect", |job| {
            let set = job.engine.dialect != Dialect::Auto;
            foreign(job, "dialect", set, LEAVE_OUT)
        }),
        rule("channels", |job| {
            let set = job.engine.channels == Channels::Multichannel;
            foreign(job, "channels", set, LEAVE_OUT)
        }),
    ],
};

fn foreign(job: &Job, key: &str, set: bool, instead: &str) -> Option<String> {
    set.then(|| {
        format!(
            "{key} is an option of smb:// targets, not of {}: {instead}",
            job.target
        )
    })
}
