//! How are many operations kept in flight on Windows by one thread? Overlapped ReadFile and WriteFile on one completion port, taken back in batches.

#[cfg(windows)]
mod port;

use plumb_model::engines::EngineProperties;
use plumb_model::workload::OperationKind;

/// Known on every system, as records of runs on Windows are read there.
pub const PROPERTIES: EngineProperties = EngineProperties {
    name: "overlapped",
    meaning: "keeps `depth` operations in flight per worker with overlapped ReadFile and WriteFile on a completion port (Windows)",
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
    // Its `windowsaio` asks for many operations in flight, on whatever system.
    fio: &[],
};

#[cfg(windows)]
pub static ENGINE: crate::engine::EngineKind = crate::engine::EngineKind {
    properties: PROPERTIES,
    open: port::open,
};
