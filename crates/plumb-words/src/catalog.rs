//! Which sentences does a language have, and which arguments does each use?

use std::collections::{BTreeMap, BTreeSet};

use fluent_syntax::ast::{Entry, Expression, InlineExpression, Pattern, PatternElement};

use crate::language::Language;

/// The English catalog: (file, text).
pub const ENGLISH: &[(&str, &str)] = &[
    ("evidence.ftl", include_str!("../languages/en/evidence.ftl")),
    ("findings.ftl", include_str!("../languages/en/findings.ftl")),
    (
        "comparison.ftl",
        include_str!("../languages/en/comparison.ftl"),
    ),
    ("copies.ftl", include_str!("../languages/en/copies.ftl")),
    ("layers.ftl", include_str!("../languages/en/layers.ftl")),
    ("parts.ftl", include_str!("../languages/en/parts.ftl")),
    ("charts.ftl", include_str!("../languages/en/charts.ftl")),
    ("columns.ftl", include_str!("../languages/en/columns.ftl")),
    ("compared.ftl", include_str!("../languages/en/compared.ftl")),
    ("doubts.ftl", include_str!("../languages/en/doubts.ftl")),
    ("events.ftl", include_str!("../languages/en/events.ftl")),
    ("explain.ftl", include_str!("../languages/en/explain.ftl")),
    ("page.ftl", include_str!("../languages/en/page.ftl")),
    ("plans.ftl", include_str!("../languages/en/plans.ftl")),
    (
        "protocols.ftl",
        include_str!("../languages/en/protocols.ftl"),
    ),
    ("refusals.ftl", include_str!("../languages/en/refusals.ftl")),
    ("terminal.ftl", include_str!("../languages/en/terminal.ftl")),
    ("trace.ftl", include_str!("../languages/en/trace.ftl")),
    ("trend.ftl", include_str!("../languages/en/trend.ftl")),
    ("verdict.ftl", include_str!("../languages/en/verdict.ftl")),
    ("watch.ftl", include_str!("../languages/en/watch.ftl")),
    ("web.ftl", include_str!("../languages/en/web.ftl")),
    ("why.ftl", include_str!("../languages/en/why.ftl")),
];

const CHINESE: &[(&str, &str)] = &[
    (
        "comparison.ftl",
        include_str!("../languages/zh-CN/comparison.ftl"),
    ),
    ("copies.ftl", include_str!("../languages/zh-CN/copies.ftl")),
    ("layers.ftl", include_str!("../languages/zh-CN/layers.ftl")),
    ("trace.ftl", include_str!("../languages/zh-CN/trace.ftl")),
    ("trend.ftl", include_str!("../languages/zh-CN/trend.ftl")),
    ("charts.ftl", include_str!("../languages/zh-CN/charts.ftl")),
    (
        "columns.ftl",
        include_str!("../languages/zh-CN/columns.ftl"),
    ),
    ("facts.ftl", include_str!("../languages/zh-CN/facts.ftl")),
    (
        "compared.ftl",
        include_str!("../languages/zh-CN/compared.ftl"),
    ),
    (
        "findings.ftl",
        include_str!("../languages/zh-CN/findings.ftl"),
    ),
    (
        "evidence.ftl",
        include_str!("../languages/zh-CN/evidence.ftl"),
    ),
    (
        "refusals.ftl",
        include_str!("../languages/zh-CN/refusals.ftl"),
    ),
    ("doubts.ftl", include_str!("../languages/zh-CN/doubts.ftl")),
    ("events.ftl", include_str!("../languages/zh-CN/events.ftl")),
    (
        "explain.ftl",
        include_str!("../languages/zh-CN/explain.ftl"),
    ),
    ("page.ftl", include_str!("../languages/zh-CN/page.ftl")),
    ("parts.ftl", include_str!("../languages/zh-CN/parts.ftl")),
    ("plans.ftl", include_str!("../languages/zh-CN/plans.ftl")),
    (
        "protocols.ftl",
        include_str!("../languages/zh-CN/protocols.ftl"),
    ),
    (
        "terminal.ftl",
        include_str!("../languages/zh-CN/terminal.ftl"),
    ),
    (
        "verdict.ftl",
        include_str!("../languages/zh-CN/verdict.ftl"),
    ),
    ("watch.ftl", include_str!("../languages/zh-CN/watch.ftl")),
    ("web.ftl", include_str!("../languages/zh-CN/web.ftl")),
    ("why.ftl", include_str!("../languages/zh-CN/why.ftl")),
];

