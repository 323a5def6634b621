//! What stands in fio's header of a block (`verify_header` in its verify.h), in either layout?

use plumb_model::workload::{FioCheck, FioHeader};

use super::checksums::crc32c;

/// First bytes of each header.
pub(super) const MAGIC: u16 = 0xacca;
/// Version of headers that have one.
const VERSION: u8 = 0x81;
/// Length of the longer layout.
pub(super) const BYTES_MAX: usize = 48;

/// What a header says of its block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Header {
    pub layout: FioHeader,
    /// Number of the check (`FioCheck::number`).
    pub check: u8,
    /// Bytes from one header to the next.
    pub len: u32,
    pub rand_seed: u64,
    /// Of the interval, in bytes from the start of the file.
    pub offset: u64,
    /// When it was written: seconds and nanoseconds.
    pub time: (u32, u32),
    pub thread: u16,
    /// The how-manieth write of the job; the shorter layout has its lowest 16 bits.
    pub number: u64,
}

/// Length of a header in bytes, without the checksum of the data.
pub(super) fn bytes(layout: FioHeader) -> usize {
    match layout {
        FioHeader::Plain => 40,
        FioHeader::Versioned => 48,
    }
}

/// Layout of the header that begins here; none where there is no header.
pub(super) fn layout(found: &[u8]) -> Option<FioHeader> {
    let (magic, rest) = found.split_first_chunk()?;
    let is_header = u16::from_le_bytes(*magic) == MAGIC;
    is_header.then_some(match rest.first() {
        Some(&VERSION) => FioHeader::Versioned,
        _ => FioHeader::Plain,
    })
}

fn take<const N: usize>(found: &[u8], at: usize) -> [u8; N] {
    let bytes = found.get(at..).and_then(|rest| rest.first_chunk());
    bytes.copied().unwrap_or([0; N])
}

impl Header {
    /// The header in its bytes, with its checksum.
    pub(super) fn written(&self) -> ([u8; BYTES_MAX], usize) {
        let mut out = [0; BYTES_MAX];
        out[..2].copy_from_slice(&MAGIC.to_le_bytes());
        out[4..8].copy_from_slice(&self.len.to_le_bytes());
        out[8..16].copy_from_slice(&self.rand_seed.to_le_bytes());
        out[16..24].copy_from_slice(&self.offset.to_le_bytes());
        out[24..28].copy_from_slice(&self.time.0.to_le_bytes());
        out[28..32].copy_from_slice(&self.time.1.to_le_bytes());
        match self.layout {
            FioHeader::Plain => {
                out[2] = self.check;
                out[32..34].copy_from_slice(&self.thread.to_le_bytes());
                out[34..36].copy_from_slice(&(self.number as u16).to_le_bytes());
            }
            FioHeader::Versioned => {
                (out[2], out[3]) = (VERSION, self.check);
                out[32..40].copy_from_slice(&self.number.to_le_bytes());
                out[40..42].copy_from_slice(&self.thread.to_le_bytes());
            }
        }
        let len = bytes(self.layout);
        let sum = crc32c(&out[..len - 4]);
        out[len - 4..len].copy_from_slice(&sum.to_le_bytes());
        (out, len)
    }

    /// The header at the beginning of these bytes, its checksum, and what that should be; none where there is no header.
    pub(super) fn read(found: &[u8]) -> Option<(Header, u32, u32)> {
        let layout = layout(found)?;
        let len = bytes(layout);
        let all = found.get(..len)?;
        let (check, thread, number) = match layout {
            FioHeader::Plain => (
                all[2],
                take(all, 32),
                u64::from(u16::from_le_bytes(take(all, 34))),
            ),
            FioHeader::Versioned => (all[3], take(all, 40), u64::from_le_bytes(take(all, 32))),
        };
        let header = Header {
            layout,
            check,
            len: u32::from_le_bytes(take(all, 4)),
            rand_seed: u64::from_le_bytes(take(all, 8)),
            offset: u64::from_le_bytes(take(all, 16)),
            time: (
                u32::from_le_bytes(take(all, 24)),
                u32::from_le_bytes(take(all, 28)),
            ),
            thread: u16::from_le_bytes(thread),
            number,
        };
        let sum = u32::from_le_bytes(take(all, len - 4));
        Some((header, sum, crc32c(&all[..len - 4])))
    }

    /// The check by which the block was written.
    pub(super) fn check(&self) -> Option<FioCheck> {
        FioCheck::of_number(self.check)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_reads_as_it_is_written() {
        for layout in [FioHeader::Plain, FioHeader::Versioned] {
            let header = Header {
                layout,
                check: 5,
                len: 4096,
                rand_seed: 0x0123_4567_89ab_cdef,
                offset: 1 << 40,
                time: (7, 8),
                thread: 9,
                number: 70_000 - 65_536,
            };
            let (written, len) = header.written();
            let (read, sum, right) = Header::read(&written[..len]).expect("a header");
            assert_eq!((read, sum), (header, right));
            for at in 2..len {
                let mut damaged = written;
                damaged[at] ^= 1;
                let found = Header::read(&damaged[..len.max(48)]);
                assert!(
                    found.is_none_or(|(_, sum, right)| sum != right),
                    "byte {at}"
                );
            }
        }
        assert_eq!(Header::read(&[0; 48]), None);
        assert_eq!(Header::read(&[0xca, 0xac, 0x81]), None);
    }
}
