//! Is a stored run shown, complete or killed?

use crate::{left_in, measured, plumb_in};

#[test]
fn a_run_that_was_killed_is_shown_up_to_its_last_interval() {
    let folder = tempfile::tempdir().expect("folder");
    let mut child = std::process::Command::new(assert_cmd::cargo::cargo_bin("plumb"))
        .current_dir(folder.path())
        .args("run --target null: --time 60s --interval 50ms --quiet --output out".split(' '))
        .stdout(std::process::Stdio::null())
        .spawn()
        .expect("started");
    let ticks = folder.path().join("out/ticks.jsonl");
    let lines = || std::fs::read_to_string(&ticks).map_or(0, |text| text.lines().count());
    while lines() < 3 {
        assert!(
            child.try_wait().expect("waited").is_none(),
            "ended before it was killed"
        );
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    child.kill().expect("killed");
    child.wait().expect("ended");
    let out = plumb_in(folder.path(), "show out")
        .output()
        .expect("started");
    assert!(
        String::from_utf8_lossy(&out.stdout).contains("incomplete"),
        "{out:?}"
    );
    let summary = measured(plumb_in(
        folder.path(),
        "show out --json --report page.html",
    ));
    assert_eq!(summary["state"], "incomplete");
    assert!(
        summary["steps"][0]["operations"]["read"]["count"]
            .as_u64()
            .expect("count")
            > 0
    );
    assert_eq!(left_in(folder.path()), ["out", "page.html"]);
    assert!(
        std::fs::read_to_string(folder.path().join("page.html"))
            .expect("page")
            .starts_with("<!doctype html>")
    );
}
