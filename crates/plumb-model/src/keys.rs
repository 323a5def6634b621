//! Which keys does a job have, what do they mean, and which values do they accept? Derived from the schema of the model.

pub mod sugar;
pub mod traits;

use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::Deserializer;
use serde::de::{DeserializeOwned, Visitor};

use crate::keys::traits::{KeyTraits, X_KEY, key};
use crate::text::nearest::{nearest, plain_name};
use crate::units::{Bytes, Nanos};
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
    /// Shorthand for other keys: `pattern`, `read-percent`.
    Sugar,
}

/// Form of a key's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyForm {
    /// A string, a size or a duration.
    Text,
    /// An integer up to this one.
    Integer(u64),
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
    pub unit: KeyUnit,
    /// Range, flag, fio option and more, as declared at the field.
    pub traits: KeyTraits,
    /// Position of its field in the model, among those of its home.
    position: usize,
    /// The default as JSON.
    default_value: Option<serde_json::Value>,
}

/// Unit of a key's value; follows from its type and its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyUnit {
    /// A count, a share of its own kind, or a keyword.
    Plain,
    /// Bytes, written as a size.
    Bytes,
    /// Nanoseconds, written as a time.
    Nanos,
    /// Percent.
    Percent,
}

/// Largest integer of a plan: TOML integers are signed 64-bit.
pub const INTEGER_MAX: u64 = i64::MAX as u64;

/// All keys of a job.
#[derive(Debug, Clone)]
pub struct Keys(Vec<Key>);

/// Derived on first use: generating the schema takes longer than most commands run.
static KEYS: LazyLock<Keys> = LazyLock::new(Keys::derive);

impl Keys {
    /// All keys of a job.
    pub fn get() -> &'static Keys {
        &KEYS
    }

    /// Derives the keys from the schema of the model.
    fn derive() -> Keys {
        let mut keys = vec![
            sugar(
                "pattern",
                &format!(
                    "Operations and order of offsets as one word, instead of mix and offsets: {}.",
                    pattern_words()
                ),
                "WORD",
            ),
            sugar(
                "read-percent",
                "Share of reads in percent, the rest writes; instead of mix.",
                "PERCENT",
            ),
            Key {
                default: Some(".".into()),
                home: KeyHome::Target,
                traits: key().flag("PATH|null:").run_wide(),
                ..sugar(
                    "target",
                    "Target of the load: a directory, a file, a device, or null: (no I/O).",
                    "",
                )
            },
        ];
        keys.extend(of_schema::<EngineChoice>(KeyHome::Engine));
        keys.extend(of_schema::<Workload>(KeyHome::Workload));
        Keys(keys)
    }

    /// All keys: shorthands first, then target, engine and workload in the order of the model.
    pub fn all(&self) -> &[Key] {
        &self.0
    }

    /// The keys that have a flag: target and engine, then shorthands, then the workload in the order of the model.
    pub fn with_flags(&self) -> Vec<&Key> {
        let rank = |key: &Key| match key.home {
            KeyHome::Target => 0,
            KeyHome::Engine => 1,
            KeyHome::Sugar => 2,
            KeyHome::Workload => 3,
        };
        let mut keys: Vec<&Key> = self
            .0
            .iter()
            .filter(|key| key.traits.flag.is_some())
            .collect();
        keys.sort_by_key(|key| (rank(key), key.position));
        keys
    }

    /// True for a key that sets when a step ends.
    pub fn is_stop(&self, name: &str) -> bool {
        self.find(name).is_ok_and(|key| key.traits.is_stop)
    }

    /// True for a key that also applies to the other jobs of a step by default.
    pub fn is_run_wide(&self, name: &str) -> bool {
        self.find(name).is_ok_and(|key| key.traits.is_run_wide)
    }

    /// The key of this name; underscores and capitals are accepted. The error names the nearest key.
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
    /// True if the recorded value is the default; a value missing in the record is.
    pub fn is_default(&self, value: &serde_json::Value) -> bool {
        value.is_null() || self.default_value.as_ref() == Some(value)
    }

    /// The recorded value as a number: bytes of a size, nanoseconds of a time. `None` if it is not a single number.
    pub fn number(&self, value: &serde_json::Value) -> Option<f64> {
        match (self.unit, value.as_str()) {
            (KeyUnit::Bytes, Some(text)) => text.parse::<Bytes>().ok().map(|size| size.0 as f64),
            (KeyUnit::Nanos, Some(text)) => text.parse::<Nanos>().ok().map(|time| time.0 as f64),
            _ => value.as_f64(),
        }
    }

    /// A number of [`Key::number`] as text: `10ms`, `1g`, `4096`.
    pub fn shown(&self, number: f64) -> String {
        match self.unit {
            KeyUnit::Bytes => Bytes(number as u64).to_string(),
            KeyUnit::Nanos => Nanos(number as u64).to_string(),
            KeyUnit::Plain | KeyUnit::Percent => number.to_string(),
        }
    }

    /// The value as TOML. The error says what is expected.
    pub fn value(&self, text: &str) -> Result<toml::Value, String> {
        let text = text.trim();
        let value = match self.form {
            KeyForm::Text => toml::Value::String(text.to_string()),
            KeyForm::Flag => match text.to_ascii_lowercase().as_str() {
                "true" | "yes" | "on" | "1" => toml::Value::Boolean(true),
                "false" | "no" | "off" | "0" => toml::Value::Boolean(false),
                _ => return Err(format!("'{text}' is neither true nor false")),
            },
            KeyForm::Integer(max) => match text.replace('_', "").parse::<u64>() {
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

    /// Parses this value alone, so that the message is about this key only.
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
                .and_then(|text| crate::keys::sugar::expand(&self.name, text).err()),
        };
        refusal.map_or(Ok(()), Err)
    }
}

