//! Do JUnit report and GitHub annotations of a comparison agree with its JSON and its exit code?

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use crate::compare::{QUICK, record, store};
use crate::plumb_in;

/// A test of a JUnit report: its element (`failure`, `error`, `skipped`, `system-out`) and its text.
type Tests = BTreeMap<(String, String), (String, String)>;

/// Exit code and standard output of a comparison.
fn compared(folder: &Path, sides: &str, conditions: &[&str], format: &str) -> (i32, String) {
    let mut command = plumb_in(folder, &format!("compare {sides} {format}"));
    for condition in conditions {
        command.args(["--fail-if", condition]);
    }
    let output = command.output().expect("started");
    let text = String::from_utf8(output.stdout).expect("text");
    (output.status.code().expect("an exit code"), text)
}

/// Tests of a report by class and name, after a check of its structure and totals.
fn tests_of(report: &str) -> Tests {
    let document = roxmltree::Document::parse(report).unwrap_or_else(|e| panic!("{e}: {report}"));
    let suites: Vec<_> = document.root_element().children().collect();
    assert_eq!(document.root_element().tag_name().name(), "testsuites");
    let suite = suites
        .into_iter()
        .find(|node| node.is_element())
        .expect("a suite");
    let mut tests = Tests::new();
    for test in suite
        .children()
        .filter(|node| node.has_tag_name("testcase"))
    {
        let outcome = test.children().find(|node| node.is_element());
        let outcome = outcome.expect("an outcome");
        let text = outcome
            .attribute("message")
            .or(outcome.text())
            .expect("text");
        let name = |name: &str| test.attribute(name).expect("a name").to_string();
        let added = tests.insert(
            (name("classname"), name("name")),
            (outcome.tag_name().name().to_string(), text.to_string()),
        );
        assert_eq!(added, None, "two tests of one name: {report}");
    }
    for (total, element) in [
        ("failures", "failure"),
        ("errors", "error"),
        ("skipped", "skipped"),
    ] {
        let counted = tests.values().filter(|(of, _)| of == element).count();
        let stated = suite.attribute(total).expect("a total");
        assert_eq!(stated, counted.to_string(), "{total}: {report}");
    }
    let all = suite.attribute("tests").expect("a total");
    assert_eq!(all, tests.len().to_string());
    tests
}

/// The exit code that the tests of a report stand for.
fn code_of(tests: &Tests) -> i32 {
    let has = |element: &str| tests.values().any(|(of, _)| of == element);
    match (has("error"), has("failure")) {
        (true, _) => 2,
        (_, true) => 1,
        _ => 0,
    }
}

#[test]
fn every_figure_is_one_test_with_its_verdict_and_its_values() {
    let folder = tempfile::tempdir().expect("folder");
    store(folder.path(), "quick", 8, 10_000.0);
    store(folder.path(), "slow", 8, 7_000.0);
    store(folder.path(), "again", 8, 10_100.0);
    store(folder.path(), "once", 1, 7_000.0);
    for (sides, code) in [
        ("quick slow", 1),
        ("slow quick", 0),
        ("quick again", 0),
        ("quick once", 0),
        ("quick again slow", 1),
    ] {
        let (exit, json) = compared(folder.path(), sides, &[], "--json");
        let (exit_of_report, report) = compared(folder.path(), sides, &[], "--junit");
        assert_eq!((exit, exit_of_report), (code, code), "{sides}");
        let tests = tests_of(&report);
        assert_eq!(code_of(&tests), code, "{report}");
        let comparison: Value = serde_json::from_str(&json).expect("JSON");
        let mut effects = 0;
        for cell in comparison["cells"].as_array().expect("cells") {
            for effect in cell["effects"].as_array().expect("effects") {
                effects += 1;
                let name = match cell["metric"].as_str().expect("a metric") {
                    "iops" => "IOPS",
                    other => other,
                };
                let name = match sides.split(' ').count() {
                    2 => name.to_string(),
                    _ => format!(
                        "{name} ({})",
                        ["A", "B", "C"][effect["side"].as_u64().expect("side") as usize]
                    ),
                };
                let key = (cell["step"].as_str().expect("step").to_string(), name);
                let (element, text) = tests
                    .get(&key)
                    .unwrap_or_else(|| panic!("no {key:?} in {report}"));
                let expected = match effect["verdict"].as_str().expect("verdict") {
                    "worse" => "failure",
                    "undecided" => "skipped",
                    _ => "system-out",
                };
                assert_eq!(element, expected, "{text}");
                let reason = effect["reason"]["text"].as_str().expect("a reason");
                assert!(text.contains(reason), "{text}: {reason}");
            }
        }
        assert_eq!(effects, tests.len(), "{report}");
    }
    // The runs are known, so the figures are too: 0.7 times the IOPS, and latencies 1 / 0.7 times as long.
    let (_, report) = compared(folder.path(), "quick slow", &[], "--junit");
    let tests = tests_of(&report);
    let text = |name: &str| {
        let test = tests.iter().find(|((_, of), _)| of == name).expect(name);
        test.1.1.as_str()
    };
    let iops = text("IOPS");
    assert!(
        iops.contains("A 10,000/s, B 7,000/s; change −30 %, 95 % interval −3"),
        "{iops}"
    );
    let p50 = text("p50");
    assert!(p50.contains("change +43 %"), "{p50}");
}

