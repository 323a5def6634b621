//! Which bytes are in the files that a pattern names (`buffer_pattern='FILE'`)?

/// The pattern with the content of each file that it names (`'FILE'`) in hexadecimal digits.
///
/// # Errors
/// A file cannot be read, or a quotation mark is missing.
pub fn with_files(
    text: &str,
    read: &dyn Fn(&str) -> Result<Vec<u8>, String>,
) -> Result<String, String> {
    let (mut filled, mut rest) = (String::new(), text);
    while let Some(at) = rest.find(['"', '\'']) {
        let (before, quoted) = rest.split_at(at);
        let (mark, quoted) = quoted.split_at(1);
        let (inside, after) = quoted
            .split_once(mark)
            .ok_or_else(|| format!("{mark} is missing at the end of '{text}'"))?;
        filled.push_str(before);
        if mark == "'" {
            let bytes = read(inside).map_err(|why| format!("{inside}: {why}"))?;
            filled.push_str("0x");
            filled.extend(bytes.iter().map(|byte| format!("{byte:02x}")));
        } else {
            filled.extend([mark, inside, mark]);
        }
        rest = after;
    }
    filled.push_str(rest);
    Ok(filled)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_in_patterns() {
        let read = |name: &str| match name {
            "a \"b" => Ok(vec![0, 0xab]),
            _ => Err("no such file".to_string()),
        };
        for (text, filled) in [
            ("'a \"b'", "0x00ab"),
            ("0x12'a \"b'-3", "0x120x00ab-3"),
            ("\"'a'\"", "\"'a'\""),
            ("0xff", "0xff"),
        ] {
            assert_eq!(with_files(text, &read).as_deref(), Ok(filled), "{text}");
        }
        for text in ["'", "\"a", "'a", "'c'"] {
            assert!(with_files(text, &read).is_err(), "{text}");
        }
    }
}
