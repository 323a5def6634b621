//! How are many operations kept in flight by one thread on FreeBSD? By POSIX AIO, whose completions arrive at a kqueue of the worker (aio(4)).

#[cfg(target_os = "freebsd")]
mod ending;
#[cfg(target_os = "freebsd")]
mod queue;
#[cfg(target_os = "freebsd")]
mod trial;

#[cfg(target_os = "freebsd")]
use crate::engine::EngineKind;
use plumb_model::engines::EngineProperties;
use plumb_model::workload::OperationKind;

#[cfg(target_os = "freebsd")]
pub static ENGINE: EngineKind = EngineKind {
    properties: PROPERTIES,
    open: queue::open,
};

pub const PROPERTIES: EngineProperties = EngineProperties {
    name: "aio",
    meaning: "keeps `depth` operations in flight per worker with POSIX AIO: aio_read, aio_write and aio_fsync, completions from a kqueue in batches; FreeBSD",
    schemes: &[],
    asynchronous: true,
    batch: 16,
    operations: &[
        OperationKind::Read,
        OperationKind::Write,
        OperationKind::Trim,
        OperationKind::Flush,
    ],
    by_auto: true,
    does_work: true,
    maps_files: false,
    request_priorities: false,
    submits_apart: true,
    never_direct: None,
    shares_connection: false,
    own_options: &[],
    fio: &[],
};
