//! Can every file and every function be read in one go?

use std::collections::BTreeSet;

use crate::exceptions::{FILE_LINES_MAX, FUNCTION_LINES_MAX, LONG_FILES, LONG_FUNCTIONS};
use crate::workspace::{Source, assert_none, sources};

/// Lines without what is only built for tests.
fn shipped_line_count(source: &Source) -> usize {
    let lines = source.shipped_lines();
    // The empty rest behind the last line end is no line.
    lines.len() - usize::from(lines.last().is_some_and(|(_, line)| line.is_empty()))
}

fn long_functions(sources: &[Source], excepted: &[(&str, &str, usize)]) -> Vec<String> {
    let mut found = Vec::new();
    let mut needed = BTreeSet::new();
    for source in sources {
        for function in &source.code.functions {
            if function.lines <= FUNCTION_LINES_MAX {
                continue;
            }
            let allowed = excepted
                .iter()
                .find(|(path, name, _)| *path == source.path && *name == function.name);
            needed.extend(allowed.map(|(path, name, _)| (*path, *name)));
            if allowed.is_none_or(|(_, _, lines)| function.lines > *lines) {
                found.push(format!(
                    "{}:{}: {} has {} lines",
                    source.path, function.line, function.name, function.lines
                ));
            }
        }
    }
    let spare = excepted
        .iter()
        .filter(|(path, name, _)| !needed.contains(&(*path, *name)));
    found
        .extend(spare.map(|(path, name, _)| format!("{path}: {name} needs no exception any more")));
    found
}

fn long_files(sources: &[Source], excepted: &[(&str, usize)]) -> Vec<String> {
    let mut found = Vec::new();
    for source in sources {
        let lines = shipped_line_count(source);
        let limit = excepted
            .iter()
            .find(|(path, _)| *path == source.path)
            .map(|(_, limit)| *limit);
        if lines > limit.unwrap_or(FILE_LINES_MAX) {
            found.push(format!("{} has {lines} lines", source.path));
        } else if limit.is_some() && lines <= FILE_LINES_MAX {
            found.push(format!(
                "{} has {lines} lines: the exception is not needed any more",
                source.path
            ));
        }
    }
    let gone = excepted
        .iter()
        .filter(|(path, _)| !sources.iter().any(|source| source.path == *path));
    found.extend(gone.map(|(path, _)| format!("{path} is excepted and does not exist")));
    found
}

#[test]
fn no_file_is_too_long() {
    assert_none(
        "files longer than the house allows",
        &long_files(sources(), LONG_FILES),
    );
}

#[test]
fn no_function_is_too_long() {
    assert_none(
        "functions longer than the house allows",
        &long_functions(sources(), LONG_FUNCTIONS),
    );
}

#[test]
fn what_is_too_long_would_be_seen() {
    let body = "    b();\n".repeat(FUNCTION_LINES_MAX);
    let source = Source::new(
        "crates/plumb/src/x.rs",
        &format!("fn a() {{\n{body}}}\n#[cfg(test)]\nmod t {{\nfn c() {{\n{body}}}}}\n"),
    );
    assert_eq!(shipped_line_count(&source), FUNCTION_LINES_MAX + 2);
    let sources = [source];
    let found = |limit| long_functions(&sources, &[("crates/plumb/src/x.rs", "a", limit)]).len();
    assert_eq!(long_functions(&sources, &[]).len(), 1);
    assert_eq!(found(FUNCTION_LINES_MAX + 1), 1);
    assert_eq!(found(FUNCTION_LINES_MAX + 2), 0);
    let other = [("crates/plumb/src/x.rs", "b", 100)];
    assert_eq!(
        long_functions(&sources, &other).len(),
        2,
        "and the spare exception"
    );
    let long = [Source::new(
        "crates/plumb/src/y.rs",
        &"// x\n".repeat(FILE_LINES_MAX + 1),
    )];
    assert_eq!(long_files(&long, &[]).len(), 1);
    assert!(long_files(&long, &[("crates/plumb/src/y.rs", FILE_LINES_MAX + 1)]).is_empty());
    assert_eq!(
        long_files(&sources, &[("crates/plumb/src/x.rs", 600)]).len(),
        1
    );
    assert_eq!(long_files(&[], &[("crates/plumb/src/y.rs", 600)]).len(), 1);
}
