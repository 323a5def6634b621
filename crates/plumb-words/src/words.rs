//! How does a statement read in one language?

use std::borrow::Cow;
use std::sync::LazyLock;

use fluent_bundle::concurrent::FluentBundle;
use fluent_bundle::types::FluentNumber;
use fluent_bundle::{FluentArgs, FluentResource, FluentValue};
use plumb_model::statement::{Argument, Statement, Unit};

use crate::catalog::files;
use crate::language::Language;
use crate::numbers;

/// True for the identifier of a text without arguments: the name of a column, a heading.
pub fn is_label(id: &str) -> bool {
    id.starts_with(LABEL)
}

/// The identifier of the text for a fact of the environment.
pub fn fact_id(fact: &str) -> String {
    format!("fact-{}", fact.replace('.', "-").replace('*', "any"))
}

/// The identifier of the title of a built-in plan.
pub fn plan_title_id(plan: &str) -> String {
    format!("plan-title-{plan}")
}

const LABEL: &str = "label-";

/// The English sentence of a statement: error messages and the command line are English.
pub fn english(statement: &Statement) -> String {
    Words::english().sentence(statement)
}

type Bundle = FluentBundle<FluentResource>;

/// The catalogs, each parsed when it is first used.
static ENGLISH: LazyLock<Bundle> = LazyLock::new(|| bundle(Language::English));
static CHINESE: LazyLock<Bundle> = LazyLock::new(|| bundle(Language::Chinese));
static JAPANESE: LazyLock<Bundle> = LazyLock::new(|| bundle(Language::Japanese));

/// The texts of one language. Where it lacks a sentence, the English one is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Words {
    language: Language,
}

impl Words {
    /// The texts of this language.
    pub const fn of(language: Language) -> Words {
        Words { language }
    }

    /// English.
    pub const fn english() -> Words {
        Words::of(Language::English)
    }

    fn bundle(self) -> &'static Bundle {
        match self.language {
            Language::English => &ENGLISH,
            Language::Chinese => &CHINESE,
            Language::Japanese => &JAPANESE,
        }
    }

    /// The language.
    pub fn language(self) -> Language {
        self.language
    }

    /// The sentence of a statement. Where the catalog has none, the identifier is shown in braces; a missing argument likewise.
    pub fn sentence(self, statement: &Statement) -> String {
        // An English sentence that is used instead is English with all its parts.
        if self.bundle().get_message(&statement.id).is_none() && self != Words::english() {
            return Words::english().sentence(statement);
        }
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

    /// A text without arguments: a heading, the name of a column. Its identifier begins with `label-`.
    pub fn label(self, id: &str) -> String {
        self.formatted(id, &FluentArgs::new())
            .unwrap_or_else(|| format!("{{{id}}}"))
    }

    /// The meaning of a fact of the environment; `None` in English, where the list of facts has it, and where the language lacks it. The identifier of the
    /// text for `device.write_cache` is `fact-device-write_cache`.
    pub fn fact(self, id: &str) -> Option<String> {
        let id = fact_id(id);
        self.bundle().get_message(&id)?;
        self.formatted(&id, &FluentArgs::new())
    }

    /// The title of a plan: translated for a built-in plan, as in its file for any other.
    pub fn plan_title(self, plan: &str, title: &str) -> String {
        let id = plan_title_id(plan);
        let built_in = Words::english().formatted(&id, &FluentArgs::new());
        if built_in.as_deref() != Some(title) {
            return title.to_string();
        }
        self.formatted(&id, &FluentArgs::new())
            .unwrap_or_else(|| title.to_string())
    }

    /// The sentences that are present, joined.
    pub fn sentences(self, sentences: impl IntoIterator<Item = Option<String>>) -> String {
        // Chinese and Japanese put no space between sentences.
        let gap = match self.language {
            Language::English => " ",
            Language::Chinese | Language::Japanese => "",
        };
        let present: Vec<String> = sentences.into_iter().flatten().collect();
        present.join(gap)
    }

    /// The labels that are present, joined: a caption of several sentences.
    pub fn captions(self, labels: impl IntoIterator<Item = Option<&'static str>>) -> String {
        self.sentences(
            labels
                .into_iter()
                .map(|label| label.map(|label| self.label(label))),
        )
    }

    fn formatted(self, id: &str, arguments: &FluentArgs) -> Option<String> {
        let format_in = |bundle: &Bundle| {
            let pattern = bundle.get_message(id)?.value()?;
            let mut errors = Vec::new();
            let text = bundle.format_pattern(pattern, Some(arguments), &mut errors);
            Some(text.into_owned())
        };
        format_in(self.bundle()).or_else(|| format_in(&ENGLISH))
    }

    fn value<'a>(self, argument: &'a Argument) -> FluentValue<'a> {
        match argument {
            // Only a number can choose between one and many.
            Argument::Count(count) => FluentValue::Number(FluentNumber::from(*count)),
            other => FluentValue::String(Cow::Owned(self.argument(other))),
        }
    }

    /// A single argument, such as the value of a piece of evidence.
    pub fn argument(self, argument: &Argument) -> String {
        match argument {
            Argument::Name(name) => name.clone(),
            Argument::Count(count) => numbers::count(*count),
            Argument::Number(value) => numbers::number(*value),
            Argument::Quantity {
                value,
                unit: Unit::Times,
            } => self.times(*value),
            Argument::Quantity { value, unit } => numbers::quantity(*value, *unit),
            Argument::Statement(statement) => self.sentence(statement),
            Argument::List(list) => self.list(list),
        }
    }

    /// `2.5 times`.
    fn times(self, value: f64) -> String {
        let mut arguments = FluentArgs::new();
        let text = numbers::number(value);
        arguments.set("value", FluentValue::String(Cow::Owned(text)));
        self.formatted("quantity-times", &arguments)
            .unwrap_or_default()
    }

    /// `a`, `a and b`, `a, b and c`.
    fn list(self, list: &[Argument]) -> String {
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

    fn joined(self, id: &str, parts: [(&str, String); 2]) -> String {
        let mut arguments = FluentArgs::new();
        for (name, text) in parts {
            arguments.set(name.to_string(), FluentValue::String(Cow::Owned(text)));
        }
        self.formatted(id, &arguments).unwrap_or_default()
    }
}

