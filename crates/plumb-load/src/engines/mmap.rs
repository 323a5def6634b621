//! How are operations carried out by copying from and to a memory mapping?

#[cfg(unix)]
#[path = "mmap/unix.rs"]
mod mapping;
#[cfg(windows)]
#[path = "mmap/windows.rs"]
mod mapping;

use std::io;

use plumb_model::engines::EngineProperties;
use plumb_model::statement::Statement;
use plumb_model::workload::OperationKind;

use self::mapping::{Map, Watch, map};
use crate::engine::failure::FailureKind;
use crate::engine::operation::{Done, Op, Outcome, one_by_one};
use crate::engine::{Closing, Engine, EngineKind, OpenFile, Opened, Setup, Unavailable, Wait};

pub static ENGINE: EngineKind = EngineKind {
    properties: EngineProperties {
        name: "mmap",
        meaning: "copies from and to a shared memory mapping of the file; page faults do the I/O; depth is 1 per worker",
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
        does_work: true,
        maps_files: true,
        request_priorities: false,
        submits_apart: false,
        never_direct: Some("works through the page cache, so it cannot be direct"),
        shares_connection: false,
        own_options: &[],
        fio: &["mmap"],
    },
    open,
};

struct Mmap<'a> {
    maps: Vec<Map>,
    _watch: Watch,
    files: &'a [OpenFile],
    base: *mut u8,
    stride: usize,
}

fn open<'a>(setup: Setup<'a>) -> Result<Opened<'a>, Unavailable> {
    if setup.files.iter().any(|file| file.direct) {
        return Err(Unavailable(Statement::new("mapping-is-never-direct")));
    }
    let mut engine = Mmap {
        maps: Vec::new(),
        _watch: Watch::begin(),
        files: setup.files,
        base: setup.buffers.base,
        stride: setup.buffers.stride,
    };
    for file in setup.files {
        engine.maps.push(map(file)?);
    }
    Ok(Opened::local(engine))
}

impl Mmap<'_> {
    #[inline(always)]
    fn carry_out(&mut self, op: &Op) -> Outcome {
        let map = &self.maps[op.file as usize];
        let length = op.len as usize;
        if op.kind == OperationKind::Flush {
            return outcome(map.flush());
        }
        if op.offset as usize + length > map.bytes {
            return Outcome::moved(0); // beyond the end, as a read there would return
        }
        if op.kind != OperationKind::Read && !map.writable {
            return Outcome::failed(FailureKind::BadFile); // as pwrite answers on a descriptor that is not open for writing
        }
        // SAFETY: the slots are below the depth, so the buffer lies inside the region.
        let buffer = unsafe { self.base.add(op.slot as usize * self.stride) };
        let offset = op.offset as usize;
        // SAFETY: the block lies inside the mapping (checked above), and the slot holds it.
        let all_there = unsafe {
            match op.kind {
                OperationKind::Read => map.read(offset, buffer, length),
                OperationKind::Rewrite => {
                    let is_read = map.read(offset, buffer, length);
                    *buffer = (*buffer).wrapping_add(1);
                    is_read && map.write(offset, buffer, length)
                }
                _ => map.write(offset, buffer, length),
            }
        };
        match all_there {
            true => Outcome::moved(op.len),
            false => Outcome::failed(FailureKind::Io),
        }
    }
}

fn outcome(result: io::Result<()>) -> Outcome {
    result.map_or_else(|error| Outcome::of_error(&error), |()| Outcome::moved(0))
}

impl Engine for Mmap<'_> {
    fn submit(&mut self, ops: &[Op], done: &mut Vec<Done>) -> io::Result<()> {
        one_by_one(ops, done, |op| self.carry_out(op));
        Ok(())
    }

    /// Nothing is ever in flight after `submit`.
    fn reap(&mut self, _: Wait, _: &mut Vec<Done>) -> io::Result<()> {
        Ok(())
    }

    fn fsync(&mut self, file: u32) -> Option<Outcome> {
        let map = &self.maps[file as usize];
        Some(outcome(map.fsync()))
    }

    /// No copy into a mapping fails when the data cannot be stored: msync reports it, once.
    fn close(&mut self) -> Closing {
        let mut closing = Closing::default();
        for (map, file) in self.maps.iter().zip(self.files) {
            let flushed = if map.writable && file.writable {
                map.flush()
            } else {
                Ok(())
            };
            if let Err(error) = flushed {
                closing.write_back.push(file.failure("msync", &error));
            }
            closing.write_back.extend(file.closing_failure());
        }
        closing
    }
}
