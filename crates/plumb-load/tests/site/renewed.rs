//! Do files that steps empty enter each step as it needs them, and is no file of the user ever emptied?

use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::Path;

use plumb_load::site::{Emptied, Needs, Overwrite, Part, Site, SiteError};
use plumb_model::workload::Layout;

use crate::fixtures::{Loop, byte_at, claim, may_mount, preparing, refusal};

const SIZE: u64 = 1 << 20;

fn needs() -> Needs {
    Needs {
        size_bytes: Some(SIZE),
        modifies: true,
        fresh: true,
        ..Needs::default()
    }
}

fn part() -> Part {
    Part {
        layout: Layout::Shared,
        workers: 1,
        size_bytes: None,
        start: 0,
        block_bytes: 4096,
    }
}

fn complete(site: &mut Site) -> Result<u64, SiteError> {
    Ok(preparing(|preparing| site.complete(&part(), preparing))?
        .iter()
        .map(|prepared| prepared.bytes)
        .sum())
}

fn write_all(path: &Path, from: u64, len: u64) {
    let file = std::fs::OpenOptions::new()
        .write(true)
        .open(path)
        .expect("open");
    file.write_all_at(&vec![0x77; len as usize], from)
        .and_then(|()| file.sync_all())
        .expect("written");
}

#[test]
fn nothing_is_filled_before_a_step_needs_it_and_only_what_is_missing() {
    let folder = tempfile::tempdir().expect("a folder");
    for target in [folder.path().to_path_buf(), folder.path().join("new")] {
        let mut site = claim(&target, &needs(), &Overwrite::No).expect("a site");
        let path = site.files()[0].path.clone();
        let len = || std::fs::metadata(&path).expect("the file").len();
        assert!(
            site.prepared().is_empty(),
            "a step that begins with an empty file needs no filling"
        );
        assert_eq!(
            complete(&mut site).expect("filled"),
            SIZE,
            "one that reads does"
        );
        assert_eq!(std::fs::read(&path).expect("read")[5000], byte_at(0, 5000));
        assert_eq!(complete(&mut site).expect("looked at"), 0, "it is whole");

        site.empty(&part(), Emptied::Nothing).expect("emptied");
        assert_eq!(len(), 0);
        write_all(&path, 0, SIZE);
        assert_eq!(
            complete(&mut site).expect("looked at"),
            0,
            "a step has written all of it"
        );

        site.empty(&part(), Emptied::Nothing).expect("emptied");
        write_all(&path, 0, SIZE / 2);
        assert_eq!(
            complete(&mut site).expect("filled"),
            SIZE,
            "a step ended early: the file was short"
        );
        assert_eq!(len(), SIZE);

        site.empty(&part(), Emptied::Nothing).expect("emptied");
        write_all(&path, SIZE - 4096, 4096);
        assert_eq!(
            complete(&mut site).expect("filled"),
            SIZE,
            "a hole is no content"
        );

        site.empty(&part(), Emptied::Hole).expect("emptied");
        let metadata = std::fs::metadata(&path).expect("the file");
        assert_eq!(metadata.len(), SIZE, "for a mapping: its length");
        assert!(
            metadata.blocks() <= 8,
            "without a block, but for that of its mark"
        );

        site.empty(&part(), Emptied::Allocated).expect("emptied");
        let metadata = std::fs::metadata(&path).expect("the file");
        assert_eq!(metadata.len(), SIZE);
        assert!(metadata.blocks() * 512 >= SIZE, "its blocks are its own");
        assert_eq!(
            complete(&mut site).expect("filled"),
            SIZE,
            "nothing was written to them"
        );
    }
}

