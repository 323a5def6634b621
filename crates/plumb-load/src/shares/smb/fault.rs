//! What can go wrong with a server, and how is it reported? As a statement with its status and what to do next.

use std::io;

use std::time::Duration;

use plumb_model::statement::Statement;
use plumb_model::target::remote::Remote;

use crate::engine::failure::FailureKind;
use crate::share::{ShareError, ShareErrorKind};
use crate::shares::smb::advice::remedy;
use crate::shares::smb::command::Command;
use crate::shares::smb::status::Status;

/// Why something failed.
#[derive(Debug, Clone, PartialEq)]
pub enum Fault {
    /// The connection cannot be used any more: closed or reset.
    Lost(Statement),
    /// The server did not respond in time. A retry waits as long again.
    Silent(Statement),
    /// A stop was requested, and the server did not respond in time.
    Stopped(Statement),
    /// The server has no address.
    Unresolved(Statement),
    /// A protocol violation: what it was, such as a truncated reply.
    Garbage(Statement),
    /// The server keeps to the words of the protocol, but does not come to an end.
    Unruly(Statement),
    /// What came is not what the server sent, or nobody proves that it is.
    Tampered(Statement),
    /// The server refused a request.
    Status(Command, Status),
    /// What was negotiated does not fit what was requested.
    Unfit { what: Statement, remedy: Statement },
}

/// What was tried on a share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tried {
    Open,
    QueryFreeSpace,
    LookAt,
    List,
    MakeFolder,
    MakeFile,
    Write,
    Read,
    SetLength,
    Remove,
    RemoveFolder,
}

impl Tried {
    /// True where something is made that need not be there before.
    pub fn makes(self) -> bool {
        matches!(self, Tried::MakeFolder | Tried::MakeFile)
    }

    /// With the address at which it was tried.
    pub fn at(self, address: impl Into<String>) -> Statement {
        Statement::new(match self {
            Tried::Open => "smb-tried-open",
            Tried::QueryFreeSpace => "smb-tried-ask-for-room",
            Tried::LookAt => "smb-tried-look-at",
            Tried::List => "smb-tried-list",
            Tried::MakeFolder => "smb-tried-make-folder",
            Tried::MakeFile => "smb-tried-make-file",
            Tried::Write => "smb-tried-write",
            Tried::Read => "smb-tried-read",
            Tried::SetLength => "smb-tried-set-length",
            Tried::Remove => "smb-tried-remove",
            Tried::RemoveFolder => "smb-tried-remove-folder",
        })
        .name("place", address)
    }
}

impl Fault {
    /// A failure of the socket.
    pub fn io(error: &io::Error) -> Fault {
        Fault::Lost(match error.kind() {
            io::ErrorKind::ConnectionReset
            | io::ErrorKind::ConnectionAborted
            | io::ErrorKind::BrokenPipe => Statement::new("smb-connection-reset"),
            _ => Statement::new("smb-connection-failed").name("error", error.to_string()),
        })
    }

    /// No answer where there has to be one.
    pub fn no_answer() -> Fault {
        Fault::Garbage(Statement::new("smb-no-answer"))
    }

    /// A READ returned more than requested.
    pub fn read_too_long(bytes: usize, asked_bytes: u32) -> Fault {
        Fault::Garbage(
            Statement::new("smb-read-too-long")
                .count("bytes", bytes as u64)
                .count("asked", u64::from(asked_bytes)),
        )
    }

    /// Nothing came within a moment of the request to end.
    pub fn stopped(waited: Duration) -> Fault {
        Fault::Stopped(
            Statement::new("smb-no-answer-after-stop").time_ns("time", waited.as_nanos() as f64),
        )
    }

    /// The server accepts no more requests.
    pub fn no_credits() -> Fault {
        Fault::Unruly(Statement::new("smb-no-credits"))
    }

    /// A WRITE that was confirmed in part.
    pub fn written_in_part(moved_bytes: u32, bytes: u32) -> Fault {
        Fault::Unfit {
            what: Statement::new("smb-written-in-part")
                .count("moved", u64::from(moved_bytes))
                .count("bytes", u64::from(bytes)),
            remedy: Statement::new("smb-see-its-log"),
        }
    }

    /// What came is not what the server sent: what it was, such as an encrypted message.
    pub fn tampered(what: Statement) -> Fault {
        Fault::Tampered(Statement::new("smb-changed-on-the-way").part("what", what))
    }

    /// True when the connection is of no use any more.
    pub fn ends_connection(&self) -> bool {
        matches!(
            self,
            Fault::Lost(_)
                | Fault::Silent(_)
                | Fault::Stopped(_)
                | Fault::Garbage(_)
                | Fault::Unruly(_)
                | Fault::Tampered(_)
                | Fault::Unresolved(_)
        )
    }

    /// True when another connection may do better: the server was started again, or a message was lost on the way.
    pub fn may_pass(&self) -> bool {
        matches!(self, Fault::Lost(_) | Fault::Garbage(_))
    }

