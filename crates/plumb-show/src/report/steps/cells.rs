//! How are cells of the tables of steps formatted? Counts, times, and the figures of a latency.

use plumb_model::results::summary::Latency;
use plumb_words::numbers::{group_thousands, show_count};
use plumb_words::{Words, is_label};

use crate::chart::or_dash;
use crate::figure::{Column, Quantity, Table, percent_text};
use crate::wording::MISSING;

pub(in crate::report) fn number(value: Option<f64>) -> String {
    value.map_or_else(|| MISSING.into(), show_count)
}

/// Measured time, or a dash if the source of an imported run does not report it.
pub(in crate::report) fn seconds(duration_s: f64) -> String {
    if duration_s > 0.0 {
        format!("{} s", show_count(duration_s))
    } else {
        MISSING.into()
    }
}

pub(in crate::report) fn percent(value: Option<f64>) -> String {
    value.map_or_else(|| MISSING.into(), percent_text)
}

/// A count with all digits.
pub(in crate::report) fn whole(count: u64) -> String {
    group_thousands(i64::try_from(count).unwrap_or(i64::MAX))
}

/// Removes columns without information: whether, and which.
pub(in crate::report) fn without(mut table: Table, needless: &[(bool, usize)]) -> Table {
    let stays = |place: usize| !needless.contains(&(true, place));
    let mut place = 0..;
    table.columns.retain(|_| place.next().is_some_and(stays));
    for row in &mut table.rows {
        let mut place = 0..;
        row.retain(|_| place.next().is_some_and(stays));
    }
    table
}

/// Columns of text, then columns of numbers, by the labels of their headings.
pub(in crate::report) fn columns(words: Words, texts: &[&str], numbers: &[&str]) -> Vec<Column> {
    let texts = texts.iter().map(|label| Column::text(words.label(label)));
    let numbers = numbers
        .iter()
        .map(|label| Column::number(words.label(label)));
    texts.chain(numbers).collect()
}

/// One column per figure of a latency.
pub(in crate::report) fn latency_columns(words: Words) -> impl Iterator<Item = Column> {
    let titles = LATENCY_TITLES.map(|title| match title {
        label if is_label(label) => words.label(label),
        percentile => percentile.to_string(),
    });
    titles.into_iter().map(Column::number)
}

/// Names and values of all figures of a latency.
pub(in crate::report) fn latency_cells(latency: &Latency) -> Vec<String> {
    let figures = [
        latency.min,
        latency.mean,
        latency.p50,
        latency.p90,
        latency.p95,
        latency.p99,
        latency.p99_9,
        latency.p99_99,
        latency.p99_999,
        latency.p99_9999,
        latency.max,
    ];
    figures
        .iter()
        .map(|figure| or_dash(Quantity::Latency, *figure))
        .collect()
}

/// Headings: labels, and percentiles, which are written the same everywhere.
const LATENCY_TITLES: [&str; 11] = [
    "label-shortest",
    "label-mean",
    "p50",
    "p90",
    "p95",
    "p99",
    "p99.9",
    "p99.99",
    "p99.999",
    "p99.9999",
    "label-longest",
];
