//! How is a matrix of two swept keys printed? In several blocks of columns on a narrow terminal.

use plumb_model::results::series::Matrix;

use super::layout::{Cells, printable};
use super::{Page, Tone};
use crate::tables::matrices::{cell_text, swept_text, title};

/// All matrices, one after the other; empty if there are none.
pub fn matrices_text(matrices: &[Matrix], page: Page) -> String {
    matrices
        .iter()
        .map(|matrix| matrix_text(matrix, page))
        .collect::<Vec<_>>()
        .join("\n")
}

fn matrix_text(matrix: &Matrix, page: Page) -> String {
    let mut out = page.tone(Tone::Strong, &printable(&title(matrix, page.words))) + "\n";
    let mut from = 0;
    while from < matrix.columns.len() {
        // As many columns as fit, and at least one.
        let fits = |to: &usize| cells(matrix, from, *to).width() <= page.width;
        let to = (from + 1..=matrix.columns.len())
            .rev()
            .find(fits)
            .unwrap_or(from + 1);
        for (row, line) in cells(matrix, from, to)
            .lines(page.width)
            .into_iter()
            .enumerate()
        {
            out += &if row == 0 {
                page.tone(Tone::Quiet, &line)
            } else {
                line
            };
            out.push('\n');
        }
        from = to;
    }
    out
}

fn cells(matrix: &Matrix, from: usize, to: usize) -> Cells {
    let columns = matrix.columns[from..to]
        .iter()
        .map(|value| printable(&swept_text(&matrix.column_key, value)));
    let head = std::iter::once(String::new()).chain(columns).collect();
    let row = |(row, value): (usize, &String)| {
        let name = printable(&swept_text(&matrix.row_key, value));
        std::iter::once(name)
            .chain((from..to).map(|column| cell_text(matrix, row, column)))
            .collect()
    };
    Cells(
        std::iter::once(head)
            .chain(matrix.rows.iter().enumerate().map(row))
            .collect(),
    )
}
