//! Which messages and files remain if the system runs out of resources: file size, space for the record, threads?

use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Output};

use crate::fixtures::{Mounted, may_mount};
use crate::{left_in, measured, plumb_in};

/// The command under a limit of the shell.
fn limited(folder: &std::path::Path, limit: &str, line: &str) -> Output {
    let script = format!("{limit} && exec {} {line}", env!("CARGO_BIN_EXE_plumb"));
    Command::new("sh")
        .args(["-c", &script])
        .env("NO_COLOR", "1")
        .current_dir(folder)
        .output()
        .expect("a shell")
}

#[test]
fn a_write_beyond_the_limit_of_file_sizes_is_an_error_and_not_the_end() {
    let folder = tempfile::tempdir().expect("a folder");
    // The record itself is what becomes too long.
    let line = "run --target null: --block 4k --time 2s --set interval=10ms --quiet --no-report --output out";
    let output = limited(folder.path(), "ulimit -f 24", line);
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(
        error.contains("File too large") && error.contains("plumb show out"),
        "{error}"
    );
    measured(plumb_in(folder.path(), "show out --json"));
}

#[test]
fn a_full_disk_at_the_start_leaves_nothing_and_blocks_nothing() {
    if !may_mount("a_full_disk_at_the_start_leaves_nothing_and_blocks_nothing") {
        return;
    }
    let disk = Mounted::tmpfs("size=64k");
    let ballast = disk.path().join("ballast");
    std::fs::write(&ballast, vec![1; 60 << 10]).expect("almost full");
    let line = "run --target null: --block 4k --operations 1000 --quiet --no-report --set interval=10ms --output out";
    let output = plumb_in(disk.path(), line).output().expect("started");
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert!(
        error.contains("nothing was measured")
            && error.contains("free space")
            && !error.contains("plumb show"),
        "{error}"
    );
    assert_eq!(left_in(disk.path()), ["ballast"]);
    std::fs::remove_file(&ballast).expect("removed");
    // What a killed start leaves is named and in nobody's way.
    std::fs::create_dir(disk.path().join("out"))
        .and_then(|()| std::fs::write(disk.path().join("out/run.json.part"), "{\n  \"for"))
        .expect("a part");
    let shown = plumb_in(disk.path(), "show out").output().expect("started");
    assert!(
        String::from_utf8_lossy(&shown.stderr).contains("nothing was measured"),
        "{shown:?}"
    );
    let output = plumb_in(disk.path(), line).output().expect("started");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(
        String::from_utf8_lossy(&output.stderr).contains("ended before it measured anything"),
        "{output:?}"
    );
}

#[test]
fn a_disk_that_becomes_full_under_the_record_ends_the_run_and_keeps_what_was_measured() {
    if !may_mount(
        "a_disk_that_becomes_full_under_the_record_ends_the_run_and_keeps_what_was_measured",
    ) {
        return;
    }
    let (disk, folder) = (
        Mounted::tmpfs("size=128k"),
        tempfile::tempdir().expect("a folder"),
    );
    let line = format!(
        "run --target . --set mix=read:50,write:50 --block 4k --size 4m --workers 4 --time 20s --quiet --no-report --set interval=10ms --output {}/out",
        disk.path().display()
    );
    let output = plumb_in(folder.path(), &line).output().expect("started");
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert!(
        error.contains("recording failed: No space left on device") && error.contains("plumb show"),
        "{error}"
    );
    assert!(
        left_in(folder.path()).is_empty(),
        "{:?}",
        left_in(folder.path())
    );
    let shown = plumb_in(disk.path(), "show out --json")
        .output()
        .expect("started");
    let summary: serde_json::Value = serde_json::from_slice(&shown.stdout).expect("JSON");
    assert_eq!(summary["state"], "incomplete", "{summary}");
    assert!(
        summary["steps"][0]["total"]["count"]
            .as_u64()
            .is_some_and(|count| count > 0),
        "{summary}"
    );
}

#[test]
fn too_few_threads_are_an_error_and_no_panic() {
    if !may_mount("too_few_threads_are_an_error_and_no_panic") {
        return;
    }
    // The limit counts the threads of a user, and root has none: a user that nobody else is, with the command where everybody may run it.
    let folder = tempfile::tempdir().expect("a folder");
    let command = folder.path().join("plumb");
    std::fs::copy(env!("CARGO_BIN_EXE_plumb"), &command).expect("a copy");
    std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o777))
        .expect("open to all");
    let line =
        "run --target . --block 4k --size 1m --operations 1000 --quiet --no-report --output out";
    for threads in 1..=6 {
        let user = ["--reuid=54321", "--clear-groups", "prlimit"];
        let limit = format!("--nproc={threads}");
        let program = command.to_str().expect("a name");
        let started = Command::new("setpriv")
            .args(user)
            .args([limit.as_str(), program])
            .args(line.split(' '))
            .current_dir(folder.path())
            .output();
        let Ok(output) = started else {
            println!("skipped: setpriv is not installed");
            return;
        };
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            matches!(output.status.code(), Some(0..=2)),
            "{threads}: {output:?}"
        );
        assert!(!error.contains("panicked"), "{threads}: {error}");
        if output.status.code() == Some(2) {
            assert!(
                error.contains("thread") || error.contains("worker"),
                "{threads}: {error}"
            );
            let left: Vec<_> = left_in(folder.path())
                .into_iter()
                .filter(|name| name != "plumb" && name != "out")
                .collect();
            assert!(left.is_empty(), "{left:?}");
        }
        let _ = std::fs::remove_dir_all(folder.path().join("out"));
    }
}

