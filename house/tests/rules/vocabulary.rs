//! Does plumb speak plain American English of the storage field? Texts have none of these phrases, and names of the code none of these words.

use std::collections::BTreeMap;

use crate::prose::is_prose;
use crate::words::words_of;
use plumb_house::literals::shipped_literals;
use plumb_house::workspace::{Source, assert_none, root, sources, text_of};

/// Phrases that no text for people has, each with the better ones.
const PHRASES: &[(&str, &str)] = &[
    ("a word by which", "tag, name"),
    ("and the like", "and similar"),
    ("Missing:", "If omitted:"),
    ("anew", "again"),
    ("are asked for", "are requested"),
    ("are said", "are stated"),
    ("are told", "are reported"),
    ("as such", "leave it out"),
    ("asked for", "requested"),
    ("at the longest", "up to, at most"),
    ("be had", "available, can be set"),
    ("be said", "be stated"),
    ("be told", "be reported, known, distinguished"),
    ("behaviour", "behavior"),
    ("beside", "next to, alongside, with"),
    ("by hand of", "with, by"),
    ("cancelled", "canceled"),
    ("catalogue", "catalog"),
    ("centre", "center"),
    ("colour", "color"),
    ("colours", "colors"),
    ("does not tell", "does not report, does not show"),
    ("favour", "favor"),
    ("for want of", "without"),
    ("goes on", "continues"),
    ("gone over", "read, written, visited"),
    ("grey", "gray"),
    ("in force", "in effect"),
    ("in no figure", "not counted in any figure"),
    ("in no rate", "not counted in rates"),
    ("in vain", "without success"),
    ("is asked", "is requested"),
    ("is had", "is available"),
    ("is no file", "is not a file"),
    ("is no folder", "is not a folder"),
    ("is no number", "is not a number"),
    ("is no plan", "is not a plan"),
    ("is no run", "is not a run"),
    ("is no size", "is not a size"),
    ("is no time", "is not a time"),
    ("is said", "is stated"),
    ("is told", "is reported"),
    ("lends", "offers"),
    ("lent", "offered"),
    ("licence", "license"),
    ("neighbour", "neighbor"),
    ("neighbours", "neighbors"),
    ("no answer came", "no reply"),
    ("nobody asked", "without a request"),
    ("nobody looks", "unattended"),
    ("on the way to the server", "on the path to the server"),
    ("seldom", "rarely"),
    ("stands in", "is in"),
    ("the measuring", "measuring, the measurement"),
    ("the one before", "the previous one"),
    ("time stamp", "timestamp"),
    ("time stamps", "timestamps"),
    ("to and fro", "ping-pong, both ways"),
    ("up to which", "the highest"),
    ("was asked", "was requested"),
    ("was told", "was reported"),
    ("went on", "continued"),
    ("were told", "were reported"),
    ("whether or not anyone", "always"),
];

/// Words that no name of the code has, each with terms that it stands for.
const WORDS: &[(&str, &str)] = &[
    ("asked", "requested, target"),
    ("beside", "next to, alongside"),
    ("borne", "carried, supported"),
    ("heard", "received"),
    ("kin", "related, siblings"),
    ("lent", "offered, exposed"),
    (
        "place",
        "offset, position, location, index, slot, path, address",
    ),
    (
        "places",
        "offsets, positions, locations, indexes, slots, paths, addresses",
    ),
    ("said", "reported, printed, stated, message, note"),
    ("spoken", "negotiated, supported"),
    ("told", "reported, printed, stated, origin, note"),
    ("wanted", "requested"),
    ("whole", "complete, full, total, entire"),
];

/// What is left where not all is gone: area, phrases in its texts, names of its code. Whoever clears some lowers the number.
const LEFT: &[(&str, usize, usize)] = &[
    ("docs/book", 10, 0),
    ("docs/keys.txt", 3, 0),
    ("help", 25, 0),
    ("plumb", 1, 12),
    ("plumb-analyse", 8, 3),
    ("plumb-load", 2, 3),
    ("plumb-model", 10, 5),
    ("plumb-observe", 0, 2),
    ("plumb-plan", 3, 9),
    ("plumb-record", 3, 1),
    ("plumb-run", 0, 2),
    ("plumb-show", 1, 24),
];

