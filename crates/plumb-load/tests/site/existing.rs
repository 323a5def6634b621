//! Does plumb keep what it did not create until the user permits it, and report what it is?

use std::os::unix::fs::{FileExt, MetadataExt, symlink};
use std::path::Path;
use std::process::{Command, Stdio};

use plumb_load::site::{FileSetNeeds, Needs, Overwrite};

use crate::fixtures::{byte_at, claim, names_in, refusal};

const SIZE: u64 = 1 << 20;

fn users_file(folder: &Path) -> std::path::PathBuf {
    let path = folder.join("precious");
    std::fs::write(&path, vec![42; SIZE as usize]).expect("a file");
    path
}

fn is_untouched(path: &Path) -> bool {
    std::fs::read(path).expect("the file") == vec![42; SIZE as usize]
}

fn writing() -> Needs {
    Needs {
        modifies: true,
        ..Needs::default()
    }
}

#[test]
fn reading_needs_no_word_and_changes_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = users_file(folder.path());
    let site = claim(&path, &Needs::default(), &Overwrite::No).expect("a site");
    assert_eq!(site.size_bytes(), SIZE);
    assert!(site.prepared().is_empty());
    drop(site);
    assert!(is_untouched(&path));
    let sparse = folder.path().join("sparse");
    std::fs::File::create(&sparse)
        .and_then(|file| file.set_len(SIZE))
        .expect("a sparse file");
    let verifying = Needs {
        verify: true,
        ..Needs::default()
    };
    assert!(
        claim(&sparse, &verifying, &Overwrite::Yes)
            .expect("a site")
            .prepared()
            .is_empty()
    );
    assert_eq!(
        std::fs::metadata(&sparse).expect("a file").blocks(),
        0,
        "a run that only reads writes nothing"
    );
    let error = refusal(
        &path,
        &Needs {
            size_bytes: Some(2 * SIZE),
            is_entire: false,
            ..Needs::default()
        },
        &Overwrite::Yes,
    );
    assert!(error.contains("--size 1048576 or less"), "{error}");
}

#[test]
fn writing_needs_the_users_word() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = users_file(folder.path());
    let error = refusal(&path, &writing(), &Overwrite::No);
    assert!(
        error.contains("did not create") && error.contains("--overwrite"),
        "{error}"
    );
    let error = refusal(&path, &writing(), &Overwrite::Named("/dev/null".into()));
    assert!(
        error.contains("names /dev/null, which is another path"),
        "{error}"
    );
    assert!(is_untouched(&path));
    for word in [Overwrite::Yes, Overwrite::Named(path.clone())] {
        let site = claim(&path, &writing(), &word).expect("a site");
        assert!(
            refusal(&path, &writing(), &word).contains("locked"),
            "two runs at once"
        );
        drop(site);
        assert!(is_untouched(&path), "claimed only, and never removed");
    }
}

#[test]
fn a_symlink_is_resolved_and_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = users_file(folder.path());
    let link = folder.path().join("link");
    symlink("precious", &link).expect("a link");
    let error = refusal(&link, &writing(), &Overwrite::No);
    let (target, given) = (path.display().to_string(), link.display().to_string());
    assert!(
        error.starts_with(&target) && error.contains(&given) && error.contains("symlink"),
        "{error}"
    );
    let site = claim(&link, &Needs::default(), &Overwrite::No).expect("a site");
    assert_eq!(site.path(), path);
    assert!(
        plumb_words::english(&site.warnings()[0]).contains("symlink"),
        "{:?}",
        site.warnings()
    );
    let dangling = folder.path().join("dangling");
    symlink("nowhere", &dangling).expect("a link");
    assert!(
        refusal(&dangling, &writing(), &Overwrite::Yes)
            .contains("symlink to nowhere, which does not exist")
    );
    assert_eq!(names_in(folder.path()), ["dangling", "link", "precious"]);
}

#[test]
fn a_file_with_several_names_must_be_named_twice() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = users_file(folder.path());
    std::fs::hard_link(&path, folder.path().join("other")).expect("a link");
    let error = refusal(&path, &writing(), &Overwrite::Yes);
    assert!(
        error.contains("2 hard links")
            && error.contains(&format!("--overwrite={}", path.display())),
        "{error}"
    );
    assert!(claim(&path, &writing(), &Overwrite::Named(path.clone())).is_ok());
}

