//! When are written blocks read back during the load? After every so many writes (`verify-backlog`), oldest first, or in the order of the file where a block
//! may be written more than once.

use std::collections::{BTreeMap, VecDeque};

use plumb_model::workload::{Offsets, OperationKind, Workload};

use crate::engine::operation::Op;

/// Writes of blocks that were not read back since.
#[derive(Debug)]
enum Written {
    /// Oldest first.
    Once(VecDeque<Block>),
    /// Blocks that are drawn with replacement: each once, by file and offset. fio keeps these in a tree (log_io_piece in its iolog.c).
    ByOffset(BTreeMap<(u32, u64), Block>),
}

#[derive(Debug, Clone, Copy)]
struct Block {
    file: u32,
    offset: u64,
    len: u32,
    in_flight: bool,
}

impl Written {
    fn len(&self) -> u64 {
        match self {
            Written::Once(blocks) => blocks.len() as u64,
            Written::ByOffset(blocks) => blocks.len() as u64,
        }
    }

    /// A write is submitted.
    fn begin(&mut self, block: Block) {
        match self {
            Written::Once(blocks) => blocks.push_back(block),
            Written::ByOffset(blocks) => {
                blocks.insert((block.file, block.offset), block);
            }
        }
    }

    /// It has completed; what failed is forgotten.
    fn end(&mut self, file: u32, offset: u64, ok: bool) {
        match self {
            Written::Once(blocks) => {
                let is_it =
                    |block: &Block| block.in_flight && (block.file, block.offset) == (file, offset);
                let Some(at) = blocks.iter().rposition(is_it) else {
                    return;
                };
                if ok {
                    blocks[at].in_flight = false;
                } else {
                    blocks.remove(at);
                }
            }
            Written::ByOffset(blocks) if ok => {
                let block = blocks.get_mut(&(file, offset));
                block.into_iter().for_each(|block| block.in_flight = false);
            }
            Written::ByOffset(blocks) => {
                blocks.remove(&(file, offset));
            }
        }
    }

    /// The first one; none while its write is in flight, as in fio.
    fn take(&mut self) -> Option<Block> {
        match self {
            Written::Once(blocks) if blocks.front()?.in_flight => None,
            Written::Once(blocks) => blocks.pop_front(),
            Written::ByOffset(blocks) => {
                let first = blocks.first_entry()?;
                (!first.get().in_flight).then(|| first.remove())
            }
        }
    }
}

/// Blocks that were written and not yet read back, and how many are due.
#[derive(Debug)]
pub struct Backlog {
    every: u64,
    batch: u64,
    written: Written,
    /// Reads that are due.
    owed: u64,
    /// The last completion was a read: the same count of writes makes no second batch due.
    has_read: bool,
}

impl Backlog {
    /// Of this workload; `None` where it reads nothing back before its end.
    pub fn of(workload: &Workload) -> Option<Backlog> {
        let every = Some(workload.verify_backlog).filter(|every| *every > 0)?;
        Some(Backlog {
            every,
            batch: workload.verify_backlog_batch.unwrap_or(every),
            written: match workload.offsets {
                Offsets::RandomWithReplacement | Offsets::Precondition(_) => {
                    Written::ByOffset(BTreeMap::new())
                }
                _ => Written::Once(VecDeque::new()),
            },
            owed: 0,
            has_read: false,
        })
    }

    /// True when blocks are to be read back next.
    pub fn is_due(&self) -> bool {
        let len = self.written.len();
        let is_full = len.is_multiple_of(self.every) && !self.has_read;
        len > 0 && (self.owed > 0 || is_full)
    }

    /// Makes an operation the next read that is due. False: none is, or its write is in flight.
    pub fn take(&mut self, op: &mut Op) -> bool {
        if !self.is_due() {
            return false;
        }
        if self.owed == 0 {
            self.owed = self.batch;
        }
        let Some(block) = self.written.take() else {
            return false;
        };
        self.owed -= 1;
        (op.kind, op.file) = (OperationKind::Read, block.file);
        (op.offset, op.len) = (block.offset, block.len);
        true
    }

