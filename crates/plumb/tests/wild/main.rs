//! Does `plumb fio` run real-world command lines? Each of testdata/fio/wild is accepted or refused as recorded there, and a sample does the same I/O as under fio.

// The whole binary is a test; clippy knows only functions with #[test] as such.
#![allow(clippy::expect_used)]
#![cfg(target_os = "linux")]

mod beside;
mod entries;
mod small;
mod trace;
mod work;

use std::collections::{BTreeMap, BTreeSet};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use beside::Side;
use entries::{Entry, entries};
use work::Difference;

/// Runs side by side; more would wait for each other.
const AT_ONCE: usize = 4;

/// What is seen of every entry, several at once.
fn each<S: Send>(entries: &[Entry], see: impl Fn(&Entry) -> S + Sync) -> BTreeMap<String, S> {
    let next = AtomicUsize::new(0);
    let found = Mutex::new(BTreeMap::new());
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some(entry) = entries.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let seen = see(entry);
                    found.lock().expect("held").insert(entry.name.clone(), seen);
                }
            });
        }
    });
    found.into_inner().expect("held")
}

/// Whether what is seen is to be written into the entries: `PLUMB_WRITE_WILD=1`, after a change that is meant.
fn is_written() -> bool {
    std::env::var_os("PLUMB_WRITE_WILD").is_some()
}

/// What plumb says when it does not take an entry.
fn refusal(entry: &Entry) -> Option<String> {
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
    // Whether the processor is there is up to this machine.
    let is_elsewhere = entry.needs.iter().any(|need| need == "processors")
        && said.contains("this process is limited to CPU");
    (!output.status.success() && !is_elsewhere).then(|| said.chars().take(400).collect())
}

/// The option that a refusal names: `line 3: OPTION cannot ...`, `[job] OPTION: ...`, `option 'OPTION' ...`.
fn named(said: &str) -> &str {
    let said = said.lines().next().unwrap_or_default();
    let option = if let Some((before, _)) = said.split_once(" is not supported here") {
        before.rsplit(' ').next()
    } else if let Some((_, after)) = said.split_once("] ") {
        after.split(':').next()
    } else if let Some((_, after)) = said.split_once("option '") {
        after.split(['\'', '=']).next()
    } else {
        said.split(": ").nth(2)
    };
    let option = option.unwrap_or_default().trim_start_matches('-');
    if option.is_empty() || option.contains(' ') {
        "fio"
    } else {
        option
    }
}

#[test]
fn every_command_line_is_taken_as_is_written() {
    let entries = entries();
    let refusals = each(&entries, refusal);
    if is_written() {
        let words = entries.iter().map(|entry| {
            let said = refusals[&entry.name].as_deref();
            // A word that still holds stays.
            let kept = entry.refused.as_deref();
            let word = said.map(|said| match kept.filter(|word| said.contains(word)) {
                Some(word) => word.to_owned(),
                None => named(said).to_owned(),
            });
            (entry.name.clone(), word)
        });
        return entries::write("refused", &words.collect());
    }
    println!("{}", told_of_all(&entries));
    let complaint = |entry: &Entry| {
        let name = &entry.name;
        match (&entry.refused, &refusals[name]) {
            (None, None) => None,
            (None, Some(said)) => Some(format!("{name} is refused: {said}")),
            (Some(word), None) => Some(format!("{name} is accepted, not refused for {word}")),
            (Some(word), Some(said)) => (!said.contains(word.as_str()))
                .then(|| format!("{name} is refused without a word of {word}: {said}")),
        }
    };
    let found: Vec<String> = entries.iter().filter_map(complaint).collect();
    assert!(
        found.is_empty(),
        "{} of {} (PLUMB_WRITE_WILD=1 writes how it is):\n{}",
        found.len(),
        entries.len(),
        found.join("\n")
    );
}

/// How many run, and how many are refused by whom.
fn told_of_all(entries: &[Entry]) -> String {
    let count = |wanted: &dyn Fn(&Entry) -> bool| entries.iter().filter(|one| wanted(one)).count();
    let by_fio = count(&|entry| entry.fio_refuses);
    let run = count(&|entry| entry.refused.is_none());
    let by_both = count(&|entry| entry.refused.is_some() && entry.fio_refuses);
    let by_name = count(&|entry| entry.refused.is_some() && !entry.fio_refuses);
    let of_fio = entries.len() - by_fio;
    format!(
        "{} command lines: {run} run, {by_both} are refused by fio 3.33 too, {by_name} are refused by name; of the {of_fio} that fio takes, {:.1} % run",
        entries.len(),
        100.0 * (of_fio - by_name) as f64 / of_fio as f64
    )
}

