//! How fast and how sound are copy programs? One row per program: speed in both directions with interval and verdict, CPU, and whether every copy is intact.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::results::comparison::Effect;
use crate::statement::Statement;

/// Name and version of the schema of `plumb copy-test --json`. Names may be added under one version, never changed.
pub const COPIES_SCHEMA: &str = "plumb-copies-2";

/// Names of the steps of a copy test.
pub mod copy_steps {
    /// The tree is copied to the destination.
    pub const WRITE: &str = "write";
    /// A tree at the destination is copied back.
    pub const READ: &str = "read";
}

/// Names of the numbers in the account of one copy ([`crate::run::EngineAccount::numbers`]). CPU, memory and bytes are those of the program and of the children that
/// it waited for; the work of a server is not included.
pub mod copy_numbers {
    /// Files and bytes of the tree.
    pub const FILES: &str = "files";
    pub const BYTES: &str = "bytes";
    /// From the start of the program to its end.
    pub const ELAPSED_S: &str = "elapsed_s";
    /// From its end until the destination file system had everything on stable storage (syncfs). Missing if that cannot be determined.
    pub const STABLE_S: &str = "stable_s";
    pub const CPU_USER_S: &str = "cpu_user_s";
    pub const CPU_SYSTEM_S: &str = "cpu_system_s";
    /// Largest resident set.
    pub const MEMORY_BYTES: &str = "memory_bytes";
    /// By read and write calls, caches, pipes and sockets included.
    pub const READ_CALLS_BYTES: &str = "read_calls_bytes";
    pub const WRITE_CALLS_BYTES: &str = "write_calls_bytes";
    /// Fetched from a device, and made dirty for one.
    pub const DEVICE_READ_BYTES: &str = "device_read_bytes";
    pub const DEVICE_WRITE_BYTES: &str = "device_write_bytes";
    /// Files and bytes compared with the source. Missing if the copy could not be checked.
    pub const CHECKED_FILES: &str = "checked_files";
    pub const CHECKED_BYTES: &str = "checked_bytes";
    pub const PROBLEMS: &str = "problems";
    /// Bytes of the copy that share blocks with the source: no data was copied for them. Missing if unknown.
    pub const SHARED_BYTES: &str = "shared_bytes";
    /// Files whose time stamps were kept to the second or so only.
    pub const COARSE_TIMES: &str = "coarse_times";
    /// Files whose time stamps differ, folders whose time stamps differ, entries whose permission bits differ.
    pub const LOST_TIMES: &str = "lost_times";
    pub const LOST_FOLDER_TIMES: &str = "lost_folder_times";
    pub const LOST_MODES: &str = "lost_modes";
}

/// Comparison of copy programs. Programs that failed or damaged data come first.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CopyTable {
    /// `plumb-copies-2`.
    pub schema: String,
    pub plumb_version: String,
    /// What was copied: `mix:1g`.
    pub tree: String,
    pub files: u64,
    pub bytes: u64,
    /// Name of the program that the others are compared with.
    pub baseline: String,
    /// Notes to read before the figures: damaged copies first.
    pub sentences: Vec<Statement>,
    /// How it was measured: caches, locations, coverage.
    pub conditions: Vec<Statement>,
    pub rows: Vec<CopyRow>,
}

/// One program.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CopyRow {
    /// Letter of the side, and the user's name for it.
    pub letter: String,
    pub program: String,
    /// The command line, with `{from}` and `{to}`.
    pub command: String,
    pub soundness: Soundness,
    pub write: CopyFigures,
    pub read: CopyFigures,
}

fn is_zero(count: &u32) -> bool {
    *count == 0
}

/// Whether the copies of a program were intact.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Soundness {
    /// A copy differs from its source, but the program reported no error.
    Damaged,
    /// The program failed, was killed, or did not end in time.
    Failed,
    /// It did not run, or nothing was measured.
    NotRun,
    /// At least one copy could not be checked.
    Unchecked,
    /// Every copy was compared byte by byte, and is intact.
    #[serde(rename = "whole")]
    Intact,
}

/// One direction of one program.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CopyFigures {
    /// Number of copies made, intact, and checked.
    pub copies: u32,
    #[serde(rename = "whole")]
    pub intact: u32,
    pub checked: u32,
    /// Intact copies that share all or some blocks with the source (reflinks): no data was copied for those.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub shared: u32,
    /// Over the intact copies, in bytes/s until the program ended. Missing if none was intact.
    pub bandwidth_bytes_per_s: Option<f64>,
    pub interval: Option<(f64, f64)>,
    /// Speed of damaged copies of a program that reported success: worthless, and in no verdict. Missing if there were none; a program that
    /// failed has no speed.
    pub spoiled_bytes_per_s: Option<f64>,
    /// How the first copy that failed ended: `exit-3`, `killed-9`, `timeout`. Missing when none failed.
    pub failed: Option<String>,
    /// Until everything was on stable storage, in bytes/s. Missing if unknown.
    pub stable_bytes_per_s: Option<f64>,
    pub files_per_s: Option<f64>,
    /// CPU seconds of the program per GiB, user and system. Missing if the system does not report it.
    pub cpu_s_per_gib: Option<f64>,
    /// This program's speed against the baseline's, with interval and verdict. Missing for the baseline, and if there is nothing to compare.
    pub against_baseline: Option<Effect>,
    /// Largest resident set of all copies, in bytes.
    pub memory_bytes: Option<f64>,
}