/// The phrases of a text, with no letter before or after them; in capitals only where the phrase is.
fn phrases_of(text: &str) -> Vec<&'static (&'static str, &'static str)> {
    let lower = text.to_lowercase();
    let is_letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let has = |phrase: &str| {
        let text = match phrase.contains(char::is_uppercase) {
            true => text,
            false => &lower,
        };
        let ends_in_letter = is_letter(phrase.chars().next_back());
        text.match_indices(phrase).any(|(at, _)| {
            let after = text[at + phrase.len()..].chars().next();
            let before = &text[..at];
            let is_absent = phrase.starts_with("is no ") && before.ends_with("there ");
            let is_within_a_word =
                is_letter(before.chars().next_back()) || (ends_in_letter && is_letter(after));
            !is_within_a_word && !is_absent
        })
    };
    PHRASES.iter().filter(|(phrase, _)| has(phrase)).collect()
}

/// One line for each phrase in these lines of a file.
fn phrases_in<'a>(path: &str, lines: impl Iterator<Item = (usize, &'a str)>) -> Vec<String> {
    lines
        .flat_map(|(number, line)| {
            phrases_of(line).into_iter().map(move |(phrase, better)| {
                format!("{path}:{number}: '{phrase}'; better: {better}")
            })
        })
        .collect()
}

fn numbered(text: &str) -> impl Iterator<Item = (usize, &str)> {
    (1..).zip(text.lines())
}

/// Texts of the English catalog: without comments, identifiers and arguments.
fn catalog_lines(text: &str) -> Vec<(usize, String)> {
    let texts = numbered(text).filter(|(_, line)| !line.starts_with('#'));
    texts
        .map(|(number, line)| {
            let value = match line.split_once(" =") {
                Some((id, value)) if !id.contains(' ') => value,
                _ => line,
            };
            let mut depth = 0usize;
            let plain = value.chars().filter(|c| {
                let inside = depth;
                match c {
                    '{' => depth += 1,
                    '}' => depth = depth.saturating_sub(1),
                    _ => {}
                }
                inside == 0 && depth == 0
            });
            (number, plain.collect())
        })
        .collect()
}

/// Files below a folder whose names end so, with their texts.
fn files_below(folder: &str, ending: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(root().join(folder)).expect("a folder") {
        let path = entry.expect("entry").path();
        let name = path.file_name().expect("a name").to_string_lossy();
        let below = format!("{folder}/{name}");
        if path.is_dir() {
            found.extend(files_below(&below, ending));
        } else if name.ends_with(ending) {
            let text = text_of(&below);
            found.push((below, text));
        }
    }
    found
}

/// Phrases in what people read, by area: the catalog, the pages, the help and the messages of each crate.
fn phrases() -> BTreeMap<String, Vec<String>> {
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut add = |area: &str, phrases: Vec<String>| {
        found.entry(area.to_string()).or_default().extend(phrases);
    };
    for (path, text) in files_below("crates/plumb-words/languages/en", ".ftl") {
        let lines = catalog_lines(&text);
        let lines = lines.iter().map(|(number, line)| (*number, line.as_str()));
        add("languages/en", phrases_in(&path, lines));
    }
    for (path, text) in files_below("docs/book", ".md") {
        add("docs/book", phrases_in(&path, numbered(&text)));
    }
    for path in ["README.md", "docs/keys.txt"] {
        add(path, phrases_in(path, numbered(&text_of(path))));
    }
    for source in sources().iter().filter(|source| !source.is_test) {
        if source.path.starts_with("crates/plumb/src/") {
            let help = numbered(&source.text).filter(|(_, line)| line.trim().starts_with("///"));
            add("help", phrases_in(&source.path, help));
        }
        // Comments of documentation are texts of the parsed code too.
        let lines: Vec<&str> = source.text.lines().collect();
        let is_comment = |line: usize| {
            let text = lines.get(line.saturating_sub(1)).copied();
            text.is_some_and(|text| text.trim_start().starts_with("//"))
        };
        let texts = shipped_literals(source);
        let texts = texts
            .iter()
            .filter(|(text, line)| is_prose(text) && !is_comment(*line));
        let texts = texts.map(|(text, line)| (*line, text.as_str()));
        add(source.crate_name(), phrases_in(&source.path, texts));
    }
    found
}

