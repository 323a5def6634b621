//! How is a comparison written as a JUnit report? One test per check, as GitLab and Jenkins read it (junit-10.xsd of Jenkins' xunit plugin).

use std::fmt::Write;

use plumb_model::results::comparison::Comparison;
use plumb_words::Words;
use plumb_words::numbers::show_count;

use crate::checks::{Check, CheckOutcome, checks, count};
use crate::escape::escape;
use crate::wording::comparison::method_text;
use crate::wording::{sentence, sentence_texts};

/// The comparison as a JUnit report. Tests have no time: a figure is measured in many rounds, together with others.
pub fn comparison_junit(comparison: &Comparison, words: Words) -> String {
    let checks = checks(comparison, words);
    let count = |outcome| count(&checks, outcome);
    let mut out = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite name=\"plumb compare\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\">\n    <properties>\n",
        checks.len(),
        count(CheckOutcome::Failed),
        count(CheckOutcome::NotDone),
        count(CheckOutcome::Undecided),
    );
    for (name, value) in properties(comparison) {
        let _ = writeln!(
            out,
            "      <property name=\"{}\" value=\"{}\"/>",
            escape(&name),
            escape(&value)
        );
    }
    out += "    </properties>\n";
    checks.iter().for_each(|check| out += &testcase(check));
    let texts = sentence_texts(&comparison.verdict, words)
        .into_iter()
        .chain(
            comparison
                .remarks
                .iter()
                .map(|remark| sentence(remark, words)),
        )
        .chain(method_text(comparison, words).into_iter().skip(1));
    let texts: Vec<String> = texts.collect();
    let _ = writeln!(
        out,
        "    <system-out>{}</system-out>",
        escape(&texts.join("\n"))
    );
    out + "  </testsuite>\n</testsuites>\n"
}

/// What was compared, and how.
fn properties(comparison: &Comparison) -> Vec<(String, String)> {
    let sides = comparison
        .sides
        .iter()
        .map(|side| (side.letter.clone(), side.label.clone()));
    let percent = |share: f64| format!("{} %", show_count(share * 100.0));
    sides
        .chain([
            ("threshold".into(), percent(comparison.method.threshold)),
            ("confidence".into(), percent(comparison.method.confidence)),
            ("plumb".into(), comparison.plumb_version.clone()),
        ])
        .collect()
}

fn testcase(check: &Check) -> String {
    let text = escape(&check.text);
    let result = match check.outcome {
        CheckOutcome::Passed => format!("<system-out>{text}</system-out>"),
        CheckOutcome::Failed => {
            format!("<failure type=\"worse\" message=\"{text}\">{text}</failure>")
        }
        CheckOutcome::Undecided => format!("<skipped message=\"{text}\"/>"),
        CheckOutcome::NotDone => {
            format!("<error type=\"not compared\" message=\"{text}\">{text}</error>")
        }
    };
    format!(
        "    <testcase classname=\"{}\" name=\"{}\">{result}</testcase>\n",
        escape(&check.group),
        escape(&check.name)
    )
}
