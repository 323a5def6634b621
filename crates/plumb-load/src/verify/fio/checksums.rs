//! What stands behind fio's header of a block: which checksum of its data, in which bytes?
//!
//! fio's own: its CRCs have no final inversion, and its SHA-256 and SHA-512 contain more than the digest. What is stored is what fio 3.33 and 3.42 store.

use md5::Md5;
use plumb_model::workload::FioCheck;
use sha1::Sha1;
use sha2::{Digest, Sha512};

use super::keccak::sha3;

/// Longest of all, in bytes.
pub(super) const BYTES_MAX: usize = 128;

/// Length of the checksum in bytes; 0: none.
pub(super) fn bytes(check: FioCheck) -> usize {
    match check {
        FioCheck::Meta | FioCheck::PatternHeader | FioCheck::Pattern => 0,
        FioCheck::Crc7 => 1,
        FioCheck::Crc16 => 2,
        FioCheck::Crc32 | FioCheck::Crc32c | FioCheck::Crc32cIntel | FioCheck::Xxhash => 4,
        FioCheck::Crc64 => 8,
        FioCheck::Md5 => 16,
        FioCheck::Sha1 => 20,
        FioCheck::Sha3At224 => 28,
        FioCheck::Sha3At256 => 32,
        FioCheck::Sha3At384 => 48,
        FioCheck::Sha256 | FioCheck::Sha3At512 => 64,
        FioCheck::Sha512 => 128,
    }
}

/// Fills `sum`, of the length of [`bytes`], with the checksum of the data.
pub(super) fn fill(check: FioCheck, data: &[u8], sum: &mut [u8]) {
    match check {
        FioCheck::Meta | FioCheck::PatternHeader | FioCheck::Pattern => {}
        FioCheck::Crc7 => sum[0] = crc7(data),
        FioCheck::Crc16 => sum.copy_from_slice(&(CRC16.of(0, data) as u16).to_le_bytes()),
        FioCheck::Crc32 => sum.copy_from_slice(&crc32(data).to_le_bytes()),
        FioCheck::Crc32c | FioCheck::Crc32cIntel => {
            sum.copy_from_slice(&crc32c(data).to_le_bytes());
        }
        FioCheck::Xxhash => sum.copy_from_slice(&xxhash32(data, 1).to_le_bytes()),
        FioCheck::Crc64 => sum.copy_from_slice(&CRC64.of(0, data).to_le_bytes()),
        FioCheck::Md5 => sum.copy_from_slice(&Md5::digest(data)),
        FioCheck::Sha1 => of_sha1(data, sum),
        FioCheck::Sha256 => of_sha256(data, sum),
        FioCheck::Sha512 => of_sha512(data, sum),
        FioCheck::Sha3At224 | FioCheck::Sha3At256 | FioCheck::Sha3At384 | FioCheck::Sha3At512 => {
            sha3(data, sum)
        }
    }
}

/// What fio up to 3.39 stores for sha512, in 128 bytes: no digest, but the first bytes of the data, and over them those after the last full block of 128 bytes. Without
/// that many bytes fio leaves some as they were, here zeros.
pub(super) fn unfinished_sha512(data: &[u8], sum: &mut [u8]) {
    let (first, rest) = (data.get(..128), data.as_chunks::<128>().1);
    match first {
        Some(first) => sum.copy_from_slice(first),
        None => sum.fill(0),
    }
    sum[..rest.len()].copy_from_slice(rest);
}

/// CRC-32C of the header and of data: all ones at the beginning, nothing at the end.
pub(super) fn crc32c(data: &[u8]) -> u32 {
    CRC32C.of(u64::from(u32::MAX), data) as u32
}

/// A CRC whose lowest bit is the first: tables for eight bytes at once ("slicing by 8").
struct Reflected([[u64; 256]; 8]);

static CRC16: Reflected = Reflected::new(0xa001);
static CRC32C: Reflected = Reflected::new(0x82f6_3b78);
static CRC64: Reflected = Reflected::new(0x95ac_9329_ac4b_c9b5);

impl Reflected {
    const fn new(polynomial: u64) -> Reflected {
        let mut tables = [[0; 256]; 8];
        let mut byte = 0;
        while byte < 256 {
            let (mut rest, mut bit) = (byte as u64, 0);
            while bit < 8 {
                rest = (rest >> 1) ^ ((rest & 1) * polynomial);
                bit += 1;
            }
            tables[0][byte] = rest;
            byte += 1;
        }
        let mut table = 1;
        while table < 8 {
            let mut byte = 0;
            while byte < 256 {
                let before = tables[table - 1][byte];
                tables[table][byte] = (before >> 8) ^ tables[0][(before & 0xff) as usize];
                byte += 1;
            }
            table += 1;
        }
        Reflected(tables)
    }

