//! May everything we build on be given on? Every dependency has a licence that asks for no more than its notice.

use plumb_house::workspace::{
    assert_none, dependencies_of, members, metadata, name_of, packages, text_of,
};

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

#[test]
fn every_library_that_we_chose_is_accounted_for() {
    let metadata = metadata();
    let decision = text_of("docs/decisions/0001-libraries.md");
    let mut unexplained: Vec<&str> = members(&metadata)
        .into_iter()
        .flat_map(dependencies_of)
        .collect();
    unexplained
        .retain(|name| !name.starts_with("plumb-") && !decision.contains(&format!("| {name} |")));
    unexplained.sort_unstable();
    unexplained.dedup();
    assert!(
        unexplained.is_empty(),
        "docs/decisions/0001-libraries.md has no row for {unexplained:?}"
    );
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
