//! What is a statement? An identifier and typed arguments; the catalog of a language turns it into a sentence (plumb-words).

use std::borrow::Cow;
use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

/// Identifier of a statement with finished text: from another program, a server, or a record older than
/// statements. Its only argument is `text`.
pub const VERBATIM: &str = "verbatim";

/// A message independent of language. JSON also has its sentence, as `text`, which is not read back. A plain string is read as
/// [`VERBATIM`]: older records have finished sentences.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(transform = with_text)]
pub struct Statement {
    /// Its identifier in the catalog: `depth-not-achieved`.
    pub id: Cow<'static, str>,
    /// Arguments by name.
    pub arguments: BTreeMap<Cow<'static, str>, Argument>,
}

impl<'de> Deserialize<'de> for Statement {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Statement, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Written {
            Text(String),
            Typed {
                id: Cow<'static, str>,
                arguments: BTreeMap<Cow<'static, str>, Argument>,
            },
        }
        Ok(match Written::deserialize(deserializer)? {
            Written::Text(text) => Statement::verbatim(text),
            Written::Typed { id, arguments } => Statement { id, arguments },
        })
    }
}

/// The sentence in JSON, besides identifier and arguments.
fn with_text(schema: &mut schemars::Schema) {
    let properties = schema.ensure_object().get_mut("properties");
    if let Some(properties) = properties.and_then(serde_json::Value::as_object_mut) {
        let text = serde_json::json!({"type": "string", "description": "The sentence."});
        properties.insert("text".into(), text);
    }
}

/// One argument. Missing arguments are left out: a statement without one has an identifier of its own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Argument {
    /// An untranslated name: a step, a path, a key, a command, an error of the kernel.
    Name(String),
    /// A count.
    Count(u64),
    /// A number without a unit.
    Number(f64),
    /// A number with its unit.
    Quantity { value: f64, unit: Unit },
    /// A nested statement.
    Statement(Box<Statement>),
    /// Several arguments, in order.
    List(Vec<Argument>),
}

/// Unit of a quantity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// A size.
    Bytes,
    /// A throughput.
    BytesPerSecond,
    /// A link speed.
    BitsPerSecond,
    /// A rate of operations or messages per second.
    PerSecond,
    /// A latency or duration.
    Nanoseconds,
    /// A share: 100 is all of it.
    Percent,
    /// A signed change: -12 is 12 percent less.
    PercentChange,
    /// A factor.
    Times,
}

impl From<&str> for Argument {
    fn from(name: &str) -> Argument {
        Argument::Name(name.to_string())
    }
}

impl From<String> for Argument {
    fn from(name: String) -> Argument {
        Argument::Name(name)
    }
}

impl From<u64> for Argument {
    fn from(count: u64) -> Argument {
        Argument::Count(count)
    }
}

impl From<f64> for Argument {
    fn from(number: f64) -> Argument {
        Argument::Number(number)
    }
}

impl From<(f64, Unit)> for Argument {
    fn from((value, unit): (f64, Unit)) -> Argument {
        Argument::Quantity { value, unit }
    }
}

impl From<Statement> for Argument {
    fn from(part: Statement) -> Argument {
        Argument::Statement(Box::new(part))
    }
}

impl Statement {
    /// A statement without arguments.
    pub fn new(id: &'static str) -> Statement {
        Statement {
            id: Cow::Borrowed(id),
            arguments: BTreeMap::new(),
        }
    }

    /// A finished text, such as of another program.
    pub fn verbatim(text: impl Into<String>) -> Statement {
        Statement::new(VERBATIM).name("text", text)
    }

    /// Adds an argument.
    pub fn with(mut self, name: &'static str, argument: Argument) -> Statement {
        self.arguments.insert(Cow::Borrowed(name), argument);
        self
    }

    /// Adds an untranslated name.
    pub fn name(self, name: &'static str, value: impl Into<String>) -> Statement {
        self.with(name, Argument::Name(value.into()))
    }

    /// Adds several untranslated names.
    pub fn names<T: Into<String>>(
        self,
        name: &'static str,
        values: impl IntoIterator<Item = T>,
    ) -> Statement {
        let values = values.into_iter().map(|value| Argument::Name(value.into()));
        self.with(name, Argument::List(values.collect()))
    }

    /// Adds a count.
    pub fn count(self, name: &'static str, value: u64) -> Statement {
        self.with(name, Argument::Count(value))
    }

    /// Adds a number without a unit.
    pub fn number(self, name: &'static str, value: f64) -> Statement {
        self.with(name, Argument::Number(value))
    }

    /// Adds a size.
    pub fn bytes(self, name: &'static str, value: f64) -> Statement {
        self.quantity(name, value, Unit::Bytes)
    }

    /// Adds a latency or duration, in nanoseconds.
    pub fn time_ns(self, name: &'static str, value: f64) -> Statement {
        self.quantity(name, value, Unit::Nanoseconds)
    }

    /// Adds a share or change, in percent.
    pub fn percent(self, name: &'static str, value: f64) -> Statement {
        self.quantity(name, value, Unit::Percent)
    }

    /// Adds a number with a unit.
    pub fn quantity(self, name: &'static str, value: f64, unit: Unit) -> Statement {
        self.with(name, Argument::Quantity { value, unit })
    }

    /// Adds a nested statement.
    pub fn part(self, name: &'static str, value: Statement) -> Statement {
        self.with(name, Argument::Statement(Box::new(value)))
    }

    /// Adds several untranslated names.
    pub fn parts(
        self,
        name: &'static str,
        values: impl IntoIterator<Item = Statement>,
    ) -> Statement {
        let values = values
            .into_iter()
            .map(|value| Argument::Statement(Box::new(value)));
        self.with(name, Argument::List(values.collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_reads_back_and_its_text_is_not_read() {
        let statement = Statement::new("fell")
            .names("steps", ["a", "b"])
            .count("rounds", 3)
            .percent("by", -4.5)
            .part("why", Statement::verbatim("no room"));
        let mut json = serde_json::to_value(&statement).expect("JSON");
        json["text"] = "whatever".into();
        assert_eq!(json["arguments"]["rounds"]["count"], 3);
        assert_eq!(json["arguments"]["by"]["quantity"]["unit"], "percent");
        let read: Statement = serde_json::from_value(json).expect("a statement");
        assert_eq!(read, statement);
    }

    #[test]
    fn a_bare_text_of_an_old_record_is_verbatim() {
        let read: Statement = serde_json::from_value("no room".into()).expect("a statement");
        assert_eq!(read, Statement::verbatim("no room"));
        let half = serde_json::json!({"id": "fell"});
        assert!(serde_json::from_value::<Statement>(half).is_err());
    }
}
