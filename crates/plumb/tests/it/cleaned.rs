//! Are leftovers of a killed run found, named and removed, and nothing else?

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::fault_fs::{FaultFs, Options};
use crate::{left_in, output_of, plumb_in, refusal_of};

/// Starts a command in `folder` and kills it, so that it cannot clean up, as soon as `until` is true.
fn killed(folder: &Path, line: &str, until: &dyn Fn() -> bool) {
    let prepared = plumb_in(folder, line);
    let mut command = Command::new(prepared.get_program());
    command
        .args(prepared.get_args())
        .current_dir(folder)
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    let mut child = command.spawn().expect("started");
    let came = (0..3000).any(|_| {
        std::thread::sleep(Duration::from_millis(20));
        until()
    });
    let by_itself = child.try_wait().expect("a child");
    let _ = child.kill();
    let output = child.wait_with_output().expect("ended");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(
        by_itself.is_none(),
        "it ended by itself ({by_itself:?}): {line}: {error}"
    );
    assert!(came, "what was waited for did not come: {line}: {error}");
}

fn scratch_in(folder: &Path) -> Option<PathBuf> {
    let names = left_in(folder)
        .into_iter()
        .filter(|name| name.starts_with(".plumb-"));
    names
        .map(|name| folder.join(name))
        .find(|path| path.is_dir())
}

/// Standard error of `plumb clean --remove` that leaves something.
fn left_by_clean(folder: &Path) -> String {
    let output = plumb_in(folder, "clean . --remove")
        .output()
        .expect("started");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(
        output.status.code(),
        Some(2),
        "{}{said}",
        String::from_utf8_lossy(&output.stdout)
    );
    said
}

#[test]
fn a_users_file_under_a_name_of_plumbs_small_files_stays() {
    for content in ["random", "zeros", "pattern:deadbeef", "reused", "scrambled"] {
        let place = tempfile::tempdir().expect("a folder");
        let line = format!(
            "run --target . --mix create:60,stat:20,read-file:20 --files 300 --set content={content} --set operations=100000000000 --time 10m --quiet --no-report --output out"
        );
        let has = |name: &str| {
            fs::metadata(place.path().join(name)).is_ok_and(|metadata| metadata.len() > 0)
        };
        killed(place.path(), &line, &|| has("out/ticks.jsonl"));
        let zero = scratch_in(place.path())
            .expect("a scratch folder")
            .join("files/0");
        let made = left_in(&zero);
        let own = place.path().join("own");
        fs::write(&own, "mine, moved there").expect("written");
        fs::rename(&own, zero.join(&made[0])).expect("moved in place of one of plumb's");
        fs::write(zero.join("170017"), vec![7; 4096]).expect("made there");
        // A name of plumb's that this run had no use for.
        let shared = zero
            .parent()
            .and_then(Path::parent)
            .expect("a folder")
            .join("shared");
        fs::write(&shared, "mine").expect("written");
        fs::write(zero.join(&made[1]), "mine, written over it").expect("written in place");
        let mut same_size = fs::read(zero.join(&made[2])).expect("there");
        let at = same_size.len() - 5;
        same_size[at..at + 4].copy_from_slice(b"mine");
        fs::write(zero.join(&made[2]), &same_size).expect("written in place");
        let said = left_by_clean(place.path());
        assert!(
            said.contains("was not created by plumb"),
            "{content}: {said}"
        );
        let mut expected = vec![
            "170017".to_string(),
            made[0].clone(),
            made[1].clone(),
            made[2].clone(),
        ];
        // What is read into a buffer that is written again and again cannot be foretold: a file changed in place without another mode or size is plumb's.
        let foretold = !["reused", "scrambled"].contains(&content);
        expected.truncate(if foretold { 4 } else { 2 });
        expected.sort();
        assert_eq!(left_in(&zero), expected, "{content}");
        assert_eq!(
            fs::read_to_string(zero.join(&made[0])).expect("there"),
            "mine, moved there"
        );
        assert_eq!(
            left_in(zero.parent().expect("a parent")),
            ["0"],
            "{content}: all else is gone"
        );
        assert_eq!(fs::read_to_string(&shared).expect("there"), "mine");
    }
}

