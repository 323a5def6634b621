//! Which bytes at which position identify the content of a device? Facts of the formats' own documentation and headers; libblkid probes the same positions.

/// Where a mark lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Position {
    /// Bytes from the beginning.
    Start(u64),
    /// `back` bytes before the end of the last whole `unit`, and `then` bytes from there on.
    End { unit: u64, back: u64, then: u64 },
}

use Position::Start;

const fn end(unit: u64, back: u64) -> Position {
    Position::End {
        unit,
        back,
        then: 0,
    }
}

const LVM2: &str = "an LVM physical volume";
const LUKS: &str = "a LUKS encrypted volume";
const MD: &str = "a member of an md RAID";
const SWAP: &str = "swap space";
const F2FS: &str = "an F2FS file system";
const UFS: &str = "a UFS file system";
const UDF: &str = "a UDF file system";
const ISO: &str = "an ISO 9660 file system";
const FAT: &str = "a FAT file system";
const BTRFS: &str = "a btrfs file system";
const REISER: &str = "a ReiserFS file system";
const HFS_PLUS: &str = "an HFS+ file system";
const DRBD: &str = "a DRBD volume";
const DDF: &str = "a member of a DDF RAID";
const SQUASHFS: &str = "a squashfs file system";

/// (name, position, bytes).
pub const MAGIC: &[(&str, Position, &[u8])] = &[
    (
        "an ext2, ext3 or ext4 file system",
        Start(0x438),
        &[0x53, 0xEF],
    ),
    ("an XFS file system", Start(0), b"XFSB"),
    // The first superblock and its first copy.
    (BTRFS, Start(0x1_0040), b"_BHRfS_M"),
    (BTRFS, Start(0x400_0040), b"_BHRfS_M"),
    // F2FS_SUPER_MAGIC, and the copy in the next block.
    (F2FS, Start(0x400), &[0x10, 0x20, 0xF5, 0xF2]),
    (F2FS, Start(0x1400), &[0x10, 0x20, 0xF5, 0xF2]),
    (
        "a bcache device",
        Start(0x1018),
        b"\xc6\x85\x73\xf6\x4e\x1a\x45\xca\x82\x65\xf5\x7f\x48\xba\x6d\x81",
    ),
    (
        "a bcachefs file system",
        Start(0x1018),
        b"\xc6\x85\x73\xf6\x66\xce\x90\xa9\xd9\x6a\x60\xcf\x80\x3d\xf7\xef",
    ),
    // A label in one of the first four sectors: LABELONE, and the type 24 bytes later.
    (LVM2, Start(0x018), b"LVM2 001"),
    (LVM2, Start(0x218), b"LVM2 001"),
    (LVM2, Start(0x418), b"LVM2 001"),
    (LVM2, Start(0x618), b"LVM2 001"),
    ("an LVM1 physical volume", Start(0), b"HM\x01\0"),
    (LUKS, Start(0), b"LUKS\xba\xbe"),
    // The second header of LUKS2, at each of its possible positions.
    (LUKS, Start(0x4000), b"SKUL\xba\xbe"),
    (LUKS, Start(0x8000), b"SKUL\xba\xbe"),
    (LUKS, Start(0x1_0000), b"SKUL\xba\xbe"),
    (LUKS, Start(0x2_0000), b"SKUL\xba\xbe"),
    (LUKS, Start(0x4_0000), b"SKUL\xba\xbe"),
    (LUKS, Start(0x8_0000), b"SKUL\xba\xbe"),
    (LUKS, Start(0x10_0000), b"SKUL\xba\xbe"),
    (LUKS, Start(0x20_0000), b"SKUL\xba\xbe"),
    (LUKS, Start(0x40_0000), b"SKUL\xba\xbe"),
    ("a BitLocker volume", Start(3), b"-FVE-FS-"),
    // md(4): 1.1 at the beginning, 1.2 at 4 KiB, 1.0 and 0.90 at the end; 0.90 in the byte order of its machine.
    (MD, Start(0), &[0xFC, 0x4E, 0x2B, 0xA9]),
    (MD, Start(4096), &[0xFC, 0x4E, 0x2B, 0xA9]),
    (MD, end(4096, 8192), &[0xFC, 0x4E, 0x2B, 0xA9]),
    (MD, end(65_536, 65_536), &[0xFC, 0x4E, 0x2B, 0xA9]),
    (MD, end(65_536, 65_536), &[0xA9, 0x2B, 0x4E, 0xFC]),
    (
        "a member of an Intel RAID",
        end(512, 1024),
        b"Intel Raid ISM Cfg Sig. ",
    ),
    ("a member of an NVIDIA RAID", end(512, 1024), b"NVIDIA"),
    (DDF, end(512, 512), &[0xDE, 0x11, 0xDE, 0x11]),
    (DDF, end(512, 257 * 512), &[0xDE, 0x11, 0xDE, 0x11]),
    (
        DRBD,
        Position::End {
            unit: 4096,
            back: 4096,
            then: 60,
        },
        &[0x83, 0x74, 0x02, 0x6B],
    ),
    (
        DRBD,
        Position::End {
            unit: 4096,
            back: 4096,
            then: 60,
        },
        &[0x83, 0x74, 0x02, 0x6C],
    ),
    (
        DRBD,
        Position::End {
            unit: 4096,
            back: 4096,
            then: 60,
        },
        &[0x83, 0x74, 0x02, 0x6D],
    ),
    (
        "a Stratis pool member",
        Start(516),
        b"!Stra0tis\x86\xff\x02^\x41rh",
    ),
    ("a VDO volume", Start(0), b"dmvdo001"),
    (
        "a member of a Ceph cluster",
        Start(0),
        b"bluestore block device",
    ),
    ("an Oracle ASM disk", Start(32), b"ORCLDISK"),
    ("a VMFS volume", Start(0x10_0000), &[0x0D, 0xD0, 0x01, 0xC0]),
    (
        "a VMFS file system",
        Start(0x20_0000),
        &[0x5E, 0xF1, 0xAB, 0x2F],
    ),
    // A page of 4, 8, 16, 32 or 64 KiB ends in it.
    (SWAP, Start(0x0FF6), b"SWAPSPACE2"),
    (SWAP, Start(0x1FF6), b"SWAPSPACE2"),
    (SWAP, Start(0x3FF6), b"SWAPSPACE2"),
    (SWAP, Start(0x7FF6), b"SWAPSPACE2"),
    (SWAP, Start(0xFFF6), b"SWAPSPACE2"),
    (
        "the image of a suspended machine",
        Start(0x0FF6),
        b"S1SUSPEND",
    ),
    (ISO, Start(0x8001), b"CD001"),
    (ISO, Start(0x8009), b"CDROM"),
    (UDF, Start(0x8001), b"BEA01"),
    (UDF, Start(0x8001), b"NSR0"),
    (UDF, Start(0x8801), b"NSR0"),
    ("an NTFS file system", Start(3), b"NTFS    "),
    ("a ReFS file system", Start(3), b"ReFS"),
    ("an exFAT file system", Start(3), b"EXFAT   "),
    (FAT, Start(0x36), b"FAT1"),
    (FAT, Start(0x52), b"FAT32   "),
    ("an HFS file system", Start(0x400), b"BD"),
    (HFS_PLUS, Start(0x400), b"H+\0\x04"),
    (HFS_PLUS, Start(0x400), b"HX\0\x05"),
    ("an APFS container", Start(32), b"NXSB"),
    (SQUASHFS, Start(0), b"hsqs"),
    (SQUASHFS, Start(0), b"sqsh"),
    (
        "an EROFS file system",
        Start(0x400),
        &[0xE2, 0xE1, 0xF5, 0xE0],
    ),
    ("a cramfs file system", Start(0), &[0x45, 0x3D, 0xCD, 0x28]),
    ("a JFS file system", Start(0x8000), b"JFS1"),
    ("a NILFS2 file system", Start(0x406), &[0x34, 0x34]),
    (REISER, Start(0x1_0034), b"ReIsErFs"),
    (REISER, Start(0x1_0034), b"ReIsEr2Fs"),
    (REISER, Start(0x1_0034), b"ReIsEr3Fs"),
    ("a Reiser4 file system", Start(0x1_0000), b"ReIsEr4"),
    ("an OCFS2 file system", Start(0x400), b"OCFSV2"),
    ("an OCFS2 file system", Start(0x800), b"OCFSV2"),
    ("an OCFS2 file system", Start(0x1000), b"OCFSV2"),
    (
        "a GFS2 file system",
        Start(0x1_0000),
        &[0x01, 0x16, 0x19, 0x70],
    ),
    // UFS1 and UFS2: fs_magic, 1372 bytes into a superblock at 8, 64 or 256 KiB, in either byte order.
    (UFS, Start(0x2000 + 1372), &[0x54, 0x19, 0x01, 0x00]),
    (UFS, Start(0x2000 + 1372), &[0x00, 0x01, 0x19, 0x54]),
    (UFS, Start(0x1_0000 + 1372), &[0x19, 0x01, 0x54, 0x19]),
    (UFS, Start(0x1_0000 + 1372), &[0x19, 0x54, 0x01, 0x19]),
    (UFS, Start(0x4_0000 + 1372), &[0x19, 0x01, 0x54, 0x19]),
    (
        "a Veritas file system",
        Start(0x400),
        &[0xF5, 0xFC, 0x01, 0xA5],
    ),
    // Disk labels of other systems.
    ("a Sun disk label", Start(508), &[0xDA, 0xBE]),
    ("an SGI disk label", Start(0), &[0x0B, 0xE5, 0xA9, 0x41]),
    ("an Apple partition map", Start(512), b"PM\0\0"),
    ("an AIX disk label", Start(0), &[0xC9, 0xC2, 0xD4, 0xC1]),
    (
        "a DragonFly disk label",
        Start(512),
        &[0x59, 0x4C, 0x46, 0xC4],
    ),
];
