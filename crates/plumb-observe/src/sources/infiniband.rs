//! What did each port of an RDMA adapter do? Bytes, packets, and congestion, from /sys/class/infiniband.

use plumb_model::run::metric::{Metric, Reading};

use crate::machine::{KernelFile, Look, Machine};
use crate::source::{Area, Nothing, Reader, Scope, Source, System, counter, push, scaled};
use crate::system::kernel_files::names;
use crate::system::paths::RDMA_ADAPTERS;

/// Kernel: Documentation/ABI/stable/sysfs-class-infiniband; hw_counters as drivers for RoCE name them (drivers/infiniband/hw/mlx5/counters.c). These bytes are
/// in no counter of a network interface: the adapter moves them by itself.
pub static SOURCE: Source = Source {
    name: "infiniband",
    system: System::Linux,
    meaning: "bytes, packets, errors, timeouts and congestion of each port of RDMA adapters (/sys/class/infiniband)",
    areas: &[Area::Share, Area::Network],
    metrics: &METRICS,
    open,
};

static METRICS: [Metric; 11] = [
    counter("rdma.receive_bytes", "bytes", "bytes received"),
    counter("rdma.receive_packets", "1", "packets received"),
    counter(
        "rdma.receive_errors",
        "1",
        "packets received with errors (port_rcv_errors)",
    ),
    counter("rdma.transmit_bytes", "bytes", "bytes sent"),
    counter("rdma.transmit_packets", "1", "packets sent"),
    counter(
        "rdma.transmit_drops",
        "1",
        "packets dropped before they were sent, because the port was down or congested (port_xmit_discards)",
    ),
    counter(
        "rdma.sequence_errors",
        "1",
        "NAKs for packets out of sequence, which cause retransmissions (packet_seq_err)",
    ),
    counter(
        "rdma.timeouts",
        "1",
        "requests that were not acknowledged in time (local_ack_timeout_err)",
    ),
    counter(
        "rdma.receiver_not_ready",
        "1",
        "NAKs because the receiver had no buffer posted (rnr_nak_retry_err)",
    ),
    counter(
        "rdma.congestion_marks",
        "1",
        "packets received that a switch had marked for congestion (np_ecn_marked_roce_packets)",
    ),
    counter(
        "rdma.congestion_notifications",
        "1",
        "congestion notifications that slowed the adapter down (rp_cnp_handled)",
    ),
];

/// File of each metric below a port, and what it counts in: data in words of 4 bytes.
const FILES: [(&str, f64); METRICS.len()] = [
    ("counters/port_rcv_data", 4.0),
    ("counters/port_rcv_packets", 1.0),
    ("counters/port_rcv_errors", 1.0),
    ("counters/port_xmit_data", 4.0),
    ("counters/port_xmit_packets", 1.0),
    ("counters/port_xmit_discards", 1.0),
    ("hw_counters/packet_seq_err", 1.0),
    ("hw_counters/local_ack_timeout_err", 1.0),
    ("hw_counters/rnr_nak_retry_err", 1.0),
    ("hw_counters/np_ecn_marked_roce_packets", 1.0),
    ("hw_counters/rp_cnp_handled", 1.0),
];

struct Rdma {
    machine: Machine,
    scope: Scope,
    look: Look,
    ports: Vec<Port>,
}

struct Port {
    /// Adapter and number: `mlx5_0/1`.
    name: String,
    files: Vec<KernelFile>,
}

fn open(machine: &Machine, scope: &Scope) -> Box<dyn Reader> {
    if scope.interfaces.as_ref().is_some_and(Vec::is_empty) {
        return Box::new(Nothing);
    }
    Box::new(Rdma {
        machine: machine.clone(),
        scope: scope.clone(),
        look: Look::default(),
        ports: Vec::new(),
    })
}

impl Reader for Rdma {
    fn read(&mut self, out: &mut Vec<Reading>) {
        if self.look.is_due() {
            self.find_ports();
        }
        if self.ports.is_empty() {
            METRICS
                .iter()
                .for_each(|metric| push(out, metric, "", None));
        }
        for port in &mut self.ports {
            for ((metric, (_, scale)), file) in METRICS.iter().zip(FILES).zip(&mut port.files) {
                push(out, metric, &port.name, scaled(file.text(), scale));
            }
        }
    }
}

impl Rdma {
    /// Looks for ports that were not there before. One that goes is kept: its values are missing then.
    fn find_ports(&mut self) {
        let root = self.machine.root();
        for adapter in names(root, RDMA_ADAPTERS) {
            let folder = format!("{RDMA_ADAPTERS}/{adapter}");
            let interfaces = names(root, &format!("{folder}/device/net"));
            let is_selected = self.scope.interfaces.is_none()
                || interfaces
                    .iter()
                    .any(|name| self.scope.wants_interface(name));
            if !is_selected {
                continue;
            }
            for number in names(root, &format!("{folder}/ports")) {
                let name = format!("{adapter}/{number}");
                if self.ports.iter().any(|port| port.name == name) {
                    continue;
                }
                let file = |(file, _): &(&str, f64)| {
                    self.machine
                        .file(&format!("{folder}/ports/{number}/{file}"))
                };
                let files = FILES.iter().map(file).collect();
                self.ports.push(Port { name, files });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{self, value};

    #[test]
    fn data_is_counted_in_words_and_a_counter_that_a_driver_has_not_is_missing() {
        let out = fixture::read(&SOURCE, "proc-machine", &Scope::default());
        for (metric, expected) in [
            ("rdma.receive_bytes", Some(4e9)),
            ("rdma.receive_packets", Some(1e6)),
            ("rdma.transmit_bytes", Some(8e6)),
            ("rdma.sequence_errors", Some(3.0)),
            ("rdma.congestion_notifications", Some(11.0)),
        ] {
            assert_eq!(value(&out, metric, "mlx5_0/1"), expected, "{metric}");
        }
        assert_eq!(value(&out, "rdma.receive_bytes", "rxe0/1"), Some(400.0));
        assert_eq!(value(&out, "rdma.timeouts", "rxe0/1"), None);
    }

    #[test]
    fn of_interfaces_that_are_named_only_their_adapter_is_told() {
        let scope = |name: &str| Scope {
            interfaces: Some(vec![name.into()]),
            ..Scope::default()
        };
        let out = fixture::read(&SOURCE, "proc-machine", &scope("enp1s0f0"));
        assert!(out.iter().all(|reading| reading.instance == "mlx5_0/1"));
        assert_eq!(out.len(), METRICS.len());
        let out = fixture::read(&SOURCE, "proc-machine", &scope("eth0"));
        assert!(out.iter().all(|reading| reading.value.is_none()), "{out:?}");
    }
}
