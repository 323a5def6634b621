//! Does a text contain a password? Addresses are often typed with one, `smb://user:password@host`; it must not be printed or stored.

use std::ops::Range;

/// Replacement for a password.
const MASK: &str = "***";
/// Schemes recognized with a single slash too, a typo.
const SCHEMES: [&str; 11] = [
    "smb", "cifs", "nfs", "tcp", "udp", "rdma", "iperf3", "rsync", "http", "https", "ftp",
];

/// The text with every password in an address masked: `smb://user:***@host`.
pub fn masked(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for place in places(text) {
        out.push_str(&text[from..place.start]);
        out.push_str(MASK);
        from = place.end;
    }
    out.push_str(&text[from..]);
    out
}

/// True if an address in the text contains a password.
pub fn is_in(text: &str) -> bool {
    !places(text).is_empty()
}

/// Positions of passwords.
fn places(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for (at, _) in text.match_indices('/') {
        if found.last().is_some_and(|last| at < last.end) || !begins_authority(text, at) {
            continue;
        }
        let start = at + text[at..].len() - text[at..].trim_start_matches('/').len();
        let rest = &text[start..];
        let rest = &rest[..rest
            .find(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`'))
            .unwrap_or(rest.len())];
        if let Some(place) = in_address(rest).filter(|place| rest[place.clone()] != *MASK) {
            found.push(start + place.start..start + place.end);
        }
    }
    found
}

/// True if the slashes here are followed by the host of an address: after a scheme, or two slashes at the start of a word.
fn begins_authority(text: &str, at: usize) -> bool {
    let before = &text[..at];
    if before.ends_with('/') {
        return false;
    }
    let is_double = text[at..].starts_with("//");
    match before.strip_suffix(':') {
        Some(before) => {
            let scheme = before
                .rsplit(|c: char| !c.is_ascii_alphanumeric() && !"+-.".contains(c))
                .next()
                .unwrap_or_default();
            is_double && !scheme.is_empty()
                || SCHEMES
                    .iter()
                    .any(|known| known.eq_ignore_ascii_case(scheme))
        }
        None => {
            is_double
                && before
                    .chars()
                    .next_back()
                    .is_none_or(|c| c.is_whitespace() || "=\"'`(".contains(c))
        }
    }
}

/// Position of the password in `user:password@host/path`.
fn in_address(rest: &str) -> Option<Range<usize>> {
    let authority = &rest[..rest.find('/').unwrap_or(rest.len())];
    if let Some(user) = authority.rfind('@') {
        let colon = authority[..user].find(':')?;
        return Some(colon + 1..user);
    }
    // A password with a slash: the part in place of the port is not a number, and an '@' follows.
    let colon = if authority.starts_with('[') {
        authority.find("]:")? + 1
    } else {
        authority.find(':')?
    };
    let is_port = authority[colon + 1..].chars().all(|c| c.is_ascii_digit());
    let user = rest.rfind('@').filter(|_| !is_port)?;
    Some(colon + 1..user)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_are_masked_wherever_they_stand() {
        for (text, expected) in [
            ("smb://user:secret@host/share", "smb://user:***@host/share"),
            (
                "target=smb://D;user:secret@host:445/s",
                "target=smb://D;user:***@host:445/s",
            ),
            (
                "say 'nfs://1:secret@h/x' and \"tcp://u:secret@h\" twice",
                "say 'nfs://1:***@h/x' and \"tcp://u:***@h\" twice",
            ),
            ("smb://user:sec@ret@host/x", "smb://user:***@host/x"),
            ("smb://user:sec/ret@host/x", "smb://user:***@host/x"),
            ("smb://user:12345@host/x", "smb://user:***@host/x"),
            ("smb:/user:secret@host/x", "smb:/user:***@host/x"),
            ("//user:secret@host/x", "//user:***@host/x"),
            ("CIFS://user:secret@", "CIFS://user:***@"),
            ("https://:secret@host", "https://:***@host"),
        ] {
            assert_eq!(masked(text), expected);
            assert!(is_in(text), "{text}");
            assert_eq!(masked(expected), expected, "once is enough");
        }
    }

    #[test]
    fn what_only_looks_like_one_stays() {
        for text in [
            "smb://user@host:445/share/a@b",
            "smb://host:445/a@b",
            "smb://[fd00::5]:445/a@b",
            "smb://[fd00::5]/a@b",
            "nas:/vol:snap@yesterday",
            "/data/vol:snap@yesterday",
            "/mnt//vol:snap@yesterday",
            "smb://host/share: cannot be reached by a@b",
            "tcp://h:7473",
            "12:30//a",
            "",
        ] {
            assert_eq!(masked(text), text);
        }
    }
}
