//! Which SMB options are used with a target that does not support them?

use plumb_model::target::remote::Scheme;
use plumb_model::workload::{Channels, Dialect, Job, Protection};

use super::rule::{Group, rule};

const WITH_KERBEROS: &str = "remove it; to protect NFS, mount with sec=krb5i (signed) or krb5p (encrypted) and give the folder";
const BY_HTTPS: &str = "remove it, and use an https endpoint";
const LEAVE_OUT: &str = "remove it";

/// SMB options, which an NFS export or an object store would silently ignore.
pub(super) const ON_OTHERS: Group = Group {
    concerns: |job| on(job, Scheme::Nfs) || on(job, Scheme::S3),
    rules: &[
        rule("signing", |job| {
            let set = job.engine.signing == Protection::Yes;
            let is_nfs = on(job, Scheme::Nfs);
            foreign(
                job,
                "signing",
                set,
                if is_nfs { WITH_KERBEROS } else { LEAVE_OUT },
            )
        }),
        rule("encryption", |job| {
            let set = job.engine.encryption == Protection::Yes;
            let is_nfs = on(job, Scheme::Nfs);
            foreign(
                job,
                "encryption",
                set,
                if is_nfs { WITH_KERBEROS } else { BY_HTTPS },
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

fn on(job: &Job, scheme: Scheme) -> bool {
    let remote = job.target.remote();
    remote.is_some_and(|remote| remote.scheme == scheme)
}

fn foreign(job: &Job, key: &str, set: bool, instead: &str) -> Option<String> {
    set.then(|| {
        format!(
            "{key} is an option of smb:// targets, not of {}: {instead}",
            job.target
        )
    })
}
