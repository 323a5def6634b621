//! What is on the page of copy programs? Damaged copies first, then the table, then the method.

use std::fmt::Write;

use plumb_model::results::copies::CopyTable;
use plumb_words::Words;

use super::tables;
use crate::escape::escape;
use crate::tables::copy_rows::{Detail, is_about, is_bad, table, title};
use crate::wording::sentence;

/// The section of the page.
pub(super) fn section(copies: &CopyTable, words: Words) -> String {
    let mut out = format!("<p>{}</p>\n", escape(&title(copies, words)));
    for statement in &copies.sentences {
        let bad = copies
            .rows
            .iter()
            .any(|row| is_bad(row) && is_about(statement, row));
        let text = escape(&sentence(statement, words));
        let _ = match bad {
            true => writeln!(
                out,
                "<p class=\"overall\"><span class=\"v-worse\">✗</span> {text}</p>"
            ),
            false => writeln!(out, "<p>{text}</p>"),
        };
    }
    out.push_str(&tables::html(&table(copies, Detail::All, words)));
    let commands: String = copies
        .rows
        .iter()
        .map(|row| {
            format!(
                "<li>{} ({}): <code>{}</code></li>\n",
                escape(&row.program),
                escape(&row.letter),
                escape(&row.command)
            )
        })
        .collect();
    let _ = write!(out, "<ul class=\"remarks\">\n{commands}");
    for condition in &copies.conditions {
        let _ = writeln!(out, "<li>{}</li>", escape(&sentence(condition, words)));
    }
    out.push_str("</ul>\n");
    out
}
