//! What can go wrong with a server, and how is it told? In one sentence with its status and what to do next.

use std::io;

use plumb_model::target::remote::Remote;

use crate::engine::failure::FailureKind;
use crate::share::{ShareError, ShareErrorKind};
use crate::shares::smb::command::Command;
use crate::shares::smb::status::Status;

/// Why something failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// The connection cannot be used any more: closed, reset, silent for too long. A phrase without the server's name.
    Lost(String),
    /// The server has no address. A phrase with its name.
    Unresolved(String),
    /// The server said what no server may say. A phrase, such as `its answer ends in the middle of a header`.
    Garbage(String),
    /// The server keeps to the words of the protocol, but does not come to an end. A phrase with its subject.
    Unruly(String),
    /// What came is not what the server sent, or nobody proves that it is. A phrase that says so.
    Tampered(String),
    /// The server refused a request.
    Status(Command, Status),
    /// What is agreed with the server cannot be what was asked for. A phrase and what to do.
    Unfit(String),
}

impl Fault {
    /// A failure of the socket.
    pub fn io(error: &io::Error) -> Fault {
        match error.kind() {
            io::ErrorKind::ConnectionReset
            | io::ErrorKind::ConnectionAborted
            | io::ErrorKind::BrokenPipe => {
                Fault::Lost("the connection was reset by the server or on the way".into())
            }
            _ => Fault::Lost(format!("the connection failed: {error}")),
        }
    }

    /// The server's answer breaks the protocol.
    pub fn garbage(what: impl Into<String>) -> Fault {
        Fault::Garbage(what.into())
    }

    /// What came is not what the server sent: names it, such as `an encrypted message`.
    pub fn tampered(what: impl std::fmt::Display) -> Fault {
        Fault::Tampered(format!(
            "someone between this host and the server has changed what was sent: {what}"
        ))
    }

