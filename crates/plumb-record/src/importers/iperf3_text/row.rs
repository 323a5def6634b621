//! What does a row of iperf3's table state? An interval, or the summary of one end.

use crate::importer::number::finite;

/// One row.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Row {
    /// Of all connections together.
    pub is_sum: bool,
    /// Of a test in both directions: whether the end that printed it sends.
    pub sends: Option<bool>,
    /// Length of the interval.
    pub seconds: f64,
    pub bytes_per_s: f64,
    pub retransmits: Option<f64>,
    pub jitter_ns: Option<f64>,
    /// Lost datagrams, and all of them.
    pub packets: Option<(f64, f64)>,
    /// Of a summary: whether it is the sender's count or the receiver's.
    pub is_of_sender: Option<bool>,
    /// Of the first seconds (-O).
    pub is_omitted: bool,
}

/// `[  5][TX-C]   0.00-1.00   sec  1.70 GBytes  14.6 Gbits/sec    0             sender`
pub(super) fn row(line: &str) -> Option<Row> {
    let (id, rest) = line.strip_prefix('[')?.split_once(']')?;
    let (role, rest) = match rest.strip_prefix('[') {
        Some(role) => role
            .split_once(']')
            .map(|(role, rest)| (Some(role), rest))?,
        None => (None, rest),
    };
    let words: Vec<&str> = rest.split_whitespace().take(32).collect();
    let [times, "sec", _, _, rate, unit, further @ ..] = words.as_slice() else {
        return None;
    };
    let (from, to) = times.split_once('-')?;
    let seconds = finite(to)? - finite(from)?;
    let mut row = Row {
        is_sum: id.trim() == "SUM",
        sends: role.map(|role| role.starts_with("TX")),
        seconds: Some(seconds).filter(|seconds| *seconds >= 0.0)?,
        bytes_per_s: finite(rate)? * bytes_of(unit)?,
        is_omitted: further.last() == Some(&"(omitted)"),
        is_of_sender: match further.last() {
            Some(&"sender") => Some(true),
            Some(&"receiver") => Some(false),
            _ => None,
        },
        ..Row::default()
    };
    match further {
        [jitter, "ms", packets, ..] => {
            row.jitter_ns = finite(jitter).map(|ms| ms * 1e6);
            row.packets = packets
                .split_once('/')
                .and_then(|(lost, all)| Some((finite(lost)?, finite(all)?)));
        }
        [retransmits, ..] => row.retransmits = finite(retransmits),
        [] => {}
    }
    row.packets = row.packets.filter(|(lost, all)| lost <= all);
    Some(row)
}

/// Bytes per second of a unit: bits in powers of 1000, bytes in powers of 1024 (units.c).
fn bytes_of(unit: &str) -> Option<f64> {
    let unit = unit.strip_suffix("/sec")?;
    let (prefix, thousand, of_one) = match unit.strip_suffix("bits") {
        Some(prefix) => (prefix, 1000.0_f64, 1.0 / 8.0),
        None => (unit.strip_suffix("Bytes")?, 1024.0, 1.0),
    };
    let power = ["", "K", "M", "G", "T"]
        .iter()
        .position(|of| *of == prefix)?;
    Some(of_one * thousand.powi(power as i32))
}

/// A line without the time that iperf3 puts before it with --timestamps: `Sat Nov 28 04:36:44 2026 `.
pub(super) fn without_time(line: &str) -> &str {
    let stamp: Option<Vec<&str>> = line.get(..25).map(|stamp| stamp.split(' ').collect());
    let is_stamp = stamp.is_some_and(|words| {
        let words: Vec<_> = words.into_iter().filter(|word| !word.is_empty()).collect();
        words.len() == 5
            && ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"].contains(&words[0])
            && words[3].matches(':').count() == 2
            && words[4].parse::<u16>().is_ok()
    });
    line.get(25..).filter(|_| is_stamp).unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_all_kinds_are_read() {
        let udp = row(
            "[SUM][RX-C]   0.00-1.00   sec  4.81 MBytes  40.4 Mbits/sec  0.364 ms  3/154 (2%)  receiver",
        );
        let udp = udp.expect("a row");
        assert_eq!(
            (udp.is_sum, udp.sends, udp.packets, udp.is_of_sender),
            (true, Some(false), Some((3.0, 154.0)), Some(false))
        );
        assert_eq!((udp.bytes_per_s, udp.jitter_ns), (5.05e6, Some(364e3)));
        let tcp =
            row("[  5]   0.00-1.00   sec   875 MBytes  892661 KBytes/sec   16             sender");
        let tcp = tcp.expect("a row");
        assert_eq!(
            (tcp.bytes_per_s, tcp.retransmits),
            (892_661.0 * 1024.0, Some(16.0))
        );
        for line in [
            "[  4] Sent 68 datagrams",
            "[ ID] Interval           Transfer     Bitrate",
            "[  5]   1.00-0.00   sec   875 MBytes  892661 KBytes/sec",
            "[  5]   0.00-1.00   sec   875 MBytes  1 Furlongs/sec",
        ] {
            assert_eq!(row(line), None, "{line}");
        }
    }
}
