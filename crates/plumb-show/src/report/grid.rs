//! What are the eight main figures of the page, below its headline?

use plumb_model::results::grid::GridRow;
use plumb_words::Words;

use super::tables::html;
use crate::tables::grid::table;

/// The grid as a table; empty if no cell has a value.
pub(super) fn section(grid: &[GridRow], words: Words) -> String {
    table(grid, words).map_or_else(String::new, |table| {
        format!("<div class=\"grid\">\n{}</div>\n", html(&table))
    })
}
