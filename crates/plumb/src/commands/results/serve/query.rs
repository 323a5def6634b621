//! What do the words after the question mark of an address say, and how are they written?

use jiff::Timestamp;
use plumb_show::live::web::Filters;

use crate::selection::{Selection, since, until};

/// Pairs that are taken; a form of ours has fewer.
const PAIRS_MAX: usize = 64;

/// Names and values (application/x-www-form-urlencoded). `None`: it is damaged, or there are too many.
pub fn pairs(text: &str) -> Option<Vec<(String, String)>> {
    let parts: Vec<&str> = text
        .split('&')
        .filter(|part| !part.is_empty())
        .take(PAIRS_MAX + 1)
        .collect();
    if parts.len() > PAIRS_MAX {
        return None;
    }
    let pair = |part: &&str| {
        let (name, value) = part.split_once('=').unwrap_or((part, ""));
        Some((decoded(name)?, decoded(value)?))
    };
    parts.iter().map(pair).collect()
}

fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'+' => b' ',
            b'%' => {
                let digit = |byte: Option<u8>| char::from(byte?).to_digit(16);
                (digit(rest.next())? * 16 + digit(rest.next())?) as u8
            }
            byte => byte,
        });
    }
    String::from_utf8(bytes).ok()
}

/// Pairs with a value as they stand in an address.
pub fn written<'a>(pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    let given = pairs.into_iter().filter(|(_, value)| !value.is_empty());
    let all: Vec<String> = given
        .map(|(name, value)| format!("{name}={}", encoded(value)))
        .collect();
    all.join("&")
}

fn encoded(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                out.push(char::from(byte))
            }
            byte => out += &format!("%{byte:02X}"),
        }
    }
    out
}

/// The first value of a name; empty when there is none.
pub fn value<'a>(pairs: &'a [(String, String)], name: &str) -> &'a str {
    pairs
        .iter()
        .find(|(known, _)| known == name)
        .map_or("", |(_, value)| value.trim())
}

/// The filters of a query.
pub fn filters(pairs: &[(String, String)]) -> Filters {
    let of = |name: &str| value(pairs, name).to_string();
    Filters {
        plan: of("plan"),
        target: of("target"),
        host: of("host"),
        tag: of("tag"),
        since: of("since"),
        until: of("until"),
    }
}

/// The filters as a query.
pub fn query_of(filters: &Filters) -> String {
    let Filters {
        plan,
        target,
        host,
        tag,
        since,
        until,
    } = filters;
    written([
        ("plan", plan.as_str()),
        ("target", target),
        ("host", host),
        ("tag", tag),
        ("since", since),
        ("until", until),
    ])
}

/// What they select, as `plumb list` does, and what of them is not understood.
pub fn selection(filters: &Filters) -> (Selection, Vec<String>) {
    let some = |text: &String| Some(text.clone()).filter(|text| !text.is_empty());
    let mut misunderstood = Vec::new();
    let mut when = |text: &String, read: fn(&str) -> Result<Timestamp, String>| match read(
        some(text)?.as_str(),
    ) {
        Ok(moment) => Some(moment),
        Err(why) => {
            misunderstood.push(why);
            None
        }
    };
    let selection = Selection {
        folders: Vec::new(),
        since: when(&filters.since, since),
        until: when(&filters.until, until),
        plan: some(&filters.plan),
        target: some(&filters.target),
        host: some(&filters.host),
        tags: filters.tag.split_whitespace().map(str::to_string).collect(),
    };
    (selection, misunderstood)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back() {
        let text = "a b+c&d=é/%";
        let query = written([("x", text), ("empty", "")]);
        assert_eq!(pairs(&query), Some(vec![("x".into(), text.into())]));
        assert_eq!(
            pairs("a=1&b"),
            Some(vec![("a".into(), "1".into()), ("b".into(), String::new())])
        );
        for damaged in ["a=%", "a=%4", "a=%zz", "a=%ff"] {
            assert_eq!(pairs(damaged), None, "{damaged}");
        }
        assert_eq!(pairs(&"a=1&".repeat(PAIRS_MAX + 1)), None);
    }
}
