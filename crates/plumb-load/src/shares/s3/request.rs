//! What is the head of a request? Its line, its headers and its signature.

use percent::encoded;

use super::settings::Settings;
use super::signature::{EMPTY_HASH, Signed, Signer, UNSIGNED, body_hash};

/// A request without its body.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    pub method: &'static str,
    /// The object; empty for the bucket.
    pub key: &'a str,
    /// Names and values, not encoded, sorted by name.
    pub query: &'a [(&'a str, &'a str)],
    /// First byte and last byte.
    pub range: Option<(u64, u64)>,
    /// The object of the same bucket whose content it gets.
    pub copy_of: Option<&'a str>,
    /// Refused where the object exists.
    pub is_new: bool,
    /// MD5 of the body in base64, where S3 requires it.
    pub content_md5: Option<&'a str>,
    /// Header and value of the checksum that the object is kept with.
    pub checksum: Option<(&'static str, &'a str)>,
    /// The reply is to have the object's checksum.
    pub wants_checksum: bool,
}

impl<'a> Request<'a> {
    /// A request for an object or the bucket.
    pub fn new(method: &'static str, key: &'a str) -> Request<'a> {
        Request {
            method,
            key,
            query: &[],
            range: None,
            copy_of: None,
            is_new: false,
            content_md5: None,
            checksum: None,
            wants_checksum: false,
        }
    }
}

/// Writes heads of requests to one bucket.
pub struct Heads {
    bucket: String,
    host: String,
    root: String,
    /// Bodies are not hashed: TLS protects them.
    is_https: bool,
    signer: Signer,
    /// The second of the last request, and how it is written.
    second: i64,
    time: String,
    path: String,
    query: String,
}

impl Heads {
    pub fn new(settings: &Settings) -> Heads {
        Heads {
            bucket: encoded(&settings.bucket, false),
            host: settings.host_header(),
            root: encoded(&settings.root(), true),
            is_https: settings.endpoint.is_https,
            signer: Signer::new(settings.credentials.clone(), &settings.region),
            second: i64::MIN,
            time: String::new(),
            path: String::new(),
            query: String::new(),
        }
    }

    /// True if the signature covers the body too.
    pub fn signs_bodies(&self) -> bool {
        !self.is_https
    }

    /// Writes the head of a request whose body, if it is to have one, is this.
    pub fn write(&mut self, request: &Request<'_>, body: Option<&[u8]>, out: &mut Vec<u8>) {
        self.keep_time();
        self.path.clear();
        self.path.push_str(&self.root);
        self.path.push('/');
        percent::append(&mut self.path, request.key, true);
        self.query.clear();
        for (name, value) in request.query {
            if !self.query.is_empty() {
                self.query.push('&');
            }
            percent::append(&mut self.query, name, false);
            self.query.push('=');
            percent::append(&mut self.query, value, false);
        }
        let hash = match body {
            None | Some([]) => EMPTY_HASH.to_string(),
            Some(_) if self.is_https => UNSIGNED.to_string(),
            Some(body) => body_hash(body),
        };
        let range = request
            .range
            .map(|(first, last)| format!("bytes={first}-{last}"));
        let source = request
            .copy_of
            .map(|key| format!("{}/{}", self.bucket, encoded(key, true)));
        let length = body.map(|body| body.len().to_string());
        let token = self.signer.token().map(str::to_string);
        let checksum = |header: &str| {
            let of_header = request.checksum.filter(|(name, _)| *name == header);
            of_header.map(|(_, value)| value)
        };
        let headers = [
            ("content-length", length.as_deref()),
            ("content-md5", request.content_md5),
            ("host", Some(self.host.as_str())),
            ("if-none-match", request.is_new.then_some("*")),
            ("range", range.as_deref()),
            ("x-amz-checksum-crc32c", checksum("x-amz-checksum-crc32c")),
            (
                "x-amz-checksum-mode",
                request.wants_checksum.then_some("ENABLED"),
            ),
            ("x-amz-checksum-sha256", checksum("x-amz-checksum-sha256")),
            ("x-amz-content-sha256", Some(hash.as_str())),
            ("x-amz-copy-source", source.as_deref()),
            ("x-amz-date", Some(self.time.as_str())),
            ("x-amz-security-token", token.as_deref()),
        ];
        let sent: Vec<(&str, &str)> = headers
            .into_iter()
            .filter_map(|(name, value)| Some((name, value?)))
            .collect();
        // Proxies may change what describes the transfer: it is not signed.
        let covered = sent.iter().filter(|(name, _)| *name != "content-length");
        let covered: Vec<(&str, &str)> = covered.copied().collect();
        let authorization = self.signer.authorization(&Signed {
            method: request.method,
            path: &self.path,
            query: &self.query,
            headers: &covered,
            body_hash: &hash,
            time: &self.time,
        });
        let mut push = |parts: &[&str]| {
            parts
                .iter()
                .for_each(|part| out.extend_from_slice(part.as_bytes()));
        };
        push(&[request.method, " ", &self.path]);
        if !self.query.is_empty() {
            push(&["?", &self.query]);
        }
        push(&[" HTTP/1.1\r\n"]);
        for (name, value) in &sent {
            push(&[name, ": ", value, "\r\n"]);
        }
        push(&["authorization: ", &authorization, "\r\n"]);
        push(&["user-agent: plumb\r\n\r\n"]);
    }

