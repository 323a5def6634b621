//! Is an engine named by a string nowhere but in its own file? What others need to know of it is a property in its descriptor.

use plumb_model::engines::ENGINES;

use crate::exceptions::ENGINE_NAMES;
use crate::workspace::{Source, assert_none, sources};

/// Made of what the engines say of themselves.
const TABLE: &str = "crates/plumb-model/src/engines/table.rs";

/// The file of this engine, or one of its folder.
fn is_own(path: &str, engine: &str) -> bool {
    let own = format!("crates/plumb-load/src/engines/{engine}");
    path.strip_prefix(&own)
        .is_some_and(|rest| rest == ".rs" || rest.starts_with('/'))
}

/// Names of engines as whole texts in code that ships: (line, name).
fn names<'a>(source: &'a Source, engines: &[&'a str]) -> Vec<(usize, &'a str)> {
    let lines: Vec<&str> = source.text.lines().collect();
    let mut found = Vec::new();
    for (number, code) in source.shipped_lines() {
        let line = lines.get(number - 1).copied().unwrap_or_default();
        if code.trim().is_empty() && !line.trim_start().starts_with('"') {
            continue;
        }
        for engine in engines {
            if line.contains(&format!("\"{engine}\"")) && !is_own(&source.path, engine) {
                found.push((number, *engine));
            }
        }
    }
    found
}

fn all() -> Vec<&'static str> {
    ENGINES.iter().map(|engine| engine.name).collect()
}

#[test]
fn engines_are_named_by_strings_in_their_own_files_only() {
    let engines = all();
    let mut wrong = Vec::new();
    let mut needed = vec![false; ENGINE_NAMES.len()];
    for source in sources().iter().filter(|source| source.path != TABLE) {
        for (line, engine) in names(source, &engines) {
            let is_it = |(path, names, _): &(&str, &[&str], &str)| {
                *path == source.path && names.contains(&engine)
            };
            match ENGINE_NAMES.iter().position(is_it) {
                Some(at) => needed[at] = true,
                None => wrong.push(format!("{}:{line}: \"{engine}\"", source.path)),
            }
        }
    }
    let kept = ENGINE_NAMES
        .iter()
        .zip(needed)
        .filter(|(_, needed)| !needed);
    wrong.extend(
        kept.map(|((path, ..), _)| format!("{path}: the exception is not needed any more")),
    );
    assert_none(
        "engines named by a string outside of their own files (what is known of them is in plumb_model::engines)",
        &wrong,
    );
}

#[test]
fn a_name_is_found_in_code_and_nowhere_else() {
    let engines = ["mmap"];
    let count = |path: &str, text: &str| names(&Source::new(path, text), &engines).len();
    let text = "fn f(name: &str) -> bool {\n    name == \"mmap\"\n}\n";
    assert_eq!(count("crates/plumb-run/src/x.rs", text), 1);
    assert_eq!(count("crates/plumb-load/src/engines/mmap.rs", text), 0);
    assert_eq!(count("crates/plumb-load/src/engines/mmap/x.rs", text), 0);
    assert_eq!(count("crates/plumb-load/src/engines/sync.rs", text), 1);
    assert_eq!(
        count("crates/plumb-run/src/x.rs", "// \"mmap\"\nfn f() {}\n"),
        0
    );
}
