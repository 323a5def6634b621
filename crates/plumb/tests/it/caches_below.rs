//! Is a cache below the file that served requests instead of the storage reported? On real loop devices and file systems.

use std::path::Path;

use serde_json::Value;

use crate::{fixtures, measured, plumb_in};

/// Sequential reads with O_DIRECT of a target of 48 MiB, four times over.
fn read(target: &Path, overwrite: bool, rest: &str) -> Value {
    let folder = tempfile::tempdir().expect("folder");
    let line = format!(
        "run --target {} {} --engine io_uring --pattern sequential-read --block 256k --size 48m --operations 768 --direct --json --quiet --no-report --output out {rest}",
        target.display(),
        if overwrite { "--overwrite" } else { "" }
    );
    measured(plumb_in(folder.path(), &line))
}

/// The claim of the rule, and whether the verdict has it too.
fn told(summary: &Value) -> Option<String> {
    let findings = summary["findings"].as_array().expect("findings");
    let claim = findings
        .iter()
        .find(|finding| finding["rule"] == "reads_from_cache_below")?["claim"]["text"]
        .as_str()
        .expect("a claim")
        .to_string();
    let verdict = summary["verdict"].as_array().expect("sentences");
    assert!(
        verdict
            .iter()
            .any(|sentence| sentence["text"] == claim.as_str()),
        "{claim}"
    );
    Some(claim)
}

/// The first claim of up to three measurements. The rule goes by what the disk below moved, and what other programs read from it meanwhile counts too: then
/// nothing is told.
fn told_in_three(mut summary: impl FnMut() -> Value) -> Option<String> {
    (0..3).find_map(|_| told(&summary()))
}

/// A loop device that is detached at the end.
struct Attached(String);

impl Attached {
    fn new(image: &Path, direct: bool) -> Attached {
        let direct = if direct {
            "--direct-io=on"
        } else {
            "--direct-io=off"
        };
        Attached(
            fixtures::run(
                "losetup",
                &[direct, "-f", "--show", image.to_str().expect("a name")],
            )
            .expect("a loop device"),
        )
    }

    fn path(&self) -> &Path {
        Path::new(&self.0)
    }
}

impl Drop for Attached {
    fn drop(&mut self) {
        let _ = fixtures::run("losetup", &["-d", &self.0]);
    }
}

/// A loop device over a file in this folder, written whole so that it has no holes.
fn loop_over(folder: &Path, direct: bool) -> Attached {
    let image = folder.join("image");
    std::fs::write(&image, vec![7; 64 << 20])
        .and_then(|()| std::fs::File::open(&image)?.sync_all())
        .expect("an image");
    Attached::new(&image, direct)
}

#[test]
fn a_loop_device_over_a_cached_file_is_told_and_one_with_direct_io_is_not() {
    if !fixtures::may_mount("a loop device over a file in the page cache") {
        return;
    }
    let folder = tempfile::tempdir().expect("folder");
    let device = loop_over(folder.path(), false);
    let buffered = read(device.path(), true, "");
    if !has_disk(&buffered) {
        println!(
            "skipped: the device under {} is not known here",
            folder.path().display()
        );
        return;
    }
    let again = || told_in_three(|| read(device.path(), true, ""));
    let claim = told(&buffered).or_else(again).expect("told");
    drop(device);
    assert!(
        claim.contains("page cache under the loop device"),
        "{claim}"
    );
    let device = loop_over(folder.path(), true);
    let direct = read(device.path(), true, "");
    assert_eq!(told(&direct), None, "{}", direct["environment"]);
}

/// The record knows what the loop device rests on.
fn has_disk(summary: &Value) -> bool {
    summary["environment"].to_string().contains("device.disk")
}

#[test]
fn a_loop_device_over_a_file_in_memory_is_told_in_any_case() {
    if !fixtures::may_mount("a loop device over a file in memory") {
        return;
    }
    let memory = fixtures::Mounted::tmpfs("size=80m");
    let device = loop_over(memory.path(), false);
    let summary = read(device.path(), true, "");
    let claim = told(&summary).expect("told");
    assert!(claim.contains("is in memory"), "{claim}");
}

#[test]
fn direct_reads_that_btrfs_answers_from_its_compressed_pages_are_told() {
    if !fixtures::may_mount("btrfs with compression") {
        return;
    }
    let folder = tempfile::tempdir().expect("folder");
    let image = folder.path().join("image");
    std::fs::File::create(&image)
        .and_then(|file| file.set_len(512 << 20))
        .expect("an image");
    let made = fixtures::run("mkfs.btrfs", &["-q", image.to_str().expect("a name")]);
    if let Err(error) = made {
        println!("skipped: btrfs cannot be made here: {error}");
        return;
    }
    let device = Attached::new(&image, true);
    let point = tempfile::tempdir().expect("folder");
    let place = point.path().to_str().expect("a name");
    if let Err(error) = fixtures::run("mount", &["-o", "compress-force=zstd", &device.0, place]) {
        println!("skipped: this kernel has no btrfs with zstd: {error}");
        return;
    }
    let mounted = fixtures::Mounted { point };
    let claim = told_in_three(|| read(mounted.path(), false, "--set compress-percent=90"));
    assert!(claim.is_some());
}
