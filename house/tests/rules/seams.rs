//! Is every item of a seam in its list, and does no item know the list or another item? Contract `rule.rs`, list `rules.rs`, folder `rules/`.

use plumb_house::workspace::{Source, assert_none, sources};

/// A list with its items.
struct Seam<'a> {
    list: &'a Source,
    items: Vec<&'a Source>,
}

/// Every `x.rs` with `xs.rs` and `xs/` beside it.
fn seams(sources: &[Source]) -> Vec<Seam<'_>> {
    let with = |path: &str| sources.iter().find(|source| source.path == path);
    let mut seams = Vec::new();
    for contract in sources {
        let Some(list) = with(&contract.path.replace(".rs", "s.rs")) else {
            continue;
        };
        let folder = format!("{}/", list.path.trim_end_matches(".rs"));
        let items: Vec<&Source> = sources
            .iter()
            .filter(|source| {
                source
                    .path
                    .strip_prefix(&folder)
                    .is_some_and(|file| !file.contains('/'))
                    && !source.is_test
            })
            .collect();
        if !items.is_empty() {
            seams.push(Seam { list, items });
        }
    }
    seams
}

/// Items that the list does not declare or does not name.
fn unlisted(seam: &Seam<'_>) -> Vec<String> {
    let code = &seam.list.code.text;
    let listed = |item: &&&Source| {
        code.contains(&format!("mod {};", item.stem()))
            && code.contains(&format!("&{}::", item.stem()))
    };
    seam.items
        .iter()
        .filter(|item| !listed(item))
        .map(|item| format!("{} does not list {}", seam.list.path, item.stem()))
        .collect()
}

/// Items that name their list or, through it, each other: arrows run list -> item -> contract.
fn backwards(seam: &Seam<'_>) -> Vec<String> {
    let list = format!("crate::{}", seam.list.stem());
    let mut found = Vec::new();
    for item in &seam.items {
        for (number, line) in item.shipped_lines() {
            // `super::` inside of a module of the file itself is indented.
            if line.contains(&list) || line.starts_with("use super::") {
                found.push(format!("{}:{number}: {}", item.path, line.trim()));
            }
        }
    }
    found
}

#[test]
fn every_file_of_a_seam_is_listed() {
    let sources = sources();
    let seams = seams(sources);
    let lists: Vec<&str> = seams.iter().map(|seam| seam.list.stem()).collect();
    for expected in ["engines", "sources", "rules", "charts"] {
        assert!(
            lists.contains(&expected),
            "{expected} is no seam any more; there are {lists:?}"
        );
    }
    assert_none(
        "items that no list names",
        &seams.iter().flat_map(unlisted).collect::<Vec<_>>(),
    );
}

#[test]
fn no_item_of_a_seam_knows_the_list() {
    let sources = sources();
    assert_none(
        "arrows run list -> item -> contract",
        &seams(sources)
            .iter()
            .flat_map(backwards)
            .collect::<Vec<_>>(),
    );
}

#[test]
fn what_breaks_a_seam_would_be_seen() {
    let file = |name: &str, text: &str| Source::new(&format!("crates/x/src/{name}.rs"), text);
    let sources = [
        file("rule", ""),
        file(
            "rules",
            "mod a;\nmod c;\nconst RULES: &[&Rule] = &[&a::RULE];",
        ),
        file(
            "rules/a",
            "use crate::rule::Rule;\nmod inner {\n    use super::x;\n}\n",
        ),
        file("rules/b", "use crate::rules::RULES;"),
        file("rules/c", "use super::a::limit;"),
        file("rules/deep/d", ""),
    ];
    let seams = seams(&sources);
    assert_eq!(seams.len(), 1);
    assert_eq!(unlisted(&seams[0]).len(), 2);
    assert_eq!(
        backwards(&seams[0]),
        [
            "crates/x/src/rules/b.rs:1: use crate::rules::RULES;",
            "crates/x/src/rules/c.rs:1: use super::a::limit;"
        ]
    );
}
