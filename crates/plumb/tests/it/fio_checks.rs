//! When are blocks of fio's form checked, by whom, and what is left of one that differs? `verify_backlog`, `verify_async` and `verify_dump`, in both programs.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Output;

use crate::fio_pair::{by_fio, by_plumb, jobs, json_by_fio, json_by_plumb};

const BLOCK: usize = 4096;

fn said(output: &Output) -> String {
    let both = [output.stdout.as_slice(), output.stderr.as_slice()].concat();
    String::from_utf8_lossy(&both).into_owned()
}

/// Error, reads and writes of the only job.
fn counts(output: &Output) -> [u64; 3] {
    let job = &jobs(output)[0];
    let count = |direction: &str| job[direction]["total_ios"].as_u64();
    let error = job["error"].as_u64();
    [error, count("read"), count("write")].map(|count| count.expect("a number"))
}

/// As many reads as in fio, whether blocks are read back during the load or after it, in batches that divide the backlog or do not.
#[test]
fn blocks_are_read_back_as_often_as_by_fio() {
    for options in [
        "--rw=write --verify_backlog=4",
        "--rw=write --verify_backlog=1",
        "--rw=write --verify_backlog=5 --verify_backlog_batch=2",
        "--rw=write --verify_backlog=100",
        "--rw=randwrite --verify_backlog=8 --verify_backlog_batch=3",
        "--rw=write --verify_backlog=4 --ioengine=libaio --iodepth=4",
        "--rw=randwrite --verify_backlog=3 --verify_async=2",
        "--rw=write --experimental_verify=1",
        "--rw=write --verify_async=3 --verify_async_cpus=0",
    ] {
        let line = format!(
            "--name=b --filename=f --bs=4k --size=128k --verify=md5 --verify_state_save=0 {options}"
        );
        let folder = tempfile::tempdir().expect("a folder");
        let output = json_by_plumb(folder.path(), &line);
        assert_eq!(counts(&output), [0, 32, 32], "{line}: {}", said(&output));
        let folder = tempfile::tempdir().expect("a folder");
        if let Some(output) = json_by_fio(folder.path(), &line) {
            assert_eq!(counts(&output), [0, 32, 32], "{line}: {}", said(&output));
        }
    }
}

/// The operations of a log of fio's form: what, and which block.
fn operations(log: &Path) -> Vec<String> {
    let text = fs::read_to_string(log).expect("the log");
    let lines = text.lines().filter_map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let at = words
            .iter()
            .position(|word| ["read", "write"].contains(word))?;
        let offset: usize = words.get(at + 1)?.parse().ok()?;
        Some(format!("{}{}", &words[at][..1], offset / BLOCK))
    });
    lines.collect()
}

/// Reads stand between the writes in the same order in both programs.
#[test]
fn reads_of_a_backlog_stand_between_the_writes() {
    for (options, expected) in [
        (
            "--verify_backlog=4 --verify_backlog_batch=3",
            "w0 w1 w2 w3 r0 r1 r2 w4 w5 w6 r3 r4 r5 w7 w8 w9 r6 r7 r8",
        ),
        (
            "--verify_backlog=2 --verify_backlog_batch=3",
            "w0 w1 r0 r1 w2 r2 w3 w4 r3 r4 w5 r5 w6 w7 r6 r7 w8 r8 w9",
        ),
        (
            "--verify_backlog=4",
            "w0 w1 w2 w3 r0 r1 r2 r3 w4 w5 w6 w7 r4 r5 r6 r7 w8 w9",
        ),
    ] {
        let line = format!(
            "--name=b --filename=f --bs=4k --size=40k --rw=write --verify=md5 --verify_state_save=0 --ioengine=psync --write_iolog=log {options}"
        );
        let folder = tempfile::tempdir().expect("a folder");
        let output = by_plumb(folder.path(), &line);
        assert!(output.status.success(), "{}", said(&output));
        let found = operations(&folder.path().join("log")).join(" ");
        assert_eq!(found, expected, "{options}");
        let folder = tempfile::tempdir().expect("a folder");
        if by_fio(folder.path(), &line).is_some() {
            // What is left is read at the end, in fio's log too.
            let of_fio = operations(&folder.path().join("log")).join(" ");
            assert!(of_fio.starts_with(expected), "{options}: {of_fio}");
        }
    }
}

fn write(verify: &str) -> String {
    format!(
        "--name=w --filename=f --rw=write --size=128k --bs=4k --ioengine=psync --verify={verify} --do_verify=0 --verify_state_save=0"
    )
}

fn read(verify: &str, options: &str) -> String {
    format!(
        "--name=r --filename=f --rw=read --size=128k --bs=4k --ioengine=psync --verify={verify} --verify_state_save=0 {options}"
    )
}

fn damage(file: &Path, block: usize, at: usize) {
    let mut bytes = fs::read(file).expect("the file");
    bytes[block * BLOCK + at] ^= 0x10;
    fs::write(file, bytes).expect("the file");
}

