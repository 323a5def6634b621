//! What is the address of a share or a peer on the network? `scheme://[user@]host[:port][/path]`.

use std::fmt;
use std::str::FromStr;

use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};

pub use crate::engines::{Scheme, WhileLost};
use crate::text::word::serde_as_text;
use crate::units::UnitError;

impl Scheme {
    /// Default port: IANA's for smb and nfs, iperf3's own, and plumb's for its peers.
    pub fn default_port(self) -> u16 {
        self.properties().map_or(0, |of| of.default_port)
    }

    /// What happens to operations issued while the connection is lost.
    pub fn while_lost(self) -> WhileLost {
        self.properties().map_or(WhileLost::End, |of| of.while_lost)
    }

    /// True if it has files; false for a peer that exchanges messages or memory.
    pub fn is_share(self) -> bool {
        self.is(|of| of.is_share)
    }
}

/// Characters that end or divide the part of an address before the host, and are written there as `%` and two hexadecimal digits (RFC 3986).
const IN_USER: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'%')
    .add(b'/')
    .add(b':')
    .add(b';')
    .add(b'@')
    .add(b'?')
    .add(b'#');
const PERCENT: &AsciiSet = &AsciiSet::EMPTY.add(b'%');

/// A share or a peer on the network. Holds no password: addresses appear in records, reports and process lists.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Remote {
    pub scheme: Scheme,
    /// Domain of the user, `DOMAIN;user@` in the text, where both may be percent-encoded; missing: not given.
    pub domain: Option<String>,
    /// Missing: not given (for smb an anonymous session).
    pub user: Option<String>,
    /// A name or an address; IPv6 without the brackets.
    pub host: String,
    /// Missing: the default of the scheme.
    pub port: Option<u16>,
    /// The path after the host, without leading and trailing slash; may be empty.
    pub path: String,
}

impl Remote {
    /// The port to connect to.
    pub fn port(&self) -> u16 {
        self.port.unwrap_or_else(|| self.scheme.default_port())
    }

    /// `host:port`, with brackets around an IPv6 address: for a resolver and for messages.
    pub fn host_and_port(&self) -> String {
        let host = if self.host.contains(':') {
            format!("[{}]", self.host)
        } else {
            self.host.clone()
        };
        format!("{host}:{}", self.port())
    }

    /// The first part of the path, the share of an SMB server; empty if there is none, and where the host is the share.
    pub fn share(&self) -> &str {
        if self.scheme.is(|of| of.host_is_share) {
            return "";
        }
        self.path.split('/').next().unwrap_or_default()
    }

    /// The path below the share, without a leading slash; empty for the share itself.
    pub fn below_share(&self) -> &str {
        if self.scheme.is(|of| of.host_is_share) {
            return &self.path;
        }
        self.path.split_once('/').map_or("", |(_, below)| below)
    }
}

impl FromStr for Remote {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let (scheme, rest) = text.split_once("://").ok_or_else(|| {
            UnitError(format!(
                "'{text}' is no address: write for example smb://server/share"
            ))
        })?;
        let scheme: Scheme = scheme.parse()?;
        let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
        let (user, place) = authority
            .rsplit_once('@')
            .map_or((None, authority), |(user, place)| (Some(user), place));
        if user.is_some_and(|user| user.contains(':')) {
            return Err(UnitError(format!(
                "a password stands in the address of {scheme}://{place}/: it would be kept in records and process lists; leave it out, and give it by \
                 the prompt, by PLUMB_PASSWORD, or by --password-file"
            )));
        }
        if user.is_some_and(|user| user.matches(';').count() > 1) {
            return Err(UnitError(format!(
                "two ; stand before the host in '{text}': write {scheme}://DOMAIN;user@{place}, with a ; that belongs to a name as %3B"
            )));
        }
        let (domain, user) = match user.map(|user| {
            user.split_once(';')
                .map_or((None, user), |(domain, user)| (Some(domain), user))
        }) {
            Some((domain, user)) => (
                domain.map(|domain| decoded(domain, text)).transpose()?,
                Some(decoded(user, text)?).filter(|user| !user.is_empty()),
            ),
            None => (None, None),
        };
        let (host, port) = host_and_port(place).ok_or_else(|| {
            UnitError(format!(
                "'{place}' in '{text}' is no host with a port: write {scheme}://host or {scheme}://host:{}",
                scheme.default_port()
            ))
        })?;
        let path = decoded(path.trim_matches('/'), text)?;
        if scheme.is(|of| of.host_is_share) {
            refuse_server_of_bucket(scheme, user.is_some(), &host, port)?;
        }
        if scheme == Scheme::Smb && path.is_empty() {
            return Err(UnitError(format!(
                "'{text}' names no share: write smb://{place}/share"
            )));
        }
        if !scheme.is_share() && !path.is_empty() {
            return Err(UnitError(format!(
                "'{text}' has a path, and {scheme}:// has none: write {scheme}://{place}"
            )));
        }
        Ok(Remote {
            scheme,
            domain,
            user,
            host,
            port,
            path,
        })
    }
}

