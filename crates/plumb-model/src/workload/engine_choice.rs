//! How are operations carried out? The engine and its options.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::engines;
use crate::keys::traits::key;
use crate::text::word::{serde_as_text, words};
use crate::units::{Bytes, UnitError};

words! {
    /// Where requests to an object store name the bucket.
    Addressing, "addressing style" {
        /// As the first part of the host at AWS, as the first part of the path at other endpoints.
        Auto = "auto",
        /// As the first part of the path: `endpoint/bucket/key`.
        Path = "path",
        /// As the first part of the host: `bucket.endpoint/key`.
        Virtual = "virtual",
    }
}

words! {
    /// Checksum that an object store keeps with each object.
    ObjectChecksum, "checksum of objects" {
        /// None beside its ETag.
        None = "none",
        /// CRC-32C.
        Crc32c = "crc32c",
        /// SHA-256.
        Sha256 = "sha256",
    }
}

words! {
    /// How often the clock is read for latencies.
    Stamping, "stamping" {
        /// `each` for depths below 8, `batch` from there on.
        Auto = "auto",
        /// Once before and once after each batch: members of a batch share their times.
        Batch = "batch",
        /// Once for each operation at its submission and once at its completion.
        Each = "each",
    }
}

words! {
    /// Whether messages are signed or encrypted.
    Protection, "protection" {
        /// As the server demands.
        Auto = "auto",
        /// Always; a server that cannot do it is refused.
        Yes = "true",
        /// Never; a server that demands it is refused.
        No = "false",
    }
}

words! {
    /// Version of the SMB protocol.
    Dialect, "dialect" {
        /// The highest that the server offers.
        Auto = "auto",
        /// SMB 2.0.2, of Windows Vista and Server 2008 and of small servers: no request above 64 KiB.
        Smb202 = "2.0.2",
        /// SMB 2.1.
        Smb21 = "2.1",
        /// SMB 3.0.
        Smb30 = "3.0",
        /// SMB 3.0.2.
        Smb302 = "3.0.2",
        /// SMB 3.1.1.
        Smb311 = "3.1.1",
    }
}

words! {
    /// Version of the NFS protocol.
    NfsVersion, "NFS version" {
        /// The highest that the server speaks.
        Auto = "auto",
        /// NFS 4.2 (RFC 7862).
        V42 = "4.2",
        /// NFS 4.1 (RFC 8881).
        V41 = "4.1",
        /// NFS 4.0 (RFC 7530), which has no sessions.
        V40 = "4.0",
        /// NFS 3 (RFC 1813), with MOUNT.
        V3 = "3",
    }
}

words! {
    /// What a worker does until something comes over its socket.
    BusyPoll, "busy-poll" {
        /// It polls the socket for a moment, and then sleeps: up to 100 us where one answer is due and the CPUs are enough, not at all while several large reads are due, else up to 20 us.
        Auto = "auto",
        /// It polls the socket until something comes.
        Yes = "true",
        /// It sleeps at once until it is woken.
        No = "false",
    }
}

words! {
    /// How a user proves who they are to an NFS server (RFC 8881, 2.2.1).
    NfsSecurity, "NFS security" {
        /// What the export offers: sys where it does, else the first kind of Kerberos, by a ticket.
        Auto = "auto",
        /// By the number of the user (AUTH_SYS).
        Sys = "sys",
        /// By a Kerberos ticket; data is not protected.
        Krb5 = "krb5",
        /// The same, with a checksum over everything that is sent and received.
        Krb5i = "krb5i",
        /// The same, encrypted.
        Krb5p = "krb5p",
    }
}

impl NfsVersion {
    /// True for the versions whose client and server agree on a session, with its slots and sizes of messages.
    pub fn has_sessions(self) -> bool {
        matches!(self, NfsVersion::V42 | NfsVersion::V41)
    }
}

words! {
    /// How several workers reach one server.
    Channels, "channels" {
        /// As channels of one session where the server offers that, else each with a session of its own.
        Auto = "auto",
        /// As channels of one session (SMB multichannel); a server that does not offer it is refused.
        Multichannel = "multichannel",
        /// Each with a session of its own.
        Sessions = "sessions",
    }
}

words! {
    /// How the message of a ping-pong travels over RDMA.
    PingPongBy, "ping-pong-by" {
        /// As a message, for which the other side has a receive posted (perftest's ib_send_lat).
        Send = "send",
        /// By a one-sided write into memory that the other side polls (perftest's ib_write_lat).
        Write = "write",
    }
}

/// Most bytes of a buffer of the C library: more would only move the page cache into the process.
const GIGABYTE: f64 = (1u64 << 30) as f64;