#[test]
fn conditions_are_the_tests_where_there_are_any() {
    let folder = tempfile::tempdir().expect("folder");
    store(folder.path(), "quick", 8, 10_000.0);
    store(folder.path(), "slow", 8, 7_000.0);
    store(folder.path(), "once", 1, 9_900.0);
    let check = |sides: &str, condition: &str, code: i32, element: &str, annotation: &str| {
        let (exit, report) = compared(folder.path(), sides, &[condition], "--junit");
        assert_eq!(exit, code, "{condition}: {report}");
        let tests = tests_of(&report);
        let name = ("--fail-if".to_string(), condition.to_string());
        assert_eq!(tests.keys().collect::<Vec<_>>(), [&name]);
        assert_eq!(tests[&name].0, element, "{report}");
        assert_eq!(code_of(&tests), code, "{report}");
        let (exit, commands) = compared(folder.path(), sides, &[condition], "--github");
        assert_eq!(exit, code, "{commands}");
        let of_condition = commands
            .lines()
            .find(|line| line.contains(&condition.replace('%', "%25")));
        let of_condition = of_condition.unwrap_or_else(|| panic!("{condition}: {commands}"));
        assert!(of_condition.starts_with(annotation), "{commands}");
    };
    check("quick slow", "p50 > +20%", 1, "failure", "::error ");
    check("quick slow", "p50 > +60%", 0, "system-out", "::notice ");
    check("quick slow", "iops < -40%", 0, "system-out", "::notice ");
    check("quick slow", "nosuch* p50 > +5%", 2, "error", "::error ");
    // One round can prove nothing: it neither fails nor passes.
    check("quick once", "iops < -5%", 0, "skipped", "::warning ");
    check("quick once", "iops < -0.5%", 0, "skipped", "::warning ");
}

#[test]
fn annotations_are_errors_for_worse_and_warnings_for_undecided() {
    let folder = tempfile::tempdir().expect("folder");
    store(folder.path(), "quick", 8, 10_000.0);
    store(folder.path(), "slow", 8, 7_000.0);
    store(folder.path(), "once", 1, 7_000.0);
    let kinds = |commands: &str| -> Vec<String> {
        let kind = |line: &str| line.split([':', ' ']).nth(2).expect(line).to_string();
        commands.lines().map(kind).collect()
    };
    let (code, worse) = compared(folder.path(), "quick slow", &[], "--github");
    assert_eq!(code, 1);
    let tests = tests_of(&compared(folder.path(), "quick slow", &[], "--junit").1);
    let failed = tests.values().filter(|(of, _)| of == "failure").count();
    assert!(failed >= 2, "{worse}");
    assert_eq!(
        kinds(&worse),
        [vec!["error"; failed], vec!["notice"]].concat(),
        "{worse}"
    );
    let iops = "::error title=random-read depth=1%2C IOPS::▼ worse: A 10,000/s, B 7,000/s; change −30 %25, ";
    assert!(worse.starts_with(iops), "{worse}");
    let (code, undecided) = compared(folder.path(), "quick once", &[], "--github");
    assert_eq!(
        (code, kinds(&undecided)),
        (0, vec!["warning".to_string(), "notice".to_string()])
    );
}

