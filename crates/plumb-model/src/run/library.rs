//! Which runs are there? What a list tells of each stored run without reading its intervals.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::results::headline::Headline;
use crate::run::SideOf;

/// Name and version of the schema of `plumb list --json`. Names may be added under one version, never changed.
pub const LIST_SCHEMA: &str = "plumb-list-1";

/// One stored run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Listing {
    /// Where it lies, as it was found below the folder that was searched.
    pub folder: String,
    /// Name of the run.
    pub id: String,
    /// RFC 3339.
    pub started: String,
    /// Nanoseconds since 1970 (UTC).
    pub started_unix_ns: u64,
    /// Name of the plan.
    pub plan: String,
    /// As [`crate::run::RunHeader::target`].
    pub target: String,
    /// Name of the machine; missing when the record does not say.
    pub host: Option<String>,
    /// Kernel release; missing when the record does not say.
    pub kernel: Option<String>,
    pub tags: Vec<String>,
    /// Steps and rounds that were planned.
    pub steps: u32,
    pub rounds: u32,
    /// `finished`, `interrupted` (by a signal), or `incomplete` (killed, or still running).
    pub state: String,
    /// The live comparison that it is a side of; missing for a run by itself.
    pub side_of: Option<SideOf>,
    /// Missing where nobody derived the figures, and in lists of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub headline: Option<Headline>,
}

/// The stored runs below some folders.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Library {
    /// `plumb-list-1`.
    pub schema: String,
    /// The folders that were searched.
    pub searched: Vec<String>,
    /// Newest first.
    pub runs: Vec<Listing>,
    /// What could not be read, each with the reason.
    pub unreadable: Vec<String>,
    /// Runs that were found, those included that were not asked for.
    pub found: u32,
}