    /// This operation is submitted.
    pub fn begin(&mut self, op: &Op) {
        if op.kind == OperationKind::Write {
            self.written.begin(Block {
                file: op.file,
                offset: op.offset,
                len: op.len,
                in_flight: true,
            });
        }
    }

    /// It has completed, with success or without.
    pub fn end(&mut self, op: &Op, ok: bool) {
        self.has_read = op.kind == OperationKind::Read;
        if op.kind == OperationKind::Write {
            self.written.end(op.file, op.offset, ok);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The order of `writes` writes (their block) and the reads between them (in brackets), one at a time, and what is left.
    fn order(every: u64, batch: Option<u64>, writes: u64) -> (String, u64) {
        let workload = Workload {
            verify_backlog: every,
            verify_backlog_batch: batch,
            ..Workload::default()
        };
        let mut backlog = Backlog::of(&workload).expect("a backlog");
        let (mut order, mut next) = (String::new(), 0);
        loop {
            let mut op = Op {
                offset: next * 4096,
                len: 4096,
                slot: 0,
                file: 0,
                kind: OperationKind::Write,
                priority: 0,
            };
            let block = |op: &Op| op.offset / 4096;
            if backlog.take(&mut op) {
                order += &format!("({})", block(&op));
            } else if next < writes {
                next += 1;
                order += &block(&op).to_string();
            } else {
                return (order, backlog.written.len());
            }
            backlog.begin(&op);
            backlog.end(&op, true);
        }
    }

    #[test]
    fn blocks_are_read_back_in_batches() {
        for (every, batch, writes, expected) in [
            (1, None, 3, ("0(0)1(1)2(2)", 0)),
            (3, None, 8, ("012(0)(1)(2)345(3)(4)(5)67", 2)),
            (4, Some(2), 9, ("0123(0)(1)45(2)(3)67(4)(5)8", 3)),
            // What is owed beyond the backlog is read as soon as there is more.
            (2, Some(3), 4, ("01(0)(1)2(2)3", 1)),
        ] {
            let (order, left) = order(every, batch, writes);
            assert_eq!((order.as_str(), left), expected, "{every} {batch:?}");
        }
        assert!(Backlog::of(&Workload::default()).is_none());
    }

    /// Of blocks drawn with replacement each is read once after its last write, by place.
    #[test]
    fn a_block_written_twice_is_read_once() {
        let workload = Workload {
            verify_backlog: 3,
            offsets: Offsets::RandomWithReplacement,
            ..Workload::default()
        };
        let mut backlog = Backlog::of(&workload).expect("a backlog");
        let mut op = Op {
            offset: 0,
            len: 512,
            slot: 0,
            file: 0,
            kind: OperationKind::Write,
            priority: 0,
        };
        for offset in [1024, 512, 1024, 0] {
            assert!(!backlog.is_due(), "{offset}");
            op.offset = offset;
            backlog.begin(&op);
            backlog.end(&op, true);
        }
        let mut read = Vec::new();
        while backlog.take(&mut op) {
            read.push(op.offset);
            backlog.end(&op, true);
        }
        assert_eq!(read, [0, 512, 1024]);
    }

    /// A write in flight is waited for, a failed one is never read.
    #[test]
    fn only_completed_writes_are_read() {
        let workload = Workload {
            verify_backlog: 2,
            ..Workload::default()
        };
        let mut backlog = Backlog::of(&workload).expect("a backlog");
        let write = |offset| Op {
            offset,
            len: 512,
            slot: 0,
            file: 3,
            kind: OperationKind::Write,
            priority: 0,
        };
        backlog.begin(&write(0));
        backlog.begin(&write(512));
        let mut next = write(1024);
        assert!(backlog.is_due() && !backlog.take(&mut next));
        backlog.end(&write(512), true);
        assert!(!backlog.take(&mut next), "the oldest is in flight");
        backlog.end(&write(0), false);
        assert!(backlog.take(&mut next));
        assert_eq!(
            (next.kind, next.file, next.offset, next.len),
            (OperationKind::Read, 3, 512, 512)
        );
        assert!(!backlog.is_due(), "nothing is left");
    }
}