/// The host of such an address is the name of a bucket (S3 user guide, "Bucket naming rules", and the looser ones of older buckets and other stores).
fn refuse_server_of_bucket(
    scheme: Scheme,
    has_user: bool,
    bucket: &str,
    port: Option<u16>,
) -> Result<(), UnitError> {
    if has_user {
        return Err(UnitError(format!(
            "{scheme}:// takes no user: write {scheme}://{bucket}/prefix, and give the key by AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or by a profile (AWS_PROFILE)"
        )));
    }
    if let Some(port) = port {
        return Err(UnitError(format!(
            "{scheme}:// takes a bucket, not a server with a port: write {scheme}://BUCKET/prefix, and name the server by --set endpoint-url=http://{bucket}:{port} or AWS_ENDPOINT_URL"
        )));
    }
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b".-_".contains(&byte);
    if !(3..=255).contains(&bucket.len()) || !bucket.bytes().all(is_plain) {
        return Err(UnitError(format!(
            "'{bucket}' is not a name of a bucket: it has 3 to 63 lowercase letters, digits, dots and hyphens; write {scheme}://bucket/prefix"
        )));
    }
    Ok(())
}

/// Decodes the escapes of a part of an address. A `%` that does not start an escape is literal.
fn decoded(part: &str, text: &str) -> Result<String, UnitError> {
    let decoded = percent_decode_str(part).decode_utf8().map_err(|_| {
        UnitError(format!(
            "'{part}' in '{text}' is no UTF-8 once its %XX are decoded: encode the bytes of UTF-8, or write the character itself"
        ))
    })?;
    if decoded.contains('\0') {
        return Err(UnitError(format!(
            "'{part}' in '{text}' holds a zero character: leave %00 out"
        )));
    }
    Ok(decoded.into_owned())
}

/// `host`, `host:port`, `[v6]`, `[v6]:port`.
fn host_and_port(place: &str) -> Option<(String, Option<u16>)> {
    let (host, port) = match place.strip_prefix('[') {
        Some(rest) => {
            let (host, after) = rest.split_once(']')?;
            let port = if after.is_empty() {
                None
            } else {
                Some(after.strip_prefix(':')?)
            };
            (host, port)
        }
        None => match place.split_once(':') {
            Some((host, port)) => (host, Some(port)),
            None => (place, None),
        },
    };
    let port = match port {
        Some(port) => Some(port.parse().ok().filter(|port| *port > 0)?),
        None => None,
    };
    let plain =
        !host.is_empty() && !host.contains(|c: char| c.is_whitespace() || "?#\\".contains(c));
    plain.then(|| (host.to_string(), port))
}

