//! Are the files that plumb creates filled completely, bounded in size, removed at the end, and kept on request?

use std::os::unix::fs::{FileExt, MetadataExt, PermissionsExt};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use plumb_load::site::{
    FileSetNeeds, FileShape, Needs, Overwrite, Part, Preparing, Site, SiteError, SiteKind,
};
use plumb_model::target::Target;
use plumb_model::units::Bytes;
use plumb_model::workload::{Layout, Weighted, Workload};

use crate::fixtures::{Mounted, byte_at, claim, may_mount, names_in, preparing, refusal};

fn needs(size: u64) -> Needs {
    Needs {
        size_bytes: Some(size),
        whole: false,
        ..Needs::default()
    }
}

fn assert_filled(path: &Path, index: u32, start: u64, len: u64) {
    let mut bytes = vec![0; len as usize];
    let file = std::fs::File::open(path).expect("the file");
    file.read_exact_at(&mut bytes, start).expect("its content");
    let wrong = bytes
        .iter()
        .enumerate()
        .find(|(at, byte)| **byte != byte_at(index, start + *at as u64));
    assert_eq!(wrong, None, "{}", path.display());
}

#[test]
fn a_new_file_is_filled_and_removed() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("new");
    // No multiple of a block or of the alignment of O_DIRECT, and longer than a chunk.
    let len = (9 << 20) + 1234;
    let site = claim(&path, &needs(len), &Overwrite::No).expect("a site");
    assert_eq!((site.kind(), site.size_bytes()), (SiteKind::File, len));
    let metadata = std::fs::metadata(&path).expect("the file");
    assert_eq!(metadata.len(), len);
    assert!(metadata.blocks() * 512 >= len, "no holes");
    assert_filled(&path, 0, 0, len);
    assert_eq!(site.prepared().len(), 1);
    assert_eq!(site.prepared()[0].bytes, len);
    site.release().expect("clean");
    assert!(names_in(folder.path()).is_empty());
}

#[test]
fn a_file_that_begins_late_is_filled_only_there() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("new");
    let site = claim(
        &path,
        &Needs {
            start: 64 << 20,
            ..needs(1 << 20)
        },
        &Overwrite::No,
    )
    .expect("a site");
    assert_filled(&path, 0, 64 << 20, 1 << 20);
    assert!(
        std::fs::metadata(&path).expect("the file").blocks() * 512 < 8 << 20,
        "not filled before the start"
    );
    drop(site);
    assert!(!path.exists());
}

#[test]
fn a_directory_gets_a_private_folder_with_shared_and_own_files() {
    let folder = tempfile::tempdir().expect("a folder");
    let needs = Needs {
        own_files: 3,
        file_set: Some(FileSetNeeds {
            files: 2500,
            bytes_each: 4096,
        }),
        ..needs(3 << 20)
    };
    let site = claim(folder.path(), &needs, &Overwrite::No).expect("a site");
    let scratch = folder.path().join(&names_in(folder.path())[0]);
    assert_eq!(
        std::fs::metadata(&scratch)
            .expect("the scratch folder")
            .permissions()
            .mode()
            & 0o777,
        0o700
    );
    assert_eq!(site.files().len(), 4);
    for (file, len) in site
        .files()
        .iter()
        .zip([3 << 20, 1 << 20, 1 << 20, 1 << 20])
    {
        assert_eq!(file.len, len);
        assert_filled(&file.path, file.index, 0, len);
    }
    let own = site
        .part(&Part {
            layout: Layout::Own,
            workers: 2,
            size_bytes: None,
            start: 0,
            block_bytes: 4096,
        })
        .expect("a part");
    assert_eq!(
        own.iter().map(|file| file.index).collect::<Vec<_>>(),
        [1, 2]
    );
    assert!(
        site.part(&Part {
            layout: Layout::Own,
            workers: 4,
            size_bytes: None,
            start: 0,
            block_bytes: 4096
        })
        .is_err()
    );

    let mut set = site.file_set().expect("a file set").clone();
    let shape = FileShape::of(&Workload {
        block: Weighted::only(Bytes(100)),
        ..Workload::default()
    });
    preparing(|preparing| set.reset(2001, shape.clone(), preparing)).expect("files");
    assert_eq!(
        std::fs::read(set.path(2000)).expect("the last one")[3],
        byte_at(0, 200_003)
    );
    assert!(!set.path(2001).exists());
    preparing(|preparing| set.reset(1, shape, preparing)).expect("files");
    assert!(set.path(0).exists() && !set.path(1).exists() && !set.path(2000).exists());
    drop(site);
    assert!(names_in(folder.path()).is_empty());
}

