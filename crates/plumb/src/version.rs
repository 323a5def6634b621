//! Which version of plumb is this? Version, commit if known, platform, and engines.

use plumb_load::engines::ENGINES;

/// The commit: `PLUMB_COMMIT` at build time, else from the file that `git archive` writes (see .gitattributes). The build does not run
/// git, so that the same sources give the same program.
fn commit() -> Option<&'static str> {
    let archived = include_str!("../commit.txt").trim();
    let archived = Some(archived).filter(|text| !text.contains("Format:"));
    option_env!("PLUMB_COMMIT")
        .or(archived)
        .filter(|text| !text.is_empty())
}

/// The output of `plumb --version` after the name.
pub fn long() -> String {
    let engines: Vec<&str> = ENGINES
        .iter()
        .map(|engine| engine.properties.name)
        .collect();
    let profile = if cfg!(debug_assertions) {
        "debug"
    } else {
        "release"
    };
    format!(
        "{}\ncommit: {}\nbuilt for: {} on {}, {profile}\nengines: {}",
        env!("CARGO_PKG_VERSION"),
        commit().unwrap_or("unknown"),
        std::env::consts::OS,
        std::env::consts::ARCH,
        engines.join(", ")
    )
}
