//! How are many operations kept in flight on Windows 11 through one ring, submitted and taken back in batches, as io_uring does on Linux?

#[cfg(windows)]
mod calls;
#[cfg(windows)]
mod ring;

use plumb_model::engines::EngineProperties;
use plumb_model::workload::OperationKind;

/// Known on every system, as records of runs on Windows are read there.
pub const PROPERTIES: EngineProperties = EngineProperties {
    name: "ioring",
    meaning: "keeps `depth` operations in flight per worker with one I/O ring with registered files and buffers (Windows 11 22H2)",
    schemes: &[],
    asynchronous: true,
    batch: 16,
    operations: &[
        OperationKind::Read,
        OperationKind::Write,
        OperationKind::Flush,
    ],
    // It has never met a real Windows: who wants it names it.
    by_auto: false,
    does_work: true,
    maps_files: false,
    request_priorities: false,
    submits_apart: false,
    never_direct: None,
    shares_connection: false,
    own_options: &[],
    fio: &[],
};

#[cfg(windows)]
pub static ENGINE: crate::engine::EngineKind = crate::engine::EngineKind {
    properties: PROPERTIES,
    open: ring::open,
};
