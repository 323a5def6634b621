//! Which existing file, directory or device does the user mean, and how is it called in a message?

use std::path::{Component, Path, PathBuf};

use crate::system::files::Traits;

/// A target that exists, with symlinks resolved.
#[derive(Debug, Clone)]
pub struct Subject {
    /// As the user named it.
    pub given: PathBuf,
    /// Symlinks resolved.
    pub path: PathBuf,
    pub traits: Traits,
}

impl Subject {
    /// The path for a message; a name that went through a symlink is told too.
    pub fn name(&self) -> String {
        match goes_through_symlink(&self.given, &self.path) {
            false => self.path.display().to_string(),
            true => format!(
                "{} (given as {}, which leads there by a symlink)",
                self.path.display(),
                self.given.display()
            ),
        }
    }
}

/// True when the given name goes through a symlink to reach `path`.
pub fn goes_through_symlink(given: &Path, path: &Path) -> bool {
    let Ok(absolute) = std::path::absolute(given) else {
        return false;
    };
    let mut plain = PathBuf::new();
    for component in absolute.components() {
        match component {
            Component::ParentDir => drop(plain.pop()),
            component => plain.push(component),
        }
    }
    plain != path
}
