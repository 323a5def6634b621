//! What does a block device hold, by the marks that file systems, volume managers, RAID and partition tables leave at its beginning and its end?

mod blkid;
mod magic;

use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use magic::{MAGIC, Position};

/// Most contents that a message names.
const NAMED_MAX: usize = 3;
const KIB: u64 = 1 << 10;

/// Names what a device holds, as `an XFS file system`; plumb's own list first, then what blkid(8) recognises beyond it, where it is installed. Empty when
/// nothing is recognised, which does not mean that the device is empty. An unreadable position counts as empty.
pub fn contents(device: &mut (impl Read + Seek), path: &Path) -> Vec<String> {
    let mut found: Vec<String> = recognise(device).into_iter().map(str::to_owned).collect();
    if found.is_empty() {
        found.extend(blkid::contents(path));
    }
    found.truncate(NAMED_MAX);
    found
}

/// What plumb's own list recognises, each once.
fn recognise(device: &mut (impl Read + Seek)) -> Vec<&'static str> {
    let size = device.seek(SeekFrom::End(0)).unwrap_or(0);
    let mut image = Image { device, size };
    let mut found = Vec::new();
    let mut add = |name, holds: bool| {
        if holds && !found.contains(&name) {
            found.push(name);
        }
    };
    add(
        "a GPT partition table",
        [512, 4096].iter().any(|at| image.holds(*at, b"EFI PART")),
    );
    // The copy lies in the last block. Programs that make and repair tables restore the first from it.
    let copies = [512, 4096].map(|block| image.before_end(block, block));
    add(
        "the copy of a GPT partition table at its end",
        copies
            .iter()
            .flatten()
            .any(|at| image.holds(*at, b"EFI PART")),
    );
    add("a ZFS pool member", image.holds_zfs_label());
    add("a BSD disk label", image.holds_bsd_label());
    for (name, position, bytes) in MAGIC {
        let at = match *position {
            Position::Start(at) => Some(at),
            Position::End { unit, back, then } => image.before_end(unit, back).map(|at| at + then),
        };
        add(name, at.is_some_and(|at| image.holds(at, bytes)));
    }
    // A protective MBR adds nothing to its GPT, and boot sectors of file systems have an MBR's signature.
    if found.is_empty() && holds_partition_entry(&image.bytes(0, 512)) {
        found.push("an MBR partition table");
    }
    found
}

/// A device of which some positions are read.
struct Image<'a, D> {
    device: &'a mut D,
    size: u64,
}

impl<D: Read + Seek> Image<'_, D> {
    /// Bytes from `at` on; fewer or none where they cannot be read.
    fn bytes(&mut self, at: u64, len: u64) -> Vec<u8> {
        let mut bytes = Vec::new();
        if self.device.seek(SeekFrom::Start(at)).is_ok() {
            let _ = self.device.by_ref().take(len).read_to_end(&mut bytes);
        }
        bytes
    }

    fn holds(&mut self, at: u64, bytes: &[u8]) -> bool {
        at < self.size && self.bytes(at, bytes.len() as u64) == bytes
    }

    /// The position `back` bytes before the end, rounded down to `unit`.
    fn before_end(&self, unit: u64, back: u64) -> Option<u64> {
        (self.size / unit * unit).checked_sub(back)
    }

    /// Each of four labels of 256 KiB, two at the beginning and two at the end, ends in 128 KiB of uberblocks, which begin with 0x00bab10c in the byte order of
    /// the machine that wrote them (OpenZFS, include/sys/uberblock_impl.h and vdev_impl.h). Uberblocks have 1 KiB or more.
    fn holds_zfs_label(&mut self) -> bool {
        const LABEL: u64 = 256 * KIB;
        let labels = [
            Some(0),
            Some(LABEL),
            self.before_end(LABEL, 2 * LABEL),
            self.before_end(LABEL, LABEL),
        ];
        labels.into_iter().flatten().any(|label| {
            let ring = self.bytes(label + 128 * KIB, 128 * KIB);
            let magic = |block: &[u8]| {
                matches!(
                    block.get(..8),
                    Some([0x0c, 0xb1, 0xba, 0, 0, 0, 0, 0] | [0, 0, 0, 0, 0, 0xba, 0xb1, 0x0c])
                )
            };
            ring.chunks(KIB as usize).any(magic)
        })
    }

    /// The label begins and, 132 bytes later, ends its header with 0x82564557, in either byte order; it lies in the second sector, or in the first at 64 or
    /// 128 (FreeBSD, sys/disklabel.h and LABELSECTOR, LABELOFFSET of its architectures). OpenBSD and NetBSD put it into their partition, too.
    fn holds_bsd_label(&mut self) -> bool {
        [512, 64, 128].into_iter().any(|at| {
            let label = self.bytes(at, 136);
            let magic = |at: usize| {
                matches!(
                    label.get(at..at + 4),
                    Some([0x57, 0x45, 0x56, 0x82] | [0x82, 0x56, 0x45, 0x57])
                )
            };
            magic(0) && magic(132)
        })
    }
}

