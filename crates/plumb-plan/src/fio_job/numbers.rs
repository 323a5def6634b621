//! How does fio write sizes, times, numbers and per-direction values? `4k` and `4kb` are 4096 bytes, but `4kib` is 4000 unless kb_base is 1000.

pub(super) mod arithmetic;

/// A size, or a percentage of the file or device.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Size {
    Bytes(u64),
    Percent(f64),
}

/// Factor of a suffix in bytes (__get_mult_bytes in parse.c). With kb_base=1024, fio's default, `k` and `kb` are 1024 and `kib` is 1000: the wrong way
/// round, kept for old job files (HOWTO, kb_base).
fn byte_factor(suffix: &str, kb_base: u64) -> Option<u64> {
    let (letter, exact) = match suffix.strip_suffix("ib") {
        Some(letter) if !letter.is_empty() => (letter, true),
        _ => (suffix.strip_suffix(['b', 'i']).unwrap_or(suffix), false),
    };
    let base: u64 = if exact {
        if kb_base == 1000 { 1024 } else { 1000 }
    } else {
        kb_base
    };
    let power = match letter {
        "" => 0,
        "k" => 1,
        "m" => 2,
        "g" => 3,
        "t" => 4,
        "p" => 5,
        _ => return None,
    };
    base.checked_pow(power)
}

/// A size in bytes or percent.
pub fn size(text: &str, kb_base: u64) -> Result<Size, String> {
    let lower = text.trim().to_ascii_lowercase();
    if let Some(share) = lower.strip_suffix('%') {
        let share = share
            .parse::<f64>()
            .ok()
            .filter(|share| (0.0..=100.0).contains(share));
        return share
            .map(Size::Percent)
            .ok_or_else(|| format!("'{text}' is not a percentage from 0 to 100"));
    }
    let number = scaled(&lower, &|suffix| byte_factor(suffix, kb_base));
    number.map(Size::Bytes).map_err(|hint| {
        format!("'{text}' is not a size; use an integer with an optional k, m, g, t or p{hint}")
    })
}

/// An integer without a unit, decimal or 0x.
pub fn integer(text: &str) -> Result<u64, String> {
    let number = scaled(&text.trim().to_ascii_lowercase(), &|suffix| {
        byte_factor(suffix, 1024)
    });
    number.map_err(|hint| format!("'{text}' is not an integer{hint}"))
}

/// A number of any kind.
pub fn real(text: &str) -> Result<f64, String> {
    let number = text
        .trim()
        .parse::<f64>()
        .ok()
        .filter(|number| number.is_finite());
    number.ok_or_else(|| format!("'{text}' is not a number"))
}

/// A duration in nanoseconds; a bare number counts units of `bare_ns`.
pub fn span_ns(text: &str, bare_ns: u64) -> Result<u64, String> {
    let factor = |suffix: &str| {
        Some(match suffix {
            "" => bare_ns,
            "d" => 86_400_000_000_000,
            "h" => 3_600_000_000_000,
            "m" => 60_000_000_000,
            "s" => 1_000_000_000,
            "ms" | "msec" => 1_000_000,
            "us" | "usec" => 1000,
            "ns" | "nsec" => 1,
            _ => return None,
        })
    };
    let lower = text.trim().to_ascii_lowercase();
    let number = match compound(&lower, &factor) {
        Some(sum) => Ok(sum),
        None => scaled(&lower, &factor),
    };
    number.map_err(|hint| {
        format!(
            "'{text}' is not a time; use an integer with an optional d, h, m, s, ms or us{hint}"
        )
    })
}

/// `1m30s`: several numbers, each with its unit. `None`: it is not of this form.
fn compound(lower: &str, factor: &dyn Fn(&str) -> Option<u64>) -> Option<u64> {
    let (mut sum, mut parts, mut rest) = (0u64, 0, lower);
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit())?;
        let (number, after) = rest.split_at(digits);
        let unit = after
            .find(|c: char| c.is_ascii_digit())
            .unwrap_or(after.len());
        let part = number
            .parse::<u64>()
            .ok()?
            .checked_mul(factor(&after[..unit])?)?;
        (sum, parts, rest) = (sum.checked_add(part)?, parts + 1, &after[unit..]);
    }
    (parts > 1 && sum <= i64::MAX as u64).then_some(sum)
}

/// An integer with a suffix, or an expression; the error is a hint for the message.
fn scaled(lower: &str, factor: &dyn Fn(&str) -> Option<u64>) -> Result<u64, &'static str> {
    const TOO_LARGE: &str = "; it is too large";
    // fio evaluates only parentheses, and reads `2*4k` as 2.
    if lower.starts_with('(') || lower.contains(['*', '/', '+']) {
        let unit = |suffix: &str| factor(suffix).map(|factor| factor as f64);
        // A unit within the expression replaces that of bare numbers.
        let bare = if lower.contains(|c: char| c.is_ascii_alphabetic()) {
            1
        } else {
            factor("").unwrap_or(1)
        };
        let value = arithmetic::value(lower, &unit).map(|value| value * bare as f64);
        return value
            .filter(|value| (0.0..9e18).contains(value))
            .map(|value| value as u64)
            .ok_or("");
    }
    if let Some(digits) = lower.strip_prefix("0x") {
        return u64::from_str_radix(digits, 16)
            .map_err(|_| "; fio ignores the characters after a hexadecimal number");
    }
    let end = lower
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(lower.len());
    if lower[end..].starts_with('.') {
        return Err("; fio does not support fractions (it reads 1.5k as 1)");
    }
    let suffix = factor(lower[end..].trim()).ok_or("")?;
    if end == 0 {
        return Err("");
    }
    lower[..end]
        .parse::<u64>()
        .ok()
        .and_then(|number| number.checked_mul(suffix))
        .filter(|value| *value <= i64::MAX as u64)
        .ok_or(TOO_LARGE)
}

