//! What is written? Random bytes, zeros, or a pattern.

use std::fmt;
use std::str::FromStr;

use crate::text::word::serde_as_text;
use crate::units::UnitError;

/// What is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// Incompressible, and each block different from every other.
    Random,
    /// Incompressible, made once for each buffer; before each write 8 bytes in each sector of 512 are changed, so that no two sectors are equal (fio's
    /// `scramble_buffers`). Cheap, but what compresses across blocks finds them again. Where a job also reads, as `Random`.
    Scrambled,
    /// Incompressible, made once for each buffer and then written again and again: costs nothing in the loop, but repeats itself.
    Reused,
    /// Zeros.
    Zeros,
    /// These bytes, repeated.
    Pattern(Vec<u8>),
}

impl FromStr for Content {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let bad = || {
            UnitError(format!(
                "'{text}' is no content: choose random, scrambled, reused, zeros, or pattern:HEX such as pattern:deadbeef"
            ))
        };
        match text.trim() {
            "random" => Ok(Content::Random),
            "scrambled" => Ok(Content::Scrambled),
            "reused" => Ok(Content::Reused),
            "zeros" => Ok(Content::Zeros),
            other => {
                let hex = other
                    .strip_prefix("pattern:")
                    .filter(|hex| !hex.is_empty() && hex.len() % 2 == 0 && hex.is_ascii())
                    .ok_or_else(bad)?;
                let bytes = (0..hex.len())
                    .step_by(2)
                    .map(|at| u8::from_str_radix(&hex[at..at + 2], 16));
                Ok(Content::Pattern(
                    bytes.collect::<Result<_, _>>().map_err(|_| bad())?,
                ))
            }
        }
    }
}

impl fmt::Display for Content {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Content::Random => write!(f, "random"),
            Content::Scrambled => write!(f, "scrambled"),
            Content::Reused => write!(f, "reused"),
            Content::Zeros => write!(f, "zeros"),
            Content::Pattern(bytes) => {
                write!(f, "pattern:")?;
                bytes.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
            }
        }
    }
}

serde_as_text!(
    Content,
    "Content",
    "random (incompressible, unique), scrambled (random, made once, each sector changed before each write), reused (random, made once and repeated), zeros, or pattern:HEX"
);

/// Blocks that repeated ones are taken from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DedupeSet {
    /// Of each size; at least 1.
    pub blocks: u64,
    /// All workers have the same.
    pub is_shared: bool,
}

impl FromStr for DedupeSet {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let text = text.trim();
        let (count, is_shared) = match text.strip_suffix("shared") {
            Some(count) => (count.trim(), true),
            None => (text, false),
        };
        match count.parse() {
            Ok(blocks) if blocks > 0 => Ok(DedupeSet { blocks, is_shared }),
            _ => Err(UnitError(format!(
                "'{text}' is no set of blocks: write their number, such as 1000, or 1000 shared"
            ))),
        }
    }
}

impl fmt::Display for DedupeSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = if self.is_shared { " shared" } else { "" };
        write!(f, "{}{word}", self.blocks)
    }
}

serde_as_text!(
    DedupeSet,
    "DedupeSet",
    "a number of blocks, such as 1000, or 1000 shared"
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_has_blocks() {
        for text in ["1", "1000 shared"] {
            assert_eq!(text.parse::<DedupeSet>().expect(text).to_string(), text);
        }
        for text in ["", "0", "shared", "-1", "12 blocks"] {
            assert!(text.parse::<DedupeSet>().is_err(), "{text}");
        }
    }
}
