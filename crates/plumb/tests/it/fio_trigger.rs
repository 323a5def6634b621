//! Does a trigger stop the jobs of `plumb fio` as in fio?

use std::fs;
use std::path::Path;
use std::process::Output;
use std::time::{Duration, Instant};

use crate::fio_pair::{by_fio, by_plumb};

const JOB: &str = "--name=a --rw=write --bs=4k --size=1m --verify=md5 --time_based --runtime=20";

#[test]
fn a_trigger_ends_the_jobs_and_runs_its_command() {
    let line = format!("--allow-exec {JOB} --trigger-timeout=1 --trigger=echo~pulled;touch~ran");
    let ended = |folder: &Path, output: &Output, took: Duration| {
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{said}");
        assert!(took < Duration::from_secs(15), "{took:?}");
        assert!(folder.join("ran").exists(), "{said}");
        let told = String::from_utf8_lossy(&output.stdout);
        // The command before the result.
        let order = [told.find("pulled"), told.find("a: (groupid=0")];
        assert!(order[0].is_some() && order[0] < order[1], "{told}");
        assert!(folder.join("local-a-0-verify.state").exists(), "{said}");
    };
    let folders = [(); 2].map(|()| tempfile::tempdir().expect("folder"));
    let began = Instant::now();
    ended(
        folders[0].path(),
        &by_plumb(folders[0].path(), &line),
        began.elapsed(),
    );
    let began = Instant::now();
    if let Some(of_fio) = by_fio(folders[1].path(), &line) {
        ended(folders[1].path(), &of_fio, began.elapsed());
    }
}

#[test]
fn a_file_that_appears_is_a_trigger() {
    // It counts also where it is there before the jobs, whose file may then be incomplete.
    for is_early in [true, false] {
        let folder = tempfile::tempdir().expect("folder");
        let trigger = folder.path().join("now");
        let line = format!("{JOB} --trigger-file=now");
        let began = Instant::now();
        let output = std::thread::scope(|scope| {
            scope.spawn(|| {
                if !is_early {
                    std::thread::sleep(Duration::from_millis(1500));
                }
                fs::write(&trigger, "").expect("written");
            });
            by_plumb(folder.path(), &line)
        });
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{said}");
        assert!(began.elapsed() < Duration::from_secs(15), "{said}");
        assert!(!trigger.exists(), "it counts once");
        assert!(said.contains("the trigger stopped"), "{said}");
    }
    // What holds anything is not removed.
    let folder = tempfile::tempdir().expect("folder");
    let trigger = folder.path().join("now");
    fs::write(&trigger, "notes of mine").expect("written");
    let output = by_plumb(folder.path(), &format!("{JOB} --trigger-file=now"));
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(fs::read_to_string(&trigger).expect("read"), "notes of mine");
}

#[test]
fn a_command_needs_the_word_of_the_user() {
    let folder = tempfile::tempdir().expect("folder");
    let line = "--name=a --size=64k --trigger-timeout=1 --trigger=touch~ran";
    let refused = by_plumb(folder.path(), line);
    let said = String::from_utf8_lossy(&refused.stderr);
    assert_eq!(refused.status.code(), Some(1), "{said}");
    assert!(said.contains("--allow-exec"), "{said}");
    // Jobs that end before it is due end as ever.
    let done = by_plumb(folder.path(), &format!("--allow-exec {line}"));
    assert_eq!(done.status.code(), Some(0));
    assert!(!folder.path().join("ran").exists());
}
