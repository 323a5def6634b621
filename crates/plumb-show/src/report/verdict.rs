//! What does the page say first? The verdict, each sentence with the numbers it rests on.

use std::fmt::Write;

use plumb_model::results::summary::{Sentence, Summary};
use plumb_model::statement::Statement;
use plumb_words::Words;

use crate::escape::escape;
use crate::wording::{said, said_evidence};

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
            escape(&words.sentence(&Statement::new("page-doubtful").part("doubt", doubt.clone())))
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
            for evidence in &sentence.evidence {
                let [what, value] = said_evidence(&evidence.what, &evidence.value, words);
                let _ = write!(
                    out,
                    "<div><dt>{}</dt><dd>{}</dd></div>",
                    escape(&what),
                    escape(&value)
                );
            }
            out.push_str("</dl>");
        }
        out.push_str("</li>\n");
    }
    out.push_str("</ol>\n");
    out
}
