//! How are operations carried out one at a time by plain system calls?

mod at_position;
mod calls;
#[cfg(target_os = "linux")]
mod with_flags;

use plumb_model::engines::EngineProperties;
use plumb_model::workload::OperationKind;

use self::calls::{File, Sync, system_calls};
use crate::engine::{EngineKind, OpenFile, Opened, Setup, Unavailable};

pub static ENGINE: EngineKind = EngineKind {
    properties: EngineProperties {
        name: "sync",
        meaning: "one operation at a time with pread, pwrite and the metadata calls, or read, write and lseek (positioned = false), or preadv2 and pwritev2 with flags (hipri, nowait, uncached, atomic); depth is 1 per worker",
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
        request_priorities: false,
        submits_apart: false,
        never_direct: None,
        shares_connection: false,
        own_options: &[
            "positioned",
            "hipri",
            "nowait",
            "uncached",
            "atomic",
            "call-size",
        ],
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
            block_device: is_disk(file),
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
        flush_metadata: setup.flush_metadata,
    };
    let choice = setup.choice;
    let mut opened = if choice.hipri || choice.nowait || choice.uncached || choice.atomic {
        with_flags(engine, &setup)?
    } else if choice.positioned && choice.call_size.0 == 0 {
        Opened::local(engine)
    } else {
        at_position::open(engine, choice.call_size)?
    };
    opened.active.extend(
        setup
            .files
            .first()
            .filter(|_| setup.trims)
            .and_then(how_trimmed)
            .map(str::to_owned),
    );
    Ok(opened)
}

#[cfg(target_os = "linux")]
use with_flags::open as with_flags;

/// Calls with flags are Linux's own.
#[cfg(not(target_os = "linux"))]
fn with_flags<'a>(_: Sync<'a>, _: &Setup<'a>) -> Result<Opened<'a>, Unavailable> {
    Err(Unavailable(plumb_model::statement::Statement::new(
        "flags-are-of-linux",
    )))
}

/// FreeBSD's disks are character devices.
#[cfg(target_os = "freebsd")]
fn is_disk(file: &OpenFile) -> bool {
    crate::system::is_disk(&file.file)
}

#[cfg(not(target_os = "freebsd"))]
fn is_disk(file: &OpenFile) -> bool {
    file.block_device
}

/// How blocks of a file are discarded; `None` where they are not.
#[cfg(any(target_os = "linux", windows))]
fn how_trimmed(file: &OpenFile) -> Option<&'static str> {
    Some(crate::engine::trim_by_call(file))
}

#[cfg(target_os = "freebsd")]
fn how_trimmed(file: &OpenFile) -> Option<&'static str> {
    Some(crate::system::TRIM_CALLS[usize::from(!is_disk(file))])
}

#[cfg(not(any(target_os = "linux", target_os = "freebsd", windows)))]
fn how_trimmed(_: &OpenFile) -> Option<&'static str> {
    None
}
