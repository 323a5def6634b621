//! What does TCP measure for each connection to or from a storage service? Round trips, bytes, retransmissions, and limits of the sender.

use plumb_model::run::metric::{Metric, Reading};

use crate::machine::{Look, Machine};
use crate::source::{
    Area, Nothing, Reader, Scope, Source, System, counter, gauge, push, report_missing,
};
use crate::system::netlink::Netlink;
use crate::system::tcp_connections::{TcpConnection, each_connection, open as open_netlink};

/// sock_diag(7), struct tcp_info of include/uapi/linux/tcp.h. Connections of the kernel's own clients and servers of SMB and NFS are among them.
pub static SOURCE: Source = Source {
    name: "connections",
    system: System::Linux,
    meaning: "round trips, bytes, retransmissions and limits of each TCP connection of SMB, NFS, iSCSI, NVMe/TCP and rsync (sock_diag)",
    areas: &[Area::Share, Area::Network, Area::SmbClient],
    metrics: &METRICS,
    open,
};

/// SMB over TCP and over NetBIOS, rsync, NFS, iSCSI, NVMe over TCP and its discovery (IANA's registry of service names and port numbers).
const PORTS: [u16; 7] = [445, 139, 873, 2049, 3260, 4420, 8009];
/// More than these are not reported: a server of thousands of clients has its own programs for that.
const CONNECTIONS_MAX: usize = 256;

static METRICS: [Metric; 11] = [
    gauge(
        "connection.round_trip_ns",
        "ns",
        "smoothed round-trip time (tcpi_rtt)",
    ),
    gauge(
        "connection.shortest_round_trip_ns",
        "ns",
        "shortest round-trip time of the last minutes: the path without queues (tcpi_min_rtt)",
    ),
    gauge(
        "connection.congestion_window",
        "1",
        "segments that may be in flight (tcpi_snd_cwnd)",
    ),
    gauge(
        "connection.unacknowledged",
        "1",
        "segments in flight (tcpi_unacked)",
    ),
    counter(
        "connection.sent_bytes",
        "bytes",
        "bytes sent and acknowledged (tcpi_bytes_acked)",
    ),
    counter(
        "connection.received_bytes",
        "bytes",
        "bytes received (tcpi_bytes_received)",
    ),
    counter(
        "connection.segments_sent",
        "1",
        "segments sent, including retransmissions (tcpi_segs_out)",
    ),
    counter(
        "connection.segments_retransmitted",
        "1",
        "segments retransmitted (tcpi_total_retrans)",
    ),
    counter(
        "connection.busy_ns",
        "ns",
        "time with data to send or unacknowledged (tcpi_busy_time)",
    ),
    counter(
        "connection.receive_window_limited_ns",
        "ns",
        "part of it limited by the receive window of the peer (tcpi_rwnd_limited)",
    ),
    counter(
        "connection.send_buffer_limited_ns",
        "ns",
        "part of it limited by the local send buffer (tcpi_sndbuf_limited)",
    ),
];

struct Connections {
    netlink: Option<Netlink>,
    look: Look,
    reported: Vec<TcpConnection>,
}

fn open(machine: &Machine, scope: &Scope) -> Box<dyn Reader> {
    let is_without_network = scope.interfaces.as_ref().is_some_and(Vec::is_empty);
    if is_without_network {
        return Box::new(Nothing);
    }
    Box::new(Connections {
        // The kernel applies to this machine, not to a fixture.
        netlink: machine.is_live().then(open_netlink).and_then(Result::ok),
        look: Look::default(),
        reported: Vec::new(),
    })
}

impl Reader for Connections {
    fn read(&mut self, out: &mut Vec<Reading>) {
        let first = out.len();
        self.ask();
        for connection in &self.reported {
            let name = format!("{} #{}", connection.peer, connection.local.port());
            for (metric, value) in METRICS.iter().zip(values(connection)) {
                push(out, metric, &name, value);
            }
        }
        report_missing(&METRICS, None, first, out);
    }
}

impl Connections {
    /// Where there is none, the kernel is queried at every eighth reading alone: most machines have none at all.
    fn ask(&mut self) {
        if self.reported.is_empty() && !self.look.is_due() {
            return;
        }
        self.reported.clear();
        let reported = &mut self.reported;
        let Some(netlink) = &mut self.netlink else {
            return;
        };
        let requested = each_connection(netlink, &PORTS, &mut |connection| {
            if reported.len() < CONNECTIONS_MAX {
                reported.push(connection);
            }
        });
        if requested.is_err() {
            reported.clear();
        }
    }
}

/// In the order of the metrics.
fn values(connection: &TcpConnection) -> [Option<f64>; METRICS.len()] {
    let info = &connection.info;
    let plain = |value: Option<u32>| value.map(f64::from);
    let us = |value: Option<u32>| value.map(|us| f64::from(us) * 1e3);
    let long_us = |value: Option<u64>| value.map(|us| us as f64 * 1e3);
    let bytes = |value: Option<u64>| value.map(|bytes| bytes as f64);
    [
        us(info.rtt_us).filter(|time| *time > 0.0),
        us(info.min_rtt_us).filter(|time| *time > 0.0),
        plain(info.congestion_window),
        plain(info.unacknowledged),
        bytes(info.acknowledged_bytes),
        bytes(info.received_bytes),
        plain(info.segments_sent),
        plain(info.segments_retransmitted),
        long_us(info.busy_us),
        long_us(info.receive_window_limited_us),
        long_us(info.send_buffer_limited_us),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::tcp_connections::TcpCounters;

    #[test]
    fn each_metric_has_its_own_counter_in_its_unit_and_what_is_missing_stays_so() {
        let connection = TcpConnection {
            local: "10.0.0.1:50000".parse().unwrap(),
            peer: "10.0.0.2:445".parse().unwrap(),
            info: TcpCounters {
                rtt_us: Some(150),
                min_rtt_us: Some(90),
                congestion_window: Some(10),
                unacknowledged: Some(3),
                acknowledged_bytes: Some(4096),
                received_bytes: Some(8192),
                segments_sent: Some(77),
                segments_retransmitted: Some(2),
                busy_us: Some(5),
                receive_window_limited_us: Some(4),
                send_buffer_limited_us: None,
            },
        };
        let reported: Vec<_> = METRICS
            .iter()
            .map(|metric| metric.id)
            .zip(values(&connection))
            .collect();
        let expected = [
            ("round_trip_ns", Some(150e3)),
            ("shortest_round_trip_ns", Some(90e3)),
            ("congestion_window", Some(10.0)),
            ("unacknowledged", Some(3.0)),
            ("sent_bytes", Some(4096.0)),
            ("received_bytes", Some(8192.0)),
            ("segments_sent", Some(77.0)),
            ("segments_retransmitted", Some(2.0)),
            ("busy_ns", Some(5e3)),
            ("receive_window_limited_ns", Some(4e3)),
            ("send_buffer_limited_ns", None),
        ];
        for ((id, value), (name, expected)) in reported.into_iter().zip(expected) {
            assert_eq!(
                (id, value),
                (format!("connection.{name}").as_str(), expected)
            );
        }
    }
}
