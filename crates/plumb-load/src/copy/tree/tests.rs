//! Is a tree the same each time, and is every kind of damage found?

use std::fs::OpenOptions;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use super::*;
use crate::system::trees;

const STRICT: Tolerance = Tolerance {
    granularity_ns: 1,
    timestamps: Timestamps::Required,
    cold: false,
};

fn made(shape: &str) -> (Tree, tempfile::TempDir) {
    let tree = Tree::lay_out(shape.parse().expect("shape"), 7);
    let folder = tempfile::tempdir().expect("folder");
    tree.make(folder.path(), &AtomicBool::new(false), &mut |_| {})
        .expect("made");
    (tree, folder)
}

fn check(tree: &Tree, folder: &Path) -> Checked {
    tree.check(folder, None, &STRICT, &AtomicBool::new(false))
}

#[test]
fn shapes_read_back_and_nonsense_is_reported() {
    for text in ["large:1g", "large:4x256m", "small:10000x4k", "mix:64m"] {
        assert_eq!(text.parse::<TreeShape>().expect(text).to_string(), text);
    }
    for text in [
        "",
        "large",
        "mix:2x1m",
        "small:4k",
        "big:1g",
        "large:0",
        "small:0x4k",
        "small:axb",
        "small:99999999999x1g",
    ] {
        assert!(text.parse::<TreeShape>().is_err(), "{text}");
    }
}

#[test]
fn what_was_made_is_found_whole_and_is_the_same_each_time() {
    for shape in ["large:3m", "small:30x1k", "mix:2m"] {
        let (tree, folder) = made(shape);
        let checked = check(&tree, folder.path());
        assert_eq!(checked.problems, [], "{shape}");
        assert_eq!(
            (checked.count, checked.files, checked.bytes),
            (0, tree.files(), tree.bytes()),
            "{shape}"
        );
        assert_eq!(
            (checked.modes, checked.folder_times, checked.times),
            (0, 0, 0),
            "{shape}"
        );
        assert_eq!(
            tree.bytes(),
            shape.parse::<TreeShape>().expect("shape").bytes()
        );
        assert_eq!(tree, Tree::lay_out(shape.parse().expect("shape"), 7));
        assert_ne!(tree, Tree::lay_out(shape.parse().expect("shape"), 8));
    }
}

#[test]
fn a_mix_holds_what_programs_stumble_over() {
    let tree = Tree::lay_out("mix:8m".parse().expect("shape"), 1);
    let has = |what: &dyn Fn(&TreeEntry) -> bool| assert!(tree.entries.iter().any(what));
    has(&|entry| entry.path.to_string_lossy().contains("with spaces"));
    has(&|entry| entry.path.to_string_lossy().contains("文件"));
    has(&|entry| entry.path.file_name().is_some_and(|name| name.len() > 180));
    has(&|entry| entry.path.components().count() > 3);
    has(&|entry| matches!(entry.kind, TreeKind::File { bytes: 0, .. }));
    has(&|entry| matches!(entry.kind, TreeKind::File { zeros: true, .. }));
    let parents: Vec<_> = tree
        .entries
        .iter()
        .filter_map(|entry| entry.path.parent())
        .collect();
    has(&|entry| entry.kind == TreeKind::Folder && !parents.contains(&entry.path.as_path()));
}

#[test]
fn content_does_not_repeat_itself() {
    let (tree, folder) = made("large:2x256k");
    let bytes: Vec<u8> = ["large-000.bin", "large-001.bin"]
        .iter()
        .flat_map(|name| std::fs::read(folder.path().join(name)).expect("read"))
        .collect();
    assert!(lz4_flex::compress(&bytes).len() > bytes.len() * 99 / 100);
    assert_eq!(tree.bytes(), bytes.len() as u64);
}

