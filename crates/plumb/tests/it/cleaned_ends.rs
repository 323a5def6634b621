//! Are both ends of a killed copy test found from either one, and is a forged record harmless?

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::fixtures::may_mount;
use crate::rsync_daemon::RsyncDaemon;
use crate::{left_in, output_of, plumb, plumb_in, refusal_of};

/// The user `nobody`.
const ATTACKER: u32 = 65_534;

fn has_rsync() -> bool {
    let there = Command::new("rsync")
        .arg("--version")
        .stdout(Stdio::null())
        .status()
        .is_ok();
    if !there {
        println!("skipped: rsync is not installed");
    }
    there
}

/// The scratch folders in a directory that are not in `before`.
fn scratch_in(directory: &Path, before: &[String]) -> Vec<PathBuf> {
    let names = left_in(directory)
        .into_iter()
        .filter(|name| name.starts_with(".plumb-") && !before.contains(name));
    names.map(|name| directory.join(name)).collect()
}

/// Ends the rsync daemon that the killed copy test left, also when the test fails before `plumb clean` does.
struct Daemon(u32);

impl Drop for Daemon {
    fn drop(&mut self) {
        let command = fs::read_to_string(format!("/proc/{}/cmdline", self.0)).unwrap_or_default();
        if command.contains("rsyncd.conf") {
            let _ = Command::new("kill").arg(self.0.to_string()).status();
        }
    }
}

/// A copy test in `place`, killed while a program copies. `from`: where the source is made, when it is said.
fn killed_copy_test(place: &Path, from: Option<&str>) -> Daemon {
    let near: PathBuf = from.map_or("/dev/shm".into(), |from| place.join(from));
    let before = left_in(&near);
    fs::create_dir_all(place.join("far")).expect("a folder");
    let mut command = Command::new(plumb().get_program());
    command
        .args([
            "copy-test",
            "--quiet",
            "--to",
            "far",
            "--tree",
            "small:6x20k",
            "--output",
            "out",
        ])
        .args(from.map(|from| format!("--from={from}")));
    command.args(["rsync-daemon", "slow=sh -c 'sleep 8 # {from} {to}'"]);
    let mut child = command
        .current_dir(place)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("started");
    let came = (0..1500).any(|_| {
        std::thread::sleep(Duration::from_millis(20));
        fs::metadata(place.join("out/b/notes.jsonl")).is_ok_and(|notes| notes.len() > 100)
    });
    child.kill().and_then(|()| child.wait()).expect("killed");
    assert!(came, "the slow program copies");
    let whole = fs::canonicalize(place.join("far"))
        .expect("there")
        .display()
        .to_string();
    let ours = scratch_in(&near, &before).into_iter().find(|folder| {
        let serves = fs::read_to_string(folder.join("daemon/rsyncd.conf")).unwrap_or_default();
        serves.contains(&*place.join("far").display().to_string()) || serves.contains(&whole)
    });
    let ours = ours.expect("a near end");
    // A program that was just being started holds the lock until it runs (fork before exec).
    let far = scratch_in(&place.join("far"), &[])
        .pop()
        .expect("a far end");
    for folder in [&ours, &far] {
        let free =
            || fs::File::open(folder.join("plumb.pid")).is_ok_and(|owner| owner.try_lock().is_ok());
        let is_free = (0..1000).any(|_| {
            std::thread::sleep(Duration::from_millis(5));
            free()
        });
        assert!(is_free, "{} stays locked", folder.display());
    }
    let state = ours.join("daemon/rsyncd.pid");
    Daemon(
        fs::read_to_string(state)
            .expect("a daemon")
            .trim()
            .parse()
            .expect("a number"),
    )
}

#[test]
fn both_ends_of_a_killed_copy_test_are_found_from_either() {
    if !has_rsync() {
        return;
    }
    for from_the_far_end in [true, false] {
        let place = tempfile::tempdir().expect("a folder");
        fs::create_dir(place.path().join("near")).expect("a folder");
        let left = killed_copy_test(place.path(), Some("near"));
        let daemon = left.0;
        let (near, far) = (place.path().join("near"), place.path().join("far"));
        let (left_near, left_far) = (scratch_in(&near, &[]), scratch_in(&far, &[]));
        assert_eq!((left_near.len(), left_far.len()), (1, 1));
        let asked = if from_the_far_end { "far" } else { "near" };
        let listed = output_of(plumb_in(place.path(), &format!("clean {asked}")), 0);
        for folder in left_near.iter().chain(&left_far) {
            assert!(
                listed.contains(&*folder.file_name().expect("a name").to_string_lossy()),
                "from {asked}: {listed}"
            );
        }
        assert!(
            listed.contains("the other end of the copy test in")
                && listed.contains("an rsync daemon that is still running"),
            "{listed}"
        );
        // Six files of 20 kB in the source, and in the tree that is read back.
        assert!(
            listed.lines().filter(|line| line.contains("KiB")).count() == 2,
            "sizes are of all that lies there: {listed}"
        );
        output_of(
            plumb_in(place.path(), &format!("clean {asked} --remove")),
            0,
        );
        assert!(
            left_in(&near).is_empty() && left_in(&far).is_empty(),
            "{:?} {:?}",
            left_in(&near),
            left_in(&far)
        );
        let ended = (0..500).any(|_| {
            std::thread::sleep(Duration::from_millis(20));
            let state = fs::read_to_string(format!("/proc/{daemon}/stat")).unwrap_or_default();
            !state.contains("(rsync)") || state.contains(") Z ")
        });
        assert!(ended, "the daemon has ended");
    }
}

