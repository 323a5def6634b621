//! Do plumb and fio verify what the other wrote, block by block, and do both find each damage?

use std::fs;
use std::path::Path;
use std::process::Output;

use crate::fio_pair::{by_fio, by_plumb, jobs, json_by_fio, json_by_plumb};

/// All checks that fio 3.33 has, with what they need.
const CHECKS: [&str; 17] = [
    "meta",
    "md5",
    "crc64",
    "crc32",
    "crc32c",
    "crc32c-intel",
    "crc16",
    "crc7",
    "xxhash",
    "sha1",
    "sha256",
    "sha512",
    "sha3-224",
    "sha3-256",
    "sha3-384",
    "sha3-512",
    "pattern --verify_pattern=\"abcde\"-12%o0xfe",
];

/// How blocks are divided.
const SHAPES: [&str; 5] = [
    "--bs=4k",
    "--bs=4k --verify_interval=1k",
    "--bs=4k --verify_interval=1000",
    "--bs=8k --verify_interval=2k --verify_offset=512",
    "--bsrange=2k-8k",
];

fn write(check: &str, shape: &str) -> String {
    format!(
        "--name=w --filename=f --rw=write --size=128k --ioengine=psync --verify={check} {shape} --do_verify=0 --verify_state_save=0"
    )
}

fn read(check: &str, shape: &str) -> String {
    format!(
        "--name=r --filename=f --rw=read --size=128k --ioengine=psync --verify={check} {shape} --verify_state_save=0"
    )
}

type By = fn(&Path, &str) -> Option<Output>;

const PLUMB: By = |folder, line| Some(by_plumb(folder, line));

fn said(output: &Output) -> String {
    let both = [output.stdout.as_slice(), output.stderr.as_slice()].concat();
    String::from_utf8_lossy(&both).into_owned()
}

fn must(by: By, folder: &Path, line: &str) {
    if let Some(output) = by(folder, line) {
        assert!(output.status.success(), "{line}: {}", said(&output));
    }
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder")
}

/// Blocks of several sizes have a header every 2 KiB, the smallest, so that they can be read in blocks of that.
#[test]
fn each_program_verifies_what_the_other_wrote() {
    for check in CHECKS {
        for shape in SHAPES {
            // The pattern of a long block goes on over its 2 KiB.
            if shape.contains("bsrange") && check.starts_with("pattern") {
                continue;
            }
            let is_tried = ["md5", "sha512", "pattern"];
            if shape != SHAPES[0] && !is_tried.iter().any(|tried| check.starts_with(tried)) {
                continue;
            }
            for (writer, reader) in [(PLUMB, by_fio as By), (by_fio, PLUMB), (PLUMB, PLUMB)] {
                let folder = folder();
                must(writer, folder.path(), &write(check, shape));
                let shape = if shape.contains("bsrange") {
                    "--bs=2k"
                } else {
                    shape
                };
                if folder.path().join("f").exists() {
                    must(reader, folder.path(), &read(check, shape));
                }
            }
        }
    }
}

/// Byte `at` of block `block` of 4 KiB with one bit changed.
fn damage(file: &Path, block: usize, at: usize) {
    let mut bytes = fs::read(file).expect("the file");
    bytes[block * 4096 + at] ^= 0x10;
    fs::write(file, bytes).expect("the file");
}

