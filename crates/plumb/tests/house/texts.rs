//! Are the pages for people true? Commands that they show exist, files that they point to are there, and what is derived is fresh.

use std::process::Command;

use plumb_house::workspace::{root, text_of};

/// What the command prints, which must succeed.
fn plumb(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_plumb"))
        .args(arguments)
        .env("NO_COLOR", "1")
        .output()
        .expect("started");
    assert!(
        output.status.success(),
        "plumb {}: {}",
        arguments.join(" "),
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).expect("text")
}

/// Lines of fenced blocks that begin with this word, with continued lines joined and comments cut off.
fn commands(page: &str, program: &str) -> Vec<Vec<String>> {
    let mut inside = false;
    let mut found = Vec::new();
    for line in page.replace("\\\n", " ").lines() {
        if line.starts_with("```") {
            inside = !inside;
        } else if inside {
            let line = line.split(" #").next().unwrap_or_default();
            // What is quoted may be the command line of another program.
            let words: Vec<String> = line
                .split_whitespace()
                .take_while(|word| !word.starts_with('\''))
                .map(str::to_string)
                .collect();
            if words.first().is_some_and(|word| word == program) {
                found.push(words[1..].to_vec());
            }
        }
    }
    found
}

/// Targets of links in a page that are files of the repository.
fn linked_files(page: &str) -> Vec<&str> {
    let targets = page
        .split("](")
        .skip(1)
        .filter_map(|rest| rest.split_once(')'))
        .map(|(target, _)| target);
    targets
        .filter(|target| !target.contains("://") && !target.starts_with('#'))
        .collect()
}

/// Whether the help of a verb knows every flag of a line.
fn unknown_flags(help: &str, words: &[String]) -> Vec<String> {
    let flags = words
        .iter()
        .filter(|word| word.starts_with("--"))
        .map(|word| word.split('=').next().unwrap_or_default().to_string());
    flags
        .filter(|flag| {
            !help
                .split(|c: char| c.is_whitespace() || matches!(c, '[' | '=' | ','))
                .any(|word| word == flag)
        })
        .collect()
}

#[test]
fn the_readme_shows_commands_that_exist() {
    let mut lines = commands(&text_of("README.md"), "plumb");
    assert!(lines.len() >= 3, "the README shows too little: {lines:?}");
    // Those of the book are run, but for the blocks that say why not: crates/plumb/tests/book.
    for folder in [".", "questions", "experiments", "commands", "coming-from"] {
        for entry in std::fs::read_dir(root().join("docs/book").join(folder)).expect("folder") {
            let path = entry.expect("entry").path();
            if path.extension().is_some_and(|of| of == "md") {
                let text = std::fs::read_to_string(path).expect("a page");
                lines.extend(commands(&text, "plumb"));
            }
        }
    }
    assert!(lines.len() >= 100, "{}", lines.len());
    for words in &lines {
        let verb = words.first().expect("a verb").as_str();
        if verb.starts_with("--") {
            plumb(&[verb]);
            continue;
        }
        if verb == "fio" {
            // Its options are fio's: the line is read as a whole.
            let whole: Vec<&str> = words.iter().map(String::as_str).collect();
            if !whole.contains(&"-") {
                plumb(&[whole.as_slice(), &["--parse-only"]].concat());
            }
            continue;
        }
        let help = plumb(&[verb, "--help"]);
        assert_eq!(
            unknown_flags(&help, words),
            Vec::<String>::new(),
            "plumb {}",
            words.join(" ")
        );
        let is_built_in = |word: &&String| {
            !word.starts_with("--") && !word.ends_with(".toml") && !word.ends_with(".fio")
        };
        if let (true, Some(plan)) = (verb == "run", words.get(1).filter(is_built_in)) {
            plumb(&["plans", plan]);
        }
    }
}

#[test]
fn every_verb_is_in_the_readme() {
    let pages = plumb(&["manual", "--list"]);
    let verbs: Vec<&str> = pages
        .lines()
        .filter_map(|page| page.strip_prefix("plumb-"))
        .collect();
    assert!(verbs.len() >= 6, "{verbs:?}");
    let readme = text_of("README.md");
    for verb in verbs {
        assert!(
            readme.contains(&format!("plumb {verb}")),
            "README.md does not show plumb {verb}"
        );
    }
}

