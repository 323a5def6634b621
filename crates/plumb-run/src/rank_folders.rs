//! Where in a run folder do the records of the ranks lie?

use std::path::{Path, PathBuf};

/// The folder of a rank's record in the run folder of all: `ranks/0003`.
pub fn rank_folder(whole: &Path, rank: u32) -> PathBuf {
    whole.join("ranks").join(format!("{rank:04}"))
}
