//! What stands behind fio's header of a block: which checksum of its data, in which bytes?
//!
//! fio's own: its CRCs have no final inversion, and its SHA-256 and SHA-512 contain more than the digest. What is stored is what fio 3.33 and 3.42 store.

use crc::{Algorithm, CRC_7_MMC, CRC_16_ARC, CRC_32_CKSUM, CRC_32_ISCSI, CRC_64_REDIS, Crc, Table};
use md5::Md5;
use plumb_model::workload::FioCheck;
use sha1::Sha1;
use sha2::{Digest, Sha512};
use sha3::{Sha3_224, Sha3_256, Sha3_384, Sha3_512};
use twox_hash::XxHash32;

static CRC7: Crc<u8> = Crc::<u8>::new(&CRC_7_MMC);
static CRC16: Crc<u16, Table<16>> = Crc::<u16, Table<16>>::new(&CRC_16_ARC);
/// As POSIX cksum, without its inversion.
static CRC32: Crc<u32, Table<16>> = Crc::<u32, Table<16>>::new(&Algorithm {
    xorout: 0,
    ..CRC_32_CKSUM
});
/// Without the inversion.
static CRC32C: Crc<u32, Table<16>> = Crc::<u32, Table<16>>::new(&Algorithm {
    xorout: 0,
    ..CRC_32_ISCSI
});
static CRC64: Crc<u64, Table<16>> = Crc::<u64, Table<16>>::new(&CRC_64_REDIS);

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
        FioCheck::Crc7 => sum[0] = CRC7.checksum(data),
        FioCheck::Crc16 => sum.copy_from_slice(&CRC16.checksum(data).to_le_bytes()),
        FioCheck::Crc32 => sum.copy_from_slice(&CRC32.checksum(data).to_le_bytes()),
        FioCheck::Crc32c | FioCheck::Crc32cIntel => {
            sum.copy_from_slice(&crc32c(data).to_le_bytes());
        }
        FioCheck::Xxhash => sum.copy_from_slice(&XxHash32::oneshot(1, data).to_le_bytes()),
        FioCheck::Crc64 => sum.copy_from_slice(&CRC64.checksum(data).to_le_bytes()),
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
    CRC32C.checksum(data)
}

/// SHA3-224, -256, -384 or -512, by the length of the digest.
fn sha3(data: &[u8], sum: &mut [u8]) {
    match sum.len() {
        28 => sum.copy_from_slice(&Sha3_224::digest(data)),
        32 => sum.copy_from_slice(&Sha3_256::digest(data)),
        48 => sum.copy_from_slice(&Sha3_384::digest(data)),
        _ => sum.copy_from_slice(&Sha3_512::digest(data)),
    }
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

    /// Check values of the catalog of parametrised CRC algorithms (reveng), without the inversion at the end where fio has none; of xxHash with fio's seed of 1, and
    /// examples of NIST for SHA-3.
    #[test]
    fn checksums_have_their_published_values() {
        let of = |check: FioCheck, data: &[u8]| {
            let mut sum = vec![0; bytes(check)];
            fill(check, data, &mut sum);
            sum
        };
        assert_eq!(of(FioCheck::Crc7, DIGITS), [0x75]);
        assert_eq!(of(FioCheck::Crc16, DIGITS), 0xbb3d_u16.to_le_bytes());
        assert_eq!(
            of(FioCheck::Crc32c, DIGITS),
            (!0xe306_9283_u32).to_le_bytes()
        );
        // POSIX cksum appends the length of the message.
        let with_length = b"123456789\x09";
        assert_eq!(
            of(FioCheck::Crc32, with_length),
            (!930_766_865_u32).to_le_bytes()
        );
        assert_eq!(
            of(FioCheck::Crc64, DIGITS),
            0xe9c6_d914_c4b8_d9ca_u64.to_le_bytes()
        );
        assert_eq!(of(FioCheck::Xxhash, b""), 0x0b2c_b792_u32.to_le_bytes());
        for (check, abc) in [
            (FioCheck::Sha3At224, "e642824c3f8cf24a"),
            (FioCheck::Sha3At256, "3a985da74fe225b2"),
            (FioCheck::Sha3At384, "ec01498288516fc9"),
            (FioCheck::Sha3At512, "b751850b1a57168a"),
        ] {
            let digest = of(check, b"abc");
            let hex: String = digest[..8]
                .iter()
                .map(|byte| format!("{byte:02x}"))
                .collect();
            assert_eq!(hex, abc, "{check}");
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
