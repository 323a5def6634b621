//! What is an agent? Who may log in, what is allowed, and where records are kept.

use std::path::PathBuf;

use plumb_load::secret::Secret;

use super::permit::Permit;

/// What an agent is.
pub struct Agent {
    pub token: Secret,
    pub permit: Permit,
    /// The folder in which records are kept.
    pub kept: PathBuf,
    pub host: String,
}
