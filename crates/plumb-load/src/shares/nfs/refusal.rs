//! How is told what an NFS server refuses, and that it cannot be reached?

use plumb_model::statement::Statement;
use plumb_model::target::remote::Remote;

use super::results::Failure;
use super::status::Status;
use crate::share::{ShareError, ShareErrorKind};

/// What went wrong: where, what was tried, the server's status, what to do next.
pub(super) fn error(remote: &Remote, tried: Statement, failure: Failure) -> ShareError {
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
                .name("status", status.name())
                .part("advice", advice);
            ShareError {
                kind: status.kind(),
                why,
            }
        }
        Failure::Connection(why) => unreachable(remote, why),
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
