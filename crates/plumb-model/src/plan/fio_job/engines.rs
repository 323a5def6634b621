//! Which engine of plumb comes nearest to one of fio's?

use crate::plan::keys::nearest;

/// What stands for an engine of fio.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Nearest {
    /// An engine of plumb.
    Engine {
        name: &'static str,
        /// fio keeps several operations outstanding with it; with the others iodepth has no effect.
        deep: bool,
    },
    /// Operations on files: this word of a mix.
    Files(&'static str),
    /// None; what to do instead.
    No(&'static str),
}

const RING: Nearest = Nearest::Engine {
    name: "io_uring",
    deep: true,
};
const SYNC: Nearest = Nearest::Engine {
    name: "sync",
    deep: false,
};
const CLUSTER: Nearest = Nearest::No("mount the storage and name a directory of it");
const MEMORY: Nearest =
    Nearest::No("name a file on a file system mounted with dax, and write ioengine=mmap");
const PEER: Nearest = Nearest::No(
    "start `plumb serve-net --listen any` on the other host, and here `plumb run network-stream tcp://HOST`",
);
const BLOCKS: Nearest = Nearest::No("write ioengine=io_uring on the block device");

/// Engines of fio 3.33 and later, as HOWTO lists them.
pub const ENGINES: &[(&str, Nearest)] = &[
    ("io_uring", RING),
    ("libaio", RING),
    ("posixaio", RING),
    ("solarisaio", RING),
    ("syslet-rw", RING),
    ("guasi", RING),
    (
        "windowsaio",
        Nearest::Engine {
            name: "auto",
            deep: true,
        },
    ),
    ("psync", SYNC),
    ("sync", SYNC),
    ("vsync", SYNC),
    ("pvsync", SYNC),
    ("pvsync2", SYNC),
    ("splice", SYNC),
    (
        "mmap",
        Nearest::Engine {
            name: "mmap",
            deep: false,
        },
    ),
    (
        "null",
        Nearest::Engine {
            name: "null",
            deep: true,
        },
    ),
    ("filecreate", Nearest::Files("create")),
    ("filestat", Nearest::Files("stat")),
    ("filedelete", Nearest::Files("delete")),
    ("io_uring_cmd", BLOCKS),
    ("sg", BLOCKS),
    ("libblkio", BLOCKS),
    ("xnvme", BLOCKS),
    (
        "nbd",
        Nearest::No("attach it with nbd-client, and write ioengine=io_uring on the block device"),
    ),
    ("net", PEER),
    ("netsplice", PEER),
    (
        "rdma",
        Nearest::No(
            "start `plumb serve-net --listen any --rdma` on the other host, and here `plumb run rdma rdma://HOST`",
        ),
    ),
    (
        "nfs",
        Nearest::No(
            "plumb speaks NFS itself: leave ioengine out and name the target nfs://SERVER/EXPORT",
        ),
    ),
    ("rados", CLUSTER),
    ("rbd", CLUSTER),
    ("gfapi", CLUSTER),
    ("gfapi_async", CLUSTER),
    ("libhdfs", CLUSTER),
    ("http", CLUSTER),
    ("ime_psync", CLUSTER),
    ("ime_psyncv", CLUSTER),
    ("ime_aio", CLUSTER),
    ("dfs", CLUSTER),
    ("libpmem", MEMORY),
    ("pmemblk", MEMORY),
    ("dev-dax", MEMORY),
    ("librpma_apm_client", MEMORY),
    ("librpma_gpspm_client", MEMORY),
    (
        "libcufile",
        Nearest::No(
            "plumb has no path to the memory of a graphics card: write ioengine=io_uring and direct=1",
        ),
    ),
    (
        "falloc",
        Nearest::No(
            "plumb allocates when it fills a file, outside the measurement: write rw=write",
        ),
    ),
    (
        "ftruncate",
        Nearest::No("write ioengine=filecreate to measure metadata"),
    ),
    (
        "e4defrag",
        Nearest::No("write rw=randwrite with ioengine=psync"),
    ),
    (
        "mtd",
        Nearest::No("name a block device (mtdblock) and write ioengine=psync"),
    ),
    (
        "cpuio",
        Nearest::No("plumb burns no CPU: run stress-ng beside it"),
    ),
    ("exec", Nearest::No("run the command yourself beside plumb")),
];

/// What stands for the engine of this name.
///
/// # Errors
/// When fio has none of this name, or plumb nothing near it.
pub fn nearest_to(name: &str) -> Result<Nearest, String> {
    if name.starts_with("external:") {
        return Err("an engine in a file of its own is loaded by fio only: choose one of plumb's (io_uring, sync, mmap, null)".into());
    }
    match ENGINES.iter().find(|(known, _)| *known == name) {
        Some((_, Nearest::No(instead))) => Err(format!(
            "plumb has nothing like the engine {name}: {instead}"
        )),
        Some((_, found)) => Ok(*found),
        None => {
            let names: Vec<&str> = ENGINES.iter().map(|(name, _)| *name).collect();
            Err(format!(
                "fio has no engine '{name}'{}",
                nearest(name, &names)
            ))
        }
    }
}
