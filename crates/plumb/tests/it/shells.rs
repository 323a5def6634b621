//! Do shells complete the full command line, and do the manual pages contain all help texts?

use std::process::Command;

use crate::{output_of, plumb};

fn printed(words: &[&str]) -> String {
    let mut command = plumb();
    command.args(words);
    output_of(command, 0)
}

/// The verbs that the help lists, group by group.
fn verbs() -> Vec<String> {
    let help = printed(&["--help"]);
    let (_, groups) = help
        .split_once("Measure commands:")
        .expect("groups in the help");
    let (groups, _) = groups.split_once("Options:").expect("options in the help");
    let names = groups
        .lines()
        .filter_map(|line| line.strip_prefix("  ")?.split_whitespace().next())
        .map(str::to_owned);
    names.collect()
}

/// The long flags in a help.
fn flags(help: &str) -> Vec<&str> {
    let words = help.lines().filter_map(|line| {
        let line = line.trim_start();
        let line = line.strip_prefix("-h, ").unwrap_or(line);
        line.starts_with("--").then(|| {
            line.split([' ', '=', '['])
                .next()
                .expect("the first of the parts")
        })
    });
    words.collect()
}

#[test]
fn every_shell_completes_every_verb() {
    let verbs = verbs();
    assert!(verbs.len() > 20, "{verbs:?}");
    for shell in ["bash", "zsh", "fish", "powershell"] {
        let script = printed(&["completions", shell]);
        for verb in &verbs {
            assert!(script.contains(verb.as_str()), "{shell}: {verb}");
        }
        // A flag that is defined only when its verb is called.
        let flag = if shell == "fish" {
            "-l read-percent"
        } else {
            "--read-percent"
        };
        assert!(script.contains(flag), "{shell}: {flag}");
    }
}

#[test]
#[cfg(unix)]
fn bash_completes_with_the_script() {
    let completed = |words: &[&str]| {
        let (typed, before) = (
            words.last().expect("a word"),
            words.get(words.len() - 2).expect("two words"),
        );
        let script = format!(
            "{}\nCOMP_WORDS=({}); COMP_CWORD={}; _plumb plumb '{typed}' '{before}'; printf '%s\\n' \"${{COMPREPLY[@]}}\"",
            printed(&["completions", "bash"]),
            words.join(" "),
            words.len() - 1,
        );
        let output = Command::new("bash")
            .args(["--norc", "-c", &script])
            .output()
            .expect("bash");
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8(output.stdout).expect("text")
    };
    assert_eq!(
        completed(&["plumb", "co"]),
        "copy-test\ncompare\nconfig\ncompletions\n"
    );
    assert_eq!(completed(&["plumb", "run", "--dep"]), "--depth\n");
    assert_eq!(completed(&["plumb", "completions", "z"]), "zsh\n");
}

#[test]
fn every_verb_has_a_manual_page_with_all_of_its_help() {
    let mut expected = vec!["plumb".to_owned()];
    expected.extend(verbs().iter().map(|verb| format!("plumb-{verb}")));
    let pages = printed(&["manual", "--list"]);
    assert_eq!(pages.lines().collect::<Vec<_>>(), expected);
    for name in pages.lines() {
        let page = printed(&["manual", name]);
        let heading = format!(".TH {} 1 ", name.to_uppercase());
        assert!(page.contains(&heading), "{name}: {page}");
        assert!(page.contains(".SH SYNOPSIS"), "{name}");
        if name == "plumb-fio" {
            // Its options are fio's, and so is its help; the page says how to see it.
            assert!(page.contains("plumb fio \\-\\-help"), "{page}");
            continue;
        }
        let help = match name.strip_prefix("plumb-") {
            Some(verb) => printed(&[verb, "--help"]),
            None => printed(&["--help"]),
        };
        let flags = flags(&help);
        assert!(flags.contains(&"--help"), "{name}: {flags:?}");
        for flag in flags {
            let escaped = flag.replace('-', "\\-");
            assert!(
                page.contains(&format!("\\fB{escaped}\\fR")),
                "{name}: {flag} is not in the page"
            );
        }
    }
}

#[test]
fn an_unknown_page_is_refused_with_the_nearest() {
    let mut command = plumb();
    command.args(["manual", "plumb-chek"]);
    let output = command.output().expect("started");
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("did you mean 'plumb-check'?"), "{said}");
}
