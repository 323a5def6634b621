//! Do reads and writes of `ioengine=pvsync2` use the same flags as fio, and what happens on a file system without support for them?

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;

use serde_json::Value;

/// Options of a job, its calls, and its error number as fio has them.
const JOBS: &[(&str, &str, u64, i64)] = &[
    ("rw=read hipri direct=1", "preadv2 RWF_HIPRI", 64, 0),
    ("rw=write nowait=1 direct=1", "pwritev2 RWF_NOWAIT", 64, 0),
    (
        "rw=read hipri nowait=1 direct=1",
        "preadv2 RWF_HIPRI|RWF_NOWAIT",
        64,
        0,
    ),
    // What is not in memory has to be waited for.
    (
        "rw=read nowait=1 fadvise_hint=0",
        "preadv2 RWF_NOWAIT EAGAIN",
        1,
        11,
    ),
];

/// The calls of a program with this job by what they are, and the error number of the result.
fn calls_of(program: &[&str], options: &str) -> Option<(BTreeMap<String, u64>, Option<i64>)> {
    // On the file system of the tree: one in memory has no direct I/O.
    let folder = tempfile::tempdir_in(".").expect("folder");
    let job = ["name=j", "ioengine=pvsync2", "bs=4k", "size=256k"];
    let words = job.iter().copied().chain(options.split(' '));
    let traced = Command::new("strace")
        .current_dir(folder.path())
        .args(["-f", "-s", "0", "-o", "trace", "-e"])
        .arg("trace=preadv2,pwritev2")
        .args(program)
        .args(words.map(|word| format!("--{word}")))
        .args(["--output-format=json", "--output=result"])
        .output();
    if traced.is_err() {
        println!("skipped: strace is not installed: flags of calls are not looked at");
        return None;
    }
    let trace = fs::read_to_string(folder.path().join("trace")).expect("a trace");
    let mut calls = BTreeMap::new();
    // Where nothing is, plumb asks whether the file takes the flags.
    let is_asked = |line: &&str| line.contains(", 1125899906842624, ");
    let lines = trace.lines().filter(|line| line.contains("RWF_"));
    for line in lines.filter(|line| !is_asked(line)) {
        let name = line.split(['(', ' ']).find(|word| word.contains("v2"));
        let flags = line.split([',', ')']).find(|part| part.contains("RWF_"));
        let error = line
            .split_once(" = -1 ")
            .and_then(|(_, error)| error.split(' ').next());
        let parts = [name, flags.map(str::trim), error];
        let words: Vec<&str> = parts.into_iter().flatten().collect();
        *calls.entry(words.join(" ")).or_default() += 1;
    }
    let result = fs::read_to_string(folder.path().join("result")).unwrap_or_default();
    let start = result.find('{').unwrap_or(result.len());
    let result: Option<Value> = serde_json::from_str(&result[start..]).ok();
    let error = result.and_then(|result| result["jobs"][0]["error"].as_i64());
    Some((calls, error))
}

#[test]
fn calls_have_the_flags_that_they_have_under_fio() {
    let programs: [&[&str]; 2] = [&[env!("CARGO_BIN_EXE_plumb"), "fio"], &["fio"]];
    for program in programs {
        if Command::new(program[0]).arg("--version").output().is_err() {
            println!("skipped: {program:?} is not installed");
            continue;
        }
        for (options, call, count, error) in JOBS {
            let Some((calls, found)) = calls_of(program, options) else {
                return;
            };
            assert_eq!(found, Some(*error), "{program:?} {options}: {calls:?}");
            if *error != 0 {
                // fio ends with the first one; plumb goes on, as with continue_on_error.
                assert!(
                    calls.get(*call) >= Some(count),
                    "{program:?} {options}: {calls:?}"
                );
                continue;
            }
            let expected = BTreeMap::from([(call.to_string(), *count)]);
            assert_eq!(calls, expected, "{program:?} {options}");
        }
    }
}

