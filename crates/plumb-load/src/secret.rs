//! How is a password carried to where it is needed, and nowhere else?

use plumb_model::target::remote::Remote;
use zeroize::Zeroizing;

/// A password or a token. Shows itself nowhere; only [`Secret::expose`] gives it. Its memory is overwritten when it is dropped.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Zeroizing<String>);

impl Secret {
    /// Keeps a password.
    pub fn new(password: impl Into<String>) -> Secret {
        Secret(Zeroizing::new(password.into()))
    }

    /// The password, for the one who proves it to a server.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret(***)")
    }
}

/// The passwords of a run, each for a user of a server.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Secrets(Vec<(Remote, Secret)>);

impl Secrets {
    /// Keeps the password of this server's user.
    pub fn add(&mut self, remote: &Remote, secret: Secret) {
        self.0.push((remote.clone(), secret));
    }

    /// The password for this address: of the same protocol, server, port and user, whatever the path.
    pub fn of(&self, remote: &Remote) -> Option<&Secret> {
        let login = |of: &Remote| {
            (
                of.scheme,
                of.host.clone(),
                of.port(),
                of.domain.clone(),
                of.user.clone(),
            )
        };
        self.0
            .iter()
            .find(|(known, _)| login(known) == login(remote))
            .map(|(_, secret)| secret)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_found_by_its_login_and_shown_nowhere() {
        let mut secrets = Secrets::default();
        secrets.add(
            &"smb://user@host/share".parse().expect("address"),
            Secret::new("plumb-pass-1"),
        );
        let of = |text: &str| {
            secrets
                .of(&text.parse().expect("address"))
                .map(Secret::expose)
        };
        assert_eq!(of("smb://user@host:445/other/path"), Some("plumb-pass-1"));
        assert_eq!(of("smb://root@host/share"), None);
        assert_eq!(of("smb://user@host:446/share"), None);
        assert!(!format!("{secrets:?}").contains("plumb-pass-1"));
    }
}
