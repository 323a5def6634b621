//! What does the page show of published figures? The article's tables with the measured figures beside them.

use std::fmt::Write;

use plumb_model::results::published::PublishedTable;
use plumb_words::Words;

use super::tables::html;
use crate::escape::escape;
use crate::figure::{Column, Table};
use crate::tables::published::{ShownTable, missing_text, shown};

/// The tables of all experiments; empty without one.
pub(super) fn section(tables: &[PublishedTable], words: Words) -> String {
    let mut out = String::new();
    for table in tables {
        let experiment = shown(table, words);
        let _ = writeln!(out, "<p>{}</p>", escape(&experiment.heading));
        for held in &experiment.tables {
            let _ = writeln!(out, "<h3>{}</h3>", escape(&held.name));
            out += &html(&with_steps(held, words));
        }
        for (reason, rows) in &experiment.missing {
            let text = missing_text(reason, rows, words);
            let _ = writeln!(out, "<p class=\"note\">{}</p>", escape(&text));
        }
        if let Some(pinning) = &experiment.pinning {
            let title = words.label("label-what-pinning-gave");
            let _ = writeln!(out, "<h3>{}</h3>", escape(&title));
            out += &html(pinning);
        }
    }
    out
}

/// The steps as a column of their own.
fn with_steps(held: &ShownTable, words: Words) -> Table {
    let mut table = held.table.clone();
    table
        .columns
        .push(Column::text(words.label("label-published-steps")));
    for (row, note) in table.rows.iter_mut().zip(&held.notes) {
        row.push(note.clone());
    }
    table
}
