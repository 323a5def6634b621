//! How does JSON tell a statement to people? With its sentence beside identifier and arguments.

use serde_json::{Map, Value};

use plumb_model::statement::Statement;

use crate::words::Words;

impl Words {
    /// The same JSON with the sentence of each statement in it, as `text`.
    pub fn with_text(&self, value: Value) -> Value {
        match value {
            Value::Array(items) => {
                Value::Array(items.into_iter().map(|item| self.with_text(item)).collect())
            }
            Value::Object(object) => {
                let said = statement(&object);
                let mut object: Map<String, Value> = object
                    .into_iter()
                    .map(|(key, value)| (key, self.with_text(value)))
                    .collect();
                if let Some(said) = said {
                    object.insert("text".into(), Value::String(self.sentence(&said)));
                }
                Value::Object(object)
            }
            other => other,
        }
    }
}

/// An object that is a statement and nothing else.
fn statement(object: &Map<String, Value>) -> Option<Statement> {
    let is_one = object.len() == 2 && object.contains_key("id") && object.contains_key("arguments");
    is_one
        .then(|| serde_json::from_value(Value::Object(object.clone())).ok())
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_get_their_sentence_wherever_they_stand() {
        let said = Statement::verbatim("outer").part("why", Statement::verbatim("inner"));
        let json = serde_json::json!({"id": "run", "verdict": [{"of": said}], "steps": 3});
        let told = Words::english().with_text(json);
        assert_eq!(told["verdict"][0]["of"]["text"], "outer");
        assert_eq!(
            told["verdict"][0]["of"]["arguments"]["why"]["statement"]["text"],
            "inner"
        );
        assert!(
            told.get("text").is_none(),
            "an object with other fields is no statement"
        );
    }
}
