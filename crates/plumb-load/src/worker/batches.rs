//! How many operations does a worker submit at once?

use crate::engine::EngineKind;

/// A batch is this part of the depth, unless the plan sets it. While a batch is prepared, its operations are missing from the queue: a larger part
/// makes a fast device work in step with the program, far below the requested depth (docs/decisions/0020-batches.md).
const DEPTH_PER_BATCH: u32 = 16;

/// Operations that this engine is given at once, at most; `requested` is the plan's key `batch`. An engine that does no work has no queue that could run
/// empty.
pub(super) fn size(kind: &EngineKind, requested: u32, depth: u32) -> u32 {
    match requested {
        _ if !kind.asynchronous => 1,
        0 if kind.does_work => by_depth(depth, kind.batch),
        0 => depth.min(kind.batch),
        batch => batch.min(depth),
    }
}

/// Default; `most` is the engine's own limit.
pub(super) fn by_depth(depth: u32, most: u32) -> u32 {
    (depth / DEPTH_PER_BATCH).clamp(1, most)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engines;

    #[test]
    fn a_batch_is_a_small_part_of_the_queue_unless_the_plan_says_otherwise() {
        let of = |engine: &str, requested, depth| {
            size(engines::by_name(engine).expect("listed"), requested, depth)
        };
        let nfs = [1, 4, 16, 31, 32, 128, 256, 4096].map(|depth| of("nfs", 0, depth));
        assert_eq!(nfs, [1, 1, 1, 1, 2, 8, 16, 16]);
        assert_eq!([of("nfs", 8, 32), of("nfs", 8, 4)], [8, 4]);
        // The generator alone.
        assert_eq!([of("null", 0, 32), of("null", 1, 32)], [32, 1]);
        assert_eq!([of("sync", 0, 1), of("sync", 16, 1)], [1, 1]);
    }
}