#[test]
fn a_step_that_is_not_compared_is_skipped_and_nothing_compared_is_an_error() {
    let folder = tempfile::tempdir().expect("folder");
    record(folder.path(), "small", 2, &format!("{QUICK}\nblock = '4k'"));
    record(
        folder.path(),
        "large",
        2,
        &format!("{QUICK}\nblock = '64k'"),
    );
    let (code, report) = compared(folder.path(), "small large", &[], "--junit");
    let tests = tests_of(&report);
    assert_eq!((code, code_of(&tests)), (2, 2), "{report}");
    let refused = ("reads".to_string(), "not compared (B)".to_string());
    let (element, text) = tests.get(&refused).unwrap_or_else(|| panic!("{report}"));
    assert_eq!(element, "skipped");
    assert!(text.contains("4k") && text.contains("64k"), "{text}");
    let (code, commands) = compared(folder.path(), "small large", &[], "--github");
    assert_eq!(code, 2);
    assert!(
        commands.starts_with("::error title=plumb compare%2C nothing compared::"),
        "{commands}"
    );
}

#[test]
fn a_comparison_is_printed_in_one_format() {
    let folder = tempfile::tempdir().expect("folder");
    let formats = ["--json", "--markdown", "--junit", "--github"];
    for (at, first) in formats.iter().enumerate() {
        for second in &formats[at + 1..] {
            let line = format!("compare a b {first} {second}");
            let message = crate::refusal_of(plumb_in(folder.path(), &line));
            assert!(message.contains("cannot be used with"), "{message}");
        }
    }
}

/// The last block `run: |` or `- |` of a CI file: the commands that measure and compare.
#[cfg(target_os = "linux")]
fn commands_of(file: &str) -> String {
    let path = plumb_house::workspace::root()
        .join("packaging/ci")
        .join(file);
    let text = std::fs::read_to_string(path).expect(file);
    let lines: Vec<&str> = text.lines().collect();
    let start = lines
        .iter()
        .rposition(|line| line.ends_with('|'))
        .expect("a block")
        + 1;
    let indent = lines[start].len() - lines[start].trim_start().len();
    let block = lines[start..]
        .iter()
        .take_while(|line| line.len() - line.trim_start().len() >= indent);
    block.map(|line| format!("{}\n", &line[indent..])).collect()
}

/// Runs the script of a CI system in this folder, with this program first on the path.
#[cfg(target_os = "linux")]
fn script_in(
    at: &Path,
    program: &Path,
    file: &str,
    variables: &[(&str, &str)],
) -> std::process::Output {
    let _ = std::fs::remove_dir_all(at.join("plumb-gate"));
    std::fs::write(at.join("summary.md"), "").expect("summary");
    let path = format!(
        "{}:{}",
        program.display(),
        std::env::var("PATH").expect("PATH")
    );
    let shell = if file == "action.yml" { "bash" } else { "sh" };
    std::process::Command::new(shell)
        .args(["-c", &commands_of(file)])
        .current_dir(at)
        .env("PATH", &path)
        .env("PLUMB_LANGUAGE", "en")
        .env("PLUMB_PLAN", "plan.toml")
        .env("PLUMB_TARGET", "data")
        .env("PLUMB_BASELINE_TARGET", "")
        .env("PLUMB_BEFORE", "")
        .env("PLUMB_AFTER", "")
        .env("PLUMB_ROUNDS", "6")
        .env("PLUMB_BUDGET", "1ms")
        .env("PLUMB_FAIL_IF", "")
        .env("PLUMB_FOLDER", "plumb-gate")
        .env("GITHUB_STEP_SUMMARY", at.join("summary.md"))
        .envs(variables.iter().copied())
        .output()
        .expect("started")
}

#[cfg(target_os = "linux")]
const SCRIPTS: [&str; 2] = ["action.yml", "plumb-gate.gitlab-ci.yml"];

