//! Do `unsafe`, questions about the system, and paths of /proc and /sys stay where they belong? In engines/, sources/, system/ and buffers; an engine's name is compared in engines/ only.

use plumb_house::code::{closing, words_at};
use plumb_house::literals::shipped_literals;
use plumb_house::workspace::{Source, assert_none, sources};

fn is_at_home(source: &Source) -> bool {
    ["/src/engines/", "/src/sources/", "/src/system/"]
        .iter()
        .any(|folder| source.path.contains(folder))
        || matches!(source.stem(), "system" | "buffers")
        || source.crate_name() == "plumb-system"
}

/// The list leaves out those that a system cannot have.
fn is_list_of_engines(source: &Source) -> bool {
    source.path == "crates/plumb-load/src/engines.rs"
}

fn unsafe_elsewhere(source: &Source) -> Vec<String> {
    let lines = if is_at_home(source) {
        Vec::new()
    } else {
        source.code.text.lines().enumerate().collect()
    };
    let found = lines
        .into_iter()
        .filter(|(_, line)| !words_at(line, "unsafe").is_empty());
    found
        .map(|(index, _)| format!("{}:{}", source.path, index + 1))
        .collect()
}

/// Conditions that ask for the operating system, from `#[cfg(...)]`, `cfg!(...)` and `#[cfg_attr(...)]` in code that ships.
fn system_questions(source: &Source) -> Vec<String> {
    let mut found = Vec::new();
    for (number, line) in source.shipped_lines() {
        for start in ["cfg(", "cfg!(", "cfg_attr("] {
            for (at, _) in line.match_indices(start) {
                let open = at + start.len() - 1;
                let condition =
                    &line[open..closing(&line[open..]).map_or(line.len(), |end| open + end)];
                let asks = [
                    "target_os",
                    "target_family",
                    "target_env",
                    "unix",
                    "windows",
                ];
                if asks
                    .iter()
                    .any(|word| !words_at(condition, word).is_empty())
                {
                    found.push(format!("{}:{number}: {}", source.path, line.trim()));
                }
            }
        }
    }
    found
}

/// Texts that are paths of /proc or /sys, from the root or below another one; sentences that name such a path are none.
fn kernel_paths(source: &Source) -> Vec<String> {
    if is_at_home(source) {
        return Vec::new();
    }
    let is_path = |text: &str| {
        let below = text.strip_prefix('/').unwrap_or(text);
        let within = below.starts_with("proc/") || below.starts_with("sys/");
        (within || matches!(text, "/proc" | "/sys")) && !text.contains(' ')
    };
    let paths = shipped_literals(source)
        .into_iter()
        .filter(|(text, _)| is_path(text));
    paths
        .map(|(text, line)| format!("{}:{line}: {text}", source.path))
        .collect()
}

/// Lines that compare an engine's name with a text: `engine == "mmap"`, `engine.name != "sync"`. Other code reads a property (plumb_model::engines). "auto" is
/// no engine.
fn compared_engine_names(source: &Source) -> Vec<String> {
    if source.path.contains("/src/engines/") {
        return Vec::new();
    }
    let written: Vec<&str> = source.text.lines().collect();
    let compares = |number: usize, code: &str| {
        let line = written.get(number - 1).copied().unwrap_or_default();
        words_at(code, "engine").into_iter().any(|at| {
            let mut rest = &line[at + "engine".len()..];
            for accessor in [".name", "()", ".as_str()", ".as_deref()"] {
                rest = rest.strip_prefix(accessor).unwrap_or(rest);
            }
            let operand = rest.trim_start().strip_prefix("==");
            let operand = operand.or_else(|| rest.trim_start().strip_prefix("!="));
            operand.is_some_and(|operand| {
                let operand = operand.trim_start();
                let operand = operand.strip_prefix("Some(").unwrap_or(operand);
                operand.starts_with('"') && !operand.starts_with("\"auto\"")
            })
        })
    };
    let found = source.shipped_lines().into_iter();
    found
        .filter(|(number, code)| compares(*number, code))
        .map(|(number, _)| format!("{}:{number}", source.path))
        .collect()
}

