//! How does JSON show a statement to people? With its sentence next to identifier and arguments.

use std::fmt;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

use plumb_model::statement::Statement;

use crate::words::Words;

/// JSON whose statements have their sentences; the fields of each object keep their order.
#[derive(Debug)]
pub enum WithSentences {
    Object(Vec<(String, WithSentences)>),
    Array(Vec<WithSentences>),
    /// A number, a text, a truth value or null, as it was written.
    Plain(Box<RawValue>),
}

impl Serialize for WithSentences {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            WithSentences::Object(fields) => {
                serializer.collect_map(fields.iter().map(|(key, value)| (key, value)))
            }
            WithSentences::Array(items) => serializer.collect_seq(items),
            WithSentences::Plain(raw) => raw.serialize(serializer),
        }
    }
}

/// The fields of an object in their order.
struct Fields<'a>(Vec<(String, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Fields<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Fields<'a>, D::Error> {
        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = Vec<(String, &'de RawValue)>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry()? {
                    fields.push(field);
                }
                Ok(fields)
            }
        }
        deserializer.deserialize_map(InOrder).map(Fields)
    }
}

impl Words {
    /// A value as JSON with the sentence of each statement in it, as `text`.
    ///
    /// # Errors
    /// The value cannot be written as JSON.
    pub fn with_sentences<T: Serialize>(self, value: &T) -> serde_json::Result<WithSentences> {
        self.raw_with_sentences(&serde_json::value::to_raw_value(value)?)
    }

    fn raw_with_sentences(self, raw: &RawValue) -> serde_json::Result<WithSentences> {
        Ok(match raw.get().as_bytes().first() {
            Some(b'{') => {
                let Fields(fields) = serde_json::from_str(raw.get())?;
                let begins = |name: &str, with: char| {
                    let field = fields.iter().find(|(key, _)| key == name);
                    field.is_some_and(|(_, value)| value.get().starts_with(with))
                };
                let is_statement = begins("id", '"') && begins("arguments", '{');
                let statement: Option<Statement> = is_statement
                    .then(|| serde_json::from_str(raw.get()).ok())
                    .flatten();
                let mut with_text = Vec::with_capacity(fields.len() + 1);
                for (key, value) in fields {
                    with_text.push((key, self.raw_with_sentences(value)?));
                }
                if let Some(statement) = statement {
                    let text = serde_json::value::to_raw_value(&self.sentence(&statement))?;
                    with_text.push(("text".to_string(), WithSentences::Plain(text)));
                }
                WithSentences::Object(with_text)
            }
            Some(b'[') => {
                let items: Vec<&RawValue> = serde_json::from_str(raw.get())?;
                let items: Result<_, _> = items
                    .into_iter()
                    .map(|item| self.raw_with_sentences(item))
                    .collect();
                WithSentences::Array(items?)
            }
            _ => WithSentences::Plain(raw.to_owned()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_get_their_sentence_at_any_depth() {
        #[derive(Serialize)]
        struct Sentence {
            of: Statement,
        }
        #[derive(Serialize)]
        struct Run {
            verdict: Vec<Sentence>,
            id: &'static str,
            steps: f64,
        }
        let of = Statement::verbatim("outer").part("why", Statement::verbatim("inner"));
        let run = Run {
            verdict: vec![Sentence { of }],
            id: "run",
            steps: 0.1,
        };
        let json = Words::english().with_sentences(&run).expect("JSON");
        let text = serde_json::to_string(&json).expect("JSON");
        assert!(
            text.starts_with("{\"verdict\":[") && text.ends_with("],\"id\":\"run\",\"steps\":0.1}"),
            "fields keep their order, an object without arguments is no statement: {text}"
        );
        let json: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        let outer = &json["verdict"][0]["of"];
        assert_eq!(outer["text"], "outer");
        assert_eq!(outer["arguments"]["why"]["statement"]["text"], "inner");
    }

    #[test]
    fn a_statement_with_evidence_is_a_statement() {
        let sentence = serde_json::json!({"id": "verbatim", "arguments": {"text": {"name": "a text"}}, "evidence": []});
        let json = Words::english().with_sentences(&sentence).expect("JSON");
        let json = serde_json::to_value(&json).expect("JSON");
        assert_eq!(json["text"], "a text");
    }
}