#[test]
fn files_of_workers_are_emptied_each() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut site = claim(
        folder.path(),
        &Needs {
            shared: false,
            own_files: 3,
            ..needs()
        },
        &Overwrite::No,
    )
    .expect("a site");
    let own = Part {
        layout: Layout::Own,
        workers: 3,
        ..part()
    };
    let lengths = |site: &Site| {
        site.files()
            .iter()
            .map(|file| std::fs::metadata(&file.path).expect("a file").len())
            .collect::<Vec<_>>()
    };
    preparing(|preparing| site.complete(&own, preparing)).expect("filled");
    // 256 blocks for three: the first has one more.
    assert_eq!(lengths(&site), [86 * 4096, 85 * 4096, 85 * 4096]);
    assert_eq!(lengths(&site).iter().sum::<u64>(), SIZE);
    site.empty(&Part { workers: 2, ..own }, Emptied::Nothing)
        .expect("emptied");
    assert_eq!(
        lengths(&site),
        [0, 0, 85 * 4096],
        "the third worker's file is not in use"
    );
}

#[test]
fn what_plumb_did_not_make_is_not_emptied() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("users");
    std::fs::write(&path, vec![1u8; SIZE as usize]).expect("a file");
    for word in [
        Overwrite::No,
        Overwrite::Yes,
        Overwrite::Named(path.clone()),
    ] {
        let refused = refusal(&path, &needs(), &word);
        assert!(
            refused.contains("is not truncated") && refused.contains("omit fresh"),
            "{refused}"
        );
    }
    let refused = refusal(Path::new("/dev/full"), &needs(), &Overwrite::Yes);
    assert!(refused.contains("is a device"), "{refused}");
    assert_eq!(
        std::fs::read(&path).expect("read"),
        vec![1u8; SIZE as usize]
    );

    let mut site = claim(
        &path,
        &Needs {
            fresh: false,
            ..needs()
        },
        &Overwrite::Yes,
    )
    .expect("a site");
    let refused = site
        .empty(&part(), Emptied::Nothing)
        .expect_err("refused")
        .to_string();
    assert!(
        refused.contains("was not claimed for truncation"),
        "{refused}"
    );
    assert_eq!(complete(&mut site).expect("nothing to do"), 0);
    drop(site);
    assert_eq!(std::fs::metadata(&path).expect("the file").len(), SIZE);

    let made = folder.path().join("made");
    let mut site = claim(&made, &needs(), &Overwrite::No).expect("a site");
    std::fs::rename(&path, &made).expect("another takes the name");
    let refused = site
        .empty(&part(), Emptied::Nothing)
        .expect_err("refused")
        .to_string();
    assert!(refused.contains("replaced by another file"), "{refused}");
    drop(site);
    assert_eq!(
        std::fs::read(&made).expect("read"),
        vec![1u8; SIZE as usize]
    );
}

#[test]
fn a_block_device_is_not_emptied() {
    if !may_mount("a_block_device_is_not_emptied") {
        return;
    }
    let device = Loop::new(SIZE, |_| {});
    let refused = refusal(
        &device.device,
        &needs(),
        &Overwrite::Named(device.device.clone()),
    );
    assert!(
        refused.contains("is a device, which cannot be truncated"),
        "{refused}"
    );
}

/// A kept file counts as filled only when the last step that emptied it has written all of it.
#[test]
fn a_kept_file_that_a_step_left_short_is_filled_by_the_next_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let keeping = Needs {
        keep: true,
        content: "pattern a".into(),
        ..needs()
    };
    let reading = Needs {
        fresh: false,
        modifies: false,
        ..keeping.clone()
    };
    for (written, filled) in [(SIZE, 0), (SIZE / 2, SIZE), (0, SIZE)] {
        let mut site = claim(folder.path(), &keeping, &Overwrite::No).expect("a site");
        site.empty(&part(), Emptied::Nothing).expect("emptied");
        write_all(&site.files()[0].path.clone(), 0, written);
        site.release().expect("released");
        let again = claim(folder.path(), &reading, &Overwrite::No).expect("a site");
        assert_eq!(
            again
                .prepared()
                .iter()
                .map(|prepared| prepared.bytes)
                .sum::<u64>(),
            filled,
            "{written} bytes were written"
        );
        again.release().expect("released");
    }
}
