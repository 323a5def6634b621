//! Where does a file lie on its device? FS_IOC_FIEMAP (Documentation/filesystems/fiemap.rst).

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;

/// A piece of a file that is contiguous on the storage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    /// Offset in the file, and on the device, in bytes.
    pub logical: u64,
    pub physical: u64,
    pub bytes: u64,
    flags: u32,
}

impl Extent {
    /// Allocated, but never written: FIEMAP_EXTENT_UNWRITTEN.
    pub fn is_unwritten(&self) -> bool {
        self.flags & 0x800 != 0
    }

    /// Another file has the same blocks: FIEMAP_EXTENT_SHARED.
    pub fn is_shared(&self) -> bool {
        self.flags & 0x2000 != 0
    }

    /// `physical` has a meaning: neither FIEMAP_EXTENT_UNKNOWN nor FIEMAP_EXTENT_DATA_INLINE.
    pub fn has_location(&self) -> bool {
        self.flags & (0x2 | 0x200) == 0
    }
}

/// struct fiemap of linux/fiemap.h with room for extents.
#[repr(C)]
struct Fiemap {
    start: u64,
    length: u64,
    flags: u32,
    mapped_extents: u32,
    extent_count: u32,
    reserved: u32,
    extents: [FiemapExtent; EXTENTS],
}

/// struct fiemap_extent of linux/fiemap.h.
#[repr(C)]
#[derive(Clone, Copy)]
struct FiemapExtent {
    logical: u64,
    physical: u64,
    length: u64,
    reserved64: [u64; 2],
    flags: u32,
    reserved: [u32; 3],
}

const EXTENTS: usize = 128;
const FLAG_SYNC: u32 = 1;
const EXTENT_LAST: u32 = 1;
/// `_IOWR('f', 11, struct fiemap)`, where the size is that of the head without extents: 32 bytes. The same on all architectures with the
/// generic layout of ioctl numbers; MIPS, PowerPC and SPARC swap the direction bits.
const FS_IOC_FIEMAP: u32 = 0xC020_660B;

/// Calls `each` for every extent of the file before `end`, in order. `sync`: the file is synced first.
///
/// # Errors
/// The file system has no such map.
pub fn visit(file: &File, end: u64, sync: bool, mut each: impl FnMut(Extent)) -> io::Result<()> {
    let empty = FiemapExtent {
        logical: 0,
        physical: 0,
        length: 0,
        reserved64: [0; 2],
        flags: 0,
        reserved: [0; 3],
    };
    let mut start = 0u64;
    while start < end {
        let mut map = Fiemap {
            start,
            length: end - start,
            flags: if sync { FLAG_SYNC } else { 0 },
            mapped_extents: 0,
            extent_count: EXTENTS as u32,
            reserved: 0,
            extents: [empty; EXTENTS],
        };
        // SAFETY: the descriptor is open, and `map` is a struct fiemap with room for the `extent_count` extents that the kernel may write.
        if unsafe { libc::ioctl(file.as_raw_fd(), FS_IOC_FIEMAP as libc::Ioctl, &raw mut map) } != 0
        {
            return Err(io::Error::last_os_error());
        }
        let found = &map.extents[..(map.mapped_extents as usize).min(EXTENTS)];
        for extent in found {
            each(Extent {
                logical: extent.logical,
                physical: extent.physical,
                bytes: extent.length,
                flags: extent.flags,
            });
        }
        let Some(last) = found.last() else {
            break;
        };
        let next = last.logical.saturating_add(last.length);
        if last.flags & EXTENT_LAST != 0 || next <= start {
            break;
        }
        start = next;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn extents_of_a_file_cover_it_in_order() {
        let path = std::env::temp_dir().join(format!("plumb-fiemap-{}", std::process::id()));
        let mut file = File::create_new(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        file.write_all(&[7; 1 << 20]).unwrap();
        let mut extents = Vec::new();
        match visit(&file, u64::MAX, true, |extent| extents.push(extent)) {
            Ok(()) => {}
            Err(error) => {
                println!("skipped: the temporary folder has no FIEMAP: {error}");
                return;
            }
        }
        let ends = |extent: &Extent| extent.logical + extent.bytes;
        assert!(
            extents
                .windows(2)
                .all(|pair| ends(&pair[0]) <= pair[1].logical)
        );
        assert!(extents.last().is_some_and(|last| ends(last) >= 1 << 20));
        assert!(
            !extents
                .iter()
                .any(|extent| extent.is_unwritten() || extent.is_shared())
        );
        let mut first = Vec::new();
        visit(&file, 4096, false, |extent| first.push(extent)).unwrap();
        assert_eq!(first.len(), 1);
    }
}
