//! Who may come in? Who has the token; with a browser that calls this host by a name of its own, and from a page of its own.

use std::net::IpAddr;

use anyhow::Context;
use plumb_load::secret::Secret;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use super::answer::{Answer, BrowserRequest, Trouble};
use super::query::{pairs, value, written};

/// Bytes of a new token.
const TOKEN_BYTES: usize = 24;
/// The header that shows that a request which changes something comes from a page of this server.
const KEY_HEADER: &str = "x-plumb-key";

/// A token that nobody can guess. Errors: the system gives no random numbers.
pub fn new_token() -> anyhow::Result<Secret> {
    let mut bytes = [0; TOKEN_BYTES];
    getrandom::fill(&mut bytes).context("the system gives no random numbers for a token")?;
    Ok(Secret::new(hex(&bytes)))
}

/// What is known of the token: hashes, for different uses different ones.
pub struct Door {
    token: [u8; 32],
    /// What the cookie holds.
    session: String,
    /// What a page of this server sends with what changes something.
    key: String,
    cookie: String,
    names: Vec<String>,
}

/// How a request came in.
#[derive(Debug, PartialEq)]
pub enum Entry {
    In,
    /// With this answer, which gives the browser its cookie.
    Welcome(Answer),
}

impl Door {
    /// A door with this token; browsers may call this host by these names too. The port tells cookies of several servers on one host apart.
    pub fn new(token: &Secret, names: Vec<String>, port: u16) -> Door {
        Door {
            token: digest("token", token.expose()),
            session: hex(&digest("session", token.expose())),
            key: hex(&digest("key", token.expose())),
            cookie: format!("plumb-{port}"),
            names,
        }
    }

    /// What the pages of this server must send with what changes something.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Lets a request in, or says why not.
    pub fn enter(&self, request: &BrowserRequest) -> Result<Entry, Trouble> {
        if !request
            .header("host")
            .is_some_and(|host| self.is_ours(host))
        {
            return Err(Trouble::WrongHost);
        }
        // Whoever knows the token may come from anywhere; a form of a page without referrer has no origin (Fetch, "append a request Origin header").
        if request.path == "/login" && request.method == "POST" {
            let given = pairs(&request.body).ok_or(Trouble::Request)?;
            return self.welcome(value(&given, "token"), "/".into());
        }
        if !comes_from_here(request) {
            return Err(Trouble::CrossSite);
        }
        if request.only_reads() && request.query.contains("token=") {
            let given = pairs(&request.query).ok_or(Trouble::Request)?;
            let rest = written(
                given
                    .iter()
                    .filter(|(name, _)| name != "token")
                    .map(|(name, value)| (name.as_str(), value.as_str())),
            );
            // The address without the token is what stays in the browser. Two slashes at its beginning would name another host.
            let path = format!("/{}", request.path.trim_start_matches(['/', '\\']));
            let address = if rest.is_empty() {
                path
            } else {
                format!("{path}?{rest}")
            };
            return self.welcome(value(&given, "token"), address);
        }
        let bearer = request
            .header("authorization")
            .and_then(|text| text.strip_prefix("Bearer "));
        let is_bearer = bearer.is_some_and(|token| self.is_token(token));
        if !is_bearer && !self.has_cookie(request) {
            return Err(Trouble::Token);
        }
        let has_key = || {
            request
                .header(KEY_HEADER)
                .is_some_and(|key| same(key, &self.key))
        };
        if !request.only_reads() && !is_bearer && !has_key() {
            return Err(Trouble::CrossSite);
        }
        Ok(Entry::In)
    }

    fn welcome(&self, token: &str, address: String) -> Result<Entry, Trouble> {
        if !self.is_token(token) {
            return Err(Trouble::Token);
        }
        let mut answer = Answer::elsewhere(address);
        let cookie = format!(
            "{}={}; Path=/; HttpOnly; SameSite=Strict",
            self.cookie, self.session
        );
        answer.headers.push(("set-cookie", cookie));
        Ok(Entry::Welcome(answer))
    }

    fn is_token(&self, text: &str) -> bool {
        digest("token", text).ct_eq(&self.token).into()
    }

    fn has_cookie(&self, request: &BrowserRequest) -> bool {
        let cookies = request.header("cookie").unwrap_or_default().split(';');
        let mut ours = cookies.filter_map(|cookie| {
            cookie
                .trim()
                .strip_prefix(self.cookie.as_str())?
                .strip_prefix('=')
        });
        ours.any(|value| same(value, &self.session))
    }

    /// Whether a browser may call this host so: by an address, as localhost, or by a name that was given. Any other name may belong to a site that leads
    /// its own name here, to read what it could not read otherwise (DNS rebinding).
    fn is_ours(&self, host: &str) -> bool {
        let name = match host.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            Some((v6, port)) => return v6.parse::<IpAddr>().is_ok() && is_port(port),
            None => host.split_once(':').map_or(host, |(name, _)| name),
        };
        let known = name.eq_ignore_ascii_case("localhost")
            || name.parse::<IpAddr>().is_ok()
            || self.names.iter().any(|own| own.eq_ignore_ascii_case(name));
        known && is_port(&host[name.len()..])
    }
}

