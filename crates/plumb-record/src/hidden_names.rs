//! How does a record keep its figures and lose the names of people, machines and folders? For a file that is attached to a public issue.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::net::IpAddr;
use std::path::Path;

use serde_json::Value;

use crate::folder::{HEADER, NOTES, READINGS, REPLAYED, TICKS};

/// Folders whose names belong to the system, not to its user.
const COMMON: &[&str] = &[
    "", ".", "..", "~", "bin", "boot", "data", "dev", "etc", "export", "exports", "home", "lib",
    "local", "media", "mnt", "nfs", "opt", "private", "proc", "root", "run", "sbin", "share",
    "shm", "srv", "storage", "sys", "tmp", "usr", "Users", "var", "volumes", "Volumes",
];
/// Below these is what the kernel names: devices, processes.
const OF_KERNEL: &[&str] = &["dev", "proc", "sys"];
/// Facts that say who someone is, whatever they hold.
const PERSONAL: &[&str] = &["nfs.login", "nfs.user", "smb.server_guid"];
/// Keys of a record whose value is the name of a machine.
const OF_MACHINES: &[&str] = &["host", "host.name", "hostname", "server"];

/// Names that were replaced, each by the same word everywhere: `vm` by `host-1`.
#[derive(Debug, Default)]
pub struct HiddenNames {
    words: BTreeMap<String, String>,
    /// Keys of the record: someone may be called as one of them, whose name is hidden in paths only.
    keys: BTreeSet<String>,
    counts: BTreeMap<&'static str, u32>,
}

impl HiddenNames {
    /// Copies the record of a run folder into another folder, without names. The report page is left out: `plumb report` writes it again.
    ///
    /// # Errors
    /// A file cannot be read or written, or a line of it is not JSON.
    pub fn copy(folder: &Path, to: &Path) -> io::Result<HiddenNames> {
        let mut names = HiddenNames::default();
        let present = || {
            [HEADER, NOTES, READINGS]
                .into_iter()
                .filter(|name| folder.join(name).is_file())
        };
        // Machines and users first: their names may stand anywhere, also before the line that says what they are.
        for name in present() {
            each_value(&folder.join(name), &mut |value| {
                names.learn(None, &value);
                Ok(())
            })?;
        }
        for name in present() {
            let mut out = BufWriter::new(File::create_new(to.join(name))?);
            each_value(&folder.join(name), &mut |value| {
                serde_json::to_writer(&mut out, &names.hidden(value))?;
                out.write_all(b"\n")
            })?;
            out.into_inner()?.sync_all()?;
        }
        // Numbers and histograms in a code of their own, which may look like a path.
        if folder.join(TICKS).is_file() {
            fs::copy(folder.join(TICKS), to.join(TICKS))?;
        }
        if folder.join(REPLAYED).is_file() {
            let requests = fs::read_to_string(folder.join(REPLAYED))?;
            fs::write(to.join(REPLAYED), names.hidden_text(&requests))?;
        }
        Ok(names)
    }

    /// Each name and the word in its place, by name.
    pub fn each(&self) -> impl Iterator<Item = (&str, &str)> {
        self.words.iter().map(|(name, word)| (&**name, &**word))
    }

    /// Finds the names of machines and users.
    fn learn(&mut self, key: Option<&str>, value: &Value) {
        match value {
            Value::Object(entries) => {
                for (name, value) in entries {
                    self.keys.insert(name.clone());
                    // A fact is an object with its text: its name is the key above.
                    let key = if name == "text" {
                        key
                    } else {
                        Some(name.as_str())
                    };
                    self.learn(key, value);
                }
            }
            Value::Array(items) => items.iter().for_each(|item| self.learn(key, item)),
            Value::String(text) => {
                if key.is_some_and(|key| OF_MACHINES.contains(&key)) {
                    self.machine(text);
                }
                for token in text.split(is_delimiter) {
                    let token = token.split_once("://").map_or(token, |(_, rest)| rest);
                    let parts: Vec<&str> = token.split(['/', '\\']).collect();
                    for pair in parts.windows(2).filter(|pair| is_home(pair[0])) {
                        self.word("user", pair[1]);
                    }
                }
            }
            _ => {}
        }
    }

