//! Do the commands of the book run? Each line of its blocks marked `sh`, page by page, on real files, a real Samba server, an object store and plumb's own network peer.
//!
//! Times and sizes are shortened by the script `short`, through which the pages find plumb; nothing else of a command is changed but the places:
//! `/mnt` and `/srv` become folders of the test, `server` its servers.

// The whole binary is a test; clippy knows only functions with #[test] as such.
#![allow(clippy::expect_used)]
#![cfg(target_os = "linux")]

mod contents;

#[path = "../../../../testdata/peers/object_stores.rs"]
#[allow(dead_code)]
mod object_stores;
#[path = "../../../../testdata/peers/ports.rs"]
mod ports;
#[path = "../../../../testdata/peers/samba.rs"]
mod samba;
#[path = "../../../../testdata/peers/served.rs"]
mod served;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use served::Served;

/// The book's folder.
fn book() -> PathBuf {
    root().join("docs/book")
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// `plumb serve-net` on this host.
fn served() -> Served {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin("plumb"));
    command
        .args(["serve-net", "--listen", "127.0.0.1:0"])
        .env("PLUMB_LANGUAGE", "en");
    Served::start(command)
}

/// The lines of a page's blocks of this kind.
fn lines_of(page: &str, kind: &str) -> Vec<String> {
    let mut inside = false;
    let mut lines = Vec::new();
    for line in page.lines() {
        match line.strip_prefix("```") {
            Some(info) => inside = !inside && info == kind,
            None if inside && !line.is_empty() => lines.push(line.to_string()),
            None => {}
        }
    }
    lines
}

/// A script that runs these lines one by one and ends with the first that fails: with 2 or more, as 1 says that something was found.
fn script(lines: &[String]) -> String {
    let of_line = |line: &String| {
        let quoted = line.replace('\'', "'\\''");
        let run = if line.starts_with("plumb explain ") {
            format!("{{ {line}\n}} | tee said.txt\ncode=${{PIPESTATUS[0]}}\n{CONCLUDES_NOTHING}")
        } else {
            format!("{line}\ncode=$?\n")
        };
        format!(
            "echo '@ {quoted}'\n{run}[ $code -le 1 ] || {{ echo \"failed with $code\"; exit 3; }}\n"
        )
    };
    lines.iter().map(of_line).collect()
}

/// Whether anything can be concluded of a recording is up to the disk and its other users: that nothing can be is an answer too.
const CONCLUDES_NOTHING: &str =
    "[ $code -ne 2 ] || ! grep -q '^Nothing is concluded' said.txt || code=1\n";

/// The object store of the pages.
const STORE: &str = "http://store:9000";

/// Pages that run at the same time: most of their commands wait most of the time.
const AT_ONCE: usize = 3;

/// Runs the pages of a chapter, each in a folder of its own.
fn run(pages: &[&str]) {
    if !samba::is_installed() {
        return;
    }
    let (server, served) = (samba::Samba::start(&[]), served());
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE.min(pages.len()) {
            scope.spawn(|| {
                while let Some(page) = pages.get(next.fetch_add(1, Ordering::Relaxed)) {
                    run_page(page, &server, &served);
                }
            });
        }
    });
}

fn run_page(page: &str, server: &samba::Samba, served: &Served) {
    let folder = tempfile::tempdir().expect("folder");
    let place = folder.path();
    for name in ["bin", "mnt/data", "srv/data"] {
        fs::create_dir_all(place.join(name)).expect("folder");
    }
    let short = place.join("bin/plumb");
    fs::write(&short, include_str!("short")).expect("script");
    fs::set_permissions(&short, fs::Permissions::from_mode(0o755)).expect("script");
    let text = fs::read_to_string(book().join(page)).expect(page);
    let lines = lines_of(&text, "sh");
    assert!(!lines.is_empty(), "{page} has no commands");
    let store = text
        .contains(STORE)
        .then(object_stores::Store::moto)
        .flatten();
    if text.contains(STORE) && store.is_none() {
        return;
    }
    let store_port = store.as_ref().map_or(0, object_stores::Store::port);
    let here = |name: &str| format!("{}/{name}/", place.display());
    let places = script(&lines)
        .replace("smb://user@server/", &server.address(""))
        .replace("tcp://server", &format!("tcp://127.0.0.1:{}", served.port))
        .replace(STORE, &format!("http://127.0.0.1:{store_port}"))
        .replace("/mnt/", &here("mnt"))
        .replace("/srv/", &here("srv"))
        .replace("testdata/", &format!("{}/testdata/", root().display()));
    let path = format!(
        "{}:{}",
        place.join("bin").display(),
        std::env::var("PATH").expect("PATH")
    );
    let output = Command::new("bash")
        .args(["-c", &places])
        .current_dir(place)
        .env("PATH", path)
        .env("PLUMB_ITSELF", assert_cmd::cargo::cargo_bin("plumb"))
        .env("PLUMB_LANGUAGE", "en")
        .env("PLUMB_PASSWORD", samba::PASSWORD)
        .env("AWS_ACCESS_KEY_ID", object_stores::KEY)
        .env("AWS_SECRET_ACCESS_KEY", object_stores::SECRET)
        .stdin(Stdio::null())
        .output()
        .expect("bash");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(
        output.status.success(),
        "{page}:\n{}\n{}",
        text(&output.stdout),
        text(&output.stderr)
    );
}

#[test]
fn fifteen_minutes_with_plumb() {
    run(&["tutorial.md"]);
}

#[test]
fn questions() {
    run(&[
        "questions/nas.md",
        "questions/raid.md",
        "questions/ssd.md",
        "questions/share.md",
        "questions/cloud.md",
        "questions/object-store.md",
        "questions/ai.md",
    ]);
}

#[test]
fn the_six_experiments() {
    run(&[
        "experiments/e1-layers.md",
        "experiments/e2-file-systems.md",
        "experiments/e3-copies.md",
        "experiments/e4-depth.md",
        "experiments/e5-share.md",
        "experiments/e6-raid.md",
    ]);
}

#[test]
fn commands_by_example() {
    run(&[
        "commands/load.md",
        "commands/shares.md",
        "commands/compare.md",
        "commands/gate.md",
        "commands/observe.md",
        "commands/exchange.md",
        "commands/records.md",
    ]);
}

#[test]
fn coming_from_other_programs() {
    run(&[
        "coming-from/fio.md",
        "coming-from/iozone.md",
        "coming-from/bonnie.md",
        "coming-from/iometer.md",
        "coming-from/crystaldiskmark.md",
    ]);
}
