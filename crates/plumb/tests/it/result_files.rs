//! Are existing files at the path of a report or export kept? Devices, records, symlinks, foreign files; pipes are written.

use crate::fixtures::{Loop, Mounted, may_mount, run};
use crate::{left_in, output_of, plumb_in, refusal_of};

const QUICK: &str =
    "run --target null: --block 4k --operations 2000 --quiet --no-report --set interval=10ms";

/// A folder with two stored runs, `a` and `b`.
fn two_runs() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["a", "b"] {
        output_of(
            plumb_in(folder.path(), &format!("{QUICK} --output {name}")),
            0,
        );
    }
    folder
}

#[test]
fn a_report_never_replaces_what_is_no_report() {
    let folder = two_runs();
    let header = std::fs::read(folder.path().join("a/run.json")).expect("a header");
    std::fs::write(folder.path().join("letter"), "of somebody").expect("written");
    std::os::unix::fs::symlink("letter", folder.path().join("link.html")).expect("a symlink");
    for verb in ["show a", "compare a b", "trend ."] {
        for (place, what) in [
            ("a/run.json", "not a plumb report"),
            ("letter", "not a plumb report"),
            ("link.html", "a symlink to letter"),
            ("b", "a folder"),
        ] {
            let error = refusal_of(plumb_in(folder.path(), &format!("{verb} --report {place}")));
            assert!(
                error.contains(place)
                    && error.contains(what)
                    && error.contains("choose a file name"),
                "{error}"
            );
        }
        // Its own page is replaced by every verb, also by another one.
        for _ in 0..2 {
            plumb_in(folder.path(), &format!("{verb} --report page.html"))
                .output()
                .expect("started");
        }
        assert!(
            std::fs::read_to_string(folder.path().join("page.html"))
                .expect("a page")
                .ends_with("</html>\n")
        );
        std::fs::read(folder.path().join("page.html")).expect("a page");
    }
    assert_eq!(
        std::fs::read(folder.path().join("a/run.json")).expect("a header"),
        header
    );
    assert_eq!(
        std::fs::read(folder.path().join("letter")).expect("a letter"),
        b"of somebody"
    );
    assert_eq!(
        left_in(folder.path()),
        ["a", "b", "letter", "link.html", "page.html"]
    );
}

/// Refused before the load, which would take ten minutes: nothing is made, neither at the targets nor as a record.
#[test]
fn a_place_for_a_report_is_looked_at_before_anything_is_measured() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["data", "other", "folder"] {
        std::fs::create_dir(folder.path().join(name)).expect("a folder");
    }
    std::fs::write(folder.path().join("letter"), "of somebody").expect("written");
    std::os::unix::fs::symlink("nowhere", folder.path().join("link.html")).expect("a symlink");
    let plan = "name = 'p'\n[defaults]\nsize = '1m'\ntime = '10m'\n[[step]]\nname = 'w'\npattern = 'random-write'\n";
    std::fs::write(folder.path().join("p.toml"), plan).expect("a plan");
    let before = left_in(folder.path());
    for verb in [
        "compare --live p.toml data other --quiet --output out",
        "copy-test --from data --to other --tree large:100m --rounds 900 --quiet --output out cp",
        "layers --device none --files data --cached --time 10m --size 4m --quiet --output out",
    ] {
        for (place, what) in [
            ("letter", "not a plumb report"),
            ("link.html", "a symlink"),
            ("folder", "a folder"),
            ("folder/", "a folder"),
            ("new/", "directory"),
            ("missing/page.html", "No such file or directory"),
            ("letter/page.html", "Not a directory"),
            ("/proc/page.html", "cannot be written"),
        ] {
            let mut command = plumb_in(folder.path(), &format!("{verb} --report {place}"));
            command.timeout(std::time::Duration::from_secs(60));
            let error = refusal_of(command);
            assert!(
                error.contains(what) && error.contains("nothing was run"),
                "{verb} {place}: {error}"
            );
            assert_eq!(left_in(folder.path()), before, "{verb} {place}");
            assert!(
                left_in(&folder.path().join("data")).is_empty()
                    && left_in(&folder.path().join("other")).is_empty()
            );
        }
    }
    // In the folder of the record, which is yet to be made, a page can be written.
    let line = "copy-test --from data --to other --tree small:3x1k --rounds 1 --quiet --output out --report out/mine.html cp";
    output_of(plumb_in(folder.path(), line), 0);
    assert!(folder.path().join("out/mine.html").is_file());
}

#[test]
fn a_mounted_device_is_no_place_for_a_report() {
    if !may_mount("a_mounted_device_is_no_place_for_a_report") {
        return;
    }
    let folder = two_runs();
    let disk = Loop::new(16 << 20, |_| {});
    run("mkfs.ext4", &["-q", disk.name()]).expect("a file system");
    let mounted = Mounted::device(&disk.device).expect("mounted");
    for verb in ["show a", "compare a b", "trend ."] {
        let error = refusal_of(plumb_in(
            folder.path(),
            &format!("{verb} --report {}", disk.name()),
        ));
        assert!(error.contains("a block device"), "{error}");
    }
    drop(mounted);
    run("e2fsck", &["-fn", disk.name()]).expect("untouched");
}

#[test]
fn a_report_goes_into_pipes_as_ever() {
    let folder = two_runs();
    let page = output_of(plumb_in(folder.path(), "show a --report /dev/stdout"), 0);
    assert!(page.starts_with("<!doctype html>"), "{page}");
    let script = format!(
        "{} show a --report >(cat >piped.html; echo done >&2) >/dev/null; wait",
        env!("CARGO_BIN_EXE_plumb")
    );
    match std::process::Command::new("bash")
        .args(["-c", &script])
        .current_dir(folder.path())
        .output()
    {
        Ok(output) => {
            let page = std::fs::read_to_string(folder.path().join("piped.html")).expect("a page");
            assert!(page.ends_with("</html>\n"), "{output:?}");
        }
        Err(error) => println!("skipped: bash: {error}"),
    }
}

#[test]
fn an_export_is_a_new_file() {
    let folder = two_runs();
    std::os::unix::fs::symlink("letter", folder.path().join("link.csv")).expect("a symlink");
    std::fs::write(folder.path().join("there.csv"), "x").expect("written");
    for place in ["link.csv", "there.csv", "a/run.json"] {
        let error = refusal_of(plumb_in(
            folder.path(),
            &format!("export a --format csv --output {place}"),
        ));
        assert!(
            error.contains("it was not changed") && error.contains("--output"),
            "{error}"
        );
    }
    assert!(!folder.path().join("letter").exists());
}