    /// A machine by its full name and by the first part of it.
    fn machine(&mut self, name: &str) {
        let is_name = name.starts_with(|letter: char| letter.is_ascii_alphabetic())
            && name
                .chars()
                .all(|letter| letter.is_ascii_alphanumeric() || "-._".contains(letter));
        if !is_name || name == "localhost" {
            return;
        }
        let word = self.word("host", name.split('.').next().unwrap_or(name));
        self.words.entry(name.to_string()).or_insert(word);
    }

    /// The word in the place of a name.
    fn word(&mut self, kind: &'static str, name: &str) -> String {
        if COMMON.contains(&name) {
            return name.to_string();
        }
        if let Some(word) = self.words.get(name) {
            return word.clone();
        }
        let count = self.counts.entry(kind).or_default();
        *count += 1;
        let word = match kind {
            // Addresses for documentation (RFC 5737, RFC 3849): they can still be read as addresses.
            "address" => format!("192.0.2.{}", *count % 256),
            "address6" => format!("2001:db8::{count:x}"),
            _ => format!("{kind}-{count}"),
        };
        self.words.insert(name.to_string(), word.clone());
        word
    }

    fn hidden(&mut self, value: Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.hidden_text(&text)),
            Value::Array(items) => {
                Value::Array(items.into_iter().map(|item| self.hidden(item)).collect())
            }
            Value::Object(entries) => Value::Object(
                entries
                    .into_iter()
                    .map(|(key, value)| match PERSONAL.contains(&key.as_str()) {
                        true => (
                            key,
                            serde_json::json!({ "unknown": "hidden by plumb share" }),
                        ),
                        false if key.contains(['/', '\\']) => {
                            (self.hidden_text(&key), self.hidden(value))
                        }
                        false => (key, self.hidden(value)),
                    })
                    .collect(),
            ),
            other => other,
        }
    }

    fn hidden_text(&mut self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while !rest.is_empty() {
            let end = rest.find(is_delimiter).unwrap_or(rest.len());
            let (token, behind) = rest.split_at(end);
            out += &self.hidden_token(token);
            let after = behind.chars().next().map_or(0, char::len_utf8);
            out += &behind[..after];
            rest = &behind[after..];
        }
        out
    }

    fn hidden_token(&mut self, token: &str) -> String {
        if let Some((scheme, rest)) = token.split_once("://") {
            let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
            let (user, host) = match authority.rsplit_once('@') {
                Some((user, host)) => (format!("{}@", self.word("user", user)), host),
                None => (String::new(), authority),
            };
            return format!(
                "{scheme}://{user}{}{}",
                self.hidden_host(host),
                self.hidden_path(path)
            );
        }
        let is_windows = token.starts_with("\\\\") || token.get(1..3) == Some(":\\");
        if token.starts_with('/') || is_windows {
            return self.hidden_path(token);
        }
        // The source of a mount: `server:/export`.
        if let Some((host, path)) = token.split_once(":/") {
            return format!(
                "{}:{}",
                self.hidden_host(host),
                self.hidden_path(&format!("/{path}"))
            );
        }
        self.hidden_words(token)
    }

    /// A host with or without a port; addresses in brackets too.
    fn hidden_host(&mut self, text: &str) -> String {
        let bare = text.strip_prefix('[').and_then(|rest| rest.split_once(']'));
        if let Some((address, port)) = bare {
            return format!("[{}]{port}", self.hidden_words(address));
        }
        let (host, port) = match text.split_once(':') {
            Some((host, port)) if !port.contains(':') => (host, format!(":{port}")),
            _ => (text, String::new()),
        };
        if host.parse::<IpAddr>().is_err() {
            self.machine(host);
        }
        self.hidden_words(host) + &port
    }

    fn hidden_path(&mut self, path: &str) -> String {
        let top = path
            .strip_prefix('/')
            .and_then(|rest| rest.split('/').next());
        if top.is_some_and(|top| OF_KERNEL.contains(&top)) {
            return path.to_string();
        }
        let mut out = String::with_capacity(path.len());
        for part in path.split_inclusive(['/', '\\']) {
            let name = part.trim_end_matches(['/', '\\']);
            let is_drive = name.len() == 2 && name.ends_with(':');
            // Pages and files of the program itself are no names of anyone.
            let is_own = name.starts_with("plumb") || name.starts_with(".plumb");
            out += &match is_drive || is_own {
                true => name.to_string(),
                false => self.word("folder", name),
            };
            out += &part[name.len()..];
        }
        out
    }

    /// Known names, and addresses, wherever they stand as words.
    fn hidden_words(&mut self, text: &str) -> String {
        if let Ok(address) = text.parse::<IpAddr>() {
            return match address {
                _ if address.is_loopback() || address.is_unspecified() => text.to_string(),
                IpAddr::V4(_) => self.word("address", text),
                IpAddr::V6(_) => self.word("address6", text),
            };
        }
        if let Some(word) = self.in_text(text) {
            return word.to_string();
        }
        let is_inside = |letter: char| letter.is_ascii_alphanumeric() || letter == '-';
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while !rest.is_empty() {
            let end = rest.find(|letter| !is_inside(letter)).unwrap_or(rest.len());
            let (word, behind) = rest.split_at(end);
            out += self.in_text(word).unwrap_or(word);
            let after = behind.chars().next().map_or(0, char::len_utf8);
            out += &behind[..after];
            rest = &behind[after..];
        }
        out
    }

    /// The word in the place of a name that stands by itself. Folders are known by their place in a path only: their names are words of any language.
    fn in_text(&self, name: &str) -> Option<&str> {
        let word = self.words.get(name).filter(|_| !self.keys.contains(name))?;
        (!word.starts_with("folder-")).then_some(word)
    }
}

