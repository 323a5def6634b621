//! What is known about one fio option, and with which message is it refused?

/// How an option is handled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// It has its meaning; values that plumb cannot carry out are refused individually.
    Honoured,
    /// Accepted and listed: it concerns what plumb does in its own way, or fio's own output.
    WithoutEffect,
    /// Refused, except for these values, which request nothing.
    Refused {
        unless: &'static [&'static str],
        /// The alternative.
        instead: &'static str,
    },
}

/// One option of fio.
#[derive(Debug, Clone, Copy)]
pub struct OptionKind {
    pub name: &'static str,
    pub aliases: &'static [&'static str],
    pub class: Class,
    /// It may have no value, which means 1.
    pub alone: bool,
}

pub const fn honoured(name: &'static str) -> OptionKind {
    OptionKind {
        name,
        aliases: &[],
        class: Class::Honoured,
        alone: false,
    }
}

pub const fn idle(name: &'static str) -> OptionKind {
    OptionKind {
        name,
        aliases: &[],
        class: Class::WithoutEffect,
        alone: false,
    }
}

pub const fn refused(
    name: &'static str,
    unless: &'static [&'static str],
    instead: &'static str,
) -> OptionKind {
    OptionKind {
        name,
        aliases: &[],
        class: Class::Refused { unless, instead },
        alone: false,
    }
}

impl OptionKind {
    pub const fn or(self, aliases: &'static [&'static str]) -> OptionKind {
        OptionKind { aliases, ..self }
    }

    pub const fn alone(self) -> OptionKind {
        OptionKind {
            alone: true,
            ..self
        }
    }
}

pub const OFF: &[&str] = &["0"];
pub const NONE: &[&str] = &[];

pub const ZONES: &str =
    "zoned devices (zonemode=zbd) need fio; plumb does not reset zones or keep write pointers";
pub const TRIMS: &str = "the content of trimmed blocks is undefined; use a separate job with rw=randtrim next to the verified one";
pub const TRACES: &str = "plumb does not read block traces here; convert them to one iolog of version 3 and set read_iolog to it";
pub const PRIORITY: &str = "plumb does not change priorities; start it with ionice or nice";
pub const GROUPS: &str =
    "plumb does not change control groups; start it with systemd-run --scope and its properties";
pub const USER: &str = "plumb does not change its user; start it with sudo -u";
/// `exec_prerun` and `exec_postrun`.
pub const COMMANDS: &str = "commands in a job file are not trusted by default; `plumb fio --allow-exec` runs them, and `plumb fio` itself carries out one that drops the page cache";
/// Options of engines that plumb does not have.
pub const OF_CEPH: &str = "an option of ioengine=rbd and rados, which plumb does not have: attach the image with `rbd map`, or mount the file system, and give the device or a directory";
pub const OF_GLUSTER: &str = "an option of ioengine=gfapi, which plumb does not have: mount the volume and give a directory of it";
pub const OF_HDFS: &str = "an option of ioengine=libhdfs, which plumb does not have: mount the file system and give a directory of it";
pub const OF_HTTP: &str = "an option of ioengine=http, which plumb does not have: mount the storage and give a directory of it";
pub const OF_DFS: &str = "an option of ioengine=dfs, which plumb does not have: mount the container with dfuse and give a directory of it";
pub const OF_NBD: &str = "an option of ioengine=nbd, which plumb does not have: attach the export with nbd-client and use ioengine=io_uring on the block device";
pub const OF_SG: &str = "an option of ioengine=sg, which plumb does not have: use ioengine=io_uring on the block device";
pub const OF_COMMANDS: &str =
    "an option of ioengine=io_uring_cmd that plumb does not have: remove it, or use fio";
pub const OF_XNVME: &str = "an option of ioengine=xnvme, which plumb does not have: use ioengine=io_uring on the block device";
pub const OF_BLKIO: &str = "an option of ioengine=libblkio, which plumb does not have: use ioengine=io_uring on the block device";
pub const OF_MTD: &str = "an option of ioengine=mtd, which plumb does not have: give a block device (mtdblock) and use ioengine=psync";
pub const OF_RDMA: &str = "an option of ioengine=rdma, which plumb does not have: `plumb run rdma rdma://HOST` reads, writes and sends over RDMA";
pub const OF_RPMA: &str = "an option of ioengine=librpma_apm_client and librpma_gpspm_client, which plumb does not have: `plumb run rdma rdma://HOST` reads, writes and sends over RDMA";
pub const OF_CUFILE: &str = "an option of ioengine=libcufile, which plumb does not have: use ioengine=io_uring and direct=1";
pub const SEGMENTS: &str = "plumb leaves the segment size to the kernel; remove it, or set the MTU of the route (ip route)";
pub const REQUEST_PRIORITY: &str =
    "plumb sets classes and levels of priority, not hints; use cmdprio_class and cmdprio";
pub const REQUEST_FLAGS: &str = "plumb does not set such flags on single operations; remove it";
