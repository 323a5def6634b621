//! Can every file, every function and every folder be read in one go?

use std::collections::{BTreeMap, BTreeSet};

use crate::exceptions::{
    CROWDED_FOLDERS, FILE_LINES_MAX, FOLDER_FILES_MAX, FUNCTION_LINES_MAX, LONG_FILES,
    LONG_FUNCTIONS,
};
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

/// Folders below src/ with more files than one can take in. Files of tests are not counted, nor are those of a seam, which are read one at a time:
/// `xs/` with the contract `x.rs` beside it.
fn crowded_folders(sources: &[Source], excepted: &[(&str, usize)]) -> Vec<String> {
    let mut files: BTreeMap<&str, usize> = BTreeMap::new();
    for source in sources.iter().filter(|source| !source.is_test) {
        if let Some((folder, _)) = source.path.rsplit_once('/')
            && folder.contains("/src")
        {
            *files.entry(folder).or_default() += 1;
        }
    }
    let contract = |folder: &str| format!("{}.rs", folder.trim_end_matches('s'));
    let is_seam = |folder: &&str| sources.iter().any(|source| source.path == contract(folder));
    files.retain(|folder, _| !is_seam(folder));
    let mut found = Vec::new();
    for (folder, files) in &files {
        let limit = excepted.iter().find(|(path, _)| path == folder);
        let limit = limit.map_or(FOLDER_FILES_MAX, |(_, limit)| *limit);
        if *files > limit {
            found.push(format!("{folder} has {files} files, {limit} are allowed"));
        }
    }
    let needed = |path: &str| {
        files
            .get(path)
            .is_some_and(|files| *files > FOLDER_FILES_MAX)
    };
    let spare = excepted.iter().filter(|(path, _)| !needed(path));
    found.extend(spare.map(|(path, _)| format!("{path} needs no exception any more")));
    found
}

#[test]
fn no_folder_is_crowded() {
    assert_none(
        "folders with more files than the house allows",
        &crowded_folders(sources(), CROWDED_FOLDERS),
    );
}

#[test]
fn a_crowded_folder_would_be_seen() {
    let files = |folder: &str, number: usize| -> Vec<Source> {
        let file = |n: usize| Source::new(&format!("crates/plumb/src/{folder}/f{n}.rs"), "");
        (0..number).map(file).collect()
    };
    let crowd = files("x", FOLDER_FILES_MAX + 1);
    assert!(crowded_folders(&files("x", FOLDER_FILES_MAX), &[]).is_empty());
    assert_eq!(crowded_folders(&crowd, &[]).len(), 1);
    let path = "crates/plumb/src/x";
    assert!(crowded_folders(&crowd, &[(path, FOLDER_FILES_MAX + 1)]).is_empty());
    assert_eq!(crowded_folders(&[], &[(path, 99)]).len(), 1, "spare");
    let mut seam = files("rules", FOLDER_FILES_MAX + 1);
    assert_eq!(crowded_folders(&seam, &[]).len(), 1);
    seam.push(Source::new("crates/plumb/src/rule.rs", ""));
    assert!(crowded_folders(&seam, &[]).is_empty());
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