/// What was written by either program and damaged in the header, in the checksum or in the data, or lies at another place, fails in both.
#[test]
fn each_damage_is_found_by_both() {
    for (number, check) in CHECKS.iter().enumerate() {
        let has_checksum = !check.starts_with("meta") && !check.starts_with("pattern");
        let has_header = !check.starts_with("pattern");
        // fio up to 3.39 compares the beginning and the end of the data for sha512 and computes no digest.
        let data = if *check == "sha512" { 260 } else { 2000 };
        let of_data = has_checksum || !has_header;
        let is_all = check.starts_with("md5") || !has_header;
        let places = [
            (has_header && is_all, 0),
            (has_header && is_all, 5),
            (has_header, 20),
            (has_header && is_all, 38),
            (has_checksum, 40),
            (of_data, data),
            (of_data && is_all, 4095),
        ];
        let writers = [PLUMB, by_fio];
        let writers = if is_all {
            &writers[..]
        } else {
            &writers[number % 2..=number % 2]
        };
        for writer in writers {
            let folder = folder();
            let file = folder.path().join("f");
            must(*writer, folder.path(), &write(check, "--bs=4k"));
            let Ok(whole) = fs::read(&file) else {
                continue;
            };
            let fails = |what: &str| {
                for reader in [PLUMB, by_fio] {
                    if let Some(output) = reader(folder.path(), &read(check, "--bs=4k")) {
                        let said = said(&output);
                        assert!(!output.status.success(), "{check}, {what}: {said}");
                        assert!(said.contains("verif"), "{check}, {what}: {said}");
                    }
                }
                fs::write(&file, &whole).expect("the file");
            };
            for (_, at) in places.iter().filter(|(is_found, _)| *is_found) {
                damage(&file, 7, *at);
                fails(&format!("byte {at}"));
            }
            if is_all {
                let mut moved = whole.clone();
                moved.copy_within(4096..8192, 12288);
                fs::write(&file, moved).expect("the file");
                fails("another block");
            }
            if is_all || *check == "meta" {
                let mut lost = whole.clone();
                lost[8192..12288].fill(0);
                fs::write(&file, lost).expect("the file");
                fails("zeros");
            }
        }
    }
}

/// The result has fio's error, and standard error its words, with the place of the damage.
#[test]
fn a_damaged_block_is_reported_as_fio_reports_it() {
    let folder = folder();
    must(PLUMB, folder.path(), &write("crc32c", "--bs=4k"));
    damage(&folder.path().join("f"), 3, 3000);
    let output = json_by_plumb(folder.path(), &read("crc32c", "--bs=4k"));
    assert_eq!(jobs(&output)[0]["error"], 84);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(
        error.contains("crc32c: verify failed at file f offset 12288, length 4096"),
        "{error}"
    );
    assert!(error.contains("Expected CRC: "), "{error}");
    if let Some(output) = by_fio(folder.path(), &read("crc32c", "--bs=4k")) {
        let of_fio = said(&output);
        assert!(of_fio.contains("crc32c: verify failed at file f offset 12288, length 4096"));
        let sums = |text: &str| -> Vec<String> {
            let lines = text.lines().filter(|line| line.contains(" CRC: "));
            lines.map(|line| line.trim().to_string()).collect()
        };
        assert_eq!(sums(&error), sums(&of_fio));
    }
}

/// Of three damaged blocks the first ends the job with verify_fatal, in both programs; else plumb checks all.
#[test]
fn the_first_damaged_block_ends_the_job_if_it_is_fatal() {
    let folder = folder();
    let line = "--name=w --filename=f --rw=write --size=128k --bs=4k --verify=md5 --verify_state_save=0 --ioengine=psync";
    must(PLUMB, folder.path(), line);
    for block in [3, 9, 20] {
        damage(&folder.path().join("f"), block, 2000);
    }
    let reads = |output: &Output| {
        let job = &jobs(output)[0];
        let reads = job["read"]["total_ios"].as_u64();
        (job["error"].as_i64(), reads)
    };
    let failures = |output: &Output| {
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        error.matches("md5: verify failed").count()
    };
    let fatal = read("md5", "--bs=4k") + " --verify_fatal=1";
    let output = json_by_plumb(folder.path(), &fatal);
    assert_eq!(reads(&output).0, Some(84), "{}", said(&output));
    assert!(reads(&output).1 <= Some(4), "{}", said(&output));
    assert_eq!(failures(&output), 1, "{}", said(&output));
    if let Some(of_fio) = json_by_fio(folder.path(), &fatal) {
        assert_eq!(failures(&of_fio), 1);
    }
    let output = json_by_plumb(folder.path(), &read("md5", "--bs=4k"));
    assert_eq!((reads(&output).0, failures(&output)), (Some(84), 3));
}