fn bundle(language: Language) -> Bundle {
    let mut bundle = FluentBundle::new_concurrent(vec![language.identifier()]);
    // Isolation marks are for mixed writing directions; a terminal shows them.
    bundle.set_use_isolating(false);
    bundle.set_formatter(Some(|value, _| match value {
        FluentValue::Number(number) if number.value >= 0.0 && number.value.fract() == 0.0 => {
            Some(numbers::count(number.value as u64))
        }
        _ => None,
    }));
    for (_, text) in files(language) {
        // Of a catalog with faults, the readable part is used; a test finds the faults.
        let resource =
            FluentResource::try_new((*text).to_string()).unwrap_or_else(|(resource, _)| resource);
        bundle.add_resource_overriding(resource);
    }
    bundle
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let factor = Argument::Quantity {
            value: 2.5,
            unit: Unit::Times,
        };
        assert_eq!(words.argument(&factor), "2.5 times");
        assert_eq!(Words::of(Language::Chinese).argument(&factor), "2.5 倍");
        assert_eq!(
            words.sentence(&Statement::verbatim("NT_STATUS_DISK_FULL")),
            "NT_STATUS_DISK_FULL"
        );
    }

    #[test]
    fn a_missing_sentence_is_english_with_all_its_parts() {
        let statement_of = |id| {
            Statement::new(id)
                .names("names", ["a", "b"])
                .count("count", 2)
        };
        let lists = |words: Words| {
            words.argument(&Argument::List(vec![
                Argument::Name("a".into()),
                Argument::Name("b".into()),
            ]))
        };
        let japanese = Words::of(Language::Japanese);
        assert_eq!(
            (lists(japanese), lists(Words::english())),
            ("aとb".into(), "a and b".into())
        );
        for id in crate::sentences(Language::English)
            .expect("sentences")
            .keys()
        {
            let there = crate::sentences(Language::Japanese)
                .expect("sentences")
                .contains_key(id);
            let statement = Statement {
                id: id.clone().into(),
                ..statement_of("x")
            };
            if !there {
                assert_eq!(
                    japanese.sentence(&statement),
                    Words::english().sentence(&statement)
                );
                break;
            }
        }
    }

    #[test]
    fn missing_sentences_and_arguments_show_in_braces() {
        let words = Words::english();
        assert_eq!(words.sentence(&Statement::new("no-such")), "{no-such}");
        assert_eq!(words.sentence(&Statement::new("verbatim")), "{$text}");
    }
}
