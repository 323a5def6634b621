//! Which engine of plumb is closest to one of fio's?

use plumb_model::engines::{self, EngineProperties};
use plumb_model::text::nearest::nearest;
use plumb_model::workload::operation::OperationKind;

/// The equivalent of a fio engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Nearest {
    /// An engine of plumb.
    Engine {
        name: &'static str,
        /// fio keeps several operations outstanding with it; for others iodepth has no effect.
        deep: bool,
    },
    /// File operations: this kind in a mix.
    Files(&'static str),
    /// Messages to another host.
    Messages,
    /// CPU load or a program alongside the jobs.
    Companion,
    /// None; the alternative.
    No(&'static str),
}

const CLUSTER: Nearest = Nearest::No("mount the storage and give a directory of it");
const MEMORY: Nearest =
    Nearest::No("use a file on a file system mounted with dax and ioengine=mmap");
const BLOCKS: Nearest = Nearest::No("use ioengine=io_uring on the block device");

/// Engines of fio 3.33 and later, as HOWTO lists them, except those with an equivalent engine in plumb.
const OTHERS: &[(&str, Nearest)] = &[
    (
        "windowsaio",
        Nearest::Engine {
            name: "auto",
            deep: true,
        },
    ),
    ("filecreate", Nearest::Files("create")),
    ("filestat", Nearest::Files("stat")),
    ("filedelete", Nearest::Files("delete")),
    // Of fio 3.38 and later (engines/diroperations.c); on directories.
    ("dircreate", Nearest::Files("create")),
    ("dirstat", Nearest::Files("stat")),
    ("dirdelete", Nearest::Files("delete")),
    ("sg", BLOCKS),
    ("libblkio", BLOCKS),
    ("xnvme", BLOCKS),
    (
        "nbd",
        Nearest::No("attach it with nbd-client, and use ioengine=io_uring on the block device"),
    ),
    ("net", Nearest::Messages),
    ("netsplice", Nearest::Messages),
    (
        "rdma",
        Nearest::No(
            "start `plumb serve-net --listen any --rdma` on the other host, and here `plumb run rdma rdma://HOST`",
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
        Nearest::No("plumb cannot access GPU memory; use ioengine=io_uring and direct=1"),
    ),
    (
        "mtd",
        Nearest::No("give a block device (mtdblock) and use ioengine=psync"),
    ),
    ("cpuio", Nearest::Companion),
    ("exec", Nearest::Companion),
];

/// The equivalent of the engine with this name.
///
/// # Errors
/// fio has no engine of this name, or plumb has no equivalent.
pub fn nearest_to(name: &str) -> Result<Nearest, String> {
    if name.starts_with("external:") {
        return Err(
            "only fio loads external engines; use one of plumb's (io_uring, sync, mmap, null)"
                .into(),
        );
    }
    if let Some(engine) = engines::ENGINES
        .iter()
        .find(|engine| engine.fio.contains(&name))
    {
        return Ok(Nearest::Engine {
            name: engine.name,
            deep: engine.asynchronous,
        });
    }
    match OTHERS.iter().find(|(known, _)| *known == name) {
        Some((_, Nearest::No(instead))) => Err(format!(
            "plumb has no equivalent of the engine {name}: {instead}"
        )),
        Some((_, found)) => Ok(*found),
        None => {
            let ours = engines::ENGINES.iter().flat_map(|engine| engine.fio);
            let names: Vec<&str> = ours
                .copied()
                .chain(OTHERS.iter().map(|(name, _)| *name))
                .collect();
            Err(format!(
                "fio has no engine '{name}'{}",
                nearest(name, &names)
            ))
        }
    }
}

/// True for an engine for file operations that works on directories instead of files.
pub fn on_directories(engine: &str) -> bool {
    matches!(engine, "dircreate" | "dirstat" | "dirdelete")
}

/// fio's default engine on Linux.
pub const FIO_DEFAULT: &str = "psync";

/// The equivalent of the default engine.
pub fn when_none_is_named() -> Nearest {
    nearest_to(FIO_DEFAULT).unwrap_or(Nearest::Engine {
        name: "auto",
        deep: false,
    })
}

/// The engine that carries out file operations.
pub fn files_engine() -> &'static str {
    let does = |engine: &&EngineProperties| {
        engine.is_local() && engine.by_auto && engine.supports(OperationKind::Create)
    };
    engines::ENGINES
        .iter()
        .find(does)
        .map_or("auto", |engine| engine.name)
}
