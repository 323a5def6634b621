//! How is a matrix of two swept keys shown on the page? As a table whose cells are darker for higher figures.

use std::fmt::Write;

use plumb_model::results::series::Matrix;
use plumb_words::Words;

use crate::escape::escape;
use crate::tables::matrices::{cell_text, swept_text, title, values};

/// Share of the accent color behind the highest figure, in percent; text stays readable on it.
const DARKEST_PERCENT: f64 = 45.0;

pub(super) fn section(matrices: &[Matrix], words: Words) -> String {
    matrices.iter().map(|matrix| html(matrix, words)).collect()
}

fn html(matrix: &Matrix, words: Words) -> String {
    let mut out = format!(
        "<h3>{}</h3>\n<div class=\"scroll\" tabindex=\"0\"><table>\n<thead><tr><th scope=\"col\"></th>",
        escape(&title(matrix, words))
    );
    for value in &matrix.columns {
        let _ = write!(
            out,
            "<th scope=\"col\" class=\"n\">{}</th>",
            escape(&swept_text(&matrix.column_key, value))
        );
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    let highest = values(matrix).fold(0.0, f64::max);
    for (row, value) in matrix.rows.iter().enumerate() {
        let _ = write!(
            out,
            "<tr><th scope=\"row\">{}</th>",
            escape(&swept_text(&matrix.row_key, value))
        );
        for column in 0..matrix.columns.len() {
            let share = matrix
                .value(row, column)
                .filter(|_| highest > 0.0)
                .map(|value| DARKEST_PERCENT * value / highest);
            let style = share.map_or_else(String::new, |share| {
                format!(
                    " style=\"background:color-mix(in srgb,var(--accent) {share:.0}%,transparent)\""
                )
            });
            let _ = write!(
                out,
                "<td class=\"n\"{style}>{}</td>",
                escape(&cell_text(matrix, row, column))
            );
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody></table></div>\n");
    out
}
