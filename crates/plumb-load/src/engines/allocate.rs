//! How are blocks allocated and freed without data? Each operation is one fallocate(2).

use std::io;
use std::os::fd::AsRawFd;

use plumb_model::engines::EngineProperties;
use plumb_model::workload::OperationKind;

use crate::engine::by_call::ByCall;
use crate::engine::operation::Op;
use crate::engine::{EngineKind, OpenFile, Opened, Setup, Unavailable};
use crate::system::offsets;

pub static ENGINE: EngineKind = EngineKind {
    properties: EngineProperties {
        name: "allocate",
        meaning: "transfers no data: a write allocates its block (fallocate), a read allocates it without changing the file size, and a trim deallocates it; depth is 1 per worker",
        schemes: &[],
        asynchronous: false,
        batch: 1,
        operations: &[
            OperationKind::Read,
            OperationKind::Write,
            OperationKind::Trim,
            OperationKind::Flush,
        ],
        by_auto: false,
        does_work: true,
        maps_files: false,
        request_priorities: false,
        submits_apart: false,
        never_direct: None,
        shares_connection: false,
        own_options: &[],
        fio: &["falloc"],
    },
    open,
};

fn open<'a>(setup: Setup<'a>) -> Result<Opened<'a>, Unavailable> {
    let engine = ByCall {
        files: setup.files,
        call: allocate,
    };
    Ok(Opened::local(engine))
}

fn allocate(file: &OpenFile, op: &Op) -> io::Result<u32> {
    let (mode, moved) = match op.kind {
        OperationKind::Write => (0, op.len),
        OperationKind::Read => (libc::FALLOC_FL_KEEP_SIZE, op.len),
        _ => (libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE, 0),
    };
    let (offset, len) = (op.offset as offsets::off_t, offsets::off_t::from(op.len));
    // SAFETY: plain call on an open descriptor.
    match unsafe { offsets::fallocate(file.file.as_raw_fd(), mode, offset, len) } {
        0 => Ok(moved),
        _ => Err(io::Error::last_os_error()),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::MetadataExt;

    use super::*;
    use crate::engine::Engine;
    use crate::engine::operation::Outcome;

    fn open_file(file: std::fs::File) -> OpenFile {
        OpenFile {
            file,
            path: "f".into(),
            end_bytes: 1 << 20,
            readable: true,
            writable: true,
            direct: false,
            block_device: false,
            hint: plumb_model::workload::AccessHint::None,
        }
    }

    fn carried_out(file: &OpenFile, kind: OperationKind, offset: u64) -> Outcome {
        let files = std::slice::from_ref(file);
        let mut done = Vec::new();
        let op = Op {
            offset,
            len: 65_536,
            slot: 0,
            file: 0,
            kind,
            priority: 0,
        };
        let mut engine = ByCall {
            files,
            call: allocate,
        };
        engine.submit(&[op], &mut done).expect("submitted");
        done[0].outcome
    }

    #[test]
    fn blocks_are_allocated_and_freed() {
        let file = open_file(tempfile::tempfile().expect("a file"));
        let state = || {
            let found = file.file.metadata().expect("metadata");
            (found.len(), found.blocks() > 0)
        };
        let outcome = carried_out(&file, OperationKind::Read, 0);
        if !outcome.is_success() {
            println!("skipped: this file system has no fallocate: {outcome:?}");
            return;
        }
        assert_eq!(state(), (0, true));
        let outcome = carried_out(&file, OperationKind::Write, 65_536);
        assert!(outcome.is_all_of(65_536));
        assert_eq!(state(), (131_072, true));
        for offset in [0, 65_536] {
            assert!(carried_out(&file, OperationKind::Trim, offset).is_all_of(0));
        }
        assert_eq!(state(), (131_072, false));
    }
}
