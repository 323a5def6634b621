//! What does a line of NetPIPE state? Size, rate and time of a message, in np.out or on the terminal, of version 3 or 5.

use std::borrow::Cow;

use crate::importer::number::{finite, integer};

/// Bits of "Mbps" in version 3 (netpipe.c of 3.7.2); version 5 counts in powers of 1000.
const MEGABIT: f64 = 1_048_576.0;
/// Size, rate and time of a line agree within this share, or it is not a NetPIPE line: times are rounded to 10 ns.
const AGREE: f64 = 0.05;

/// How messages went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// There and back.
    PingPong,
    /// In both directions at once (-2, --bidir).
    BothWays,
    /// One way (-s, --stream): only the text before the rows states it.
    Stream,
}

/// One message size.
#[derive(Debug, PartialEq)]
pub(super) struct MessageSize {
    /// 3 or 5.
    pub version: u8,
    pub bytes: u64,
    /// The size is printed with few digits.
    pub is_size_rounded: bool,
    pub way: Way,
    /// Half of a round trip, or of both ways at once one message each way; in seconds.
    pub time_s: f64,
    /// Round trips of a trial; not stated in np.out.
    pub times: Option<u64>,
    /// Bits per second of the slowest and of the fastest trial; in np.out of version 5.
    pub trials_bits_per_s: Option<(f64, f64)>,
}

/// A line that states them, and in which they agree.
pub(super) fn row(line: &str) -> Option<MessageSize> {
    let line = without_colors(line);
    let words: Vec<&str> = line.split_ascii_whitespace().take(13).collect();
    match words.as_slice() {
        [
            number,
            bytes,
            "bytes",
            times,
            "times",
            "-->",
            rate,
            "Mbps",
            "in",
            time,
            "usec",
        ] if number.ends_with(':') => {
            let seconds = finite(time)? / 1e6;
            let expected = integer(bytes)? as f64 * 8.0 / MEGABIT / seconds;
            // Two decimals of a printed rate or time lose more.
            let rounding = 0.006 + 0.006e-6 / seconds * expected;
            let row = Printed::of(3, integer(bytes)?, seconds);
            row.agreeing(finite(rate)? * MEGABIT, rounding * MEGABIT, integer(times))
        }
        [bytes, rate, seconds] => {
            let row = Printed::of(3, integer(bytes)?, finite(seconds)?);
            row.agreeing(finite(rate)? * MEGABIT, 0.0, None)
        }
        [bytes, mean, least, most, microseconds] => {
            let row = Printed::of(5, integer(bytes)?, finite(microseconds)? / 1e6);
            // Rates have three decimals of Gb/s: those of small messages are next to nothing.
            let row = row.agreeing(finite(mean)? * 1e9, 0.6e6, None)?;
            let trials = (finite(least)? * 1e9, finite(most)? * 1e9);
            Some(MessageSize {
                trials_bits_per_s: Some(trials).filter(|(least, _)| *least > 0.0),
                ..row
            })
        }
        [
            number,
            size,
            unit,
            times,
            "times",
            "-->",
            rate,
            rate_unit,
            "in",
            time,
            time_unit,
            ..,
        ] if number.ends_with(':') => {
            let (of_size, digits) = match *unit {
                "B" => (1.0, 0),
                "KB" => (1e3, 0),
                "MB" => (1e6, 3),
                "GB" => (1e9, 6),
                _ => return None,
            };
            let seconds = finite(time)? * unit_of(time_unit, "secs")?;
            let row = Printed::of(5, (finite(size)? * of_size).round() as u64, seconds);
            let bits_per_s = finite(rate)? * unit_of(rate_unit, "bps")?;
            let row = row.agreeing(bits_per_s, 0.0, integer(times))?;
            Some(MessageSize {
                is_size_rounded: digits > 0,
                ..row
            })
        }
        _ => None,
    }
}

/// A line of a version, before its rate is looked at.
struct Printed {
    version: u8,
    bytes: u64,
    time_s: f64,
}

impl Printed {
    fn of(version: u8, bytes: u64, time_s: f64) -> Printed {
        Printed {
            version,
            bytes,
            time_s,
        }
    }

    /// The row, if the rate is that of its size and time, in one direction or in both; bits per second.
    fn agreeing(self, bits_per_s: f64, rounding: f64, times: Option<u64>) -> Option<MessageSize> {
        let is_possible = self.time_s > 0.0 && self.time_s < 1e6;
        let expected = self.bytes as f64 * 8.0 / self.time_s;
        let agrees = |expected: f64| (bits_per_s - expected).abs() <= AGREE * expected + rounding;
        let way = match (agrees(expected), agrees(2.0 * expected)) {
            (true, _) => Way::PingPong,
            (false, true) => Way::BothWays,
            (false, false) => return None,
        };
        (is_possible && self.bytes > 0 && self.bytes < 1 << 48).then_some(MessageSize {
            version: self.version,
            bytes: self.bytes,
            is_size_rounded: false,
            way,
            time_s: self.time_s,
            times,
            trials_bits_per_s: None,
        })
    }
}

/// `usecs`, `Mbps`: what one of it is, in units without a prefix.
fn unit_of(word: &str, unit: &str) -> Option<f64> {
    Some(match word.strip_suffix(unit)? {
        "" => 1.0,
        "n" => 1e-9,
        "u" => 1e-6,
        "m" => 1e-3,
        "K" => 1e3,
        "M" => 1e6,
        "G" => 1e9,
        "T" => 1e12,
        _ => return None,
    })
}

/// Version 5 prints in color: `ESC [ 36 m`.
fn without_colors(line: &str) -> Cow<'_, str> {
    if !line.contains('\u{1b}') {
        return line.into();
    }
    let mut parts = line.split('\u{1b}');
    let first = parts.next().unwrap_or_default().to_string();
    parts
        .fold(first, |text, part| {
            let end = part.find('m').map_or(0, |end| end + 1);
            text + &part[end..]
        })
        .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_both_versions_are_read_and_others_refused() {
        for (line, version, bytes, way, time_ns) in [
            ("      64 217.16   0.00000225", 3, 64, Way::PingPong, 2250.0),
            (
                "     192 353.042144   0.00000415",
                3,
                192,
                Way::PingPong,
                4150.0,
            ),
            ("     192 706.0   0.00000415", 3, 192, Way::BothWays, 4150.0),
            (
                "        6     0.001     0.001     0.001   53.92",
                5,
                6,
                Way::PingPong,
                53_920.0,
            ),
            (
                "\u{1b}[0m 21: \u{1b}[36m  1.536 KB\u{1b}[0m      5035 times -->  \u{1b}[35m614.246 Mbps\u{1b}[0m  in  \u{1b}[36m 20.005 usecs\u{1b}[0m\u{1b}[31m",
                5,
                1536,
                Way::PingPong,
                20_005.0,
            ),
        ] {
            let row = row(line).unwrap_or_else(|| panic!("not read: {line}"));
            assert_eq!(
                (row.version, row.bytes, row.way, (row.time_s * 1e9).round()),
                (version, bytes, way, time_ns),
                "{line}"
            );
        }
        for line in [
            "64 30.1 0.5",
            "     192 353.042144   0.00000600",
            "1 2 3 4 5",
            "0: 64 bytes 7 times --> 30 Mbps in 5.80 usec",
            "",
        ] {
            assert_eq!(row(line), None, "{line}");
        }
    }
}