/// Instead of measuring, `plumb run` copies a record whose rounds are known: the verdict does not depend on the machine.
#[cfg(target_os = "linux")]
#[test]
fn the_scripts_for_ci_systems_decide_by_the_records() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().expect("folder");
    let at = folder.path();
    store(at, "quick", 8, 10_000.0);
    store(at, "slow", 8, 7_000.0);
    std::fs::create_dir(at.join("bin")).expect("folder");
    let program = at.join("bin/plumb");
    let real = assert_cmd::cargo::cargo_bin("plumb");
    let text = format!(
        "#!/bin/sh\n[ \"$1\" = run ] || exec {} \"$@\"\n[ \"$2 $3 $4 $6 $7 $8\" = \"plan.toml data --output --rounds 6 --quiet\" ] || exit 2\ncp -r \"$(cat state)\" \"$5\"\nexit 1\n",
        real.display()
    );
    std::fs::write(&program, text).expect("script");
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).expect("script");
    let check = |before: &str, after: &str, conditions: &str, code: i32, element: &str| {
        for file in SCRIPTS {
            let set = |state: &str| format!("echo {state} > state");
            let output = script_in(
                at,
                &at.join("bin"),
                file,
                &[
                    ("PLUMB_BEFORE", &set(before)),
                    ("PLUMB_AFTER", &set(after)),
                    ("PLUMB_FAIL_IF", conditions),
                ],
            );
            let shown = format!("{file}, {before}, {after}: {output:?}");
            assert_eq!(output.status.code(), Some(code), "{shown}");
            let report = std::fs::read_to_string(at.join("plumb-gate/junit.xml")).expect("report");
            let tests = tests_of(&report);
            assert!(tests.values().any(|(of, _)| of == element), "{report}");
            assert_eq!(code_of(&tests), code, "{report}");
            let of_conditions = tests.keys().filter(|(class, _)| class == "--fail-if");
            let given = conditions.lines().filter(|line| !line.is_empty());
            assert_eq!(of_conditions.count(), given.count(), "{report}");
            assert!(at.join("plumb-gate/report.html").is_file(), "{shown}");
            if file == "action.yml" {
                let text = String::from_utf8_lossy(&output.stdout);
                assert!(text.contains("::notice title=plumb compare"), "{shown}");
                assert_eq!(text.contains("::error "), code != 0, "{shown}");
                let markdown = std::fs::read_to_string(at.join("summary.md")).expect("summary");
                assert!(markdown.starts_with("### "), "{markdown}");
            }
        }
    };
    check("quick", "slow", "", 1, "failure");
    check("slow", "quick", "", 0, "system-out");
    check("quick", "slow", "iops < -20%", 1, "failure");
    check(
        "quick",
        "slow",
        "iops < -40%\n\np50 > +60%",
        0,
        "system-out",
    );
    check("quick", "slow", "nosuch* iops < -5%", 2, "error");
}

/// Both ways to measure, with a plan that takes no time.
#[cfg(target_os = "linux")]
#[test]
fn the_scripts_for_ci_systems_measure() {
    use crate::compare::plan;
    let folder = tempfile::tempdir().expect("folder");
    let at = folder.path();
    plan(at, "plan", 1, QUICK);
    std::fs::create_dir(at.join("data")).expect("folder");
    let real = assert_cmd::cargo::cargo_bin("plumb");
    let program = real.parent().expect("a folder");
    for (file, baseline) in SCRIPTS
        .into_iter()
        .flat_map(|file| [(file, ""), (file, "null:")])
    {
        let variables = [
            ("PLUMB_TARGET", "null:"),
            ("PLUMB_BASELINE_TARGET", baseline),
            ("PLUMB_FAIL_IF", "iops < -99.9%"),
        ];
        let output = script_in(at, program, file, &variables);
        assert_eq!(
            output.status.code(),
            Some(0),
            "{file} {baseline}: {output:?}"
        );
        let report = std::fs::read_to_string(at.join("plumb-gate/junit.xml")).expect("report");
        assert_eq!(tests_of(&report).len(), 1, "{report}");
        let records: &[&str] = match baseline {
            "" => &["before", "after"],
            _ => &["runs/a", "runs/b"],
        };
        for record in records {
            let header = at.join("plumb-gate").join(record).join("run.json");
            assert!(header.is_file(), "{}: {output:?}", header.display());
        }
    }
    // What cannot be measured fails, whatever else is well.
    let failing = [("PLUMB_TARGET", "null:"), ("PLUMB_PLAN", "nosuch.toml")];
    for file in SCRIPTS {
        let output = script_in(at, program, file, &failing);
        assert_eq!(output.status.code(), Some(2), "{output:?}");
    }
}
