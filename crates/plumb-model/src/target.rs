//! Where does the load go? A directory, a file, a device, or nowhere (`null:`).

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use crate::units::UnitError;

/// Where operations go. What a path is (directory, file, device) is found out when it is opened, not here.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Target {
    /// `null:` - operations end at once and touch nothing: the generator's own ceiling.
    Null,
    /// A path: a directory (plumb makes its own files in it), a file, a block or character device.
    Path(PathBuf),
}

impl FromStr for Target {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        if text == "null:" || text == "null" {
            return Ok(Target::Null);
        }
        if text.is_empty() {
            return Err(UnitError("the target is empty: name a directory, a file, a device, or null:".into()));
        }
        match text.split_once("://") {
            Some((scheme, _)) => Err(UnitError(format!(
                "'{scheme}://' targets are not supported by this version: name a directory, a file, a device, or null:"
            ))),
            None => Ok(Target::Path(PathBuf::from(text))),
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Target::Null => write!(f, "null:"),
            Target::Path(path) => write!(f, "{}", path.display()),
        }
    }
}

crate::workload::serde_as_text!(Target, "Target", "a directory, a file, a device, or null:");
