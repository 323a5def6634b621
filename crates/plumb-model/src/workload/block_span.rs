//! How long is one operation? One size, or every multiple of the smallest up to the largest.

use std::fmt;
use std::str::FromStr;

use crate::units::{Bytes, UnitError};
use crate::workload::Weighted;

/// A block size, or several: all multiples of `from` up to `to`, each as often as the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockSpan {
    pub from: Bytes,
    /// A multiple of `from`.
    pub to: Bytes,
}

impl BlockSpan {
    /// One size.
    pub const fn one(size: Bytes) -> BlockSpan {
        BlockSpan {
            from: size,
            to: size,
        }
    }

    /// The size, where there is but one.
    pub fn only(self) -> Option<Bytes> {
        (self.from == self.to).then_some(self.from)
    }

    /// How many sizes there are.
    pub fn count(self) -> u64 {
        self.to.0.checked_div(self.from.0).unwrap_or(1)
    }

    /// The mean size in bytes.
    pub fn mean_bytes(self) -> f64 {
        (self.from.0 as f64 + self.to.0 as f64) / 2.0
    }
}

impl Weighted<BlockSpan> {
    /// The size, where there is but one.
    pub fn only_size(&self) -> Option<Bytes> {
        match self.0.as_slice() {
            [(size, _)] => size.only(),
            _ => None,
        }
    }
}

impl From<Bytes> for BlockSpan {
    fn from(size: Bytes) -> BlockSpan {
        BlockSpan::one(size)
    }
}

impl FromStr for BlockSpan {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let Some((from, to)) = text.split_once('-') else {
            return text.parse().map(BlockSpan::one);
        };
        let (from, to): (Bytes, Bytes) = (from.trim().parse()?, to.trim().parse()?);
        if from.0 == 0 || from > to || !to.0.is_multiple_of(from.0) {
            return Err(UnitError(format!(
                "'{text}' is no range of block sizes: write the smallest size and a multiple of it, such as 512-1m"
            )));
        }
        Ok(BlockSpan { from, to })
    }
}

impl fmt::Display for BlockSpan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.only() {
            Some(size) => write!(f, "{size}"),
            None => write!(f, "{}-{}", self.from, self.to),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_one_size_or_a_range() {
        for (text, count, mean_bytes, shown) in [
            ("4k", 1, 4096.0, "4k"),
            ("512-1m", 2048, 524_544.0, "512-1m"),
            ("1k - 4k", 4, 2560.0, "1k-4k"),
            ("4k-4k", 1, 4096.0, "4k"),
        ] {
            let span: BlockSpan = text.parse().expect(text);
            assert_eq!(
                (span.count(), span.mean_bytes(), span.to_string().as_str()),
                (count, mean_bytes, shown)
            );
        }
        for text in ["4k-1k", "0-4k", "3k-10k", "x", "1k-", "1k-2k-4k"] {
            assert!(text.parse::<BlockSpan>().is_err(), "{text}");
        }
    }
}
