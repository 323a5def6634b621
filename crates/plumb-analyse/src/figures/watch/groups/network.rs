//! Which figures does the network have? Packets and bytes of each interface, and TCP counters.

use plumb_model::statement::Unit;

use crate::figures::watch::formula::Formula::{Level, Mean, Rate, Share, TimeShare, Unknown};
use crate::figures::watch::group::{
    BANDWIDTH, Column, Group, Kind, PER_SECOND, SIZE, column, plain,
};

const ERRORS: Column = column("errors_per_second", "label-watch-errors", Unit::PerSecond);
const DROPS: Column = column("drops_per_second", "label-watch-drops", Unit::PerSecond);

pub static INTERFACE: Group = Group {
    id: "network",
    label: "label-watch-interfaces",
    columns: &[PER_SECOND, BANDWIDTH, SIZE, ERRORS, DROPS],
    kinds: &[
        Kind {
            id: "receive",
            label: "label-watch-receive",
            formulas: &[
                Rate(&["network.receive_packets"]),
                Rate(&["network.receive_bytes"]),
                Mean {
                    of: &["network.receive_bytes"],
                    per: &["network.receive_packets"],
                },
                Rate(&["network.receive_errors"]),
                Rate(&["network.receive_drops"]),
            ],
        },
        Kind {
            id: "transmit",
            label: "label-watch-transmit",
            formulas: &[
                Rate(&["network.transmit_packets"]),
                Rate(&["network.transmit_bytes"]),
                Mean {
                    of: &["network.transmit_bytes"],
                    per: &["network.transmit_packets"],
                },
                Rate(&["network.transmit_errors"]),
                Rate(&["network.transmit_drops"]),
            ],
        },
    ],
    has_total: false,
};

/// Traffic offloaded to the adapter is not in the counters of an interface.
pub static RDMA: Group = Group {
    id: "rdma_port",
    label: "label-watch-rdma",
    columns: &[
        PER_SECOND,
        BANDWIDTH,
        SIZE,
        ERRORS,
        DROPS,
        column(
            "timeouts_per_second",
            "label-watch-timeouts",
            Unit::PerSecond,
        ),
        column(
            "receiver_not_ready_per_second",
            "label-watch-not-ready",
            Unit::PerSecond,
        ),
        column(
            "congestion_per_second",
            "label-watch-congestion",
            Unit::PerSecond,
        ),
    ],
    kinds: &[
        Kind {
            id: "receive",
            label: "label-watch-receive",
            formulas: &[
                Rate(&["rdma.receive_packets"]),
                Rate(&["rdma.receive_bytes"]),
                Mean {
                    of: &["rdma.receive_bytes"],
                    per: &["rdma.receive_packets"],
                },
                Rate(&["rdma.receive_errors"]),
                Unknown,
                Unknown,
                Unknown,
                Rate(&["rdma.congestion_marks"]),
            ],
        },
        Kind {
            id: "transmit",
            label: "label-watch-transmit",
            formulas: &[
                Rate(&["rdma.transmit_packets"]),
                Rate(&["rdma.transmit_bytes"]),
                Mean {
                    of: &["rdma.transmit_bytes"],
                    per: &["rdma.transmit_packets"],
                },
                Rate(&["rdma.sequence_errors"]),
                Rate(&["rdma.transmit_drops"]),
                Rate(&["rdma.timeouts"]),
                Rate(&["rdma.receiver_not_ready"]),
                Rate(&["rdma.congestion_notifications"]),
            ],
        },
    ],
    has_total: false,
};

/// Segments of all connections of the machine together (RFC 4022): those that were sent again are not among those sent.
pub static TCP: Group = Group {
    id: "tcp_segments",
    label: "label-watch-tcp",
    columns: &[
        column("sent_per_second", "label-watch-sent", Unit::PerSecond),
        column(
            "received_per_second",
            "label-watch-received",
            Unit::PerSecond,
        ),
        column(
            "retransmits_per_second",
            "label-watch-retransmits",
            Unit::PerSecond,
        ),
        column(
            "retransmitted_percent",
            "label-watch-retransmitted",
            Unit::Percent,
        ),
        column(
            "timeouts_per_second",
            "label-watch-timeouts",
            Unit::PerSecond,
        ),
        column(
            "zero_windows_per_second",
            "label-watch-zero-windows",
            Unit::PerSecond,
        ),
        plain("connections", "label-watch-connections"),
    ],
    kinds: &[Kind {
        id: "",
        label: "",
        formulas: &[
            Rate(&["tcp.segments_sent"]),
            Rate(&["tcp.segments_received"]),
            Rate(&["tcp.segments_retransmitted"]),
            Share {
                of: &["tcp.segments_retransmitted"],
                all: &["tcp.segments_sent", "tcp.segments_retransmitted"],
            },
            Rate(&["tcp.timeouts"]),
            Rate(&["tcp.zero_windows"]),
            Level("tcp.connections"),
        ],
    }],
    has_total: false,
};

/// Each connection of a storage service. Means of the round trip are over time, of TCP's value at each sample.
pub static CONNECTION: Group = Group {
    id: "tcp_connection",
    label: "label-watch-connection",
    columns: &[
        column("round_trip_ns", "label-watch-round-trip", Unit::Nanoseconds),
        column(
            "shortest_round_trip_ns",
            "label-watch-shortest",
            Unit::Nanoseconds,
        ),
        column(
            "sent_bytes_per_second",
            "label-watch-sent",
            Unit::BytesPerSecond,
        ),
        column(
            "received_bytes_per_second",
            "label-watch-received",
            Unit::BytesPerSecond,
        ),
        column(
            "retransmitted_percent",
            "label-watch-retransmitted",
            Unit::Percent,
        ),
        column("sending_percent", "label-watch-sending", Unit::Percent),
        column(
            "receive_window_percent",
            "label-watch-receive-window",
            Unit::Percent,
        ),
    ],
    kinds: &[Kind {
        id: "",
        label: "",
        formulas: &[
            Level("connection.round_trip_ns"),
            Level("connection.shortest_round_trip_ns"),
            Rate(&["connection.sent_bytes"]),
            Rate(&["connection.received_bytes"]),
            Share {
                of: &["connection.segments_retransmitted"],
                all: &["connection.segments_sent"],
            },
            TimeShare("connection.busy_ns"),
            TimeShare("connection.receive_window_limited_ns"),
        ],
    }],
    has_total: false,
};
