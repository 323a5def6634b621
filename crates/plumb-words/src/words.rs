//! What does a statement say in one language?

use std::borrow::Cow;

use fluent_bundle::types::FluentNumber;
use fluent_bundle::{FluentArgs, FluentBundle, FluentResource, FluentValue};
use plumb_model::statement::{Argument, Statement};

use crate::catalogue::files;
use crate::language::Language;
use crate::numbers;

/// The words of one language. Where it lacks a sentence, the English one stands in.
pub struct Words {
    language: Language,
    /// The language first, then English.
    bundles: Vec<FluentBundle<FluentResource>>,
}

impl std::fmt::Debug for Words {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Words({})", self.language.tag())
    }
}

impl Words {
    /// The words of this language.
    pub fn of(language: Language) -> Words {
        let mut languages = vec![language];
        if language != Language::English {
            languages.push(Language::English);
        }
        Words {
            language,
            bundles: languages.into_iter().map(bundle).collect(),
        }
    }

    /// English.
    pub fn english() -> Words {
        Words::of(Language::English)
    }

    /// Which language it is.
    pub fn language(&self) -> Language {
        self.language
    }

    /// The sentence of a statement. What the catalogue lacks is shown as such: the identifier, or the name of the argument, in braces.
    pub fn sentence(&self, statement: &Statement) -> String {
        let mut arguments = FluentArgs::new();
        for (name, argument) in &statement.arguments {
            if let Argument::List(list) = argument {
                let count = FluentNumber::from(list.len() as u64);
                arguments.set(format!("{name}-count"), FluentValue::Number(count));
            }
            arguments.set(name.to_string(), self.value(argument));
        }
        self.formatted(&statement.id, &arguments)
            .unwrap_or_else(|| format!("{{{}}}", statement.id))
    }

    fn formatted(&self, id: &str, arguments: &FluentArgs) -> Option<String> {
        self.bundles.iter().find_map(|bundle| {
            let pattern = bundle.get_message(id)?.value()?;
            let mut errors = Vec::new();
            let text = bundle.format_pattern(pattern, Some(arguments), &mut errors);
            Some(text.into_owned())
        })
    }

    fn value<'a>(&self, argument: &'a Argument) -> FluentValue<'a> {
        match argument {
            // Only a number can choose between one and many.
            Argument::Count(count) => FluentValue::Number(FluentNumber::from(*count)),
            other => FluentValue::String(Cow::Owned(self.argument(other))),
        }
    }

    /// One argument by itself, such as the value of a piece of evidence.
    pub fn argument(&self, argument: &Argument) -> String {
        match argument {
            Argument::Name(name) => name.clone(),
            Argument::Count(count) => numbers::count(*count),
            Argument::Number(value) => numbers::number(*value),
            Argument::Quantity { value, unit } => numbers::quantity(*value, *unit),
            Argument::Statement(statement) => self.sentence(statement),
            Argument::List(list) => self.list(list),
        }
    }

    /// `a`, `a and b`, `a, b and c`.
    fn list(&self, list: &[Argument]) -> String {
        let mut texts: Vec<String> = list.iter().map(|item| self.argument(item)).collect();
        let Some(last) = texts.pop() else {
            return String::new();
        };
        let Some(before) = texts.pop() else {
            return last;
        };
        let pair = self.joined("list-two", [("first", before), ("second", last)]);
        texts.into_iter().rev().fold(pair, |rest, first| {
            self.joined("list-more", [("first", first), ("rest", rest)])
        })
    }

    fn joined(&self, id: &str, parts: [(&str, String); 2]) -> String {
        let mut arguments = FluentArgs::new();
        for (name, text) in parts {
            arguments.set(name.to_string(), FluentValue::String(Cow::Owned(text)));
        }
        self.formatted(id, &arguments).unwrap_or_default()
    }
}

fn bundle(language: Language) -> FluentBundle<FluentResource> {
    let mut bundle = FluentBundle::new(vec![language.identifier()]);
    // The marks are for mixed directions of writing; in a terminal they are seen.
    bundle.set_use_isolating(false);
    bundle.set_formatter(Some(|value, _| match value {
        FluentValue::Number(number) if number.value >= 0.0 && number.value.fract() == 0.0 => {
            Some(numbers::count(number.value as u64))
        }
        _ => None,
    }));
    for (_, text) in files(language) {
        // A catalogue with faults gives what can be read of it; a test sees the faults.
        let resource =
            FluentResource::try_new((*text).to_string()).unwrap_or_else(|(resource, _)| resource);
        bundle.add_resource_overriding(resource);
    }
    bundle
}

#[cfg(test)]
mod tests {
    use super::*;
    use plumb_model::statement::Unit;

    #[test]
    fn lists_and_parts_become_one_sentence() {
        let words = Words::english();
        let list = |names: &[&str]| {
            let items = names.iter().map(|name| Argument::Name(name.to_string()));
            words.argument(&Argument::List(items.collect()))
        };
        assert_eq!(list(&[]), "");
        assert_eq!(list(&["a"]), "a");
        assert_eq!(list(&["a", "b"]), "a and b");
        assert_eq!(list(&["a", "b", "c"]), "a, b and c");
        let quantity = Argument::Quantity {
            value: 4096.0,
            unit: Unit::Bytes,
        };
        assert_eq!(words.argument(&quantity), "4 KiB");
        assert_eq!(
            words.sentence(&Statement::verbatim("NT_STATUS_DISK_FULL")),
            "NT_STATUS_DISK_FULL"
        );
    }

    #[test]
    fn what_is_missing_is_seen_and_nothing_panics() {
        let words = Words::english();
        assert_eq!(words.sentence(&Statement::new("no-such")), "{no-such}");
        assert_eq!(words.sentence(&Statement::new("verbatim")), "{$text}");
    }
}