#[test]
fn a_file_that_a_process_has_open_must_be_named_twice() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = users_file(folder.path());
    let input = std::fs::File::open(&path).expect("the file");
    let mut child = Command::new("sleep")
        .arg("60")
        .stdin(Stdio::from(input))
        .spawn()
        .expect("sleep");
    let error = refusal(&path, &writing(), &Overwrite::Yes);
    let named = claim(&path, &writing(), &Overwrite::Named(path.clone())).map(drop);
    child.kill().and_then(|()| child.wait()).expect("ended");
    assert!(
        error.contains(&format!("open in process {} (sleep)", child.id())),
        "{error}"
    );
    assert!(named.is_ok(), "{named:?}");
    assert!(
        claim(&path, &writing(), &Overwrite::Yes).is_ok(),
        "free again"
    );
}

#[test]
fn the_file_of_a_running_program_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("program");
    std::fs::copy("/bin/sleep", &path).expect("a program");
    let before = std::fs::read(&path).expect("its content");
    let mut child = Command::new(&path).arg("60").spawn().expect("a process");
    let errors = [Overwrite::Yes, Overwrite::Named(path.clone())]
        .map(|word| refusal(&path, &writing(), &word));
    child.kill().and_then(|()| child.wait()).expect("ended");
    assert!(errors[0].contains("open in process"), "{}", errors[0]);
    assert!(errors[1].contains("running program"), "{}", errors[1]);
    assert_eq!(std::fs::read(&path).expect("its content"), before);
}

#[test]
fn a_sparse_file_that_may_be_overwritten_is_filled() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("sparse");
    std::fs::File::create(&path)
        .and_then(|file| file.set_len(SIZE))
        .expect("a sparse file");
    let site = claim(&path, &writing(), &Overwrite::Yes).expect("a site");
    assert_eq!(site.prepared()[0].bytes, SIZE);
    assert_eq!(
        std::fs::read(&path).expect("the file")[5000],
        byte_at(0, 5000)
    );
    drop(site);
    let file = users_file(folder.path());
    let site = claim(
        &file,
        &Needs {
            verify: true,
            ..writing()
        },
        &Overwrite::Yes,
    )
    .expect("a site");
    assert_eq!(
        site.prepared().len(),
        1,
        "blocks to be verified must be written"
    );
}

#[test]
fn a_file_is_cut_back_to_its_own_length() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = users_file(folder.path());
    let longer = Needs {
        size_bytes: Some(3 * SIZE),
        is_entire: false,
        ..writing()
    };
    assert!(refusal(&path, &longer, &Overwrite::No).contains("--overwrite"));
    let site = claim(&path, &longer, &Overwrite::Yes).expect("a site");
    let mut last = [0];
    std::fs::File::open(&path)
        .and_then(|file| file.read_exact_at(&mut last, 3 * SIZE - 1))
        .expect("the end");
    assert_eq!(last[0], byte_at(0, 3 * SIZE - 1));
    site.release().expect("released");
    assert_eq!(std::fs::metadata(&path).expect("the file").len(), SIZE);
}

#[test]
fn what_can_carry_no_load_is_refused_with_the_way_out() {
    let folder = tempfile::tempdir().expect("a folder");
    let pipe = folder.path().join("pipe");
    assert!(
        Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .expect("mkfifo")
            .success()
    );
    assert!(refusal(&pipe, &Needs::default(), &Overwrite::Yes).contains("pipe or a socket"));
    let empty = folder.path().join("empty");
    std::fs::write(&empty, "").expect("a file");
    assert!(refusal(&empty, &Needs::default(), &Overwrite::Yes).contains("less than one block"));
    let missing = folder.path().join("no/such");
    assert!(refusal(&missing, &Needs::default(), &Overwrite::Yes).contains("no such directory"));
    let as_folder = format!("{}/missing/", folder.path().display());
    assert!(
        refusal(Path::new(&as_folder), &Needs::default(), &Overwrite::Yes)
            .contains("create it first")
    );
    assert!(
        refusal(Path::new("/dev/nosuchdisk"), &writing(), &Overwrite::Yes)
            .contains("no such device")
    );
    let file_operations = Needs {
        file_set: Some(FileSetNeeds {
            files: 1,
            bytes_each: 1,
        }),
        ..Needs::default()
    };
    for target in [empty, folder.path().join("new")] {
        assert!(
            refusal(&target, &file_operations, &Overwrite::Yes).contains("require a directory")
        );
    }
    assert_eq!(names_in(folder.path()), ["empty", "pipe"]);
}
