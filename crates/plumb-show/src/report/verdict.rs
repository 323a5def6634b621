//! What is at the top of the page? The verdict, each sentence with its evidence.

use std::fmt::Write;

use plumb_model::results::summary::{Sentence, Summary};
use plumb_model::statement::Statement;
use plumb_words::Words;

use crate::escape::escape;
use crate::wording::{evidence_texts, sentence_texts};

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
        let shown = match summary.grid.is_empty() {
            true => SHOWN,
            false => SHOWN_BESIDE_GRID,
        };
        out.push_str(&sentences(&summary.verdict, shown, words));
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

/// Sentences shown; the rest is folded.
pub(super) const SHOWN: usize = 5;
/// The same with a grid, which has the main figures already, so that the first chart is visible without scrolling.
const SHOWN_BESIDE_GRID: usize = 3;

/// Sentences, each of which unfolds its evidence; empty if there are none. All after those shown are folded.
pub(super) fn sentences(sentences: &[Sentence], shown: usize, words: Words) -> String {
    let items: Vec<String> = sentences
        .iter()
        .zip(sentence_texts(sentences, words))
        .map(|(sentence, text)| item(sentence, &text, words))
        .collect();
    folded_after(&items, shown, words)
}

/// A list of which this many items are shown and the rest is folded; empty if there are none.
pub(super) fn folded_after(items: &[String], shown: usize, words: Words) -> String {
    let (shown, rest) = items.split_at(items.len().min(shown));
    let mut out = String::new();
    if !shown.is_empty() {
        let _ = write!(out, "<ol class=\"verdict\">\n{}</ol>\n", shown.concat());
    }
    if !rest.is_empty() {
        let more = Statement::new("page-more-sentences").count("count", rest.len() as u64);
        let _ = write!(
            out,
            "<details class=\"more\"><summary>{}</summary>\n<ol class=\"verdict\">\n{}</ol>\n</details>\n",
            escape(&words.sentence(&more)),
            rest.concat()
        );
    }
    out
}

fn item(sentence: &Sentence, text: &str, words: Words) -> String {
    let text = escape(text);
    if sentence.evidence.is_empty() {
        return format!("<li><p>{text}</p></li>\n");
    }
    let mut out = format!("<li><details><summary>{text}</summary>\n<dl class=\"evidence\">");
    for evidence in &sentence.evidence {
        let [what, value] = evidence_texts(&evidence.what, &evidence.value, words);
        let _ = write!(
            out,
            "<div><dt>{}</dt><dd>{}</dd></div>",
            escape(&what),
            escape(&value)
        );
    }
    out + "</dl></details></li>\n"
}