#[test]
fn dev_knows_its_commands() {
    let output = Command::new("bash")
        .arg(root().join("dev"))
        .arg("help")
        .output()
        .expect("bash");
    let help = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{help}");
    for page in ["README.md", "ARCHITECTURE.md"] {
        for words in commands(&text_of(page), "./dev") {
            let verb = words.first().expect("a verb");
            assert!(
                help.contains(&format!("./dev {verb}")),
                "{page}: ./dev {verb} is not in ./dev help"
            );
        }
    }
    let steps: Vec<String> = text_of(".ci/run")
        .lines()
        .filter(|line| !line.starts_with('#') && !line.trim().is_empty())
        .map(str::to_string)
        .collect();
    assert!(
        steps.last().is_some_and(|line| line.contains("./dev test")),
        "CI runs what a developer runs: {steps:?}"
    );
}

#[test]
fn pages_point_to_files_that_are_there() {
    for page in ["README.md", "ARCHITECTURE.md", "CHANGELOG.md"] {
        for file in linked_files(&text_of(page)) {
            assert!(root().join(file).exists(), "{page} points to {file}");
        }
    }
}

#[test]
fn the_architecture_is_one_read() {
    let lines = text_of("ARCHITECTURE.md").lines().count();
    assert!(lines <= 150, "ARCHITECTURE.md has {lines} lines");
}

#[test]
fn committed_references_are_fresh() {
    for (file, arguments) in [
        ("docs/summary.schema.json", &["schema", "summary"][..]),
        ("docs/plan.schema.json", &["schema", "plan"]),
        ("docs/doctor.schema.json", &["schema", "doctor"]),
        ("docs/doctor-rdma.schema.json", &["schema", "doctor-rdma"]),
        ("docs/comparison.schema.json", &["schema", "comparison"]),
        ("docs/copies.schema.json", &["schema", "copies"]),
        ("docs/trace.schema.json", &["schema", "trace"]),
        ("docs/why.schema.json", &["schema", "why"]),
        ("docs/trend.schema.json", &["schema", "trend"]),
        ("docs/list.schema.json", &["schema", "list"]),
        ("docs/layers.schema.json", &["schema", "layers"]),
        ("docs/interval.schema.json", &["schema", "interval"]),
        ("docs/import.schema.json", &["schema", "import"]),
        (
            "docs/plumb-summary-1.schema.json",
            &["schema", "plumb-summary-1"],
        ),
        (
            "docs/plumb-doctor-1.schema.json",
            &["schema", "plumb-doctor-1"],
        ),
        (
            "docs/plumb-comparison-1.schema.json",
            &["schema", "plumb-comparison-1"],
        ),
        (
            "docs/plumb-copies-1.schema.json",
            &["schema", "plumb-copies-1"],
        ),
        (
            "docs/plumb-trend-1.schema.json",
            &["schema", "plumb-trend-1"],
        ),
        (
            "docs/plumb-layers-1.schema.json",
            &["schema", "plumb-layers-1"],
        ),
        ("docs/keys.txt", &["plans", "--keys"]),
        ("docs/fio-options.txt", &["plans", "--fio-options"]),
    ] {
        assert_eq!(
            text_of(file),
            plumb(arguments),
            "{file} is stale: run ./dev docs"
        );
    }
}

#[test]
fn the_version_is_in_the_changelog() {
    assert!(text_of("CHANGELOG.md").contains(&format!("## {}", env!("CARGO_PKG_VERSION"))));
}

#[test]
fn what_is_not_there_would_be_seen() {
    let page = "plumb no\n```sh\nplumb run depth --flag x \\\n  --more   # plumb no\n./dev test\n```\nplumb no [a](b.md) [c](https://d) ![e](f.svg)";
    assert_eq!(
        commands(page, "plumb"),
        [["run", "depth", "--flag", "x", "--more"]]
    );
    assert_eq!(commands(page, "./dev"), [["test"]]);
    assert_eq!(linked_files(page), ["b.md", "f.svg"]);
    let words: Vec<String> = ["--set", "--overwrite=/dev/x", "--sets"]
        .iter()
        .map(|word| word.to_string())
        .collect();
    assert_eq!(
        unknown_flags(
            "      --set <KEY=VALUE>\n      --overwrite[=<PATH>]\n",
            &words
        ),
        ["--sets"]
    );
}
