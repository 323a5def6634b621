//! Do the files of a crate name each other in one direction? A circle of files can only be read, tested and moved as one.

use std::collections::{BTreeMap, BTreeSet};

use crate::exceptions::CIRCLES;
use plumb_house::code::Named;
use plumb_house::workspace::{Source, assert_none, sources};

/// The files of one crate by the path of their module: `engines::sync`; the root is the empty path.
struct Files<'a> {
    by_module: BTreeMap<String, &'a Source>,
}

impl<'a> Files<'a> {
    fn of(name: &str, sources: &'a [Source]) -> Files<'a> {
        let folder = format!("crates/{name}/src/");
        let ours = sources
            .iter()
            .filter(|source| !source.is_test)
            .filter_map(|source| Some((source.path.strip_prefix(&folder)?, source)));
        let by_module = ours.map(|(path, source)| {
            let path = path.trim_end_matches(".rs").trim_end_matches("/mod");
            let module = match path {
                "lib" | "main" => String::new(),
                path => path.replace('/', "::"),
            };
            (module, source)
        });
        Files {
            by_module: by_module.collect(),
        }
    }

    /// The file in which what is named stands; through names that other files hand on. `None`: nothing of this crate.
    fn place_of(&self, from: &str, words: &[String], jumps: u32) -> Option<String> {
        let mut at: Vec<&str> = from.split("::").filter(|word| !word.is_empty()).collect();
        let mut rest = words;
        match words.first().map(String::as_str) {
            Some("crate") => (at, rest) = (Vec::new(), &words[1..]),
            Some("self") => rest = &words[1..],
            Some("super") => {
                while rest.first().is_some_and(|word| word == "super") {
                    at.pop();
                    rest = &rest[1..];
                }
            }
            _ => {}
        }
        let mut module = at.join("::");
        if !module.is_empty() && !self.by_module.contains_key(&module) {
            return None;
        }
        for (index, word) in rest.iter().enumerate() {
            let below = match module.as_str() {
                "" => word.clone(),
                module => format!("{module}::{word}"),
            };
            if self.by_module.contains_key(&below) {
                module = below;
                continue;
            }
            if let Some(named) = self.handed_on(&module, word).filter(|_| jumps < 8) {
                let mut words = named.words.clone();
                if words.last().is_some_and(|last| last == "*") {
                    words.pop();
                    words.push(word.clone());
                }
                words.extend_from_slice(&rest[index + 1..]);
                let origin = module.clone();
                return self.place_of(&origin, &words, jumps + 1).or(Some(module));
            }
            break;
        }
        Some(module)
    }

    /// The path that a file hands on by this name.
    fn handed_on(&self, module: &str, word: &str) -> Option<&Named> {
        let paths = &self.by_module.get(module)?.code.paths;
        let by_name = |name: &str| {
            paths
                .iter()
                .find(|named| named.handed_on_as.as_deref() == Some(name))
        };
        by_name(word)
    }

    /// For each file those that it names. To hand on what its own modules hold is not to use it.
    fn arrows(&self) -> BTreeMap<&str, BTreeSet<String>> {
        let arrows = self.by_module.iter().map(|(module, source)| {
            let used = source
                .code
                .paths
                .iter()
                .filter(|named| named.handed_on_as.is_none())
                .filter_map(|named| self.place_of(module, &named.words, 0))
                .filter(|place| place != module && !place.is_empty());
            (module.as_str(), used.collect())
        });
        arrows.collect()
    }

    /// Files that reach each other, each circle as the list of its files.
    fn circles(&self) -> Vec<Vec<String>> {
        let arrows = self.arrows();
        let reached: BTreeMap<&str, BTreeSet<&str>> = arrows
            .keys()
            .map(|start| {
                let mut seen = BTreeSet::new();
                let mut open = vec![*start];
                while let Some(file) = open.pop() {
                    for next in arrows.get(file).into_iter().flatten() {
                        if seen.insert(next.as_str()) {
                            open.push(next);
                        }
                    }
                }
                (*start, seen)
            })
            .collect();
        let mut circles: BTreeSet<Vec<String>> = BTreeSet::new();
        for (file, seen) in reached.iter().filter(|(file, seen)| seen.contains(*file)) {
            let members = seen
                .iter()
                .filter(|other| reached.get(**other).is_some_and(|back| back.contains(file)));
            circles.insert(members.map(|member| member.to_string()).collect());
        }
        circles.into_iter().collect()
    }
}

fn crates(sources: &[Source]) -> BTreeSet<&str> {
    sources
        .iter()
        .map(Source::crate_name)
        .filter(|name| !name.is_empty())
        .collect()
}

#[test]
fn no_circle_between_files() {
    let sources = sources();
    let mut found = Vec::new();
    for name in crates(sources) {
        let circles = Files::of(name, sources).circles();
        let files = circles.iter().flatten().count();
        let allowed = CIRCLES.iter().find(|(of, _)| *of == name);
        if files > allowed.map_or(0, |(_, files)| *files) {
            let circles: Vec<String> = circles.iter().map(|circle| circle.join(", ")).collect();
            found.push(format!(
                "{name}, {files} files:\n    {}",
                circles.join("\n    ")
            ));
        } else if files == 0 && allowed.is_some() {
            found.push(format!(
                "{name} has no circle any more: take it off the list"
            ));
        }
    }
    assert_none("files that name each other in a circle", &found);
}

#[test]
fn a_circle_would_be_seen() {
    let file = |name: &str, text: &str| Source::new(&format!("crates/x/src/{name}.rs"), text);
    let circles = |files: &[Source]| Files::of("x", files).circles();
    let straight = [
        file("lib", "mod a;\nmod b;\npub use a::A;"),
        file(
            "a",
            "use crate::b::B;\n#[cfg(test)]\nmod t { use crate::c::C; }",
        ),
        file("b", "use std::fmt;\nuse crate::c;"),
        file("c", ""),
    ];
    assert!(circles(&straight).is_empty());
    let direct = [
        file("a", "use crate::b::B;"),
        file("b", "fn f(x: super::a::A) {}"),
    ];
    assert_eq!(circles(&direct), [["a", "b"]]);
    let by_parent = [
        file("a", "mod b;\nuse b::B;\npub struct A;"),
        file("a/b", "use super::A;"),
    ];
    assert_eq!(circles(&by_parent), [["a", "a::b"]]);
    let seen_by_parent = [
        file("a", "mod b;\nuse b::B;"),
        file("a/b", "pub(in crate::a) struct B;"),
    ];
    assert!(circles(&seen_by_parent).is_empty());
    // What a parent only hands on is no use of it, but who takes it from there uses the file behind it.
    let handed_on = [
        file("a", "mod b;\npub use b::B;\npub struct A;"),
        file("a/b", "use super::A;\nuse crate::c::C;"),
        file("c", "use crate::a::B;"),
    ];
    assert_eq!(circles(&handed_on), [["a::b", "c"]]);
}
