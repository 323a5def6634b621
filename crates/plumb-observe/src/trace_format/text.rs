//! How are numbers and times read from the text of a trace? Strictly: what is not wholly a number is none.

/// A number without sign.
pub fn number(text: &[u8]) -> Option<u64> {
    if text.is_empty() || text.len() > 20 {
        return None;
    }
    let mut value = 0u64;
    for byte in text {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        value = value.checked_mul(10)?.checked_add(digit.into())?;
    }
    Some(value)
}

/// Seconds with up to nine decimal places, in nanoseconds.
pub fn seconds_ns(text: &[u8]) -> Option<u64> {
    let (complete, part) = match text.iter().position(|byte| *byte == b'.') {
        Some(point) => (text.get(..point)?, text.get(point + 1..)?),
        None => (text, &b"0"[..]),
    };
    if part.len() > 9 {
        return None;
    }
    let scale = 10u64.pow(9 - part.len() as u32);
    let part_ns = number(part)? * scale;
    number(complete)?
        .checked_mul(1_000_000_000)?
        .checked_add(part_ns)
}

/// The next field up to a comma, and what follows it.
pub fn field<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let complete = *rest;
    if complete.is_empty() {
        return None;
    }
    match complete.iter().position(|byte| *byte == b',') {
        Some(end) => {
            *rest = complete.get(end + 1..)?;
            complete.get(..end)
        }
        None => {
            *rest = &[];
            Some(complete)
        }
    }
}

/// The next word between blanks.
pub fn word<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let text = rest.trim_ascii_start();
    if text.is_empty() {
        return None;
    }
    let end = text.iter().position(u8::is_ascii_whitespace);
    let end = end.unwrap_or(text.len());
    *rest = text.get(end..)?;
    text.get(..end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_strict_and_fields_are_taken_one_by_one() {
        assert_eq!(number(b"18446744073709551615"), Some(u64::MAX));
        for wrong in ["", "-1", "1.5", "18446744073709551616", "1x"] {
            assert_eq!(number(wrong.as_bytes()), None, "{wrong}");
        }
        assert_eq!(
            seconds_ns(b"1795492229.662178"),
            Some(1_795_492_229_662_178_000)
        );
        assert_eq!(seconds_ns(b"0.000000001"), Some(1));
        assert_eq!(seconds_ns(b"7"), Some(7_000_000_000));
        assert_eq!(seconds_ns(b"7."), None);
        let mut rest: &[u8] = b"a,,b";
        assert_eq!(field(&mut rest), Some(&b"a"[..]));
        assert_eq!(field(&mut rest), Some(&b""[..]));
        assert_eq!(field(&mut rest), Some(&b"b"[..]));
        assert_eq!(field(&mut rest), None);
        let mut rest: &[u8] = b"  8,0   3 x";
        assert_eq!(word(&mut rest), Some(&b"8,0"[..]));
        assert_eq!(word(&mut rest), Some(&b"3"[..]));
    }
}
