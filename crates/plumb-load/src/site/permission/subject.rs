//! Which existing file, directory or device does the user mean, and how is it called in a message?

use std::path::PathBuf;

use crate::system::files::{Traits, goes_through_link};

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
    /// The path for a message; a name that went through a symlink is shown too.
    pub fn name(&self) -> String {
        match goes_through_link(&self.given, &self.path) {
            false => self.path.display().to_string(),
            true => format!(
                "{} (given as {}, a symlink to it)",
                self.path.display(),
                self.given.display()
            ),
        }
    }
}
