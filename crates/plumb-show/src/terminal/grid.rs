//! How is the grid of eight figures printed?

use plumb_model::results::grid::GridRow;

use super::layout::{Cells, printable, wrapped};
use super::{Page, Tone};
use crate::tables::grid::table;

/// The grid with its notes; empty if no cell has a value.
pub fn grid_text(grid: &[GridRow], page: Page) -> String {
    let Some(table) = table(grid, page.words) else {
        return String::new();
    };
    let head = table.columns.iter().map(|column| column.title.clone());
    let rows = std::iter::once(head.collect()).chain(table.rows);
    let mut out = String::new();
    for (row, line) in Cells(rows.collect())
        .lines(page.width)
        .into_iter()
        .enumerate()
    {
        let line = printable(&line);
        out += &match row {
            0 => page.tone(Tone::Quiet, &line),
            _ => line,
        };
        out.push('\n');
    }
    if !table.note.is_empty() {
        out += &wrapped(&table.note, "", "", page.width);
    }
    out
}
