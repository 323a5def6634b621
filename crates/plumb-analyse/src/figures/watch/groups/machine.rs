//! Which figures does the machine have? Cores, pressure, memory, and throttling by a control group.

use plumb_model::statement::Unit;

use crate::figures::watch::formula::Formula::{Level, Mean, Rate, Share, TimeShare, Unknown};
use crate::figures::watch::group::{BANDWIDTH, Column, Group, Kind, PER_SECOND, SIZE, column};

/// What a core does with its time: what runs first, then what does not.
const ALL: &[&str] = &[
    "cpu.user_ns",
    "cpu.system_ns",
    "cpu.irq_ns",
    "cpu.softirq_ns",
    "cpu.steal_ns",
    "cpu.iowait_ns",
    "cpu.idle_ns",
];

const fn percent(id: &'static str, label: &'static str) -> Column {
    column(id, label, Unit::Percent)
}

/// iowait is idle time: a core waits for no I/O, and with one that does other work it is 0 (man 5 proc_stat).
pub static CPU: Group = Group {
    id: "cpu",
    label: "label-watch-cores",
    columns: &[
        percent("busy_percent", "label-watch-busy"),
        percent("user_percent", "label-watch-user"),
        percent("system_percent", "label-watch-system"),
        percent("irq_percent", "label-watch-irq"),
        percent("softirq_percent", "label-watch-softirq"),
        percent("steal_percent", "label-watch-steal"),
        percent("iowait_percent", "label-watch-iowait"),
    ],
    kinds: &[Kind {
        id: "",
        label: "",
        formulas: &[
            Share {
                of: &[
                    "cpu.user_ns",
                    "cpu.system_ns",
                    "cpu.irq_ns",
                    "cpu.softirq_ns",
                    "cpu.steal_ns",
                ],
                all: ALL,
            },
            Share {
                of: &["cpu.user_ns"],
                all: ALL,
            },
            Share {
                of: &["cpu.system_ns"],
                all: ALL,
            },
            Share {
                of: &["cpu.irq_ns"],
                all: ALL,
            },
            Share {
                of: &["cpu.softirq_ns"],
                all: ALL,
            },
            Share {
                of: &["cpu.steal_ns"],
                all: ALL,
            },
            Share {
                of: &["cpu.iowait_ns"],
                all: ALL,
            },
        ],
    }],
    has_total: true,
};

pub static PRESSURE: Group = Group {
    id: "pressure",
    label: "label-watch-pressure",
    columns: &[
        percent("some_percent", "label-watch-some"),
        percent("full_percent", "label-watch-full"),
    ],
    kinds: &[
        Kind {
            id: "io",
            label: "label-watch-io",
            formulas: &[
                TimeShare("pressure.io_some_ns"),
                TimeShare("pressure.io_full_ns"),
            ],
        },
        Kind {
            id: "cpu",
            label: "label-watch-cpu",
            formulas: &[TimeShare("pressure.cpu_some_ns"), Unknown],
        },
        Kind {
            id: "memory",
            label: "label-watch-memory",
            formulas: &[
                TimeShare("pressure.memory_some_ns"),
                TimeShare("pressure.memory_full_ns"),
            ],
        },
    ],
    has_total: false,
};

pub static MEMORY: Group = Group {
    id: "memory",
    label: "label-watch-memory",
    columns: &[
        column("available_bytes", "label-watch-available", Unit::Bytes),
        column("cached_bytes", "label-watch-cached", Unit::Bytes),
        column("dirty_bytes", "label-watch-dirty", Unit::Bytes),
        column("writeback_bytes", "label-watch-writeback", Unit::Bytes),
        column(
            "swapped_in_bytes_per_second",
            "label-watch-swapped-in",
            Unit::BytesPerSecond,
        ),
        column(
            "swapped_out_bytes_per_second",
            "label-watch-swapped-out",
            Unit::BytesPerSecond,
        ),
    ],
    kinds: &[Kind {
        id: "",
        label: "",
        formulas: &[
            Level("memory.available_bytes"),
            Level("memory.cached_bytes"),
            Level("memory.dirty_bytes"),
            Level("memory.writeback_bytes"),
            Rate(&["swap.in_bytes"]),
            Rate(&["swap.out_bytes"]),
        ],
    }],
    has_total: false,
};

/// The group that holds plumb, and a command that it starts.
pub static CGROUP: Group = Group {
    id: "cgroup",
    label: "label-watch-cgroup",
    columns: &[
        PER_SECOND,
        BANDWIDTH,
        SIZE,
        percent("throttled_percent", "label-watch-throttled"),
    ],
    kinds: &[
        Kind {
            id: "read",
            label: "label-watch-read",
            formulas: &[
                Rate(&["cgroup.reads"]),
                Rate(&["cgroup.read_bytes"]),
                Mean {
                    of: &["cgroup.read_bytes"],
                    per: &["cgroup.reads"],
                },
                Unknown,
            ],
        },
        Kind {
            id: "write",
            label: "label-watch-write",
            formulas: &[
                Rate(&["cgroup.writes"]),
                Rate(&["cgroup.write_bytes"]),
                Mean {
                    of: &["cgroup.write_bytes"],
                    per: &["cgroup.writes"],
                },
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
                TimeShare("cgroup.cpu_throttled_ns"),
            ],
        },
    ],
    has_total: false,
};