    fn of(&self, start: u64, data: &[u8]) -> u64 {
        let (words, rest) = data.as_chunks::<8>();
        let mut crc = start;
        for word in words {
            let bytes = (crc ^ u64::from_le_bytes(*word)).to_le_bytes();
            crc = 0;
            for (table, byte) in self.0.iter().rev().zip(bytes) {
                crc ^= table[usize::from(byte)];
            }
        }
        for byte in rest {
            crc = (crc >> 8) ^ self.0[0][usize::from(crc as u8 ^ byte)];
        }
        crc
    }
}

/// The CRC of POSIX cksum without the length and the inversion: the highest bit is the first.
fn crc32(data: &[u8]) -> u32 {
    static TABLE: [u32; 256] = {
        let mut table = [0; 256];
        let mut byte = 0;
        while byte < 256 {
            let (mut rest, mut bit) = ((byte as u32) << 24, 0);
            while bit < 8 {
                rest = (rest << 1) ^ ((rest >> 31) * 0x04c1_1db7);
                bit += 1;
            }
            table[byte] = rest;
            byte += 1;
        }
        table
    };
    let next = |crc: u32, byte: &u8| (crc << 8) ^ TABLE[usize::from((crc >> 24) as u8 ^ byte)];
    data.iter().fold(0, next)
}

/// x^7 + x^3 + 1, the highest bit first.
fn crc7(data: &[u8]) -> u8 {
    static TABLE: [u8; 256] = {
        let mut table = [0; 256];
        let mut byte = 0;
        while byte < 256 {
            let (mut rest, mut bit) = (byte as u8, 0);
            while bit < 8 {
                let is_out = rest & 0x80 != 0;
                rest = (rest << 1) ^ if is_out { 0x09 << 1 } else { 0 };
                bit += 1;
            }
            table[byte] = rest >> 1;
            byte += 1;
        }
        table
    };
    let next = |crc: u8, byte: &u8| TABLE[usize::from((crc << 1) ^ byte)];
    data.iter().fold(0, next)
}

/// XXH32 (xxHash specification, version 0.1.1).
fn xxhash32(data: &[u8], seed: u32) -> u32 {
    const PRIMES: [u32; 5] = [
        0x9e37_79b1,
        0x85eb_ca77,
        0xc2b2_ae3d,
        0x27d4_eb2f,
        0x1656_67b1,
    ];
    let [p1, p2, p3, p4, p5] = PRIMES;
    let word = |bytes: &[u8; 4]| u32::from_le_bytes(*bytes);
    let (stripes, rest) = data.as_chunks::<16>();
    let mut hash = seed.wrapping_add(p5);
    if !stripes.is_empty() {
        let mut lanes = [
            seed.wrapping_add(p1).wrapping_add(p2),
            seed.wrapping_add(p2),
            seed,
            seed.wrapping_sub(p1),
        ];
        for stripe in stripes {
            for (lane, bytes) in lanes.iter_mut().zip(stripe.as_chunks::<4>().0) {
                let sum = lane.wrapping_add(word(bytes).wrapping_mul(p2));
                *lane = sum.rotate_left(13).wrapping_mul(p1);
            }
        }
        let turned = lanes.iter().zip([1, 7, 12, 18]);
        let turned = turned.map(|(lane, bits)| lane.rotate_left(bits));
        hash = turned.fold(0, u32::wrapping_add);
    }
    hash = hash.wrapping_add(data.len() as u32);
    let (words, bytes) = rest.as_chunks::<4>();
    for bytes in words {
        let sum = hash.wrapping_add(word(bytes).wrapping_mul(p3));
        hash = sum.rotate_left(17).wrapping_mul(p4);
    }
    for byte in bytes {
        let sum = hash.wrapping_add(u32::from(*byte).wrapping_mul(p5));
        hash = sum.rotate_left(11).wrapping_mul(p1);
    }
    hash = (hash ^ (hash >> 15)).wrapping_mul(p2);
    hash = (hash ^ (hash >> 13)).wrapping_mul(p3);
    hash ^ (hash >> 16)
}

