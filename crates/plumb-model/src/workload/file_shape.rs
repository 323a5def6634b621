//! How are the small files of a set made, named, and taken?

use std::fmt;
use std::str::FromStr;

use crate::text::word::{serde_as_text, words};
use crate::units::{Bytes, UnitError};

/// Sizes of small files: each is drawn evenly from this span, in bytes, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileSizes {
    pub from_bytes: u64,
    pub to_bytes: u64,
    /// There are no files: each member of the set is an empty directory.
    pub directories: bool,
}

impl FileSizes {
    /// Files of so many bytes.
    pub fn between(from_bytes: u64, to_bytes: u64) -> FileSizes {
        FileSizes {
            from_bytes,
            to_bytes,
            directories: false,
        }
    }
}

/// The word for a set of directories.
const DIRECTORY: &str = "directory";

impl FromStr for FileSizes {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        if text == DIRECTORY {
            return Ok(FileSizes {
                from_bytes: 0,
                to_bytes: 0,
                directories: true,
            });
        }
        let (from, to) = text.split_once('-').unwrap_or((text, text));
        let (from, to): (Bytes, Bytes) = (from.trim().parse()?, to.trim().parse()?);
        if from > to {
            return Err(UnitError(format!(
                "'{text}' ends before it begins: write the smaller size first, such as 1k-16k"
            )));
        }
        Ok(FileSizes::between(from.0, to.0))
    }
}

impl fmt::Display for FileSizes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.directories {
            return f.write_str(DIRECTORY);
        }
        match self.from_bytes == self.to_bytes {
            true => write!(f, "{}", Bytes(self.from_bytes)),
            false => write!(f, "{}-{}", Bytes(self.from_bytes), Bytes(self.to_bytes)),
        }
    }
}

serde_as_text!(
    FileSizes,
    "FileSizes",
    "a size such as 16k, a span of sizes such as 1k-16k, or directory"
);

words! {
    /// How files of a set are named.
    FileNames, "names" {
        /// By their number.
        Numbered = "numbered",
        /// Random characters before the number, as bonnie++ names the files of its random part.
        Random = "random",
    }
}

words! {
    /// In which order file operations take the files of a set.
    FileOrder, "order of files" {
        /// As `offsets` says: one after the other, or any of those that exist; delete takes the oldest.
        Offsets = "offsets",
        /// Each once, in the order in which the directory lists them.
        Listed = "listed",
        /// Each once, in a random order.
        Shuffled = "shuffled",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_one_or_a_span() {
        for (text, from, to, shown) in [
            ("16k", 16_384, 16_384, "16k"),
            ("0", 0, 0, "0"),
            ("0-1m", 0, 1 << 20, "0-1m"),
            (" 1k - 2k ", 1024, 2048, "1k-2k"),
        ] {
            let sizes: FileSizes = text.parse().expect(text);
            assert_eq!(
                (sizes.from_bytes, sizes.to_bytes, sizes.to_string().as_str()),
                (from, to, shown)
            );
        }
        let directories: FileSizes = "directory".parse().expect("a word");
        assert!(directories.directories && directories.to_string() == "directory");
        for text in ["2k-1k", "x", "1k-", "-1k", "1k-2k-3k"] {
            assert!(text.parse::<FileSizes>().is_err(), "{text}");
        }
    }
}
