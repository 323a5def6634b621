//! What does a command do when it runs? It runs under strace in its own folder; its calls, its JSON and its files are examined.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use crate::small::Small;
use crate::trace::{self, trace};
use crate::work::{self, Difference, FileWork, Work, difference, tolerance};

/// A program that understands fio's command line.
#[derive(Clone)]
pub struct Side {
    pub program: PathBuf,
    /// Words before fio's own.
    pub words: &'static [&'static str],
    /// The word by which the user lets it write what is there, before those.
    pub may_write: Option<&'static str>,
}

impl Side {
    pub fn fio() -> Side {
        Side {
            program: PathBuf::from("fio"),
            words: &[],
            may_write: None,
        }
    }

    pub fn plumb() -> Side {
        Side {
            program: PathBuf::from(env!("CARGO_BIN_EXE_plumb")),
            words: &["fio"],
            may_write: Some("--plumb-overwrite"),
        }
    }
}

/// What was seen of one run.
pub struct Seen {
    code: Option<i32>,
    said: String,
    work: Work,
    /// What was done through io_uring does not show as calls.
    through_rings: bool,
    report: Option<Value>,
    /// Files behind the run: their length, and sectors of 512 bytes that are not as before.
    left: BTreeMap<String, (u64, u64)>,
}

/// Seconds that one run may take before it is ended.
const PATIENCE: &str = "60";

/// Whether a program is installed. One that is there and fails is not missing: the test then says how it fails.
pub fn is_here(program: &str) -> bool {
    let asked = Command::new(program)
        .arg("--version")
        .stdout(Stdio::null())
        .status();
    !asked.is_err_and(|error| error.kind() == ErrorKind::NotFound)
}

/// Lays the files of a sample, and those that its jobs read, as fio makes them.
pub fn prepared(small: &Small) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    small.lay(folder.path());
    if small.reads {
        let mut words = vec!["--create_only=1".to_owned()];
        words.extend(small.words.iter().cloned());
        let mut command = Command::new("fio");
        command
            .args(&words)
            .arg("--output=made")
            .envs(small.env.iter().cloned());
        let status = command
            .current_dir(folder.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        assert!(
            status.expect("started").success(),
            "fio does not lay out the files: {words:?}"
        );
        fs::remove_file(folder.path().join("made")).expect("removed");
        without_empty(folder.path());
    }
    folder
}

/// Removes the files of jobs that only write: on a first run they are not there, and fio makes them empty when it lays out the others.
fn without_empty(folder: &Path) {
    for file in fs::read_dir(folder).expect("a folder") {
        let file = file.expect("a file").path();
        if file.is_dir() {
            without_empty(&file);
        } else if fs::metadata(&file).expect("a file").len() == 0 {
            fs::remove_file(&file).expect("removed");
        }
    }
}

fn copied(from: &Path, to: &Path) {
    for file in fs::read_dir(from).expect("a folder") {
        let file = file.expect("a file").path();
        let target = to.join(file.file_name().expect("a name"));
        if file.is_dir() {
            fs::create_dir(&target).expect("made");
            copied(&file, &target);
        } else {
            fs::copy(&file, &target).expect("copied");
        }
    }
}

/// Contents of all files below a folder, by their names from there.
fn contents(folder: &Path, root: &Path, into: &mut BTreeMap<String, Vec<u8>>) {
    for file in fs::read_dir(folder).expect("a folder") {
        let file = file.expect("a file").path();
        if file.is_dir() {
            contents(&file, root, into);
        } else {
            let name = file
                .strip_prefix(root)
                .expect("below")
                .to_string_lossy()
                .into_owned();
            into.insert(name, fs::read(&file).expect("read"));
        }
    }
}

fn changed(before: Option<&Vec<u8>>, after: &[u8]) -> u64 {
    let nothing = Vec::new();
    let before = before.unwrap_or(&nothing);
    let same = |(number, sector): (usize, &[u8])| {
        let old = before.get(number * 512..number * 512 + sector.len());
        old.map_or_else(|| sector.iter().all(|byte| *byte == 0), |old| old == sector)
    };
    after
        .chunks(512)
        .enumerate()
        .filter(|at| !same(*at))
        .count() as u64
}

/// Files that the programs write about themselves.
fn is_output(name: &str) -> bool {
    name.ends_with(".log") || name.ends_with(".state")
}

