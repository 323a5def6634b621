//! How is a test of copy programs printed? Damaged copies first, then the table.

use plumb_model::results::copies::CopyTable;
use plumb_model::statement::Statement;
use plumb_words::Words;

use super::layout::{Cells, printable, wrapped};
use super::{Page, Tone};
use crate::figure::Table;
use crate::tables::copy_rows::{Detail, is_about, is_bad, table, title};
use crate::wording::sentence;

/// The table of copy programs, with notes before it.
pub fn copies_text(copies: &CopyTable, page: Page) -> String {
    let mut out = page.tone(
        Tone::Strong,
        &page
            .words
            .sentence(&Statement::new("copies-of").name("tree", title(copies, page.words))),
    );
    out += "\n\n";
    for statement in &copies.sentences {
        let bad = copies
            .rows
            .iter()
            .any(|row| is_bad(row) && is_about(statement, row));
        let text = wrapped(
            &sentence(statement, page.words),
            if bad { "✗ " } else { "  " },
            "  ",
            page.width,
        );
        out += &if bad {
            page.tone(Tone::Severe, text.trim_end()) + "\n"
        } else {
            text
        };
    }
    let (shown, cells) = fitting(copies, page.width.saturating_sub(2), page.words);
    out.push('\n');
    for (place, line) in cells
        .lines(page.width.saturating_sub(2))
        .into_iter()
        .enumerate()
    {
        let bad = place > 0 && copies.rows.get(place - 1).is_some_and(is_bad);
        let line = format!("  {line}");
        out += &match (place, bad) {
            (0, _) => page.tone(Tone::Quiet, &line),
            (_, true) => page.tone(Tone::Severe, &line),
            _ => line,
        };
        out.push('\n');
    }
    out.push('\n');
    out += &page.tone(
        Tone::Quiet,
        wrapped(&shown.note, "  ", "  ", page.width).trim_end(),
    );
    out.push('\n');
    for condition in &copies.conditions {
        out += &page.tone(
            Tone::Quiet,
            wrapped(&sentence(condition, page.words), "  ", "  ", page.width).trim_end(),
        );
        out.push('\n');
    }
    out
}

/// The table in the greatest detail that fits.
fn fitting(copies: &CopyTable, columns: usize, words: Words) -> (Table, Cells) {
    let laid_out = |detail: Detail| {
        let shown = table(copies, detail, words);
        let head = shown
            .columns
            .iter()
            .map(|column| column.title.clone())
            .collect();
        let rows = shown
            .rows
            .iter()
            .map(|row| row.iter().map(|cell| printable(cell)).collect());
        let cells = Cells(std::iter::once(head).chain(rows).collect());
        (shown, cells)
    };
    let fits = |detail: &Detail| laid_out(*detail).1.width() <= columns;
    laid_out(
        [Detail::All, Detail::Most]
            .into_iter()
            .find(fits)
            .unwrap_or(Detail::Least),
    )
}