impl fmt::Display for Remote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://", self.scheme)?;
        if let Some(user) = &self.user {
            if let Some(domain) = &self.domain {
                write!(f, "{};", utf8_percent_encode(domain, IN_USER))?;
            }
            write!(f, "{}@", utf8_percent_encode(user, IN_USER))?;
        }
        if self.host.contains(':') {
            write!(f, "[{}]", self.host)?
        } else {
            write!(f, "{}", self.host)?
        }
        if let Some(port) = self.port {
            write!(f, ":{port}")?;
        }
        let is_plain = percent_decode_str(&self.path).eq(self.path.bytes());
        match self.path.as_str() {
            "" => Ok(()),
            // Most names contain no escape, and are shown unchanged.
            path if is_plain => write!(f, "/{path}"),
            path => write!(f, "/{}", utf8_percent_encode(path, PERCENT)),
        }
    }
}

serde_as_text!(Remote, "Remote", "scheme://[user@]host[:port][/path]");

#[cfg(test)]
mod tests {
    use super::*;
    use crate::target::Target;

    #[test]
    fn addresses_read_back() {
        for text in [
            "smb://server/share",
            "smb://WORKGROUP;user@server:44500/share/a/b",
            "smb://user@[fe80::1]:445/share",
            "nfs://server/export/path",
            "tcp://10.0.0.1:7473",
            "udp://239.0.0.1",
            "rdma://host",
            "iperf3://nas:5201",
            "s3://bucket.of.mine/a/b",
        ] {
            assert_eq!(text.parse::<Target>().expect(text).to_string(), text);
        }
        let remote: Remote = "smb://user@server/share/a/b/".parse().expect("remote");
        assert_eq!(
            (remote.share(), remote.below_share(), remote.port()),
            ("share", "a/b", 445)
        );
        let remote: Remote = "s3://bucket/a/b/".parse().expect("remote");
        assert_eq!((remote.share(), remote.below_share()), ("", "a/b"));
        assert_eq!(
            "smb://[::1]/x"
                .parse::<Remote>()
                .expect("v6")
                .host_and_port(),
            "[::1]:445"
        );
    }

    #[test]
    fn users_and_paths_may_be_percent_encoded() {
        let remote: Remote = "smb://CORP%2FEU;j%40corp.example%3Bx@nas/My%20Share/100%"
            .parse()
            .expect("an address");
        assert_eq!(
            (
                remote.domain.as_deref(),
                remote.user.as_deref(),
                remote.path.as_str()
            ),
            (Some("CORP/EU"), Some("j@corp.example;x"), "My Share/100%")
        );
        assert_eq!(
            remote.to_string(),
            "smb://CORP%2FEU;j%40corp.example%3Bx@nas/My Share/100%"
        );
        for text in ["smb://u%25@nas/a%2541b", "smb://ü@nas/50% off"] {
            let remote: Remote = text.parse().expect(text);
            assert_eq!(remote.to_string().parse(), Ok(remote), "{text}");
        }
        let remote: Remote = "smb://nas/a%2541b".parse().expect("an address");
        assert_eq!(remote.path, "a%41b");
    }

    #[test]
    fn nonsense_is_refused_and_a_password_is_not_repeated() {
        for (text, expected) in [
            ("smb://server", "no share"),
            ("smb:///share", "no host"),
            ("ftp://server/x", "scheme"),
            ("smb://server:0/x", "no host"),
            ("smb://server:99999/x", "no host"),
            ("tcp://host/path", "has none"),
            ("smb:server/share", "smb://server/share"),
            ("smb://%ff@server/share", "UTF-8"),
            ("s3://key@bucket/x", "AWS_ACCESS_KEY_ID"),
            ("s3://store:9000/bucket", "endpoint-url=http://store:9000"),
            ("s3://b%/x", "bucket"),
            ("s3:bucket", "s3://bucket"),
            ("smb://server/a%00b", "zero"),
        ] {
            let error = text.parse::<Target>().expect_err(text).to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
        let error = "smb://user:secret@server/share"
            .parse::<Target>()
            .expect_err("password")
            .to_string();
        assert!(
            error.contains("PLUMB_PASSWORD") && !error.contains("secret"),
            "{error}"
        );
    }
}
