//! Can the command lines that plumb prints be typed unchanged, for any file names?

use std::path::Path;
use std::process::Command;

use crate::plumb;

/// A name that a shell would take apart, and that looks like an option.
const NAMES: [&str; 3] = ["it's $(here) & there", "-r", "a;b *"];

/// What plumb says when it is called in `folder`.
fn said(folder: &Path, words: &[&str]) -> String {
    let output = plumb()
        .current_dir(folder)
        .args(words)
        .output()
        .expect("started");
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// The words that a shell makes of a printed command.
fn words_of(command: &str) -> Vec<String> {
    let script = format!("set -- {command}\nfor word; do printf '%s\\n' \"$word\"; done");
    let output = Command::new("sh")
        .args(["-c", &script])
        .output()
        .expect("a shell");
    assert!(
        output.status.success(),
        "{command}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8_lossy(&output.stdout)
        .lines()
        .map(str::to_owned)
        .collect()
}

/// The command that follows `begin` in a text, up to `end`.
fn command_in<'t>(text: &'t str, begin: &str, end: &str) -> &'t str {
    let (_, rest) = text
        .split_once(begin)
        .unwrap_or_else(|| panic!("'{begin}' is not in {text}"));
    rest.split_once(end).map_or(rest, |(command, _)| command)
}

/// The path that a word is taken for by plumb: it must exist, and be no option.
fn assert_names(words: &[String], at: usize, folder: &Path, name: &str) {
    let word = words.get(at).unwrap_or_else(|| panic!("{words:?}"));
    assert!(!word.starts_with('-'), "{words:?} names no {name}");
    assert_eq!(
        folder.join(word).canonicalize().expect("there"),
        folder.join(name).canonicalize().expect("there"),
        "{words:?}"
    );
}

#[test]
fn imported_files_and_plans() {
    for name in NAMES {
        let place = tempfile::tempdir().expect("a folder");
        let job = format!("{name}.fio");
        std::fs::write(
            place.path().join(&job),
            "[a]\nrw=read\nsize=1m\nruntime=1\n",
        )
        .expect("written");
        let shown = said(place.path(), &["show", "--", &job]);
        assert_names(
            &words_of(command_in(&shown, "run it with `", "`, and use")),
            2,
            place.path(),
            &job,
        );
        let shown = said(
            place.path(),
            &["import", "--output", &format!("./{name}"), "--", &job],
        );
        let words = words_of(command_in(&shown, "converted to a plan: ", "\n"));
        assert_eq!(words[..2], ["plumb", "run"], "{shown}");
        assert!(
            place.path().join(&words[2]).is_file() && !words[2].starts_with('-'),
            "{words:?}"
        );
    }
}

#[test]
fn records_and_places_to_clean() {
    for name in NAMES {
        let place = tempfile::tempdir().expect("a folder");
        let line = "run --target null: --block 4k --operations 2000 --no-report --set interval=10ms --output";
        let mut words: Vec<&str> = line.split(' ').collect();
        let output = format!("--output={name}");
        words.pop();
        words.push(&output);
        let shown = said(place.path(), &words);
        assert_names(
            &words_of(command_in(&shown, "(plumb show ", ")\n")),
            0,
            place.path(),
            name,
        );
        let shown = said(place.path(), &["compare", "--", name]);
        let words = words_of(command_in(&shown, "as in `plumb compare ", " ref:NAME"));
        assert_names(&words, 0, place.path(), name);
    }
}

#[test]
fn targets() {
    let place = tempfile::tempdir().expect("a folder");
    let name = NAMES[0];
    std::fs::write(place.path().join(name), [7; 8192]).expect("written");
    std::fs::hard_link(place.path().join(name), place.path().join("second")).expect("a link");
    let shown = said(place.path(), &["run", name]);
    assert_names(
        &words_of(command_in(&shown, "use --target ", "\n")),
        0,
        place.path(),
        name,
    );
    let target = format!("./{name}");
    let shown = said(
        place.path(),
        &[
            "run",
            "--target",
            &target,
            "--pattern",
            "random-write",
            "--time",
            "50ms",
            "--quiet",
            "--output",
            "out",
        ],
    );
    assert_names(
        &words_of(command_in(&shown, "repeat its name: --overwrite=", "\n")),
        0,
        place.path(),
        name,
    );
    let shown = said(place.path(), &["run", "smb://me@host/a b"]);
    assert_eq!(
        words_of(command_in(&shown, "as in: ", "; or")),
        ["plumb", "run", "depth", "smb://me@host/a b"]
    );
}
