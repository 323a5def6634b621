//! Does a job flush when fio does: between writes, between loops, and after the last write?

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;

/// Options of a job, and its calls: `w4` four writes, `f` fsync, `d` fdatasync.
const JOBS: &[(&str, &str)] = &[
    ("bs=4k size=64k fsync=4", "w4 f w4 f w4 f w4"),
    ("bs=4k size=66k fsync=4", "w4 f w4 f w4 f w4 f"),
    ("bs=4k size=72k fsync=4", "w4 f w4 f w4 f w4 f w2"),
    ("bs=2300 size=8k fdatasync=1", "w d w d w d"),
    ("bs=4k size=16k fsync=4 fdatasync=2", "w2 d w2"),
    ("bs=4k size=32k fsync=2 fdatasync=4", "w2 f w2 f w2 f w2"),
    (
        "bs=4k size=40k fsync=4 loops=3",
        "w4 f w4 f w4 f w4 f w4 f2 w4 f w4 f w2",
    ),
    (
        "bs=4k size=50k fsync=4 loops=2",
        "w4 f w4 f w4 f2 w4 f w4 f w4 f",
    ),
    (
        "rw=randwrite bs=4k size=48k fsync=4 loops=2",
        "w4 f w4 f w4 f2 w4 f w4 f w4",
    ),
    (
        "bs=4k size=40k io_size=100k fsync=4",
        "w4 f w4 f w4 f w4 f w4 f2 w4 f w",
    ),
    ("bs=4k size=16k end_fsync=1 loops=3", "w4 f w4 f w4 f"),
    (
        "bs=4k size=16k fsync_on_close=1 loops=3",
        "w4 f2 w4 f2 w4 f",
    ),
    (
        "bs=4k size=16k fsync=3 end_fsync=1 loops=3",
        "w3 f w f w2 f w2 f w f w3 f",
    ),
    (
        "bs=4k size=18k fsync=1 end_fsync=1 loops=2",
        "w f w f w f w f2 w f w f w f w f",
    ),
    (
        "rw=randwrite norandommap=1 bs=4k size=18k fsync=2",
        "w2 f w2 f w",
    ),
];

fn job_file() -> String {
    let mut text = "[global]\nioengine=psync\nrw=write\nunlink=0\n".to_string();
    for (number, (options, _)) in JOBS.iter().enumerate() {
        text += &format!("[job{number}]\nstonewall\nfilename=f{number}\n");
        text += &options.replace(' ', "\n");
        text += "\n";
    }
    text
}

/// The calls on each job's file by those threads that read or write it, as [`JOBS`] has them; `None` where strace or the program is missing.
fn calls_of(program: &[&str], folder: &Path, jobs: usize) -> Option<Vec<String>> {
    let traced = Command::new("strace")
        .current_dir(folder)
        .args(["-f", "-y", "-s", "0", "-o", "trace", "-e"])
        .arg("trace=pread64,pwrite64,fsync,fdatasync")
        .args(program)
        .args(["--output=result", "job.fio"])
        .output();
    let Ok(traced) = traced else {
        println!("skipped: strace is not installed: flushes are not looked at");
        return None;
    };
    assert!(
        traced.status.success(),
        "{program:?}: {}",
        String::from_utf8_lossy(&traced.stderr)
    );
    let trace = fs::read_to_string(folder.join("trace")).expect("a trace");
    let mut of_files: BTreeMap<String, Vec<(&str, char)>> = BTreeMap::new();
    for line in trace.lines() {
        let (thread, call) = line.split_once(' ').unwrap_or_default();
        let word = match call.trim_start().split('(').next() {
            Some("pwrite64") => 'w',
            Some("pread64") => 'r',
            Some("fsync") => 'f',
            Some("fdatasync") => 'd',
            _ => continue,
        };
        let path = call.split(['<', '>']).nth(1).unwrap_or_default();
        let name = path.rsplit('/').next().unwrap_or_default().to_string();
        of_files.entry(name).or_default().push((thread, word));
    }
    let of_job = |number: usize| {
        let calls = of_files.remove(&format!("f{number}")).unwrap_or_default();
        let writers: BTreeSet<&str> = calls
            .iter()
            .filter_map(|(thread, word)| matches!(word, 'r' | 'w').then_some(*thread))
            .collect();
        // Who flushes without writing prepares the file, or cleans up.
        let words = calls.iter().filter(|(thread, _)| writers.contains(thread));
        in_short(words.map(|(_, word)| *word))
    };
    Some((0..jobs).map(of_job).collect())
}

fn in_short(words: impl Iterator<Item = char>) -> String {
    let mut runs: Vec<(char, u32)> = Vec::new();
    for word in words {
        match runs.last_mut().filter(|(last, _)| *last == word) {
            Some((_, count)) => *count += 1,
            None => runs.push((word, 1)),
        }
    }
    let shown = runs.iter().map(|(word, count)| match count {
        1 => word.to_string(),
        count => format!("{word}{count}"),
    });
    shown.collect::<Vec<_>>().join(" ")
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("folder");
    fs::write(folder.path().join("job.fio"), job_file()).expect("job file");
    folder
}

