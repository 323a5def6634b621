//! Can every file and every function be read in one go?

use crate::exceptions::{FILE_LINES_MAX, FUNCTION_LINES_MAX, LONG_FILES};
use crate::workspace::{Source, assert_none, sources};

/// Lines without what is only built for tests.
fn shipped_line_count(source: &Source) -> usize {
    let lines = source.shipped_lines();
    // The empty rest behind the last line end is no line.
    lines.len() - usize::from(lines.last().is_some_and(|(_, line)| line.is_empty()))
}

fn long_functions(source: &Source) -> Vec<String> {
    let long = source.code.functions().into_iter().filter(|function| function.lines > FUNCTION_LINES_MAX);
    long.map(|function| format!("{}:{}: {} has {} lines", source.path, function.line, function.name, function.lines)).collect()
}

fn long_files(sources: &[Source], excepted: &[(&str, usize, &str)]) -> Vec<String> {
    let mut found = Vec::new();
    for source in sources {
        let lines = shipped_line_count(source);
        let limit = excepted.iter().find(|(path, _, _)| *path == source.path).map(|(_, limit, _)| *limit);
        if lines > limit.unwrap_or(FILE_LINES_MAX) {
            found.push(format!("{} has {lines} lines", source.path));
        } else if limit.is_some() && lines <= FILE_LINES_MAX {
            found.push(format!("{} has {lines} lines: the exception is not needed any more", source.path));
        }
    }
    found
}

#[test]
fn no_file_is_too_long() {
    assert_none("files longer than the house allows", &long_files(&sources(), LONG_FILES));
}

#[test]
fn no_function_is_too_long() {
    assert_none("functions longer than the house allows", &sources().iter().flat_map(long_functions).collect::<Vec<_>>());
}

#[test]
fn what_is_too_long_would_be_seen() {
    let body = "    b();\n".repeat(FUNCTION_LINES_MAX);
    let source = Source::new("crates/plumb/src/x.rs", &format!("fn a() {{\n{body}}}\n#[cfg(test)]\nmod t {{\n{body}}}\n"));
    assert_eq!(long_functions(&source).len(), 1);
    assert_eq!(shipped_line_count(&source), FUNCTION_LINES_MAX + 2);
    let long = [Source::new("crates/plumb/src/y.rs", &"// x\n".repeat(FILE_LINES_MAX + 1))];
    assert_eq!(long_files(&long, &[]).len(), 1);
    assert!(long_files(&long, &[("crates/plumb/src/y.rs", FILE_LINES_MAX + 1, "")]).is_empty());
    assert_eq!(long_files(&[source], &[("crates/plumb/src/x.rs", 600, "")]).len(), 1);
}