/// A name that fio makes from the job's: `job.0.0`.
fn is_derived(name: &str) -> bool {
    let mut numbers = name.rsplitn(3, '.').take(2);
    numbers.all(|part| part.parse::<u32>().is_ok())
}

/// Carries the command out in a folder, under strace; `names`: the files that are there.
fn traced<'n>(
    side: &Side,
    small: &Small,
    (outer, root): (&Path, &Path),
    mut names: impl Iterator<Item = &'n String>,
) -> Output {
    // fio asks nothing; plumb wants to be told, but of the files that an earlier run of the same job left under names of its own.
    let is_named = |name: &String| {
        let is_job = small.files.iter().any(|(job, _)| job == name);
        !is_job && !is_derived(name)
    };
    let allowed = side.may_write.filter(|_| names.any(is_named));
    let home = outer.join("home");
    Command::new("timeout")
        .args([
            "-s", "KILL", PATIENCE, "strace", "-ff", "-qq", "-y", "-s", "0",
        ])
        .args(["-e", "abbrev=none", "-e", "signal=none", "-e"])
        .arg(format!("trace={}", trace::CALLS))
        .arg("-o")
        .arg(outer.join("calls"))
        .arg(&side.program)
        .args(side.words)
        .args(allowed)
        .args(&small.words)
        .args(["--output-format=json", "--output=result.json"])
        .envs(small.env.iter().cloned())
        .env("HOME", &home)
        .env("PLUMB_OUTPUT", home.join("record"))
        .env("XDG_DATA_HOME", &home)
        .env("XDG_CONFIG_HOME", &home)
        .env("PLUMB_LANGUAGE", "en")
        .current_dir(root)
        .stdin(Stdio::null())
        .output()
        .expect("timeout is installed")
}

/// Runs a sample in a copy of the prepared folder.
pub fn seen(side: &Side, small: &Small, prepared: &Path) -> Seen {
    let outer = tempfile::tempdir().expect("a folder");
    let outer = outer.path().canonicalize().expect("a folder");
    let root = outer.join("in");
    fs::create_dir(&root).expect("made");
    fs::create_dir(outer.join("home")).expect("made");
    copied(prepared, &root);
    let mut before = BTreeMap::new();
    contents(&root, &root, &mut before);
    let output = traced(side, small, (&outer, &root), before.keys());
    let trace = trace(&outer, "calls.", &root);
    let read_by_the_program = |name: &str| small.files.iter().any(|(file, _)| file == name);
    let is_target = |name: &str| {
        !(is_output(name)
            || name == "result.json"
            || read_by_the_program(name)
            || is_bookkeeping(name))
    };
    let text = fs::read_to_string(root.join("result.json")).unwrap_or_default();
    let begin = text.find('{').unwrap_or(text.len());
    let mut after = BTreeMap::new();
    contents(&root, &root, &mut after);
    let left = after
        .iter()
        .filter(|(name, _)| is_target(name) || is_output(name));
    Seen {
        code: output.status.code(),
        said: format!(
            "{}{}{}",
            &text[..begin],
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        ),
        work: work::work(&trace, is_target),
        through_rings: trace.through_rings,
        report: serde_json::from_str(&text[begin..]).ok(),
        left: left
            .map(|(name, content)| {
                (
                    name.clone(),
                    (content.len() as u64, changed(before.get(name), content)),
                )
            })
            .collect(),
    }
}

/// What plumb keeps its own books with: the file by which it tries what a file system can do, and the marks of a folder that is its own.
fn is_bookkeeping(name: &str) -> bool {
    let own =
        |part: &str| part.starts_with(".plumb-") || matches!(part, "plumb.mark" | "plumb.pid");
    name.split('/').any(own)
}

/// In what the second did otherwise.
pub fn differences(first: &Seen, second: &Seen) -> Vec<Difference> {
    let mut found = Vec::new();
    if first.code != second.code {
        // The reason comes last.
        let lines: Vec<&str> = second.said.lines().rev().take(3).collect();
        let said = lines.into_iter().rev().collect::<Vec<_>>().join(" / ");
        found.push(difference(
            "exit",
            format!("{:?} | {:?}: {said}", first.code, second.code),
        ));
    }
    if second.through_rings && !first.through_rings {
        found.push(difference(
            "engine",
            "calls | io_uring, whose requests do not show".to_owned(),
        ));
    } else if !(first.through_rings && second.through_rings) {
        found.extend(work::compared(&first.work, &second.work));
    }
    found.extend(reports(first, second));
    found.extend(leavings(first, second));
    found
}

