//! Can a device be mounted between the permission check and the first write? No: plumb claims it before the check.

use std::process::{Command, Stdio};

use crate::fixtures::{Loop, may_mount, run};

/// strace holds the program for four seconds at the last thing that it looks at before it opens the device for writing. What somebody does with the device
/// in that time must fail, or plumb must not write.
#[test]
fn a_device_is_not_formatted_and_mounted_behind_the_question() {
    if !may_mount("a_device_is_not_formatted_and_mounted_behind_the_question") {
        return;
    }
    let disk = Loop::new(32 << 20, |_| {});
    let folder = tempfile::tempdir().expect("a folder");
    let name = disk.name().trim_start_matches("/dev/");
    let number = std::fs::read_to_string(format!("/sys/block/{name}/dev")).expect("a number");
    let asked = format!("/sys/dev/block/{}/ro", number.trim());
    let point = folder.path().join("point");
    std::fs::create_dir(&point).expect("a folder");
    let mut held = Command::new("strace");
    held.args([
        "-f",
        "-o",
        "trace",
        "-e",
        "trace=openat",
        "-P",
        &asked,
        "-e",
        "inject=openat:delay_enter=4000000",
        env!("CARGO_BIN_EXE_plumb"),
    ]);
    let line = format!(
        "run --target {} --overwrite --block 4k --pattern random-write --operations 500 --quiet --no-report --output out",
        disk.name()
    );
    let held = held
        .args(line.split(' '))
        .current_dir(folder.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let Ok(held) = held else {
        println!("skipped: strace is not installed");
        return;
    };
    std::thread::sleep(std::time::Duration::from_millis(1500));
    let made = run("mkfs.ext4", &["-q", disk.name()]);
    let mounted = run("mount", &[disk.name(), point.to_str().expect("a name")]);
    let output = held.wait_with_output().expect("ended");
    if mounted.is_ok() {
        run("umount", &[point.to_str().expect("a name")]).expect("unmounted");
        assert_eq!(
            output.status.code(),
            Some(2),
            "it was mounted, and plumb wrote: {made:?} {output:?}"
        );
        run("e2fsck", &["-fn", disk.name()]).expect("untouched");
    }
}
