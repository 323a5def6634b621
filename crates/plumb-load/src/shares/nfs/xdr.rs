//! How do numbers and byte strings stand on the wire? XDR (RFC 4506): big-endian, in units of four bytes.

/// A message is truncated or invalid: its sender does not implement NFS.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Garbled;

/// Appends a number of 32 bits.
pub fn put_u32(bytes: &mut Vec<u8>, number: u32) {
    bytes.extend_from_slice(&number.to_be_bytes());
}

/// Appends a number of 64 bits.
pub fn put_u64(bytes: &mut Vec<u8>, number: u64) {
    bytes.extend_from_slice(&number.to_be_bytes());
}

/// Appends a byte string of any length: its length, its bytes, and zeros to the next unit.
pub fn put_opaque(bytes: &mut Vec<u8>, opaque: &[u8]) {
    put_u32(bytes, opaque.len() as u32);
    bytes.extend_from_slice(opaque);
    bytes.resize(bytes.len() + padding(opaque.len()), 0);
}

/// Zeros that follow a byte string of this length.
pub fn padding(len: usize) -> usize {
    len.wrapping_neg() % 4
}

/// Takes one value after the other from a message.
#[derive(Debug, Clone, Copy)]
pub struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    /// Begins at the start of `bytes`.
    pub fn new(bytes: &'a [u8]) -> Reader<'a> {
        Reader { bytes, at: 0 }
    }

    /// How many bytes were taken.
    pub fn position(&self) -> usize {
        self.at
    }

    /// The next `len` bytes, without any padding.
    pub fn take(&mut self, len: usize) -> Result<&'a [u8], Garbled> {
        let end = self.at.checked_add(len).ok_or(Garbled)?;
        let taken = self.bytes.get(self.at..end).ok_or(Garbled)?;
        self.at = end;
        Ok(taken)
    }

    /// A number of 32 bits.
    pub fn u32(&mut self) -> Result<u32, Garbled> {
        self.fixed().map(u32::from_be_bytes)
    }

    /// A number of 64 bits.
    pub fn u64(&mut self) -> Result<u64, Garbled> {
        self.fixed().map(u64::from_be_bytes)
    }

    /// A truth value.
    pub fn bool(&mut self) -> Result<bool, Garbled> {
        Ok(self.u32()? != 0)
    }

    /// So many bytes as an array.
    pub fn fixed<const N: usize>(&mut self) -> Result<[u8; N], Garbled> {
        self.take(N)?.try_into().map_err(|_| Garbled)
    }

    /// A byte string of any length, over its padding.
    pub fn opaque(&mut self) -> Result<&'a [u8], Garbled> {
        let len = self.u32()? as usize;
        let taken = self.take(len)?;
        self.take(padding(len))?;
        Ok(taken)
    }

    /// A byte string as text, whatever it holds.
    pub fn text(&mut self) -> Result<String, Garbled> {
        self.opaque()
            .map(|bytes| String::from_utf8_lossy(bytes).into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_read_back() {
        let mut bytes = Vec::new();
        put_u32(&mut bytes, 7);
        put_u64(&mut bytes, 1 << 40);
        put_opaque(&mut bytes, b"abcde");
        put_opaque(&mut bytes, b"");
        assert_eq!(bytes.len(), 4 + 8 + 4 + 8 + 4);
        let mut reader = Reader::new(&bytes);
        assert_eq!(
            (reader.u32(), reader.u64(), reader.text()),
            (Ok(7), Ok(1 << 40), Ok("abcde".to_string()))
        );
        assert_eq!((reader.opaque(), reader.u32()), (Ok(&[][..]), Err(Garbled)));
    }

    #[test]
    fn a_length_beyond_the_end_is_garbled() {
        for len in [5u32, 1 << 20, u32::MAX] {
            let mut bytes = Vec::new();
            put_u32(&mut bytes, len);
            bytes.extend_from_slice(b"abcd");
            assert_eq!(Reader::new(&bytes).opaque(), Err(Garbled), "{len}");
        }
    }
}
