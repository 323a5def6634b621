//! Which figures does a watched program have? Its requests, the part that reaches the storage, and its waits.

use plumb_model::statement::Unit;

use crate::figures::watch::formula::Formula::{Mean, Rate, TimeShare, Unknown};
use crate::figures::watch::group::{BANDWIDTH, Group, Kind, PER_SECOND, SIZE, column};

/// Shares of the time are of all threads together: more than 100 % where several run, or wait, at once.
pub static PROGRAM: Group = Group {
    id: "program",
    label: "label-watch-program",
    columns: &[
        PER_SECOND,
        BANDWIDTH,
        SIZE,
        column(
            "storage_bytes_per_second",
            "label-watch-from-storage",
            Unit::BytesPerSecond,
        ),
        column("time_percent", "label-watch-of-time", Unit::Percent),
    ],
    kinds: &[
        Kind {
            id: "read",
            label: "label-watch-read",
            formulas: &[
                Rate(&["program.read_calls"]),
                Rate(&["program.asked_read_bytes"]),
                Mean {
                    of: &["program.asked_read_bytes"],
                    per: &["program.read_calls"],
                },
                Rate(&["program.storage_read_bytes"]),
                Unknown,
            ],
        },
        Kind {
            id: "write",
            label: "label-watch-write",
            formulas: &[
                Rate(&["program.write_calls"]),
                Rate(&["program.asked_write_bytes"]),
                Mean {
                    of: &["program.asked_write_bytes"],
                    per: &["program.write_calls"],
                },
                Rate(&["program.storage_write_bytes"]),
                Unknown,
            ],
        },
        Kind {
            id: "cpu",
            label: "label-watch-cpu",
            formulas: &[
                Unknown,
                Unknown,
                Unknown,
                Unknown,
                TimeShare("program.cpu_ns"),
            ],
        },
        Kind {
            id: "core_wait",
            label: "label-watch-core-wait",
            formulas: &[
                Unknown,
                Unknown,
                Unknown,
                Unknown,
                TimeShare("program.core_wait_ns"),
            ],
        },
        Kind {
            id: "block_wait",
            label: "label-watch-block-wait",
            formulas: &[
                Rate(&["program.block_waits"]),
                Unknown,
                Unknown,
                Unknown,
                TimeShare("program.block_wait_ns"),
            ],
        },
        Kind {
            id: "major_fault",
            label: "label-watch-major-fault",
            formulas: &[
                Rate(&["program.major_faults"]),
                Unknown,
                Unknown,
                Unknown,
                Unknown,
            ],
        },
    ],
    has_total: false,
};
