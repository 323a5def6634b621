//! Is a password in an address ever printed or stored? With every verb, and in a plan file.

use std::path::Path;

use crate::{left_in, plumb_in, refusal_of};

const WORD: &str = "s3cretWord";

/// Nothing below a folder holds the word.
fn is_kept_nowhere(folder: &Path, what: &str) {
    for entry in std::fs::read_dir(folder)
        .expect("listed")
        .map(|entry| entry.expect("entry").path())
    {
        if entry.is_dir() {
            is_kept_nowhere(&entry, what);
            continue;
        }
        let bytes = std::fs::read(&entry).expect("read");
        assert!(
            !bytes
                .windows(WORD.len())
                .any(|part| part == WORD.as_bytes()),
            "{what}: {}",
            entry.display()
        );
    }
}

#[test]
fn a_password_on_the_command_line_is_refused_by_every_verb_and_not_repeated() {
    let pages = plumb_in(Path::new("/"), "manual --list")
        .output()
        .expect("started");
    let pages = String::from_utf8_lossy(&pages.stdout).to_string();
    let verbs: Vec<&str> = pages
        .lines()
        .filter_map(|page| page.strip_prefix("plumb-"))
        .collect();
    assert!(
        verbs.len() > 15 && verbs.contains(&"copy-test"),
        "{verbs:?}"
    );
    let folder = tempfile::tempdir().expect("folder");
    let addresses = [
        format!("smb://user:{WORD}@127.0.0.1/share"),
        format!("--target=nfs://user:{WORD}@127.0.0.1/x"),
        format!("--set target=SMB://D;user:{WORD}@h/s"),
        format!("--agent tcp://user:{WORD}@h"),
        format!("smb:/user:{WORD}@h/s"),
        format!("//user:{WORD}@h/s"),
        format!("rsync://user:{WORD}/slash@h/s"),
    ];
    for verb in verbs {
        for address in &addresses {
            let said = refusal_of(plumb_in(folder.path(), &format!("{verb} {address}")));
            assert!(
                said.contains("PLUMB_PASSWORD") && said.contains("user:***@"),
                "{verb} {address}: {said}"
            );
            assert!(!said.contains(WORD), "{verb} {address}: {said}");
        }
    }
    assert!(left_in(folder.path()).is_empty());
}

#[test]
fn a_password_in_a_plan_or_a_job_file_is_refused_and_not_repeated() {
    let folder = tempfile::tempdir().expect("folder");
    let address = format!("smb://user:{WORD}@127.0.0.1/share");
    for (name, text, line) in [
        (
            "a.toml",
            format!("[[step]]\nname = \"s\"\ntarget = \"{address}\"\npattern = \"random-read\"\n"),
            "run a.toml --output out",
        ),
        (
            "b.toml",
            format!(
                "[defaults]\ntarget = \"{address}\"\n[[step]]\nname = \"s\"\ntraget = \"{address}\"\n"
            ),
            "run b.toml --output out",
        ),
        (
            "c.fio",
            format!("[job]\nfilename={address}\nrw=read\nsize=1m\n"),
            "run c.fio --output out",
        ),
    ] {
        std::fs::write(folder.path().join(name), text).expect("written");
        let output = plumb_in(folder.path(), line).output().expect("started");
        let said = [output.stdout, output.stderr]
            .map(|text| String::from_utf8_lossy(&text).to_string())
            .join("\n");
        assert!(
            !output.status.success() && !said.contains(WORD),
            "{name}: {said}"
        );
        std::fs::remove_file(folder.path().join(name)).expect("removed");
        is_kept_nowhere(folder.path(), name);
    }
}
