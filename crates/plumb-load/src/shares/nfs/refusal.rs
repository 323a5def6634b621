//! How are errors of an NFS server reported, and that it is unreachable?

use plumb_model::statement::Statement;
use plumb_model::target::remote::Remote;

use super::results::Failure;
use super::status::Status;
use crate::share::{ShareError, ShareErrorKind};

/// What went wrong: where, what was tried, the server's status, what to do next.
pub(super) fn error(
    remote: &Remote,
    is_version_3: bool,
    tried: Statement,
    failure: Failure,
) -> ShareError {
    match failure {
        Failure::Status(status) => {
            // The folder of all exports is the server's own.
            let advice = match status {
                Status::ROFS if remote.path.is_empty() => Statement::new("nfs-no-export-named"),
                _ => status.advice(),
            };
            let why = Statement::new("nfs-cannot")
                .name("target", remote.to_string())
                .part("tried", tried)
                .name("status", status.name(is_version_3))
                .part("advice", advice);
            ShareError {
                kind: status.kind(),
                why,
            }
        }
        Failure::Connection(why) | Failure::Unsupported(why) | Failure::Stopped(why) => {
            unreachable(remote, why)
        }
    }
}

/// The connection is of no use: what happened to it.
pub(super) fn unreachable(remote: &Remote, what: Statement) -> ShareError {
    ShareError {
        kind: ShareErrorKind::Unreachable,
        why: Statement::new("nfs-unreachable")
            .name("target", remote.to_string())
            .part("what", what),
    }
}

/// Maximum export names in a message.
const OFFERED_MAX: usize = 12;

/// There is no such export; those there are.
pub(super) fn no_such_export(
    remote: &Remote,
    export: &str,
    status: &str,
    names: &[String],
) -> ShareError {
    let offered: Vec<String> = names
        .iter()
        .take(OFFERED_MAX)
        .map(|name| shortened(name))
        .collect();
    let more = names.len().saturating_sub(OFFERED_MAX) as u64;
    let why = match (offered.is_empty(), more) {
        (true, _) => Statement::new("nfs-no-export-at-all"),
        (false, 0) => Statement::new("nfs-no-such-export"),
        (false, _) => Statement::new("nfs-no-such-export-of-many"),
    }
    .name("server", remote.host_and_port())
    .name("export", export)
    .name("status", status)
    .name("offered", offered.join(", "))
    .count("more", more);
    ShareError {
        kind: ShareErrorKind::NotFound,
        why,
    }
}

/// A name for a message, which a server may have made as long as it liked.
fn shortened(name: &str) -> String {
    const LONG: usize = 64;
    if name.chars().count() <= LONG {
        name.to_string()
    } else {
        name.chars().take(LONG).chain(['.', '.', '.']).collect()
    }
}