#[test]
fn names_from_elsewhere_give_no_orders_to_the_terminal() {
    let folder = tempfile::tempdir().expect("a folder");
    output_of_import(folder.path());
    for verb in ["show", "list", "compare", "markdown"] {
        let line = match verb {
            "show" => "show plumb-import-run.plumb",
            "list" => "list .",
            "compare" => "compare plumb-import-run.plumb plumb-import-run.plumb",
            _ => "compare plumb-import-run.plumb plumb-import-run.plumb --markdown",
        };
        let output = plumb_in(folder.path(), line).output().expect("started");
        let bytes = [output.stdout, output.stderr].concat();
        assert!(
            !bytes.contains(&0x1b) && !bytes.contains(&0x07),
            "{verb}: {}",
            String::from_utf8_lossy(&bytes)
        );
    }
    let shown = plumb_in(folder.path(), "show plumb-import-run.plumb")
        .output()
        .expect("started");
    let text = String::from_utf8_lossy(&shown.stdout).into_owned();
    assert!(text.contains("\\u{1b}]0;pwned\\u{7}"), "{text}");
    let json: serde_json::Value = serde_json::from_slice(
        &plumb_in(folder.path(), "show plumb-import-run.plumb --json")
            .output()
            .expect("started")
            .stdout,
    )
    .expect("JSON");
    assert!(json.to_string().contains("\\u001b]0;pwned"), "{json}");
    // A target's name in a refusal.
    let name = "a\u{1b}]0;pwned\u{7}\u{9b}31m";
    std::fs::write(folder.path().join(name), "x").expect("written");
    let mut command = plumb_in(
        folder.path(),
        "run --block 4k --pattern random-write --operations 1 --quiet --target",
    );
    let error = command.arg(name).output().expect("started").stderr;
    assert!(
        !error.contains(&0x1b)
            && String::from_utf8_lossy(&error).contains("\\u{1b}]0;pwned\\u{7}\\u{9b}31m"),
        "{}",
        String::from_utf8_lossy(&error)
    );
}

/// A run of fio whose job has a name that sets the title of the terminal, imported as `plumb-import-run.plumb`.
fn output_of_import(folder: &std::path::Path) {
    let text = include_str!("../../../../testdata/imported/fio-3.33-unified.json");
    let at = text.find("\"jobname\"").expect("a job");
    let value = at
        + text[at..]
            .find(": \"")
            .or_else(|| text[at..].find(":\""))
            .expect("a value");
    let quote = value + text[value..].find('"').expect("a quote") + 1;
    let named = format!("{}\\u001b]0;pwned\\u0007{}", &text[..quote], &text[quote..]);
    std::fs::write(folder.join("run.json"), named).expect("written");
    let output = plumb_in(folder, "import run.json")
        .output()
        .expect("started");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(
        !output.stderr.contains(&0x1b) && !output.stdout.contains(&0x1b),
        "{output:?}"
    );
}

#[test]
fn memory_that_runs_out_ends_a_run_in_good_order() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(folder.path().join("t")).expect("a target");
    let line = "run --target t --set mix=read --block 1m --depth 4 --workers 2 --set size=64m --time 100ms --quiet --no-report --output out";
    let (mut ran_out, mut finished) = (0, 0);
    let at =
        |mib: u64, line: &str| limited(folder.path(), &format!("ulimit -v {}", mib << 10), line);
    // Below that, what loads programs fails, and nothing of plumb has begun: how much it is goes by the size of the program, and with how far it was optimized.
    let loads = (1..200)
        .map(|step| 5 * step)
        .find(|mib| at(*mib, "--version").status.success())
        .expect("a gigabyte is enough");
    for mib in (loads..loads + 110).step_by(5) {
        let output = at(mib, line);
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            matches!(output.status.code(), Some(0..=2)),
            "{mib} MiB: {output:?}"
        );
        assert!(
            !error.contains("panicked") && !error.contains("memory allocation of"),
            "{mib} MiB: {error}"
        );
        assert!(
            left_in(&folder.path().join("t")).is_empty(),
            "{mib} MiB: {:?}",
            left_in(&folder.path().join("t"))
        );
        ran_out += u32::from(error.contains("memory"));
        finished += u32::from(output.status.code() == Some(0));
        let _ = std::fs::remove_dir_all(folder.path().join("out"));
    }
    assert!(ran_out >= 2 && finished >= 2, "{ran_out} {finished}");
}
