//! Which figures do the counters of Windows have, live and in recordings? They are already derived, and arranged like plumb's.

use plumb_model::statement::Unit;

use crate::figures::watch::formula::Formula::{
    self, Level, OfInterval, Rate, Unknown, WeightedMean,
};
use crate::figures::watch::group::{
    BANDWIDTH, Column, Group, Kind, NOW, OUTSTANDING, PER_SECOND, SIZE, TIME, column,
};

const CREDIT_STALLS: Column = column(
    "credit_stalls_per_second",
    "label-watch-credit-stalls",
    Unit::PerSecond,
);

/// Time without a request, of all of it.
const IDLE: Column = column("idle_percent", "label-watch-idle", Unit::Percent);

/// A mean of Windows over the requests of an interval.
const fn mean(of: &'static str, by: &'static str) -> Formula {
    let factor = 1.0;
    WeightedMean { of, by, factor }
}

/// The same in seconds, converted to nanoseconds.
const fn time(of: &'static str, by: &'static str) -> Formula {
    let factor = 1e9;
    WeightedMean { of, by, factor }
}

/// Windows' counter set "SMB Client Shares".
pub static SMB_CLIENT_SHARE: Group = Group {
    id: "smb_client_share",
    label: "label-watch-smb",
    columns: &[
        PER_SECOND,
        BANDWIDTH,
        SIZE,
        TIME,
        OUTSTANDING,
        NOW,
        CREDIT_STALLS,
    ],
    kinds: &[
        Kind {
            id: "read",
            label: "label-watch-read",
            formulas: &[
                OfInterval("smb_client_share.read_requests_per_second"),
                OfInterval("smb_client_share.read_bytes_per_second"),
                mean(
                    "smb_client_share.read_bytes",
                    "smb_client_share.read_requests_per_second",
                ),
                time(
                    "smb_client_share.read_seconds",
                    "smb_client_share.read_requests_per_second",
                ),
                OfInterval("smb_client_share.read_queue_length"),
                Unknown,
                Unknown,
            ],
        },
        Kind {
            id: "write",
            label: "label-watch-write",
            formulas: &[
                OfInterval("smb_client_share.write_requests_per_second"),
                OfInterval("smb_client_share.write_bytes_per_second"),
                mean(
                    "smb_client_share.write_bytes",
                    "smb_client_share.write_requests_per_second",
                ),
                time(
                    "smb_client_share.write_seconds",
                    "smb_client_share.write_requests_per_second",
                ),
                OfInterval("smb_client_share.write_queue_length"),
                Unknown,
                Unknown,
            ],
        },
        Kind {
            id: "all",
            label: "label-watch-all",
            formulas: &[
                OfInterval("smb_client_share.data_requests_per_second"),
                OfInterval("smb_client_share.data_bytes_per_second"),
                mean(
                    "smb_client_share.data_request_bytes",
                    "smb_client_share.data_requests_per_second",
                ),
                time(
                    "smb_client_share.data_request_seconds",
                    "smb_client_share.data_requests_per_second",
                ),
                OfInterval("smb_client_share.data_queue_length"),
                Level("smb_client_share.current_data_queue_length"),
                OfInterval("smb_client_share.credit_stalls_per_second"),
            ],
        },
        Kind {
            id: "metadata",
            label: "label-watch-metadata",
            formulas: &[
                OfInterval("smb_client_share.metadata_requests_per_second"),
                Unknown,
                Unknown,
                Unknown,
                Unknown,
                Unknown,
                Unknown,
            ],
        },
    ],
    has_total: false,
};

/// Windows' counter set "PhysicalDisk".
pub static PHYSICAL_DISK: Group = Group {
    id: "physical_disk",
    label: "label-watch-disks",
    columns: &[PER_SECOND, BANDWIDTH, SIZE, TIME, OUTSTANDING, NOW, IDLE],
    kinds: &[
        Kind {
            id: "read",
            label: "label-watch-read",
            formulas: &[
                OfInterval("physical_disk.reads_per_second"),
                OfInterval("physical_disk.read_bytes_per_second"),
                mean("physical_disk.read_bytes", "physical_disk.reads_per_second"),
                time(
                    "physical_disk.read_seconds",
                    "physical_disk.reads_per_second",
                ),
                OfInterval("physical_disk.read_queue_length"),
                Unknown,
                Unknown,
            ],
        },
        Kind {
            id: "write",
            label: "label-watch-write",
            formulas: &[
                OfInterval("physical_disk.writes_per_second"),
                OfInterval("physical_disk.write_bytes_per_second"),
                mean(
                    "physical_disk.write_bytes",
                    "physical_disk.writes_per_second",
                ),
                time(
                    "physical_disk.write_seconds",
                    "physical_disk.writes_per_second",
                ),
                OfInterval("physical_disk.write_queue_length"),
                Unknown,
                Unknown,
            ],
        },
        Kind {
            id: "all",
            label: "label-watch-all",
            formulas: &[
                OfInterval("physical_disk.transfers_per_second"),
                OfInterval("physical_disk.bytes_per_second"),
                mean(
                    "physical_disk.transfer_bytes",
                    "physical_disk.transfers_per_second",
                ),
                time(
                    "physical_disk.transfer_seconds",
                    "physical_disk.transfers_per_second",
                ),
                OfInterval("physical_disk.queue_length"),
                Level("physical_disk.current_queue_length"),
                OfInterval("physical_disk.idle_percent"),
            ],
        },
    ],
    has_total: false,
};

