//! Does `plumb fio` do what people's command lines say? Each of testdata/fio/wild is accepted or refused as is written there, and a sample does the same work as under fio.

// The whole binary is a test; clippy knows only functions with #[test] as such.
#![allow(clippy::expect_used)]
#![cfg(target_os = "linux")]

mod beside;
mod entries;
mod small;
mod trace;
mod work;

use std::collections::BTreeSet;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use beside::Side;
use entries::{Entry, entries};

/// Runs side by side; more would wait for each other.
const AT_ONCE: usize = 4;

/// Something for every entry, several at once; what is returned is a complaint.
fn each(entries: &[Entry], complaint: impl Fn(&Entry) -> Option<String> + Sync) -> Vec<String> {
    let next = AtomicUsize::new(0);
    let found = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some(entry) = entries.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Some(said) = complaint(entry) {
                        let said = format!("{}: {said}", entry.name);
                        found.lock().expect("held").push(said);
                    }
                }
            });
        }
    });
    let mut found = found.into_inner().expect("held");
    found.sort();
    found
}

/// What is wrong with how plumb takes an entry.
fn taken_otherwise(entry: &Entry) -> Option<String> {
    let folder = tempfile::tempdir().expect("a folder");
    entry.lay(folder.path());
    let output = Command::new(env!("CARGO_BIN_EXE_plumb"))
        .args(["fio", "--parse-only"])
        .args(&entry.words)
        .envs(entry.env.iter().cloned())
        .env("PLUMB_LANGUAGE", "en")
        .current_dir(folder.path())
        .stdin(Stdio::null())
        .output()
        .expect("started");
    let said = String::from_utf8_lossy(&output.stderr);
    let first: String = said.chars().take(300).collect();
    match (&entry.refused, output.status.success()) {
        (None, true) => None,
        (None, false) => Some(format!("is refused: {first}")),
        (Some(word), true) => Some(format!("is accepted, and was to be refused for {word}")),
        (Some(word), false) if said.contains(word.as_str()) => None,
        (Some(word), false) => Some(format!("is refused without a word of {word}: {first}")),
    }
}

#[test]
fn every_command_line_is_taken_as_is_written() {
    let found = each(&entries(), taken_otherwise);
    assert!(
        found.is_empty(),
        "{} of them:\n{}",
        found.len(),
        found.join("\n")
    );
}

/// What is wrong with how a sample runs on the second side, beside fio.
fn runs_otherwise(entry: &Entry, second: &Side) -> Option<String> {
    let small = small::small(entry);
    let prepared = beside::prepared(&small);
    let of_fio = beside::seen(&Side::fio(), &small, prepared.path());
    let of_other = beside::seen(second, &small, prepared.path());
    let found = beside::differences(&of_fio, &of_other);
    let aspects: BTreeSet<String> = found.iter().map(|one| one.aspect.to_owned()).collect();
    let lines: Vec<String> = found
        .iter()
        .map(|one| format!("{}: {}", one.aspect, one.said))
        .collect();
    (aspects != entry.differs)
        .then(|| format!("{}\n    {}", small.words.join(" "), lines.join("\n    ")))
}

fn sampled() -> Vec<Entry> {
    let mut entries = entries();
    entries.retain(|entry| entry.sample.is_some());
    entries
}

/// Whether fio and strace are here; says why a test is left out.
fn can_look() -> bool {
    if !beside::fio_is_here() {
        println!("skipped: fio is not installed");
    } else if !beside::strace_is_here() {
        println!("skipped: strace is not installed");
    } else {
        return true;
    }
    false
}

#[test]
fn a_sample_does_the_same_work_as_under_fio() {
    let sampled = sampled();
    assert!(sampled.len() >= 30, "{} samples", sampled.len());
    if !can_look() {
        return;
    }
    let found = each(&sampled, |entry| runs_otherwise(entry, &Side::plumb()));
    assert!(
        found.is_empty(),
        "{} of {} do other work (fio | plumb):\n{}",
        found.len(),
        sampled.len(),
        found.join("\n")
    );
}

/// What is compared is fair: fio beside itself does the same work.
#[test]
fn fio_does_the_same_work_as_fio() {
    if !can_look() {
        return;
    }
    let mut sampled: Vec<Entry> = sampled().into_iter().step_by(5).collect();
    for entry in &mut sampled {
        entry.differs.clear();
    }
    let found = each(&sampled, |entry| runs_otherwise(entry, &Side::fio()));
    assert!(found.is_empty(), "{}", found.join("\n"));
}
