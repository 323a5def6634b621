//! Has every statement its sentence, and every sentence the arguments that it names?

use std::collections::{BTreeMap, BTreeSet};

use plumb_model::environment::FACTS;
use plumb_model::statement::Statement;
use plumb_plan::PlanFile;
use plumb_plan::plans::PLANS;
use plumb_words::{Language, Sentence, Words, fact_id, plan_title_id, sentences};

use plumb_house::code::Said;
use plumb_house::workspace::{Source, assert_none, sources as all_sources};

/// Sentences that are not said by `Statement::new` with their identifier.
const OTHERWISE: [&str; 4] = ["verbatim", "list-two", "list-more", "quantity-times"];

/// Where the titles of the built-in plans stand.
const TITLES_OF_PLANS: &str = "plans.ftl";

/// What is wrong with the statements of these sources.
fn faults(sources: &[Source], catalogue: &BTreeMap<String, Sentence>) -> Vec<String> {
    let mut found = Vec::new();
    let mut said = BTreeSet::new();
    for source in sources.iter().filter(|source| !source.is_test) {
        for Said {
            ids,
            arguments,
            line,
        } in &source.code.statements
        {
            let place = format!("{}:{line}", source.path);
            // The one place where the identifier is a value: the constructor itself, and `verbatim`.
            if ids.is_empty() && source.stem() != "statement" {
                found.push(format!("{place}: the identifier is no text"));
            }
            for id in ids {
                said.insert(id.as_str());
                let Some(sentence) = catalogue.get(id) else {
                    found.push(format!("{place}: '{id}' has no sentence in English"));
                    continue;
                };
                let lacking = sentence
                    .names
                    .iter()
                    .filter(|name| !arguments.contains(name));
                found.extend(lacking.map(|name| {
                    format!("{place}: the sentence of '{id}' names ${name}, which it is not given")
                }));
            }
        }
        for (label, line) in &source.code.labels {
            let place = format!("{}:{line}", source.path);
            said.insert(label.as_str());
            match catalogue.get(label) {
                None => found.push(format!("{place}: '{label}' has no words in English")),
                Some(sentence) if !sentence.names.is_empty() => {
                    found.push(format!("{place}: '{label}' is a label and has arguments"))
                }
                Some(_) => {}
            }
        }
    }
    let orphans = catalogue.iter().filter(|(id, sentence)| {
        // Titles of plans are looked up by the plan's name: the test below compares them.
        !said.contains(id.as_str())
            && !OTHERWISE.contains(&id.as_str())
            && sentence.file != TITLES_OF_PLANS
    });
    found.extend(orphans.map(|(id, sentence)| format!("{}: nothing says '{id}'", sentence.file)));
    found
}

fn catalogue(language: Language) -> BTreeMap<String, Sentence> {
    sentences(language).unwrap_or_else(|faults| panic!("{faults:#?}"))
}

#[test]
fn every_statement_has_its_sentence_and_every_sentence_its_arguments() {
    assert_none(
        "statements and the English catalogue",
        &faults(all_sources(), &catalogue(Language::English)),
    );
}

/// Title by title: a title that differs would be shown in English to every reader.
#[test]
fn titles_of_built_in_plans_are_those_of_their_files() {
    let of_files = PLANS.iter().map(|plan| {
        let file = plan.file().expect("a built-in plan");
        (plan_title_id(plan.name), file.title)
    });
    let ad_hoc = PlanFile::ad_hoc();
    let of_flags = (plan_title_id(&ad_hoc.name), ad_hoc.title);
    let written: BTreeMap<String, String> = of_files.chain([of_flags]).collect();
    let titles = catalogue(Language::English)
        .into_iter()
        .filter(|(_, sentence)| sentence.file == TITLES_OF_PLANS);
    let known: BTreeMap<String, String> = titles
        .map(|(id, _)| {
            let arguments = BTreeMap::new();
            let said = Statement {
                id: id.clone().into(),
                arguments,
            };
            (id, Words::english().sentence(&said))
        })
        .collect();
    assert_eq!(known, written);
}

/// Another language may lack sentences, which is told; it may not have one that English lacks, or name another argument.
#[test]
fn other_languages_say_the_same() {
    let mut english = catalogue(Language::English);
    // In English the list of facts has their meanings.
    let facts = FACTS.iter().map(|(fact, _)| fact_id(fact));
    let file = "environment.rs";
    let names = BTreeSet::new();
    english.extend(facts.map(|id| {
        let names = names.clone();
        (id, Sentence { file, names })
    }));
    let mut found = Vec::new();
    for language in Language::ALL {
        if language == Language::English {
            continue;
        }
        let theirs = catalogue(language);
        let lacking = english
            .keys()
            .filter(|id| !theirs.contains_key(*id))
            .count();
        println!(
            "{}: {lacking} of {} sentences are missing",
            language.tag(),
            english.len()
        );
        for (id, sentence) in &theirs {
            match english.get(id) {
                None => found.push(format!("{}: {id} is no English sentence", language.tag())),
                Some(original) if !sentence.names.is_subset(&original.names) => {
                    found.push(format!(
                        "{}: {id} names {:?}, the English one {:?}",
                        language.tag(),
                        sentence.names,
                        original.names
                    ))
                }
                Some(_) => {}
            }
        }
    }
    assert_none("sentences that do not fit the English ones", &found);
}

#[test]
fn what_does_not_fit_would_be_seen() {
    let names = |names: &[&str]| Sentence {
        file: "x.ftl",
        names: names.iter().map(|name| name.to_string()).collect(),
    };
    let catalogue = BTreeMap::from([
        ("fell".to_string(), names(&["step"])),
        ("rose".to_string(), names(&[])),
        ("label-size".to_string(), names(&[])),
        ("label-sizes".to_string(), names(&["count"])),
    ]);
    let source = |text: &str| [Source::new("crates/plumb-analyse/src/x.rs", text)];
    let told = |text: &str| faults(&source(text), &catalogue);
    let right = told(
        "fn f() { a(Statement::new(\"fell\").name(\"step\", s), Statement::new(\"rose\"), vec![\"label-size\"]) }",
    );
    assert_eq!(right, ["x.ftl: nothing says 'label-sizes'"]);
    let labels = told(
        "fn f() { w.label(\"label-sizes\"); w.label(\"label-pears\"); [\"label-size\"]; Statement::new(\"rose\"); Statement::new(\"fell\").name(\"step\", s) }",
    );
    assert_eq!(labels.len(), 2, "{labels:#?}");
    let wrong =
        told("fn f() { Statement::new(\"fell\"); Statement::new(\"stood\"); Statement::new(id); }");
    assert_eq!(wrong.len(), 6, "{wrong:#?}");
}