/// Nothing, or a colon and a number.
fn is_port(text: &str) -> bool {
    text.is_empty()
        || text
            .strip_prefix(':')
            .is_some_and(|port| port.parse::<u16>().is_ok())
}

/// Whether a page of another site sent it, by what browsers say of that. Links from elsewhere may lead here.
fn comes_from_here(request: &BrowserRequest) -> bool {
    let host = request.header("host").unwrap_or_default();
    let origin = request.header("origin").is_none_or(|origin| {
        origin == format!("http://{host}") || origin == format!("https://{host}")
    });
    let is_visit = request.only_reads()
        && request
            .header("sec-fetch-mode")
            .is_none_or(|mode| mode == "navigate");
    let site = request
        .header("sec-fetch-site")
        .is_none_or(|site| matches!(site, "same-origin" | "none") || is_visit);
    origin && site
}

fn digest(what: &str, token: &str) -> [u8; 32] {
    Sha256::new()
        .chain_update(format!("plumb serve {what}\0"))
        .chain_update(token)
        .finalize()
        .into()
}

/// In a time that does not tell where they differ.
fn same(a: &str, b: &str) -> bool {
    a.as_bytes().ct_eq(b.as_bytes()).into()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(method: &str, headers: &[(&str, &str)]) -> BrowserRequest {
        let host = [("host", "127.0.0.1:7476")];
        let named = headers.iter().any(|(name, _)| *name == "host");
        let all = headers.iter().chain(host.iter().filter(|_| !named));
        BrowserRequest {
            method: method.into(),
            path: "/".into(),
            headers: all
                .map(|(name, value)| (name.to_string(), value.to_string()))
                .collect(),
            ..BrowserRequest::default()
        }
    }

    #[test]
    fn a_host_is_called_by_its_own_names_only() {
        let door = Door::new(
            &Secret::new("a token for tests"),
            vec!["lab.example".into()],
            7476,
        );
        for host in [
            "127.0.0.1",
            "127.0.0.1:8080",
            "[::1]:7476",
            "localhost:1",
            "LOCALHOST",
            "10.1.2.3:7476",
            "lab.example:7476",
        ] {
            assert!(door.is_ours(host), "{host}");
        }
        for host in [
            "",
            "evil.example",
            "127.0.0.1.evil.example",
            "localhost.evil:7476",
            "[::1",
            "[::1]x",
            "127.0.0.1:x",
            "lab.example.",
            "a@127.0.0.1",
            "[evil]:7476",
        ] {
            assert!(!door.is_ours(host), "{host}");
        }
    }

    #[test]
    fn the_token_opens_and_its_cookie_goes_on() {
        let secret = Secret::new("a token for tests");
        let door = Door::new(&secret, Vec::new(), 7476);
        let mut first = request("GET", &[]);
        first.query = "plan=a+b&token=a%20token%20for%20tests".into();
        first.path = "//evil.example".into();
        let Ok(Entry::Welcome(answer)) = door.enter(&first) else {
            panic!("not let in");
        };
        assert_eq!(
            answer.headers[0],
            ("location", "/evil.example?plan=a%20b".to_string())
        );
        let cookie = answer.headers[1]
            .1
            .split(';')
            .next()
            .expect("a cookie")
            .to_string();
        assert!(!cookie.contains("token for tests"), "{cookie}");
        assert_eq!(
            door.enter(&request(
                "GET",
                &[("cookie", &format!("other=1; {cookie}"))]
            )),
            Ok(Entry::In)
        );
        assert_eq!(
            door.enter(&request("GET", &[("cookie", "plumb-7476=no")])),
            Err(Trouble::Token)
        );
        assert_eq!(door.enter(&request("GET", &[])), Err(Trouble::Token));
        assert_eq!(
            door.enter(&request("POST", &[("cookie", &cookie)])),
            Err(Trouble::CrossSite)
        );
        assert_eq!(
            door.enter(&request(
                "POST",
                &[("cookie", &cookie), (KEY_HEADER, door.key())]
            )),
            Ok(Entry::In)
        );
        let foreign = [
            ("cookie", cookie.as_str()),
            (KEY_HEADER, door.key()),
            ("origin", "http://evil.example"),
        ];
        assert_eq!(
            door.enter(&request("POST", &foreign)),
            Err(Trouble::CrossSite)
        );
        let fetched = [
            ("cookie", cookie.as_str()),
            ("sec-fetch-site", "cross-site"),
            ("sec-fetch-mode", "no-cors"),
        ];
        assert_eq!(
            door.enter(&request("GET", &fetched)),
            Err(Trouble::CrossSite)
        );
        assert_eq!(
            door.enter(&request(
                "POST",
                &[("authorization", "Bearer a token for tests")]
            )),
            Ok(Entry::In)
        );
    }
}
