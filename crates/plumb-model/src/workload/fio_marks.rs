//! How does fio mark blocks that it verifies, and which of its layouts is asked for?

use std::fmt;
use std::str::FromStr;

use crate::text::word::{serde_as_text, words};
use crate::units::{Bytes, UnitError};

words! {
    /// What fio's option `verify` requests. Their order is that of their numbers in fio's headers (enum in fio's verify.h).
    FioCheck, "a check of fio" {
        /// The header only, with the pattern if there is one.
        Meta = "meta",
        Md5 = "md5",
        Crc64 = "crc64",
        Crc32 = "crc32",
        Crc32c = "crc32c",
        Crc32cIntel = "crc32c-intel",
        Crc16 = "crc16",
        Crc7 = "crc7",
        Sha256 = "sha256",
        Sha512 = "sha512",
        Sha3At224 = "sha3-224",
        Sha3At256 = "sha3-256",
        Sha3At384 = "sha3-384",
        Sha3At512 = "sha3-512",
        Xxhash = "xxhash",
        Sha1 = "sha1",
        /// A pattern below a header.
        PatternHeader = "pattern_hdr",
        /// A pattern without a header.
        Pattern = "pattern",
    }
}

impl FioCheck {
    /// Its number in the header.
    pub fn number(self) -> u8 {
        self as u8 + 1
    }

    /// The check of this number.
    pub fn of_number(number: u8) -> Option<FioCheck> {
        Self::ALL.get(usize::from(number).checked_sub(1)?).copied()
    }
}

/// Layout of fio's header.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FioHeader {
    /// 40 bytes, up to fio 3.40.
    #[default]
    Plain,
    /// 48 bytes with a version, from fio 3.41 on.
    Versioned,
}

words! {
    /// Version of fio in whose form results and verified blocks are written.
    FioVersion, "a version of fio" {
        V3At33 = "3.33",
        V3At42 = "3.42",
    }
}

impl FioVersion {
    /// Its layout of headers.
    pub fn header(self) -> FioHeader {
        match self {
            FioVersion::V3At33 => FioHeader::Plain,
            FioVersion::V3At42 => FioHeader::Versioned,
        }
    }
}

/// A part of a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PatternPart {
    Bytes(Vec<u8>),
    /// `%o`: the offset of the block in its file, 8 bytes, little-endian.
    Offset,
}

/// How fio marks and checks blocks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FioMarks {
    pub check: FioCheck,
    pub header: FioHeader,
    /// A header every so many bytes of a block; missing: one at the beginning of each smallest block.
    pub interval: Option<Bytes>,
    /// Where the header begins in its interval, in bytes.
    pub header_at: Bytes,
    /// Content of blocks; empty: as `content` says.
    pub pattern: Vec<PatternPart>,
    /// The pattern begins anew every so many bytes of a block; missing: at its beginning only.
    pub pattern_interval: Option<Bytes>,
    /// Blocks without a header count as not verified, because it is unknown which blocks were written.
    pub skips_unmarked: bool,
}

impl FioMarks {
    /// Those of an option `verify` alone.
    pub fn of(check: FioCheck) -> FioMarks {
        FioMarks {
            check,
            header: FioHeader::default(),
            interval: None,
            header_at: Bytes(0),
            pattern: Vec::new(),
            pattern_interval: None,
            skips_unmarked: false,
        }
    }

    /// Length of the pattern in bytes.
    pub fn pattern_bytes(&self) -> usize {
        let bytes = self.pattern.iter().map(|part| match part {
            PatternPart::Bytes(bytes) => bytes.len(),
            PatternPart::Offset => 8,
        });
        bytes.sum()
    }
}

fn pattern(text: &str) -> Option<Vec<PatternPart>> {
    let mut parts = Vec::new();
    for (number, piece) in text.split("%o").enumerate() {
        if number > 0 {
            parts.push(PatternPart::Offset);
        }
        let is_hex = piece.len().is_multiple_of(2) && piece.is_ascii();
        let digits = is_hex.then_some(piece)?;
        let bytes = (0..digits.len()).step_by(2);
        let bytes = bytes.map(|at| u8::from_str_radix(&digits[at..at + 2], 16));
        let bytes = bytes.collect::<Result<Vec<u8>, _>>().ok()?;
        if !bytes.is_empty() {
            parts.push(PatternPart::Bytes(bytes));
        }
    }
    Some(parts).filter(|parts| !parts.is_empty())
}