/// Names of shipped code that have one of the words.
fn names_in(source: &Source) -> Vec<String> {
    let names = source.code.declared.iter().filter(|_| !source.is_test);
    names
        .filter_map(|(name, line)| {
            // A name in capitals is words of capitals.
            let is_constant = !name.contains(char::is_lowercase);
            let words = words_of(&if is_constant {
                name.to_lowercase()
            } else {
                name.clone()
            });
            let (word, better) = WORDS
                .iter()
                .find(|(word, _)| words.iter().any(|of| of == word))?;
            Some(format!(
                "{}:{line}: {name}; '{word}' is: {better}",
                source.path
            ))
        })
        .collect()
}

/// What is left beyond what may be left.
fn beyond(found: &BTreeMap<String, Vec<String>>, may: impl Fn(&str) -> usize) -> Vec<String> {
    let areas = found.iter().filter(|(area, list)| list.len() > may(area));
    areas
        .flat_map(|(area, list)| {
            let head = format!("{area}: {} where {} may be left", list.len(), may(area));
            std::iter::once(head).chain(list.iter().cloned())
        })
        .collect()
}

#[test]
fn texts_use_the_words_of_the_field() {
    let may = |area: &str| {
        let row = LEFT.iter().find(|(of, ..)| *of == area);
        row.map_or(0, |(_, phrases, _)| *phrases)
    };
    assert_none("phrases that plumb does not use", &beyond(&phrases(), may));
}

#[test]
fn names_use_the_words_of_the_field() {
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for source in sources()
        .iter()
        .filter(|source| source.path.starts_with("crates/"))
    {
        let area = source.crate_name().to_string();
        found.entry(area).or_default().extend(names_in(source));
    }
    let may = |area: &str| {
        let row = LEFT.iter().find(|(of, ..)| *of == area);
        row.map_or(0, |(.., names)| *names)
    };
    assert_none(
        "names with words that plumb does not use",
        &beyond(&found, may),
    );
}

#[test]
fn phrases_are_found_as_words() {
    for (text, expected) in [
        ("a time stamp of a file", vec!["time stamp"]),
        ("Time stamps", vec!["time stamps"]),
        ("besides, a timestamp", vec![]),
        ("Missing: closed loop", vec!["Missing:"]),
        ("is missing: not there", vec![]),
        ("there is no file", vec![]),
        ("it is no file", vec!["is no file"]),
    ] {
        let found: Vec<&str> = phrases_of(text).iter().map(|(phrase, _)| *phrase).collect();
        assert_eq!(found, expected, "{text}");
    }
    let catalog = "# is told\nis-told = { $told } is { $n ->\n    [one] told\n}\nb = it is told\n";
    let lines = catalog_lines(catalog);
    let lines = lines.iter().map(|(number, line)| (*number, line.as_str()));
    assert_eq!(
        phrases_in("x.ftl", lines),
        ["x.ftl:5: 'is told'; better: is reported"]
    );
}

#[test]
fn names_are_found_by_word() {
    let source = Source::new(
        "crates/plumb/src/x.rs",
        "struct WasTold { place: u8, replaced: u8 }\nfn asked_of() {}\nconst WHOLE_DISK: u8 = 1;\n#[cfg(test)]\nmod tests { fn told() {} }\n",
    );
    let names: Vec<String> = names_in(&source)
        .iter()
        .filter_map(|line| Some(line.split_once(": ")?.1.split(';').next()?.to_string()))
        .collect();
    assert_eq!(names, ["WasTold", "place", "asked_of", "WHOLE_DISK"]);
}