    /// The time of this request; written again once a second.
    fn keep_time(&mut self) {
        let now = jiff::Timestamp::now();
        if now.as_second() != self.second {
            self.second = now.as_second();
            self.time = now.strftime("%Y%m%dT%H%M%SZ").to_string();
        }
    }
}

/// Percent-encoding as signatures require it: all but letters, digits and four marks.
mod percent {
    /// Appends the encoded text; a slash stays where it divides a path.
    pub fn append(out: &mut String, text: &str, keeps_slash: bool) {
        const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
        for byte in text.bytes() {
            let is_plain = byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
            if is_plain || (keeps_slash && byte == b'/') {
                out.push(char::from(byte));
            } else {
                out.push('%');
                out.push(char::from(DIGITS[usize::from(byte >> 4)]));
                out.push(char::from(DIGITS[usize::from(byte & 15)]));
            }
        }
    }

    /// The encoded text.
    pub fn encoded(text: &str, keeps_slash: bool) -> String {
        let mut out = String::with_capacity(text.len());
        append(&mut out, text, keeps_slash);
        out
    }
}

#[cfg(test)]
mod tests {
    use super::super::endpoint::Endpoint;
    use super::super::signature::Credentials;
    use super::*;
    use crate::secret::Secret;

    fn written(is_https: bool, request: &Request<'_>, body: Option<&[u8]>) -> String {
        let mut heads = Heads::new(&Settings {
            bucket: "bucket".into(),
            endpoint: Endpoint {
                is_https,
                host: "store".into(),
                port: 9000,
                base: String::new(),
            },
            region: "r-1".into(),
            path_style: true,
            credentials: Credentials {
                key_id: "AKID".into(),
                secret: Secret::new("plumb-secret"),
                token: Some(Secret::new("plumb-token")),
                origin: "environment",
                expires: None,
            },
        });
        let mut out = Vec::new();
        heads.write(request, body, &mut out);
        String::from_utf8(out).expect("text")
    }

    #[test]
    fn names_are_encoded_and_bodies_signed_without_tls() {
        let request = Request {
            query: &[("list-type", "2"), ("prefix", "a b/é")],
            ..Request::new("GET", "x y/ü+%")
        };
        let text = written(false, &request, None);
        assert!(
            text.starts_with(
                "GET /bucket/x%20y/%C3%BC%2B%25?list-type=2&prefix=a%20b%2F%C3%A9 HTTP/1.1\r\nhost: store:9000\r\n"
            ),
            "{text}"
        );
        assert!(!text.contains("content-length") && text.ends_with("\r\n\r\n"));
        assert!(
            text.contains(
                "SignedHeaders=host;x-amz-content-sha256;x-amz-date;x-amz-security-token,"
            )
        );
        let put = Request {
            is_new: true,
            ..Request::new("PUT", "x")
        };
        let text = written(false, &put, Some(b"abc"));
        assert!(text.contains("content-length: 3\r\n") && text.contains("if-none-match: *\r\n"));
        assert!(text.contains(&format!("x-amz-content-sha256: {}\r\n", body_hash(b"abc"))));
        let text = written(true, &put, Some(b"abc"));
        assert!(text.contains("x-amz-content-sha256: UNSIGNED-PAYLOAD\r\n"));
        let copy = Request {
            copy_of: Some("x y/ü"),
            ..Request::new("PUT", "z")
        };
        let text = written(false, &copy, Some(b""));
        assert!(text.contains("x-amz-copy-source: bucket/x%20y/%C3%BC\r\n"));
        assert!(text.contains("content-length: 0\r\n"));
        assert!(text.contains("x-amz-content-sha256;x-amz-copy-source;x-amz-date;"));
        let get = Request {
            range: Some((0, 9)),
            ..Request::new("GET", "x")
        };
        assert!(written(true, &get, None).contains("range: bytes=0-9\r\n"));
    }
}