/// Each word of the digest in the byte order of the machine.
fn of_sha1(data: &[u8], sum: &mut [u8]) {
    let digest = Sha1::digest(data);
    for (out, word) in sum
        .as_chunks_mut::<4>()
        .0
        .iter_mut()
        .zip(digest.as_chunks::<4>().0)
    {
        let [a, b, c, d] = *word;
        *out = [d, c, b, a];
    }
}

/// The last block that is hashed, padded with the length in bits in little-endian order, where the standard has big-endian, and over its first eight bytes the lowest
/// byte of each word of the state.
fn of_sha256(data: &[u8], sum: &mut [u8]) {
    let mut state: [u32; 8] = [
        0x6a09_e667,
        0xbb67_ae85,
        0x3c6e_f372,
        0xa54f_f53a,
        0x510e_527f,
        0x9b05_688c,
        0x1f83_d9ab,
        0x5be0_cd19,
    ];
    let (blocks, rest) = data.as_chunks::<64>();
    sha2::block_api::compress256(&mut state, blocks);
    let mut padded = [0; 128];
    padded[..rest.len()].copy_from_slice(rest);
    padded[rest.len()] = 0x80;
    let end = if rest.len() < 56 { 64 } else { 128 };
    // fio counts bytes in 32 bits.
    let bits = u64::from(data.len() as u32) << 3;
    padded[end - 8..end].copy_from_slice(&bits.to_le_bytes());
    let last = padded[..end].as_chunks::<64>().0;
    sha2::block_api::compress256(&mut state, last);
    sum.copy_from_slice(&padded[end - 64..end]);
    for (out, word) in sum.iter_mut().zip(state) {
        *out = word as u8;
    }
}

/// The digest, and after it the second half of the last block that is hashed.
fn of_sha512(data: &[u8], sum: &mut [u8]) {
    let (digest, after) = sum.split_at_mut(64);
    digest.copy_from_slice(&Sha512::digest(data));
    let rest = data.as_chunks::<128>().1;
    let mut padded = [0; 256];
    padded[..rest.len()].copy_from_slice(rest);
    padded[rest.len()] = 0x80;
    let end = if rest.len() < 112 { 128 } else { 256 };
    let bits = (data.len() as u128) << 3;
    padded[end - 16..end].copy_from_slice(&bits.to_be_bytes());
    after.copy_from_slice(&padded[end - 64..end]);
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIGITS: &[u8] = b"123456789";

    /// Check values of the catalog of parametrised CRC algorithms (reveng): ARC, ISCSI, MMC, and JONES of fio's polynomial; of xxHash's own tests.
    #[test]
    fn checksums_have_their_published_values() {
        let mut two = [0; 2];
        fill(FioCheck::Crc16, DIGITS, &mut two);
        assert_eq!(u16::from_le_bytes(two), 0xbb3d);
        assert_eq!(!crc32c(DIGITS), 0xe306_9283);
        assert_eq!(crc7(DIGITS), 0x75);
        // CRC-32/CKSUM without the length: POSIX appends it, so that its value is reached by the message with its length.
        assert_eq!(!crc32(b"123456789\x09"), 930_766_865);
        assert_eq!(CRC64.of(0, DIGITS), 0xe9c6_d914_c4b8_d9ca);
        assert_eq!(xxhash32(b"", 0), 0x02cc_5d05);
        assert_eq!(xxhash32(b"abc", 0), 0x32d1_53ff);
        assert_eq!(
            xxhash32(b"Nobody inspects the spammish repetition", 0),
            0xe229_3b2f
        );
    }

    /// Eight bytes at once give what one at a time gives, at every length.
    #[test]
    fn eight_bytes_at_once_are_eight_bytes() {
        let data: Vec<u8> = (0..100_u32).map(|at| (at * 37) as u8).collect();
        for crc in [&CRC16, &CRC32C, &CRC64] {
            for len in 0..data.len() {
                let next =
                    |sum: u64, byte: &u8| (sum >> 8) ^ crc.0[0][usize::from(sum as u8 ^ byte)];
                let slow = data[..len].iter().fold(0xffff, next);
                assert_eq!(crc.of(0xffff, &data[..len]), slow);
            }
        }
    }

    #[test]
    fn each_check_fills_its_bytes() {
        for check in FioCheck::ALL {
            let (mut one, mut other) = ([0; BYTES_MAX], [0; BYTES_MAX]);
            let len = bytes(*check);
            fill(*check, &[1; 300], &mut one[..len]);
            fill(*check, &[2; 300], &mut other[..len]);
            assert_eq!(one[..len] == other[..len], len == 0, "{check}");
        }
    }
}