/// An MBR ends in 55 AA and has four entries of 16 bytes at 446: boot flag, ..., type at 4, first sector at 8, sectors at 12.
fn holds_partition_entry(head: &[u8]) -> bool {
    let Some(sector) = head
        .get(..512)
        .filter(|sector| sector[510..] == [0x55, 0xAA])
    else {
        return false;
    };
    let entries = sector[446..510].chunks_exact(16);
    let valid = entries.clone().all(|entry| matches!(entry[0], 0x00 | 0x80));
    valid
        && entries
            .into_iter()
            .any(|entry| entry[4] != 0 && entry[12..16] != [0; 4])
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    const SIZE: u64 = 66 << 20;

    fn found(size: u64, marks: &[(u64, &[u8])]) -> Vec<&'static str> {
        let mut image = vec![0; size as usize];
        for (at, bytes) in marks {
            image[*at as usize..*at as usize + bytes.len()].copy_from_slice(bytes);
        }
        recognise(&mut Cursor::new(image))
    }

    #[test]
    fn every_magic_is_recognised_alone() {
        let mut image = Cursor::new(vec![0; SIZE as usize]);
        assert!(recognise(&mut image).is_empty());
        for (name, position, bytes) in MAGIC {
            let at = match *position {
                Position::Start(at) => at,
                Position::End { unit, back, then } => SIZE / unit * unit - back + then,
            } as usize;
            image.get_mut()[at..at + bytes.len()].copy_from_slice(bytes);
            assert_eq!(recognise(&mut image), [*name], "{position:?}");
            image.get_mut()[at..at + bytes.len()].fill(0);
        }
        assert!(recognise(&mut Cursor::new(Vec::new())).is_empty());
    }

    #[test]
    fn marks_at_the_end_are_found_at_sizes_that_are_no_full_unit() {
        let md: &[u8] = &[0xFC, 0x4E, 0x2B, 0xA9];
        for size in [
            1_048_576,
            1_048_576 + 512,
            1_048_576 + 7 * 512,
            1_048_576 + 65_024,
        ] {
            assert_eq!(
                found(size, &[(size - 512, b"EFI PART")]),
                ["the copy of a GPT partition table at its end"],
                "{size}"
            );
            // md(4): 0.90 in the last whole 64 KiB; 1.0 at least 8 KiB and less than 12 KiB before the end, at a multiple of 4 KiB.
            assert_eq!(
                found(size, &[((size & !65_535) - 65_536, md)]),
                ["a member of an md RAID"],
                "{size}"
            );
            assert_eq!(
                found(size, &[(((size / 512 - 16) & !7) * 512, md)]),
                ["a member of an md RAID"],
                "{size}"
            );
            // One of the last labels of ZFS.
            let label = (size & !262_143) - 262_144;
            assert_eq!(
                found(
                    size,
                    &[(
                        label + 131_072 + 5 * 1024,
                        &[0x0c, 0xb1, 0xba, 0, 0, 0, 0, 0]
                    )]
                ),
                ["a ZFS pool member"],
                "{size}"
            );
        }
    }

    #[test]
    fn labels_of_bsd_have_both_marks() {
        let (little, big): (&[u8], &[u8]) = (&[0x57, 0x45, 0x56, 0x82], &[0x82, 0x56, 0x45, 0x57]);
        for at in [512, 64, 128] {
            assert_eq!(
                found(1 << 20, &[(at, little), (at + 132, little)]),
                ["a BSD disk label"]
            );
            assert_eq!(
                found(1 << 20, &[(at, big), (at + 132, big)]),
                ["a BSD disk label"]
            );
            assert!(found(1 << 20, &[(at, little)]).is_empty());
        }
    }

    #[test]
    fn partition_tables_are_recognised() {
        for at in [512, 4096] {
            assert_eq!(
                found(1 << 20, &[(at, b"EFI PART")]),
                ["a GPT partition table"]
            );
        }
        assert!(
            found(1 << 20, &[(510, &[0x55, 0xAA])]).is_empty(),
            "a boot sector without an entry"
        );
        let entry = [0x80, 0, 0, 0, 0x83, 0, 0, 0, 0, 8, 0, 0, 0, 16, 0, 0];
        assert_eq!(
            found(1 << 20, &[(510, &[0x55, 0xAA]), (446, &entry)]),
            ["an MBR partition table"]
        );
    }
}
