//! How is a comparison written as annotations of a pull request? GitHub's workflow commands: an error for each failed check, a warning for what is undecided.

use plumb_model::results::comparison::Comparison;
use plumb_model::statement::Statement;
use plumb_words::Words;

use crate::checks::{Check, CheckOutcome, checks};
use crate::wording::comparison::{overall, verdict_mark};
use crate::wording::sentence_texts;

/// Most errors that GitHub shows of one step of a workflow.
const ERRORS_MAX: usize = 10;
/// Most lines of one annotation.
const LINES_MAX: usize = 20;

/// The comparison as workflow commands, one per line.
pub fn comparison_github(comparison: &Comparison, words: Words) -> String {
    let checks = checks(comparison, words);
    let of = |outcomes: &[CheckOutcome]| {
        let held = checks
            .iter()
            .filter(|check| outcomes.contains(&check.outcome));
        held.collect::<Vec<&Check>>()
    };
    let failed = of(&[CheckOutcome::NotDone, CheckOutcome::Failed]);
    let undecided = of(&[CheckOutcome::Undecided]);
    let mut out = String::new();
    // The last annotation holds the rest.
    let alone = match failed.len() > ERRORS_MAX {
        true => ERRORS_MAX - 1,
        false => failed.len(),
    };
    for check in &failed[..alone] {
        out += &command("error", &name(check), &check.text);
    }
    let title = |checks: &[&Check]| match checks {
        [only] => name(only),
        _ => "plumb compare".into(),
    };
    for (kind, rest) in [("error", &failed[alone..]), ("warning", &undecided[..])] {
        if !rest.is_empty() {
            out += &command(kind, &title(rest), &lines(rest, words));
        }
    }
    out + &summary(comparison, &of(&[CheckOutcome::Passed]), words)
}

/// `random-read depth=1, p99`.
fn name(check: &Check) -> String {
    format!("{}, {}", check.group, check.name)
}

fn line(check: &Check) -> String {
    format!("{}: {}", name(check), check.text)
}

/// One line per check, with its name if there are several, and how many more there are.
fn lines(checks: &[&Check], words: Words) -> String {
    if let [only] = checks {
        return only.text.clone();
    }
    let shown = checks.iter().take(LINES_MAX);
    let mut lines: Vec<String> = shown.map(|check| line(check)).collect();
    if let rest @ 1.. = checks.len().saturating_sub(LINES_MAX) {
        let more = Statement::new("compared-more-lines").count("count", rest as u64);
        lines.push(words.sentence(&more));
    }
    lines.join("\n")
}

/// The verdict as a notice, with the conditions that hold.
fn summary(comparison: &Comparison, passed: &[&Check], words: Words) -> String {
    let title = format!(
        "plumb compare: {}",
        verdict_mark(overall(comparison), words)
    );
    let mut texts = sentence_texts(&comparison.verdict, words);
    if !comparison.conditions.is_empty() {
        texts.extend(passed.iter().map(|check| line(check)));
    }
    command("notice", &title, &texts.join("\n"))
}

/// One workflow command, escaped as the runner reads it back (actions/toolkit, packages/core/src/command.ts).
fn command(kind: &str, title: &str, message: &str) -> String {
    let escaped = |text: &str| {
        text.replace('%', "%25")
            .replace('\r', "%0D")
            .replace('\n', "%0A")
    };
    let title = escaped(title).replace(':', "%3A").replace(',', "%2C");
    format!("::{kind} title={title}::{}\n", escaped(message))
}

#[cfg(test)]
mod tests {
    use super::command;

    #[test]
    fn a_name_cannot_end_its_annotation() {
        let hostile = "a,b: 5 %\r\n::error::x";
        assert_eq!(
            command("error", hostile, hostile),
            "::error title=a%2Cb%3A 5 %25%0D%0A%3A%3Aerror%3A%3Ax::a,b: 5 %25%0D%0A::error::x\n"
        );
    }
}
