//! How are many operations kept in flight by one thread as older programs for Linux do? By the kernel's own asynchronous I/O, which the library libaio wraps.

mod ending;
mod queue;

use plumb_model::engines::EngineProperties;
use plumb_model::workload::OperationKind;

use crate::engine::EngineKind;

pub static ENGINE: EngineKind = EngineKind {
    properties: EngineProperties {
        name: "libaio",
        meaning: "keeps `depth` operations in flight per worker with Linux AIO: io_submit and io_getevents in batches; asynchronous with direct I/O only",
        schemes: &[],
        asynchronous: true,
        batch: 16,
        operations: &[
            OperationKind::Read,
            OperationKind::Write,
            OperationKind::Trim,
            OperationKind::Flush,
        ],
        by_auto: false,
        does_work: true,
        maps_files: false,
        request_priorities: true,
        submits_apart: true,
        never_direct: None,
        shares_connection: false,
        own_options: &["atomic"],
        // The other two are what fio itself takes for it.
        fio: &["libaio", "aio", "linuxaio"],
    },
    open: queue::open,
};
