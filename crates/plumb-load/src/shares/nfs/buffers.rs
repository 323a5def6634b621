//! Where do the data of requests and answers lie? In the slots of a worker, or in blocks of the client's own.

use crate::engine::buffers::{Buffers, Region};

/// A part of one block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    /// Number of the block.
    pub block: u32,
    /// First byte in it, and how many.
    pub at: u32,
    pub len: u32,
}

/// Blocks that data is sent from and received into.
pub struct Blocks {
    region: Region,
    count: u32,
    /// Holds the memory when it is the client's own.
    _own: Option<Buffers>,
}

// SAFETY: blocks of its own belong to this value alone. Those of a worker never leave the worker's thread: its engine is not `Send`.
unsafe impl Send for Blocks {}

impl std::fmt::Debug for Blocks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{} blocks of {} bytes",
            self.count, self.region.slot_bytes
        )
    }
}

impl Blocks {
    /// Blocks of its own.
    ///
    /// # Errors
    /// When there is no memory for them.
    pub fn own(count: u32, bytes_each: usize) -> std::io::Result<Blocks> {
        let buffers = Buffers::new(count as usize, bytes_each)?;
        Ok(Blocks {
            region: buffers.region(),
            count,
            _own: Some(buffers),
        })
    }

    /// The slots of a worker.
    ///
    /// # Safety
    /// The region outlives this value, has `count` slots, and nobody else touches a slot while an operation on it is in flight.
    pub unsafe fn of_worker(region: Region, count: u32) -> Blocks {
        Blocks {
            region,
            count,
            _own: None,
        }
    }

    /// Usable bytes of a block.
    pub fn bytes_each(&self) -> usize {
        self.region.slot_bytes
    }

    fn address(&self, part: Part) -> *mut u8 {
        let end = part.at as usize + part.len as usize;
        assert!(
            part.block < self.count && end <= self.region.slot_bytes,
            "{part:?} lies outside of the blocks"
        );
        // SAFETY: inside of the region, as just asserted.
        unsafe {
            self.region
                .base
                .add(part.block as usize * self.region.stride + part.at as usize)
        }
    }

    /// The bytes of a part.
    pub fn get(&self, part: Part) -> &[u8] {
        // SAFETY: inside of the region; written only through `get_mut`, which borrows this value.
        unsafe { std::slice::from_raw_parts(self.address(part), part.len as usize) }
    }

    /// The bytes of a part, mutable.
    pub fn get_mut(&mut self, part: Part) -> &mut [u8] {
        // SAFETY: inside of the region, and `&mut self` makes this the only reference into it.
        unsafe { std::slice::from_raw_parts_mut(self.address(part), part.len as usize) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_apart_and_bounded() {
        let mut blocks = Blocks::own(2, 100).expect("blocks");
        blocks
            .get_mut(Part {
                block: 0,
                at: 0,
                len: 100,
            })
            .fill(1);
        blocks
            .get_mut(Part {
                block: 1,
                at: 10,
                len: 90,
            })
            .fill(2);
        assert!(
            blocks
                .get(Part {
                    block: 0,
                    at: 50,
                    len: 50
                })
                .iter()
                .all(|byte| *byte == 1)
        );
        let beyond = std::panic::catch_unwind(move || {
            blocks
                .get(Part {
                    block: 1,
                    at: 50,
                    len: 51,
                })
                .len()
        });
        assert!(beyond.is_err());
    }
}