/// How operations are carried out: the engine and its options.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct EngineChoice {
    /// I/O engine (io_uring, sync, stdio, mmap, null; smb, nfs, s3, tcp, udp, iperf3, rdma follow from the target), or auto for the best one available.
    #[schemars(extend("x-key" = key().flag("NAME").run_wide()))]
    pub engine: String,
    /// How often to read the clock: auto, batch, or each.
    #[schemars(extend("x-key" = key().run_wide()))]
    pub stamping: Stamping,
    /// Maximum operations per submission; 0: a sixteenth of the depth, so that the queue stays full, and up to 16 while all completions are there at once.
    pub batch: u32,
    /// Maximum completions reaped at once; 0: all available. With a number, the queue is filled before completions are reaped, as in fio.
    #[schemars(extend("x-key" = key().written_for_fio("iodepth_batch_complete_max")))]
    pub reap: u32,
    /// Measure submission latency (fio's slat) and completion latency (clat) separately: io_uring, libaio, aio and overlapped, with one system call per
    /// submission.
    pub submission_latency: bool,
    /// io_uring, io_uring_cmd: poll the device for completions (IORING_SETUP_IOPOLL). rdma: poll the completion queues of both ends, as perftest does.
    pub iopoll: bool,
    /// io_uring, io_uring_cmd: submit from a kernel thread (IORING_SETUP_SQPOLL).
    pub sqpoll: bool,
    /// io_uring: register files, buffers and ring with the kernel.
    pub registered: bool,
    /// smb: sign messages: auto (as the server requires), true, or false (also accepts a guest session).
    pub signing: Protection,
    /// smb: encrypt messages: auto (as the server requires), true, or false.
    pub encryption: Protection,
    /// smb: protocol version: auto (the highest), 2.0.2, 2.1, 3.0, 3.0.2, or 3.1.1.
    pub dialect: Dialect,
    /// smb: connections of several workers: auto, multichannel (channels of one session), or sessions.
    pub channels: Channels,
    /// nfs: protocol version: auto (the highest that the server supports), 4.2, 4.1, 4.0, or 3.
    pub nfs: NfsVersion,
    /// nfs: authentication: auto (sys if the export offers it, else Kerberos), sys, krb5, krb5i (with checksums), or krb5p (encrypted).
    pub nfs_security: NfsSecurity,
    /// nfs: port of the MOUNT service of an NFS 3 server; 0: find it, at the port of the address or by the portmapper.
    pub mount_port: u16,
    /// s3: URL of the object store, such as http://store:9000, or several separated by commas, of which each worker uses the next one; if omitted: AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL, the profile's endpoint_url, else AWS.
    #[schemars(extend("x-key" = key().flag("URL").run_wide()))]
    pub endpoint_url: String,
    /// s3: region that requests are signed for; if omitted: AWS_REGION, AWS_DEFAULT_REGION, the region of the profile, and us-east-1 with an endpoint.
    #[schemars(extend("x-key" = key().run_wide()))]
    pub region: String,
    /// s3: where the bucket is named: auto (host at AWS, path at other endpoints), path, or virtual (host).
    #[schemars(extend("x-key" = key().run_wide()))]
    pub addressing_style: Addressing,
    /// s3: profile of ~/.aws/config and ~/.aws/credentials, before credentials in the environment; if omitted: AWS_PROFILE, else default.
    #[schemars(extend("x-key" = key().run_wide()))]
    pub aws_profile: String,
    /// s3: use each connection for many requests (HTTP keep-alive); false: a new connection for each request, with its TCP and TLS handshakes in the response time.
    pub keep_alive: bool,
    /// s3: checksum that objects are written with, and that reads of entire objects are compared with: none, crc32c, or sha256.
    pub object_checksum: ObjectChecksum,
    /// smb, nfs, tcp: poll the socket for incoming data: auto (for up to 100 us if one response is due and there are two CPUs per worker, then sleep), true
    /// (never sleep: no wake-up in the response times, but one fully used CPU per worker), or false (sleep at once, as most applications do).
    pub busy_poll: BusyPoll,
    /// smb, nfs, tcp: discard received data in the kernel instead of copying it to the worker (MSG_TRUNC; Linux), like iperf3 --skip-rx-copy: the client's copy
    /// is not measured.
    pub skip_rx_copy: bool,
    /// tcp, udp, iperf3: socket buffer of each direction in bytes (the window); 0: the system's default.
    pub window: Bytes,
    /// tcp, iperf3: send small messages at once (TCP_NODELAY).
    pub no_delay: bool,
    /// udp: send each received message back to its sender: the other end of a ping-pong.
    pub answer: bool,
    /// udp: routers that a message to a multicast group may pass (its time to live); 0: none, it stays on this host.
    pub multicast_ttl: u8,
    /// udp: address of the interface for messages to and from a multicast group (of IPv6: its index); if omitted: the system's choice.
    #[schemars(extend("x-key" = key().run_wide()))]
    pub multicast_interface: String,
    /// rdma: libfabric provider, such as verbs or tcp;ofi_rxm; auto: verbs if there is an adapter, else tcp.
    pub provider: String,
    /// rdma: transport of a ping-pong message: send (perftest's ib_send_lat), or write (one-sided, into memory that both sides poll; ib_write_lat).
    pub ping_pong_by: PingPongBy,
    /// copy: command line that copies {from} to {to}.
    pub program: String,
    /// sync: pass the offset with each call (pread, pwrite). false: read and write at the file position, with lseek if needed, as older programs do.
    pub positioned: bool,
    /// sync: poll the device for the completion of direct I/O (RWF_HIPRI, with preadv2 and pwritev2); has no effect without poll queues in the driver.
    pub hipri: bool,
    /// sync: fail with EAGAIN instead of waiting (RWF_NOWAIT), including buffered reads of data that is not cached.
    pub nowait: bool,
    /// sync: drop buffered reads and writes from the page cache (RWF_DONTCACHE; Linux 6.14, if the file system supports it).
    pub uncached: bool,
    /// sync, libaio: complete each write entirely or not at all, even on power failure (RWF_ATOMIC; Linux 6.11, if device and file system support it).
    pub atomic: bool,
    /// sync: move each block by calls of this many bytes, at the file position (read, write): 1 is byte by byte, as bonnie++ 2.00 measures characters. 0: one call
    /// for the block.
    #[schemars(extend("x-key" = key().at_most(GIGABYTE)))]
    pub call_size: Bytes,
    /// stdio: transfer each byte of a block with a separate call (putc, getc).
    pub per_character: bool,
    /// stdio: buffer of each open file in bytes (setvbuf); 0: the largest block.
    #[schemars(extend("x-key" = key().at_most(GIGABYTE)))]
    pub stdio_buffer: Bytes,
    /// defragment: allocate the new extents of each write before it and free the old ones after it; false: exchange them with extents allocated at the start.
    pub donor_each: bool,
}