    /// What happened, for a record; without what is to be done, but where that is a part of it.
    pub fn statement(&self) -> Statement {
        match self {
            Fault::Unfit { what, remedy } => Statement::new("smb-unfit")
                .part("what", what.clone())
                .part("remedy", remedy.clone()),
            other => other.reason(),
        }
    }

    /// What happened, without what is to be done.
    fn reason(&self) -> Statement {
        match self {
            Fault::Lost(what)
            | Fault::Silent(what)
            | Fault::Stopped(what)
            | Fault::Unresolved(what)
            | Fault::Unruly(what)
            | Fault::Tampered(what)
            | Fault::Unfit { what, .. } => what.clone(),
            Fault::Garbage(what) => Statement::new("smb-not-smb").part("what", what.clone()),
            Fault::Status(command, status) => Statement::new("smb-refused")
                .name("command", command.name())
                .name("status", status.to_string()),
        }
    }

    /// The share of this address cannot be opened for it.
    pub fn on_opening(&self, remote: &Remote) -> ShareError {
        let (kind, reason, remedy) = self.judged(remote);
        let tried = Tried::Open.at(remote.to_string());
        ShareError {
            kind,
            why: cannot(tried, reason, remedy),
        }
    }

    /// What sort of failure it is, what happened, and what to do next.
    pub fn judged(&self, remote: &Remote) -> (ShareErrorKind, Statement, Statement) {
        let kind = match self {
            Fault::Lost(_)
            | Fault::Silent(_)
            | Fault::Stopped(_)
            | Fault::Unresolved(_)
            | Fault::Garbage(_) => ShareErrorKind::Unreachable,
            Fault::Unruly(_) | Fault::Tampered(_) | Fault::Unfit { .. } => ShareErrorKind::Other,
            Fault::Status(_, status) => kind_of(*status),
        };
        let server = remote.host_and_port();
        let remedy = match self {
            Fault::Lost(_) => Statement::new("smb-see-that-it-listens").name("server", server),
            Fault::Silent(_) | Fault::Stopped(_) => {
                Statement::new("smb-see-whether-it-hangs").name("server", server)
            }
            Fault::Unresolved(_) => Statement::new("smb-see-the-name"),
            Fault::Garbage(_) => Statement::new("smb-see-the-port").name("server", server),
            Fault::Unruly(_) => {
                Statement::new("smb-see-the-log-of-the-listener").name("server", server)
            }
            Fault::Tampered(_) => {
                Statement::new("smb-see-what-stands-between").name("server", server)
            }
            Fault::Unfit { remedy, .. } => remedy.clone(),
            Fault::Status(command, status) => remedy(*command, *status, kind, remote),
        };
        (kind, self.reason(), remedy)
    }
}

/// What was tried could not be done.
pub fn cannot(tried: Statement, reason: Statement, remedy: Statement) -> Statement {
    Statement::new("smb-cannot")
        .part("tried", tried)
        .part("reason", reason)
        .part("remedy", remedy)
}

/// What sort of failure a status is.
fn kind_of(status: Status) -> ShareErrorKind {
    match status.kind() {
        FailureKind::NotFound => ShareErrorKind::NotFound,
        FailureKind::AlreadyExists => ShareErrorKind::Exists,
        FailureKind::AccessDenied | FailureKind::ReadOnly | FailureKind::NotPermitted => {
            ShareErrorKind::Denied
        }
        FailureKind::NoSpace | FailureKind::QuotaExceeded => ShareErrorKind::Full,
        FailureKind::NotConnected | FailureKind::NoDevice => ShareErrorKind::Unreachable,
        _ => ShareErrorKind::Other,
    }
}

/// The result of something done with a server.
pub type SmbResult<T> = Result<T, Fault>;

#[cfg(test)]
mod tests {
    use plumb_words::{Language, Words};

    use super::*;

    #[test]
    fn what_was_tried_happened_and_is_to_be_done_is_one_sentence_in_each_language() {
        let remote: Remote = "smb://server/share".parse().expect("an address");
        let fault = Fault::Unfit {
            what: Statement::new("smb-guest-has-no-channels"),
            remedy: Statement::new("smb-leave-channels"),
        };
        let error = fault.on_opening(&remote);
        assert_eq!(
            error.to_string(),
            "cannot open smb://server/share: a guest has no channels: leave channels at auto"
        );
        let sentence = |language| Words::of(language).sentence(&error.why);
        assert_eq!(
            sentence(Language::Chinese),
            "无法打开 smb://server/share：来宾没有多通道；请将 channels 保持为 auto"
        );
        assert_eq!(
            sentence(Language::Japanese),
            "smb://server/share を開くことができない：ゲストは複数チャネルを持てない。channels を auto のままにする"
        );
        let refused = Fault::Status(Command::Read, Status::ACCESS_DENIED);
        assert_eq!(
            plumb_words::english(&refused.statement()),
            "READ was refused with STATUS_ACCESS_DENIED"
        );
    }
}
