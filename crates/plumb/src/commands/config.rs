//! Which defaults has the user set? The file, its keys, and each value with its origin.

use clap::Args;

use super::Outcome;
use crate::preferences::{Preference, Source};
use crate::settings::preferences;
use crate::streams::print;
use crate::system::config_file;

#[derive(Debug, Args)]
#[command(
    after_help = "Example of the file:\n  units = \"decimal\"\n  language = \"en\"\n  output = \"/srv/runs\"\n\n\
Flags override variables (PLUMB_UNITS, PLUMB_LANGUAGE, PLUMB_THEME, PLUMB_OUTPUT); variables override the file. PLUMB_CONFIG names another file."
)]
pub struct ConfigArguments {}

/// `plumb config`.
pub fn config() -> anyhow::Result<Outcome> {
    let mut lines = vec![match config_file() {
        Some(file) if file.exists() => format!("file: {}", file.display()),
        Some(file) => format!("file: {} (does not exist)", file.display()),
        None => "file: none (PLUMB_CONFIG, XDG_CONFIG_HOME, HOME and APPDATA are not set)".into(),
    }];
    let line = |Preference { key, text, source }: &Preference| {
        let value = text.as_deref().unwrap_or(key.default);
        let from = match source {
            Source::Default => "default".to_string(),
            Source::File => "file".to_string(),
            Source::Variable(name) => name.to_string(),
        };
        format!(
            "  {:<9} {value}  ({from})\n            {}",
            key.name, key.meaning
        )
    };
    lines.extend(preferences().all.iter().map(line));
    print(&lines.join("\n"))?;
    Ok(Outcome::Done)
}
