//! What do the entries of testdata/fio/wild contain? Their format is described in the README there.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// One command line, with the files that it reads.
#[derive(Debug, Default, Clone)]
pub struct Entry {
    pub name: String,
    pub from: String,
    pub needs: Vec<String>,
    pub env: Vec<(String, String)>,
    /// fio 3.33 does not accept it either.
    pub fio_refuses: bool,
    /// plumb does not run it, and names this.
    pub refused: Option<String>,
    /// What is changed for a run beside fio.
    pub sample: Option<Vec<(String, String)>>,
    /// In what plumb does other work than fio.
    pub differs: BTreeSet<String>,
    /// The words behind `fio`.
    pub words: Vec<String>,
    /// Names and texts.
    pub files: Vec<(String, String)>,
}

const NEEDS: &[&str] = &[
    "device",
    "directory",
    "file",
    "nothing",
    "libaio",
    "io_uring",
    "posixaio",
    "mmap",
    "engine",
    "trim",
    "zoned",
    "include",
    "peer",
    "processors",
    "windows",
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/fio/wild")
}

fn files() -> Vec<PathBuf> {
    let listed = fs::read_dir(folder()).expect("testdata/fio/wild");
    let mut files: Vec<PathBuf> = listed.map(|file| file.expect("a file").path()).collect();
    files.retain(|file| file.extension().is_some_and(|ending| ending == "txt"));
    files.sort();
    files
}

/// Writes what was seen of entries into their files: the value of a key for each name, or that the key goes.
pub fn write(key: &str, seen: &BTreeMap<String, Option<String>>) {
    let begin = format!("{key}: ");
    for file in files() {
        let text = fs::read_to_string(&file).expect("text");
        let mut lines: Vec<String> = Vec::new();
        let mut wanted = None;
        for line in text.lines() {
            if let Some(name) = line.strip_prefix("=== ") {
                wanted = seen.get(name);
            }
            if wanted.is_some() && line.starts_with(&begin) {
                continue;
            }
            if line.starts_with("fio ")
                && let Some(value) = wanted.take().and_then(Option::as_ref)
            {
                lines.push(format!("{begin}{value}"));
            }
            lines.push(line.to_owned());
        }
        fs::write(&file, lines.join("\n") + "\n").expect("written");
    }
}

/// All entries, in the order of the files' names.
pub fn entries() -> Vec<Entry> {
    let files = files();
    let texts = files
        .iter()
        .map(|file| fs::read_to_string(file).expect("text"));
    texts.flat_map(|text| entries_of(&text)).collect()
}

pub fn entries_of(text: &str) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("=== ") {
            entries.push(Entry {
                name: name.to_owned(),
                ..Entry::default()
            });
            continue;
        }
        let entry = entries.last_mut().expect("a line `=== name` comes first");
        if let Some(name) = line.strip_prefix("--- file ") {
            entry.files.push((name.to_owned(), String::new()));
        } else if let Some((_, text)) = entry.files.last_mut() {
            text.push_str(line);
            text.push('\n');
        } else if let Some(command) = line.strip_prefix("fio ") {
            assert!(entry.words.is_empty(), "{}: two commands", entry.name);
            entry.words = words(&with_variables(command, &entry.env));
        } else if !line.is_empty() {
            let (key, value) = line.split_once(": ").expect("a key and a value");
            entry.take(key, value);
        }
    }
    entries
}

impl Entry {
    fn take(&mut self, key: &str, value: &str) {
        let words = || value.split_whitespace().map(str::to_owned);
        let pairs = || {
            let pair = |word: String| {
                let (name, value) = word.split_once('=').expect("NAME=value");
                (name.to_owned(), value.to_owned())
            };
            words().map(pair).collect()
        };
        match key {
            "from" => self.from = value.to_owned(),
            "needs" => self.needs = words().collect(),
            "env" => self.env = pairs(),
            "fio" => self.fio_refuses = value == "refuses",
            "refused" => self.refused = Some(value.to_owned()),
            "sample" => self.sample = Some(pairs()),
            "differs" => self.differs = words().collect(),
            _ => panic!("{}: {key} is no key of an entry", self.name),
        }
    }

    /// Writes the files that it reads.
    pub fn lay(&self, folder: &Path) {
        for (name, text) in &self.files {
            fs::write(folder.join(name), text).expect("written");
        }
    }
}

/// `$NAME` outside of quotes becomes the variable's value; a name that is not set stays.
fn with_variables(command: &str, env: &[(String, String)]) -> String {
    let mut text = command.to_owned();
    for (name, value) in env {
        text = text.replace(&format!("${name}"), value);
    }
    text
}

/// A command as a shell splits it: quotes, and a backslash before a character.
pub fn words(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote: Option<char> = None;
    let mut characters = command.chars();
    while let Some(character) = characters.next() {
        match (quote, character) {
            (Some(open), close) if open == close => quote = None,
            (Some('\''), inside) => word.get_or_insert_default().push(inside),
            (_, '\\') => word.get_or_insert_default().extend(characters.next()),
            (Some(_), inside) => word.get_or_insert_default().push(inside),
            (None, '\'' | '"') => {
                quote = Some(character);
                word.get_or_insert_default();
            }
            (None, ' ') => words.extend(word.take()),
            (None, plain) => word.get_or_insert_default().push(plain),
        }
    }
    assert_eq!(quote, None, "a quote is not closed: {command}");
    words.extend(word);
    words
}

#[test]
fn entries_are_read() {
    let text = "=== a-b\nfrom: there\nneeds: device libaio\nenv: SIZE=4k MODE=read\nsample: size=1m\ndiffers: order flags\n\
                fio --bs=$SIZE '--name=x $y' -rw \"a b\" job\n--- file job\n[x]\nrw=${MODE}\n\n=== next\nfrom: here\nneeds: nothing\nfio: refuses\nrefused: rbd\nfio x\n";
    let read = entries_of(text);
    assert_eq!(read.len(), 2);
    let first = &read[0];
    assert_eq!(first.words, ["--bs=4k", "--name=x $y", "-rw", "a b", "job"]);
    assert_eq!(
        first.files,
        [("job".to_owned(), "[x]\nrw=${MODE}\n\n".to_owned())]
    );
    assert_eq!(first.env[1], ("MODE".to_owned(), "read".to_owned()));
    assert_eq!(first.differs.len(), 2);
    assert!(read[1].fio_refuses && read[1].refused.as_deref() == Some("rbd"));
}

#[test]
fn every_entry_says_where_it_came_from_and_what_it_needs() {
    let entries = entries();
    assert!(entries.len() >= 150, "{} entries", entries.len());
    let names: BTreeSet<&str> = entries.iter().map(|entry| entry.name.as_str()).collect();
    assert_eq!(names.len(), entries.len(), "each name once");
    for entry in &entries {
        let name = &entry.name;
        assert!(!entry.from.is_empty() && !entry.words.is_empty(), "{name}");
        assert!(!entry.needs.is_empty(), "{name}");
        for need in &entry.needs {
            assert!(NEEDS.contains(&need.as_str()), "{name}: needs {need}");
        }
        let sampled = entry.sample.is_some();
        assert!(!(sampled && entry.fio_refuses), "{name}");
        assert!(sampled || entry.differs.is_empty(), "{name}");
    }
}
