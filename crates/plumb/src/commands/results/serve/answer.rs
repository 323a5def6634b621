//! What does a browser ask, what is it answered, and what may the answer do in the browser?

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use plumb_show::report::SCRIPTS;
use plumb_words::Words;
use sha2::{Digest, Sha256};

/// What is asked, as plain values.
#[derive(Debug, Clone, Default)]
pub struct BrowserRequest {
    pub method: String,
    /// As it was sent: nothing is decoded, for no path of a page needs it.
    pub path: String,
    pub query: String,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl BrowserRequest {
    /// A header that was sent once. Missing too when it was sent twice: two readers might take one each.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut found = self.headers.iter().filter(|(known, _)| known == name);
        match (found.next(), found.next()) {
            (Some((_, value)), None) => Some(value),
            _ => None,
        }
    }

    /// True when the browser only reads.
    pub fn only_reads(&self) -> bool {
        matches!(self.method.as_str(), "GET" | "HEAD")
    }
}

/// What is answered.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    pub status: u16,
    pub kind: &'static str,
    pub headers: Vec<(&'static str, String)>,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn html(status: u16, html: String) -> Answer {
        Answer {
            status,
            kind: "text/html; charset=utf-8",
            headers: Vec::new(),
            body: html.into_bytes(),
        }
    }

    pub fn text(status: u16, text: String) -> Answer {
        Answer {
            kind: "text/plain; charset=utf-8",
            ..Answer::html(status, text)
        }
    }

    pub fn script(text: &str) -> Answer {
        Answer {
            kind: "text/javascript; charset=utf-8",
            ..Answer::html(200, text.into())
        }
    }

    /// Go there instead, and read.
    pub fn elsewhere(address: String) -> Answer {
        Answer {
            headers: vec![("location", address)],
            ..Answer::text(303, String::new())
        }
    }
}

/// Why something is not done.
#[derive(Debug, Clone, PartialEq)]
pub enum Trouble {
    Token,
    WrongHost,
    CrossSite,
    NotFound,
    NoRun,
    Method,
    Request,
    ReadOnly,
    NotAllowed,
    Busy,
    NothingRuns,
    TwoRuns,
    NoTrend,
    TooLarge,
    NoRegularFile,
    TooLong,
    Failed,
    /// A message of another part of the program.
    Said(String),
}

impl Trouble {
    pub fn status(&self) -> u16 {
        match self {
            Trouble::Token => 401,
            Trouble::WrongHost | Trouble::CrossSite | Trouble::ReadOnly | Trouble::NotAllowed => {
                403
            }
            Trouble::NotFound | Trouble::NoRun => 404,
            Trouble::Method => 405,
            Trouble::Busy | Trouble::NothingRuns => 409,
            Trouble::Request | Trouble::TwoRuns => 400,
            Trouble::TooLarge | Trouble::NoRegularFile | Trouble::NoTrend | Trouble::Said(_) => 422,
            Trouble::TooLong => 503,
            Trouble::Failed => 500,
        }
    }

    pub fn text(&self, words: Words) -> String {
        words.label(match self {
            Trouble::Said(text) => return text.clone(),
            Trouble::Token => "label-web-token",
            Trouble::WrongHost => "label-web-wrong-host",
            Trouble::CrossSite => "label-web-cross-site",
            Trouble::NotFound => "label-web-not-found",
            Trouble::NoRun => "label-web-none",
            Trouble::Method => "label-web-method",
            Trouble::Request => "label-web-request",
            Trouble::ReadOnly => "label-web-read-only",
            Trouble::NotAllowed => "label-web-not-allowed",
            Trouble::Busy => "label-web-busy",
            Trouble::NothingRuns => "label-web-nothing-runs",
            Trouble::TwoRuns => "label-web-two-runs",
            Trouble::NoTrend => "label-web-no-trend",
            Trouble::TooLarge => "label-web-too-large",
            Trouble::NoRegularFile => "label-web-no-regular-file",
            Trouble::TooLong => "label-web-too-long",
            Trouble::Failed => "label-web-failed",
        })
    }
}

/// What goes with every answer: no script but the server's and those of the report pages, by their hashes; nothing loaded from elsewhere; in no frame of
/// another page; no address of a page told to another site; nothing kept by the browser.
pub fn protection() -> Vec<(&'static str, String)> {
    let hashes: String = SCRIPTS
        .iter()
        .map(|script| format!(" 'sha256-{}'", BASE64.encode(Sha256::digest(script))))
        .collect();
    let policy = format!(
        "default-src 'none'; script-src 'self'{hashes}; style-src 'unsafe-inline'; img-src 'self' data: blob:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    );
    vec![
        ("content-security-policy", policy),
        ("x-content-type-options", "nosniff".into()),
        ("x-frame-options", "DENY".into()),
        ("referrer-policy", "no-referrer".into()),
        ("cross-origin-opener-policy", "same-origin".into()),
        ("cross-origin-resource-policy", "same-origin".into()),
        ("cache-control", "no-store".into()),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_that_is_sent_twice_is_none() {
        let request = |values: &[&str]| BrowserRequest {
            headers: values
                .iter()
                .map(|value| ("host".to_string(), value.to_string()))
                .collect(),
            ..BrowserRequest::default()
        };
        assert_eq!(request(&["a"]).header("host"), Some("a"));
        assert_eq!(request(&["a", "b"]).header("host"), None);
        assert_eq!(request(&[]).header("host"), None);
    }
}
