//! Which figures do disks and mounted shares have? Formulas of iostat (Documentation/admin-guide/iostats.rst) and of mountstats(8).

use plumb_model::statement::Unit;

use crate::figures::watch::formula::Formula::{
    Level, Mean, Outstanding, Rate, ShareOfCeiling, Unknown,
};
use crate::figures::watch::group::{
    BANDWIDTH, Column, Group, Kind, NOW, OF_CEILING, OUTSTANDING, PER_SECOND, SIZE, TIME, column,
    plain,
};

/// No share of busy time, but of what a measurement showed as the most: devices serve requests in parallel, and since Linux 5.0 the counter is sampled once a jiffy.
pub static DISK: Group = Group {
    id: "disk",
    label: "label-watch-disks",
    columns: &[
        PER_SECOND,
        BANDWIDTH,
        OF_CEILING,
        SIZE,
        TIME,
        OUTSTANDING,
        NOW,
    ],
    kinds: &[
        Kind {
            id: "read",
            label: "label-watch-read",
            formulas: &[
                Rate(&["disk.reads"]),
                Rate(&["disk.read_bytes"]),
                ShareOfCeiling(&[
                    ("disk.reads", "ceiling.disk_reads_per_second"),
                    ("disk.read_bytes", "ceiling.disk_read_bytes_per_second"),
                ]),
                Mean {
                    of: &["disk.read_bytes"],
                    per: &["disk.reads"],
                },
                Mean {
                    of: &["disk.read_time_ns"],
                    per: &["disk.reads"],
                },
                Outstanding(&["disk.read_time_ns"]),
                Unknown,
            ],
        },
        Kind {
            id: "write",
            label: "label-watch-write",
            formulas: &[
                Rate(&["disk.writes"]),
                Rate(&["disk.write_bytes"]),
                ShareOfCeiling(&[
                    ("disk.writes", "ceiling.disk_writes_per_second"),
                    ("disk.write_bytes", "ceiling.disk_write_bytes_per_second"),
                ]),
                Mean {
                    of: &["disk.write_bytes"],
                    per: &["disk.writes"],
                },
                Mean {
                    of: &["disk.write_time_ns"],
                    per: &["disk.writes"],
                },
                Outstanding(&["disk.write_time_ns"]),
                Unknown,
            ],
        },
        Kind {
            id: "discard",
            label: "label-watch-discard",
            formulas: &[
                Rate(&["disk.discards"]),
                Rate(&["disk.discard_bytes"]),
                Unknown,
                Mean {
                    of: &["disk.discard_bytes"],
                    per: &["disk.discards"],
                },
                Unknown,
                Unknown,
                Unknown,
            ],
        },
        Kind {
            id: "flush",
            label: "label-watch-flush",
            formulas: &[
                Rate(&["disk.flushes"]),
                Unknown,
                Unknown,
                Unknown,
                Mean {
                    of: &["disk.flush_time_ns"],
                    per: &["disk.flushes"],
                },
                Outstanding(&["disk.flush_time_ns"]),
                Unknown,
            ],
        },
        Kind {
            id: "all",
            label: "label-watch-all",
            formulas: &[
                Rate(&["disk.reads", "disk.writes"]),
                Rate(&["disk.read_bytes", "disk.write_bytes"]),
                Unknown,
                Mean {
                    of: &["disk.read_bytes", "disk.write_bytes"],
                    per: &["disk.reads", "disk.writes"],
                },
                Mean {
                    of: &["disk.read_time_ns", "disk.write_time_ns"],
                    per: &["disk.reads", "disk.writes"],
                },
                Outstanding(&["disk.read_time_ns", "disk.write_time_ns"]),
                Level("disk.in_flight"),
            ],
        },
    ],
    has_total: false,
};

const QUEUE: Column = column("queue_ns", "label-watch-queue", Unit::Nanoseconds);
const ROUND_TRIP: Column = column("round_trip_ns", "label-watch-round-trip", Unit::Nanoseconds);
const RETRANSMITS: Column = column(
    "retransmits_per_second",
    "label-watch-retransmits",
    Unit::PerSecond,
);
const TIMEOUTS: Column = column(
    "timeouts_per_second",
    "label-watch-timeouts",
    Unit::PerSecond,
);

