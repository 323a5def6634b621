//! What did each network interface do? Bytes, packets, errors and drops from /proc/net/dev.

use plumb_model::run::metric::{Metric, Reading};

use crate::machine::Machine;
use crate::source::{
    Area, Nothing, OneFile, Reader, Scope, Source, System, counter, push, report_missing, scaled,
};

/// Kernel: net/core/net-procfs.c (dev_seq_printf_stats); Documentation/networking/statistics.rst.
pub static SOURCE: Source = Source {
    name: "network",
    system: System::Linux,
    meaning: "bytes, packets, errors and drops of each network interface (/proc/net/dev)",
    areas: &[Area::Share, Area::Network],
    metrics: &METRICS,
    open,
};

static METRICS: [Metric; 8] = [
    counter("network.receive_bytes", "bytes", "bytes received"),
    counter(
        "network.receive_packets",
        "1",
        "packets received; with receive offload several segments on the wire are one",
    ),
    counter(
        "network.receive_errors",
        "1",
        "packets received with errors: wrong checksum, too long, ring full as the driver counts it",
    ),
    counter(
        "network.receive_drops",
        "1",
        "packets received and dropped because no buffer or no receiver was available",
    ),
    counter("network.transmit_bytes", "bytes", "bytes sent"),
    counter(
        "network.transmit_packets",
        "1",
        "packets sent; with segmentation offload several segments on the wire are one",
    ),
    counter(
        "network.transmit_errors",
        "1",
        "packets that could not be sent",
    ),
    counter(
        "network.transmit_drops",
        "1",
        "packets dropped before they were sent",
    ),
];

/// For each metric: which number after the colon.
const FIELDS: [usize; 8] = [0, 1, 2, 3, 8, 9, 10, 11];

fn open(machine: &Machine, scope: &Scope) -> Box<dyn Reader> {
    if scope.interfaces.as_ref().is_some_and(Vec::is_empty) {
        return Box::new(Nothing);
    }
    Box::new(OneFile {
        file: machine.file("proc/net/dev"),
        scope: scope.clone(),
        parse,
    })
}

fn parse(text: &str, scope: &Scope, out: &mut Vec<Reading>) {
    let first = out.len();
    for line in text.lines() {
        // Two lines of titles have no colon after the name of an interface.
        let Some((name, numbers)) = line.split_once(':') else {
            continue;
        };
        let name = name.trim();
        if name.is_empty() || !scope.wants_interface(name) {
            continue;
        }
        let numbers: Vec<&str> = numbers.split_ascii_whitespace().collect();
        for (metric, field) in METRICS.iter().zip(FIELDS) {
            push(out, metric, name, scaled(numbers.get(field).copied(), 1.0));
        }
    }
    report_missing(&METRICS, scope.interfaces.as_deref(), first, out);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{self, value};

    #[test]
    fn columns_are_those_of_the_kernel() {
        let out = fixture::read(&SOURCE, "proc-machine", &Scope::default());
        for (metric, expected) in [
            ("network.receive_bytes", 9e9),
            ("network.receive_packets", 2e6),
            ("network.receive_errors", 10.0),
            ("network.receive_drops", 5.0),
            ("network.transmit_bytes", 1.5e9),
            ("network.transmit_packets", 1e6),
            ("network.transmit_errors", 2.0),
            ("network.transmit_drops", 4.0),
        ] {
            assert_eq!(value(&out, metric, "eth0"), Some(expected), "{metric}");
        }
        assert_eq!(value(&out, "network.receive_bytes", "lo"), Some(12345.0));
    }

    #[test]
    fn only_wanted_interfaces_are_told_and_a_vanished_one_is_missing() {
        let scope = Scope {
            interfaces: Some(vec!["lo".into(), "gone0".into()]),
            ..Scope::default()
        };
        let out = fixture::read(&SOURCE, "proc-machine", &scope);
        assert_eq!(out.len(), 2 * METRICS.len());
        assert_eq!(value(&out, "network.receive_bytes", "gone0"), None);
        let nothing = Scope {
            interfaces: Some(Vec::new()),
            ..Scope::default()
        };
        assert_eq!(fixture::read(&SOURCE, "proc-machine", &nothing), Vec::new());
    }
}
