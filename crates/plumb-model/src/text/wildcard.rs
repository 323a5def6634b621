//! Does a name match a pattern? `*` matches any characters, including none; everything else is literal.

/// True if the entire name matches: `random-* depth=32`, `*`.
pub fn fits(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|start| name.strip_prefix(start)) else {
        return false;
    };
    let Some(end) = parts.next_back() else {
        return rest.is_empty();
    };
    for part in parts {
        // The first match is as good as any later one: the next part may be anywhere after it.
        let Some(at) = rest.find(part) else {
            return false;
        };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(end)
}

#[cfg(test)]
mod tests {
    use super::fits;

    #[test]
    fn stars_stand_for_anything() {
        for (pattern, name) in [
            ("*", ""),
            ("*", "anything"),
            ("random-read", "random-read"),
            ("random-*", "random-"),
            ("*depth=32", "random-read depth=32"),
            ("*read*=3*", "random-read depth=32"),
            ("a*b*b", "abb"),
            ("", ""),
            ("ä*ß", "äöüß"),
        ] {
            assert!(fits(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in [
            ("", "a"),
            ("a", ""),
            ("random", "random-read"),
            ("a*a", "a"),
            ("*b", "abc"),
            ("a*b*b", "ab"),
            ("*x*", "abc"),
        ] {
            assert!(!fits(pattern, name), "{pattern} {name}");
        }
    }
}
