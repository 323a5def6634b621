//! Which numbers come out for the examples of the rules? Findings, explanations and figures are held to testdata/expected.
//!
//! After a change that is meant: `PLUMB_WRITE_EXPECTED=1 cargo test --package plumb-analyse --lib expected`, then read `git diff testdata/expected`.

use std::fmt::Write;
use std::path::Path;

use serde_json::{Value, to_value};

use crate::explain::rule::Judgement;
use crate::figures::summarise::summarise;
use crate::rule::Scene;
use crate::{explain, rules};

/// Longest value that is written on one line.
const LINE: usize = 150;

/// Nine significant digits: the last bits of a logarithm or a distribution differ from one libm to the next.
fn rounded(value: &Value) -> Value {
    match value {
        Value::Number(number) if number.is_f64() => {
            let number = number.as_f64().expect("a floating-point number");
            let digits = format!("{number:.8e}").parse::<f64>().expect("a number");
            digits.into()
        }
        Value::Array(items) => items.iter().map(rounded).collect(),
        Value::Object(fields) => {
            let fields = fields.iter().filter(|(_, value)| !value.is_null());
            Value::Object(
                fields
                    .map(|(key, value)| (key.clone(), rounded(value)))
                    .collect(),
            )
        }
        other => other.clone(),
    }
}

/// One line for each field: short values as JSON, long ones field by field.
fn write_fields(path: &str, value: &Value, out: &mut String) {
    let line = value.to_string();
    match value {
        Value::Object(fields) if line.len() > LINE => {
            for (key, value) in fields {
                write_fields(&format!("{path}.{key}"), value, out);
            }
        }
        Value::Array(items) if line.len() > LINE && items.iter().any(|item| !item.is_number()) => {
            for (number, value) in items.iter().enumerate() {
                write_fields(&format!("{path}[{number}]"), value, out);
            }
        }
        _ => writeln!(out, "{path} = {line}").expect("a string takes all"),
    }
}

fn write_value(path: &str, value: serde_json::Result<Value>, out: &mut String) {
    write_fields(path, &rounded(&value.expect("JSON can hold it")), out);
}

/// Compares with the file, or writes it when `PLUMB_WRITE_EXPECTED` is set.
fn check(name: &str, expected: &str, got: &str) {
    if std::env::var_os("PLUMB_WRITE_EXPECTED").is_some() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/expected");
        std::fs::write(folder.join(name), got).expect("the file of expected figures is written");
        return;
    }
    let mut expected_lines = expected.lines();
    let mut block = "";
    for (number, line) in got.lines().enumerate() {
        if line.starts_with("# ") {
            block = line;
        }
        assert_eq!(
            Some(line),
            expected_lines.next(),
            "testdata/expected/{name}, line {}, in {block}; left: now, right: in the file",
            number + 1
        );
    }
    assert_eq!(
        expected_lines.next(),
        None,
        "testdata/expected/{name} has more lines"
    );
}

/// The examples of all rules with a name each.
fn scenes() -> Vec<(String, &'static crate::rule::Rule, Scene)> {
    let mut scenes = Vec::new();
    for rule in rules::RULES {
        let examples = (rule.examples)();
        for (kind, of_kind) in [("fires", examples.fires), ("silent", examples.silent)] {
            for (number, scene) in of_kind.into_iter().enumerate() {
                scenes.push((format!("{} {kind} {number}", rule.name), *rule, scene));
            }
        }
    }
    scenes
}

#[test]
fn findings_of_each_rule() {
    let mut got = String::new();
    for (name, rule, scene) in scenes() {
        writeln!(got, "# {name}").expect("a string takes all");
        for (number, finding) in scene.judge(rule).iter().enumerate() {
            write_value(&number.to_string(), to_value(finding), &mut got);
        }
    }
    check(
        "findings.txt",
        include_str!("../../../testdata/expected/findings.txt"),
        &got,
    );
}

#[test]
fn explanations_of_each_rule() {
    let mut got = String::new();
    for rule in explain::rules::RULES {
        let examples = (rule.examples)();
        for (kind, of_kind) in [("fires", examples.fires), ("silent", examples.silent)] {
            for (number, observed) in of_kind.iter().enumerate() {
                writeln!(got, "# {} {kind} {number}", rule.name).expect("a string takes all");
                match (rule.judge)(observed) {
                    Judgement::Found(found) => write_value("found", to_value(&found), &mut got),
                    Judgement::Silent => got.push_str("silent\n"),
                    Judgement::Abstains(missing) => {
                        write_value("abstains", to_value(&missing), &mut got)
                    }
                }
            }
        }
    }
    check(
        "explanations.txt",
        include_str!("../../../testdata/expected/explanations.txt"),
        &got,
    );
}

/// Runs of ranks, of credits, of a ladder, of rounds that wait for a steady state, and of an open loop.
const SUMMARISED: [&str; 6] = [
    "rank_was_lost",
    "credits_limit_the_depth",
    "hosts_scale",
    "never_became_steady",
    "rounds_disagree",
    "rate_not_achieved",
];

#[test]
fn summaries_of_runs() {
    let mut got = String::new();
    for name in SUMMARISED {
        let rule = rules::RULES.iter().find(|rule| rule.name == name);
        let scenes = (rule.expect("a rule of this name").examples)().fires;
        let run = scenes.into_iter().find_map(|scene| scene.run);
        let summary = summarise(&run.expect("a run"));
        writeln!(got, "# {name}").expect("a string takes all");
        write_value("verdict", to_value(&summary.verdict), &mut got);
        write_value("steps", to_value(&summary.steps), &mut got);
        write_value("steady", to_value(&summary.steady), &mut got);
        write_value("scaling", to_value(&summary.scaling), &mut got);
        write_value("grid", to_value(&summary.grid), &mut got);
        write_value("ranks", to_value(&summary.ranks), &mut got);
    }
    check(
        "summaries.txt",
        include_str!("../../../testdata/expected/summaries.txt"),
        &got,
    );
}
