//! Which texts stand for a value, however a file writes it? TOML and JSON may write a number, a flag or a list where the command line has a text.

use std::fmt;

use serde::Deserialize;

/// A text, or a boolean, number or list of these as TOML writes them, taken as the text they would be on the command line.
pub(crate) struct TextLike(pub String);

impl<'de> Deserialize<'de> for TextLike {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AsText)
    }
}

/// Takes whatever comes: a record holds hundreds of thousands of such words, so that trying one form after the other would be most of the reading.
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