const JAPANESE: &[(&str, &str)] = &[
    ("charts.ftl", include_str!("../languages/ja/charts.ftl")),
    ("columns.ftl", include_str!("../languages/ja/columns.ftl")),
    ("facts.ftl", include_str!("../languages/ja/facts.ftl")),
    ("compared.ftl", include_str!("../languages/ja/compared.ftl")),
    ("findings.ftl", include_str!("../languages/ja/findings.ftl")),
    ("evidence.ftl", include_str!("../languages/ja/evidence.ftl")),
    ("refusals.ftl", include_str!("../languages/ja/refusals.ftl")),
    (
        "comparison.ftl",
        include_str!("../languages/ja/comparison.ftl"),
    ),
    ("copies.ftl", include_str!("../languages/ja/copies.ftl")),
    ("layers.ftl", include_str!("../languages/ja/layers.ftl")),
    ("trace.ftl", include_str!("../languages/ja/trace.ftl")),
    ("trend.ftl", include_str!("../languages/ja/trend.ftl")),
    ("doubts.ftl", include_str!("../languages/ja/doubts.ftl")),
    ("events.ftl", include_str!("../languages/ja/events.ftl")),
    ("explain.ftl", include_str!("../languages/ja/explain.ftl")),
    ("page.ftl", include_str!("../languages/ja/page.ftl")),
    ("parts.ftl", include_str!("../languages/ja/parts.ftl")),
    ("plans.ftl", include_str!("../languages/ja/plans.ftl")),
    (
        "protocols.ftl",
        include_str!("../languages/ja/protocols.ftl"),
    ),
    ("terminal.ftl", include_str!("../languages/ja/terminal.ftl")),
    ("verdict.ftl", include_str!("../languages/ja/verdict.ftl")),
    ("watch.ftl", include_str!("../languages/ja/watch.ftl")),
    ("web.ftl", include_str!("../languages/ja/web.ftl")),
    ("why.ftl", include_str!("../languages/ja/why.ftl")),
];

/// The files of a language.
pub(crate) fn files(language: Language) -> &'static [(&'static str, &'static str)] {
    match language {
        Language::English => ENGLISH,
        Language::Chinese => CHINESE,
        Language::Japanese => JAPANESE,
    }
}

/// One sentence of a catalog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sentence {
    /// The file that holds it.
    pub file: &'static str,
    /// The arguments that it uses.
    pub names: BTreeSet<String>,
}

/// All sentences of a language, by their identifiers. Errors: one sentence for each fault of the catalog.
pub fn sentences(language: Language) -> Result<BTreeMap<String, Sentence>, Vec<String>> {
    let mut found = BTreeMap::new();
    let mut faults = Vec::new();
    for (file, text) in files(language) {
        let resource = fluent_syntax::parser::parse(*text).unwrap_or_else(|(resource, errors)| {
            faults.extend(errors.iter().map(|error| format!("{file}: {error}")));
            resource
        });
        for entry in &resource.body {
            match entry {
                Entry::Message(message) => {
                    let mut names = BTreeSet::new();
                    if let Some(pattern) = &message.value {
                        of_pattern(pattern, &mut names);
                    }
                    let sentence = Sentence { file, names };
                    if found
                        .insert(message.id.name.to_string(), sentence)
                        .is_some()
                    {
                        faults.push(format!("{file}: {} is defined twice", message.id.name));
                    }
                }
                Entry::Junk { content } => {
                    faults.push(format!("{file}: cannot be read: {content}"))
                }
                _ => {}
            }
        }
    }
    if faults.is_empty() {
        Ok(found)
    } else {
        Err(faults)
    }
}

fn of_pattern(pattern: &Pattern<&str>, names: &mut BTreeSet<String>) {
    for element in &pattern.elements {
        if let PatternElement::Placeable { expression } = element {
            of_expression(expression, names);
        }
    }
}

fn of_expression(expression: &Expression<&str>, names: &mut BTreeSet<String>) {
    match expression {
        Expression::Inline(inline) => of_inline(inline, names),
        Expression::Select { selector, variants } => {
            of_inline(selector, names);
            variants
                .iter()
                .for_each(|variant| of_pattern(&variant.value, names));
        }
    }
}

fn of_inline(inline: &InlineExpression<&str>, names: &mut BTreeSet<String>) {
    match inline {
        InlineExpression::VariableReference { id } => {
            names.insert(id.name.to_string());
        }
        InlineExpression::Placeable { expression } => of_expression(expression, names),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_catalog_can_be_read() {
        for language in Language::ALL {
            let found = sentences(language).unwrap_or_else(|faults| panic!("{faults:#?}"));
            assert!(found.contains_key("verbatim"), "{language:?}");
        }
    }

    #[test]
    fn names_in_choices_are_found() {
        let text = "a = { $n ->\n    [one] { $b } step\n   *[other] { $n } steps of { $c }\n}\n";
        let resource = fluent_syntax::parser::parse(text).expect("a catalog");
        let Some(Entry::Message(message)) = resource.body.first() else {
            panic!("no sentence");
        };
        let mut names = BTreeSet::new();
        of_pattern(message.value.as_ref().expect("a value"), &mut names);
        assert_eq!(names.into_iter().collect::<Vec<_>>(), ["b", "c", "n"]);
    }
}
