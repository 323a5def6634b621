//! What are the findings: severity, evidence, and advice?

use std::fmt::Write;

use plumb_model::results::finding::{Finding, Severity};
use plumb_model::statement::Statement;
use plumb_words::Words;

use crate::escape::escape;
use crate::wording::{FindingTexts, by_severity, effect_text, finding_texts, severity_word};

pub(super) fn section(findings: &[Finding], words: Words) -> String {
    if findings.is_empty() {
        let nothing = words.label("label-nothing-found");
        return format!("<p>{}</p>\n", escape(&nothing));
    }
    let mut out = String::new();
    for finding in by_severity(findings) {
        let class = class(finding.severity);
        let word = escape(&severity_word(finding.severity, words));
        let texts = finding_texts(finding, words);
        let _ = write!(
            out,
            "<article class=\"finding is-{class}\">\n<h3><span class=\"badge\">{word}</span> {}</h3>\n",
            escape(&texts.claim)
        );
        if !texts.advice.is_empty() {
            let _ = writeln!(
                out,
                "<p class=\"advice\"><b>{}</b> {}</p>",
                escape(&words.label("label-what-to-do")),
                escape(&texts.advice)
            );
        }
        if let Some(effect) = effect_text(finding, words) {
            let expected = escape(&words.label("label-expected"));
            let _ = writeln!(out, "<p><b>{expected}</b> {}</p>", escape(&effect));
        }
        if let Some(experiment) = &finding.experiment {
            let _ = writeln!(
                out,
                "<p><b>{}</b> <code>{}</code></p>",
                escape(&words.label("label-to-test-it")),
                escape(experiment)
            );
        }
        out.push_str(&evidence(finding, &texts, words));
        out.push_str("</article>\n");
    }
    out
}

/// Evidence of a finding, what was ruled out, and its rule, folded.
fn evidence(finding: &Finding, texts: &FindingTexts, words: Words) -> String {
    let mut out = format!(
        "<details class=\"rests\"><summary>{}</summary>\n",
        escape(&words.label("label-evidence"))
    );
    if !texts.evidence.is_empty() {
        out.push_str("<dl class=\"evidence\">");
        for [what, value, source] in &texts.evidence {
            let source = match source.is_empty() {
                true => String::new(),
                false => format!(" <small>{}</small>", escape(source)),
            };
            let _ = write!(
                out,
                "<div><dt>{}</dt><dd>{}{source}</dd></div>",
                escape(what),
                escape(value)
            );
        }
        out.push_str("</dl>\n");
    }
    for ruled_out in &texts.ruled_out {
        let statement = Statement::new("finding-ruled-out").name("reason", ruled_out);
        let text = escape(&words.sentence(&statement));
        let _ = writeln!(out, "<p class=\"note\">{text}</p>");
    }
    let _ = writeln!(
        out,
        "<p class=\"note\">{} <code>{}</code></p>\n</details>",
        escape(&words.label("label-rule")),
        escape(&finding.rule)
    );
    out
}

/// The class of the style sheet.
fn class(severity: Severity) -> &'static str {
    match severity {
        Severity::Info => "note",
        Severity::Warning => "warning",
        Severity::Severe => "severe",
    }
}