impl FromStr for FioMarks {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let names: Vec<&str> = FioCheck::ALL.iter().map(|check| check.word()).collect();
        let bad = |why: &str| {
            UnitError(format!(
                "'{text}' does not say how fio marks blocks: {why}; write a check of fio ({}), then if needed interval=BYTES header-at=BYTES pattern=HEX (%o: the offset) pattern-interval=BYTES header=3.41 skip-unmarked",
                names.join(", ")
            ))
        };
        let mut words = text.split_whitespace();
        let first = words.next().unwrap_or_default();
        let check = FioCheck::ALL.iter().find(|check| check.word() == first);
        let check = check.ok_or_else(|| bad("it does not begin with a check"))?;
        let mut marks = FioMarks::of(*check);
        for word in words {
            let (name, value) = word.split_once('=').unwrap_or((word, ""));
            let bytes = || value.parse::<Bytes>().ok().filter(|bytes| bytes.0 > 0);
            let is_known = match name {
                "interval" => bytes().map(|bytes| marks.interval = Some(bytes)),
                "header-at" => bytes().map(|bytes| marks.header_at = bytes),
                "pattern" => pattern(value).map(|parts| marks.pattern = parts),
                "pattern-interval" => bytes().map(|bytes| marks.pattern_interval = Some(bytes)),
                "header" if value == "3.41" => {
                    marks.header = FioHeader::Versioned;
                    Some(())
                }
                "skip-unmarked" if value.is_empty() => {
                    marks.skips_unmarked = true;
                    Some(())
                }
                _ => None,
            };
            is_known.ok_or_else(|| bad(&format!("'{word}' is not understood")))?;
        }
        let needs_pattern = [FioCheck::Pattern, FioCheck::PatternHeader].contains(check);
        if needs_pattern && marks.pattern.is_empty() {
            return Err(bad("this check needs a pattern"));
        }
        Ok(marks)
    }
}

impl fmt::Display for FioMarks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.check.word())?;
        if let Some(interval) = self.interval {
            write!(f, " interval={interval}")?;
        }
        if self.header_at.0 > 0 {
            write!(f, " header-at={}", self.header_at)?;
        }
        if !self.pattern.is_empty() {
            write!(f, " pattern=")?;
        }
        for part in &self.pattern {
            match part {
                PatternPart::Bytes(bytes) => {
                    bytes.iter().try_for_each(|byte| write!(f, "{byte:02x}"))?;
                }
                PatternPart::Offset => write!(f, "%o")?,
            }
        }
        if let Some(interval) = self.pattern_interval {
            write!(f, " pattern-interval={interval}")?;
        }
        if self.header == FioHeader::Versioned {
            write!(f, " header=3.41")?;
        }
        if self.skips_unmarked {
            write!(f, " skip-unmarked")?;
        }
        Ok(())
    }
}

serde_as_text!(
    FioMarks,
    "FioMarks",
    "a check of fio (meta, md5, crc64, crc32, crc32c, crc32c-intel, crc16, crc7, sha256, sha512, sha3-224, sha3-256, sha3-384, sha3-512, xxhash, sha1, pattern_hdr, pattern), then if needed interval=BYTES header-at=BYTES pattern=HEX (%o: the offset) pattern-interval=BYTES header=3.41 skip-unmarked"
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_read_as_they_are_written() {
        for text in [
            "md5",
            "crc32c-intel interval=512 header-at=64",
            "pattern pattern=6162%o0a pattern-interval=129",
            "pattern_hdr interval=2k pattern=%o%o header=3.41",
            "meta skip-unmarked",
        ] {
            assert_eq!(text.parse::<FioMarks>().expect(text).to_string(), text);
        }
        for text in [
            "",
            "md6",
            "pattern",
            "md5 interval",
            "md5 interval=0",
            "md5 pattern=abc",
            "md5 pattern=",
            "md5 header=3.40",
            "interval=512 md5",
        ] {
            assert!(text.parse::<FioMarks>().is_err(), "{text}");
        }
    }

    /// As in fio's verify.h: VERIFY_NONE is 0, and VERIFY_NULL comes after all.
    #[test]
    fn numbers_are_those_of_fio() {
        for (name, number) in [
            ("meta", 1),
            ("md5", 2),
            ("crc32c", 5),
            ("crc7", 8),
            ("sha512", 10),
            ("xxhash", 15),
            ("sha1", 16),
            ("pattern_hdr", 17),
            ("pattern", 18),
        ] {
            let check: FioCheck = name.parse().expect(name);
            assert_eq!(check.number(), number, "{name}");
            assert_eq!(FioCheck::of_number(number), Some(check));
        }
        assert_eq!(FioCheck::of_number(0), None);
        assert_eq!(FioCheck::of_number(19), None);
        let pattern: FioMarks = "meta pattern=6162%o".parse().expect("marks");
        assert_eq!(pattern.pattern_bytes(), 10);
    }
}
