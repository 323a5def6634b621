//! What is to be done when a server refuses a request?

use plumb_model::statement::{Argument, Statement};
use plumb_model::target::remote::Remote;

use crate::engine::failure::FailureKind;
use crate::share::ShareErrorKind;
use crate::shares::smb::command::Command;
use crate::shares::smb::status::Status;

/// The longest name that file systems of servers take: 255 bytes on Unix (NAME_MAX, limits.h), as many UTF-16 units on Windows.
const NAME_MAX_BYTES: usize = 255;

/// What to do about a status of this kind.
pub fn remedy(
    command: Command,
    status: Status,
    kind: ShareErrorKind,
    remote: &Remote,
) -> Statement {
    match (command, status) {
        (Command::SessionSetup, Status::LOGON_FAILURE) if remote.user.is_none() => {
            Statement::new("smb-takes-no-anonymous-users")
        }
        (Command::SessionSetup, Status::LOGON_FAILURE) => {
            Statement::new("smb-wrong-user-or-password").with("user", user(remote))
        }
        (Command::SessionSetup, Status::REQUEST_NOT_ACCEPTED) => {
            Statement::new("smb-takes-no-more-sessions")
        }
        (Command::SessionSetup, Status::ACCESS_DENIED) => {
            Statement::new("smb-user-or-dialect-not-let-in").with("user", user(remote))
        }
        (Command::SessionSetup, _) if status.kind() == FailureKind::AccessDenied => {
            Statement::new("smb-user-not-let-in").with("user", user(remote))
        }
        (Command::TreeConnect, Status::BAD_NETWORK_NAME) => Statement::new("smb-no-such-share")
            .name("share", remote.share())
            .name("command", listing_line(remote)),
        (Command::TreeConnect, Status::ACCESS_DENIED) => {
            Statement::new("smb-user-may-not-use-share")
                .with("user", user(remote))
                .name("share", remote.share())
        }
        (_, Status::PATH_NOT_COVERED) => Statement::new("smb-is-a-dfs-link"),
        (_, Status::OBJECT_NAME_INVALID) => Statement::new("smb-name-not-taken"),
        (_, Status::OBJECT_PATH_NOT_FOUND) => Statement::new("smb-folder-does-not-exist"),
        _ => match kind {
            ShareErrorKind::Denied => {
                Statement::new("smb-user-may-not-do-that").with("user", user(remote))
            }
            ShareErrorKind::Full => Statement::new("smb-share-is-full"),
            ShareErrorKind::NotFound => Statement::new("smb-nothing-by-this-name"),
            ShareErrorKind::Exists => Statement::new("smb-exists-already"),
            ShareErrorKind::Unreachable => Statement::new("smb-session-has-ended"),
            ShareErrorKind::Other => Statement::new("smb-see-the-servers-log"),
        },
    }
}

/// What to do where the name itself is what the server does not take; missing where it is something else. `makes`: what has this name need not be there.
pub fn naming_remedy(makes: bool, path: &str, status: Status) -> Option<Statement> {
    let longest = path.split('/').map(str::len).max().unwrap_or(0);
    if longest > NAME_MAX_BYTES && (status.is_missing() || status == Status::OBJECT_NAME_INVALID) {
        return Some(
            Statement::new("smb-name-too-long")
                .count("bytes", longest as u64)
                .count("most", NAME_MAX_BYTES as u64),
        );
    }
    let refuses = makes && status == Status::OBJECT_NAME_NOT_FOUND;
    refuses.then(|| Statement::new("smb-name-refused"))
}

/// The user of an address, as a part of a sentence.
fn user(remote: &Remote) -> Argument {
    match remote.user.as_deref() {
        Some(user) => user.into(),
        None => Statement::new("smb-anonymous-user").into(),
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

#[cfg(test)]
mod tests {
    use plumb_words::english;

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
            let (command, status) = (Command::TreeConnect, Status::BAD_NETWORK_NAME);
            let advice = english(&remedy(command, status, ShareErrorKind::NotFound, &remote));
            assert!(advice.ends_with(expected), "{advice}");
        }
    }

    #[test]
    fn who_has_no_name_is_an_anonymous_user() {
        let advice = |address: &str| {
            let remote: Remote = address.parse().expect("an address");
            english(&remedy(
                Command::TreeConnect,
                Status::ACCESS_DENIED,
                ShareErrorKind::Denied,
                &remote,
            ))
        };
        let anonymous = advice("smb://server/share");
        assert!(
            anonymous.starts_with("an anonymous user may not use share 'share', or"),
            "{anonymous}"
        );
        assert!(advice("smb://anna@server/share").starts_with("anna may not"));
    }
}