#[test]
fn no_code_compares_the_name_of_an_engine() {
    assert_none(
        "comparisons with an engine's name (use a property of plumb_model::engines)",
        &sources()
            .iter()
            .flat_map(compared_engine_names)
            .collect::<Vec<_>>(),
    );
}

#[test]
fn a_compared_engine_name_would_be_seen() {
    let text = "fn f(job: &Job) -> bool {\n    // engine == \"sync\"\n    job.engine == \"mmap\" || job.engine.name() != \"tcp\"\n        || engine.as_deref() == Some(\"smb\") || engine == other || engine == \"auto\"\n}\n";
    let lines = |path: &str| compared_engine_names(&Source::new(path, text));
    assert_eq!(
        lines("crates/plumb-run/src/x.rs"),
        ["crates/plumb-run/src/x.rs:3", "crates/plumb-run/src/x.rs:4"]
    );
    assert!(lines("crates/plumb-load/src/engines/mmap.rs").is_empty());
}

#[test]
fn kernel_files_are_named_only_where_the_kernel_is_spoken_to() {
    assert_none(
        "paths of /proc and /sys outside of engines/, sources/, system/ and buffers",
        &sources().iter().flat_map(kernel_paths).collect::<Vec<_>>(),
    );
}

#[test]
fn unsafe_stands_only_where_the_kernel_is_spoken_to() {
    let found: Vec<String> = sources().iter().flat_map(unsafe_elsewhere).collect();
    assert_none(
        "unsafe outside of engines/, sources/, system/ and buffers",
        &found,
    );
}

#[test]
fn questions_about_the_system_stand_only_where_the_kernel_is_spoken_to() {
    let elsewhere = sources()
        .iter()
        .filter(|source| !is_at_home(source) && !is_list_of_engines(source));
    assert_none(
        "cfg on the system outside of its places",
        &elsewhere.flat_map(system_questions).collect::<Vec<_>>(),
    );
}

#[test]
fn what_stands_in_the_wrong_place_would_be_seen() {
    let text = "#[cfg(target_os = \"linux\")]\nfn a() { unsafe { b() } }\n#[cfg(test)]\nmod t {\n #[cfg(unix)]\n fn c() {}\n}\n";
    let wrong = Source::new("crates/plumb-load/src/worker.rs", text);
    assert_eq!(
        unsafe_elsewhere(&wrong),
        ["crates/plumb-load/src/worker.rs:2"]
    );
    assert_eq!(system_questions(&wrong).len(), 1);
    assert!(unsafe_elsewhere(&Source::new("crates/plumb-load/src/engines/x.rs", text)).is_empty());
    assert!(
        is_at_home(&Source::new("crates/plumb/src/system.rs", ""))
            && is_at_home(&Source::new("crates/plumb/src/system/linux.rs", ""))
            && !is_at_home(&Source::new("crates/plumb/src/systems.rs", ""))
    );
    let without = Source::new(
        "crates/plumb/src/x.rs",
        "#![deny(unsafe_op_in_unsafe_fn)]\n// unsafe\nconst A: &str = \"unsafe cfg(unix)\";\n",
    );
    assert!(unsafe_elsewhere(&without).is_empty() && system_questions(&without).is_empty());
    let paths = "fn a() { b(\"/proc/self/io\", format!(\"sys/block/{c}\"), \"/proc\", \"/proc/self/io says nothing\", \"procedure/x\") }\n#[cfg(test)]\nmod t { const D: &str = \"/proc/stat\"; }\n";
    let named = |path: &str| kernel_paths(&Source::new(path, paths)).len();
    assert_eq!(named("crates/plumb-load/src/worker.rs"), 3);
    assert_eq!(named("crates/plumb-load/src/system/files.rs"), 0);
}
