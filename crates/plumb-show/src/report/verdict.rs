//! What does the page say first? The verdict, each sentence with the numbers it rests on.

use std::fmt::Write;

use plumb_model::summary::{Sentence, Summary};

use crate::escape::escape;
use crate::wording::{said, with_micro_sign};

pub(super) fn section(summary: &Summary) -> String {
    let mut out = String::new();
    if summary.verdict.is_empty() {
        let why = if summary.steps.is_empty() {
            "Nothing was measured."
        } else {
            "The measurements support no plain statement; see the figures."
        };
        let _ = writeln!(out, "<p>{why}</p>");
    } else {
        out.push_str(&sentences(&summary.verdict));
    }
    for doubt in &summary.doubts {
        let _ = writeln!(out, "<p class=\"state\">Doubtful: {}</p>", escape(doubt));
    }
    out
}

/// Sentences with the numbers they rest on; empty when there are none.
pub(super) fn sentences(sentences: &[Sentence]) -> String {
    if sentences.is_empty() {
        return String::new();
    }
    let mut out = String::from("<ol class=\"verdict\">\n");
    for (sentence, text) in sentences.iter().zip(said(sentences)) {
        let _ = write!(out, "<li><p>{}</p>", escape(&text));
        if !sentence.evidence.is_empty() {
            out.push_str("<dl class=\"evidence\">");
            for (what, value) in &sentence.evidence {
                let _ = write!(
                    out,
                    "<div><dt>{}</dt><dd>{}</dd></div>",
                    escape(what),
                    escape(&with_micro_sign(value))
                );
            }
            out.push_str("</dl>");
        }
        out.push_str("</li>\n");
    }
    out.push_str("</ol>\n");
    out
}