fn pattern_words() -> String {
    crate::keys::sugar::PATTERNS
        .iter()
        .map(|pattern| pattern.word)
        .collect::<Vec<_>>()
        .join(", ")
}

fn sugar(name: &str, meaning: &str, value_name: &str) -> Key {
    Key {
        name: name.into(),
        meaning: meaning.into(),
        default: None,
        home: KeyHome::Sugar,
        form: KeyForm::Text,
        unit: KeyUnit::Plain,
        traits: key().flag(value_name),
        position: 0,
        default_value: None,
    }
}

/// One key for each field of the struct, with the doc comment as its meaning.
fn of_schema<T: JsonSchema + DeserializeOwned>(home: KeyHome) -> Vec<Key> {
    let schema = schemars::schema_for!(T);
    let root = schema.as_value();
    let Some(properties) = root.get("properties").and_then(|value| value.as_object()) else {
        return Vec::new();
    };
    let declared = fields_of::<T>();
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
            unit: unit_of(name, property),
            traits: property
                .get(X_KEY)
                .and_then(|traits| serde_json::from_value(traits.clone()).ok())
                .unwrap_or_default(),
            position: declared.iter().position(|field| field == name).unwrap_or(0),
            default_value: property.get("default").cloned(),
        })
        .collect();
    // The schema's map is sorted by name or by declaration, depending on features of the library; the order shown must not depend on it.
    keys.sort_by(|a, b| a.name.cmp(&b.name));
    keys
}

/// The names of a struct's fields in declaration order, as serde passes them to a deserializer.
fn fields_of<T: DeserializeOwned>() -> &'static [&'static str] {
    struct Fields<'f>(&'f mut &'static [&'static str]);

    impl<'de> Deserializer<'de> for Fields<'_> {
        type Error = serde::de::value::Error;

        fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Self::Error> {
            Err(serde::de::Error::custom("only structs have fields"))
        }

        fn deserialize_struct<V: Visitor<'de>>(
            self,
            _: &'static str,
            fields: &'static [&'static str],
            visitor: V,
        ) -> Result<V::Value, Self::Error> {
            *self.0 = fields;
            self.deserialize_any(visitor)
        }

        serde::forward_to_deserialize_any! {
            bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct newtype_struct seq tuple
            tuple_struct map enum identifier ignored_any
        }
    }

    let mut fields: &'static [&'static str] = &[];
    // It always ends with an error: there is nothing to read.
    drop(T::deserialize(Fields(&mut fields)));
    fields
}