type By = fn(&Path, &str) -> Option<Output>;

const PLUMB: By = |folder, line| Some(by_plumb(folder, line));

/// Threads find every damaged block, and with verify_fatal the first one ends the job.
#[test]
fn threads_find_every_damaged_block() {
    let folder = tempfile::tempdir().expect("a folder");
    let output = by_plumb(folder.path(), &write("md5"));
    assert!(output.status.success(), "{}", said(&output));
    for block in [3, 9, 31] {
        damage(&folder.path().join("f"), block, 2000);
    }
    let line = read("md5", "--verify_async=2");
    let output = json_by_plumb(folder.path(), &line);
    let of = said(&output);
    assert_eq!(counts(&output)[0], 84, "{of}");
    for offset in [3, 9, 31].map(|block| block * BLOCK) {
        let message = format!("md5: verify failed at file f offset {offset}, length 4096");
        assert_eq!(of.matches(&message).count(), 1, "{offset}: {of}");
    }
    let fatal = format!("{line} --verify_fatal=1");
    for by in [PLUMB, by_fio as By] {
        if let Some(output) = by(folder.path(), &fatal) {
            assert_eq!(output.status.code(), Some(1), "{}", said(&output));
            assert!(said(&output).contains("md5: verify failed at file f"));
        }
    }
}

/// Both programs write the same files of a damaged block, whoever wrote it: as it was read, and as it should be, which is as it was before the damage.
#[test]
fn a_damaged_block_is_left_in_files() {
    let names = |folder: &Path| -> BTreeSet<String> {
        let entries = fs::read_dir(folder).expect("the folder");
        let names = entries.map(|entry| entry.expect("an entry").file_name());
        let names = names.map(|name| name.to_string_lossy().into_owned());
        names.filter(|name| name.starts_with("f.")).collect()
    };
    for (verify, at, kinds) in [
        ("crc32c", 2000, &["expected", "received"][..]),
        ("sha256", 2000, &["expected", "received"]),
        (
            "pattern --verify_pattern=0xabcd%o",
            2000,
            &["expected", "received"],
        ),
        ("md5", 0, &["hdr_fail"]),
        ("md5", 20, &["hdr_fail"]),
    ] {
        for (written_by, writer) in [("plumb", PLUMB), ("fio", by_fio as By)] {
            let folder = tempfile::tempdir().expect("a folder");
            let file = folder.path().join("f");
            if writer(folder.path(), &write(verify)).is_none() {
                continue;
            }
            let whole = fs::read(&file).expect("the file");
            damage(&file, 5, at);
            let damaged = fs::read(&file).expect("the file");
            for (read_by, reader) in [("plumb", PLUMB), ("fio", by_fio as By)] {
                let Some(output) = reader(folder.path(), &read(verify, "--verify_dump=1")) else {
                    continue;
                };
                assert_eq!(output.status.code(), Some(1), "{}", said(&output));
                let expected: BTreeSet<String> =
                    kinds.iter().map(|kind| format!("f.20480.{kind}")).collect();
                assert_eq!(
                    names(folder.path()),
                    expected,
                    "{verify} {at}: {}",
                    said(&output)
                );
                for kind in kinds {
                    let name = format!("f.20480.{kind}");
                    let found = fs::read(folder.path().join(&name)).expect("a file");
                    let blocks = if *kind == "expected" {
                        &whole
                    } else {
                        &damaged
                    };
                    // What fio generates anew has another time in its header.
                    let from = if *kind == "expected" && at > 0 {
                        100
                    } else {
                        0
                    };
                    // fio makes what it expects from the seed in the header, and only of data that it made itself.
                    let is_made_by_another = (written_by, read_by) == ("plumb", "fio")
                        && *kind == "expected"
                        && !verify.starts_with("pattern");
                    assert!(
                        is_made_by_another || found[from..] == blocks[20480 + from..24576],
                        "{verify} {at} {name}, {written_by}, {read_by}: {}",
                        said(&output)
                    );
                    if *kind != "hdr_fail" {
                        let line = format!("{kind} data dumped as {name}");
                        assert!(said(&output).contains(&line), "{line}: {}", said(&output));
                    }
                    fs::remove_file(folder.path().join(&name)).expect("removed");
                }
            }
        }
    }
    let folder = tempfile::tempdir().expect("a folder");
    by_plumb(folder.path(), &write("md5"));
    damage(&folder.path().join("f"), 1, 99);
    fs::create_dir(folder.path().join("aux")).expect("a folder");
    let line = format!("--aux-path=aux {}", read("md5", "--verify_dump=1"));
    let output = by_plumb(folder.path(), &line);
    assert!(
        folder.path().join("aux/f.4096.received").exists(),
        "{}",
        said(&output)
    );
    by_plumb(folder.path(), &read("md5", ""));
    assert!(names(folder.path()).is_empty(), "without verify_dump");
}