#[test]
fn parts_of_one_file_are_equal_full_blocks_within_the_claim() {
    let folder = tempfile::tempdir().expect("a folder");
    let site = claim(
        &folder.path().join("x"),
        &Needs {
            start: 4096,
            ..needs(100 * 4096)
        },
        &Overwrite::No,
    )
    .expect("a site");
    let part = Part {
        layout: Layout::Own,
        workers: 3,
        size_bytes: None,
        start: 4096,
        block_bytes: 4096,
    };
    let files = site.part(&part).expect("parts");
    assert_eq!(
        files
            .iter()
            .map(|file| (file.start, file.len))
            .collect::<Vec<_>>(),
        [
            (4096, 34 * 4096),
            (35 * 4096, 33 * 4096),
            (68 * 4096, 33 * 4096)
        ]
    );
    let shared = site
        .part(&Part {
            layout: Layout::Shared,
            size_bytes: Some(8192),
            start: 8192,
            ..part
        })
        .expect("a part");
    assert_eq!(
        (shared.len(), shared[0].start, shared[0].len),
        (1, 8192, 8192)
    );
    for wrong in [
        Part { start: 0, ..part },
        Part {
            size_bytes: Some(101 * 4096),
            ..part
        },
        Part {
            workers: 101,
            ..part
        },
        Part {
            block_bytes: 1 << 20,
            ..part
        },
    ] {
        assert!(site.part(&wrong).is_err(), "{wrong:?}");
    }
}

#[test]
fn everything_goes_when_the_claim_is_stopped_or_the_run_panics() {
    let folder = tempfile::tempdir().expect("a folder");
    for target in [folder.path().to_path_buf(), folder.path().join("new")] {
        for keep in [false, true] {
            let stop = AtomicBool::new(false);
            let mut fill =
                |_: u32, offset: u64, _: &mut [u8]| stop.store(offset > 0, Ordering::Relaxed);
            let mut preparing = Preparing {
                fill: &mut fill,
                stop: &stop,
                progress: &mut |_| {},
            };
            let stopped = Site::claim(
                &Target::Path(target.clone()),
                &Needs {
                    keep,
                    ..needs(64 << 20)
                },
                &Overwrite::No.into(),
                &mut preparing,
            );
            assert!(matches!(stopped, Err(SiteError::Stopped)), "{stopped:?}");
            assert!(names_in(folder.path()).is_empty(), "stopped");
        }
        let panicked = std::panic::catch_unwind(|| {
            let _site = claim(&target, &needs(1 << 20), &Overwrite::No).expect("a site");
            assert_eq!(names_in(folder.path()).len(), 1);
            panic!("on purpose");
        });
        assert!(panicked.is_err());
        assert!(names_in(folder.path()).is_empty(), "panicked");
    }
}

#[test]
fn unfilled_files_have_their_length() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("new");
    let needs = Needs {
        reads: false,
        modifies: true,
        fill_before_writes: false,
        ..needs(1 << 20)
    };
    let site = claim(&path, &needs, &Overwrite::No).expect("a site");
    assert!(site.prepared().is_empty());
    assert_eq!(std::fs::metadata(&path).expect("the file").len(), 1 << 20);
}

#[test]
fn a_kept_file_is_used_again_without_permission_until_someone_else_changes_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("kept");
    let keeping = Needs {
        modifies: true,
        keep: true,
        content: "pattern a".into(),
        ..needs(1 << 20)
    };
    claim(&path, &keeping, &Overwrite::No)
        .expect("a site")
        .release()
        .expect("released");
    assert!(path.exists());

    let again = claim(&path, &keeping, &Overwrite::No).expect("used again");
    assert!(again.prepared().is_empty(), "not filled again");
    drop(again);
    let longer = Needs {
        size_bytes: Some(2 << 20),
        ..keeping.clone()
    };
    let again = claim(&path, &longer, &Overwrite::No).expect("used again");
    assert_eq!(again.prepared().len(), 1, "longer: filled again");
    drop(again);
    let verifying = Needs {
        verify: true,
        ..longer.clone()
    };
    assert_eq!(
        claim(&path, &verifying, &Overwrite::No)
            .expect("used again")
            .prepared()
            .len(),
        1,
        "write counts begin anew"
    );
    assert!(path.exists(), "an existing file stays, kept or not");

    std::fs::write(&path, vec![7; 2 << 20]).expect("someone's own data, as cp writes it");
    assert!(refusal(&path, &longer, &Overwrite::No).contains("did not create"));
    assert_eq!(std::fs::read(&path).expect("data"), vec![7; 2 << 20]);

    let path = folder.path().join("linked");
    claim(&path, &keeping, &Overwrite::No)
        .expect("a site")
        .release()
        .expect("released");
    std::fs::hard_link(&path, folder.path().join("second name")).expect("a link");
    assert!(refusal(&path, &keeping, &Overwrite::No).contains("did not create"));
    std::fs::remove_file(folder.path().join("second name")).expect("removed");
    assert!(
        refusal(&path, &keeping, &Overwrite::No).contains("did not create"),
        "its inode has changed since, and nobody knows what else"
    );
}

