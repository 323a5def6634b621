//! Which defaults has the user set? Values from the user's file and from variables, each with its origin; flags override both.

use std::io;
use std::path::{Path, PathBuf};

use plumb_model::text::nearest::nearest;
use plumb_words::Language;
use plumb_words::numbers::Units;

use crate::language;

/// Where a value comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// Not set.
    Default,
    File,
    /// Its name.
    Variable(&'static str),
}

/// A value as the user wrote it, with its origin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preference {
    pub key: &'static Key,
    /// If missing: the default of the key.
    pub text: Option<String>,
    pub source: Source,
}

/// A setting.
#[derive(Debug, PartialEq, Eq)]
pub struct Key {
    pub name: &'static str,
    pub variable: &'static str,
    pub meaning: &'static str,
    /// Description of the default.
    pub default: &'static str,
    /// The allowed values; empty: any text.
    pub values: &'static [&'static str],
}

/// All keys of the file.
pub static KEYS: [Key; 4] = [
    Key {
        name: "units",
        variable: "PLUMB_UNITS",
        meaning: "units of sizes and bandwidths: decimal (MB) or binary (MiB)",
        default: "binary sizes, decimal bandwidths",
        values: &["decimal", "binary"],
    },
    Key {
        name: "language",
        variable: "PLUMB_LANGUAGE",
        meaning: "language of reports, verdicts and the live view",
        default: "that of the locale",
        values: &["en", "zh-CN", "ja"],
    },
    Key {
        name: "theme",
        variable: "PLUMB_THEME",
        meaning: "colors on the terminal: auto, or plain for none",
        default: "auto",
        values: &["auto", "plain"],
    },
    Key {
        name: "output",
        variable: "PLUMB_OUTPUT",
        meaning: "folder for run folders, which plumb list searches",
        default: "the current directory",
        values: &[],
    },
];

/// The user's defaults.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Preferences {
    pub units: Option<Units>,
    pub language: Option<Language>,
    /// No colors.
    pub is_plain: bool,
    pub output: Option<PathBuf>,
    /// All keys in the order of [`KEYS`], each with its origin.
    pub all: Vec<Preference>,
}

/// Reads the file, if there is one, and the variables. Errors: an unreadable or invalid file; an invalid value.
pub fn read(
    file: Option<&Path>,
    variable: impl Fn(&str) -> Option<String>,
) -> Result<Preferences, String> {
    let table = match file {
        Some(file) => table(file)?,
        None => toml::Table::new(),
    };
    let origin = file
        .map(|file| file.display().to_string())
        .unwrap_or_default();
    let names: Vec<&str> = KEYS.iter().map(|key| key.name).collect();
    if let Some(unknown) = table.keys().find(|name| !names.contains(&name.as_str())) {
        return Err(format!(
            "{origin}: unknown key '{unknown}'{}; the keys are {} (plumb config)",
            nearest(unknown, &names),
            names.join(", ")
        ));
    }
    let mut preferences = Preferences::default();
    for key in &KEYS {
        let of_variable = variable(key.variable).filter(|text| !text.is_empty());
        let (text, source) = match (of_variable, table.get(key.name)) {
            (Some(text), _) => (Some(text), Source::Variable(key.variable)),
            (None, Some(toml::Value::String(text))) => (Some(text.clone()), Source::File),
            (None, Some(_)) => {
                return Err(format!(
                    "{origin}: '{}' is a text: write {0} = \"...\"",
                    key.name
                ));
            }
            (None, None) => (None, Source::Default),
        };
        if let Some(text) = &text {
            preferences.take(key, text).map_err(|reason| match source {
                Source::Variable(name) => format!("{name}: {reason}"),
                _ => format!("{origin}: {}: {reason}", key.name),
            })?;
        }
        preferences.all.push(Preference { key, text, source });
    }
    Ok(preferences)
}

/// Whether there is no file for this user.
fn is_absent(kind: io::ErrorKind) -> bool {
    use io::ErrorKind::{NotADirectory, NotFound, PermissionDenied};
    matches!(kind, NotFound | NotADirectory | PermissionDenied)
}

/// The file as a table; an empty one where there is no file.
fn table(file: &Path) -> Result<toml::Table, String> {
    let text = match std::fs::read_to_string(file) {
        Ok(text) => text,
        // The home of another user (setpriv, sudo without -H) does not apply.
        Err(error) if is_absent(error.kind()) => return Ok(toml::Table::new()),
        Err(error) => return Err(format!("{}: {error}", file.display())),
    };
    text.parse::<toml::Table>().map_err(|error| {
        let message = error.to_string();
        format!("{}: {}", file.display(), message.trim_end())
    })
}

impl Preferences {
    fn take(&mut self, key: &Key, text: &str) -> Result<(), String> {
        if key.name != "language" && !key.values.is_empty() && !key.values.contains(&text) {
            return Err(format!(
                "'{text}' is not one of {}{}",
                key.values.join(", "),
                nearest(text, key.values)
            ));
        }
        match key.name {
            "units" => self.units = Some(text.parse()?),
            "language" => self.language = Some(language::named(text)?),
            "theme" => self.is_plain = text == "plain",
            _ => self.output = Some(PathBuf::from(text)),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_win_over_the_file_and_nonsense_is_refused_with_a_hint() {
        let folder = std::env::temp_dir().join(format!("plumb-preferences-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let file = folder.join("config.toml");
        let read_with = |text: &str, set: &[(&str, &str)]| {
            std::fs::write(&file, text).expect("written");
            read(Some(&file), |name| {
                let found = set.iter().find(|(known, _)| *known == name);
                found.map(|(_, value)| value.to_string())
            })
        };
        let text = "units = \"binary\"\nlanguage = \"ja\"\n";
        let both = read_with(text, &[("PLUMB_UNITS", "decimal")]).expect("read");
        assert_eq!(both.units, Some(Units::Decimal));
        assert_eq!(both.language, Some(Language::Japanese));
        assert_eq!(both.all[0].source, Source::Variable("PLUMB_UNITS"));
        assert_eq!(both.all[1].source, Source::File);
        assert_eq!(both.all[3].source, Source::Default);
        for (text, expected) in [
            (
                "unit = \"binary\"",
                "unknown key 'unit' (did you mean 'units'?)",
            ),
            ("units = \"bits\"", "'bits' is not one of decimal, binary"),
            ("units = 3", "is a text"),
            ("units = ", "config.toml"),
            ("language = \"klingon\"", "unsupported language"),
        ] {
            let refused = read_with(text, &[]).expect_err(text);
            assert!(refused.contains(expected), "{refused}");
        }
        let refused = read_with("", &[("PLUMB_THEME", "pink")]).expect_err("refused");
        assert!(refused.starts_with("PLUMB_THEME: "), "{refused}");
        std::fs::remove_dir_all(&folder).expect("removed");
        let nothing = read(Some(&file), |_| None).expect("no file is no error");
        assert_eq!(nothing.units, None);
    }
}