/// Where nobody names a place, the source lies in memory.
#[test]
fn without_a_place_the_source_in_memory_is_found_too() {
    let memory = Path::new("/dev/shm");
    if !has_rsync() || !memory.is_dir() {
        return;
    }
    let place = tempfile::tempdir().expect("a folder");
    let before = left_in(memory);
    let _daemon = killed_copy_test(place.path(), None);
    let far = scratch_in(&place.path().join("far"), &[])
        .pop()
        .expect("a far end");
    // Others may begin a copy test at the same time: ours is the one that names our far end.
    let names_ours = |folder: &PathBuf| {
        fs::read_to_string(folder.join("plumb.pid"))
            .is_ok_and(|text| text.contains(&*far.file_name().expect("a name").to_string_lossy()))
    };
    let near = scratch_in(memory, &before)
        .into_iter()
        .find(names_ours)
        .expect("a near end");
    fs::remove_dir_all(&far).expect("removed, so that nothing leads from it");
    let listed = output_of(plumb_in(place.path(), "clean"), 0);
    assert!(
        listed.contains(&*near.display().to_string()) && listed.contains("plumb clean --remove"),
        "{listed}"
    );
    output_of(plumb_in(place.path(), "clean /dev/shm --remove"), 0);
    assert!(!near.exists());
}

/// A folder with a record like that of the killed run in `like`, and what must not be touched in it.
fn forged(folder: &Path, like: &Path, partner: Option<&Path>) {
    fs::create_dir_all(folder.join("source")).expect("a folder");
    fs::set_permissions(folder, fs::Permissions::from_mode(0o700)).expect("private");
    fs::write(folder.join("source/precious"), "precious").expect("written");
    let record = fs::read_to_string(like.join("plumb.pid")).expect("a record");
    let mut lines: String = record
        .lines()
        .filter(|line| !line.starts_with("partner "))
        .map(|line| format!("{line}\n"))
        .collect();
    if let Some(partner) = partner {
        let of = fs::symlink_metadata(partner).expect("there");
        lines += &format!("partner {} {} {}\n", of.dev(), of.ino(), partner.display());
    }
    fs::write(folder.join("plumb.pid"), lines).expect("written");
}

/// Puts another line for the other end into the record of a scratch folder.
fn name_partner(scratch: &Path, line: &str) {
    let record = fs::read_to_string(scratch.join("plumb.pid")).expect("a record");
    let kept: String = record
        .lines()
        .filter(|line| !line.starts_with("partner "))
        .map(|line| format!("{line}\n"))
        .collect();
    fs::write(scratch.join("plumb.pid"), format!("{kept}{line}\n")).expect("written");
}

