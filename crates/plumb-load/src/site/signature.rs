//! What does a block device hold, by the marks that file systems, volume managers and partition tables leave at its beginning?

/// Bytes from the beginning of a device that [`recognise`] wants to see; fewer are taken as they are.
pub const HEAD_BYTES: usize = 68 << 10;

/// What was recognised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Signature {
    pub name: &'static str,
    /// The device is divided: more than one thing may live on it.
    pub partition_table: bool,
}

/// (name, offset, bytes): the places that libblkid probes, see util-linux libblkid/src/superblocks.
const MAGIC: &[(&str, usize, &[u8])] = &[
    ("an ext2, ext3 or ext4 file system", 0x438, &[0x53, 0xEF]),
    ("an XFS file system", 0, b"XFSB"),
    ("a btrfs file system", 0x1_0040, b"_BHRfS_M"),
    ("an NTFS file system", 3, b"NTFS    "),
    ("an exFAT file system", 3, b"EXFAT   "),
    ("a FAT file system", 0x36, b"FAT1"),
    ("a FAT file system", 0x52, b"FAT32   "),
    ("a squashfs file system", 0, b"hsqs"),
    ("swap space", 4086, b"SWAPSPACE2"),
    ("a LUKS encrypted volume", 0, b"LUKS\xba\xbe"),
    ("an LVM physical volume", 0x218, b"LVM2 001"),
    ("a member of an md RAID", 4096, &[0xFC, 0x4E, 0x2B, 0xA9]),
    ("a member of an md RAID", 0, &[0xFC, 0x4E, 0x2B, 0xA9]),
    ("a member of a Ceph cluster", 0, b"bluestore block device"),
];

/// Names what a device holds; `None` when nothing is recognised, which does not mean that it is empty.
pub fn recognise(head: &[u8]) -> Option<Signature> {
    let holds = |at: usize, bytes: &[u8]| head.get(at..at + bytes.len()) == Some(bytes);
    if holds(512, b"EFI PART") || holds(4096, b"EFI PART") {
        return Some(Signature { name: "a GPT partition table", partition_table: true });
    }
    if let Some((name, _, _)) = MAGIC.iter().find(|(_, at, bytes)| holds(*at, bytes)) {
        return Some(Signature { name, partition_table: false });
    }
    holds_partition_entry(head).then_some(Signature { name: "an MBR partition table", partition_table: true })
}

/// An MBR ends in 55 AA and has four entries of 16 bytes at 446: boot flag, ..., type at 4, first sector at 8, sectors at 12.
fn holds_partition_entry(head: &[u8]) -> bool {
    let Some(sector) = head.get(..512).filter(|sector| sector[510..] == [0x55, 0xAA]) else { return false };
    let entries = sector[446..510].chunks_exact(16);
    let valid = entries.clone().all(|entry| matches!(entry[0], 0x00 | 0x80));
    valid && entries.into_iter().any(|entry| entry[4] != 0 && entry[12..16] != [0; 4])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(at: usize, bytes: &[u8]) -> Vec<u8> {
        let mut head = vec![0; HEAD_BYTES];
        head[at..at + bytes.len()].copy_from_slice(bytes);
        head
    }

    #[test]
    fn every_magic_is_recognised_and_fits_into_the_head() {
        for (name, at, bytes) in MAGIC {
            assert_eq!(recognise(&head(*at, bytes)), Some(Signature { name, partition_table: false }));
        }
        assert_eq!(recognise(&head(0, &[])), None);
        assert_eq!(recognise(&[]), None);
    }

    #[test]
    fn partition_tables_are_recognised() {
        for at in [512, 4096] {
            assert!(recognise(&head(at, b"EFI PART")).expect("GPT").partition_table);
        }
        let mut mbr = head(510, &[0x55, 0xAA]);
        assert_eq!(recognise(&mbr), None, "a boot sector without an entry");
        mbr[446..462].copy_from_slice(&[0x80, 0, 0, 0, 0x83, 0, 0, 0, 0, 8, 0, 0, 0, 16, 0, 0]);
        assert!(recognise(&mbr).expect("MBR").partition_table);
    }
}