    /// True when the connection is of no use any more.
    pub fn ends_connection(&self) -> bool {
        matches!(
            self,
            Fault::Lost(_)
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

    /// As a phrase, for a record of what happened.
    pub fn phrase(&self) -> String {
        match self {
            Fault::Lost(phrase)
            | Fault::Unfit(phrase)
            | Fault::Unresolved(phrase)
            | Fault::Unruly(phrase)
            | Fault::Tampered(phrase) => phrase.clone(),
            Fault::Garbage(what) => format!("what came is not SMB: {what}"),
            Fault::Status(command, status) => format!("{command} was refused with {status}"),
        }
    }

    /// As a sentence on what was tried, such as `cannot write smb://server/share/file`.
    pub fn explain(&self, tried: &str, remote: &Remote) -> ShareError {
        let (kind, phrase, remedy) = self.judged(remote);
        ShareError {
            kind,
            text: format!("{tried}: {phrase}: {remedy}"),
        }
    }

    /// What sort of failure it is, what happened, and what to do next.
    pub fn judged(&self, remote: &Remote) -> (ShareErrorKind, String, String) {
        let server = remote.host_and_port();
        let phrase = self.phrase();
        match self {
            Fault::Lost(_) => (
                ShareErrorKind::Unreachable,
                phrase,
                format!(
                    "see that an SMB server listens at {server}, and that no firewall stands between"
                ),
            ),
            Fault::Unresolved(_) => (
                ShareErrorKind::Unreachable,
                phrase,
                "see the name, or write the server's address".into(),
            ),
            Fault::Garbage(_) => (
                ShareErrorKind::Unreachable,
                phrase,
                format!("see that {server} is the port of an SMB server (445)"),
            ),
            Fault::Unruly(_) => (
                ShareErrorKind::Other,
                phrase,
                format!(
                    "see the log of what listens at {server}, and that it is an SMB server that can be trusted"
                ),
            ),
            Fault::Tampered(_) => (
                ShareErrorKind::Other,
                phrase,
                format!(
                    "see what stands between this host and {server} (a proxy, a WAN accelerator, an attacker), and update a server that signs nothing"
                ),
            ),
            Fault::Unfit(_) => {
                let (phrase, remedy) = phrase
                    .rsplit_once(": ")
                    .unwrap_or((&phrase, "leave the options of the engine at auto"));
                (
                    ShareErrorKind::Other,
                    phrase.to_string(),
                    remedy.to_string(),
                )
            }
            Fault::Status(command, status) => {
                (kind_of(*status), phrase, advice(*command, *status, remote))
            }
        }
    }
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

/// What to do about it.
fn advice(command: Command, status: Status, remote: &Remote) -> String {
    let user = remote.user.as_deref().unwrap_or("an anonymous user");
    match (command, status) {
        (Command::SessionSetup, Status::LOGON_FAILURE) if remote.user.is_none() => {
            "the server takes no anonymous users: name one, smb://user@server/share".into()
        }
        (Command::SessionSetup, Status::LOGON_FAILURE) => {
            format!(
                "user name or password of {user} is wrong: give the right ones, or the domain as smb://DOMAIN;user@server/share"
            )
        }
        (Command::SessionSetup, Status::REQUEST_NOT_ACCEPTED) => {
            "the server takes no more sessions: use fewer workers".into()
        }
        (Command::SessionSetup, Status::ACCESS_DENIED) => {
            format!(
                "{user} is not let in, or the server demands encryption and the dialect has none: allow it there, or leave dialect at auto"
            )
        }
        (Command::SessionSetup, _) if status.kind() == FailureKind::AccessDenied => {
            format!(
                "the server does not let {user} in: ask its administrator, or name another user"
            )
        }
        (Command::TreeConnect, Status::BAD_NETWORK_NAME) => {
            format!(
                "there is no share '{}': list those there are with '{}'",
                remote.share(),
                listing_line(remote)
            )
        }
        (Command::TreeConnect, Status::ACCESS_DENIED) => {
            format!(
                "{user} may not use share '{}', or the server demands encryption or signing: allow it there, or leave encryption, signing and dialect at auto (SMB 2.1 cannot encrypt)",
                remote.share()
            )
        }
        (_, Status::OBJECT_NAME_INVALID) => {
            "the server does not take this name: choose one without \\ : * ? \" < > |".into()
        }
        (_, Status::OBJECT_PATH_NOT_FOUND) => {
            "its folder does not exist: make it, or name another".into()
        }
        (_, status) => match kind_of(status) {
            ShareErrorKind::Denied => {
                format!(
                    "{user} may not do that here: the share may be read-only; name a folder that {user} may write to"
                )
            }
            ShareErrorKind::Full => {
                "the share is full: free space there, or use --size to ask for less".into()
            }
            ShareErrorKind::NotFound => "there is nothing by this name: see the path".into(),
            ShareErrorKind::Exists => "it exists already: name another".into(),
            ShareErrorKind::Unreachable => "the session has ended on the server: try again".into(),
            ShareErrorKind::Other => "see the server's log for the reason".into(),
        },
    }
}

/// The command that lists the shares of this server to this user.
fn listing_line(remote: &Remote) -> String {
    let port = if remote.port() == remote.scheme.default_port() {
        String::new()
    } else {
        format!(" -p {}", remote.port())
    };
    let user = match (&remote.domain, &remote.user) {
        (_, None) => " -N".to_string(),
        (None, Some(user)) => format!(" -U {user}"),
        (Some(domain), Some(user)) => format!(" -U {domain}/{user}"),
    };
    format!("smbclient -L {}{port}{user}", remote.host)
}

/// The result of something done with a server.
pub type SmbResult<T> = Result<T, Fault>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_that_lists_the_shares_names_port_and_user() {
        for (address, expected) in [
            ("smb://server/none", "'smbclient -L server -N'"),
            (
                "smb://anna@server:445/none",
                "'smbclient -L server -U anna'",
            ),
            (
                "smb://WORK;anna@server:1445/none/folder",
                "'smbclient -L server -p 1445 -U WORK/anna'",
            ),
        ] {
            let remote: Remote = address.parse().expect("an address");
            let (_, _, remedy) =
                Fault::Status(Command::TreeConnect, Status::BAD_NETWORK_NAME).judged(&remote);
            assert!(remedy.ends_with(expected), "{remedy}");
        }
    }
}
