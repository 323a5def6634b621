//! What is the ground that a run stood on? Facts of host, device, mount and versions, each known or unknown with a reason.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// One fact.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Fact {
    /// A text: `ext4`, `mq-deadline`.
    Text(String),
    /// A number in the unit that the id ends in: `memory.total_bytes`.
    Number(f64),
    /// Yes or no: `device.rotational`.
    Flag(bool),
    /// Could not be found out, and why.
    Unknown(String),
}

/// All facts by id. Ids are dotted, lower case, unit last. Groups: `host.`, `cpu.`, `memory.`, `mount.`, `file_system.`, `device.`
/// (the device that carries the target), `parent.` (the whole disk under a partition), `array.` (RAID level and members), `cgroup.`, `clock.`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(transparent)]
pub struct Environment {
    pub facts: BTreeMap<String, Fact>,
}

impl Environment {
    /// Sets one fact, replacing an earlier one.
    pub fn set(&mut self, id: impl Into<String>, fact: Fact) {
        self.facts.insert(id.into(), fact);
    }

    /// The text of a fact; `None` when it is missing, unknown or no text.
    pub fn text(&self, id: &str) -> Option<&str> {
        match self.facts.get(id) {
            Some(Fact::Text(text)) => Some(text),
            _ => None,
        }
    }

    /// The number of a fact, in the unit its id ends in; `None` when it is missing, unknown or no number.
    pub fn number(&self, id: &str) -> Option<f64> {
        match self.facts.get(id) {
            Some(Fact::Number(number)) => Some(*number),
            _ => None,
        }
    }

    /// The yes or no of a fact; `None` when it is missing, unknown or no flag.
    pub fn flag(&self, id: &str) -> Option<bool> {
        match self.facts.get(id) {
            Some(Fact::Flag(flag)) => Some(*flag),
            _ => None,
        }
    }
}

/// Every fact that the doctor may set: (id, meaning). `array.member.*` stands for one fact per member. The observer sets no other
/// (a test holds it), and rules read no other.
pub const FACTS: &[(&str, &str)] = &[
    ("host.name", "name of the machine"),
    ("host.system", "operating system and distribution"),
    ("host.kernel", "kernel release and version"),
    ("host.architecture", "instruction set"),
    ("host.virtualisation", "hypervisor or container, or none"),
    ("host.cloud", "cloud provider by the DMI tables"),
    ("host.load_1min", "mean number of runnable and waiting tasks over the last minute"),
    ("cpu.model", "name of the processor"),
    ("cpu.sockets", "processor packages"),
    ("cpu.cores", "physical cores"),
    ("cpu.threads", "logical CPUs online"),
    ("cpu.allowed", "logical CPUs that this process may use"),
    ("cpu.governor", "frequency governor"),
    ("cpu.frequency_max_hz", "highest frequency"),
    ("cpu.turbo", "turbo frequencies allowed"),
    ("numa.nodes", "memory nodes"),
    ("memory.total_bytes", "RAM"),
    ("memory.available_bytes", "RAM that can be had without swapping"),
    ("clock.source", "the kernel's clock source"),
    ("io_uring.disabled", "kernel.io_uring_disabled: 0 allowed, 1 restricted to a group, 2 forbidden"),
    ("limit.locked_memory_bytes", "RLIMIT_MEMLOCK"),
    ("limit.open_files", "RLIMIT_NOFILE"),
    ("cgroup.cpu_quota_percent", "CPU quota in percent of one CPU"),
    ("cgroup.memory_limit_bytes", "memory limit"),
    ("cgroup.io_limit", "I/O limits on the device that carries the target"),
    ("target.given", "the target as the user named it"),
    ("target.path", "the target with symlinks resolved"),
    ("target.kind", "kind of target: directory, file, block-device, character-device, share, peer, missing, or null"),
    ("target.symlink", "the given name goes through a symlink"),
    ("target.size_bytes", "size of the file or device"),
    ("target.unwritten_bytes", "part of the file that was never written: holes and unwritten extents"),
    ("target.cached_bytes", "part of the file that is in the page cache"),
    ("target.direct", "O_DIRECT works here"),
    ("target.direct_refusal", "why O_DIRECT does not work"),
    ("target.direct_alignment_bytes", "alignment of offset and length for O_DIRECT"),
    ("mount.point", "where the file system is mounted"),
    ("mount.source", "what is mounted"),
    ("mount.file_system", "type of the file system"),
    ("mount.options", "options in force"),
    ("mount.read_only", "mounted read-only"),
    ("mount.network", "a network file system"),
    ("mount.memory", "a file system in memory (tmpfs, ramfs)"),
    ("mount.compresses", "the file system compresses data"),
    ("mount.deduplicates", "the file system deduplicates data"),
    ("mount.free_bytes", "space free for this user"),
    ("mount.total_bytes", "size of the file system"),
    ("device.name", "kernel name of the device that carries the target"),
    ("device.number", "major:minor"),
    ("device.kind", "disk, partition, loop, md, dm, zram, nvme, or other"),
    ("device.model", "model"),
    ("device.transport", "nvme, sata, sas, usb, virtio, or other"),
    ("device.size_bytes", "size"),
    ("device.rotational", "turning disks"),
    ("device.scheduler", "I/O scheduler in force"),
    ("device.queue_requests", "nr_requests: requests that the block layer queues"),
    ("device.hardware_queues", "hardware queues"),
    ("device.poll_queues", "queues that can be polled (IOPOLL)"),
    ("device.transfer_max_bytes", "largest request sent to the device (max_sectors_kb)"),
    ("device.transfer_limit_bytes", "largest request the device takes (max_hw_sectors_kb)"),
    ("device.read_ahead_bytes", "read-ahead of the page cache"),
    ("device.write_cache", "write back or write through"),
    ("device.logical_block_bytes", "smallest addressable unit"),
    ("device.physical_block_bytes", "smallest unit written without read-modify-write"),
    ("device.discard_max_bytes", "largest discard; 0 means none"),
    ("device.numa_node", "memory node that the device hangs on"),
    ("device.mounted_at", "where this device or a part of it is mounted or in use; no when it is free"),
    ("device.has_partitions", "the device is partitioned"),
    ("device.backing", "what a loop or mapped device rests on"),
    ("device.disk", "the whole disk of a partition"),
    ("array.level", "RAID level"),
    ("array.members", "member devices"),
    ("array.chunk_bytes", "chunk size"),
    ("array.state", "clean, degraded, resyncing, ..."),
    ("activity.window_s", "how long the machine was watched before the start"),
    ("activity.device_operations_per_s", "operations of others on the device in that time"),
    ("activity.device_bytes_per_s", "bytes of others on the device in that time"),
    ("activity.cpu_busy_percent", "CPU use of the whole machine in that time, in percent of all CPUs"),
    ("activity.io_pressure_percent", "share of that time in which some task waited for I/O (PSI)"),
];