#[test]
fn flushes_come_as_often_as_under_fio() {
    let expected: Vec<&str> = JOBS.iter().map(|(_, calls)| *calls).collect();
    let own = folder();
    let Some(calls) = calls_of(
        &[env!("CARGO_BIN_EXE_plumb"), "fio"],
        own.path(),
        JOBS.len(),
    ) else {
        return;
    };
    assert_eq!(calls, expected);
    if Command::new("fio").arg("--version").output().is_err() {
        println!("skipped: fio is not installed: the flushes are not compared with its own");
        return;
    }
    let calls = calls_of(&["fio"], folder().path(), JOBS.len());
    assert_eq!(calls.expect("strace is installed"), expected);
}

/// Options of a job, and the flushes that the result counts: those between the operations, and none of those at the end.
const COUNTED: &[(&str, u64)] = &[
    ("fsync=4", 15),
    ("fsync=4 end_fsync=1", 15),
    ("fsync=4 fsync_on_close=1", 15),
    ("fsync=5 end_fsync=1", 12),
    ("end_fsync=1", 0),
    ("fsync=4 end_fsync=1 loops=3", 49),
    ("fsync=4 end_fsync=1 iodepth=4 ioengine=libaio direct=1", 15),
];

#[test]
fn flushes_at_the_end_count_in_neither_result() {
    let programs: [&[&str]; 2] = [&[env!("CARGO_BIN_EXE_plumb"), "fio"], &["fio"]];
    for program in programs {
        if Command::new(program[0]).arg("--version").output().is_err() {
            println!("skipped: {program:?} is not installed");
            continue;
        }
        for (options, expected) in COUNTED {
            let folder = tempfile::tempdir_in(".").expect("folder");
            let job = ["name=j", "rw=write", "bs=4k", "size=256k", "filename=f"];
            let words = job.iter().copied().chain(options.split(' '));
            let ran = Command::new(program[0])
                .current_dir(folder.path())
                .args(&program[1..])
                .args(words.map(|word| format!("--{word}")))
                .args(["--output-format=json", "--output=result"])
                .output()
                .expect("runs");
            let said = String::from_utf8_lossy(&ran.stderr);
            assert!(ran.status.success(), "{program:?} {options}: {said}");
            let result = fs::read(folder.path().join("result")).expect("a result");
            let result: serde_json::Value = serde_json::from_slice(&result).expect("JSON");
            let sync = &result["jobs"][0]["sync"];
            let counts = (&sync["total_ios"], &sync["lat_ns"]["N"]);
            assert_eq!(
                (counts.0.as_u64(), counts.1.as_u64()),
                (Some(*expected), Some(*expected)),
                "{program:?} {options}"
            );
        }
    }
}

/// Where reads and writes are mixed, a read is followed by a flush as long as the number of writes so far is due for one. What comes when is drawn, so the
/// flushes are compared with the reads and writes before them.
#[test]
fn a_mix_flushes_after_reads_too() {
    let job = "[global]\nioengine=psync\nrw=randrw\nbs=4k\nsize=512k\nunlink=0\n[job0]\nfilename=f0\nfsync=1\n[job1]\nstonewall\nfilename=f1\nfsync=3\n";
    let expected = |seen: &str, every: u32| {
        let (mut words, mut writes) = (String::new(), 0);
        let moved: Vec<char> = seen.chars().filter(|word| *word != 'f').collect();
        for (at, word) in moved.iter().enumerate() {
            words.push(*word);
            writes += u32::from(*word == 'w');
            if writes > 0 && writes.is_multiple_of(every) && at + 1 < moved.len() {
                words.push('f');
            }
        }
        words
    };
    let programs: [&[&str]; 2] = [&[env!("CARGO_BIN_EXE_plumb"), "fio"], &["fio"]];
    for program in programs {
        let folder = tempfile::tempdir().expect("folder");
        fs::write(folder.path().join("job.fio"), job).expect("job file");
        if Command::new(program[0]).arg("--version").output().is_err() {
            println!("skipped: {program:?} is not installed");
            continue;
        }
        let Some(calls) = calls_of(program, folder.path(), 2) else {
            return;
        };
        for (shown, every) in calls.iter().zip([1, 3]) {
            let spread = |run: &str| {
                let count = run.get(1..).and_then(|count| count.parse().ok());
                run[..1].repeat(count.unwrap_or(1))
            };
            let seen: String = shown.split(' ').map(spread).collect();
            let moved = seen.chars().filter(|word| *word != 'f').count();
            assert_eq!(moved, 128, "{program:?}: {seen}");
            assert_eq!(seen, expected(&seen, every), "{program:?}, fsync={every}");
        }
    }
}
