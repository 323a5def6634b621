//! Do the nouns and the analysis stay pure? No input or output and no clock there; no statistics in what shows; no state that outlives its owner.

use crate::exceptions::CHANGING_STATICS;
use plumb_house::code::{closing, words_at};
use plumb_house::workspace::{
    Source, assert_none, dependencies_of, members, metadata, name_of, sources,
};

/// What reaches the world outside, or the time of day.
const WORLD: &[&str] = &[
    "std::fs",
    "std::net",
    "std::process",
    "std::env",
    "std::os",
    "std::thread",
    "std::time",
    "SystemTime",
    "Instant",
    "println",
    "eprintln",
    "print",
    "eprint",
    "stdout",
    "stdin",
    "stderr",
];

fn reaches_the_world(source: &Source) -> Vec<String> {
    let mut found = Vec::new();
    for (number, line) in source.shipped_lines() {
        let imported = line
            .trim_start()
            .strip_prefix("use std::{")
            .unwrap_or_default();
        let hidden = ["fs", "net", "process", "env", "os", "thread", "time"]
            .iter()
            .any(|module| !words_at(imported, module).is_empty());
        if hidden || WORLD.iter().any(|word| !words_at(line, word).is_empty()) {
            found.push(format!("{}:{number}: {}", source.path, line.trim()));
        }
    }
    found
}

/// Functions that would derive a figure.
fn derives_figures(source: &Source) -> Vec<String> {
    let statistic = |name: &str| {
        name.split('_').any(|word| {
            matches!(
                word,
                "mean"
                    | "median"
                    | "percentile"
                    | "quantile"
                    | "variance"
                    | "deviation"
                    | "regression"
            )
        })
    };
    let functions = source
        .code
        .functions
        .iter()
        .filter(|function| !source.is_test && statistic(&function.name));
    functions
        .map(|function| format!("{}:{}: {}", source.path, function.line, function.name))
        .collect()
}

/// Statics that can change, and what makes a constant hold a variable.
/// Structures of this code whose fields name one of these types.
fn holders(code: &str, cells: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    for at in words_at(code, "struct") {
        let rest = code[at + "struct".len()..].trim_start();
        let name: String = rest
            .chars()
            .take_while(|c| c.is_alphanumeric() || *c == '_')
            .collect();
        let fields = rest[name.len()..].trim_start();
        let body = closing(fields).map_or("", |end| &fields[..end]);
        if cells.iter().any(|cell| body.contains(cell)) {
            found.push(name);
        }
    }
    found
}

fn changing_statics(source: &Source) -> Vec<(String, String)> {
    let cells = [
        // A LazyLock is a constant that is computed when it is first used.
        "Atomic", "Mutex", "RwLock", "Cell", "OnceLock", "OnceCell",
    ];
    // A structure of the same file may hold such a value.
    let holders = holders(&source.code.text, &cells);
    let mut found = Vec::new();
    for (number, line) in source.shipped_lines() {
        for at in words_at(line, "static")
            .into_iter()
            .filter(|at| !line[..*at].ends_with('\''))
        {
            let rest = line[at + "static".len()..].trim_start();
            let Some((name, kind)) = rest.split_once(':') else {
                continue;
            };
            if name.starts_with("mut ")
                || cells.iter().any(|cell| kind.contains(cell))
                || holders
                    .iter()
                    .any(|holder| !words_at(kind, holder).is_empty())
            {
                found.push((
                    name.trim().to_string(),
                    format!("{}:{number}: {}", source.path, line.trim()),
                ));
            }
        }
        if !words_at(line, "thread_local").is_empty() || !words_at(line, "lazy_static").is_empty() {
            found.push((
                String::new(),
                format!("{}:{number}: {}", source.path, line.trim()),
            ));
        }
    }
    found
}

