//! What is there to judge? The sources of the workspace and the packages it is made of.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use serde_json::Value;

use crate::code::Code;

/// A source file of ours.
pub struct Source {
    /// From the root of the workspace, with slashes: `crates/plumb-load/src/engine.rs`.
    pub path: String,
    /// As written.
    pub text: String,
    /// With comments and texts blanked.
    pub code: Code,
    /// It holds nothing but tests, by its place or because its parent says `#[cfg(test)] mod x;`.
    pub is_test: bool,
}

impl Source {
    /// A source as the rules see it; also how planted text is made.
    pub fn new(path: &str, text: &str) -> Source {
        let is_test = ["/tests/", "/benches/", "/examples/"]
            .iter()
            .any(|folder| path.contains(folder))
            || ["testdata/", "benches/", "house/"]
                .iter()
                .any(|folder| path.starts_with(folder));
        Source {
            path: path.into(),
            text: text.into(),
            code: Code::of(text),
            is_test,
        }
    }

    /// Name of the crate it belongs to; empty outside of `crates/`.
    pub fn crate_name(&self) -> &str {
        self.path
            .strip_prefix("crates/")
            .and_then(|rest| rest.split('/').next())
            .unwrap_or_default()
    }

    /// Name of the file without folder and ending.
    pub fn stem(&self) -> &str {
        self.path
            .rsplit('/')
            .next()
            .unwrap_or_default()
            .trim_end_matches(".rs")
    }

    /// Code that ships, line by line, with line numbers from 1: nothing of files and modules that are only built for tests.
    pub fn shipped_lines(&self) -> Vec<(usize, &str)> {
        if self.is_test {
            Vec::new()
        } else {
            self.code.shipped_lines()
        }
    }
}

/// Root of the workspace.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// A text file of the workspace.
pub fn text_of(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// All Rust sources of the workspace, read and parsed once for all rules.
pub fn sources() -> &'static [Source] {
    static SOURCES: LazyLock<Vec<Source>> = LazyLock::new(read_sources);
    &SOURCES
}

fn read_sources() -> Vec<Source> {
    let mut paths = Vec::new();
    for folder in ["crates", "house", "benches", "testdata"] {
        collect(&root().join(folder), &mut paths);
    }
    paths.sort();
    let mut sources = parsed(&paths);
    mark_test_modules(&mut sources);
    for source in &sources {
        assert!(
            source.code.unparsed.is_none(),
            "{}: {:?}",
            source.path,
            source.code.unparsed
        );
    }
    assert!(
        sources.len() > 100,
        "only {} sources were found",
        sources.len()
    );
    sources
}

/// The sources at these paths, in their order. Parsing takes nearly all the time of the rules: each core parses a share.
fn parsed(paths: &[String]) -> Vec<Source> {
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
    let share = |share: &[String]| -> Vec<Source> {
        let source = |path: &String| Source::new(path, &text_of(path));
        share.iter().map(source).collect()
    };
    std::thread::scope(|scope| {
        let shares = paths.chunks(paths.len().div_ceil(cores).max(1));
        let started: Vec<_> = shares
            .map(|part| scope.spawn(move || share(part)))
            .collect();
        let ended = started.into_iter().map(|part| part.join().expect("parsed"));
        ended.flatten().collect()
    })
}

fn collect(folder: &Path, paths: &mut Vec<String>) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    for path in entries.map(|entry| entry.expect("entry").path()) {
        if path.is_dir() {
            collect(&path, paths);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let below = path.strip_prefix(root()).expect("below the root");
            paths.push(below.to_string_lossy().replace('\\', "/"));
        }
    }
}

/// Marks the files behind `#[cfg(test)] mod x;`.
fn mark_test_modules(sources: &mut [Source]) {
    let mut marked = Vec::new();
    for source in sources.iter() {
        let folder = match source.stem() {
            "lib" | "main" | "mod" => source
                .path
                .rsplit_once('/')
                .map_or("", |(folder, _)| folder)
                .to_string(),
            _ => source.path.trim_end_matches(".rs").to_string(),
        };
        for module in source.code.modules.iter().filter(|module| module.is_test) {
            let name = &module.name;
            marked.extend([
                format!("{folder}/{name}.rs"),
                format!("{folder}/{name}/mod.rs"),
            ]);
        }
    }
    for source in sources.iter_mut() {
        source.is_test |= marked.contains(&source.path);
    }
}

/// What `cargo metadata` says about the workspace and all it depends on.
pub fn metadata() -> Value {
    let output = Command::new(env!("CARGO"))
        .args([
            "metadata",
            "--format-version",
            "1",
            "--locked",
            "--manifest-path",
        ])
        .arg(root().join("Cargo.toml"))
        .output()
        .expect("cargo metadata");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    serde_json::from_slice(&output.stdout).expect("JSON of cargo metadata")
}

/// The packages of the workspace itself.
pub fn members(metadata: &Value) -> Vec<&Value> {
    let ids = metadata["workspace_members"].as_array().expect("members");
    packages(metadata)
        .filter(|package| ids.contains(&package["id"]))
        .collect()
}

/// All packages.
pub fn packages(metadata: &Value) -> impl Iterator<Item = &Value> {
    metadata["packages"].as_array().expect("packages").iter()
}

/// Name of a package.
pub fn name_of(package: &Value) -> &str {
    package["name"].as_str().expect("name")
}

/// Names of all packages that a package names in its Cargo.toml: for building, testing and shipping.
pub fn dependencies_of(package: &Value) -> Vec<&str> {
    package["dependencies"]
        .as_array()
        .expect("dependencies")
        .iter()
        .filter_map(|dependency| dependency["name"].as_str())
        .collect()
}

/// Fails with one line per violation.
#[track_caller]
pub fn assert_none(rule: &str, violations: &[String]) {
    assert!(
        violations.is_empty(),
        "{rule}:\n  {}",
        violations.join("\n  ")
    );
}