impl EngineChoice {
    /// The engine goes through a mapping of the file.
    pub fn maps_files(&self) -> bool {
        engines::is(&self.engine, |engine| engine.maps_files)
    }

    /// The options that have another value than their default, by the names of their keys.
    pub fn options_set(&self) -> Vec<String> {
        let default = EngineChoice::default();
        let options_only = EngineChoice {
            engine: default.engine.clone(),
            ..self.clone()
        };
        // Most jobs set none.
        if options_only == default {
            return Vec::new();
        }
        let values = |choice| match serde_json::to_value(choice) {
            Ok(serde_json::Value::Object(values)) => values,
            _ => serde_json::Map::new(),
        };
        let defaults = values(&default);
        let chosen = values(&options_only).into_iter();
        let differs = |(option, value): (String, serde_json::Value)| {
            (defaults.get(&option) != Some(&value)).then_some(option)
        };
        chosen.filter_map(differs).collect()
    }

    /// True when an option, by the name of its key, has another value than its default.
    pub fn sets(&self, option: &str) -> bool {
        self.options_set().iter().any(|set| set == option)
    }
}

impl Default for EngineChoice {
    fn default() -> Self {
        EngineChoice {
            engine: "auto".into(),
            stamping: Stamping::Auto,
            batch: 0,
            reap: 0,
            submission_latency: false,
            iopoll: false,
            sqpoll: false,
            registered: true,
            signing: Protection::Auto,
            encryption: Protection::Auto,
            dialect: Dialect::Auto,
            channels: Channels::Auto,
            nfs: NfsVersion::Auto,
            nfs_security: NfsSecurity::Auto,
            mount_port: 0,
            endpoint_url: String::new(),
            region: String::new(),
            addressing_style: Addressing::Auto,
            aws_profile: String::new(),
            keep_alive: true,
            object_checksum: ObjectChecksum::None,
            busy_poll: BusyPoll::Auto,
            skip_rx_copy: false,
            window: Bytes(0),
            no_delay: true,
            answer: false,
            multicast_ttl: 1,
            multicast_interface: String::new(),
            provider: "auto".into(),
            ping_pong_by: PingPongBy::Send,
            program: String::new(),
            positioned: true,
            hipri: false,
            nowait: false,
            uncached: false,
            atomic: false,
            call_size: Bytes(0),
            per_character: false,
            stdio_buffer: Bytes(0),
            donor_each: false,
        }
    }
}