/// Windows' counter set "LogicalDisk".
pub static LOGICAL_DISK: Group = Group {
    id: "logical_disk",
    label: "label-watch-disks",
    columns: &[PER_SECOND, BANDWIDTH, SIZE, TIME, OUTSTANDING, NOW, IDLE],
    kinds: &[
        Kind {
            id: "read",
            label: "label-watch-read",
            formulas: &[
                OfInterval("logical_disk.reads_per_second"),
                OfInterval("logical_disk.read_bytes_per_second"),
                mean("logical_disk.read_bytes", "logical_disk.reads_per_second"),
                time("logical_disk.read_seconds", "logical_disk.reads_per_second"),
                OfInterval("logical_disk.read_queue_length"),
                Unknown,
                Unknown,
            ],
        },
        Kind {
            id: "write",
            label: "label-watch-write",
            formulas: &[
                OfInterval("logical_disk.writes_per_second"),
                OfInterval("logical_disk.write_bytes_per_second"),
                mean("logical_disk.write_bytes", "logical_disk.writes_per_second"),
                time(
                    "logical_disk.write_seconds",
                    "logical_disk.writes_per_second",
                ),
                OfInterval("logical_disk.write_queue_length"),
                Unknown,
                Unknown,
            ],
        },
        Kind {
            id: "all",
            label: "label-watch-all",
            formulas: &[
                OfInterval("logical_disk.transfers_per_second"),
                OfInterval("logical_disk.bytes_per_second"),
                mean(
                    "logical_disk.transfer_bytes",
                    "logical_disk.transfers_per_second",
                ),
                time(
                    "logical_disk.transfer_seconds",
                    "logical_disk.transfers_per_second",
                ),
                OfInterval("logical_disk.queue_length"),
                Level("logical_disk.current_queue_length"),
                OfInterval("logical_disk.idle_percent"),
            ],
        },
    ],
    has_total: false,
};

const fn percent(id: &'static str, label: &'static str) -> Column {
    column(id, label, Unit::Percent)
}

/// Windows' counter set "Processor Information"; one of the instances is all processors together. Performance is that of the base frequency, while a core is busy.
pub static PROCESSOR_INFORMATION: Group = Group {
    id: "processor_information",
    label: "label-watch-cores",
    columns: &[
        percent("busy_percent", "label-watch-busy"),
        percent("user_percent", "label-watch-user"),
        percent("system_percent", "label-watch-system"),
        percent("irq_percent", "label-watch-irq"),
        percent("dpc_percent", "label-watch-dpc"),
        percent("performance_percent", "label-watch-performance"),
    ],
    kinds: &[Kind {
        id: "",
        label: "",
        formulas: &[
            OfInterval(r"Processor Information\% Processor Time"),
            OfInterval(r"Processor Information\% User Time"),
            OfInterval(r"Processor Information\% Privileged Time"),
            OfInterval(r"Processor Information\% Interrupt Time"),
            OfInterval(r"Processor Information\% DPC Time"),
            mean(
                r"Processor Information\% Processor Performance",
                r"Processor Information\% Processor Time",
            ),
        ],
    }],
    has_total: false,
};

const ERRORS: Column = column("errors_per_second", "label-watch-errors", Unit::PerSecond);
const DROPS: Column = column("drops_per_second", "label-watch-drops", Unit::PerSecond);

/// Windows' counter set "Network Interface".
pub static NETWORK_INTERFACE: Group = Group {
    id: "network_interface",
    label: "label-watch-interfaces",
    columns: &[PER_SECOND, BANDWIDTH, ERRORS, DROPS],
    kinds: &[
        Kind {
            id: "receive",
            label: "label-watch-receive",
            formulas: &[
                OfInterval(r"Network Interface\Packets Received/sec"),
                OfInterval(r"Network Interface\Bytes Received/sec"),
                Rate(&[r"Network Interface\Packets Received Errors"]),
                Rate(&[r"Network Interface\Packets Received Discarded"]),
            ],
        },
        Kind {
            id: "transmit",
            label: "label-watch-transmit",
            formulas: &[
                OfInterval(r"Network Interface\Packets Sent/sec"),
                OfInterval(r"Network Interface\Bytes Sent/sec"),
                Rate(&[r"Network Interface\Packets Outbound Errors"]),
                Rate(&[r"Network Interface\Packets Outbound Discarded"]),
            ],
        },
    ],
    has_total: false,
};

/// Windows' counter set "RDMA Activity".
pub static RDMA_ACTIVITY: Group = Group {
    id: "rdma_activity",
    label: "label-watch-rdma",
    columns: &[PER_SECOND, BANDWIDTH],
    kinds: &[
        Kind {
            id: "receive",
            label: "label-watch-receive",
            formulas: &[
                OfInterval(r"RDMA Activity\RDMA Inbound Frames/sec"),
                OfInterval(r"RDMA Activity\RDMA Inbound Bytes/sec"),
            ],
        },
        Kind {
            id: "transmit",
            label: "label-watch-transmit",
            formulas: &[
                OfInterval(r"RDMA Activity\RDMA Outbound Frames/sec"),
                OfInterval(r"RDMA Activity\RDMA Outbound Bytes/sec"),
            ],
        },
    ],
    has_total: false,
};