/// Sizes and times are types of the model; percent is recognized by the name.
fn unit_of(name: &str, property: &serde_json::Value) -> KeyUnit {
    let names = |value: &serde_json::Value, of: &str| {
        value.get("$ref").and_then(|text| text.as_str()) == Some(&format!("#/$defs/{of}"))
    };
    let is = |of: &str| {
        let choices = property.get("anyOf").and_then(|list| list.as_array());
        names(property, of) || choices.is_some_and(|list| list.iter().any(|one| names(one, of)))
    };
    match name {
        _ if is("Bytes") => KeyUnit::Bytes,
        _ if is("Nanos") => KeyUnit::Nanos,
        _ if name.ends_with("percent") || name.ends_with("percentile") => KeyUnit::Percent,
        _ => KeyUnit::Plain,
    }
}

fn plain_text(value: &serde_json::Value) -> String {
    value.as_str().map_or_else(
        || value.to_string().trim_end_matches(".0").to_string(),
        str::to_string,
    )
}

/// Follows references and optional types to the type of the value.
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
        KeyForm::Integer(if narrow {
            u64::from(u32::MAX)
        } else {
            INTEGER_MAX
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
        let keys = Keys::get();
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
        let keys = Keys::get();
        let form = |name: &str| keys.find(name).expect(name).form;
        assert_eq!(form("depth"), KeyForm::Integer(u64::from(u32::MAX)));
        assert_eq!(form("operations"), KeyForm::Integer(INTEGER_MAX));
        assert_eq!(form("rate"), KeyForm::Number);
        assert_eq!(form("verify"), KeyForm::Flag);
        for name in [
            "block", "time", "size", "mix", "pin", "direct", "engine", "target",
        ] {
            assert_eq!(form(name), KeyForm::Text, "{name}");
        }
    }

    #[test]
    fn what_is_said_beside_a_field_is_read_and_fits_the_field() {
        let keys = Keys::get();
        let depth = keys.find("depth").expect("depth");
        assert_eq!(
            (depth.traits.least, depth.traits.greatest),
            (Some(1.0), Some(32_768.0))
        );
        let (start, interval) = (
            keys.find("start").expect("start"),
            keys.find("interval").expect("interval"),
        );
        assert_eq!(
            (start.unit, interval.unit),
            (KeyUnit::Bytes, KeyUnit::Nanos)
        );
        assert_eq!(
            keys.find("time").expect("time").unit,
            KeyUnit::Nanos,
            "of an option too"
        );
        let workload = schemars::schema_for!(Workload);
        for (name, property) in workload.as_value()["properties"]
            .as_object()
            .expect("properties")
        {
            let Some(statement) = property.get(X_KEY) else {
                continue;
            };
            let read: KeyTraits = serde_json::from_value(statement.clone()).expect(name);
            assert_eq!(read, keys.find(name).expect(name).traits);
        }
        for key in keys.all() {
            let traits = &key.traits;
            let ranged = traits.least.is_some() || traits.greatest.is_some();
            assert!(
                !ranged || key.form != KeyForm::Text || key.unit != KeyUnit::Plain,
                "{}: a range of what is no number",
                key.name
            );
            assert!(
                traits.refused_because.is_none() || traits.needs.is_some(),
                "{}",
                key.name
            );
            let default = key
                .default_value
                .as_ref()
                .and_then(|value| key.number(value));
            assert!(
                default.is_none_or(|number| traits.least.is_none_or(|least| number >= least)
                    && traits.greatest.is_none_or(|greatest| number <= greatest)),
                "{}: the default is out of range",
                key.name
            );
            let alone = traits.flag.as_ref().and_then(|flag| flag.alone.as_ref());
            assert!(
                alone.is_none_or(|text| key.value(text).is_ok()),
                "{}",
                key.name
            );
        }
        let flags: Vec<&str> = keys
            .with_flags()
            .iter()
            .map(|key| key.name.as_str())
            .collect();
        assert_eq!(
            flags[..5],
            [
                "target",
                "engine",
                "endpoint-url",
                "pattern",
                "read-percent"
            ]
        );
        assert_eq!(flags.last(), Some(&"keep"));
    }

    #[test]
    fn defaults_read_back() {
        for key in Keys::get().all() {
            if let Some(default) = &key.default {
                key.value(default)
                    .unwrap_or_else(|error| panic!("{}: {error}", key.name));
            }
        }
    }

    #[test]
    fn refusals_name_what_is_expected() {
        let keys = Keys::get();
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
