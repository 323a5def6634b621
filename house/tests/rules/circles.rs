//! Do the files of a crate name each other in one direction? A circle of files can only be read, tested and moved as one.

use std::collections::{BTreeMap, BTreeSet};

use plumb_house::code::Named;
use plumb_house::workspace::{Source, assert_none, sources};

type Arrows<'a> = BTreeMap<&'a str, BTreeSet<String>>;

/// The files of one program or library by the path of their module: `engines::sync`; the root is the empty path.
struct Files<'a> {
    by_module: BTreeMap<String, &'a Source>,
}

impl<'a> Files<'a> {
    /// `folder` is that of the root: `crates/plumb-load/src/`, `benches/harm/`.
    fn of(folder: &str, sources: &'a [Source]) -> Files<'a> {
        let is_shipped = folder.ends_with("/src/");
        let ours = sources
            .iter()
            .filter(|source| !(is_shipped && source.is_test))
            .filter_map(|source| Some((source.path.strip_prefix(folder)?, source)));
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

    /// The files that a path leads through: those that re-export the name, and last the one that defines it. Empty: nothing of this folder.
    fn places_of(&self, from: &str, words: &[String], jumps: u32) -> Vec<String> {
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
            return Vec::new();
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
            if self.lies_elsewhere(&module, word) {
                return Vec::new();
            }
            if let Some(named) = self.handed_on(&module, word).filter(|_| jumps < 8) {
                let mut words = named.words.clone();
                words.extend_from_slice(&rest[index + 1..]);
                let behind = self.places_of(&module, &words, jumps + 1);
                return [vec![module], behind].concat();
            }
            break;
        }
        vec![module]
    }

    /// True for `#[path = "..."] mod word;`, whose file is not in this folder.
    fn lies_elsewhere(&self, module: &str, word: &str) -> bool {
        self.by_module.get(module).is_some_and(|source| {
            let mut modules = source.code.modules.iter();
            modules.any(|module| module.name == word && module.path.is_some())
        })
    }

    /// The path that a file hands on by this name.
    fn handed_on(&self, module: &str, word: &str) -> Option<&Named> {
        let mut paths = self.by_module.get(module)?.code.paths.iter();
        paths.find(|named| named.handed_on_as.as_deref() == Some(word))
    }

    /// For each file those that it names, also those that only re-export the name. `with_own`: also what it re-exports of the files below it.
    fn arrows(&self, with_own: bool) -> Arrows<'_> {
        let arrows = self.by_module.iter().map(|(module, source)| {
            let named = source.code.paths.iter().flat_map(|named| {
                let places = self.places_of(module, &named.words, 0).into_iter();
                places.filter(move |place| {
                    let is_own = is_within(module, place);
                    let is_facade = module.is_empty() || !with_own;
                    place != module && !(named.handed_on_as.is_some() && is_own && is_facade)
                })
            });
            (module.as_str(), named.collect())
        });
        arrows.collect()
    }

    /// Files that reach each other, each circle as the list of its files. To re-export what the files below hold is no use of them, unless the circle leads
    /// out of the file's own folder.
    fn circles(&self) -> BTreeSet<Vec<String>> {
        let mut found = circles_of(&self.arrows(false));
        let leads_out = |circle: &Vec<String>| {
            let is_top =
                |top: &String| !top.is_empty() && circle.iter().all(|file| is_within(top, file));
            !circle.iter().any(is_top)
        };
        found.extend(circles_of(&self.arrows(true)).into_iter().filter(leads_out));
        found
    }
}

/// True when the file is this one or lies below it.
fn is_within(top: &str, file: &str) -> bool {
    let below = file.strip_prefix(top);
    top.is_empty() || below.is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
}

