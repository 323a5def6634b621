//! Where does the data of operations in flight lie? In one aligned region, one slot each.

use std::io;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, Ordering};

/// Alignment of every slot: a page, which satisfies O_DIRECT on every device.
const SLOT_ALIGNMENT: usize = 4096;
/// Alignment of the region: a huge page.
const REGION_ALIGNMENT: usize = 2 << 20;

/// Buffers of one worker: `slots` buffers of `slot_bytes` usable bytes, in one region.
pub struct Buffers {
    base: NonNull<u8>,
    layout: std::alloc::Layout,
    slot_bytes: usize,
    stride: usize,
    slots: usize,
    /// The kernel may still read or write them: see [`Region::leave_to_kernel`].
    left: Box<AtomicBool>,
}

/// Where the buffers lie, as engines need it: slot `n` begins at `base + n * stride`. Valid as long as the [`Buffers`] it came from.
#[derive(Debug, Clone, Copy)]
pub struct Region {
    pub base: *mut u8,
    pub stride: usize,
    /// Usable bytes of a slot.
    pub slot_bytes: usize,
    /// Bytes from the first slot to the end of the last.
    pub bytes: usize,
    left: *const AtomicBool,
}

impl Region {
    /// The kernel has operations on these buffers that did not come back and cannot be cancelled: the memory is never freed. Storage that answers later would
    /// else write into whatever uses that memory by then.
    ///
    /// # Safety
    /// The [`Buffers`] that the region came from are still there.
    pub unsafe fn leave_to_kernel(&self) {
        // SAFETY: as promised by the caller.
        unsafe { (*self.left).store(true, Ordering::Relaxed) };
    }
}

// SAFETY: the region is owned by this value alone and freed with it; moving it to another thread moves nothing in memory.
unsafe impl Send for Buffers {}

impl Buffers {
    /// Allocates the region and touches every page, so that no page fault falls into a measurement.
    ///
    /// # Errors
    /// When the region cannot be had.
    pub fn new(slots: usize, slot_bytes: usize) -> io::Result<Buffers> {
        let stride = slot_bytes.max(1).next_multiple_of(SLOT_ALIGNMENT);
        let too_large = || {
            io::Error::new(
                io::ErrorKind::OutOfMemory,
                format!(
                    "buffers for {slots} operations of {slot_bytes} bytes do not fit in memory: reduce depth or block"
                ),
            )
        };
        let bytes = stride
            .checked_mul(slots.max(1))
            .filter(|bytes| *bytes < isize::MAX as usize / 2)
            .ok_or_else(too_large)?;
        let alignment = if bytes >= REGION_ALIGNMENT {
            REGION_ALIGNMENT
        } else {
            SLOT_ALIGNMENT
        };
        let layout =
            std::alloc::Layout::from_size_align(bytes, alignment).map_err(|_| too_large())?;
        // SAFETY: the layout has a size above 0.
        let base =
            NonNull::new(unsafe { std::alloc::alloc_zeroed(layout) }).ok_or_else(too_large)?;
        let mut buffers = Buffers {
            base,
            layout,
            slot_bytes,
            stride,
            slots: slots.max(1),
            left: Box::default(),
        };
        for slot in 0..buffers.slots as u32 {
            for page in buffers.slot(slot).chunks_mut(SLOT_ALIGNMENT) {
                page[0] = 0x5a;
            }
        }
        Ok(buffers)
    }

    /// Where they lie.
    pub fn region(&self) -> Region {
        let (base, bytes) = (self.base.as_ptr(), self.layout.size());
        Region {
            base,
            stride: self.stride,
            slot_bytes: self.slot_bytes,
            bytes,
            left: &raw const *self.left,
        }
    }

    /// The memory is left to the kernel, and no longer freed.
    pub fn are_left(&self) -> bool {
        self.left.load(Ordering::Relaxed)
    }

    /// The bytes of one slot. Must not be called while an operation on the slot is in flight.
    #[inline(always)]
    pub fn slot(&mut self, slot: u32) -> &mut [u8] {
        assert!(
            (slot as usize) < self.slots,
            "slot {slot} of {}",
            self.slots
        );
        // SAFETY: the slot lies inside the region, and `&mut self` makes this the only reference into it.
        unsafe {
            std::slice::from_raw_parts_mut(
                self.base.as_ptr().add(slot as usize * self.stride),
                self.slot_bytes,
            )
        }
    }
}

impl Drop for Buffers {
    fn drop(&mut self) {
        if self.are_left() {
            return;
        }
        // SAFETY: allocated with this layout, freed once.
        unsafe { std::alloc::dealloc(self.base.as_ptr(), self.layout) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_aligned_and_apart() {
        let mut buffers = Buffers::new(8, 5000).expect("buffers");
        for slot in 0..8 {
            let bytes = buffers.slot(slot);
            assert_eq!((bytes.len(), bytes.as_ptr() as usize % 4096), (5000, 0));
            bytes.fill(slot as u8);
        }
        for slot in 0..8 {
            assert!(buffers.slot(slot).iter().all(|byte| *byte == slot as u8));
        }
        assert!(Buffers::new(usize::MAX / 4096, 1 << 20).is_err());
    }
}