/// Time is from making a request to its end; it has waited to be sent (queue) and for its answer (round trip) within.
pub static NFS: Group = Group {
    id: "nfs_mount",
    label: "label-watch-nfs",
    columns: &[
        PER_SECOND,
        BANDWIDTH,
        OF_CEILING,
        SIZE,
        QUEUE,
        ROUND_TRIP,
        TIME,
        OUTSTANDING,
        RETRANSMITS,
        TIMEOUTS,
    ],
    kinds: &[
        Kind {
            id: "read",
            label: "label-watch-read",
            formulas: &[
                Rate(&["nfs.reads"]),
                Rate(&["nfs.read_bytes"]),
                ShareOfCeiling(&[
                    ("nfs.reads", "ceiling.nfs_reads_per_second"),
                    ("nfs.read_bytes", "ceiling.nfs_read_bytes_per_second"),
                ]),
                Mean {
                    of: &["nfs.read_bytes"],
                    per: &["nfs.reads"],
                },
                Mean {
                    of: &["nfs.read_queue_ns"],
                    per: &["nfs.reads"],
                },
                Mean {
                    of: &["nfs.read_round_trip_ns"],
                    per: &["nfs.reads"],
                },
                Mean {
                    of: &["nfs.read_execute_ns"],
                    per: &["nfs.reads"],
                },
                Outstanding(&["nfs.read_execute_ns"]),
                Unknown,
                Unknown,
            ],
        },
        Kind {
            id: "write",
            label: "label-watch-write",
            formulas: &[
                Rate(&["nfs.writes"]),
                Rate(&["nfs.write_bytes"]),
                ShareOfCeiling(&[
                    ("nfs.writes", "ceiling.nfs_writes_per_second"),
                    ("nfs.write_bytes", "ceiling.nfs_write_bytes_per_second"),
                ]),
                Mean {
                    of: &["nfs.write_bytes"],
                    per: &["nfs.writes"],
                },
                Mean {
                    of: &["nfs.write_queue_ns"],
                    per: &["nfs.writes"],
                },
                Mean {
                    of: &["nfs.write_round_trip_ns"],
                    per: &["nfs.writes"],
                },
                Mean {
                    of: &["nfs.write_execute_ns"],
                    per: &["nfs.writes"],
                },
                Outstanding(&["nfs.write_execute_ns"]),
                Unknown,
                Unknown,
            ],
        },
        Kind {
            id: "all",
            label: "label-watch-all",
            formulas: &[
                Rate(&["nfs.requests"]),
                Unknown,
                Unknown,
                Unknown,
                Unknown,
                Unknown,
                Unknown,
                Unknown,
                Rate(&["nfs.retransmits"]),
                Rate(&["nfs.timeouts"]),
            ],
        },
    ],
    has_total: false,
};

const FAILED: Column = column("failed_per_second", "label-watch-failed", Unit::PerSecond);

/// /proc/fs/cifs/Stats counts requests and bytes, but no times.
pub static SMB: Group = Group {
    id: "smb_mount",
    label: "label-watch-smb",
    columns: &[PER_SECOND, BANDWIDTH, OF_CEILING, SIZE, FAILED],
    kinds: &[
        Kind {
            id: "read",
            label: "label-watch-read",
            formulas: &[
                Rate(&["cifs.reads"]),
                Rate(&["cifs.read_bytes"]),
                ShareOfCeiling(&[
                    ("cifs.reads", "ceiling.cifs_reads_per_second"),
                    ("cifs.read_bytes", "ceiling.cifs_read_bytes_per_second"),
                ]),
                Mean {
                    of: &["cifs.read_bytes"],
                    per: &["cifs.reads"],
                },
                Rate(&["cifs.reads_failed"]),
            ],
        },
        Kind {
            id: "write",
            label: "label-watch-write",
            formulas: &[
                Rate(&["cifs.writes"]),
                Rate(&["cifs.write_bytes"]),
                ShareOfCeiling(&[
                    ("cifs.writes", "ceiling.cifs_writes_per_second"),
                    ("cifs.write_bytes", "ceiling.cifs_write_bytes_per_second"),
                ]),
                Mean {
                    of: &["cifs.write_bytes"],
                    per: &["cifs.writes"],
                },
                Rate(&["cifs.writes_failed"]),
            ],
        },
        Kind {
            id: "open",
            label: "label-watch-open",
            formulas: &[Rate(&["cifs.creates"]), Unknown, Unknown, Unknown, Unknown],
        },
        Kind {
            id: "all",
            label: "label-watch-all",
            formulas: &[Rate(&["cifs.requests"]), Unknown, Unknown, Unknown, Unknown],
        },
    ],
    has_total: false,
};

/// Each connection of the kernel's client to a server; a session with several channels has several.
pub static SMB_SERVER: Group = Group {
    id: "smb_server",
    label: "label-watch-smb-server",
    columns: &[
        plain("outstanding", "label-watch-outstanding"),
        plain("sending", "label-watch-unsent"),
        plain("waiting_for_credits", "label-watch-credit-wait"),
        plain("credits", "label-watch-credits"),
    ],
    kinds: &[Kind {
        id: "",
        label: "",
        formulas: &[
            Level("smb_server.outstanding"),
            Level("smb_server.sending"),
            Level("smb_server.waiting"),
            Level("smb_server.credits"),
        ],
    }],
    has_total: false,
};

/// Utilization of each; space reserved for root counts as used.
pub static FILE_SYSTEM: Group = Group {
    id: "file_system",
    label: "label-watch-file-system",
    columns: &[
        column("available_bytes", "label-watch-available", Unit::Bytes),
        column("size_bytes", "label-watch-size", Unit::Bytes),
    ],
    kinds: &[Kind {
        id: "",
        label: "",
        formulas: &[
            Level("filesystem.available_bytes"),
            Level("filesystem.size_bytes"),
        ],
    }],
    has_total: false,
};
