//! Which facts exist on every operating system?

pub(super) const OF_EVERY_SYSTEM: &[(&str, &str)] = &[
    ("host.name", "name of the machine"),
    ("host.system", "operating system and distribution"),
    ("host.kernel", "kernel release and version"),
    ("host.architecture", "instruction set"),
    ("host.virtualisation", "hypervisor or container, or none"),
    ("host.cloud", "cloud provider by the DMI tables"),
    (
        "host.load_1min",
        "mean number of runnable and waiting tasks over the last minute",
    ),
    ("cpu.model", "name of the processor"),
    ("cpu.sockets", "processor packages"),
    ("cpu.cores", "physical cores"),
    ("cpu.threads", "logical CPUs online"),
    ("cpu.allowed", "logical CPUs that this process may use"),
    ("cpu.governor", "frequency governor"),
    ("cpu.frequency_max_hz", "highest frequency"),
    ("cpu.turbo", "turbo frequencies allowed"),
    ("numa.nodes", "NUMA nodes"),
    ("memory.total_bytes", "RAM"),
    (
        "memory.available_bytes",
        "RAM that can be had without swapping",
    ),
    ("clock.source", "the kernel's clock source"),
    (
        "io_uring.disabled",
        "kernel.io_uring_disabled: 0 allowed, 1 restricted to a group, 2 forbidden",
    ),
    ("limit.locked_memory_bytes", "RLIMIT_MEMLOCK"),
    ("limit.open_files", "RLIMIT_NOFILE"),
    (
        "cgroup.cpu_quota_percent",
        "CPU quota in percent of one CPU",
    ),
    ("cgroup.memory_limit_bytes", "memory limit"),
    (
        "cgroup.io_limit",
        "I/O limits on the device that carries the target",
    ),
    ("target.given", "the target as the user named it"),
    ("target.path", "the target with symlinks resolved"),
    (
        "target.kind",
        "kind of target: directory, file, block-device, character-device, share, peer, missing, or null",
    ),
    ("target.symlink", "the given name goes through a symlink"),
    ("target.size_bytes", "size of the file or device"),
    (
        "target.unwritten_bytes",
        "part of the file that was never written: holes and unwritten extents",
    ),
    (
        "target.cached_bytes",
        "part of the file that is in the page cache",
    ),
    ("target.direct", "O_DIRECT works here"),
    ("target.direct_refusal", "why O_DIRECT does not work"),
    (
        "target.direct_alignment_bytes",
        "alignment of offset and length for O_DIRECT",
    ),
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
    (
        "device.name",
        "kernel name of the device that carries the target",
    ),
    ("device.number", "major:minor"),
    (
        "device.kind",
        "disk, partition, loop, md, dm, zram, nvme, or other",
    ),
    ("device.model", "model"),
    ("device.transport", "nvme, sata, sas, usb, virtio, or other"),
    ("device.size_bytes", "size"),
    ("device.rotational", "rotational (hard disk)"),
    ("device.scheduler", "I/O scheduler in force"),
    (
        "device.queue_requests",
        "nr_requests: requests that the block layer queues",
    ),
    ("device.hardware_queues", "hardware queues"),
    ("device.poll_queues", "queues that can be polled (IOPOLL)"),
    (
        "device.transfer_max_bytes",
        "largest request sent to the device (max_sectors_kb)",
    ),
    (
        "device.transfer_limit_bytes",
        "largest request the device accepts (max_hw_sectors_kb)",
    ),
    ("device.read_ahead_bytes", "read-ahead of the page cache"),
    ("device.write_cache", "write back or write through"),
    ("device.logical_block_bytes", "smallest addressable unit"),
    (
        "device.physical_block_bytes",
        "smallest unit written without read-modify-write",
    ),
    ("device.discard_max_bytes", "largest discard; 0 means none"),
    ("device.numa_node", "NUMA node of the device"),
    (
        "device.mounted_at",
        "where this device or a part of it is mounted or in use; no when it is free",
    ),
    ("device.has_partitions", "the device is partitioned"),
    (
        "device.backing",
        "backing file or device of a loop or mapped device",
    ),
    (
        "device.loop_direct",
        "the loop device bypasses the page cache of the file that it shows (loop/dio)",
    ),
    (
        "device.backing_memory",
        "the backing file of a loop device is in memory (tmpfs, ramfs)",
    ),
    ("device.disk", "the whole disk of a partition"),
    ("array.level", "RAID level"),
    ("array.members", "member devices"),
    ("array.chunk_bytes", "chunk size"),
    ("array.state", "clean, degraded, resyncing, ..."),
    (
        "network.host",
        "name or address of the server as the target gives it",
    ),
    (
        "network.addresses",
        "addresses that the name of the server resolves to",
    ),
    ("network.resolution_us", "time to resolve the name"),
    (
        "network.address",
        "address of the server that is connected to",
    ),
    (
        "network.same_machine",
        "client and server are one machine: nothing goes over a network",
    ),
    (
        "network.round_trip_us",
        "time of a TCP connect to the server, median of several",
    ),
    (
        "network.local_address",
        "local address of the route to the server",
    ),
    (
        "network.interface",
        "interface that the route to the server uses",
    ),
    (
        "network.interface_kind",
        "ethernet, infiniband, wireless, loopback, bond, bridge, vlan, veth, tunnel, or other",
    ),
    (
        "network.hardware_interface",
        "interface with hardware under a bond, bridge or vlan",
    ),
    (
        "network.lower_interfaces",
        "interfaces that a bond, bridge or vlan rests on",
    ),
    ("network.link", "state of the link"),
    ("network.speed_bits_per_s", "speed of the link"),
    ("network.duplex", "full or half"),
    ("network.mtu_bytes", "largest packet of the interface"),
    (
        "network.driver",
        "driver, with its firmware where that is told",
    ),
    ("network.numa_node", "NUMA node of the adapter"),
    ("network.receive_queues", "receive queues in use"),
    ("network.transmit_queues", "transmit queues in use"),
    (
        "network.queues_max",
        "receive queues that the adapter can have (ethtool -l)",
    ),
    (
        "network.rss_queues",
        "receive queues that the table of receive-side scaling spreads connections over (ethtool -x)",
    ),
    ("network.rps", "receive packet steering: off, or the CPUs"),
    (
        "network.interrupts",
        "interrupts of the adapter that have occurred",
    ),
    (
        "network.interrupt_cpus",
        "CPUs that handle them: at least one percent each since boot",
    ),
    (
        "network.interrupt_top_percent",
        "part of the busiest CPU in them",
    ),
    ("network.offloads", "offloads in force"),
    (
        "network.receive_ring",
        "descriptors of a receive ring, and the most there can be",
    ),
    (
        "network.transmit_ring",
        "descriptors of a transmit ring, and the most there can be",
    ),
    (
        "network.pause_frames",
        "flow control of the link (ethtool -a)",
    ),
    ("network.packets_since_boot", "packets in both directions"),
    (
        "network.errors_since_boot",
        "packets with errors, both directions",
    ),
    (
        "network.drops_since_boot",
        "packets dropped, both directions",
    ),
    (
        "network.carrier_changes",
        "link up and down changes since boot",
    ),
    (
        "network.tcp_congestion_control",
        "congestion control of TCP",
    ),
    (
        "network.tcp_receive_max_bytes",
        "largest receive buffer that TCP takes by itself (tcp_rmem)",
    ),
    (
        "network.tcp_send_max_bytes",
        "largest send buffer that TCP takes by itself (tcp_wmem)",
    ),
    (
        "network.socket_receive_max_bytes",
        "largest receive buffer that a program may ask for (rmem_max)",
    ),
    (
        "network.socket_send_max_bytes",
        "largest send buffer that a program may ask for (wmem_max)",
    ),
    (
        "network.tcp_window_scaling",
        "windows above 64 KiB (RFC 7323)",
    ),
    (
        "network.tcp_timestamps",
        "round trips measured by timestamps (RFC 7323)",
    ),
    (
        "network.tcp_mtu_probing",
        "path MTU found by probing: off, after a black hole, or always (RFC 4821)",
    ),
    ("rdma.devices", "RDMA adapters, or none"),
    (
        "rdma.capable",
        "the interface that the route uses can do RDMA",
    ),
    ("rdma.device", "RDMA device of that interface"),
    ("rdma.port", "port of the device"),
    ("rdma.interface", "network interface of the port"),
    ("rdma.state", "state of the port"),
    ("rdma.physical_state", "state of its physical link"),
    ("rdma.rate_bits_per_s", "signalling rate of the port"),
    ("rdma.link_layer", "InfiniBand or Ethernet (RoCE, iWARP)"),
    ("rdma.mtu_bytes", "active MTU of the port"),
    (
        "rdma.gids",
        "global identifiers of the port, with their types",
    ),
    (
        "rdma.lid",
        "local identifier in the subnet, InfiniBand only",
    ),
    ("rdma.firmware", "firmware of the device"),
    ("rdma.guid", "node GUID"),
    ("rdma.driver", "driver of the device"),
    ("rdma.software", "software RDMA, without a device"),
    ("rdma.peer_software", "software of the peer, as it reports"),
    (
        "rdma.peer_provider",
        "provider of libfabric that both ends use",
    ),
    (
        "rdma.peer_set_up_us",
        "time of exchanging addresses with the peer and connecting",
    ),
    (
        "rdma.peer_read_us",
        "one-sided read of 8 bytes from the peer, median of several",
    ),
    (
        "share.protocol",
        "protocol of the mount: cifs, nfs, or smb where the client is Windows'",
    ),
    ("share.server", "server of the mount"),
    ("share.dialect", "negotiated version of the protocol"),
    (
        "share.transport",
        "transport of the mount: tcp, udp or rdma",
    ),
    ("share.channels", "connections that carry the mount"),
    (
        "share.channels_asked",
        "connections that the mount asks for: max_channels of cifs, nconnect of nfs",
    ),
    (
        "share.server_interfaces",
        "interfaces that the server offers",
    ),
    (
        "share.server_rss",
        "the server offers an interface with receive-side scaling",
    ),
    (
        "share.server_rdma",
        "the server offers an interface with RDMA",
    ),
    (
        "share.server_fast_interfaces",
        "interfaces of the server as fast as its fastest",
    ),
    ("share.signed", "messages are signed"),
    ("share.encrypted", "messages are encrypted"),
    ("share.security", "authentication flavour (sec)"),
    (
        "share.named",
        "what the address names on the share: directory, file, or missing",
    ),
    (
        "share.free_bytes",
        "space that the server says is free for this user",
    ),
    (
        "share.total_bytes",
        "size of the file system behind the share",
    ),
    ("share.read_max_bytes", "largest read request (rsize)"),
    ("share.write_max_bytes", "largest write request (wsize)"),
    ("share.cache", "cache mode of the mount"),
    (
        "share.attribute_cache_s",
        "how long attributes are cached without asking the server",
    ),
    (
        "share.credits",
        "credits that the server has granted: requests of 64 KiB that may be in flight",
    ),
    ("share.age_s", "time since the share was mounted"),
    (
        "share.reconnects",
        "sessions re-established since the module was loaded",
    ),
    ("share.requests", "requests since the share was mounted"),
    (
        "share.retransmits",
        "requests retransmitted since the share was mounted",
    ),
    (
        "share.read_round_trip_us",
        "mean time from sending a read request to its answer, since the share was mounted",
    ),
    (
        "share.write_round_trip_us",
        "mean time from sending a write request to its answer, since the share was mounted",
    ),
    ("nfs.versions", "versions agreed to, of 4.2, 4.1, 4.0, 3"),
    ("nfs.dialect", "version that is measured"),
    ("nfs.server", "what the server says it is (NFS 4)"),
    ("nfs.exports", "exports that the server shows"),
    ("nfs.security", "security flavors of the export"),
    ("nfs.login", "who the server takes the user for, by each"),
    ("nfs.user", "number of the user"),
    ("nfs.source_port", "whether it is below 1024 (privileged)"),
    ("nfs.read_max_bytes", "largest read"),
    ("nfs.write_max_bytes", "largest write"),
    (
        "nfs.session_slots",
        "slots of a session (NFS 4.1 and later)",
    ),
    ("nfs.lease_s", "lease of a client (NFS 4)"),
    ("nfs.round_trip_us", "round trip, median of 20"),
    (
        "smb.address",
        "address of the server that the session goes to",
    ),
    ("smb.dialect", "negotiated version of SMB"),
    ("smb.server_guid", "identity of the server"),
    (
        "smb.authentication",
        "authentication of the login: NTLMv2, Kerberos, anonymous, as guest",
    ),
    (
        "smb.signing_demanded",
        "the server requires signed messages",
    ),
    (
        "smb.signing",
        "algorithm of signatures with this dialect, and whether messages carry them",
    ),
    (
        "smb.encryption_demanded",
        "the server requires encryption, for all or for this share",
    ),
    (
        "smb.encryption",
        "algorithm of encryption with this dialect and whether messages are encrypted, or none",
    ),
    (
        "smb.compression",
        "what the server can compress with, or none",
    ),
    ("smb.multichannel", "the server supports multichannel"),
    ("smb.leasing", "the server grants leases"),
    (
        "smb.dfs",
        "the server takes part in a distributed file system",
    ),
    (
        "smb.recycle_bin",
        "folder where the share keeps what is deleted on it, or none",
    ),
    (
        "smb.continuously_available",
        "the share survives the failure of a server (transparent failover)",
    ),
    (
        "smb.interfaces",
        "interfaces that the server offers for further connections: address, speed, RSS, RDMA",
    ),
    (
        "smb.interfaces_rss",
        "interfaces of these with receive-side scaling",
    ),
    ("smb.interfaces_rdma", "interfaces of these with RDMA"),
    (
        "smb.interface_speed_max_bits_per_s",
        "speed of the fastest of these",
    ),
    ("smb.read_max_bytes", "largest read"),
    ("smb.write_max_bytes", "largest write"),
    ("smb.transact_max_bytes", "largest query"),
    (
        "smb.credits",
        "requests of 64 KiB that the server allows in flight",
    ),
    ("smb.resolution_us", "time to resolve the name"),
    ("smb.tcp_connect_us", "time of the TCP connect"),
    (
        "smb.session_set_up_us",
        "time of negotiation, login and connection to the share",
    ),
    (
        "smb.round_trip_us",
        "time of an ECHO to the server and back, median of 20",
    ),
    (
        "smb.signing_ns_per_mib",
        "CPU time of this machine to sign or verify a MiB by that algorithm",
    ),
    (
        "smb.encryption_ns_per_mib",
        "CPU time of this machine to encrypt or decrypt a MiB by that algorithm",
    ),
    (
        "activity.window_s",
        "how long the machine was observed before the start",
    ),
    (
        "activity.device_operations_per_s",
        "operations of other processes on the device in that time",
    ),
    (
        "activity.device_bytes_per_s",
        "bytes of other processes on the device in that time",
    ),
    (
        "activity.cpu_busy_percent",
        "CPU use of the whole machine in that time, in percent of all CPUs",
    ),
    (
        "activity.io_pressure_percent",
        "share of that time in which some task waited for I/O (PSI)",
    ),
];