#[test]
fn a_forged_other_end_leads_to_nothing_foreign() {
    if !has_rsync() || !may_mount("a_forged_other_end_leads_to_nothing_foreign") {
        return;
    }
    let place = tempfile::tempdir().expect("a folder");
    fs::set_permissions(place.path(), fs::Permissions::from_mode(0o1777)).expect("opened to all");
    let at = |name: &str| place.path().join(name);
    fs::create_dir(at("near")).expect("a folder");
    let _daemon = killed_copy_test(place.path(), Some("near"));
    let (near, far) = (
        scratch_in(&at("near"), &[]).remove(0),
        scratch_in(&at("far"), &[]).remove(0),
    );
    // Folders of root's that look just like scratch folders; one even names the attacker's folder back.
    fs::create_dir(at("root")).expect("a folder");
    let (victim, twin) = (at("root/.plumb-victim"), at("root/.plumb-twin"));
    forged(&victim, &near, None);
    // 1. The attacker's own stale folder names root's.
    let mine = at(".plumb-attacker");
    forged(&mine, &near, Some(&victim));
    forged(&twin, &near, Some(&mine));
    let twin_record = fs::read_to_string(twin.join("plumb.pid")).expect("a record");
    for path in [
        mine.clone(),
        mine.join("plumb.pid"),
        mine.join("source"),
        mine.join("source/precious"),
    ] {
        chown(path, Some(ATTACKER), Some(ATTACKER)).expect("given away");
    }
    let listed = output_of(plumb_in(place.path(), "clean ."), 0);
    assert!(listed.contains("No leftovers of killed runs"), "{listed}");
    // 2. Root's stale folder names a place where the attacker has put a link, or another folder of root's, by now.
    let meta = fs::metadata(&victim).expect("there");
    symlink(&victim, at(".plumb-link")).expect("a link");
    for partner in [
        format!("partner {} {} {}", meta.dev(), meta.ino(), victim.display()),
        format!(
            "partner {} {} {}",
            meta.dev(),
            meta.ino(),
            at(".plumb-link").display()
        ),
        format!("partner 1 1 {}", victim.display()),
        format!(
            "partner {} {} {}/../root/.plumb-victim",
            meta.dev(),
            meta.ino(),
            at("near").display()
        ),
        "partner 1 1 /".to_string(),
        "partner x y".to_string(),
    ] {
        name_partner(&far, &partner);
        let listed = output_of(plumb_in(place.path(), "clean far"), 0);
        assert!(
            listed.contains(".plumb-") && !listed.contains("victim") && !listed.contains("link"),
            "{partner}: {listed}"
        );
    }
    // 3. The attacker himself cleans up, with a record that names root's folder, which names his back.
    let of = fs::metadata(&twin).expect("there");
    let record = fs::read_to_string(mine.join("plumb.pid"))
        .expect("a record")
        .replace(&format!(" {} ", meta.ino()), &format!(" {} ", of.ino()));
    fs::write(mine.join("plumb.pid"), record.replace("victim", "twin")).expect("written");
    let program = plumb().get_program().to_owned();
    let copied = at("plumb");
    // Where everybody may run it.
    crate::copy_program(Path::new(&program), &copied);
    let mut command = Command::new("setpriv");
    command
        .args(["--reuid=65534", "--regid=65534", "--clear-groups"])
        .arg(&copied)
        .args(["clean", ".", "--remove"])
        .current_dir(place.path());
    let ended = command.output().expect("setpriv");
    assert_eq!(
        ended.status.code(),
        Some(0),
        "{}",
        String::from_utf8_lossy(&ended.stderr)
    );
    assert!(!mine.exists(), "his own goes");
    // 4. And root, whose folder names one that its maker says is the other end: that one must name it back.
    name_partner(
        &far,
        &format!("partner {} {} {}", of.dev(), of.ino(), twin.display()),
    );
    output_of(plumb_in(place.path(), "clean far --remove"), 0);
    for folder in [&victim, &twin] {
        assert_eq!(
            fs::read_to_string(folder.join("source/precious")).expect("there"),
            "precious"
        );
    }
    assert_eq!(
        fs::read_to_string(twin.join("plumb.pid")).expect("there"),
        twin_record
    );
    output_of(plumb_in(place.path(), "clean near --remove"), 0);
    assert!(!near.exists());
}

#[test]
fn a_link_that_the_user_names_is_followed_and_said() {
    let place = tempfile::tempdir().expect("a folder");
    if !has_rsync() {
        return;
    }
    fs::create_dir(place.path().join("near")).expect("a folder");
    let _daemon = killed_copy_test(place.path(), Some("near"));
    symlink("far", place.path().join("link")).expect("a link");
    symlink("nowhere", place.path().join("broken")).expect("a link");
    let output = plumb_in(place.path(), "clean link")
        .output()
        .expect("started");
    let (out, said) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    let far = place.path().join("far").canonicalize().expect("there");
    assert!(
        output.status.success() && out.contains("scratch folder"),
        "{out}{said}"
    );
    assert!(
        said.contains(&format!("link is a symlink to {}", far.display())),
        "{said}"
    );
    assert!(refusal_of(plumb_in(place.path(), "clean broken")).contains("the symlink is broken"));
    output_of(plumb_in(place.path(), "clean link --remove"), 0);
    assert!(left_in(&far).is_empty() && place.path().join("link").is_symlink());
}

