//! How are operations carried out one at a time by plain system calls?

mod at_position;
mod calls;

use plumb_model::engines::EngineProperties;
use plumb_model::workload::OperationKind;

use self::calls::{File, Sync, system_calls};
use crate::engine::{EngineKind, Opened, Setup, Unavailable, trim_by_call};

pub static ENGINE: EngineKind = EngineKind {
    properties: EngineProperties {
        name: "sync",
        meaning: "one operation at a time by pread, pwrite and the calls for files, or read, write and lseek (positioned = false); its depth is 1 per worker",
        schemes: &[],
        asynchronous: false,
        batch: 1,
        operations: &[
            OperationKind::Read,
            OperationKind::Write,
            OperationKind::Rewrite,
            OperationKind::Trim,
            OperationKind::Flush,
            OperationKind::Create,
            OperationKind::Open,
            OperationKind::Stat,
            OperationKind::ReadFile,
            OperationKind::Rename,
            OperationKind::Delete,
            OperationKind::Fsync,
            OperationKind::List,
        ],
        by_auto: true,
        does_work: true,
        maps_files: false,
        never_direct: None,
        shares_connection: false,
        own_options: &["positioned"],
        fio: &["psync", "sync", "vsync", "pvsync", "pvsync2", "splice"],
    },
    open,
};

fn open<'a>(setup: Setup<'a>) -> Result<Opened<'a>, Unavailable> {
    let files = setup
        .files
        .iter()
        .map(|file| File {
            raw: system_calls::raw(&file.file),
            block_device: file.block_device,
        })
        .collect();
    let engine = Sync {
        files,
        open: setup.files,
        base: setup.buffers.base,
        stride: setup.buffers.stride,
        slots: setup.depth,
        slot_bytes: setup.buffers.slot_bytes,
        live_files: setup.live_files,
    };
    let mut opened = if setup.choice.positioned {
        Opened::local(engine)
    } else {
        at_position::open(engine)?
    };
    opened.active.extend(
        setup
            .files
            .first()
            .filter(|_| setup.trims && cfg!(any(target_os = "linux", windows)))
            .map(|file| trim_by_call(file).into()),
    );
    Ok(opened)
}
