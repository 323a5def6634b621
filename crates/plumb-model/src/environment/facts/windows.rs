//! Which facts exist only on Windows?

pub(super) const OF_WINDOWS: &[(&str, &str)] = &[
    ("host.power_plan", "power plan in force"),
    (
        "host.filter_drivers",
        "filter drivers of file systems that are loaded: each sees every operation",
    ),
    (
        "host.realtime_scan",
        "Microsoft Defender scans files as they are used",
    ),
    (
        "network.adapters_rss",
        "adapters with receive-side scaling, and their receive queues",
    ),
    (
        "network.adapters_rdma",
        "adapters that can do RDMA, or none",
    ),
    ("mount.cluster_bytes", "allocation unit of the file system"),
    (
        "mount.integrity_streams",
        "data of the target is checksummed (ReFS)",
    ),
    (
        "counters.physical_disk",
        "Windows' counter set PhysicalDisk can be read",
    ),
    (
        "counters.logical_disk",
        "Windows' counter set LogicalDisk can be read",
    ),
    (
        "counters.smb_client_shares",
        "Windows' counter set SMB Client Shares can be read",
    ),
    (
        "counters.smb_direct_connection",
        "Windows' counter set SMB Direct Connection can be read",
    ),
    (
        "counters.rdma_activity",
        "Windows' counter set RDMA Activity can be read",
    ),
    (
        "counters.network_interface",
        "Windows' counter set Network Interface can be read",
    ),
    (
        "counters.processor_information",
        "Windows' counter set Processor Information can be read",
    ),
];