/// Operations and bytes that the JSON of both tells, job by job.
fn reports(first: &Seen, second: &Seen) -> Vec<Difference> {
    let mut found = Vec::new();
    let none = Vec::new();
    let jobs = |seen: &Seen| {
        let jobs = seen
            .report
            .as_ref()
            .and_then(|report| report["jobs"].as_array().cloned());
        jobs.unwrap_or_else(|| none.clone())
    };
    let (a, b) = (jobs(first), jobs(second));
    let names = |jobs: &[Value]| {
        jobs.iter()
            .map(|job| job["jobname"].to_string())
            .collect::<Vec<_>>()
            .join(" ")
    };
    if names(&a) != names(&b) {
        found.push(difference(
            "report",
            format!("jobs {} | {}", names(&a), names(&b)),
        ));
        return found;
    }
    for (one, other) in a.iter().zip(&b) {
        let number = |job: &Value, kind: &str, key: &str| job[kind][key].as_f64().unwrap_or(0.0);
        let total = |job: &Value, key: &str| number(job, "read", key) + number(job, "write", key);
        let name = &one["jobname"];
        let operations = (total(one, "total_ios"), total(other, "total_ios"));
        let bytes = (total(one, "io_bytes"), total(other, "io_bytes"));
        // Where sizes are drawn, the number of operations is chance.
        let slack = if bytes.0 % operations.0.max(1.0) == 0.0 {
            0.0
        } else {
            0.01 + 4.0 / operations.0.sqrt()
        };
        let apart = |(a, b): (f64, f64)| (a - b).abs() > slack * a;
        if apart(operations) || apart(bytes) {
            found.push(difference(
                "report",
                format!("{name}: {operations:?} operations, {bytes:?} bytes"),
            ));
        }
        let share =
            |job: &Value| number(job, "read", "total_ios") / total(job, "total_ios").max(1.0);
        let (share_a, share_b) = (share(one), share(other));
        if (share_a - share_b).abs() > tolerance(share_a, operations.0) {
            found.push(difference(
                "report",
                format!("{name}: {share_a:.3} | {share_b:.3} of the operations are reads"),
            ));
        }
        // total_ios leaves out what an engine carries out at once; the latencies do not.
        let synced = |job: &Value| job["sync"]["lat_ns"]["N"].as_f64().unwrap_or(0.0);
        let syncs = (synced(one), synced(other));
        // Among reads and writes, each flush that is due is repeated as often as chance has reads follow it.
        let repeated = if (0.0..1.0).contains(&share_a) && share_a > 0.0 {
            4.0 * (2.0 * syncs.0 / (1.0 - share_a)).sqrt()
        } else {
            0.0
        };
        if (syncs.0 - syncs.1).abs() > 0.05 * syncs.0 + 1.0 + repeated {
            found.push(difference("report", format!("{name}: {syncs:?} syncs")));
        }
    }
    found
}

/// Names, lengths and changed sectors of what is left.
fn leavings(first: &Seen, second: &Seen) -> Vec<Difference> {
    let mut found = Vec::new();
    let names = |seen: &Seen| seen.left.keys().cloned().collect::<Vec<_>>().join(" ");
    if !first.left.keys().eq(second.left.keys()) {
        found.push(difference(
            "left",
            format!("{} | {}", names(first), names(second)),
        ));
    }
    for (name, (length, sectors)) in &first.left {
        let Some((other_length, other_sectors)) = second.left.get(name) else {
            continue;
        };
        if is_output(name) {
            continue;
        }
        let apart = (*sectors as f64 - *other_sectors as f64).abs();
        // What was written is drawn as often as there were writes.
        let writes = first.work.get(name).map_or(u64::MAX, FileWork::writes);
        let draws = (*sectors / 8).min(writes).max(1);
        let chance = 0.01 + 4.0 / (draws as f64).sqrt();
        if length != other_length {
            found.push(difference(
                "left",
                format!("{name}: {length} | {other_length} bytes"),
            ));
        } else if apart > chance * *sectors as f64 {
            found.push(difference(
                "left",
                format!("{name}: {sectors} | {other_sectors} sectors were changed"),
            ));
        }
    }
    found
}