#[test]
fn a_users_file_among_small_files_stays_at_the_end_of_a_run() {
    let place = tempfile::tempdir().expect("a folder");
    let prepared = plumb_in(
        place.path(),
        "run --target . --mix stat --files 300 --time 10m --interval 50ms --quiet --no-report --output out",
    );
    let mut command = Command::new(prepared.get_program());
    command
        .args(prepared.get_args())
        .current_dir(place.path())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    let child = command.spawn().expect("started");
    for _ in 0..3000 {
        if fs::metadata(place.path().join("out/ticks.jsonl"))
            .is_ok_and(|metadata| metadata.len() > 0)
        {
            break;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let zero = scratch_in(place.path())
        .expect("a scratch folder")
        .join("files/0");
    fs::write(place.path().join("own"), "mine").expect("written");
    fs::rename(place.path().join("own"), zero.join("17")).expect("moved");
    fs::write(zero.join("18"), "mine too").expect("written in place");
    assert!(
        Command::new("kill")
            .args(["-INT", &child.id().to_string()])
            .status()
            .expect("kill")
            .success()
    );
    let ended = child.wait_with_output().expect("ended");
    let said = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(ended.status.code(), Some(130), "{said}");
    assert!(
        said.contains("was not created by plumb and 1 more"),
        "{said}"
    );
    assert_eq!(left_in(&zero), ["17", "18"]);
    assert_eq!(
        fs::read_to_string(zero.join("18")).expect("there"),
        "mine too"
    );
}

#[test]
fn small_files_of_a_killed_run_go_whatever_they_hold() {
    for keys in [
        "--set content=random --set file-size=1-70000",
        "--set content=random --set compress-percent=40 --set file-size=100-20000",
        "--set content=random --set dedupe-percent=50",
        "--set content=reused --set file-size=10000",
        "--set content=zeros",
        "--set content=pattern:010203 --set file-size=5000",
        "--set file-size=0",
        "--set names=random --set folders=7",
    ] {
        let place = tempfile::tempdir().expect("a folder");
        let line = format!(
            "run --target . --mix create:60,rename:20,delete:10,read-file:10 --files 300 {keys} --set operations=100000000000 --time 10m --quiet --no-report --output out"
        );
        killed(place.path(), &line, &|| {
            fs::metadata(place.path().join("out/ticks.jsonl"))
                .is_ok_and(|metadata| metadata.len() > 0)
        });
        assert!(scratch_in(place.path()).is_some(), "{keys}");
        output_of(plumb_in(place.path(), "clean . --remove"), 0);
        assert_eq!(left_in(place.path()), ["out"], "{keys}");
    }
}

/// As vfat and cifs, which show modes of their own making: content alone tells.
#[test]
fn on_a_file_system_without_modes_small_files_are_known_by_their_content() {
    let Some(broken) = FaultFs::mount(Options {
        permissions_only: true,
        ..Options::default()
    }) else {
        return;
    };
    let out = tempfile::tempdir().expect("a folder");
    let point = broken.path().display().to_string();
    let line = format!(
        "run --target {point} --mix create:60,delete:40 --files 300 --time 10m --quiet --no-report --output out"
    );
    killed(out.path(), &line, &|| {
        fs::metadata(out.path().join("out/ticks.jsonl")).is_ok_and(|metadata| metadata.len() > 0)
    });
    let files = scratch_in(broken.path())
        .unwrap_or_else(|| {
            let there = fs::read_dir(broken.path()).map(Iterator::collect::<Vec<_>>);
            panic!("no scratch folder among {there:?}")
        })
        .join("files");
    let folder = files.join(&left_in(&files)[0]);
    fs::write(
        folder.join("170017"),
        "mine, and long enough to be told from what plumb writes",
    )
    .expect("written");
    let said = left_by_clean(broken.path());
    assert!(said.contains("170017 was not created by plumb"), "{said}");
    assert_eq!(left_in(&folder), ["170017"]);
    let line = format!(
        "run --target {point} --mix create:50,delete:50 --files 100 --time 100ms --quiet --no-report --output whole"
    );
    let ended = plumb_in(out.path(), &line).output().expect("started");
    assert!(
        matches!(ended.status.code(), Some(0 | 1)),
        "{}",
        String::from_utf8_lossy(&ended.stderr)
    );
    assert_eq!(
        left_in(broken.path()).len(),
        1,
        "a run that ends leaves nothing there"
    );
}

#[test]
fn a_file_target_that_a_killed_run_left_is_named_with_the_command_that_removes_it() {
    let place = tempfile::tempdir().expect("a folder");
    let has_ticks = |name: &str| {
        fs::metadata(place.path().join(name).join("ticks.jsonl"))
            .is_ok_and(|metadata| metadata.len() > 0)
    };
    let line = |output: &str| {
        format!(
            "run --target it's/x --pattern random-write --size 2m --time 100ms --quiet --no-report --output {output}"
        )
    };
    fs::create_dir(place.path().join("it's")).expect("a folder");
    killed(place.path(), &line("a").replace("100ms", "10m"), &|| {
        has_ticks("a")
    });
    let error = refusal_of(plumb_in(place.path(), &line("b")));
    assert!(
        error.contains("was left by a run that was killed") && !error.contains("did not create"),
        "{error}"
    );
    // What is printed can be typed as it is.
    let command = error
        .split("to remove it: ")
        .nth(1)
        .and_then(|rest| rest.split(';').next())
        .expect("a command");
    let words = command
        .strip_prefix("plumb ")
        .expect("a command of plumb's");
    assert!(
        Command::new("sh")
            .args(["-c", &format!("\"$0\" {words}")])
            .arg(crate::plumb().get_program())
            .status()
            .expect("a shell")
            .success()
    );
    assert!(left_in(&place.path().join("it's")).is_empty());
    output_of(plumb_in(place.path(), &line("c")), 0);
    // One that is still being made is no leftover.
    let busy = line("d").replace("100ms", "10m");
    let prepared = plumb_in(place.path(), &busy);
    let mut command = Command::new(prepared.get_program());
    let mut child = command
        .args(prepared.get_args())
        .current_dir(place.path())
        .stdout(Stdio::null())
        .spawn()
        .expect("started");
    (0..3000).find(|_| {
        std::thread::sleep(Duration::from_millis(20));
        has_ticks("d")
    });
    let error = refusal_of(plumb_in(place.path(), &line("e")));
    child.kill().and_then(|()| child.wait()).expect("killed");
    assert!(
        error.contains("is being created by another run of plumb"),
        "{error}"
    );
}

/// A test file of a killed run is the run's for as long as it holds what the run wrote.
#[test]
fn what_a_user_writes_into_a_test_file_of_a_killed_run_stays() {
    for keys in [
        "--pattern random-write",
        "--pattern random-write --set content=pattern:deadbeef --block 64k",
        "--mix read:50,write:50 --set compress-percent=40 --workers 2",
        "--mix read:50,write:50 --set content=reused",
        "--pattern random-write --set verify=true",
        "--mix write:90,trim:10 --set dedupe-percent=50 --block 8k",
    ] {
        let place = tempfile::tempdir().expect("a folder");
        let (test_file, has) = (place.path().join("x"), |name: &str| {
            fs::metadata(place.path().join(name)).is_ok_and(|of| of.len() > 0)
        });
        let line = |target: &str, output: &str| {
            format!(
                "run --target {target} {keys} --size 2m --time 10m --interval 50ms --quiet --no-report --output {output}"
            )
        };
        // 1. A few bytes of the user's in it; 2. his own file copied over it; 3. untouched.
        killed(place.path(), &line("./x", "a"), &|| has("a/ticks.jsonl"));
        let mut bytes = fs::read(&test_file).expect("there");
        let whole = bytes.clone();
        bytes[1_000_000..1_000_004].copy_from_slice(b"mine");
        for (what, content) in [
            ("changed", bytes.as_slice()),
            ("copied over", b"a letter of the user, copied in place"),
        ] {
            fs::write(&test_file, content).expect("written in place");
            let said = left_by_clean(place.path());
            assert!(
                said.contains("contains data that plumb may not have written")
                    && said.contains("rm "),
                "{keys}: {what}: {said}"
            );
            assert_eq!(
                fs::read(&test_file).expect("there"),
                content,
                "{keys}: {what}"
            );
            assert!(
                refusal_of(plumb_in(place.path(), &line("./x", "b")))
                    .contains("was left by a run that was killed"),
                "{keys}"
            );
        }
        fs::write(&test_file, whole).expect("written in place");
        output_of(plumb_in(place.path(), "clean . --remove"), 0);
        assert_eq!(left_in(place.path()), ["a"], "{keys}");
    }
}

#[test]
fn what_a_user_writes_into_a_kept_file_of_a_killed_run_stays() {
    let place = tempfile::tempdir().expect("a folder");
    let line = |time: &str, output: &str| {
        format!(
            "run --target . --pattern random-write --size 2m --time {time} --interval 50ms --keep --quiet --no-report --output {output}"
        )
    };
    let has = |name: &str| fs::metadata(place.path().join(name)).is_ok_and(|of| of.len() > 0);
    killed(place.path(), &line("10m", "a"), &|| has("a/ticks.jsonl"));
    let kept = place.path().join("plumb-kept/shared");
    let whole = fs::read(&kept).expect("there");
    fs::write(&kept, "mine, and long enough to be told").expect("written in place");
    assert!(
        refusal_of(plumb_in(place.path(), &line("50ms", "b")))
            .contains("was changed since plumb created it")
    );
    assert_eq!(
        fs::read_to_string(&kept).expect("there"),
        "mine, and long enough to be told"
    );
    fs::write(&kept, whole).expect("written in place");
    output_of(plumb_in(place.path(), &line("50ms", "c")), 0);
}

#[test]
fn what_a_user_writes_into_a_file_of_blocks_of_a_killed_run_stays() {
    for (keys, foretold) in [
        ("", true),
        ("--engine mmap --direct=false", false),
        ("--block 1000", false),
    ] {
        let place = tempfile::tempdir().expect("a folder");
        let line = format!(
            "run --target . --pattern random-write {keys} --size 2m --time 10m --interval 50ms --quiet --no-report --output out"
        );
        let has = |name: &str| fs::metadata(place.path().join(name)).is_ok_and(|of| of.len() > 0);
        killed(place.path(), &line, &|| has("out/ticks.jsonl"));
        let shared = scratch_in(place.path())
            .expect("a scratch folder")
            .join("shared");
        let whole = fs::read(&shared).expect("there");
        if foretold {
            fs::write(&shared, "mine, and long enough to be told").expect("written in place");
            assert!(
                left_by_clean(place.path()).contains("shared was not created by plumb"),
                "{keys}"
            );
            assert_eq!(
                fs::read_to_string(&shared).expect("there"),
                "mine, and long enough to be told"
            );
        }
        fs::write(&shared, whole).expect("written in place");
        output_of(plumb_in(place.path(), "clean . --remove"), 0);
        assert_eq!(left_in(place.path()), ["out"], "{keys}");
    }
}

/// A run that is killed between its first call and the note of whose the folder is leaves it empty, or with a note that says nothing.
#[test]
fn an_empty_scratch_folder_is_named_and_removed_and_one_with_anything_in_it_is_not() {
    use std::os::unix::fs::DirBuilderExt;
    let folder = tempfile::tempdir().expect("folder");
    let make = |name: &str| {
        let path = folder.path().join(name);
        std::fs::DirBuilder::new()
            .mode(0o700)
            .create(&path)
            .expect("made");
        path
    };
    let (empty, begun) = (
        make(".plumb-0123456789abcdef"),
        make(".plumb-fedcba9876543210"),
    );
    std::fs::write(begun.join("plumb.pid"), "").expect("written");
    let (mine, other) = (make(".plumb-00000000000000aa"), make(".plumb-notes"));
    std::fs::write(mine.join("plumb.pid"), "").expect("written");
    std::fs::write(mine.join("thesis"), "years").expect("written");
    let told = crate::output_of(crate::plumb_in(folder.path(), "clean ."), 0);
    assert!(
        told.contains("0123456789abcdef")
            && told.contains("fedcba9876543210")
            && told.contains("killed at its start"),
        "{told}"
    );
    assert!(!told.contains("00aa") && !told.contains("notes"), "{told}");
    crate::output_of(crate::plumb_in(folder.path(), "clean . --remove"), 0);
    assert!(!empty.exists() && !begun.exists() && mine.join("thesis").exists() && other.exists());
}
