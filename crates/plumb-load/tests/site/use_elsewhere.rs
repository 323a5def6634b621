//! Is use found past names: bind mounts, other mount and PID name spaces, loop devices upon devices and twins of them, writers without a claim?

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use plumb_load::site::{Needs, Overwrite};

use crate::fixtures::{Loop, Mounted, claim, may_mount, refusal, run};

fn writing() -> Needs {
    Needs {
        modifies: true,
        block_bytes: 1 << 20,
        ..Needs::default()
    }
}

/// A shell that prints `ready` and sleeps; ended with the value.
struct Shell(Child);

impl Shell {
    fn new(program: &[&str], script: &str) -> Shell {
        let script = format!("{script}; echo ready; exec sleep 100");
        let mut command = Command::new(program[0]);
        let mut child = command
            .args(&program[1..])
            .args(["sh", "-c", &script])
            .stdout(Stdio::piped())
            .spawn()
            .expect("started");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("its output"))
            .read_line(&mut line)
            .expect("a line");
        assert_eq!(line.trim(), "ready", "{script}");
        Shell(child)
    }
}

impl Drop for Shell {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A path in a bind mount of the folder of `file`.
fn bound(file: &Path) -> (Mounted, std::path::PathBuf) {
    let point = tempfile::tempdir().expect("a folder");
    let name = |path: &Path| path.to_str().expect("a name").to_owned();
    run(
        "mount",
        &[
            "--bind",
            &name(file.parent().expect("a folder")),
            &name(point.path()),
        ],
    )
    .expect("a bind mount");
    let path = point.path().join(file.file_name().expect("a name"));
    (Mounted { point }, path)
}

#[test]
fn a_file_in_use_under_another_name_is_found() {
    if !may_mount("a_file_in_use_under_another_name_is_found") {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let image = folder.path().join("image");
    std::fs::File::create(&image)
        .and_then(|file| file.set_len(16 << 20))
        .expect("an image");
    let (_mounted, other_name) = bound(&image);
    assert!(
        claim(&other_name, &writing(), &Overwrite::Yes).is_ok(),
        "nobody uses it"
    );
    let device = run(
        "losetup",
        &["-f", "--show", image.to_str().expect("a name")],
    )
    .expect("a loop device");
    let error = refusal(&other_name, &writing(), &Overwrite::Yes);
    run("losetup", &["-d", &device]).expect("released");
    assert!(
        error.contains(&format!("the backing file of {device}")),
        "{error}"
    );
    let user = Shell::new(&["env"], &format!("exec 3<{}", image.display()));
    let error = refusal(&other_name, &writing(), &Overwrite::Yes);
    assert!(error.contains("open in process"), "{error}");
    drop(user);
    // In a mount name space in which the file has a name that does not exist here.
    let script = format!(
        "mount -t tmpfs none {0} && mkdir {0}/in && mount --bind {1} {0}/in && exec 3<>{0}/in/image",
        "/mnt",
        folder.path().display()
    );
    let user = Shell::new(&["unshare", "--mount"], &script);
    let error = refusal(&image, &writing(), &Overwrite::Yes);
    assert!(error.contains("open in process"), "{error}");
    drop(user);
    // A program that another test starts at this moment has what this process has open until it begins.
    let mut claimed = claim(&image, &writing(), &Overwrite::Yes);
    for _ in 0..20 {
        if claimed.is_ok() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
        claimed = claim(&image, &writing(), &Overwrite::Yes);
    }
    let refused = claimed.err().map(|error| error.to_string());
    assert_eq!(refused, None, "nobody uses it any more");
}

/// The claim is made by a child in a PID name space of its own: this test, run again there, sees none of the processes outside.
#[test]
fn a_file_that_a_process_out_of_sight_writes_is_found() {
    const CHILD: &str = "PLUMB_TEST_CLAIM";
    if let Some(image) = std::env::var_os(CHILD) {
        println!(
            "{}",
            refusal(Path::new(&image), &writing(), &Overwrite::Yes)
        );
        return;
    }
    if !may_mount("a_file_that_a_process_out_of_sight_writes_is_found") {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let image = folder.path().join("image");
    std::fs::File::create(&image)
        .and_then(|file| file.set_len(16 << 20))
        .expect("an image");
    let own = std::env::current_exe().expect("this program");
    for (how, expected) in [
        ("3<>", "open for writing in a program that is not visible"),
        ("3<", "open for reading in a program that is not visible"),
    ] {
        let _user = Shell::new(&["env"], &format!("exec {how}{}", image.display()));
        let mut claiming = Command::new("unshare");
        claiming
            .args(["--pid", "--fork", "--mount-proc"])
            .arg(&own)
            .env(CHILD, &image);
        let output = claiming
            .args([
                "--exact",
                "--nocapture",
                "use_elsewhere::a_file_that_a_process_out_of_sight_writes_is_found",
            ])
            .output();
        let output = output.expect("unshare");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(
            text.contains(expected),
            "{text}{}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
}

#[test]
fn a_device_that_others_write_or_show_is_found() {
    if !may_mount("a_device_that_others_write_or_show_is_found") {
        return;
    }
    let disk = Loop::new(32 << 20, |_| {});
    assert!(
        claim(&disk.device, &writing(), &Overwrite::Yes).is_ok(),
        "free"
    );
    // A virtual machine holds its disk so; its device file need not be the one in /dev.
    let folder = tempfile::tempdir().expect("a folder");
    let node = folder.path().join("disk");
    run("cp", &["-a", disk.name(), node.to_str().expect("a name")]).expect("a device file");
    let user = Shell::new(&["env"], &format!("exec 3<>{}", node.display()));
    let error = refusal(&disk.device, &writing(), &Overwrite::Yes);
    assert!(error.contains("open for writing in process"), "{error}");
    drop(user);
    let reader = Shell::new(&["env"], &format!("exec 3<{}", node.display()));
    assert!(
        claim(&disk.device, &writing(), &Overwrite::Yes).is_ok(),
        "a reader does no harm"
    );
    drop(reader);
    // A loop device over the device; mounted, it is claimed, and the device beneath is not.
    let upper = run("losetup", &["-f", "--show", disk.name()]).expect("a loop device");
    let shown = refusal(&disk.device, &writing(), &Overwrite::Yes);
    run("mkfs.ext4", &["-q", &upper]).expect("a file system");
    let mounted = Mounted::device(Path::new(&upper)).expect("mounted");
    let in_use = refusal(&disk.device, &writing(), &Overwrite::Yes);
    let point = mounted.path().display().to_string();
    drop(mounted);
    run("losetup", &["-d", &upper]).expect("released");
    assert!(shown.contains(&format!("shown as {upper}")), "{shown}");
    assert!(in_use.contains(&format!("mounted at {point}")), "{in_use}");
}

#[test]
fn a_twin_of_a_loop_device_that_is_mounted_is_found() {
    if !may_mount("a_twin_of_a_loop_device_that_is_mounted_is_found") {
        return;
    }
    let disk = Loop::new(32 << 20, |_| {});
    let image = run("losetup", &["-n", "-O", "BACK-FILE", disk.name()]).expect("its file");
    let twin = run("losetup", &["-f", "--show", &image]).expect("a second loop device");
    run("mkfs.ext4", &["-q", &twin]).expect("a file system");
    let mounted = Mounted::device(Path::new(&twin)).expect("mounted");
    let error = refusal(&disk.device, &writing(), &Overwrite::Yes);
    let point = mounted.path().display().to_string();
    drop(mounted);
    run("losetup", &["-d", &twin]).expect("released");
    assert!(error.contains(&format!("mounted at {point}")), "{error}");
}
