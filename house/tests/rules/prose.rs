//! Does plumb-analyse build no sentence? It says statements; the sentences stand in the catalogue.

use std::collections::BTreeMap;

use crate::exceptions::PROSE;
use plumb_house::literals::shipped_literals;
use plumb_house::workspace::{Source, assert_none, sources};

/// Words from which on a text reads as prose and not as a name.
const WORDS: usize = 4;

/// True for a text of several words, what is filled in not counted.
pub fn is_prose(text: &str) -> bool {
    let mut depth = 0usize;
    let plain: String = text
        .chars()
        .filter(|c| {
            match c {
                '{' => depth += 1,
                '}' => depth = depth.saturating_sub(1),
                _ => {}
            }
            depth == 0
        })
        .collect();
    let is_word = |word: &&str| {
        let letters = word.chars().filter(|c| c.is_alphabetic()).count();
        letters > 0 && !word.contains(['=', '/', '_'])
    };
    plain.split_whitespace().filter(is_word).count() >= WORDS
}

/// Lines of code that ships with a text that reads as prose; comments of documentation are none, nor is what a rule or figure is for, in its descriptor.
fn prose(source: &Source) -> Vec<usize> {
    let lines: Vec<&str> = source.text.lines().collect();
    let begins = |line: usize, with: &str| {
        let text = lines.get(line.saturating_sub(1)).copied();
        text.is_some_and(|text| text.trim_start().starts_with(with))
    };
    let is_described = |line: usize| {
        begins(line, "//") || begins(line, "meaning:") || begins(line - 1, "meaning:")
    };
    shipped_literals(source)
        .into_iter()
        .filter(|(text, line)| is_prose(text) && !is_described(*line))
        .map(|(_, line)| line)
        .collect()
}

#[test]
fn no_sentence_is_built_where_figures_are_judged() {
    let allowed: BTreeMap<&str, usize> = PROSE.iter().copied().collect();
    let mut wrong = Vec::new();
    for source in sources() {
        let in_analyse = source.path.starts_with("crates/plumb-analyse/src/") && !source.is_test;
        if !in_analyse {
            continue;
        }
        let lines = prose(source);
        let most = allowed.get(source.path.as_str()).copied().unwrap_or(0);
        if lines.len() > most {
            wrong.push(format!("{}: {most} may, lines {lines:?} do", source.path));
        } else if lines.len() < most {
            wrong.push(format!(
                "{}: the exception is {most}, and {} are left: lower it",
                source.path,
                lines.len()
            ));
        }
    }
    let is_there = |path: &str| sources().iter().any(|source| source.path == path);
    let gone = PROSE.iter().filter(|(path, _)| !is_there(path));
    wrong.extend(gone.map(|(path, _)| format!("{path} is excepted and does not exist")));
    assert_none(
        "texts of plumb-analyse that read as prose (say a statement, and put its sentence into the catalogue)",
        &wrong,
    );
}

#[test]
fn prose_is_told_from_names() {
    for text in [
        "the interval lies within {percent}",
        "{} of {all} rounds of {letter} have too few operations",
    ] {
        assert!(is_prose(text), "{text}");
    }
    for text in [
        "response time, 99 %",
        "rounds-scatter-too-much",
        "{what} {value} of {all}",
        "plumb run {path} --set size=1g a=b",
    ] {
        assert!(!is_prose(text), "{text}");
    }
    let source = |text: &str| Source::new("crates/plumb-analyse/src/x.rs", text);
    let lines = |text: &str| prose(&source(text));
    assert_eq!(
        lines("/// One two three four five.\nfn f() { g(\"one two three four\") }\n"),
        [2]
    );
    assert!(lines("const R: Rule = Rule {\n    meaning: \"one two three four\",\n};\n").is_empty());
    assert!(lines("#[cfg(test)]\nmod t { const C: &str = \"one two three four\"; }\n").is_empty());
}
