//! Which files or devices does a job go over, when they are several?

use std::fmt;
use std::str::FromStr;

use crate::text::word::{serde_as_text, words};
use crate::units::UnitError;

/// Most files of a job: each worker has all of them open.
pub const PATHS_MAX: usize = 1024;

words! {
    /// In which order several files are taken.
    PathOrder, "order of files" {
        /// Each operation goes to the next file.
        InTurn = "in-turn",
        /// The next file when one has been gone over.
        OneByOne = "one-by-one",
    }
}

impl PathOrder {
    pub(crate) fn is_in_turn(&self) -> bool {
        *self == PathOrder::InTurn
    }
}

words! {
    /// What the kernel is told about the order of accesses to a file.
    AccessHint, "access hint" {
        /// Nothing.
        None = "none",
        /// POSIX_FADV_SEQUENTIAL.
        Sequential = "sequential",
        /// POSIX_FADV_RANDOM.
        Random = "random",
        /// POSIX_FADV_NOREUSE.
        Noreuse = "noreuse",
    }
}

impl AccessHint {
    pub(crate) fn is_none(&self) -> bool {
        *self == AccessHint::None
    }
}

/// Names of several files or devices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathList(pub Vec<String>);

impl FromStr for PathList {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let (mut paths, mut path, mut escaped) = (Vec::new(), String::new(), false);
        for letter in text.chars() {
            match letter {
                '\\' if !escaped => escaped = true,
                ':' if !escaped => paths.push(std::mem::take(&mut path)),
                _ => {
                    path.extend((escaped && letter != ':').then_some('\\'));
                    path.push(letter);
                    escaped = false;
                }
            }
        }
        path.extend(escaped.then_some('\\'));
        paths.push(path);
        paths.retain(|path| !path.is_empty());
        if paths.is_empty() || paths.len() > PATHS_MAX {
            return Err(UnitError(format!(
                "'{text}' names {} files: write 1 to {PATHS_MAX} with colons between them",
                paths.len()
            )));
        }
        let mut sorted = paths.clone();
        sorted.sort();
        match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => Err(UnitError(format!(
                "'{}' stands twice in '{text}': name each file once",
                pair[0]
            ))),
            None => Ok(PathList(paths)),
        }
    }
}

impl fmt::Display for PathList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, path) in self.0.iter().enumerate() {
            let between = if place > 0 { ":" } else { "" };
            write!(f, "{between}{}", path.replace(':', "\\:"))?;
        }
        Ok(())
    }
}

serde_as_text!(
    PathList,
    "PathList",
    "names of files or devices with colons between them"
);
