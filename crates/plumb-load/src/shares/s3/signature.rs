//! How is a request signed? AWS Signature Version 4 in the header Authorization ("Signature Calculations for the Authorization Header" of the S3 API reference).

use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

use crate::secret::Secret;

/// The hash of an empty body.
pub const EMPTY_HASH: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
/// In place of the hash of a body that TLS protects.
pub const UNSIGNED: &str = "UNSIGNED-PAYLOAD";

/// A key that signs requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Credentials {
    pub key_id: String,
    pub secret: Secret,
    /// Of a session that ends.
    pub token: Option<Secret>,
    /// Where they come from: environment, profile, container, instance.
    pub origin: &'static str,
    /// When they end, as their source writes it.
    pub expires: Option<String>,
}

/// What is signed of a request.
pub struct Signed<'a> {
    pub method: &'static str,
    /// Encoded.
    pub path: &'a str,
    /// Encoded and sorted.
    pub query: &'a str,
    /// Names in lower case, sorted.
    pub headers: &'a [(&'a str, &'a str)],
    /// Of the body, in hexadecimal, or [`UNSIGNED`].
    pub body_hash: &'a str,
    /// As in `x-amz-date`: `20130524T000000Z`.
    pub time: &'a str,
}

/// Signs requests; the key of a day is derived once.
pub struct Signer {
    credentials: Credentials,
    region: String,
    day: String,
    key: Zeroizing<[u8; 32]>,
}

impl Signer {
    pub fn new(credentials: Credentials, region: &str) -> Signer {
        Signer {
            credentials,
            region: region.to_string(),
            day: String::new(),
            key: Zeroizing::default(),
        }
    }

    /// The token that each request carries; `None` for a key that needs none.
    pub fn token(&self) -> Option<&str> {
        self.credentials.token.as_ref().map(|token| token.expose())
    }

    /// The value of the header Authorization.
    pub fn authorization(&mut self, signed: &Signed<'_>) -> String {
        let day = &signed.time[..8];
        if self.day != day {
            self.key = self.key_of(day);
            self.day = day.to_string();
        }
        let names = signed.headers.iter().map(|(name, _)| *name);
        let names = names.collect::<Vec<_>>().join(";");
        let scope = format!("{day}/{}/s3/aws4_request", self.region);
        let canonical = hex(&canonical(signed, &names));
        let text = format!("AWS4-HMAC-SHA256\n{}\n{scope}\n{canonical}", signed.time);
        let signature = hex(&*mac(&self.key[..], text.as_bytes()));
        format!(
            "AWS4-HMAC-SHA256 Credential={}/{scope},SignedHeaders={names},Signature={signature}",
            self.credentials.key_id
        )
    }

    fn key_of(&self, day: &str) -> Zeroizing<[u8; 32]> {
        let secret = self.credentials.secret.expose();
        let first = Zeroizing::new(format!("AWS4{secret}"));
        let key = mac(first.as_bytes(), day.as_bytes());
        let key = mac(&key[..], self.region.as_bytes());
        let key = mac(&key[..], b"s3");
        mac(&key[..], b"aws4_request")
    }
}

/// The hash of the request in its canonical form.
fn canonical(signed: &Signed<'_>, names: &str) -> [u8; 32] {
    let mut hash = Sha256::new();
    for part in [signed.method, "\n", signed.path, "\n", signed.query, "\n"] {
        hash.update(part);
    }
    for (name, value) in signed.headers {
        for part in [name, ":", value.trim(), "\n"] {
            hash.update(part);
        }
    }
    for part in ["\n", names, "\n", signed.body_hash] {
        hash.update(part);
    }
    hash.finalize().into()
}

/// HMAC-SHA-256 of RFC 2104: a key of any length.
fn mac(key: &[u8], text: &[u8]) -> Zeroizing<[u8; 32]> {
    let mut block = Zeroizing::new([0u8; 64]);
    if key.len() > block.len() {
        block[..32].copy_from_slice(&Sha256::digest(key));
    } else {
        block[..key.len()].copy_from_slice(key);
    }
    let mut mac = <Hmac<Sha256> as KeyInit>::new((&*block).into());
    mac.update(text);
    Zeroizing::new(mac.finalize().into_bytes().into())
}

/// The hash of a body, in hexadecimal.
pub fn body_hash(body: &[u8]) -> String {
    hex(&Sha256::digest(body))
}

/// Bytes in hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digits = bytes
        .iter()
        .flat_map(|byte| [byte >> 4, byte & 15])
        .map(|digit| char::from(DIGITS[usize::from(digit)]));
    digits.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIME: &str = "20130524T000000Z";

    /// The signature of a request of the bucket in the examples of the S3 API reference.
    fn signature(
        (method, path, query): (&'static str, &str, &str),
        headers: &[(&str, &str)],
        body_hash: &str,
    ) -> String {
        let credentials = Credentials {
            key_id: "AKIAIOSFODNN7EXAMPLE".into(),
            secret: Secret::new("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"),
            token: None,
            origin: "environment",
            expires: None,
        };
        let mut headers = headers.to_vec();
        headers.extend([
            ("host", "examplebucket.s3.amazonaws.com"),
            ("x-amz-content-sha256", body_hash),
            ("x-amz-date", TIME),
        ]);
        headers.sort_unstable();
        let signed = Signed {
            method,
            path,
            query,
            headers: &headers,
            body_hash,
            time: TIME,
        };
        let mut signer = Signer::new(credentials, "us-east-1");
        let text = signer.authorization(&signed);
        assert_eq!(signer.authorization(&signed), text, "with the key kept");
        assert!(text.starts_with(
            "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,SignedHeaders="
        ));
        text.rsplit('=').next().unwrap_or_default().to_string()
    }

    /// The four examples of "Signature Calculations for the Authorization Header: Transferring Payload in a Single Chunk".
    #[test]
    fn signatures_are_those_of_the_published_examples() {
        assert_eq!(
            signature(
                ("GET", "/test.txt", ""),
                &[("range", "bytes=0-9")],
                EMPTY_HASH
            ),
            "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"
        );
        let hash = body_hash(b"Welcome to Amazon S3.");
        assert_eq!(
            hash,
            "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072"
        );
        assert_eq!(
            signature(
                ("PUT", "/test%24file.text", ""),
                &[
                    ("date", "Fri, 24 May 2013 00:00:00 GMT"),
                    ("x-amz-storage-class", "REDUCED_REDUNDANCY")
                ],
                &hash
            ),
            "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"
        );
        assert_eq!(
            signature(("GET", "/", "lifecycle="), &[], EMPTY_HASH),
            "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"
        );
        assert_eq!(
            signature(("GET", "/", "max-keys=2&prefix=J"), &[], EMPTY_HASH),
            "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"
        );
        assert_eq!(body_hash(b""), EMPTY_HASH);
    }
}
