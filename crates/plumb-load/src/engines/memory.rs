//! How fast does this host move blocks to and from memory that the kernel hands out page by page? No storage is behind it.

use std::io;

use memmap2::MmapMut;
use plumb_model::engines::EngineProperties;
use plumb_model::statement::Statement;
use plumb_model::workload::OperationKind;

use crate::engine::buffers::Region;
use crate::engine::operation::{Done, Op, Outcome, one_by_one};
use crate::engine::{Closing, Engine, EngineKind, Opened, Setup, Unavailable, Wait};

pub static ENGINE: EngineKind = EngineKind {
    properties: EngineProperties {
        name: "memory",
        meaning: "copies from and to anonymous memory, of the job's size for each worker: what page faults and copies cost without storage; depth is 1 per worker",
        schemes: &[],
        asynchronous: false,
        batch: 1,
        operations: &[
            OperationKind::Read,
            OperationKind::Write,
            OperationKind::Rewrite,
            OperationKind::Flush,
        ],
        by_auto: false,
        does_work: false,
        maps_files: false,
        request_priorities: false,
        submits_apart: false,
        never_direct: None,
        shares_connection: false,
        own_options: &[],
        fio: &["page_fault"],
    },
    open,
};

struct Memory {
    /// No page of it is there before the first access.
    bytes: MmapMut,
    buffers: Region,
}

fn open<'a>(setup: Setup<'a>) -> Result<Opened<'a>, Unavailable> {
    let refused = |error: String| {
        Unavailable(
            Statement::new("memory-was-refused")
                .bytes("bytes", setup.end_bytes as f64)
                .name("error", error),
        )
    };
    let length = usize::try_from(setup.end_bytes).map_err(|error| refused(error.to_string()))?;
    let bytes = MmapMut::map_anon(length).map_err(|error| refused(error.to_string()))?;
    Ok(Opened::local(Memory {
        bytes,
        buffers: setup.buffers,
    }))
}

impl Memory {
    #[inline(always)]
    fn carry_out(&mut self, op: &Op) -> Outcome {
        if op.kind == OperationKind::Flush {
            return Outcome::moved(0);
        }
        let (begin, length) = (op.offset as usize, op.len as usize);
        let Some(block) = self.bytes.get_mut(begin..begin + length) else {
            return Outcome::moved(0); // beyond the end, as a read there would return
        };
        // SAFETY: the slots are below the depth and hold the block, and nothing else uses this one until the operation is done.
        let buffer = unsafe {
            let slot = self
                .buffers
                .base
                .add(op.slot as usize * self.buffers.stride);
            std::slice::from_raw_parts_mut(slot, length)
        };
        if op.kind != OperationKind::Write {
            buffer.copy_from_slice(block);
        }
        if op.kind == OperationKind::Rewrite {
            buffer[0] = buffer[0].wrapping_add(1);
        }
        if op.kind != OperationKind::Read {
            block.copy_from_slice(buffer);
        }
        Outcome::moved(op.len)
    }
}

impl Engine for Memory {
    fn submit(&mut self, ops: &[Op], done: &mut Vec<Done>) -> io::Result<()> {
        one_by_one(ops, done, |op| self.carry_out(op));
        Ok(())
    }

    /// Nothing is ever in flight after `submit`.
    fn reap(&mut self, _: Wait, _: &mut Vec<Done>) -> io::Result<()> {
        Ok(())
    }

    fn close(&mut self) -> Closing {
        Closing::default()
    }
}
