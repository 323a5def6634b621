//! How is the grid of eight figures written as a table and as one line, for the terminal and the page?

use plumb_model::results::grid::{GridAccess, GridCell, GridRow};
use plumb_model::results::summary::Summary;
use plumb_model::statement::{Statement, Unit};
use plumb_words::Words;
use plumb_words::numbers::{in_megabytes_per_s, megabytes_per_s, quantity, show_count};

use crate::figure::{Column, Table, latency_text};
use crate::wording::{MISSING, date_text, sentence_texts, subject_text};

/// Reads and writes side by side; `None` if no cell has a value.
pub(crate) fn table(grid: &[GridRow], words: Words) -> Option<Table> {
    if grid.is_empty() {
        return None;
    }
    let unit = megabytes_per_s();
    let (iops, mean) = (words.label("label-grid-iops"), words.label("label-mean"));
    let read = Statement::new("grid-read").name("unit", unit);
    let write = Statement::new("grid-write").name("unit", unit);
    let mut columns = vec![Column::text(String::new())];
    for first in [read, write] {
        columns.push(Column::number(words.sentence(&first)));
        columns.push(Column::number(iops.clone()));
        columns.push(Column::number(mean.clone()));
    }
    let rows = grid.iter().map(|row| {
        let mut cells = vec![row_name(row, words)];
        cells.extend(figures(row.read.as_ref()));
        cells.extend(figures(row.write.as_ref()));
        cells
    });
    Some(Table {
        columns,
        rows: rows.collect(),
        note: note(grid, words),
    })
}

fn figures(cell: Option<&GridCell>) -> [String; 3] {
    let Some(cell) = cell else {
        return [MISSING; 3].map(str::to_string);
    };
    [
        show_count(in_megabytes_per_s(cell.bandwidth_bytes_per_s)),
        show_count(cell.iops),
        cell.mean_ns.map_or_else(|| MISSING.into(), latency_text),
    ]
}

/// `Sequential 1 MiB, QD8`; both if reads and writes were best at different depths.
fn row_name(row: &GridRow, words: Words) -> String {
    let cells: Vec<&GridCell> = row.read.iter().chain(&row.write).collect();
    let one_of_each = |text: fn(&GridCell) -> String| {
        let mut texts: Vec<String> = cells.iter().map(|cell| text(cell)).collect();
        texts.dedup();
        texts.join(" / ")
    };
    if cells.is_empty() {
        return words.label(match row.access {
            GridAccess::SequentialDeep => "label-grid-sequential-deep",
            GridAccess::SequentialOne => "label-grid-sequential-one",
            GridAccess::RandomDeep => "label-grid-random-deep",
            GridAccess::RandomOne => "label-grid-random-one",
        });
    }
    let block = one_of_each(|cell| quantity(cell.block_bytes as f64, Unit::Bytes));
    let depth = one_of_each(|cell| show_count(cell.depth));
    words.sentence(&match row.access {
        GridAccess::SequentialDeep | GridAccess::SequentialOne => Statement::new("grid-sequential")
            .name("block", block)
            .name("depth", depth),
        GridAccess::RandomDeep | GridAccess::RandomOne => Statement::new("grid-random")
            .name("block", block)
            .name("depth", depth),
    })
}

/// Whether the page cache was bypassed: needed to interpret a figure.
fn note(grid: &[GridRow], words: Words) -> String {
    let cells = || {
        grid.iter()
            .flat_map(|row| row.read.iter().chain(&row.write))
    };
    let cached: Vec<&str> = cells()
        .filter(|cell| cell.direct == Some(false))
        .map(|cell| cell.step.as_str())
        .collect();
    let is_direct = cells().any(|cell| cell.direct == Some(true));
    match (cached.as_slice(), is_direct) {
        ([], true) => words.label("label-grid-direct"),
        ([], false) => String::new(),
        (_, false) => words.label("label-grid-cached"),
        (steps, true) => words
            .sentence(&Statement::new("grid-some-cached").names("steps", steps.iter().copied())),
    }
}

/// A run in one line, for scripts and chats: target, date, and the commonly quoted figures.
pub fn one_line(summary: &Summary, words: Words) -> String {
    let mut parts = vec![
        subject_text(&summary.plan, &summary.environment),
        date_text(&summary.started),
    ];
    for row in summary
        .grid
        .iter()
        .filter(|row| row.read.is_some() || row.write.is_some())
    {
        let figure = |cell: &Option<GridCell>| match (cell, row.access) {
            (None, _) => MISSING.to_string(),
            (Some(cell), GridAccess::SequentialDeep | GridAccess::SequentialOne) => {
                quantity(cell.bandwidth_bytes_per_s, Unit::BytesPerSecond)
            }
            (Some(cell), GridAccess::RandomDeep) => {
                words.sentence(&Statement::new("iops").quantity("rate", cell.iops, Unit::PerSecond))
            }
            (Some(cell), GridAccess::RandomOne) => {
                cell.mean_ns.map_or_else(|| MISSING.into(), latency_text)
            }
        };
        parts.push(
            words.sentence(
                &Statement::new("one-line-figures")
                    .name("name", row_name(row, words))
                    .name("read", figure(&row.read))
                    .name("write", figure(&row.write)),
            ),
        );
    }
    if summary.grid.is_empty() {
        parts.extend(sentence_texts(&summary.verdict, words).into_iter().next());
    } else {
        parts.push(
            note(&summary.grid, words)
                .trim_end_matches(['.', '。'])
                .into(),
        );
    }
    parts.retain(|part| !part.is_empty());
    parts.join(" · ")
}
