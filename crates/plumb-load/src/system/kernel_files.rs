//! What do directories and small files of /proc and /sys hold?

use std::fs;
use std::path::{Path, PathBuf};

/// What these paths lead to on other systems is anybody's (on Windows `C:\\proc`): they are not looked at.
const ARE_THERE: bool = cfg!(target_os = "linux");

/// What a file holds; `None` when it cannot be read.
pub fn text(path: impl AsRef<Path>) -> Option<String> {
    ARE_THERE.then(|| fs::read_to_string(path).ok())?
}

/// The same without white space around it; empty when it cannot be read.
pub fn trimmed(path: impl AsRef<Path>) -> String {
    text(path).unwrap_or_default().trim().to_owned()
}

/// Where a link leads.
pub fn link(path: impl AsRef<Path>) -> Option<PathBuf> {
    ARE_THERE.then(|| fs::read_link(path).ok())?
}

/// Names in a folder; none when it cannot be read.
pub fn entries(folder: &Path) -> Vec<String> {
    let folder = ARE_THERE.then_some(folder);
    let mut names: Vec<_> = folder
        .map(fs::read_dir)
        .into_iter()
        .flatten()
        .flatten()
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

/// Reads `8:1`.
pub fn parse_number(text: &str) -> Option<(u32, u32)> {
    let (major, minor) = text.split_once(':')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}