#[test]
fn the_model_and_the_analysis_reach_nothing_outside() {
    let sources = sources();
    let pure = sources.iter().filter(|source| {
        matches!(
            source.crate_name(),
            "plumb-model" | "plumb-analyse" | "plumb-words"
        )
    });
    assert_none(
        "input, output or a clock in a pure crate",
        &pure.flat_map(reaches_the_world).collect::<Vec<_>>(),
    );
}

/// `./dev test` runs the unit tests of these crates on one system alone.
#[test]
fn the_analysis_and_the_words_know_no_path_of_a_system() {
    let paths = |source: &Source| -> Vec<String> {
        let lines = source.shipped_lines().into_iter();
        lines
            .filter(|(_, line)| line.contains("std::path") || !words_at(line, "PathBuf").is_empty())
            .map(|(number, line)| format!("{}:{number}: {}", source.path, line.trim()))
            .collect()
    };
    let sources = sources().iter();
    let found = sources
        .filter(|source| matches!(source.crate_name(), "plumb-analyse" | "plumb-words"))
        .flat_map(paths);
    assert_none(
        "a path in a crate that is tested on one system",
        &found.collect::<Vec<_>>(),
    );
    let planted = Source::new(
        "crates/x/src/y.rs",
        "use std::path::Path;\nfn f(p: PathBuf) {}\n",
    );
    assert_eq!(paths(&planted).len(), 2);
}

#[test]
fn what_shows_derives_no_figures() {
    let found: Vec<String> = sources()
        .iter()
        .filter(|source| source.crate_name() == "plumb-show")
        .flat_map(derives_figures)
        .collect();
    assert_none("statistics in plumb-show", &found);
    let metadata = metadata();
    let users: Vec<&str> = members(&metadata)
        .into_iter()
        .filter(|package| dependencies_of(package).contains(&"statrs"))
        .map(name_of)
        .collect();
    assert_eq!(
        users,
        ["plumb-analyse"],
        "statistics belong to plumb-analyse"
    );
}

#[test]
fn there_is_no_global_state() {
    let sources = sources();
    let mut found = Vec::new();
    let mut needed = vec![false; CHANGING_STATICS.len()];
    for source in sources {
        for (name, place) in changing_statics(source) {
            match CHANGING_STATICS
                .iter()
                .position(|(path, excepted)| *path == source.path && *excepted == name)
            {
                Some(index) => needed[index] = true,
                None => found.push(place),
            }
        }
    }
    assert_none("values that can change and belong to nobody", &found);
    for ((path, name), needed) in CHANGING_STATICS.iter().zip(needed) {
        assert!(
            needed,
            "the exception is not needed any more: {name} in {path}"
        );
    }
}

#[test]
fn what_is_not_pure_would_be_seen() {
    let seen =
        |text: &str| reaches_the_world(&Source::new("crates/plumb-model/src/x.rs", text)).len();
    assert_eq!(
        seen(
            "fn a() { std::fs::read(p); }\nuse std::{fs, io};\nlet t = Instant::now();\n// std::fs\n"
        ),
        3
    );
    assert_eq!(
        seen("use std::{collections::BTreeMap, fmt};\n#[cfg(test)]\nmod t { use std::fs; }\n"),
        0
    );
    let show = Source::new(
        "crates/plumb-show/src/x.rs",
        "fn mean_of(x: &[f64]) -> f64 { 0.0 }\nfn meaning() {}\n",
    );
    assert_eq!(derives_figures(&show).len(), 1);
    let state = "static A: AtomicU64 = AtomicU64::new(0);\nstatic mut B: u8 = 0;\nstatic C: &'static str = \"\";\nthread_local! {}\nfn d(x: &'static Mutex<u8>) {}\nstruct G { x: AtomicPtr<u8> }\nstruct H { x: u8 }\nstatic E: [G; 4] = G4;\nstatic F: H = H0;\n";
    let names: Vec<String> = changing_statics(&Source::new("crates/plumb/src/x.rs", state))
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    assert_eq!(names, ["A", "mut B", "", "E"]);
}
