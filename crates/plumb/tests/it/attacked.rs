//! Does plumb leave foreign files alone if someone else owns the directory, plants links and folders, or unmounts the file system?

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use crate::fixtures::{Loop, Mounted, may_mount, run};
use crate::{left_in, output_of, plumb_in, refusal_of};

/// The user `nobody`.
const ATTACKER: u32 = 65_534;

/// The one scratch folder in a directory, as soon as its run has made it and something lies in it.
fn scratch_in(directory: &Path, with: &str) -> PathBuf {
    for _ in 0..3000 {
        let entries = fs::read_dir(directory).expect("a directory").flatten();
        let mut scratch = entries
            .filter(|entry| entry.file_name().to_string_lossy().starts_with(".plumb-"))
            .map(|entry| entry.path());
        if let Some(found) = scratch.find(|folder| folder.join(with).exists()) {
            return found;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    panic!("no scratch folder came");
}

/// Lets the load go on for some intervals more, and ends it as a user would.
fn interrupted(child: Child, record: &Path) -> Output {
    let bytes = || fs::metadata(record.join("ticks.jsonl")).map_or(0, |metadata| metadata.len());
    let before = bytes();
    for _ in 0..3000 {
        if bytes() > before + 2000 {
            break;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(bytes() > before, "the load went on");
    let sent = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .expect("kill is there");
    assert!(sent.success());
    child.wait_with_output().expect("ended")
}

/// A folder of root's with files that have the very names that plumb gives its own.
fn precious() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir_all(folder.path().join("files/0")).expect("a folder");
    for name in [
        "shared",
        "worker-0",
        "plumb.pid",
        "letter",
        "files/0/0",
        "files/0/1",
    ] {
        fs::write(folder.path().join(name), "precious").expect("written");
    }
    folder
}

fn is_whole(folder: &Path) -> bool {
    let names = [
        "shared",
        "worker-0",
        "plumb.pid",
        "letter",
        "files/0/0",
        "files/0/1",
    ];
    let whole = names
        .iter()
        .all(|name| fs::read_to_string(folder.join(name)).is_ok_and(|text| text == "precious"));
    whole
        && left_in(folder) == ["files", "letter", "plumb.pid", "shared", "worker-0"]
        && left_in(&folder.join("files/0")) == ["0", "1"]
}

/// The attacker's directory: its entries are his to rename, whoever made them.
fn directory_of_attacker() -> tempfile::TempDir {
    let place = tempfile::tempdir().expect("a folder");
    fs::set_permissions(place.path(), fs::Permissions::from_mode(0o755)).expect("may be entered");
    let directory = place.path().join("home");
    fs::create_dir(&directory).expect("a folder");
    chown(&directory, Some(ATTACKER), Some(ATTACKER)).expect("given away");
    place
}

#[test]
fn a_scratch_folder_that_is_swapped_for_a_link_leads_nobody_astray() {
    if !may_mount("a_scratch_folder_that_is_swapped_for_a_link_leads_nobody_astray") {
        return;
    }
    for load in [
        "--pattern random-write --size 4m",
        "--mix create:60,delete:40 --files 500 --set operations=100000000000",
        "--mix create:40,rename:30,delete:30 --files 500 --set operations=100000000000",
    ] {
        let (place, precious, out) = (
            directory_of_attacker(),
            precious(),
            tempfile::tempdir().expect("a folder"),
        );
        let home = place.path().join("home");
        let line = format!(
            "run --target {} {load} --time 10m --interval 50ms --quiet --no-report --output out",
            home.display()
        );
        let prepared = plumb_in(out.path(), &line);
        let mut command = Command::new(prepared.get_program());
        let child = command
            .args(prepared.get_args())
            .current_dir(out.path())
            .stderr(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .expect("started");
        let scratch = scratch_in(&home, "plumb.pid");
        // As the attacker: only what he may do, which is to rename within his own directory and to make links there.
        let script = format!(
            "mv {0} {0}.mine && ln -s {1} {0}",
            scratch.display(),
            precious.path().display()
        );
        let swapped = Command::new("setpriv")
            .args([
                "--reuid=65534",
                "--regid=65534",
                "--clear-groups",
                "sh",
                "-c",
                &script,
            ])
            .status();
        assert!(swapped.expect("setpriv").success());
        let ended = interrupted(child, &out.path().join("out"));
        let said = String::from_utf8_lossy(&ended.stderr);
        assert!(
            is_whole(precious.path()),
            "{load}: {:?}",
            left_in(precious.path())
        );
        assert_eq!(ended.status.code(), Some(130), "{load}: {said}");
        assert!(
            said.contains("no longer where it was created"),
            "{load}: {said}"
        );
        // What plumb made is gone from where it was led to; the attacker's link is his.
        assert_eq!(
            left_in(&home),
            [scratch
                .file_name()
                .expect("a name")
                .to_string_lossy()
                .into_owned()],
            "{load}"
        );
    }
}

#[test]
fn a_planted_folder_of_kept_files_is_refused() {
    if !may_mount("a_planted_folder_of_kept_files_is_refused") {
        return;
    }
    let line = |home: &Path| {
        format!(
            "run --target {} --pattern random-write --size 1m --time 50ms --keep --quiet --no-report --output out",
            home.display()
        )
    };
    type Plant = fn(&Path, &Path);
    let plant: &[(&str, Plant)] = &[
        ("a folder of another user", |home, _| {
            fs::create_dir(home.join("plumb-kept")).expect("a folder");
            fs::write(home.join("plumb-kept/plumb.mark"), "anything").expect("written");
            chown(home.join("plumb-kept"), Some(ATTACKER), Some(ATTACKER)).expect("given away");
        }),
        ("a link", |home, precious| {
            symlink(precious, home.join("plumb-kept")).expect("a link")
        }),
        ("a folder with the user's own files", |home, _| {
            fs::create_dir_all(home.join("plumb-kept/files/0")).expect("a folder");
            fs::write(home.join("plumb-kept/files/0/letter"), "mine").expect("written");
        }),
        ("a folder in which everybody may write", |home, _| {
            fs::create_dir(home.join("plumb-kept")).expect("a folder");
            fs::set_permissions(home.join("plumb-kept"), fs::Permissions::from_mode(0o777))
                .expect("opened");
        }),
    ];
    for (what, plant) in plant {
        let (place, precious, out) = (
            tempfile::tempdir().expect("a folder"),
            precious(),
            tempfile::tempdir().expect("a folder"),
        );
        plant(place.path(), precious.path());
        let error = refusal_of(plumb_in(out.path(), &line(place.path())));
        assert!(
            error.contains("plumb-kept")
                && (error.contains("move it away") || error.contains("remove it")),
            "{what}: {error}"
        );
        assert!(is_whole(precious.path()), "{what}");
        assert!(
            what.contains("link") || place.path().join("plumb-kept").exists(),
            "{what}"
        );
    }
}

#[test]
fn what_the_user_put_among_kept_files_stays() {
    let place = tempfile::tempdir().expect("a folder");
    let line = "run --target . --pattern random-write --size 1m --time 50ms --keep --quiet --no-report --output";
    output_of(plumb_in(place.path(), &format!("{line} one")), 0);
    fs::create_dir_all(place.path().join("plumb-kept/files/0")).expect("a folder");
    fs::write(place.path().join("plumb-kept/files/0/7"), "mine").expect("written");
    output_of(plumb_in(place.path(), &format!("{line} two")), 0);
    output_of(
        plumb_in(
            place.path(),
            "run --target . --mix create --files 10 --time 50ms --keep --quiet --no-report --output three",
        ),
        0,
    );
    assert_eq!(
        fs::read_to_string(place.path().join("plumb-kept/files/0/7")).expect("there"),
        "mine"
    );
    assert_eq!(left_in(place.path()), ["one", "plumb-kept", "three", "two"]);
}

#[test]
fn a_kept_file_that_was_edited_with_its_time_put_back_is_left_alone() {
    let place = tempfile::tempdir().expect("a folder");
    let line = "run --target . --pattern random-write --size 1m --time 50ms --keep --quiet --no-report --output";
    output_of(plumb_in(place.path(), &format!("{line} one")), 0);
    let kept = place.path().join("plumb-kept/shared");
    let before = fs::metadata(&kept)
        .expect("there")
        .modified()
        .expect("a time");
    // At once: the mark must not believe what comes a moment after it.
    let file = fs::OpenOptions::new()
        .write(true)
        .open(&kept)
        .expect("opened");
    std::os::unix::fs::FileExt::write_all_at(&file, b"mine", 100).expect("written");
    file.set_modified(before).expect("put back");
    drop(file);
    let error = refusal_of(plumb_in(place.path(), &format!("{line} two")));
    assert!(
        error.contains("was changed since plumb created it"),
        "{error}"
    );
    assert_eq!(&fs::read(&kept).expect("there")[100..104], b"mine");
}

/// Where times are whole seconds, a mark that a change shortly after it does not show in would believe it.
#[test]
fn a_kept_file_on_a_file_system_with_whole_seconds_is_left_alone_too() {
    if !may_mount("a_kept_file_on_a_file_system_with_whole_seconds_is_left_alone_too") {
        return;
    }
    let disk = Loop::new(64 << 20, |_| {});
    run("mkfs.ext4", &["-q", "-I", "128", disk.name()]).expect("a file system");
    let (mounted, out) = (
        Mounted::device(&disk.device).expect("mounted"),
        tempfile::tempdir().expect("a folder"),
    );
    let line = |output: &str| {
        let point = mounted.path().display();
        format!(
            "run --target {point} --pattern random-write --size 1m --time 50ms --keep --quiet --no-report --output {output}"
        )
    };
    output_of(plumb_in(out.path(), &line("one")), 0);
    output_of(plumb_in(out.path(), &line("two")), 0);
    let kept = mounted.path().join("plumb-kept/shared");
    let before = fs::metadata(&kept)
        .expect("there")
        .modified()
        .expect("a time");
    let file = fs::OpenOptions::new()
        .write(true)
        .open(&kept)
        .expect("opened");
    std::os::unix::fs::FileExt::write_all_at(&file, b"mine", 100).expect("written");
    file.set_modified(before).expect("put back");
    drop(file);
    let error = refusal_of(plumb_in(out.path(), &line("three")));
    assert!(
        error.contains("was changed since plumb created it"),
        "{error}"
    );
}

#[test]
fn a_file_system_that_is_taken_away_ends_the_step_and_nothing_is_made_beneath() {
    if !may_mount("a_file_system_that_is_taken_away_ends_the_step_and_nothing_is_made_beneath") {
        return;
    }
    let disk = Loop::new(64 << 20, |_| {});
    run("mkfs.ext4", &["-q", disk.name()]).expect("a file system");
    let (mounted, out) = (
        Mounted::device(&disk.device).expect("mounted"),
        tempfile::tempdir().expect("a folder"),
    );
    let point = mounted.path().to_path_buf();
    let line = format!(
        "run --target {} --mix create:60,delete:40 --files 500 --set operations=100000000000 --time 10m --interval 50ms --quiet --no-report --output out",
        point.display()
    );
    let prepared = plumb_in(out.path(), &line);
    let mut command = Command::new(prepared.get_program());
    let child = command
        .args(prepared.get_args())
        .current_dir(out.path())
        .stderr(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .expect("started");
    scratch_in(&point, "files");
    run("umount", &["--lazy", &point.display().to_string()]).expect("unmounted");
    let ended = interrupted(child, &out.path().join("out"));
    let said = String::from_utf8_lossy(&ended.stderr);
    assert!(left_in(&point).is_empty(), "beneath: {:?}", left_in(&point));
    assert_eq!(ended.status.code(), Some(130), "{said}");
    assert!(said.contains("its file system was unmounted"), "{said}");
}

/// Descriptors that hardly suffice: either nothing is begun, or all is cleaned up.
#[test]
fn few_descriptors_leave_no_scratch_folder() {
    for descriptors in 6..=24 {
        let place = tempfile::tempdir().expect("a folder");
        let prepared = plumb_in(
            place.path(),
            "run --target . --mix create:60,delete:40 --files 50 --time 50ms --quiet --no-report --output out",
        );
        let script = format!("ulimit -n {descriptors}; exec \"$0\" \"$@\"");
        let mut command = Command::new("sh");
        command
            .args(["-c", &script])
            .arg(prepared.get_program())
            .args(prepared.get_args())
            .current_dir(place.path());
        let ended = command.stdout(Stdio::null()).output().expect("a shell");
        let said = String::from_utf8_lossy(&ended.stderr);
        let left = left_in(place.path());
        assert!(
            left.iter().all(|name| name == "out"),
            "ulimit -n {descriptors}: {left:?}: {said}"
        );
        assert!(
            ended.status.code().is_some_and(|code| code <= 2),
            "ulimit -n {descriptors}: {} {said}",
            ended.status
        );
    }
}

#[test]
fn what_killed_runs_leave_is_listed_and_removed_by_clean_alone() {
    let place = tempfile::tempdir().expect("a folder");
    let killed = |line: &str, until: &dyn Fn() -> bool| {
        let prepared = plumb_in(place.path(), line);
        let mut command = Command::new(prepared.get_program());
        command
            .args(prepared.get_args())
            .current_dir(place.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let mut child = command.spawn().expect("started");
        for _ in 0..3000 {
            if until() {
                break;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        child.kill().and_then(|()| child.wait()).expect("killed");
    };
    let at = |name: &str| place.path().join(name);
    let has = |name: &str| fs::metadata(at(name)).is_ok_and(|metadata| metadata.len() > 0);
    killed(
        "run --target . --pattern random-write --size 2m --time 10m --quiet --no-report --output a",
        &|| has("a/ticks.jsonl"),
    );
    killed(
        "run --target ./it's-$(here) --pattern random-write --size 2m --time 10m --quiet --no-report --output b",
        &|| has("b/ticks.jsonl"),
    );
    killed(
        "run --target . --mix create:60,delete:40 --files 500 --set operations=100000000000 --time 10m --quiet --no-report --output c",
        &|| has("c/ticks.jsonl"),
    );
    let scratch: Vec<String> = left_in(place.path())
        .into_iter()
        .filter(|name| name.starts_with(".plumb-"))
        .collect();
    assert_eq!(scratch.len(), 2, "{:?}", left_in(place.path()));
    fs::write(at("own"), "mine").expect("written");
    fs::write(at(&scratch[0]).join("letter"), "mine").expect("written");
    let before = left_in(place.path());
    let listed = output_of(plumb_in(place.path(), "clean ."), 0);
    assert!(
        scratch.iter().all(|name| listed.contains(name.as_str()))
            && listed.contains("it's-$(here)"),
        "{listed}"
    );
    assert!(
        !listed.contains("own") && listed.contains("plumb clean . --remove"),
        "{listed}"
    );
    assert_eq!(left_in(place.path()), before, "listing removes nothing");
    let said = {
        let output = plumb_in(place.path(), "clean . --remove")
            .output()
            .expect("started");
        assert_eq!(
            output.status.code(),
            Some(2),
            "one folder holds what plumb did not make"
        );
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    assert!(said.contains("letter was not created by plumb"), "{said}");
    assert_eq!(
        left_in(place.path()),
        [scratch[0].as_str(), "a", "b", "c", "own"]
    );
    assert_eq!(left_in(&at(&scratch[0])), ["letter", "plumb.pid"]);
    fs::remove_file(at(&scratch[0]).join("letter")).expect("removed");
    output_of(plumb_in(place.path(), "clean . --remove"), 0);
    assert_eq!(left_in(place.path()), ["a", "b", "c", "own"]);
}

#[test]
fn copy_programs_are_not_run_where_others_may_lead_them_astray() {
    if !may_mount("copy_programs_are_not_run_where_others_may_lead_them_astray") {
        return;
    }
    let place = directory_of_attacker();
    let mut command = plumb_in(place.path(), "copy-test cp --rounds 1 --quiet --output out");
    command.current_dir(place.path().join("home"));
    let error = refusal_of(command);
    assert!(
        error.contains("can be changed by another user") && error.contains("run as that user"),
        "{error}"
    );
    assert!(left_in(&place.path().join("home")).is_empty());
}