/// Options of a job of 64 blocks, and what the kernel is told at the start.
const CACHED_JOBS: &[(&str, &str)] = &[
    ("rw=read ioengine=psync", "POSIX_FADV_SEQUENTIAL"),
    ("rw=randread ioengine=psync", "POSIX_FADV_RANDOM"),
    (
        "rw=randread ioengine=psync fadvise_hint=sequential",
        "POSIX_FADV_SEQUENTIAL",
    ),
    ("rw=read ioengine=psync fadvise_hint=0", ""),
    ("rw=randread ioengine=libaio", "POSIX_FADV_RANDOM"),
    ("rw=randread ioengine=mmap", "MADV_RANDOM POSIX_FADV_RANDOM"),
    // Each process goes over all of the file.
    (
        "rw=randread ioengine=psync filename=f numjobs=2 group_reporting",
        "POSIX_FADV_RANDOM POSIX_FADV_RANDOM",
    ),
];

/// A job that ends by its time drops the pages of its file at the start and before each further pass, and announces its order, as fio does: or its reads come
/// from memory where those of fio come from the device.
#[test]
fn the_page_cache_is_dropped_and_told_as_under_fio() {
    let programs: [&[&str]; 2] = [&[env!("CARGO_BIN_EXE_plumb"), "fio"], &["fio"]];
    for program in programs {
        if Command::new(program[0]).arg("--version").output().is_err() {
            println!("skipped: {program:?} is not installed");
            continue;
        }
        for (options, announced) in CACHED_JOBS {
            let folder = tempfile::tempdir_in(".").expect("folder");
            let job = ["name=j", "bs=4k", "size=256k", "time_based", "runtime=1"];
            let words = job.iter().copied().chain(options.split(' '));
            let traced = Command::new("strace")
                .current_dir(folder.path())
                .args(["-f", "-o", "trace", "-e", "trace=fadvise64,madvise"])
                .args(program)
                .args(words.map(|word| format!("--{word}")))
                .args(["--output-format=json", "--output=result"])
                .output();
            if traced.is_err() {
                println!("skipped: strace is not installed: calls are not looked at");
                return;
            }
            let trace = fs::read_to_string(folder.path().join("trace")).expect("a trace");
            let mut told: Vec<&str> = trace
                .lines()
                .filter_map(|line| line.rsplit_once(", ")?.1.split([')', ' ']).next())
                .filter(|advice| {
                    ["_RANDOM", "_SEQUENTIAL"]
                        .iter()
                        .any(|word| advice.ends_with(word))
                })
                .collect();
            told.sort_unstable();
            assert_eq!(told.join(" "), *announced, "{program:?} {options}: {trace}");
            let result = fs::read_to_string(folder.path().join("result")).expect("a result");
            let start = result.find('{').unwrap_or(result.len());
            let result: Value = serde_json::from_str(&result[start..]).expect("JSON");
            let reads = result["jobs"][0]["read"]["total_ios"].as_u64();
            let passes = reads.expect("a number of reads").div_ceil(64);
            let drops = trace.matches("POSIX_FADV_DONTNEED").count() as u64;
            assert!(passes > 1, "{program:?} {options}: one pass");
            let processes = 1 + u64::from(options.contains("numjobs=2"));
            assert!(
                drops.abs_diff(passes) <= processes,
                "{program:?} {options}: {drops} drops in {passes} passes"
            );
        }
    }
}

/// A file system that lacks a flag is told by name, and nothing is measured.
#[test]
fn a_file_system_without_such_calls_is_named() {
    let folder = tempfile::tempdir_in("/dev/shm").expect("folder");
    let output = Command::new(env!("CARGO_BIN_EXE_plumb"))
        .current_dir(folder.path())
        .args(["fio", "--name=j", "--ioengine=pvsync2", "--nowait=1"])
        .args(["--rw=read", "--bs=4k", "--size=64k", "--output=result"])
        .output()
        .expect("started");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(
        said.contains("does not support calls with RWF_NOWAIT"),
        "{said}"
    );
}
