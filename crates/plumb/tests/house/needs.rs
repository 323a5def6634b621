//! Does every rule ask for facts and metrics that exist? A misspelt id is never there, so the rule that asks for it stays silent for ever.

use std::collections::BTreeSet;

use plumb_analyse::rules::RULES;
use plumb_model::environment::FACTS;
use plumb_observe::sources::metrics;

use plumb_house::workspace::{Source, assert_none, sources};

/// Ids of all facts and of the metrics of all sources.
fn known() -> BTreeSet<&'static str> {
    let facts = FACTS.iter().map(|(id, _)| *id);
    facts.chain(metrics().map(|metric| metric.id)).collect()
}

/// What a rule says that it needs and what exists nowhere.
fn unknown_needs(rule: &str, needs: &[&str], known: &BTreeSet<&str>) -> Vec<String> {
    let unknown = needs.iter().filter(|need| !known.contains(**need));
    unknown
        .map(|need| format!("{rule} needs '{need}', which is no fact and no metric"))
        .collect()
}

/// Texts of this file that have the form of an id, with a group that facts or metrics have (`disk.` of `disk.reads`), and are none.
fn unknown_ids(source: &Source, known: &BTreeSet<&str>) -> Vec<String> {
    let groups: BTreeSet<&str> = known.iter().filter_map(|id| group_of(id)).collect();
    let unknown = source.code.literals.iter().filter(|(text, _)| {
        group_of(text).is_some_and(|group| groups.contains(group)) && !known.contains(text.as_str())
    });
    unknown
        .map(|(text, line)| format!("{}:{line}: '{text}' is no fact and no metric", source.path))
        .collect()
}

/// `disk` of `disk.read_bytes`; nothing for what has not the form of an id.
fn group_of(text: &str) -> Option<&str> {
    let (group, name) = text.split_once('.')?;
    let is_word = |word: &str| {
        word.starts_with(|c: char| c.is_ascii_lowercase())
            && word
                .chars()
                .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
    };
    (is_word(group) && is_word(name)).then_some(group)
}

#[test]
fn every_rule_needs_what_exists() {
    let known = known();
    let needs = RULES
        .iter()
        .flat_map(|rule| unknown_needs(rule.name, rule.needs, &known));
    assert_none("needs of rules", &needs.collect::<Vec<_>>());
}

/// Not what a rule declares only: what its code and its examples, all of the analysis, and the charts ask for.
#[test]
fn analysis_and_charts_name_only_facts_and_metrics_that_exist() {
    let known = known();
    let analysis = sources()
        .iter()
        .filter(|source| matches!(source.crate_name(), "plumb-analyse" | "plumb-show"));
    assert_none(
        "ids of facts and metrics",
        &analysis
            .flat_map(|source| unknown_ids(source, &known))
            .collect::<Vec<_>>(),
    );
}

#[test]
fn a_misspelt_id_would_be_seen() {
    let known = known();
    assert_eq!(
        unknown_needs(
            "x",
            &["disk.read_bytes", "device.name", "disk.red_bytes"],
            &known
        )
        .len(),
        1
    );
    let told = unknown_ids(
        &Source::new(
            "crates/plumb-analyse/src/rules/x.rs",
            "fn a() { b(\"disk.reads\", \"tcp.segments\", \"disk. No id\", \"file.name\", c!(\"device.nme\")) }",
        ),
        &known,
    );
    assert_eq!(told.len(), 2, "{told:?}");
}