/// How a sample runs on the second side, beside fio.
fn differences(entry: &Entry, second: &Side) -> Vec<Difference> {
    let small = small::small(entry);
    let prepared = beside::prepared(&small);
    let of_fio = beside::seen(&Side::fio(), &small, prepared.path());
    let of_other = beside::seen(second, &small, prepared.path());
    beside::differences(&of_fio, &of_other)
}

fn aspects(found: &[Difference]) -> BTreeSet<String> {
    found.iter().map(|one| one.aspect.to_owned()).collect()
}

/// The aspects that differ, or may, as the entry has them: a mark of chance stays.
fn written(entry: &Entry, found: &[Difference]) -> Vec<String> {
    let by_chance = entry.differs.iter().filter(|one| one.ends_with('?'));
    let mut all: BTreeSet<String> = by_chance.cloned().collect();
    let certain = aspects(found).into_iter();
    all.extend(certain.filter(|one| !entry.differs.contains(&format!("{one}?"))));
    all.into_iter().collect()
}

/// Whether what differs is what the entry says: no aspect more, and none less but those of chance.
fn is_as_written(entry: &Entry, found: &[Difference]) -> bool {
    let found = aspects(found);
    let is_named =
        |one: &String| entry.differs.contains(one) || entry.differs.contains(&format!("{one}?"));
    let mut certain = entry.differs.iter().filter(|one| !one.ends_with('?'));
    found.iter().all(is_named) && certain.all(|one| found.contains(one))
}

fn told(entry: &Entry, found: &[Difference]) -> String {
    let lines = found
        .iter()
        .map(|one| format!("\n    {}: {}", one.aspect, one.said));
    let command = small::small(entry).words.join(" ");
    format!("{}: {command}{}", entry.name, lines.collect::<String>())
}

/// What is drawn differs between the programs: places and kinds in each run, or sizes by weights.
fn is_drawn(entry: &Entry) -> bool {
    let texts = entry.files.iter().map(|(_, text)| text);
    let mut all = entry.words.iter().chain(texts);
    all.any(|text| text.contains("randrepeat=0") || text.contains("bssplit="))
}

fn sampled() -> Vec<Entry> {
    let mut entries = entries();
    entries.retain(|entry| entry.sample.is_some());
    entries
}

/// Whether fio and strace are here; says why a test is left out.
fn can_look() -> bool {
    let missing = ["fio", "strace"]
        .into_iter()
        .find(|program| !beside::is_here(program));
    if let Some(program) = missing {
        println!("skipped: {program} is not installed");
    }
    missing.is_none()
}

#[test]
fn a_sample_does_the_same_work_as_under_fio() {
    let sampled = sampled();
    assert!(sampled.len() >= 30, "{} samples", sampled.len());
    if !can_look() {
        return;
    }
    let found = each(&sampled, |entry| differences(entry, &Side::plumb()));
    let differ = sampled
        .iter()
        .filter(|entry| !found[&entry.name].is_empty());
    differ.for_each(|entry| println!("{}", told(entry, &found[&entry.name])));
    if is_written() {
        let words = sampled.iter().map(|entry| {
            let aspects = written(entry, &found[&entry.name]);
            let is_same = aspects.is_empty();
            (entry.name.clone(), (!is_same).then(|| aspects.join(" ")))
        });
        return entries::write("differs", &words.collect());
    }
    // What is drawn may differ once, and is looked at again.
    let is_same = |entry: &Entry| {
        is_as_written(entry, &found[&entry.name])
            || (is_drawn(entry) && is_as_written(entry, &differences(entry, &Side::plumb())))
    };
    let others: Vec<String> = sampled
        .iter()
        .filter(|entry| !is_same(entry))
        .map(|entry| told(entry, &found[&entry.name]))
        .collect();
    assert!(
        others.is_empty(),
        "{} of {} do other work than is written (fio | plumb; PLUMB_WRITE_WILD=1 writes how it is):\n{}",
        others.len(),
        sampled.len(),
        others.join("\n")
    );
}

/// What is compared is fair: fio beside itself does the same work.
#[test]
fn fio_does_the_same_work_as_fio() {
    if !can_look() {
        return;
    }
    let sampled: Vec<Entry> = sampled().into_iter().step_by(5).collect();
    let found = each(&sampled, |entry| differences(entry, &Side::fio()));
    let others: Vec<String> = sampled
        .iter()
        .filter(|entry| !found[&entry.name].is_empty())
        .map(|entry| told(entry, &found[&entry.name]))
        .collect();
    assert!(others.is_empty(), "{}", others.join("\n"));
}
