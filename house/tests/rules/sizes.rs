//! Which files, functions and folders are long? Advice: the lines that begin with `advice: ` are printed and fail nothing.

use std::collections::BTreeMap;

use plumb_house::workspace::{Source, sources};

/// Lines of a file without its tests.
const FILE_LINES: usize = 500;
/// Lines of a function.
const FUNCTION_LINES: usize = 70;
/// Files of a folder, those of a seam and those of tests aside.
const FOLDER_FILES: usize = 16;

/// Lines without what is only built for tests.
fn shipped_line_count(source: &Source) -> usize {
    let lines = source.shipped_lines();
    // The empty rest behind the last line end is no line.
    lines.len() - usize::from(lines.last().is_some_and(|(_, line)| line.is_empty()))
}

fn long_functions(sources: &[Source]) -> Vec<String> {
    let functions = sources
        .iter()
        .flat_map(|source| source.code.functions.iter().map(move |f| (source, f)));
    functions
        .filter(|(_, function)| function.lines > FUNCTION_LINES)
        .map(|(source, function)| {
            format!(
                "{}: fn {} has {} lines",
                source.path, function.name, function.lines
            )
        })
        .collect()
}

fn long_files(sources: &[Source]) -> Vec<String> {
    let files = sources
        .iter()
        .map(|source| (source, shipped_line_count(source)));
    files
        .filter(|(_, lines)| *lines > FILE_LINES)
        .map(|(source, lines)| format!("{}: the file has {lines} lines", source.path))
        .collect()
}

/// Folders below src/. Files of tests are not counted, nor are those of a seam, which are read one at a time: `xs/` with the contract `x.rs` beside it.
fn crowded_folders(sources: &[Source]) -> Vec<String> {
    let mut files: BTreeMap<&str, usize> = BTreeMap::new();
    for source in sources.iter().filter(|source| !source.is_test) {
        if let Some((folder, _)) = source.path.rsplit_once('/')
            && folder.contains("/src")
        {
            *files.entry(folder).or_default() += 1;
        }
    }
    let contract = |folder: &str| format!("{}.rs", folder.trim_end_matches('s'));
    let is_seam = |folder: &str| sources.iter().any(|source| source.path == contract(folder));
    files
        .into_iter()
        .filter(|(folder, files)| *files > FOLDER_FILES && !is_seam(folder))
        .map(|(folder, files)| format!("{folder}: the folder has {files} files"))
        .collect()
}

#[test]
fn long_files_functions_and_folders_are_printed() {
    let sources = sources();
    let lists = [
        long_files(sources),
        long_functions(sources),
        crowded_folders(sources),
    ];
    for line in lists.concat() {
        println!("advice: {line}");
    }
}

#[test]
fn what_is_long_would_be_printed() {
    let body = "    b();\n".repeat(FUNCTION_LINES);
    let source = Source::new(
        "crates/plumb/src/x.rs",
        &format!("fn a() {{\n{body}}}\n#[cfg(test)]\nmod t {{\nfn c() {{\n{body}}}}}\n"),
    );
    assert_eq!(shipped_line_count(&source), FUNCTION_LINES + 2);
    let sources = [source];
    assert_eq!(
        long_functions(&sources),
        ["crates/plumb/src/x.rs: fn a has 72 lines"]
    );
    assert!(long_files(&sources).is_empty());
    let text = |lines: usize| "// x\n".repeat(lines);
    let file = |lines: usize| [Source::new("crates/plumb/src/y.rs", &text(lines))];
    assert!(long_files(&file(FILE_LINES)).is_empty());
    assert_eq!(
        long_files(&file(FILE_LINES + 1)),
        ["crates/plumb/src/y.rs: the file has 501 lines"]
    );
}

#[test]
fn a_crowded_folder_would_be_printed() {
    let files = |folder: &str, number: usize| -> Vec<Source> {
        let file = |n: usize| Source::new(&format!("crates/plumb/src/{folder}/f{n}.rs"), "");
        (0..number).map(file).collect()
    };
    assert!(crowded_folders(&files("x", FOLDER_FILES)).is_empty());
    assert_eq!(
        crowded_folders(&files("x", FOLDER_FILES + 1)),
        ["crates/plumb/src/x: the folder has 17 files"]
    );
    let mut seam = files("rules", FOLDER_FILES + 1);
    assert_eq!(crowded_folders(&seam).len(), 1);
    seam.push(Source::new("crates/plumb/src/rule.rs", ""));
    assert!(crowded_folders(&seam).is_empty());
}
