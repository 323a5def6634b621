//! May everything we build on be given on? Every dependency has a licence that asks for no more than its notice.

use std::collections::{BTreeMap, BTreeSet};

use plumb_house::workspace::{assert_none, members, metadata, name_of, packages, text_of};

/// Licences that allow use, change and sale and ask only for their notice; deny.toml names the same.
const ALLOWED: &[&str] = &[
    "MIT",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "ISC",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

/// Whether a licence expression can be met with allowed licences only. `/` is the old way to write OR.
fn is_allowed(expression: &str) -> bool {
    let spaced = expression
        .replace('/', " OR ")
        .replace('(', " ( ")
        .replace(')', " ) ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut at = 0;
    let allowed = any_of(&words, &mut at);
    allowed && at == words.len()
}

fn any_of(words: &[&str], at: &mut usize) -> bool {
    let mut allowed = all_of(words, at);
    while words.get(*at) == Some(&"OR") {
        *at += 1;
        allowed |= all_of(words, at);
    }
    allowed
}

fn all_of(words: &[&str], at: &mut usize) -> bool {
    let mut allowed = one(words, at);
    while words.get(*at) == Some(&"AND") {
        *at += 1;
        allowed &= one(words, at);
    }
    allowed
}

fn one(words: &[&str], at: &mut usize) -> bool {
    let Some(word) = words.get(*at) else {
        return false;
    };
    *at += 1;
    if *word == "(" {
        let allowed = any_of(words, at);
        *at += 1;
        return allowed && words.get(*at - 1) == Some(&")");
    }
    if words.get(*at) == Some(&"WITH") {
        let with = format!("{word} WITH {}", words.get(*at + 1).unwrap_or(&""));
        *at += 2;
        return ALLOWED.contains(&with.as_str());
    }
    ALLOWED.contains(word)
}

#[test]
fn every_dependency_has_a_permissive_licence() {
    let metadata = metadata();
    let wrong: Vec<String> = packages(&metadata)
        .filter(|package| !package["license"].as_str().is_some_and(is_allowed))
        .map(|package| {
            format!(
                "{} {}: {}",
                name_of(package),
                package["version"],
                package["license"]
            )
        })
        .collect();
    assert_none("licences that are not on the list", &wrong);
}

#[test]
fn licence_expressions_are_understood() {
    for yes in [
        "MIT",
        "MIT OR GPL-3.0",
        "MIT/Apache-2.0",
        "(MIT OR Apache-2.0) AND Unicode-3.0",
        "Apache-2.0 WITH LLVM-exception",
    ] {
        assert!(is_allowed(yes), "{yes}");
    }
    for no in [
        "",
        "GPL-3.0",
        "MIT AND GPL-3.0",
        "GPL-2.0 WITH LLVM-exception",
        "(MIT OR Zlib) AND LGPL-2.1",
        "MIT GPL-3.0",
        "(MIT",
    ] {
        assert!(!is_allowed(no), "{no}");
    }
}

#[test]
fn deny_toml_allows_the_same_licences() {
    let deny: toml::Table = text_of("deny.toml").parse().expect("TOML");
    let there: Vec<&str> = deny["licenses"]["allow"]
        .as_array()
        .expect("allow")
        .iter()
        .filter_map(|licence| licence.as_str())
        .collect();
    assert_eq!(there, ALLOWED);
}

/// Each dependency with the crates that use it, `tests` where only tests do, and `fuzz`.
fn used() -> BTreeMap<String, BTreeSet<String>> {
    let metadata = metadata();
    let mut used: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for package in members(&metadata) {
        let user = name_of(package).trim_start_matches("plumb-");
        for dependency in package["dependencies"].as_array().into_iter().flatten() {
            let is_test = user == "house" || dependency["kind"] == "dev";
            let user = if is_test { "tests" } else { user };
            let users = used.entry(name_of(dependency).to_string()).or_default();
            users.insert(user.to_string());
        }
    }
    let fuzz: toml::Table = text_of("fuzz/Cargo.toml").parse().expect("TOML");
    for name in fuzz["dependencies"].as_table().expect("a table").keys() {
        used.entry(name.clone()).or_default().insert("fuzz".into());
    }
    used.retain(|name, _| !name.starts_with("plumb-"));
    for users in used.values_mut().filter(|users| users.len() > 1) {
        users.remove("tests");
    }
    used
}

/// The rows of decision 0001: each library with the crates in its second column. Several rows of one library are one.
fn rows(decision: &str) -> BTreeMap<String, BTreeSet<String>> {
    let mut rows: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let cells = decision.lines().filter_map(|line| {
        let mut cells = line.strip_prefix("| ")?.split(" | ");
        Some((cells.next()?, cells.next()?))
    });
    for (library, users) in cells.filter(|(library, _)| *library != "library") {
        let users = users.split(", ").map(str::to_string);
        rows.entry(library.to_string()).or_default().extend(users);
    }
    for users in rows.values_mut().filter(|users| users.len() > 1) {
        users.remove("tests");
    }
    rows
}

#[test]
fn decision_0001_has_a_row_for_each_dependency_and_no_other() {
    let (used, rows) = (used(), rows(&text_of("docs/decisions/0001-libraries.md")));
    assert!(used.len() > 50, "{used:?}");
    let wrong: Vec<String> = used
        .keys()
        .chain(rows.keys())
        .collect::<BTreeSet<_>>()
        .into_iter()
        .filter(|name| used.get(*name) != rows.get(*name))
        .map(|name| {
            let (used, row) = (used.get(name), rows.get(name));
            format!("{name}: used by {used:?}, the row says {row:?}")
        })
        .collect();
    assert_none(
        "docs/decisions/0001-libraries.md differs from the Cargo.toml files",
        &wrong,
    );
}

#[test]
fn a_row_of_a_library_that_is_gone_would_be_seen() {
    let rows = rows(
        "| library | used by |\n|---|---|\n| gone | load, plumb | why |\n| two | load | a |\n| two | observe | b |\n| three | plumb, tests | c |\n",
    );
    let users = |name: &str| rows[name].iter().map(String::as_str).collect::<Vec<_>>();
    assert_eq!(rows.len(), 3);
    assert_eq!(users("gone"), ["load", "plumb"]);
    assert_eq!(users("two"), ["load", "observe"]);
    assert_eq!(users("three"), ["plumb"]);
    assert!(!used().contains_key("gone"));
}

/// What decision 0001 says of the number of crates that the program is built from is what cargo says.
#[test]
fn the_number_of_dependencies_is_told_as_it_is() {
    let words = "tree --locked --offline --package plumb --edges normal,build --target x86_64-unknown-linux-gnu --prefix none --format {p}";
    let output = std::process::Command::new(env!("CARGO"))
        .args(words.split(' '))
        .current_dir(plumb_house::workspace::root())
        .output()
        .expect("cargo");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let tree = String::from_utf8_lossy(&output.stdout).to_string();
    let crates: std::collections::BTreeSet<&str> = tree
        .lines()
        .map(|line| line.trim_end_matches(" (*)"))
        .filter(|line| !line.contains("(/"))
        .collect();
    let told = format!("built from {} crates beside its own", crates.len());
    assert!(
        text_of("docs/decisions/0001-libraries.md").contains(&told),
        "docs/decisions/0001-libraries.md must say: {told}"
    );
}
