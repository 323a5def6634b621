//! What does `rw` say? Which of reads, writes and trims there are, at random or not, and the blocks and places of each.

use plumb_model::workload::BlockSpan;

/// Names of the directions, in fio's order.
const DIRECTIONS: [&str; 3] = ["read", "write", "trim"];

/// What `rw` says.
#[derive(Debug, Clone, Copy)]
pub struct Access {
    /// Reads, writes and trims: which of them.
    pub uses: [bool; 3],
    pub random: bool,
}

impl Access {
    pub fn writes(&self) -> bool {
        self.uses[1]
    }

    /// Each block is trimmed, and then written.
    pub fn is_trimwrite(&self) -> bool {
        self.uses == [false, true, true]
    }

    /// Values of the directions in use.
    pub fn used<'t>(&self, values: [Option<&'t str>; 3]) -> Vec<Option<&'t str>> {
        values
            .into_iter()
            .zip(self.uses)
            .filter(|(_, used)| *used)
            .map(|(value, _)| value)
            .collect()
    }
}

/// Names of the directions in use.
pub fn names(access: &Access) -> Vec<&'static str> {
    DIRECTIONS
        .into_iter()
        .zip(access.uses)
        .filter(|(_, used)| *used)
        .map(|(name, _)| name)
        .collect()
}

/// Block sizes with their shares.
pub type Sizes = Vec<(BlockSpan, f64)>;

/// Bytes that one operation of these sizes moves on average.
pub fn mean_bytes(sizes: &Sizes) -> f64 {
    let weight: f64 = sizes.iter().map(|(_, share)| share).sum();
    let bytes = sizes.iter().map(|(size, share)| size.mean_bytes() * share);
    bytes.sum::<f64>() / weight
}

/// Blocks and places of a job whose directions differ, or follow the one before in part only.
#[derive(Debug, Clone)]
pub struct Directions {
    /// The option that says so.
    pub option: &'static str,
    /// Of reads, writes and trims, where the job has them.
    pub each: [Option<Direction>; 3],
}

/// Blocks and places of one direction.
#[derive(Debug, Clone, PartialEq)]
pub struct Direction {
    pub sizes: Sizes,
    /// Share of random places in percent.
    pub random_percent: f64,
    /// What random places are multiples of.
    pub align_bytes: u64,
}

impl Directions {
    /// Bytes that one operation of this direction moves on average; `None` when the job has none such.
    pub fn mean_block_bytes(&self, direction: usize) -> Option<f64> {
        let direction = self.each.get(direction)?.as_ref()?;
        Some(mean_bytes(&direction.sizes))
    }
}