/// Damages a copy, and returns what was found: (kind, path, offset) of the worst problem.
fn found(damage: impl Fn(&Path)) -> (ProblemKind, String, u64) {
    let (tree, folder) = made("small:3x100k");
    damage(folder.path());
    let checked = check(&tree, folder.path());
    let first = checked.problems.first().expect("a problem");
    assert!(checked.count >= 1);
    (first.kind, first.path.display().to_string(), first.offset)
}

#[test]
fn every_kind_of_damage_is_found() {
    let file = "d0000/f0000001";
    let flip = |folder: &Path| {
        let path = folder.join(file);
        let metadata = std::fs::metadata(&path).expect("there");
        trees::set_mode(&path, 0o644).expect("mode");
        let open = OpenOptions::new()
            .read(true)
            .write(true)
            .open(&path)
            .expect("open");
        let mut byte = [0];
        open.read_exact_at(&mut byte, 99_999).expect("read");
        open.write_all_at(&[byte[0] ^ 1], 99_999).expect("write");
        trees::set_modified(&open, trees::modified_ns(&metadata).expect("time")).expect("time");
    };
    assert_eq!(found(flip), (ProblemKind::Content, file.into(), 99_999));
    assert_eq!(
        found(|folder| std::fs::remove_file(folder.join(file)).expect("removed")),
        (ProblemKind::Missing, file.into(), 0)
    );
    assert_eq!(
        found(|folder| std::fs::write(folder.join("d0000/more"), "x").expect("written")),
        (ProblemKind::Extra, "d0000/more".into(), 0)
    );
    let cut = |folder: &Path| {
        trees::set_mode(&folder.join(file), 0o644).expect("mode");
        OpenOptions::new()
            .write(true)
            .open(folder.join(file))
            .expect("open")
            .set_len(1000)
            .expect("cut");
    };
    assert_eq!(found(cut), (ProblemKind::Size, file.into(), 0));
    let touch = |folder: &Path| {
        trees::set_modified(
            &std::fs::File::open(folder.join(file)).expect("open"),
            1_700_000_000_000_000_000,
        )
        .expect("time")
    };
    assert_eq!(found(touch), (ProblemKind::Time, file.into(), 0));
    let folder_instead = |folder: &Path| {
        std::fs::remove_file(folder.join(file)).expect("removed");
        std::fs::create_dir(folder.join(file)).expect("made");
    };
    assert_eq!(found(folder_instead), (ProblemKind::Kind, file.into(), 0));
}

#[test]
fn lost_times_may_be_ignored_and_are_counted() {
    let (tree, folder) = made("small:3x1k");
    for entry in std::fs::read_dir(folder.path().join("d0000")).expect("read") {
        trees::set_modified(
            &std::fs::File::open(entry.expect("entry").path()).expect("open"),
            5,
        )
        .expect("time");
    }
    assert_eq!(
        (
            check(&tree, folder.path()).count,
            check(&tree, folder.path()).times
        ),
        (3, 3)
    );
    let lenient = tree.check(
        folder.path(),
        None,
        &Tolerance {
            timestamps: Timestamps::Reported,
            ..STRICT
        },
        &AtomicBool::new(false),
    );
    assert_eq!((lenient.count, lenient.times), (0, 3));
}

#[test]
fn times_to_the_second_are_reported_and_are_no_loss() {
    let (tree, folder) = made("small:3x1k");
    for entry in std::fs::read_dir(folder.path().join("d0000")).expect("read") {
        let file = std::fs::File::open(entry.expect("entry").path()).expect("open");
        let stamp = trees::modified_ns(&file.metadata().expect("there")).expect("time");
        trees::set_modified(&file, stamp - stamp % 1_000_000_000).expect("time");
    }
    let checked = check(&tree, folder.path());
    assert_eq!(
        (checked.count, checked.times, checked.coarse_times),
        (0, 0, 3)
    );
}

#[test]
fn folders_are_emptied_and_stay() {
    let (_, folder) = made("mix:100k");
    assert!(!holds_nothing(folder.path()).expect("read"));
    empty_folder(folder.path()).expect("emptied");
    assert!(holds_nothing(folder.path()).expect("read"));
}
