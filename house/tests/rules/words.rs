//! Do the words of the code keep to the house? Each file says what it is for; no name says nothing; nothing is left half done.

use plumb_house::code::words_at;
use plumb_house::workspace::{Source, assert_none, sources};

/// Words that say nothing about what they name.
const EMPTY_WORDS: &[&str] = &[
    "manager", "managers", "helper", "helpers", "util", "utils", "common", "data", "info", "misc",
];

/// What must be gone before a change is done. Put together here, so that this file does not find itself.
fn leftovers() -> Vec<String> {
    [
        "to do!",
        "unimplemented !",
        "db g!",
        "FIX ME",
        "TO DO",
        "XX X:",
        "# [ignore",
    ]
    .iter()
    .map(|word| word.replace(' ', ""))
    .collect()
}

/// The first line must be `//! ` with words, and the paragraph a whole sentence.
fn does_not_open_with_a_sentence(source: &Source) -> bool {
    let opening: Vec<&str> = source
        .text
        .lines()
        .map_while(|line| line.strip_prefix("//!"))
        .take_while(|line| !line.trim().is_empty())
        .collect();
    let ends_well = opening
        .last()
        .is_some_and(|line| line.trim_end().ends_with(['.', '?', '!']));
    !(ends_well && opening.concat().split_whitespace().count() >= 3)
}

/// Words of a name in snake_case, kebab-case or CamelCase, in lower case.
pub fn words_of(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for c in name.chars() {
        if c == '_' || c == '-' {
            words.push(String::new());
        } else {
            if c.is_uppercase() {
                words.push(String::new());
            }
            words
                .last_mut()
                .expect("never empty")
                .extend(c.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Names of files, folders, modules and types that say nothing.
fn empty_names(source: &Source) -> Vec<String> {
    let mut names: Vec<String> = source
        .path
        .split('/')
        .map(|part| part.trim_end_matches(".rs").to_string())
        .filter(|part| part != "testdata")
        .collect();
    for (_, line) in source.shipped_lines() {
        for keyword in ["struct", "enum", "trait", "type", "mod"] {
            for at in words_at(line, keyword) {
                names.push(
                    line[at + keyword.len()..]
                        .trim_start()
                        .chars()
                        .take_while(|c| c.is_alphanumeric() || *c == '_')
                        .collect(),
                );
            }
        }
    }
    names.retain(|name| {
        words_of(name)
            .iter()
            .any(|word| EMPTY_WORDS.contains(&word.as_str()))
    });
    names
        .into_iter()
        .map(|name| format!("{}: {name}", source.path))
        .collect()
}

fn left_undone(source: &Source, leftovers: &[String]) -> Vec<String> {
    let lines = source
        .text
        .lines()
        .enumerate()
        .filter(|(_, line)| leftovers.iter().any(|word| line.contains(word.as_str())));
    lines
        .map(|(index, line)| format!("{}:{}: {}", source.path, index + 1, line.trim()))
        .collect()
}

#[test]
fn every_file_opens_with_the_question_that_it_answers() {
    let sources = sources();
    let silent = sources
        .iter()
        .filter(|source| does_not_open_with_a_sentence(source));
    assert_none(
        "files without an opening sentence",
        &silent.map(|source| source.path.clone()).collect::<Vec<_>>(),
    );
}

#[test]
fn no_name_says_nothing() {
    assert_none(
        "names that say nothing",
        &sources().iter().flat_map(empty_names).collect::<Vec<_>>(),
    );
}

#[test]
fn nothing_is_left_undone() {
    let leftovers = leftovers();
    assert_none(
        "left undone",
        &sources()
            .iter()
            .flat_map(|source| left_undone(source, &leftovers))
            .collect::<Vec<_>>(),
    );
}

#[test]
fn wrong_words_would_be_seen() {
    let check = |text: &str, expected: bool| {
        assert_eq!(
            does_not_open_with_a_sentence(&Source::new("crates/plumb/src/x.rs", text)),
            expected,
            "{text}"
        );
    };
    check("//! What is it for?\n", false);
    check(
        "//! What is it for? This,\n//! and that.\n\nuse a;\n",
        false,
    );
    for silent in [
        "use a;\n",
        "// What is it for?\n",
        "//! Types\n",
        "//!\n//! What is it for?\n",
        "",
    ] {
        check(silent, true);
    }
    let named = Source::new(
        "crates/plumb/src/disk_utils.rs",
        "pub struct CpuInfo;\nmod data;\nstruct Metadata;\nstruct Information;\n",
    );
    assert_eq!(empty_names(&named).len(), 3);
    let undone = leftovers().join("\n");
    assert_eq!(
        left_undone(&Source::new("crates/plumb/src/x.rs", &undone), &leftovers()).len(),
        leftovers().len()
    );
}
