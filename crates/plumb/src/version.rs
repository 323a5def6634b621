//! Which plumb is this? Its version, the commit that it was built from as far as the build says, what it was built for, and its engines.

use plumb_load::engines::ENGINES;

/// The commit: what the build was told in `PLUMB_COMMIT`, else what `git archive` wrote into the file of this name (see .gitattributes). Nothing is asked of
/// git while building, so that the same sources give the same program.
fn commit() -> Option<&'static str> {
    let archived = include_str!("../commit.txt").trim();
    let archived = Some(archived).filter(|text| !text.contains("Format:"));
    option_env!("PLUMB_COMMIT")
        .or(archived)
        .filter(|text| !text.is_empty())
}

/// What `plumb --version` prints after the name.
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
        commit().unwrap_or("not said by the build"),
        std::env::consts::OS,
        std::env::consts::ARCH,
        engines.join(", ")
    )
}
