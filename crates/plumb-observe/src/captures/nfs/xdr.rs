//! How are numbers and texts written in XDR (RFC 4506)? Big-endian words; what has a length is padded to whole words.

/// What is left to be read.
#[derive(Debug, Clone, Copy)]
pub struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub fn of(rest: &'a [u8]) -> Reader<'a> {
        Reader { rest }
    }

    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }

    pub fn u32(&mut self) -> Option<u32> {
        let (word, rest) = self.rest.split_first_chunk()?;
        self.rest = rest;
        Some(u32::from_be_bytes(*word))
    }

    pub fn u64(&mut self) -> Option<u64> {
        let (words, rest) = self.rest.split_first_chunk()?;
        self.rest = rest;
        Some(u64::from_be_bytes(*words))
    }

    pub fn skip(&mut self, bytes: usize) -> Option<()> {
        self.rest = self.rest.get(bytes..)?;
        Some(())
    }

    /// Bytes with their length before them.
    pub fn opaque(&mut self) -> Option<&'a [u8]> {
        let length = usize::try_from(self.u32()?).ok()?;
        let bytes = self.rest.get(..length)?;
        self.skip(length.checked_next_multiple_of(4)?)?;
        Some(bytes)
    }

    /// Words with their number before them.
    pub fn words(&mut self) -> Option<()> {
        let count = usize::try_from(self.u32()?).ok()?;
        self.skip(count.checked_mul(4)?)
    }

    /// Attributes that are there or not: a word that says so, then this many bytes.
    pub fn optional(&mut self, bytes: usize) -> Option<()> {
        match self.u32()? {
            0 => Some(()),
            1 => self.skip(bytes),
            _ => None,
        }
    }

    /// Attributes of version 4: which, and their values.
    pub fn attributes(&mut self) -> Option<()> {
        self.words()?;
        self.opaque().map(drop)
    }
}
