//! How is the address of a server over HTTP written?

use plumb_model::statement::Statement;

/// Address of a store's server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    pub is_https: bool,
    /// A name or an address; IPv6 without the brackets.
    pub host: String,
    pub port: u16,
    /// Path in front of all others, with a leading slash; empty for none.
    pub base: String,
}

impl Endpoint {
    /// A host with the port of this server: without the usual one.
    pub fn authority(&self, host: &str) -> String {
        let host = match host.contains(':') {
            true => format!("[{host}]"),
            false => host.to_string(),
        };
        match (self.is_https, self.port) {
            (true, 443) | (false, 80) => host,
            (_, port) => format!("{host}:{port}"),
        }
    }

    /// The address of a host of this server: scheme, host, port, and the path in front of all others.
    pub fn url(&self, host: &str) -> String {
        let scheme = if self.is_https { "https" } else { "http" };
        format!("{scheme}://{}{}", self.authority(host), self.base)
    }
}

/// `http://host[:port][/path]`, or https.
///
/// # Errors
/// It is none, or holds a user.
pub fn parse_endpoint(url: &str) -> Result<Endpoint, Statement> {
    let malformed = || Statement::new("s3-endpoint-is-malformed").name("endpoint", url);
    let (scheme, rest) = url.trim().split_once("://").ok_or_else(malformed)?;
    let is_https = match scheme.to_ascii_lowercase().as_str() {
        "https" => true,
        "http" => false,
        _ => return Err(malformed()),
    };
    let (authority, base) = rest.split_once('/').unwrap_or((rest, ""));
    if authority.contains('@') {
        // It is not repeated: what stands there may be a password.
        return Err(Statement::new("s3-endpoint-holds-a-user"));
    }
    let base = base.trim_end_matches('/');
    let is_plain = |text: &str| {
        text.bytes()
            .all(|byte| byte.is_ascii_graphic() && !b"?#\\\"<>".contains(&byte))
    };
    let (host, port) = match authority.strip_prefix('[') {
        Some(rest) => {
            let (host, after) = rest.split_once(']').ok_or_else(malformed)?;
            (
                host,
                after.strip_prefix(':').or(after.is_empty().then_some("")),
            )
        }
        None => match authority.rsplit_once(':') {
            Some((host, port)) => (host, Some(port)),
            None => (authority, Some("")),
        },
    };
    let port = match port.ok_or_else(malformed)? {
        "" if is_https => 443,
        "" => 80,
        port => port.parse().map_err(|_| malformed())?,
    };
    if host.is_empty() || port == 0 || !is_plain(host) || !is_plain(base) {
        return Err(malformed());
    }
    Ok(Endpoint {
        is_https,
        host: host.to_string(),
        port,
        base: if base.is_empty() {
            String::new()
        } else {
            format!("/{base}")
        },
    })
}
