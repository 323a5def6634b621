//! How many operations does a worker submit at once? As many as fit the target's answer to the submission before.

use crate::engine::EngineKind;

/// Where completions come later, a batch is this part of the depth. While a batch is prepared, its operations are missing from the queue: a larger part
/// makes a fast device work in step with the program, far below the requested depth (docs/decisions/0020-batches.md).
const DEPTH_PER_BATCH: u32 = 16;

/// The size of the next batch, and its limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Batches {
    least: u32,
    most: u32,
    next: u32,
}

impl Batches {
    /// For this engine; `requested` is the plan's key `batch`. An engine that does no work has no queue that could run empty.
    pub(super) fn of(kind: &EngineKind, requested: u32, depth: u32) -> Batches {
        match requested {
            _ if !kind.asynchronous => Batches::fixed(1),
            0 if kind.does_work => Batches::by_depth(depth, kind.batch),
            0 => Batches::fixed(depth.min(kind.batch)),
            batch => Batches::fixed(batch.min(depth)),
        }
    }

    /// Default; `most` is the engine's own limit.
    pub(super) fn by_depth(depth: u32, most: u32) -> Batches {
        let least = (depth / DEPTH_PER_BATCH).clamp(1, most);
        Batches {
            least,
            most: most.min(depth).max(least),
            next: least,
        }
    }

    fn fixed(size: u32) -> Batches {
        Batches {
            least: size,
            most: size,
            next: size,
        }
    }

    /// The largest that there can be.
    pub fn most(self) -> u32 {
        self.most
    }

    /// Operations to submit now, at most.
    #[inline(always)]
    pub(super) fn next(self) -> usize {
        self.next as usize
    }

    /// True while it is seen without waiting whether completions are there: what is submitted is larger than where they come later.
    #[inline(always)]
    pub(super) fn has_grown(self) -> bool {
        self.next > self.least
    }

    /// After completions were looked for. `ended_within`: without waiting, and nothing is left in flight. No queue can run empty then, and the next batch is
    /// twice as large; as soon as something is left, it is the smallest again.
    #[inline(always)]
    pub(super) fn follow(&mut self, ended_within: bool) {
        self.next = if ended_within {
            (2 * self.next).min(self.most)
        } else {
            self.least
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engines;

    #[test]
    fn a_batch_is_a_small_part_of_the_queue_unless_the_plan_says_otherwise() {
        let of = |engine: &str, requested, depth| {
            let kind = engines::by_name(engine).expect("listed");
            let batches = Batches::of(kind, requested, depth);
            (batches.least, batches.most)
        };
        let nfs = [1, 4, 16, 31, 32, 128, 256, 4096].map(|depth| of("nfs", 0, depth));
        let least = [1, 1, 1, 1, 2, 8, 16, 16];
        assert_eq!(nfs.map(|(least, _)| least), least);
        assert_eq!(nfs.map(|(_, most)| most), [1, 4, 16, 16, 16, 16, 16, 16]);
        assert_eq!([of("nfs", 8, 32), of("nfs", 8, 4)], [(8, 8), (4, 4)]);
        // The generator alone.
        assert_eq!([of("null", 0, 32), of("null", 1, 32)], [(32, 32), (1, 1)]);
        assert_eq!([of("sync", 0, 1), of("sync", 16, 1)], [(1, 1), (1, 1)]);
    }

    #[test]
    fn a_batch_doubles_while_nothing_is_left_and_is_small_again_at_once() {
        let mut batches = Batches::by_depth(32, 16);
        let mut sizes = Vec::new();
        for ended_within in [true, true, true, true, false, false, true] {
            sizes.push((batches.next(), batches.has_grown()));
            batches.follow(ended_within);
        }
        let grown = [(4, true), (8, true), (16, true), (16, true)];
        assert_eq!(sizes[0], (2, false));
        assert_eq!(sizes[1..5], grown);
        assert_eq!(sizes[5..], [(2, false), (2, false)]);
        assert_eq!(batches.next(), 4);
        let mut requested = Batches::fixed(8);
        for ended_within in [true, false] {
            requested.follow(ended_within);
            assert_eq!((requested.next(), requested.has_grown()), (8, false));
        }
    }
}
