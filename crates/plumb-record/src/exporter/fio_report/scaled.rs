//! How does fio write numbers in its normal output? With a number of significant figures, and a prefix of 1000s or 1024s.

const DECIMAL: [&str; 6] = ["", "k", "M", "G", "T", "P"];
const BINARY: [&str; 6] = ["", "Ki", "Mi", "Gi", "Ti", "Pi"];

/// Significant figures except for latencies (`significant_figures`).
pub const FIGURES: usize = 4;
/// Significant figures of minimum and maximum latencies.
const LATENCY_FIGURES: usize = 6;

/// A number with at most this many characters, including the decimal point.
fn scaled(number: u64, figures: usize, step: u64, prefixes: &[&str; 6]) -> String {
    let (mut number_part, mut rest, mut power) = (number, None, 0);
    while number_part.to_string().len() > figures && power + 1 < prefixes.len() {
        rest = Some(number_part % step);
        number_part /= step;
        power += 1;
    }
    let Some(rest) = rest else {
        return format!("{number_part}{}", prefixes[power]);
    };
    let parts = figures.saturating_sub(number_part.to_string().len() + 1);
    if parts == 0 {
        let up = u64::from(2 * rest >= step);
        return format!("{}{}", number_part + up, prefixes[power]);
    }
    let value = number_part as f64 + rest as f64 / step as f64;
    format!("{value:.parts$}{}", prefixes[power])
}

/// A bare number: 85.3k.
pub fn count(number: f64) -> String {
    scaled(number as u64, FIGURES, 1000, &DECIMAL)
}

/// Bytes in 1024s: 1024KiB.
pub fn binary(bytes: f64) -> String {
    scaled(bytes as u64, FIGURES, 1024, &BINARY) + "B"
}

/// Bytes in 1000s: 1049kB.
pub fn decimal(bytes: f64) -> String {
    scaled(bytes as u64, FIGURES, 1000, &DECIMAL) + "B"
}

/// Bytes per second with 1024s and with 1000s, or in bits: 139MiB/s, 1112Mibit/s.
pub fn bandwidths(bytes_per_s: f64, in_bits: bool) -> [String; 2] {
    if !in_bits {
        return [binary(bytes_per_s) + "/s", decimal(bytes_per_s) + "/s"];
    }
    let bits = bytes_per_s * 8.0;
    [binary(bits), decimal(bits)].map(|text| text.trim_end_matches('B').to_string() + "bit/s")
}

/// `min=1402, max=10875k, avg=93946.84, stdev=224519.06` with the unit that suits all of them: the line of a latency.
pub fn latency_line(name: &str, [min, max, mean, deviation]: [f64; 4]) -> String {
    let (unit, divisor) = if min > 2e6 && max > 99_999_999.0 && deviation > 1e6 {
        ("(msec)", 1e6)
    } else if min > 2e3 && max > 99_999.0 && deviation > 1e3 {
        ("(usec)", 1e3)
    } else {
        ("(nsec)", 1.0)
    };
    let end = |ns: f64| scaled((ns / divisor) as u64, LATENCY_FIGURES, 1000, &DECIMAL);
    format!(
        "    {name} {unit}: min={}, max={}, avg={:5.2}, stdev={:5.2}\n",
        end(min),
        end(max),
        mean / divisor,
        deviation / divisor
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As printed by fio 3.33.
    #[test]
    fn numbers_have_as_many_digits_as_in_fio() {
        for (number, expected) in [
            (6787.0, "6787"),
            (85_333.0, "85.3k"),
            (152_000.0, "152k"),
            (256_000.0, "256k"),
        ] {
            assert_eq!(count(number), expected);
        }
        for (bytes, binary_text, decimal_text) in [
            (1_048_576.0, "1024KiB", "1049kB"),
            (27_800_000.0, "26.5MiB", "27.8MB"),
            (349_525_333.0, "333MiB", "350MB"),
            (1_048_576_000.0, "1000MiB", "1049MB"),
            (1_194_000_000.0, "1139MiB", "1194MB"),
        ] {
            assert_eq!(
                (binary(bytes).as_str(), decimal(bytes).as_str()),
                (binary_text, decimal_text)
            );
        }
        assert_eq!(
            latency_line("slat", [1402.0, 10_875_000.0, 93_946.84, 224_519.06]),
            "    slat (nsec): min=1402, max=10875k, avg=93946.84, stdev=224519.06\n"
        );
        assert_eq!(
            latency_line("clat", [9_100.0, 14_275_900.0, 207_980.0, 423_080.0]),
            "    clat (usec): min=9, max=14275, avg=207.98, stdev=423.08\n"
        );
        assert!(
            latency_line(" lat", [411.0, 3_872_900.0, 16_935.89, 237_382.42])
                .contains("max=3872.9k")
        );
    }
}
