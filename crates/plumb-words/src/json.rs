//! How does JSON tell a statement to people? With its sentence beside identifier and arguments.

use std::fmt;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

use plumb_model::statement::Statement;

use crate::words::Words;

/// JSON whose statements have their sentences, with the fields of each object in the order in which they were.
#[derive(Debug)]
pub enum Told {
    Object(Vec<(String, Told)>),
    Array(Vec<Told>),
    /// A number, a text, a truth value or null, as it was written.
    Plain(Box<RawValue>),
}

impl Serialize for Told {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Told::Object(fields) => {
                serializer.collect_map(fields.iter().map(|(key, value)| (key, value)))
            }
            Told::Array(items) => serializer.collect_seq(items),
            Told::Plain(raw) => raw.serialize(serializer),
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
    pub fn told<T: Serialize>(self, value: &T) -> serde_json::Result<Told> {
        self.told_raw(&serde_json::value::to_raw_value(value)?)
    }

    fn told_raw(self, raw: &RawValue) -> serde_json::Result<Told> {
        Ok(match raw.get().as_bytes().first() {
            Some(b'{') => {
                let Fields(fields) = serde_json::from_str(raw.get())?;
                let begins = |name: &str, with: char| {
                    let field = fields.iter().find(|(key, _)| key == name);
                    field.is_some_and(|(_, value)| value.get().starts_with(with))
                };
                let said = begins("id", '"') && begins("arguments", '{');
                let said: Option<Statement> =
                    said.then(|| serde_json::from_str(raw.get()).ok()).flatten();
                let mut told = Vec::with_capacity(fields.len() + 1);
                for (key, value) in fields {
                    told.push((key, self.told_raw(value)?));
                }
                if let Some(said) = said {
                    let text = serde_json::value::to_raw_value(&self.sentence(&said))?;
                    told.push(("text".to_string(), Told::Plain(text)));
                }
                Told::Object(told)
            }
            Some(b'[') => {
                let items: Vec<&RawValue> = serde_json::from_str(raw.get())?;
                let told: Result<_, _> =
                    items.into_iter().map(|item| self.told_raw(item)).collect();
                Told::Array(told?)
            }
            _ => Told::Plain(raw.to_owned()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_get_their_sentence_wherever_they_stand() {
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
        let told = Words::english().told(&run).expect("JSON");
        let text = serde_json::to_string(&told).expect("JSON");
        assert!(
            text.starts_with("{\"verdict\":[") && text.ends_with("],\"id\":\"run\",\"steps\":0.1}"),
            "fields keep their order, an object without arguments is no statement: {text}"
        );
        let told: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        let outer = &told["verdict"][0]["of"];
        assert_eq!(outer["text"], "outer");
        assert_eq!(outer["arguments"]["why"]["statement"]["text"], "inner");
    }

    #[test]
    fn a_statement_with_evidence_beside_it_is_one() {
        let sentence = serde_json::json!({"id": "verbatim", "arguments": {"text": {"name": "said"}}, "evidence": []});
        let told = Words::english().told(&sentence).expect("JSON");
        let told = serde_json::to_value(&told).expect("JSON");
        assert_eq!(told["text"], "said");
    }
}
