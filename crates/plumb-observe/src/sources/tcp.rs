//! What did TCP do besides carrying data? Retransmissions, timeouts, zero windows of the machine, from /proc/net/snmp and netstat.

use plumb_model::run::metric::{Metric, Reading};

use crate::machine::{KernelFile, Machine};
use crate::source::{Area, Nothing, Reader, Scope, Source, System, counter, gauge, push, scaled};

/// RFC 4022 (the Tcp group), and Documentation/networking/snmp_counter.rst (TcpExt).
pub static SOURCE: Source = Source {
    name: "tcp",
    system: System::Linux,
    meaning: "segments, retransmissions, timeouts and zero windows of TCP, all connections of the machine together (/proc/net/snmp, /proc/net/netstat)",
    areas: &[Area::Share, Area::Network],
    metrics: &METRICS,
    open,
};

static METRICS: [Metric; 11] = [
    gauge(
        "tcp.connections",
        "1",
        "currently established connections (CurrEstab)",
    ),
    counter("tcp.segments_received", "1", "segments received (InSegs)"),
    counter(
        "tcp.segments_sent",
        "1",
        "segments sent, without retransmissions (OutSegs)",
    ),
    counter(
        "tcp.segments_retransmitted",
        "1",
        "segments retransmitted (RetransSegs)",
    ),
    counter(
        "tcp.receive_errors",
        "1",
        "segments received with errors (InErrs)",
    ),
    counter(
        "tcp.timeouts",
        "1",
        "retransmission timeouts, each costing at least 200 ms (TCPTimeouts)",
    ),
    counter(
        "tcp.loss_probes",
        "1",
        "probes for a lost end of a message (TCPLossProbes, RFC 8985)",
    ),
    counter(
        "tcp.out_of_order",
        "1",
        "segments received out of order (TCPOFOQueue)",
    ),
    counter(
        "tcp.receive_collapsed",
        "1",
        "segments merged because the receive buffer was full (TCPRcvCollapsed)",
    ),
    counter(
        "tcp.zero_windows",
        "1",
        "zero window advertisements, sent when a program does not read (TCPToZeroWindowAdv)",
    ),
    counter(
        "tcp.listen_overflows",
        "1",
        "connections refused because a program did not accept them (ListenOverflows)",
    ),
];

/// For each metric: file, group, and name in the line of names.
const FIELDS: [(&str, &str, &str); 11] = [
    (SNMP, "Tcp:", "CurrEstab"),
    (SNMP, "Tcp:", "InSegs"),
    (SNMP, "Tcp:", "OutSegs"),
    (SNMP, "Tcp:", "RetransSegs"),
    (SNMP, "Tcp:", "InErrs"),
    (NETSTAT, "TcpExt:", "TCPTimeouts"),
    (NETSTAT, "TcpExt:", "TCPLossProbes"),
    (NETSTAT, "TcpExt:", "TCPOFOQueue"),
    (NETSTAT, "TcpExt:", "TCPRcvCollapsed"),
    (NETSTAT, "TcpExt:", "TCPToZeroWindowAdv"),
    (NETSTAT, "TcpExt:", "ListenOverflows"),
];
const SNMP: &str = "proc/net/snmp";
const NETSTAT: &str = "proc/net/netstat";

struct Tcp {
    files: [(&'static str, KernelFile); 2],
}

fn open(machine: &Machine, scope: &Scope) -> Box<dyn Reader> {
    // A run that no network carries has no use for these.
    if scope.interfaces.as_ref().is_some_and(Vec::is_empty) {
        return Box::new(Nothing);
    }
    Box::new(Tcp {
        files: [SNMP, NETSTAT].map(|path| (path, machine.file(path))),
    })
}

impl Reader for Tcp {
    fn read(&mut self, out: &mut Vec<Reading>) {
        for (path, file) in &mut self.files {
            let text = file.text().unwrap_or_default();
            for (metric, (_, group, name)) in METRICS
                .iter()
                .zip(FIELDS)
                .filter(|(_, field)| field.0 == *path)
            {
                push(out, metric, "", scaled(number_of(text, group, name), 1.0));
            }
        }
    }
}

/// The number under `name`: a line of names is followed by one of numbers, both beginning with the group. A line of numbers that does not end,
/// or has fewer words than there are names, was cut short.
fn number_of<'a>(text: &'a str, group: &str, name: &str) -> Option<&'a str> {
    let mut lines = text
        .split_inclusive('\n')
        .filter_map(|line| line.strip_suffix('\n'))
        .filter(|line| line.starts_with(group));
    let (names, numbers) = (lines.next()?, lines.next()?);
    let at = names
        .split_ascii_whitespace()
        .position(|word| word == name)?;
    (names.split_ascii_whitespace().count() == numbers.split_ascii_whitespace().count())
        .then_some(())?;
    numbers.split_ascii_whitespace().nth(at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{self, value};

    #[test]
    fn numbers_are_found_under_their_names() {
        let out = fixture::read(&SOURCE, "proc-machine", &Scope::default());
        for (metric, expected) in [
            ("tcp.connections", 5.0),
            ("tcp.segments_received", 18807.0),
            ("tcp.segments_sent", 18801.0),
            ("tcp.segments_retransmitted", 17.0),
            ("tcp.receive_errors", 3.0),
            ("tcp.timeouts", 4.0),
            ("tcp.loss_probes", 6.0),
            ("tcp.out_of_order", 745.0),
            ("tcp.receive_collapsed", 1.0),
            ("tcp.zero_windows", 9.0),
            ("tcp.listen_overflows", 2.0),
        ] {
            assert_eq!(value(&out, metric, ""), Some(expected), "{metric}");
        }
    }

    #[test]
    fn a_run_without_a_network_has_none_of_it() {
        let nothing = Scope {
            interfaces: Some(Vec::new()),
            ..Scope::default()
        };
        assert_eq!(fixture::read(&SOURCE, "proc-machine", &nothing), Vec::new());
    }

    #[test]
    fn numbers_that_do_not_match_their_names_are_missing() {
        assert_eq!(number_of("Tcp: A B C\nTcp: 1 2\n", "Tcp:", "B"), None);
        assert_eq!(number_of("Tcp: A B\nTcp: 1 2", "Tcp:", "B"), None);
        assert_eq!(number_of("Tcp: A B\nTcp: 1 2\n", "Tcp:", "B"), Some("2"));
    }
}
