//! How long are the blocks of a workload, what are its places multiples of, and what must a buffer hold?

use super::access::{AccessLines, greatest_common_divisor};
use super::{Offsets, OperationKind, Workload};
use crate::units::Bytes;

/// Zones that a worker goes over one after the other, all in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ZoneSteps {
    /// What is done in a zone before the next one begins.
    pub bytes: u64,
    pub range_bytes: u64,
    pub skip_bytes: u64,
}

impl Workload {
    /// The zones, where `zone-size` or `segment-block` is written.
    pub fn zone_steps(&self) -> Option<ZoneSteps> {
        if let Some(segments) = self.segments() {
            return Some(segments);
        }
        let size = self.zone_size.filter(|size| size.0 > 0)?;
        Some(ZoneSteps {
            bytes: size.0,
            range_bytes: self
                .zone_range
                .filter(|range| range.0 > 0)
                .unwrap_or(size)
                .0,
            skip_bytes: self.zone_skip.unwrap_or_default().0,
        })
    }

    /// The largest block size, in bytes: buffers are this long.
    pub fn largest_block_bytes(&self) -> u64 {
        let sizes = self.block.0.iter().map(|(block, _)| block.to.0);
        sizes.max().unwrap_or(0)
    }

    /// The block size, when there is but one.
    pub fn only_block(&self) -> Option<Bytes> {
        self.block.only_size()
    }

    /// The largest size of a file of the set, in bytes.
    pub fn largest_file_bytes(&self) -> u64 {
        self.file_size
            .map_or_else(|| self.largest_block_bytes(), |sizes| sizes.to_bytes)
    }

    /// The smallest size of a file of the set, in bytes.
    pub fn smallest_file_bytes(&self) -> u64 {
        self.file_size
            .map_or_else(|| self.smallest_block_bytes(), |sizes| sizes.from_bytes)
    }

    /// The expected size of a file of the set, in bytes: sizes are drawn uniformly.
    pub fn mean_file_bytes(&self) -> u64 {
        self.smallest_file_bytes()
            .midpoint(self.largest_file_bytes())
    }

    /// What a buffer must hold, in bytes: the largest block, or the largest file that is made or read; nothing for trims.
    pub fn buffer_bytes(&self) -> u64 {
        let moves = self
            .mix
            .0
            .iter()
            .any(|(kind, _)| matches!(kind, OperationKind::Create | OperationKind::ReadFile));
        let only_trims = self
            .mix
            .0
            .iter()
            .all(|(kind, _)| *kind == OperationKind::Trim);
        if moves {
            self.largest_block_bytes().max(self.largest_file_bytes())
        } else if only_trims && !self.verify {
            0
        } else {
            self.largest_block_bytes()
        }
    }

    /// The smallest block size, in bytes: offsets are multiples of it, unless there is an access specification.
    pub fn smallest_block_bytes(&self) -> u64 {
        self.block
            .0
            .iter()
            .map(|(block, _)| block.from.0)
            .min()
            .unwrap_or(0)
    }

    /// The number that all offsets and lengths are multiples of, in bytes.
    pub fn unit_bytes(&self) -> u64 {
        let of_blocks = || {
            let (smallest, align) = (self.smallest_block_bytes(), self.offset_unit_bytes());
            greatest_common_divisor(smallest, align)
        };
        self.access
            .as_ref()
            .map_or_else(of_blocks, AccessLines::unit_bytes)
    }

    /// What places of blocks are multiples of, in bytes, unless there is an access specification.
    pub fn offset_unit_bytes(&self) -> u64 {
        self.align
            .map_or_else(|| self.smallest_block_bytes(), |align| align.0)
    }

    /// The step of a strided order in bytes.
    pub fn stride_bytes(&self) -> Option<u64> {
        match self.offsets {
            Offsets::Strided(step) => Some(step.0),
            Offsets::StridedBlocks(count) => {
                Some(count.saturating_mul(self.smallest_block_bytes()))
            }
            _ => None,
        }
    }
}
