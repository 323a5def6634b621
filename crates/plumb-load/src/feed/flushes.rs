//! When does a worker flush between its writes? After every so many, at the end of a pass, and behind the last write where that one makes a flush due.

use plumb_model::workload::{OperationKind, Workload};

use crate::engine::operation::Op;

/// Counts writes, and owes flushes for them.
pub struct Flushes {
    /// `fsync-every`; `u64::MAX`: never.
    every: u64,
    /// `pass-flushes`.
    each_pass: Option<u32>,
    /// Bytes of one pass of this worker; 0: not known.
    pass_bytes: u64,
    /// `last-flush`.
    last: bool,
    /// `flush-after-reads`.
    after_reads: bool,
    /// A flush was due by `every`.
    has_begun: bool,
    writes_since: u64,
    pass_left: u64,
    owed: u32,
    /// The file that was written last, which the next flush is for.
    file: u32,
}

impl Flushes {
    /// Of this workload, whose passes have so many bytes for this worker; `None` where it flushes nothing between its operations.
    pub fn of(workload: &Workload, pass_bytes: u64) -> Option<Flushes> {
        let each_pass = workload.pass_flushes.filter(|_| pass_bytes > 0);
        (workload.fsync_every > 0 || each_pass.is_some()).then_some(Flushes {
            every: match workload.fsync_every {
                0 => u64::MAX,
                every => every,
            },
            each_pass,
            pass_bytes,
            last: workload.last_flush,
            after_reads: workload.flush_after_reads,
            has_begun: false,
            writes_since: 0,
            pass_left: pass_bytes,
            owed: 0,
            file: 0,
        })
    }

    /// Makes the next operation a flush, if one is owed.
    pub fn take(&mut self, op: &mut Op) -> bool {
        if self.owed == 0 {
            return false;
        }
        self.owed -= 1;
        (op.kind, op.len, op.file) = (OperationKind::Flush, 0, self.file);
        true
    }

    /// Takes note of an operation that comes before the next flush.
    pub fn count(&mut self, op: &Op) {
        let mut is_due = false;
        if op.kind.writes_blocks() {
            (self.writes_since, self.file) = (self.writes_since + 1, op.file);
            is_due = self.writes_since >= self.every;
        }
        if is_due {
            (self.writes_since, self.owed, self.has_begun) = (0, 1, true);
        } else if op.kind == OperationKind::Read
            && self.after_reads
            && self.has_begun
            && self.writes_since == 0
        {
            self.owed = 1;
        }
        let Some(flushes) = self.each_pass else {
            return;
        };
        self.pass_left = self.pass_left.saturating_sub(u64::from(op.len));
        if self.pass_left == 0 {
            self.pass_left = self.pass_bytes;
            // fio comes to the flush that is due once more when it has opened the file again.
            self.owed = if is_due { 2 } else { flushes };
        }
    }

    /// Behind the last write: the flush that it made due, if that flush is requested. Once.
    pub fn take_last(&mut self, op: &mut Op) -> bool {
        if !self.owes_last() {
            return false;
        }
        self.owed = 1;
        self.take(op)
    }

    /// True when the last write made a flush due that is still to be carried out.
    pub fn owes_last(&self) -> bool {
        self.last && self.owed > 0 && self.writes_since == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// W and f for the writes of 4 KiB that come within so many passes of so many blocks.
    fn sequence(every: u64, each_pass: Option<u32>, (blocks, passes): (u64, u64)) -> String {
        let workload = Workload {
            fsync_every: every,
            pass_flushes: each_pass,
            last_flush: true,
            ..Workload::default()
        };
        let write = Op {
            offset: 0,
            len: 4096,
            slot: 0,
            file: 0,
            kind: OperationKind::Write,
            priority: 0,
        };
        let mut flushes = Flushes::of(&workload, blocks * 4096).expect("flushes");
        let mut letters = String::new();
        for _ in 0..blocks * passes {
            while flushes.take(&mut write.clone()) {
                letters.push('f');
            }
            letters.push('w');
            flushes.count(&write);
        }
        while flushes.take_last(&mut write.clone()) {
            letters.push('f');
        }
        letters
    }

    /// The order is that of a job `rw=randrw fsync=2` under fio 3.33.
    #[test]
    fn a_read_is_followed_by_a_flush_where_no_write_came_since_the_last() {
        let workload = Workload {
            fsync_every: 2,
            flush_after_reads: true,
            ..Workload::default()
        };
        let mut flushes = Flushes::of(&workload, 0).expect("flushes");
        let mut letters = String::new();
        for letter in "rwwrwwrrwr".chars() {
            let kind = match letter {
                'r' => OperationKind::Read,
                _ => OperationKind::Write,
            };
            let op = Op {
                offset: 0,
                len: 4096,
                slot: 0,
                file: 0,
                kind,
                priority: 0,
            };
            while flushes.take(&mut op.clone()) {
                letters.push('f');
            }
            letters.push(letter);
            flushes.count(&op);
        }
        assert_eq!(letters, "rwwfrfwwfrfrfwr");
    }

    #[test]
    fn flushes_come_where_fio_has_them() {
        assert_eq!(sequence(2, None, (3, 2)), "wwfwwfwwf");
        assert_eq!(sequence(2, Some(0), (3, 2)), "wwfwwfwwf");
        assert_eq!(sequence(2, Some(0), (2, 3)), "wwffwwffwwf");
        assert_eq!(sequence(2, Some(1), (3, 3)), "wwfwfwfwwffwwfw");
        assert_eq!(sequence(0, Some(1), (2, 2)), "wwfww");
        assert_eq!(sequence(0, Some(2), (2, 2)), "wwffww");
    }
}