fn is_delimiter(letter: char) -> bool {
    letter.is_whitespace() || "\"'`,;=()<>|{}".contains(letter)
}

fn is_home(folder: &str) -> bool {
    ["home", "Users"].contains(&folder)
}

/// Each JSON value of a file of a record: the header is one, other files have one per line. A line that a killed run left unfinished is not passed on.
fn each_value(path: &Path, take: &mut dyn FnMut(Value) -> io::Result<()>) -> io::Result<()> {
    if path.file_name().is_some_and(|name| name == HEADER) {
        return take(serde_json::from_slice(&fs::read(path)?)?);
    }
    let mut lines = BufReader::new(File::open(path)?).split(b'\n').peekable();
    while let Some(line) = lines.next() {
        let line = line?;
        match serde_json::from_slice(&line) {
            Ok(value) => take(value)?,
            Err(_) if lines.peek().is_none() => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hidden(names: &mut HiddenNames, text: &str) -> String {
        names.hidden_text(text)
    }

    #[test]
    fn names_become_words_and_what_is_technical_stays() {
        let mut names = HiddenNames::default();
        let learnt = serde_json::json!({
            "environment": { "host.name": { "text": "anna-laptop.example.org" } },
            "command": ["plumb", "--target", "/home/anna/secret/data"],
        });
        names.learn(None, &learnt);
        for (text, expected) in [
            (
                "/home/anna/secret/data/f",
                "/home/user-1/folder-1/data/folder-2",
            ),
            (
                "--output=/home/anna/secret",
                "--output=/home/user-1/folder-1",
            ),
            ("anna-laptop answered anna", "host-1 answered user-1"),
            ("anna-laptop.example.org", "host-1"),
            ("/dev/nvme0n1", "/dev/nvme0n1"),
            ("4.5 MB/s, 3 requests/s", "4.5 MB/s, 3 requests/s"),
            ("secret words are words", "secret words are words"),
            (
                "smb://bob@nas1:445/projects",
                "smb://user-2@host-2:445/folder-3",
            ),
            ("nas1:/srv/projects", "host-2:/srv/folder-3"),
            ("tcp://10.1.2.3:7000", "tcp://192.0.2.1:7000"),
            ("10.1.2.3", "192.0.2.1"),
            ("tcp://[fe80::7]:5", "tcp://[2001:db8::1]:5"),
            ("127.0.0.1", "127.0.0.1"),
            ("C:\\Users\\anna\\x", "C:\\Users\\user-1\\folder-4"),
            ("\\\\nas1\\projects", "\\\\host-2\\folder-3"),
            ("random-read depth=32", "random-read depth=32"),
        ] {
            assert_eq!(hidden(&mut names, text), expected, "{text}");
        }
    }

    #[test]
    fn facts_about_a_person_are_unknown() {
        let mut names = HiddenNames::default();
        let value = names.hidden(serde_json::json!({ "nfs.login": { "text": "anna" }, "n": 1.5 }));
        assert_eq!(value["nfs.login"]["unknown"], "hidden by plumb share");
        assert_eq!(value["n"], 1.5);
    }
}