#[test]
fn kept_files_of_a_directory_are_used_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let keeping = Needs {
        keep: true,
        content: "pattern a".into(),
        ..needs(1 << 20)
    };
    let site = claim(folder.path(), &keeping, &Overwrite::No).expect("a site");
    assert!(refusal(folder.path(), &keeping, &Overwrite::No).contains("in use by another run"));
    site.release().expect("released");
    assert_eq!(names_in(folder.path()), ["plumb-kept"]);
    assert_eq!(
        names_in(&folder.path().join("plumb-kept")),
        ["plumb.mark", "shared"]
    );
    assert!(
        claim(folder.path(), &keeping, &Overwrite::No)
            .expect("a site")
            .prepared()
            .is_empty()
    );
    let other = Needs {
        content: "pattern b".into(),
        ..keeping.clone()
    };
    assert_eq!(
        claim(folder.path(), &other, &Overwrite::No)
            .expect("a site")
            .prepared()
            .len(),
        1
    );
    std::fs::write(folder.path().join("plumb-kept/shared"), "mine").expect("someone's own data");
    assert!(
        refusal(folder.path(), &keeping, &Overwrite::No)
            .contains("was changed since plumb created it")
    );
    assert_eq!(
        std::fs::read(folder.path().join("plumb-kept/shared")).expect("data"),
        b"mine"
    );
}

#[test]
fn a_file_system_is_never_filled() {
    if !may_mount("a_file_system_is_never_filled") {
        return;
    }
    let mounted = Mounted::tmpfs("size=40m,nr_inodes=200");
    let new = mounted.path().join("new");
    for target in [mounted.path(), &new] {
        let error = refusal(target, &needs(39 << 20), &Overwrite::No);
        assert!(
            error.contains("do not fit") && error.contains("--size"),
            "{error}"
        );
        let chosen = claim(
            target,
            &Needs {
                block_bytes: 1 << 20,
                ..Needs::default()
            },
            &Overwrite::No,
        )
        .expect("a site");
        assert_eq!(chosen.size_bytes(), 4 << 20, "a tenth of what is free");
    }
    let many = Needs {
        file_set: Some(FileSetNeeds {
            files: 500,
            bytes_each: 1,
        }),
        ..needs(1 << 20)
    };
    assert!(refusal(mounted.path(), &many, &Overwrite::No).contains("inodes"));
    assert!(names_in(mounted.path()).is_empty());
}

#[test]
fn a_disk_that_others_fill_meanwhile_is_an_error_and_leaves_nothing() {
    if !may_mount("a_disk_that_others_fill_meanwhile_is_an_error_and_leaves_nothing") {
        return;
    }
    let mounted = Mounted::tmpfs("size=40m");
    let other = mounted.path().join("other");
    let stop = AtomicBool::new(false);
    let mut fill = |_: u32, offset: u64, _: &mut [u8]| {
        if offset == 0 {
            std::fs::write(&other, vec![1; 30 << 20]).expect("another program's file");
        }
    };
    let mut preparing = Preparing {
        fill: &mut fill,
        stop: &stop,
        progress: &mut |_| {},
    };
    let result = Site::claim(
        &Target::Path(mounted.path().to_path_buf()),
        &needs(30 << 20),
        &Overwrite::No.into(),
        &mut preparing,
    );
    let error = result.expect_err("full").to_string();
    assert!(
        error.contains("No space left") && error.contains("--size"),
        "{error}"
    );
    assert_eq!(names_in(mounted.path()), ["other"]);
}

#[test]
fn a_read_only_directory_is_named() {
    if !may_mount("a_read_only_directory_is_named") {
        return;
    }
    let mounted = Mounted::tmpfs("size=8m,ro");
    for target in [mounted.path().to_path_buf(), mounted.path().join("new")] {
        let error = refusal(&target, &needs(1 << 20), &Overwrite::No);
        assert!(
            error.contains("Read-only") && error.contains(mounted.path().to_str().expect("a name")),
            "{error}"
        );
    }
}

#[test]
fn nothing_needs_no_place() {
    let site = preparing(|preparing| {
        let needs = Needs {
            file_set: Some(FileSetNeeds {
                files: 10,
                bytes_each: 1,
            }),
            ..Needs::default()
        };
        Site::claim(&Target::Null, &needs, &Overwrite::No.into(), preparing)
    })
    .expect("a site");
    assert_eq!((site.kind(), site.size_bytes()), (SiteKind::Null, 1 << 30));
    let mut set = site.file_set().expect("a set").clone();
    preparing(|preparing| set.reset(10, FileShape::default(), preparing)).expect("no files");
    assert!(!set.path(0).exists());
}
