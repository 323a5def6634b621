//! Does a file open as requested, and is it reported whether O_DIRECT is in force?

use plumb_load::site::{Access, Needs, Overwrite, Site, open_file};
use plumb_model::workload::{AccessHint, Direct, Sync};

use crate::fixtures::claim;

fn access(direct: Direct, block_bytes: u64) -> Access {
    Access {
        direct,
        sync: Sync::None,
        read: true,
        write: false,
        block_bytes,
        hint: AccessHint::None,
    }
}

fn site(path: &std::path::Path) -> Site {
    claim(
        path,
        &Needs {
            size_bytes: Some(1 << 20),
            ..Needs::default()
        },
        &Overwrite::No,
    )
    .expect("a site")
}

/// Flags of an open file, as the kernel shows them.
fn flags(file: &std::fs::File) -> u32 {
    use std::os::fd::AsRawFd;
    let text =
        std::fs::read_to_string(format!("/proc/self/fdinfo/{}", file.as_raw_fd())).expect("fdinfo");
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("flags:"))
        .expect("flags")
        .trim();
    u32::from_str_radix(line, 8).expect("octal")
}

#[test]
fn o_direct_is_in_force_where_it_is_said_to_be() {
    let folder = tempfile::tempdir().expect("a folder");
    let site = site(&folder.path().join("x"));
    let file = &site.files()[0];
    let opened = open_file(file, &access(Direct::Try, 4096)).expect("open");
    assert_eq!(
        opened.direct == Some(true),
        flags(&opened.file) & libc::O_DIRECT as u32 != 0
    );
    assert_eq!(opened.direct == Some(true), opened.refused.is_none());
    if let Some(reason) = opened.refused {
        println!(
            "skipped: no O_DIRECT under {}: {reason}",
            folder.path().display()
        );
        return;
    }
    // 1000 bytes are a multiple of no sector.
    let opened = open_file(file, &access(Direct::Try, 1000)).expect("open");
    assert_eq!(opened.direct, Some(false));
    assert!(
        opened.refused.expect("a reason").contains("multiples of"),
        "the alignment is told"
    );
    let error = open_file(file, &access(Direct::Yes, 1000))
        .expect_err("refused")
        .to_string();
    assert!(
        error.contains("cannot be opened for O_DIRECT") && error.contains("--direct try"),
        "{error}"
    );
    let opened = open_file(file, &access(Direct::No, 1000)).expect("open");
    assert_eq!((opened.direct, opened.refused), (Some(false), None));
}

#[test]
fn durability_is_asked_of_the_kernel() {
    let folder = tempfile::tempdir().expect("a folder");
    let site = site(&folder.path().join("x"));
    for (sync, flag) in [
        (Sync::None, 0),
        (Sync::Dsync, libc::O_DSYNC),
        (Sync::Sync, libc::O_SYNC),
    ] {
        let opened = open_file(
            &site.files()[0],
            &Access {
                sync,
                write: true,
                ..access(Direct::No, 4096)
            },
        )
        .expect("open");
        assert_eq!(
            flags(&opened.file) & libc::O_SYNC as u32,
            flag as u32,
            "{sync}"
        );
    }
}

#[test]
fn a_file_that_was_replaced_is_refused_and_not_removed() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("x");
    let site = site(&path);
    std::fs::rename(&path, folder.path().join("moved")).expect("moved away");
    std::fs::write(&path, "someone else's").expect("a file");
    let error = open_file(&site.files()[0], &access(Direct::No, 4096))
        .expect_err("replaced")
        .to_string();
    assert!(error.contains("replaced"), "{error}");
    site.release().expect("released");
    assert_eq!(
        std::fs::read(&path).expect("still there"),
        b"someone else's"
    );
}

#[test]
fn character_devices_have_no_cache_to_bypass() {
    let zero = std::path::Path::new("/dev/zero");
    let site = claim(
        zero,
        &Needs {
            size_bytes: Some(1 << 20),
            ..Needs::default()
        },
        &Overwrite::No,
    )
    .expect("a site");
    for direct in [Direct::Try, Direct::Yes] {
        let opened = open_file(&site.files()[0], &access(direct, 4096)).expect("open");
        assert_eq!(opened.direct, None);
        assert!(opened.refused.expect("a reason").contains("no page cache"));
    }
}

#[test]
fn a_filled_file_starts_cold() {
    let folder = tempfile::tempdir().expect("a folder");
    let site = site(&folder.path().join("x"));
    let cached = || {
        crate::fixtures::run(
            "fincore",
            &[
                "-b",
                "-n",
                "-o",
                "RES",
                site.files()[0].path.to_str().expect("a name"),
            ],
        )
    };
    let before = match cached() {
        Ok(bytes) => bytes,
        Err(reason) => return println!("skipped: {reason}"),
    };
    assert_eq!(before, "0");
    std::fs::read(&site.files()[0].path).expect("read");
    assert_eq!(cached().expect("fincore"), (1 << 20).to_string());
    let stayed = site.forget_cached().expect("forgotten");
    assert!(matches!(stayed, Some(0) | None), "{stayed:?}");
    assert_eq!(cached().expect("fincore"), "0");
}
