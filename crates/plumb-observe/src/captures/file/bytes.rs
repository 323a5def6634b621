//! Which number is encoded in bytes of a given byte order?

/// Byte order of a file or section.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    Little,
    Big,
}

impl Order {
    /// Two bytes at this offset; `None` if there are none.
    pub fn u16(self, bytes: &[u8], at: usize) -> Option<u16> {
        let part = bytes.get(at..)?.first_chunk()?;
        Some(match self {
            Order::Little => u16::from_le_bytes(*part),
            Order::Big => u16::from_be_bytes(*part),
        })
    }

    /// The same of four.
    pub fn u32(self, bytes: &[u8], at: usize) -> Option<u32> {
        let part = bytes.get(at..)?.first_chunk()?;
        Some(match self {
            Order::Little => u32::from_le_bytes(*part),
            Order::Big => u32::from_be_bytes(*part),
        })
    }

    /// The same of eight.
    pub fn u64(self, bytes: &[u8], at: usize) -> Option<u64> {
        let part = bytes.get(at..)?.first_chunk()?;
        Some(match self {
            Order::Little => u64::from_le_bytes(*part),
            Order::Big => u64::from_be_bytes(*part),
        })
    }
}
