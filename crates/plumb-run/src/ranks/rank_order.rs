//! What does the lead request of an agent that is a rank?

use serde::{Deserialize, Serialize};

/// The part of an agent.
#[derive(Debug, Serialize, Deserialize)]
pub struct RankOrder {
    /// From 1: 0 is who leads, and makes no load.
    pub rank: u32,
    /// With the one who leads.
    pub ranks: u32,
    /// The resolved plan as a plan file: it is read and checked like any other.
    pub plan: String,
    /// By which ranks find out that they have the same plan.
    pub identity: String,
    pub tags: Vec<String>,
    /// The user allows that what is there is destroyed. The agent must have been started with that word too.
    pub overwrite: bool,
}

/// What becomes of it.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "part", rename_all = "kebab-case")]
pub enum Taken {
    Yes,
    No { reason: String },
}