/// Values for reads, writes and trims: `a` is for all, `a,b` for reads and for the others, `a,b,` leaves trims at the default (HOWTO, blocksize).
pub fn by_direction(text: &str) -> [Option<&str>; 3] {
    of_parts(&text.splitn(3, ',').collect::<Vec<_>>())
}

/// The same of options that are numbers, where `:` or `-` divides what has no comma behind it: `4k-128k` is 4k for reads and 128k for the others, and of
/// `4k-8k,16k` nothing is 8k (seen with bs and rate_iops of fio 3.33).
pub fn numbers_by_direction(text: &str) -> [Option<&str>; 3] {
    const MARKS: [char; 3] = [',', ':', '-'];
    let (mut parts, mut rest) = (Vec::new(), text);
    loop {
        parts.push(rest.split(MARKS).next().unwrap_or_default());
        match MARKS.iter().find_map(|mark| rest.find(*mark)) {
            Some(at) if parts.len() < 3 => rest = &rest[at + 1..],
            _ => return of_parts(&parts),
        }
    }
}

fn of_parts<'t>(parts: &[&'t str]) -> [Option<&'t str>; 3] {
    let all = match parts {
        [read, write, trim, ..] => [*read, *write, *trim],
        [read, others] => [*read, *others, *others],
        [all] => [*all; 3],
        [] => [""; 3],
    };
    all.map(|text| Some(text.trim()).filter(|text| !text.is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Seen with fio 3.33: ioengine=null, bs=1, io_bytes of the result.
    #[test]
    fn sizes_are_those_that_fio_moved() {
        for (text, kb_base, bytes) in [
            ("4k", 1024, 4096),
            ("4K", 1024, 4096),
            ("4kb", 1024, 4096),
            ("4Ki", 1024, 4096),
            ("1KiB", 1024, 1000),
            ("4kb", 1000, 4000),
            ("4kib", 1000, 4096),
            ("0x10", 1024, 16),
            ("(2+2)k", 1024, 4096),
            ("2*4k", 1024, 8192),
            ("1g*2/1024", 1024, 2 << 20),
            ("4k+4k", 1024, 8192),
            ("1p", 1024, 1 << 50),
        ] {
            assert_eq!(size(text, kb_base), Ok(Size::Bytes(bytes)), "{text}");
        }
        assert_eq!(size("50%", 1024), Ok(Size::Percent(50.0)));
        for text in [
            "", "k", "-4k", "1.5k", "0x10k", "4x", "9999999p", "101%", "ib", "4k*", "4k-8k",
        ] {
            assert!(size(text, 1024).is_err(), "{text}");
        }
    }

    #[test]
    fn times() {
        for (text, ns) in [
            ("10", 10_000_000_000),
            ("2m", 120_000_000_000),
            ("5ms", 5_000_000),
            ("7us", 7000),
            ("1d", 86_400_000_000_000),
            ("1m30s", 90_000_000_000),
            ("1h2m3s", 3_723_000_000_000),
            ("1s500ms", 1_500_000_000),
            ("2*30", 60_000_000_000),
            ("(1m+30s)", 90_000_000_000),
        ] {
            assert_eq!(span_ns(text, 1_000_000_000), Ok(ns), "{text}");
        }
        assert_eq!(span_ns("10", 1000), Ok(10_000));
        for text in ["soon", "99999999d", "1m30", "m30s", "1m30x"] {
            assert!(span_ns(text, 1).is_err(), "{text}");
        }
    }

    #[test]
    fn directions() {
        assert_eq!(by_direction("4k"), [Some("4k"); 3]);
        assert_eq!(by_direction("4k,8k"), [Some("4k"), Some("8k"), Some("8k")]);
        assert_eq!(by_direction("4k,8k,"), [Some("4k"), Some("8k"), None]);
        assert_eq!(by_direction(",8k"), [None, Some("8k"), Some("8k")]);
        assert_eq!(by_direction("4k,"), [Some("4k"), None, None]);
        assert_eq!(by_direction("1,2,3"), [Some("1"), Some("2"), Some("3")]);
        for (text, all) in [
            ("4k", ["4k"; 3]),
            ("4k-128k", ["4k", "128k", "128k"]),
            ("4k:8k-16k", ["4k", "8k", "16k"]),
            ("4k-8k,16k", ["4k", "16k", "16k"]),
            ("4k-8k,16k-32k", ["4k", "16k", "32k"]),
            ("4k-8k:16k", ["4k", "16k", "16k"]),
            ("4k,8k,16k-32k", ["4k", "8k", "16k"]),
        ] {
            assert_eq!(numbers_by_direction(text), all.map(Some), "{text}");
        }
    }
}
