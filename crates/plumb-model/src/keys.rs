//! Which keys does a job have, what do they mean, and which values do they take? Derived from the schema of the model: written once.

use schemars::JsonSchema;

use crate::nearest::{nearest, plain_name};
use crate::workload::{EngineChoice, Workload};

/// Which part of a job a key belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyHome {
    /// [`Workload`].
    Workload,
    /// [`EngineChoice`].
    Engine,
    /// The job's target.
    Target,
    /// Stands for other keys: `pattern`, `read-percent`.
    Sugar,
}

/// Form of a key's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyForm {
    /// A text, a size or a span of time.
    Text,
    /// A whole number up to this one.
    Whole(u64),
    /// A number.
    Number,
    /// true or false.
    Flag,
}

/// One key of a job.
#[derive(Debug, Clone, PartialEq)]
pub struct Key {
    /// Name in plans, flags and `--set`: `warm-up`.
    pub name: String,
    /// One or two sentences.
    pub meaning: String,
    /// The program's default as text; `None` when there is none (the meaning says what that means).
    pub default: Option<String>,
    pub home: KeyHome,
    pub form: KeyForm,
}

/// Largest whole number of a plan: TOML's integers have 64 bits with sign.
pub const WHOLE_MAX: u64 = i64::MAX as u64;

/// All keys of a job.
#[derive(Debug, Clone)]
pub struct Keys(Vec<Key>);

impl Keys {
    /// Reads the keys off the schema of the model.
    pub fn derive() -> Keys {
        let mut keys = vec![
            sugar(
                "pattern",
                &format!(
                    "Operations and order of offsets in one word, instead of mix and offsets: {}.",
                    pattern_words()
                ),
            ),
            sugar(
                "read-percent",
                "Share of reads in percent, the rest are writes: instead of mix.",
            ),
            Key {
                name: "target".into(),
                meaning: "Where the load goes: a directory, a file, a device, or null: (nowhere)."
                    .into(),
                default: Some(".".into()),
                home: KeyHome::Target,
                form: KeyForm::Text,
            },
        ];
        keys.extend(of_schema::<EngineChoice>(KeyHome::Engine));
        keys.extend(of_schema::<Workload>(KeyHome::Workload));
        Keys(keys)
    }

    /// All keys, sugar first, then target, engine and workload in the order of the model.
    pub fn all(&self) -> &[Key] {
        &self.0
    }

    /// The key of this name; underscores and capitals are taken as well. The error names the nearest key.
    pub fn find(&self, name: &str) -> Result<&Key, String> {
        let plain = plain_name(name);
        self.0.iter().find(|key| key.name == plain).ok_or_else(|| {
            let names: Vec<&str> = self.0.iter().map(|key| key.name.as_str()).collect();
            format!(
                "unknown key '{name}'{}; `plumb plans --keys` lists all keys",
                nearest(&plain, &names)
            )
        })
    }
}

impl Key {
    /// The value as TOML holds it. The error says what is expected.
    pub fn value(&self, text: &str) -> Result<toml::Value, String> {
        let text = text.trim();
        let value = match self.form {
            KeyForm::Text => toml::Value::String(text.to_string()),
            KeyForm::Flag => match text.to_ascii_lowercase().as_str() {
                "true" | "yes" | "on" | "1" => toml::Value::Boolean(true),
                "false" | "no" | "off" | "0" => toml::Value::Boolean(false),
                _ => return Err(format!("'{text}' is neither true nor false")),
            },
            KeyForm::Whole(max) => match text.replace('_', "").parse::<u64>() {
                Ok(number) if number <= max => toml::Value::Integer(number as i64),
                _ => return Err(format!("'{text}' is not a whole number from 0 to {max}")),
            },
            KeyForm::Number => match text.replace('_', "").trim_end_matches('%').parse::<f64>() {
                Ok(number) if number.is_finite() => toml::Value::Float(number),
                _ => {
                    return Err(format!(
                        "'{text}' is not a number: write for example 70 or 0.5"
                    ));
                }
            },
        };
        self.refuse_misfit(&value)?;
        Ok(value)
    }

    /// Lets the model read this value alone, so that the message concerns this key only.
    fn refuse_misfit(&self, value: &toml::Value) -> Result<(), String> {
        let table = toml::Table::from_iter([(self.name.clone(), value.clone())]);
        let refusal = match self.home {
            KeyHome::Workload => table
                .try_into::<Workload>()
                .err()
                .map(|error| error.message().to_string()),
            KeyHome::Engine => table
                .try_into::<EngineChoice>()
                .err()
                .map(|error| error.message().to_string()),
            KeyHome::Target => value
                .as_str()
                .and_then(|text| text.parse::<crate::target::Target>().err())
                .map(|error| error.0),
            KeyHome::Sugar => value
                .as_str()
                .and_then(|text| crate::sugar::expand(&self.name, text).err()),
        };
        refusal.map_or(Ok(()), Err)
    }
}

fn pattern_words() -> String {
    crate::sugar::PATTERNS
        .iter()
        .map(|pattern| pattern.word)
        .collect::<Vec<_>>()
        .join(", ")
}

