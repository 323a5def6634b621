//! Where in /proc and /sys does the kernel report what the facts of the environment ask for? Relative to the root, without a leading slash.

/// A folder for each memory node.
pub(crate) const NUMA_NODES: &str = "sys/devices/system/node";
pub(crate) const CLOCK_SOURCE: &str =
    "sys/devices/system/clocksource/clocksource0/current_clocksource";
pub(crate) const IO_URING_DISABLED: &str = "proc/sys/kernel/io_uring_disabled";
pub(crate) const HOST_NAME: &str = "proc/sys/kernel/hostname";
pub(crate) const KERNEL_RELEASE: &str = "proc/sys/kernel/osrelease";
pub(crate) const KERNEL_VERSION: &str = "proc/sys/kernel/version";
pub(crate) const LOAD: &str = "proc/loadavg";
pub(crate) const CPU_MODELS: &str = "proc/cpuinfo";
pub(crate) const MEMORY: &str = "proc/meminfo";
pub(crate) const INTERRUPTS: &str = "proc/interrupts";
/// Of this process.
pub(crate) const STATUS: &str = "proc/self/status";
pub(crate) const LIMITS: &str = "proc/self/limits";
pub(crate) const FIRST_PROCESS_ENVIRONMENT: &str = "proc/1/environ";
pub(crate) const DMI_TABLES: &str = "sys/class/dmi/id";
pub(crate) const DEVICE_TREE: &str = "proc/device-tree/compatible";
pub(crate) const DEVICE_TREE_HYPERVISOR: &str = "proc/device-tree/hypervisor/compatible";
/// A folder for each.
pub(crate) const RDMA_ADAPTERS: &str = "sys/class/infiniband";
pub(crate) const CIFS_CONNECTIONS: &str = "proc/fs/cifs/DebugData";
pub(crate) const CIFS_COUNTERS: &str = "proc/fs/cifs/Stats";
pub(crate) const NFS_COUNTERS: &str = "proc/self/mountstats";

/// A file of all CPUs or, `cpu0/...`, of one.
pub(crate) fn cpus(file: &str) -> String {
    format!("sys/devices/system/cpu/{file}")
}

/// A file of a network interface; its folder for the empty name.
pub(crate) fn interface_file(interface: &str, file: &str) -> String {
    format!("sys/class/net/{interface}/{file}")
}

/// A setting of TCP and IP (Documentation/networking/ip-sysctl.rst).
pub(crate) fn ipv4_setting(name: &str) -> String {
    format!("proc/sys/net/ipv4/{name}")
}

/// A setting of all sockets (Documentation/admin-guide/sysctl/net.rst).
pub(crate) fn socket_setting(name: &str) -> String {
    format!("proc/sys/net/core/{name}")
}

/// A file of an RDMA adapter (Documentation/ABI/stable/sysfs-class-infiniband).
pub(crate) fn rdma_adapter(adapter: &str, file: &str) -> String {
    format!("{RDMA_ADAPTERS}/{adapter}/{file}")
}

/// A file of a port of an RDMA adapter.
pub(crate) fn rdma_port(adapter: &str, port: &str, file: &str) -> String {
    rdma_adapter(adapter, &format!("ports/{port}/{file}"))
}
