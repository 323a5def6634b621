//! How does fio write JSON? Keys in its own order, a space before each colon, and real numbers with a point.

use std::fmt::Write as _;

use serde_json::Value;

/// A value.
#[derive(Debug, Clone, PartialEq)]
pub enum Node {
    Null,
    Integer(u64),
    Real(f64),
    Text(String),
    List(Vec<Node>),
    Object(Object),
}

/// Keys with their values, in the order in which they are written.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Object(pub Vec<(String, Node)>);

impl Object {
    pub fn put(&mut self, key: &str, value: impl Into<Node>) {
        self.0.push((key.to_string(), value.into()));
    }
}

impl From<u64> for Node {
    fn from(value: u64) -> Node {
        Node::Integer(value)
    }
}

impl From<f64> for Node {
    fn from(value: f64) -> Node {
        Node::Real(value)
    }
}

impl From<&str> for Node {
    fn from(value: &str) -> Node {
        Node::Text(value.to_string())
    }
}

impl From<Object> for Node {
    fn from(value: Object) -> Node {
        Node::Object(value)
    }
}

impl<T: Into<Node>> From<Option<T>> for Node {
    fn from(value: Option<T>) -> Node {
        value.map_or(Node::Null, Into::into)
    }
}

impl From<Value> for Node {
    fn from(value: Value) -> Node {
        match value {
            Value::Null => Node::Null,
            Value::Bool(is_on) => Node::Integer(u64::from(is_on)),
            Value::Number(number) => match number.as_u64() {
                Some(whole) => Node::Integer(whole),
                None => number.as_f64().into(),
            },
            Value::String(text) => Node::Text(text),
            Value::Array(values) => Node::List(values.into_iter().map(Node::from).collect()),
            Value::Object(pairs) => Node::Object(Object(
                pairs
                    .into_iter()
                    .map(|(key, value)| (key, value.into()))
                    .collect(),
            )),
        }
    }
}

/// The text of a document, with the newline that fio appends.
pub fn text(document: &Object) -> String {
    let mut out = String::new();
    object(document, 0, &mut out);
    out.push('\n');
    out
}

fn object(object: &Object, depth: usize, out: &mut String) {
    out.push_str("{\n");
    for (index, (key, value)) in object.0.iter().enumerate() {
        let comma = if index + 1 < object.0.len() { "," } else { "" };
        let _ = write!(
            out,
            "{:width$}{} : ",
            "",
            quoted(key),
            width = 2 * depth + 2
        );
        node(value, depth + 1, out);
        let _ = writeln!(out, "{comma}");
    }
    let _ = write!(out, "{:width$}}}", "", width = 2 * depth);
}

fn node(value: &Node, depth: usize, out: &mut String) {
    match value {
        Node::Null => out.push_str("null"),
        Node::Integer(value) => out.push_str(&value.to_string()),
        Node::Real(value) => out.push_str(&real(*value)),
        Node::Text(text) => out.push_str(&quoted(text)),
        Node::Object(of) => object(of, depth, out),
        Node::List(values) => {
            out.push_str("[\n");
            for (index, value) in values.iter().enumerate() {
                let comma = if index + 1 < values.len() { "," } else { "" };
                let _ = write!(out, "{:width$}", "", width = 2 * depth + 2);
                node(value, depth + 1, out);
                let _ = writeln!(out, "{comma}");
            }
            let _ = write!(out, "{:width$}]", "", width = 2 * depth);
        }
    }
}

/// Six decimals, as in fio, and more if needed to restore the exact value.
fn real(value: f64) -> String {
    if !value.is_finite() {
        return "null".into();
    }
    let short = format!("{value:.6}");
    match short.parse::<f64>() {
        Ok(back) if back == value => short,
        _ => format!("{value}"),
    }
}

fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_else(|_| "\"\"".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_value_is_json_and_comes_back() {
        let mut inner = Object::default();
        inner.put("a \"b\"\n", 0.1 + 0.2);
        inner.put("none", None::<u64>);
        let mut outer = Object::default();
        outer.put("z", 7u64);
        outer.put("half", 0.5);
        outer.put("list", Node::List(vec![inner.clone().into(), "x".into()]));
        outer.put("empty", Node::List(Vec::new()));
        outer.put("bare", Object::default());
        let text = text(&outer);
        assert!(
            text.starts_with("{\n  \"z\" : 7,\n  \"half\" : 0.500000,\n"),
            "{text}"
        );
        let back: Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(back["list"][0]["a \"b\"\n"], 0.1 + 0.2);
        assert_eq!(
            (&back["list"][0]["none"], &back["list"][1]),
            (&Value::Null, &"x".into())
        );
        assert_eq!(real(f64::NAN), "null");
        assert!(matches!(Node::from(back), Node::Object(_)));
    }
}
