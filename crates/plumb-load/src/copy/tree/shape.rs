//! Which shape does a tree have? One large file, many small ones, or a mix, as the user writes it.

use std::fmt;
use std::str::FromStr;

use plumb_model::units::{Bytes, UnitError};

/// Most files of a tree: each is held in memory.
const FILES_MAX: u64 = 10_000_000;

/// The shape of a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TreeShape {
    /// `large:1g`, `large:4x1g`: few files, bandwidth counts.
    Large { files: u64, bytes_each: u64 },
    /// `small:10000x4k`: many files, the cost of each counts.
    Small { files: u64, bytes_each: u64 },
    /// `mix:1g`: sizes from bytes to megabytes (log-uniform), nested folders, awkward names, an empty file and folder, a file of zeros.
    Mix { bytes: u64 },
}

impl FromStr for TreeShape {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let wrong = || {
            UnitError(format!(
                "'{text}' is not a tree: use large:1g, large:4x1g, small:10000x4k, or mix:1g"
            ))
        };
        let (kind, size) = text.split_once(':').ok_or_else(wrong)?;
        let (files, each) = match size.split_once('x') {
            Some((files, each)) => (files.parse::<u64>().map_err(|_| wrong())?, each),
            None => (1, size),
        };
        let bytes_each = each.parse::<Bytes>()?.0;
        let shape = match kind {
            "large" => TreeShape::Large { files, bytes_each },
            "small" if size.contains('x') => TreeShape::Small { files, bytes_each },
            "mix" if !size.contains('x') => TreeShape::Mix { bytes: bytes_each },
            _ => return Err(wrong()),
        };
        if files == 0
            || files > FILES_MAX
            || bytes_each == 0
            || files.checked_mul(bytes_each).is_none()
        {
            return Err(UnitError(format!(
                "'{text}' is not a tree that can be copied: use 1 to {FILES_MAX} files of at least 1 byte"
            )));
        }
        Ok(shape)
    }
}

impl fmt::Display for TreeShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TreeShape::Large {
                files: 1,
                bytes_each,
            } => write!(f, "large:{}", Bytes(*bytes_each)),
            TreeShape::Large { files, bytes_each } => {
                write!(f, "large:{files}x{}", Bytes(*bytes_each))
            }
            TreeShape::Small { files, bytes_each } => {
                write!(f, "small:{files}x{}", Bytes(*bytes_each))
            }
            TreeShape::Mix { bytes } => write!(f, "mix:{}", Bytes(*bytes)),
        }
    }
}
