//! What is one packet of a capture file, and why can reading stop?

/// Largest plausible packet: jumbo frames and offloaded segments are far below.
pub const PACKET_BYTES_MAX: u32 = 16 << 20;

/// One packet as it was captured.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Packet<'a> {
    /// Nanoseconds since 1970 (UTC); missing where the file has none.
    pub at_ns: Option<u64>,
    /// Kind of link, by its LINKTYPE_ number.
    pub link: u32,
    pub bytes: &'a [u8],
    /// Length on the wire; more than `bytes` if it was truncated.
    pub wire_bytes: u32,
}

/// Why no more packets come.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    #[error("it cannot be read: {0}")]
    Read(#[from] std::io::Error),
    /// It does not begin like a capture.
    #[error("{0}")]
    Foreign(&'static str),
    /// Invalid from this byte on.
    #[error("damaged at byte {0}")]
    Damaged(u64),
    /// It ends within the packet that begins at this byte.
    #[error("truncated at byte {0}")]
    Cut(u64),
}
