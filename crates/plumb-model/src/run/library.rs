//! Which runs are stored? What a list shows of each without reading its intervals.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::results::headline::Headline;
use crate::run::SideOf;

/// Name and version of the schema of `plumb list --json`. Names may be added under one version, never changed.
pub const LIST_SCHEMA: &str = "plumb-list-1";

/// One stored run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Listing {
    /// Its folder, as found below the searched folder.
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
    /// Name of the machine; missing if not recorded.
    pub host: Option<String>,
    /// Kernel release; missing if not recorded.
    pub kernel: Option<String>,
    pub tags: Vec<String>,
    /// Planned steps and rounds.
    pub steps: u32,
    pub rounds: u32,
    /// `finished`, `interrupted` (by a signal), or `incomplete` (killed, or still running).
    pub state: String,
    /// The live comparison that it is a side of; missing for a single run.
    pub side_of: Option<SideOf>,
    /// Missing if the figures were not derived, and in lists of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub headline: Option<Headline>,
}

/// The stored runs below some folders.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Library {
    /// `plumb-list-1`.
    pub schema: String,
    /// The searched folders.
    pub searched: Vec<String>,
    /// Newest first.
    pub runs: Vec<Listing>,
    /// Unreadable folders, each with the reason.
    pub unreadable: Vec<String>,
    /// Number of runs found, including those filtered out.
    pub found: u32,
}