/// A job that writes and reads parts at random: what was written is verified, and the rest of the file has no header.
#[test]
fn of_a_mix_what_has_a_header_is_verified() {
    let line = |more: &str| {
        format!(
            "--name=m --filename=f --rw=randrw --bs=4k --size=256k --verify=md5 --verify_state_save=0 {more}"
        )
    };
    let folder = folder();
    let file = folder.path().join("f");
    must(PLUMB, folder.path(), &line(""));
    must(PLUMB, folder.path(), &line("--verify_only"));
    let bytes = fs::read(&file).expect("the file");
    let is_marked = |block: &[u8]| block.starts_with(&[0xca, 0xac]);
    let marked = bytes.chunks(4096).position(is_marked);
    let marked = marked.expect("some blocks were written");
    damage(&file, marked, 2000);
    let output = by_plumb(folder.path(), &line("--verify_only"));
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    let output = by_plumb(
        folder.path(),
        &line("--verify_only --verify=pattern --verify_pattern=0x12"),
    );
    assert!(
        said(&output).contains("do not tell which"),
        "{}",
        said(&output)
    );
}

/// A job that damages the data between two that verify: the later one fails, the earlier does not.
#[test]
fn what_another_job_overwrites_is_found() {
    let verified = "--bs=4k --verify=md5";
    let line = format!(
        "--filename=f --size=256k --ioengine=psync --verify_state_save=0 --name=layout --rw=write {verified} --name=before --stonewall --rw=read {verified} --name=mangle --stonewall --rw=randwrite --bs=4 --number_ios=1 --name=after --stonewall --rw=read {verified}"
    );
    let folder = folder();
    let output = json_by_plumb(folder.path(), &line);
    let errors: Vec<i64> = jobs(&output)
        .iter()
        .map(|job| job["error"].as_i64().expect("a number"))
        .collect();
    assert_eq!(errors, [0, 0, 0, 84], "{}", said(&output));
}

/// Without randrepeat=0 a later job draws the blocks that an earlier one drew, so that it finds all of them written.
#[test]
fn random_blocks_with_repetitions_are_drawn_again() {
    let line = |rw: &str, more: &str| {
        format!(
            "--name=d --filename=f --rw={rw} --bs=4k --size=256k --norandommap --verify=crc32c --verify_state_save=0 {more}"
        )
    };
    let folder = folder();
    must(PLUMB, folder.path(), &line("randwrite", ""));
    must(PLUMB, folder.path(), &line("randread", ""));
    let output = by_plumb(folder.path(), &line("randread", "--randrepeat=0"));
    assert!(!output.status.success(), "{}", said(&output));
}

/// fio 3.41 and later write and read a header with a version; `--plumb-as=3.42` writes it, and either header is read.
#[test]
fn the_header_is_that_of_the_version_asked_for() {
    let folder = folder();
    for (version, number) in [("3.33", 2), ("3.42", 0x81)] {
        let asked = format!("--plumb-as={version} {}", write("md5", SHAPES[0]));
        must(PLUMB, folder.path(), &format!("{asked} --overwrite=1"));
        let written = fs::read(folder.path().join("f")).expect("the file");
        assert_eq!(written[..3], [0xca, 0xac, number], "{version}");
        for reader in ["3.33", "3.42"] {
            let line = format!("--plumb-as={reader} {}", read("md5", SHAPES[0]));
            must(PLUMB, folder.path(), &line);
        }
    }
    let shown = by_plumb(folder.path(), "--plumb-as=3.42 --version");
    assert_eq!(shown.stdout, b"fio-3.42\n");
}
