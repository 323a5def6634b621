//! What does plumb say? An identifier and typed arguments; the catalogue of a language makes a sentence of them (plumb-words).

use std::borrow::Cow;
use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

/// Identifier of a statement that is a sentence of somebody else: of another program, of a server, or of a record that was written before there were
/// statements. Its one argument is `text`.
pub const VERBATIM: &str = "verbatim";

/// Something that is said, in no language yet. In JSON it has its sentence besides, as `text`, which is not read back. A bare text is read as
/// [`VERBATIM`]: records had finished sentences before there were statements.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(transform = with_text)]
pub struct Statement {
    /// Its sentence in the catalogue: `depth-not-achieved`.
    pub id: Cow<'static, str>,
    /// What the sentence names, by name.
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

/// The sentence that JSON has beside identifier and arguments.
fn with_text(schema: &mut schemars::Schema) {
    let properties = schema.ensure_object().get_mut("properties");
    if let Some(properties) = properties.and_then(serde_json::Value::as_object_mut) {
        let text = serde_json::json!({"type": "string", "description": "The sentence."});
        properties.insert("text".into(), text);
    }
}

/// One value that a sentence names. Missing arguments are left out: a statement that may lack one has an identifier of its own for that.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Argument {
    /// A name that no language translates: a step, a path, a key, a command, an error of the kernel.
    Name(String),
    /// How many.
    Count(u64),
    /// A number without a unit.
    Number(f64),
    /// A number with its unit.
    Quantity { value: f64, unit: Unit },
    /// A part within a sentence, which is a statement itself.
    Statement(Box<Statement>),
    /// Several, in the order in which they are said.
    List(Vec<Argument>),
}

/// What a quantity is measured in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// A size.
    Bytes,
    /// A throughput.
    BytesPerSecond,
    /// The speed of a link.
    BitsPerSecond,
    /// IOPS, or messages per second: a count without a word for it.
    PerSecond,
    /// A latency or a span of time.
    Nanoseconds,
    /// A share: 100 is all.
    Percent,
    /// A change against something else, with its sign: -12 is 12 percent less.
    PercentChange,
    /// So many times as much.
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
    /// A statement without arguments yet.
    pub fn new(id: &'static str) -> Statement {
        Statement {
            id: Cow::Borrowed(id),
            arguments: BTreeMap::new(),
        }
    }

    /// A sentence of somebody else.
    pub fn verbatim(text: impl Into<String>) -> Statement {
        Statement::new(VERBATIM).name("text", text)
    }

    /// With this argument.
    pub fn with(mut self, name: &'static str, argument: Argument) -> Statement {
        self.arguments.insert(Cow::Borrowed(name), argument);
        self
    }

    /// With a name that no language translates.
    pub fn name(self, name: &'static str, value: impl Into<String>) -> Statement {
        self.with(name, Argument::Name(value.into()))
    }

    /// With several of them.
    pub fn names<T: Into<String>>(
        self,
        name: &'static str,
        values: impl IntoIterator<Item = T>,
    ) -> Statement {
        let values = values.into_iter().map(|value| Argument::Name(value.into()));
        self.with(name, Argument::List(values.collect()))
    }

    /// With a count.
    pub fn count(self, name: &'static str, value: u64) -> Statement {
        self.with(name, Argument::Count(value))
    }

    /// With a number without a unit.
    pub fn number(self, name: &'static str, value: f64) -> Statement {
        self.with(name, Argument::Number(value))
    }

    /// With a size.
    pub fn bytes(self, name: &'static str, value: f64) -> Statement {
        self.quantity(name, value, Unit::Bytes)
    }

    /// With a latency or a span of time, in nanoseconds.
    pub fn time_ns(self, name: &'static str, value: f64) -> Statement {
        self.quantity(name, value, Unit::Nanoseconds)
    }

    /// With a share or change, in percent.
    pub fn percent(self, name: &'static str, value: f64) -> Statement {
        self.quantity(name, value, Unit::Percent)
    }

    /// With a number in this unit.
    pub fn quantity(self, name: &'static str, value: f64, unit: Unit) -> Statement {
        self.with(name, Argument::Quantity { value, unit })
    }

    /// With a part that is a statement itself.
    pub fn part(self, name: &'static str, value: Statement) -> Statement {
        self.with(name, Argument::Statement(Box::new(value)))
    }

    /// With several of them.
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
