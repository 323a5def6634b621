//! Which checksum does an object store keep with an object, and does what it returns have it?

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use crc::{CRC_32_ISCSI, Crc, Table};
use plumb_model::workload::ObjectChecksum;
use sha2::{Digest, Sha256};

static CRC32C: Crc<u32, Table<16>> = Crc::<u32, Table<16>>::new(&CRC_32_ISCSI);

/// The header of a request and of a reply; `None` without a checksum.
pub fn header(checksum: ObjectChecksum) -> Option<&'static str> {
    match checksum {
        ObjectChecksum::None => None,
        ObjectChecksum::Crc32c => Some("x-amz-checksum-crc32c"),
        ObjectChecksum::Sha256 => Some("x-amz-checksum-sha256"),
    }
}

/// The checksum of an object as its header has it; empty without one.
pub fn of(checksum: ObjectChecksum, content: &[u8]) -> String {
    match checksum {
        ObjectChecksum::None => String::new(),
        ObjectChecksum::Crc32c => BASE64.encode(CRC32C.checksum(content).to_be_bytes()),
        ObjectChecksum::Sha256 => BASE64.encode(Sha256::digest(content)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The check value of CRC-32C is 0xE3069283 (RFC 3720, B.4, of `123456789`); SHA-256 of `abc` is in FIPS 180-2.
    #[test]
    fn checksums_are_those_of_the_standards() {
        assert_eq!(of(ObjectChecksum::Crc32c, b"123456789"), "4waSgw==");
        assert_eq!(
            of(ObjectChecksum::Sha256, b"abc"),
            "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0="
        );
        assert_eq!(of(ObjectChecksum::None, b"abc"), "");
    }
}