fn circles_of(arrows: &Arrows<'_>) -> BTreeSet<Vec<String>> {
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
    let in_circles = reached.iter().filter(|(file, seen)| seen.contains(*file));
    in_circles
        .map(|(file, seen)| {
            let members = seen
                .iter()
                .filter(|other| reached.get(**other).is_some_and(|back| back.contains(file)));
            members.map(|member| member.to_string()).collect()
        })
        .collect()
}

/// Folders of the roots of libraries, and of programs with several files.
fn folders(sources: &[Source]) -> BTreeSet<&str> {
    let roots = sources
        .iter()
        .filter(|source| matches!(source.stem(), "lib" | "main"));
    roots
        .filter_map(|source| source.path.rfind('/').map(|end| &source.path[..=end]))
        .collect()
}

#[test]
fn no_circle_between_files() {
    let sources = sources();
    let mut found = Vec::new();
    for folder in folders(sources) {
        let circles = Files::of(folder, sources).circles();
        found.extend(circles.iter().map(|circle| {
            let files = circle.iter().map(|module| match module.as_str() {
                "" => "the root",
                module => module,
            });
            format!("{folder}: {}", files.collect::<Vec<_>>().join(", "))
        }));
    }
    assert_none("files that name each other in a circle", &found);
}

#[test]
fn a_circle_would_be_seen() {
    let file = |name: &str, text: &str| Source::new(&format!("crates/x/src/{name}.rs"), text);
    let circles = |files: &[Source]| Files::of("crates/x/src/", files).circles();
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
    let circle = |files: &[&str]| {
        let files = files.iter().map(|file| file.to_string());
        BTreeSet::from([files.collect::<Vec<_>>()])
    };
    assert_eq!(circles(&direct), circle(&["a", "b"]));
    let by_parent = [
        file("a", "mod b;\nuse b::B;\npub struct A;"),
        file("a/b", "use super::A;"),
    ];
    assert_eq!(circles(&by_parent), circle(&["a", "a::b"]));
    let seen_by_parent = [
        file("a", "mod b;\nuse b::B;"),
        file("a/b", "pub(in crate::a) struct B;"),
    ];
    assert!(circles(&seen_by_parent).is_empty());
    // A re-export of what lies below is no use of it.
    let facade = [
        file("a", "mod b;\npub use b::B;\npub struct A;"),
        file("a/b", "use super::A;"),
    ];
    assert!(circles(&facade).is_empty());
    // Who takes a name from a re-export uses both files, and a circle that leads out of the folder is one.
    let through_facade = [
        file("a", "mod b;\npub use b::B;\npub struct A;"),
        file("a/b", "use crate::c::C;"),
        file("c", "use crate::a::A;"),
    ];
    assert_eq!(circles(&through_facade), circle(&["a", "a::b", "c"]));
    let handed_on = [
        file("a", "pub use crate::b::B;\nuse crate::c::C;"),
        file("b", ""),
        file("c", "use crate::a::B;"),
    ];
    assert_eq!(circles(&handed_on), circle(&["a", "c"]));
    // To re-export what stands beside it is a use.
    let beside = [
        file("a", "pub use super::b::B;"),
        file("b", "use crate::a::A;"),
    ];
    assert_eq!(circles(&beside), circle(&["a", "b"]));
    // A program in benches/, with a file of another folder.
    let bench = |name: &str, text: &str| Source::new(&format!("benches/x/{name}.rs"), text);
    let program = [
        bench(
            "main",
            "mod a;\n#[path = \"../far.rs\"]\nmod far;\nfn main() { a::run() }\nconst C: u8 = 1;",
        ),
        bench("a", "use crate::far::F;"),
    ];
    let circles = |files: &[Source]| Files::of("benches/x/", files).circles();
    assert!(circles(&program).is_empty());
    let [main, _] = program;
    let named = [main, bench("a", "use crate::C;")];
    assert_eq!(circles(&named), circle(&["", "a"]));
    assert_eq!(
        folders(&named).into_iter().collect::<Vec<_>>(),
        ["benches/x/"]
    );
}
