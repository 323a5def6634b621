//! Is the book complete: is every page in its contents, does every link resolve, is every command run or marked as not run?

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{book, lines_of, script};

/// Every page, by its path in the book.
fn pages() -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    let mut folders = vec![book()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("folder") {
            let path = entry.expect("entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|of| of == "md") {
                let text = fs::read_to_string(&path).expect("a page");
                found.push((path.strip_prefix(book()).expect("inside").to_owned(), text));
            }
        }
    }
    found
}

/// Where the links of a page lead, those into the network left out.
fn links(text: &str) -> Vec<&str> {
    text.split("](")
        .skip(1)
        .filter_map(|rest| rest.split_once(')'))
        .map(|(link, _)| link.split_once('#').map_or(link, |(file, _)| file))
        .filter(|link| !link.is_empty() && !link.contains("://"))
        .collect()
}

#[test]
fn every_page_is_in_the_contents_and_every_link_leads_to_a_file() {
    let mut in_contents = BTreeSet::from([PathBuf::from("SUMMARY.md")]);
    for (page, text) in pages() {
        for link in links(&text) {
            let folder = book().join(&page).parent().expect("folder").to_owned();
            let target = folder.join(link);
            assert!(target.is_file(), "{}: {link}", page.display());
            if page == Path::new("SUMMARY.md") {
                in_contents.insert(PathBuf::from(link));
            }
        }
    }
    let there: BTreeSet<_> = pages().into_iter().map(|(page, _)| page).collect();
    assert_eq!(in_contents, there);
}

#[test]
fn commands_are_run_or_it_is_said_why_not() {
    for (page, text) in pages() {
        let mut blocks = text.split("\n```").skip(1).step_by(2);
        let untold = blocks.find(|block| {
            let (kind, lines) = block.split_once('\n').expect("lines");
            let is_output = lines.starts_with("$ ");
            !matches!(kind, "sh" | "toml")
                && !is_output
                && !lines.starts_with("# Not run by the test")
        });
        assert_eq!(untold, None, "{}", page.display());
    }
}

/// How bash ends that runs this script, and what it says.
fn ran(script: &str) -> (Option<i32>, String) {
    let folder = tempfile::tempdir().expect("folder");
    let output = Command::new("bash")
        .args(["-c", script])
        .current_dir(folder.path())
        .output()
        .expect("bash");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    (output.status.code(), text)
}

#[test]
fn a_line_that_fails_ends_the_script() {
    let lines = lines_of(
        "text\n```sh\ntrue\n(exit 1)\n(exit 2)\necho on\n```\n```console\nno\n```\n",
        "sh",
    );
    assert_eq!(lines, ["true", "(exit 1)", "(exit 2)", "echo on"]);
    let (code, text) = ran(&script(&lines));
    assert_eq!(code, Some(3));
    assert!(text.ends_with("@ (exit 2)\nfailed with 2\n"), "{text}");
}

/// An explanation may conclude nothing of what was recorded; any other failure of it ends the script.
#[test]
fn what_concludes_nothing_goes_on() {
    let lines = ["plumb explain a # why".to_string(), "echo on".to_string()];
    let explained = |says: &str| {
        let plumb = format!("plumb() {{ echo '{says}'; return 2; }}\n");
        ran(&(plumb + &script(&lines)))
    };
    let (code, text) = explained("Nothing is concluded");
    assert_eq!(code, Some(0), "{text}");
    assert!(text.ends_with("@ echo on\non\n"), "{text}");
    let (code, text) = explained("something else");
    assert_eq!(code, Some(3), "{text}");
    assert!(text.ends_with("failed with 2\n"), "{text}");
}