#[test]
fn deep_trees_go_with_few_descriptors() {
    let place = tempfile::tempdir().expect("a folder");
    if !has_rsync() {
        return;
    }
    fs::create_dir(place.path().join("near")).expect("a folder");
    let _daemon = killed_copy_test(place.path(), Some("near"));
    let far = scratch_in(&place.path().join("far"), &[]).remove(0);
    let script = "i=0; while [ $i -lt 1500 ]; do mkdir d; cd d; echo x >f; i=$((i+1)); done";
    assert!(
        Command::new("sh")
            .args(["-c", script])
            .current_dir(far.join("pristine"))
            .status()
            .expect("a shell")
            .success()
    );
    let script = "ulimit -n 20; exec \"$0\" clean far --remove";
    let ended = Command::new("sh")
        .args(["-c", script])
        .arg(plumb().get_program())
        .current_dir(place.path())
        .output()
        .expect("a shell");
    assert!(
        ended.status.success(),
        "{}",
        String::from_utf8_lossy(&ended.stderr)
    );
    assert!(left_in(&place.path().join("far")).is_empty());
}

#[test]
fn a_copy_test_with_too_few_descriptors_is_refused_before_anything_is_made() {
    let place = tempfile::tempdir().expect("a folder");
    let command = |descriptors: u32| {
        let script = format!(
            "ulimit -n {descriptors}; exec \"$0\" copy-test --quiet --from . --to . --tree small:6x20k --rounds 1 --output out cp"
        );
        let mut command = Command::new("sh");
        command
            .args(["-c", &script])
            .arg(plumb().get_program())
            .current_dir(place.path());
        command.output().expect("a shell")
    };
    for descriptors in [10, 20, 40, 63] {
        let ended = command(descriptors);
        let said = String::from_utf8_lossy(&ended.stderr);
        assert_eq!(ended.status.code(), Some(2), "{said}");
        assert!(
            said.contains("ulimit -n 64") && left_in(place.path()).is_empty(),
            "{said} {:?}",
            left_in(place.path())
        );
    }
    let ended = command(64);
    assert!(
        ended.status.success(),
        "{}",
        String::from_utf8_lossy(&ended.stderr)
    );
    assert_eq!(left_in(place.path()), ["out"]);
    // What is asked for suffices, however many programs there are.
    let more: String = ('a'..='g')
        .map(|name| format!(" '{name}=cp -a {{from}}/. {{to}}'"))
        .collect();
    let line = format!(
        "exec \"$0\" copy-test --quiet --from . --to . --tree small:6x20k --rounds 1 --output more cp{more}"
    );
    let under = |descriptors: u32| {
        let mut command = Command::new("sh");
        command
            .args(["-c", &format!("ulimit -n {descriptors}; {line}")])
            .arg(plumb().get_program())
            .current_dir(place.path());
        command.output().expect("a shell")
    };
    let said = String::from_utf8_lossy(&under(64).stderr).into_owned();
    let asked = said
        .split("ulimit -n ")
        .nth(1)
        .and_then(|rest| rest.split(',').next())
        .expect("a number")
        .parse()
        .expect("a number");
    let ended = under(asked);
    assert!(
        matches!(ended.status.code(), Some(0 | 1)),
        "{}",
        String::from_utf8_lossy(&ended.stderr)
    );
    assert_eq!(left_in(place.path()), ["more", "out"]);
}

/// Only rsync leads to a module: what a killed test left there is named with its address.
#[test]
fn what_a_killed_copy_test_left_on_a_module_is_named() {
    let Some(daemon) = RsyncDaemon::start("") else {
        return println!("skipped: rsync is not installed");
    };
    let place = tempfile::tempdir().expect("a folder");
    let mut command = Command::new(plumb().get_program());
    command.args([
        "copy-test",
        "--quiet",
        "--from",
        ".",
        "--to",
        &daemon.address(),
        "--tree",
        "small:6x20k",
        "--output",
        "out",
    ]);
    command.args(["rsync", "slow=sh -c 'sleep 4 # {from} {to}'"]);
    let mut child = command
        .current_dir(place.path())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("started");
    let came = (0..1500).any(|_| {
        std::thread::sleep(Duration::from_millis(20));
        fs::metadata(place.path().join("out/b/notes.jsonl")).is_ok_and(|notes| notes.len() > 100)
    });
    child.kill().and_then(|()| child.wait()).expect("killed");
    assert!(came, "the slow program copies");
    let left = left_in(&daemon.data());
    assert_eq!(left.len(), 1, "{left:?}");
    let (mut listed, mut tries) = (String::new(), 0);
    while !listed.contains(".plumb-") && tries < 100 {
        // As above: a program that was just being started holds the lock until it runs.
        std::thread::sleep(Duration::from_millis(50));
        (listed, tries) = (output_of(plumb_in(place.path(), "clean ."), 0), tries + 1);
    }
    let address = format!("{}/{}", daemon.address().trim_end_matches('/'), left[0]);
    assert!(
        listed.contains(&format!("which also left {address}")),
        "{listed}"
    );
    output_of(plumb_in(place.path(), "clean . --remove"), 0);
    assert_eq!(left_in(place.path()), ["out"]);
}
