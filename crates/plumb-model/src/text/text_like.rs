//! What is the text of a value in TOML or JSON? A number, a flag or a list may be written where the command line has text.

use std::fmt;

use serde::Deserialize;

/// A string, or a boolean, number or list of these in TOML, converted to the text it would be on the command line.
pub(crate) struct TextLike(pub String);

impl<'de> Deserialize<'de> for TextLike {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AsText)
    }
}

/// Accepts any type directly: a record has hundreds of thousands of such values, and trying one form after the other would take most of the reading time.
struct AsText;

impl<'de> serde::de::Visitor<'de> for AsText {
    type Value = TextLike;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a text, a boolean, a number, a list or a table")
    }

    fn visit_str<E>(self, text: &str) -> Result<TextLike, E> {
        Ok(TextLike(text.to_string()))
    }

    fn visit_string<E>(self, text: String) -> Result<TextLike, E> {
        Ok(TextLike(text))
    }

    fn visit_bool<E>(self, flag: bool) -> Result<TextLike, E> {
        Ok(TextLike(flag.to_string()))
    }

    fn visit_i64<E>(self, number: i64) -> Result<TextLike, E> {
        Ok(TextLike(number.to_string()))
    }

    fn visit_u64<E>(self, number: u64) -> Result<TextLike, E> {
        Ok(TextLike(number.to_string()))
    }

    fn visit_f64<E>(self, number: f64) -> Result<TextLike, E> {
        Ok(TextLike(number.to_string()))
    }

    fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut list: A) -> Result<TextLike, A::Error> {
        let mut items = Vec::new();
        while let Some(TextLike(item)) = list.next_element()? {
            items.push(item);
        }
        Ok(TextLike(items.join(",")))
    }

    fn visit_map<A: serde::de::MapAccess<'de>>(self, mut table: A) -> Result<TextLike, A::Error> {
        let mut items = std::collections::BTreeMap::new();
        while let Some((key, TextLike(value))) = table.next_entry::<String, TextLike>()? {
            items.insert(key, value);
        }
        Ok(TextLike(
            items
                .into_iter()
                .map(|(key, value)| format!("{key}:{value}"))
                .collect::<Vec<_>>()
                .join(","),
        ))
    }
}
