//! Do options for layout, filling, trimming and logging work as in fio?

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::{fixtures, plumb_in};

/// Operations and bytes of a kind.
type Work = BTreeMap<&'static str, (u64, u64)>;

fn work(output: &[u8]) -> Work {
    let text = String::from_utf8_lossy(output);
    let start = text.find('{').unwrap_or_else(|| panic!("no JSON: {text}"));
    let document: Value = serde_json::from_str(&text[start..]).expect("JSON");
    let of = |kind: &'static str| {
        let number = |key: &str| {
            let jobs = document["jobs"].as_array().expect("jobs").iter();
            jobs.map(|job| job[kind][key].as_u64().unwrap_or(0)).sum()
        };
        (kind, (number("total_ios"), number("io_bytes")))
    };
    ["read", "write", "trim"].map(of).into_iter().collect()
}

/// What plumb did.
fn by_plumb(folder: &Path, line: &str) -> Work {
    let record = tempfile::tempdir().expect("folder");
    let line = format!(
        "fio {line} --output-format=json --plumb-output={}",
        record.path().join("out").display()
    );
    let output = plumb_in(folder, &line).output().expect("started");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{line}: {said}");
    work(&output.stdout)
}

/// What fio did; `None` where it is not installed.
fn by_fio(folder: &Path, line: &str) -> Option<Work> {
    let output = Command::new("fio")
        .current_dir(folder)
        .args(line.split_whitespace())
        .arg("--output-format=json")
        .output();
    let Ok(output) = output else {
        println!("skipped: fio is not installed: '{line}' is not compared with it");
        return None;
    };
    Some(work(&output.stdout))
}

/// The same work by both, each in a folder of its own. Returns the folders and what was done.
fn by_both(line: &str) -> ([tempfile::TempDir; 2], Work) {
    let folders = [(); 2].map(|()| tempfile::tempdir().expect("folder"));
    let done = by_plumb(folders[0].path(), line);
    if let Some(of_fio) = by_fio(folders[1].path(), line) {
        assert_eq!(done, of_fio, "{line}");
    }
    (folders, done)
}

fn length(folder: &Path, name: &str) -> u64 {
    fs::metadata(folder.join(name)).map_or(0, |found| found.len())
}

#[test]
fn create_only_lays_out_files_and_does_nothing_else() {
    for (line, name) in [
        ("--name=a --size=1m --create_only=1 --filename=x", "x"),
        (
            "--name=a --size=1m --create_only=1 --rw=randwrite --verify=md5",
            "a.0.0",
        ),
    ] {
        let (folders, done) = by_both(line);
        assert!(done.values().all(|moved| *moved == (0, 0)), "{done:?}");
        for folder in folders {
            assert_eq!(length(folder.path(), name), 1 << 20, "{line}");
        }
    }
}

#[test]
fn the_log_of_what_was_written_is_one_that_is_read() {
    let line = "--name=a --size=1m --bs=64k --rw=randwrite --fdatasync=4 --filename=x";
    let folder = tempfile::tempdir().expect("folder");
    let written = by_plumb(folder.path(), &format!("{line} --write_iolog=log"));
    let log = fs::read_to_string(folder.path().join("log")).expect("a log");
    assert!(log.starts_with("fio version 3 iolog\n"), "{log}");
    let count = |word: &str| log.lines().filter(|line| line.contains(word)).count();
    assert_eq!((count(" write "), count(" datasync ")), (16, 3), "{log}");
    let replay = "--name=b --read_iolog=log --replay_no_stall=1 --replay_redirect=y --size=1m";
    fs::write(folder.path().join("y"), vec![1; 1 << 20]).expect("written");
    assert_eq!(
        by_plumb(folder.path(), &format!("--plumb-overwrite {replay}")),
        written
    );
    if let Some(of_fio) = by_fio(folder.path(), replay) {
        assert_eq!(of_fio, written);
    }
}

#[test]
fn a_full_target_is_an_end() {
    if !fixtures::may_mount("a full target is an end") {
        return;
    }
    for line in [
        "--name=a --rw=write --bs=64k --fill_device=1",
        "--name=a --rw=write --bs=64k --fill_fs=1 --size=30m --filename=x --ioengine=libaio --iodepth=4",
    ] {
        let disk = fixtures::Mounted::tmpfs("size=8m");
        let done = by_plumb(disk.path(), line)["write"];
        assert!((7 << 20..=8 << 20).contains(&done.1), "{line}: {done:?}");
    }
    let disk = fixtures::Mounted::tmpfs("size=8m");
    let job = "[global]\nbs=64k\nverify=meta\nfilename=x\n[a]\nrw=write\nfill_device=1\ndo_verify=0\n[b]\nstonewall\nrw=read\n";
    fs::write(disk.path().join("scan.fio"), job).expect("a job file");
    let done = by_plumb(disk.path(), "scan.fio");
    assert!(done["write"].1 > 6 << 20, "{done:?}");
    assert_eq!(done["read"].1, done["write"].1);
}

#[test]
fn allocation_and_length_are_what_is_measured() {
    for line in [
        "--name=a --ioengine=falloc --rw=write --size=1m --bs=64k --filename=x",
        "--name=a --ioengine=ftruncate --rw=write --size=1m --bs=64k --filename=x",
    ] {
        let (folders, done) = by_both(line);
        assert_eq!(done["write"], (16, 1 << 20), "{line}");
        let [ours, theirs] = folders.map(|folder| length(folder.path(), "x"));
        assert_eq!(ours, theirs, "{line}");
    }
}
