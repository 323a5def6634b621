//! Does `plumb watch --loop` record repeatedly, and remove only its own recordings?

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::{json_of, left_in, output_of, plumb_in, refusal_of};

fn started(folder: &Path, line: &str) -> Child {
    let prepared = plumb_in(folder, line);
    Command::new(prepared.get_program())
        .args(prepared.get_args())
        .current_dir(folder)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("started")
}

/// The recordings that were seen there, when these were so many.
fn seen_in(directory: &Path, count: usize, mut with_each: impl FnMut(&str)) -> BTreeSet<String> {
    let mut seen = BTreeSet::new();
    for _ in 0..6000 {
        let there = match directory.exists() {
            true => left_in(directory),
            false => Vec::new(),
        };
        for name in there.into_iter().filter(|name| name.ends_with(".plumb")) {
            if directory.join(&name).join("readings.jsonl").exists() && seen.insert(name.clone()) {
                with_each(&name);
            }
        }
        if seen.len() >= count {
            return seen;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("{} recordings in {}", seen.len(), directory.display());
}

fn interrupted(mut child: Child) -> Option<i32> {
    let sent = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(sent.expect("kill is there").success());
    child.wait().expect("ended").code()
}

#[test]
fn only_the_newest_recordings_stay_and_whatever_else_is_there() {
    let folder = tempfile::tempdir().expect("folder");
    let loops = folder.path().join("loops");
    std::fs::create_dir_all(loops.join("mine.plumb")).expect("made");
    std::fs::write(loops.join("mine.plumb/run.json"), "mine").expect("written");
    let line = "watch --set cpu --interval 100ms --duration 400ms --loop --keep 2 --output loops";
    let child = started(folder.path(), line);
    // Somebody notes something beside the first recording.
    let mut noted = None;
    let seen = seen_in(&loops, 6, |name| {
        if noted.is_none() && name != "mine.plumb" {
            std::fs::write(loops.join(name).join("note.txt"), "a note").expect("written");
            noted = Some(name.to_string());
        }
    });
    assert_eq!(interrupted(child), Some(0));
    let noted = noted.expect("a recording");
    let left = left_in(&loops);
    assert_eq!(left_in(&loops.join("mine.plumb")), ["run.json"]);
    assert_eq!(left_in(&loops.join(&noted)), ["note.txt"]);
    let kept: Vec<&String> = left
        .iter()
        .filter(|name| **name != "mine.plumb" && **name != noted)
        .collect();
    assert_eq!(kept.len(), 2, "{left:?} of {seen:?}");
    // Their names are their times, and the first of the two was not cut short.
    let shown = |name: &str| json_of(plumb_in(&loops, &format!("show --json {name}")), 0);
    let states: Vec<_> = kept
        .iter()
        .map(|name| shown(name)["state"].clone())
        .collect();
    let finished = states.iter().filter(|state| **state == "finished");
    assert_eq!(finished.count(), 1, "{states:?} of {left:?}");
}

#[test]
fn a_loop_in_the_background_is_ended_like_any_other() {
    let folder = tempfile::tempdir().expect("folder");
    let asked = |line: &str| {
        let mut command = plumb_in(folder.path(), line);
        command.env("XDG_STATE_HOME", folder.path().join("state"));
        command
    };
    let line = "watch start night --set cpu --interval 100ms --duration 300ms --loop";
    output_of(asked(line), 0);
    seen_in(&folder.path().join("night"), 3, |_| {});
    output_of(asked("watch stop night"), 0);
    let left = left_in(&folder.path().join("night"));
    assert!(left.len() >= 3, "{left:?}");
    let listed = output_of(plumb_in(folder.path(), "list night"), 0);
    assert!(listed.contains(&left[0]), "{listed}");
}

#[test]
fn a_loop_says_what_it_lacks() {
    let folder = tempfile::tempdir().expect("folder");
    let refused = |line: &str| refusal_of(plumb_in(folder.path(), line));
    assert!(refused("watch --loop").contains("--duration"));
    assert!(refused("watch --loop --duration 1s --no-record").contains("--no-record"));
    assert!(refused("watch --duration 1s --keep 3").contains("--loop"));
    assert!(refused("watch --loop --duration 1s --keep 0").contains("0"));
    #[cfg(target_os = "linux")]
    {
        use std::os::unix::fs::PermissionsExt;
        let shared = folder.path().join("shared");
        std::fs::create_dir(&shared).expect("made");
        let everybody = std::fs::Permissions::from_mode(0o777);
        std::fs::set_permissions(&shared, everybody).expect("set");
        let refusal = refused("watch --loop --duration 1s --keep 1 --output shared/here");
        assert!(refusal.contains("other users could"), "{refusal}");
        assert_eq!(left_in(&shared), Vec::<String>::new());
    }
}
