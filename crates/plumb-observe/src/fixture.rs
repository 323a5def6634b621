//! How do tests simulate another machine? With a tree of kernel files, written from one text.

use std::path::Path;

use plumb_model::run::metric::Reading;
use tempfile::TempDir;

use crate::machine::Machine;
use crate::source::{Scope, Source};

/// The text of `testdata/NAME/tree.txt`. Its lines:
///
/// - `== PATH` begins a file; the lines up to the next `==` or `->` are what it holds (a last empty line is left out);
/// - `-> PATH TARGET` makes a symlink, such as those from /sys/class/block to /sys/devices;
/// - `# ...` before the first of these is a comment.
pub(crate) fn text(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../testdata")
        .join(name)
        .join("tree.txt");
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The files of a fixture: (path relative to the root, content).
pub(crate) fn files(name: &str) -> Vec<(String, String)> {
    let mut files: Vec<(String, String)> = Vec::new();
    let text = text(name);
    for line in text.lines() {
        if let Some(path) = line.strip_prefix("== ") {
            files.push((path.to_owned(), String::new()));
        } else if !line.starts_with("-> ")
            && let Some((_, content)) = files.last_mut()
        {
            content.push_str(line);
            content.push('\n');
        }
    }
    for (_, content) in &mut files {
        if content.ends_with("\n\n") {
            content.pop();
        }
    }
    files
}

/// The fixture in a new temporary folder, which is removed with the value.
pub(crate) fn tree(name: &str) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder for the fixture");
    write(name, folder.path());
    folder
}

/// The fixture written below a folder; existing files are overwritten.
pub(crate) fn write(name: &str, folder: &Path) {
    for (path, content) in files(name) {
        let path = folder.join(path);
        std::fs::create_dir_all(path.parent().expect("a file has a folder")).expect("folder");
        std::fs::write(path, content).expect("file");
    }
    #[cfg(unix)]
    for line in text(name)
        .lines()
        .filter_map(|line| line.strip_prefix("-> "))
    {
        let (link, target) = line.split_once(' ').expect("a link has a target");
        let link = folder.join(link);
        std::fs::create_dir_all(link.parent().expect("a link has a folder")).expect("folder");
        if !link.is_symlink() {
            std::os::unix::fs::symlink(target, link).expect("link");
        }
    }
}

/// What a source reports about a fixture.
pub(crate) fn read(source: &Source, name: &str, scope: &Scope) -> Vec<Reading> {
    let tree = tree(name);
    let mut out = Vec::new();
    (source.open)(&Machine::new(tree.path()), scope).read(&mut out);
    out
}

/// The value of a metric for an instance; panics if there is no such reading, to distinguish "missing" from "not reported".
pub(crate) fn value(readings: &[Reading], metric: &str, instance: &str) -> Option<f64> {
    let found = readings
        .iter()
        .find(|reading| reading.metric == metric && reading.instance == instance);
    found
        .unwrap_or_else(|| panic!("no reading of {metric} for '{instance}'"))
        .value
}
