//! How does a figure vary with two swept keys? A matrix as rows of text, for the terminal and the page.

use plumb_model::results::series::Matrix;
use plumb_model::statement::Statement;
use plumb_model::units::Bytes;
use plumb_words::Words;
use plumb_words::numbers::{bandwidth_scale, show_bytes, show_count};

use crate::wording::MISSING;

/// The unit of all cells, and the divisor of values for it.
pub(crate) fn scale(matrix: &Matrix) -> (&'static str, f64) {
    let largest = values(matrix).fold(0.0, f64::max);
    match matrix.unit.as_str() {
        "bytes/s" => bandwidth_scale(largest),
        _ => ("operations/s", 1.0),
    }
}

/// All values.
pub(crate) fn values(matrix: &Matrix) -> impl Iterator<Item = f64> + '_ {
    let places = (0..matrix.rows.len())
        .flat_map(|row| (0..matrix.columns.len()).map(move |column| (row, column)));
    places
        .filter_map(|(row, column)| matrix.value(row, column))
        .filter(|value| value.is_finite())
}

/// `write, MB/s: size in rows, block in columns`.
pub(crate) fn title(matrix: &Matrix, words: Words) -> String {
    words.sentence(
        &Statement::new("matrix-title")
            .name("name", &matrix.name)
            .name("unit", scale(matrix).0)
            .name("rows", &matrix.row_key)
            .name("columns", &matrix.column_key),
    )
}

/// A swept value for display: a size with its unit, anything else unchanged.
pub(crate) fn swept_text(key: &str, value: &str) -> String {
    match value.parse::<Bytes>() {
        Ok(bytes) if matches!(key, "size" | "block" | "start" | "bytes") => {
            show_bytes(bytes.0 as f64)
        }
        _ => value.to_string(),
    }
}

/// The cell as text: a dash if the step ran without a figure, empty if it did not run.
pub(crate) fn cell_text(matrix: &Matrix, row: usize, column: usize) -> String {
    let ran = matrix
        .cells
        .get(row)
        .and_then(|cells| cells.get(column))
        .is_some_and(Option::is_some);
    match matrix.value(row, column) {
        Some(value) => show_count(value / scale(matrix).1),
        None if ran => MISSING.into(),
        None => String::new(),
    }
}
