//! How is a test of copy programs written for a pull request? Damaged copies first, then the table.

use std::fmt::Write;

use plumb_model::results::copies::CopyTable;
use plumb_words::Words;

use super::escaped;
use crate::tables::copy_rows::{Detail, table, title};
use crate::wording::sentence;

/// The table of copy programs as GitHub Markdown.
pub fn copies_markdown(copies: &CopyTable) -> String {
    let mut out = format!(
        "### plumb copy-test: {}\n\n",
        escaped(&title(copies, Words::english()))
    );
    for statement in &copies.sentences {
        let _ = writeln!(out, "- {}", escaped(&sentence(statement, Words::english())));
    }
    let shown = table(copies, Detail::All, Words::english());
    let line = |cells: &mut dyn Iterator<Item = String>| {
        format!("| {} |\n", cells.collect::<Vec<_>>().join(" | "))
    };
    out.push('\n');
    out += &line(&mut shown.columns.iter().map(|column| escaped(&column.title)));
    out += &line(&mut shown.columns.iter().enumerate().map(|(place, _)| {
        if place == 0 {
            "---".into()
        } else {
            "---:".into()
        }
    }));
    for row in &shown.rows {
        out += &line(&mut row.iter().map(|cell| escaped(cell)));
    }
    let _ = writeln!(out, "\n<sub>{}</sub>", escaped(&shown.note));
    for condition in &copies.conditions {
        let _ = writeln!(
            out,
            "<sub>{}</sub>",
            escaped(&sentence(condition, Words::english()))
        );
    }
    out
}
