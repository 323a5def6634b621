//! Which options of SMB are given to a target that knows none of them?

use super::misfit::Misfit;
use plumb_model::remote::Scheme;
use plumb_model::workload::{Channels, Dialect, Job, Protection};

/// Options of SMB, which an NFS export would leave out without a word.
pub(super) fn judge(job: &Job) -> Option<Misfit> {
    let choice = &job.engine;
    let remote = job
        .target
        .remote()
        .filter(|remote| remote.scheme == Scheme::Nfs)?;
    let options = [
        ("signing", choice.signing == Protection::Yes),
        ("encryption", choice.encryption == Protection::Yes),
        ("dialect", choice.dialect != Dialect::Auto),
        ("channels", choice.channels == Channels::Multichannel),
    ];
    let (key, _) = options.into_iter().find(|(_, set)| *set)?;
    let other = match key {
        "signing" | "encryption" => {
            "leave it out; NFS is protected by Kerberos, as a kernel mount has it: mount with sec=krb5i (signed) or krb5p (encrypted) and name the folder"
        }
        _ => "leave it out",
    };
    Some((
        key,
        format!("{key} is an option of smb:// targets, not of {remote}: {other}"),
    ))
}
