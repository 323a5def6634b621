//! What does the page say first? The verdict, each sentence with the numbers it rests on.

use std::fmt::Write;

use plumb_model::statement::Statement;
use plumb_model::summary::{Sentence, Summary};
use plumb_words::Words;

use crate::escape::escape;
use crate::wording::{said, with_micro_sign};

pub(super) fn section(summary: &Summary, words: Words) -> String {
    let mut out = String::new();
    if summary.verdict.is_empty() {
        let why = if summary.steps.is_empty() {
            "label-nothing-was-measured"
        } else {
            "label-no-plain-statement"
        };
        let _ = writeln!(out, "<p>{}</p>", escape(&words.label(why)));
    } else {
        out.push_str(&sentences(&summary.verdict, words));
    }
    for doubt in &summary.doubts {
        let _ = writeln!(
            out,
            "<p class=\"state\">{}</p>",
            escape(&words.sentence(&Statement::new("page-doubtful").name("doubt", doubt)))
        );
    }
    out
}

/// Sentences with the numbers they rest on; empty when there are none.
pub(super) fn sentences(sentences: &[Sentence], words: Words) -> String {
    if sentences.is_empty() {
        return String::new();
    }
    let mut out = String::from("<ol class=\"verdict\">\n");
    for (sentence, text) in sentences.iter().zip(said(sentences, words)) {
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
