//! Are incomplete files of a killed process recognized, named and removed: imports, reports?

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::fault_fs::{Call, Effect, Fault, FaultFs, Options};
use crate::{left_in, output_of, plumb_in};

const DD: &str = "1024+0 records in\n1024+0 records out\n1073741824 bytes (1.1 GB, 1.0 GiB) copied, 0.5 s, 2.1 GB/s\n";

fn started(folder: &Path, line: &str) -> Child {
    let prepared = plumb_in(folder, line);
    let mut command = Command::new(prepared.get_program());
    command
        .args(prepared.get_args())
        .current_dir(folder)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("started")
}

/// Kills a command while the file system does not answer its fsync of a file of this name.
fn killed_at_fsync(broken: &FaultFs, folder: &Path, line: &str, file: &str) {
    broken.inject(Fault::nth(Call::Fsync, 1, Effect::Hang).of_name(file));
    let mut child = started(folder, line);
    let hangs = (0..3000).any(|_| {
        std::thread::sleep(Duration::from_millis(10));
        broken.hanging() > 0
    });
    child.kill().expect("killed");
    broken.heal();
    broken.release();
    child.wait().expect("ended");
    assert!(hangs, "{line}: {file} was to be synced");
}

#[test]
fn a_killed_import_is_no_run_and_goes_with_clean() {
    let Some(broken) = FaultFs::mount(Options::default()) else {
        return;
    };
    let place = tempfile::tempdir().expect("a folder");
    fs::write(place.path().join("dd.txt"), DD).expect("written");
    let point = broken.path().display().to_string();
    let import = format!("import dd.txt --output {point}");
    killed_at_fsync(&broken, place.path(), &import, "notes.jsonl");
    let left = left_in(broken.path());
    assert!(
        left.iter().all(|name| !name.ends_with(".plumb")),
        "a part of a run is no run: {left:?}"
    );
    let listed = output_of(plumb_in(place.path(), &format!("clean {point}")), 0);
    assert!(listed.contains("unfinished import"), "{listed}");
    // The next import says so, and is not in its way.
    let output = plumb_in(place.path(), &import).output().expect("started");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        output.status.success()
            && said.contains("was left by a run that was killed")
            && said.contains("plumb clean"),
        "{said}"
    );
    output_of(
        plumb_in(place.path(), &format!("clean {point} --remove")),
        0,
    );
    assert_eq!(left_in(broken.path()), ["plumb-import-dd.plumb"]);
    output_of(
        plumb_in(
            place.path(),
            &format!("show {point}/plumb-import-dd.plumb --json"),
        ),
        0,
    );
}

#[test]
fn an_import_that_cannot_be_written_leaves_nothing() {
    let Some(full) = FaultFs::mount(Options::default()) else {
        return;
    };
    let place = tempfile::tempdir().expect("a folder");
    fs::write(place.path().join("dd.txt"), DD).expect("written");
    full.inject(Fault::always(Call::Write, Effect::Error(libc::ENOSPC)).of_name("notes.jsonl"));
    let output = plumb_in(
        place.path(),
        &format!("import dd.txt --output {}", full.path().display()),
    )
    .output()
    .expect("started");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(
        said.contains("No space left")
            && said.contains("nothing was imported")
            && !said.contains("is kept"),
        "{said}"
    );
    assert!(
        left_in(full.path()).is_empty(),
        "{:?}",
        left_in(full.path())
    );
}

#[test]
fn a_report_that_was_being_written_goes_with_clean_and_only_when_its_process_is_gone() {
    let Some(broken) = FaultFs::mount(Options::default()) else {
        return;
    };
    let place = tempfile::tempdir().expect("a folder");
    fs::write(place.path().join("dd.txt"), DD).expect("written");
    let point = broken.path().display().to_string();
    let show = format!("show dd.txt --report {point}/page.html");
    killed_at_fsync(&broken, place.path(), &show, ".plumb-draft-");
    let left = left_in(broken.path());
    assert!(
        left.len() == 1 && left[0].starts_with(".plumb-draft-"),
        "{left:?}"
    );
    // What somebody else called so, of a process that is gone as well and of one that lives.
    let mine = [
        format!("{}7", left[0]),
        format!(".plumb-draft-{}-0", std::process::id()),
        ".plumb-draft-letter".to_string(),
    ];
    for name in &mine {
        fs::write(broken.path().join(name), "mine").expect("written");
    }
    // One that is still being written.
    broken.inject(Fault::nth(Call::Fsync, 1, Effect::Hang).of_name(".plumb-draft-"));
    let mut busy = started(
        place.path(),
        &format!("show dd.txt --report {point}/other.html"),
    );
    assert!((0..3000).any(|_| {
        std::thread::sleep(Duration::from_millis(10));
        broken.hanging() > 0
    }));
    let listed = output_of(plumb_in(place.path(), &format!("clean {point}")), 0);
    assert!(
        listed.contains(&format!("{}  unfinished report or export", left[0])),
        "{listed}"
    );
    assert_eq!(listed.matches("unfinished").count(), 1, "{listed}");
    output_of(
        plumb_in(place.path(), &format!("clean {point} --remove")),
        0,
    );
    broken.heal();
    broken.release();
    assert!(busy.wait().expect("ended").success());
    let mut expected = vec!["other.html".to_string()];
    expected.extend(mine.iter().cloned());
    expected.sort();
    assert_eq!(left_in(broken.path()), expected);
    for name in &mine {
        assert_eq!(
            fs::read_to_string(broken.path().join(name)).expect("there"),
            "mine"
        );
    }
    use std::os::unix::fs::PermissionsExt;
    let mode = fs::metadata(broken.path().join("other.html"))
        .expect("there")
        .permissions()
        .mode();
    assert_eq!(mode & 0o7000, 0, "a report has the mode of any file");
}
