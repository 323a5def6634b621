//! What was found, how grave is it, what does it rest on, and what should be done?

use std::fmt::Write;

use plumb_model::finding::Finding;

use crate::escape::escape;
use crate::wording::{by_severity, effect_text, severity_word, with_micro_sign};

pub(super) fn section(findings: &[Finding]) -> String {
    if findings.is_empty() {
        return "<p>Nothing stands out: no rule found anything to report.</p>\n".into();
    }
    let mut out = String::new();
    for finding in by_severity(findings) {
        let word = severity_word(finding.severity);
        let _ = write!(
            out,
            "<article class=\"finding is-{word}\">\n<h3><span class=\"badge\">{word}</span> {}</h3>\n",
            escape(&with_micro_sign(&finding.claim))
        );
        if !finding.advice.is_empty() {
            let _ = writeln!(
                out,
                "<p class=\"advice\"><b>What to do:</b> {}</p>",
                escape(&with_micro_sign(&finding.advice))
            );
        }
        if let Some(effect) = effect_text(finding) {
            let _ = writeln!(out, "<p><b>Expected:</b> {}</p>", escape(&effect));
        }
        if let Some(experiment) = &finding.experiment {
            let _ = writeln!(
                out,
                "<p><b>To test it:</b> <code>{}</code></p>",
                escape(experiment)
            );
        }
        if !finding.evidence.is_empty() {
            out.push_str("<dl class=\"evidence\">");
            for evidence in &finding.evidence {
                let source = if evidence.source.is_empty() {
                    String::new()
                } else {
                    format!(" <small>{}</small>", escape(&evidence.source))
                };
                let _ = write!(
                    out,
                    "<div><dt>{}</dt><dd>{}{source}</dd></div>",
                    escape(&evidence.what),
                    escape(&with_micro_sign(&evidence.value))
                );
            }
            out.push_str("</dl>\n");
        }
        for ruled_out in &finding.ruled_out {
            let _ = writeln!(
                out,
                "<p class=\"note\">Ruled out: {}</p>",
                escape(&with_micro_sign(ruled_out))
            );
        }
        let _ = writeln!(
            out,
            "<p class=\"note\">Rule <code>{}</code></p>\n</article>",
            escape(&finding.rule)
        );
    }
    out
}