fn sugar(name: &str, meaning: &str) -> Key {
    Key {
        name: name.into(),
        meaning: meaning.into(),
        default: None,
        home: KeyHome::Sugar,
        form: KeyForm::Text,
    }
}

/// One key for each field of the struct, with the doc comment as its meaning.
fn of_schema<T: JsonSchema>(home: KeyHome) -> Vec<Key> {
    let schema = schemars::schema_for!(T);
    let root = schema.as_value();
    let Some(properties) = root.get("properties").and_then(|value| value.as_object()) else {
        return Vec::new();
    };
    let mut keys: Vec<Key> = properties
        .iter()
        .map(|(name, property)| Key {
            name: name.clone(),
            meaning: property
                .get("description")
                .and_then(|text| text.as_str())
                .unwrap_or_default()
                .replace('\n', " "),
            default: property
                .get("default")
                .filter(|value| !value.is_null())
                .map(plain_text),
            home,
            form: form_of(root, property),
        })
        .collect();
    // The schema's map is sorted by name or by declaration, depending on features of the library; what readers see must not depend on it.
    keys.sort_by(|a, b| a.name.cmp(&b.name));
    keys
}

fn plain_text(value: &serde_json::Value) -> String {
    value.as_str().map_or_else(
        || value.to_string().trim_end_matches(".0").to_string(),
        str::to_string,
    )
}

/// Follows references and optional types to the type that a value is written in.
fn form_of(root: &serde_json::Value, property: &serde_json::Value) -> KeyForm {
    if let Some(target) = property.get("$ref").and_then(|text| text.as_str()) {
        let found = target
            .strip_prefix('#')
            .and_then(|pointer| root.pointer(pointer));
        return found.map_or(KeyForm::Text, |found| form_of(root, found));
    }
    if let Some(choices) = property.get("anyOf").and_then(|list| list.as_array()) {
        let real = choices
            .iter()
            .find(|choice| choice.get("type").and_then(|text| text.as_str()) != Some("null"));
        return real.map_or(KeyForm::Text, |real| form_of(root, real));
    }
    let types = property.get("type");
    let has = |name: &str| match types {
        Some(value) => {
            value.as_str() == Some(name)
                || value
                    .as_array()
                    .is_some_and(|list| list.iter().any(|item| item.as_str() == Some(name)))
        }
        None => false,
    };
    if has("string") {
        KeyForm::Text
    } else if has("boolean") {
        KeyForm::Flag
    } else if has("integer") {
        let narrow = property.get("format").and_then(|text| text.as_str()) == Some("uint32");
        KeyForm::Whole(if narrow {
            u64::from(u32::MAX)
        } else {
            WHOLE_MAX
        })
    } else if has("number") {
        KeyForm::Number
    } else {
        KeyForm::Text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_of_the_model_is_a_key_with_a_meaning() {
        let keys = Keys::derive();
        let table = toml::Table::try_from(Workload::default()).expect("a workload is a table");
        for name in table.keys() {
            keys.find(name).expect(name);
        }
        for key in keys.all() {
            assert!(
                key.meaning.len() > 15 && key.meaning.ends_with('.'),
                "{key:?}"
            );
            assert_eq!(key.name, plain_name(&key.name));
        }
        let mut names: Vec<&str> = keys.all().iter().map(|key| key.name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(
            names.len(),
            keys.all().len(),
            "one flat key space: no name stands twice"
        );
    }

    #[test]
    fn forms_follow_the_types() {
        let keys = Keys::derive();
        let form = |name: &str| keys.find(name).expect(name).form;
        assert_eq!(form("depth"), KeyForm::Whole(u64::from(u32::MAX)));
        assert_eq!(form("operations"), KeyForm::Whole(WHOLE_MAX));
        assert_eq!(form("rate"), KeyForm::Number);
        assert_eq!(form("verify"), KeyForm::Flag);
        for name in [
            "block", "time", "size", "mix", "pin", "direct", "engine", "target",
        ] {
            assert_eq!(form(name), KeyForm::Text, "{name}");
        }
    }

    #[test]
    fn defaults_read_back() {
        for key in Keys::derive().all() {
            if let Some(default) = &key.default {
                key.value(default)
                    .unwrap_or_else(|error| panic!("{}: {error}", key.name));
            }
        }
    }

    #[test]
    fn refusals_name_what_is_expected() {
        let keys = Keys::derive();
        for (name, value, expected) in [
            ("depth", "x", "whole number"),
            ("depth", "5000000000", "4294967295"),
            ("block", "4x", "not a size"),
            ("time", "soon", "not a time"),
            ("verify", "perhaps", "neither true nor false"),
            ("offsets", "sideways", "sequential"),
            ("rate", "fast", "not a number"),
            ("direct", "perhaps", "try"),
            ("target", "ftp://x", "choose one of smb"),
            ("pattern", "random-reed", "random-read"),
            ("read-percent", "120", "0 to 100"),
        ] {
            let error = keys.find(name).expect(name).value(value).expect_err(name);
            assert!(error.contains(expected), "{name}={value}: {error}");
        }
        assert!(keys.find("dept").expect_err("unknown").contains("'depth'"));
        assert!(keys.find("bs").is_err());
    }
}
