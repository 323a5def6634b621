//! How do the rounds of the sides lie? Every round of every side as a dot, side beside side, against the baseline's value.

use plumb_model::results::comparison::{Cell, Comparison};

use crate::comparison_chart::{
    ComparisonChart, ComparisonSubject, SIDES_DRAWN, cell_name, hue_of, ratio_axis, row_names,
    rows_axis, side_name, sides_left_out,
};
use crate::figure::{Column, Figure, Mark, Naming, RowValue, Shape, Table};
use crate::tables::comparison_rows::{CellRow, most_telling, one_per_cell};
use crate::wording::comparison::{figure_name, letter, value_text, whole};

pub const CHART: ComparisonChart = ComparisonChart {
    name: "rounds",
    question: "How do the rounds of the sides lie?",
    figures,
};

/// Cells that one figure holds.
const CELLS: usize = 45;
/// Dots that one figure holds, about: cells are left out beyond.
const DOTS: usize = 6_000;
/// Rounds that the table lists.
const ROUNDS_LISTED: usize = 20;
/// A dot lies no further from the baseline than this factor: one stalled round must not flatten all others.
const FURTHEST: f64 = 20.0;

fn figures(subject: &ComparisonSubject) -> Vec<Figure> {
    let comparison = subject.comparison;
    let drawable: Vec<CellRow> = one_per_cell(comparison)
        .filter(|row| baseline(row.cell).is_some())
        .collect();
    let count = drawable.len();
    let most = comparison
        .cells
        .iter()
        .flat_map(|cell| &cell.sides)
        .map(|side| side.rounds.len())
        .max()
        .unwrap_or(0);
    let sides = comparison.sides.len().min(SIDES_DRAWN);
    let limit = CELLS.min(DOTS / (most * sides).max(1)).max(1);
    let cells: Vec<&Cell> = most_telling(drawable.into_iter(), limit)
        .shown
        .into_iter()
        .map(|row| row.cell)
        .collect();
    if cells.is_empty() {
        return Vec::new();
    }
    let named: Vec<(&str, String)> = cells
        .iter()
        .map(|cell| (cell.step.as_str(), figure_name(cell)))
        .collect();
    let (names, rules) = row_names(&named);
    let (x, [band, line]) = ratio_axis(
        comparison,
        &format!("against the value of {}", letter(comparison, 0)),
    );
    let mut marks = vec![band];
    marks.extend(rules);
    marks.push(line);
    for side in 0..sides {
        let name = side_name(comparison, side);
        marks.push(Mark::Rows {
            name: String::new(),
            hue: hue_of(side),
            shape: Shape::Stroke,
            lane: side,
            lanes: sides,
            values: middles(&cells, side, &name),
        });
        marks.push(Mark::Rows {
            name: name.clone(),
            hue: hue_of(side),
            shape: Shape::Speck,
            lane: side,
            lanes: sides,
            values: specks(&cells, side, &name),
        });
    }
    let left_out = if count > cells.len() {
        format!(
            " The {} largest differences of {} figures.",
            cells.len(),
            whole(count)
        )
    } else {
        String::new()
    };
    vec![Figure {
        name: CHART.name,
        title: "All rounds".into(),
        caption: format!(
            "Each dot is one round, from the first above to the last below within its row; the upright stroke is the side's value. Everything is divided by the \
             value of {}, so that figures of all kinds share one axis.{left_out}{}",
            letter(comparison, 0),
            sides_left_out(comparison)
        ),
        x,
        y: rows_axis(names),
        marks,
        naming: Naming::Legend,
        alternative: alternative(comparison, &cells),
        table: table(comparison, &cells, most),
    }]
}

/// The baseline's value, by which a cell's rounds are divided.
fn baseline(cell: &Cell) -> Option<f64> {
    cell.sides
        .first()?
        .value
        .filter(|value| value.is_finite() && *value > 0.0)
}

/// A value against the baseline, if it has a place on a logarithmic axis.
fn relative(cell: &Cell, value: Option<f64>) -> Option<f64> {
    let ratio = value? / baseline(cell)?;
    (ratio.is_finite() && ratio > 0.0).then(|| ratio.clamp(1.0 / FURTHEST, FURTHEST))
}

fn middles(cells: &[&Cell], side: usize, name: &str) -> Vec<RowValue> {
    let value = |(row, cell): (usize, &&Cell)| {
        let value = cell.sides.get(side)?.value;
        let hover = format!(
            "{name}, {}: {}",
            cell_name(cell),
            value_text(&cell.unit, value)
        );
        Some(RowValue {
            row,
            value: relative(cell, value)?,
            shift: 0.5,
            hover,
            ..RowValue::default()
        })
    };
    cells.iter().enumerate().filter_map(value).collect()
}

fn specks(cells: &[&Cell], side: usize, name: &str) -> Vec<RowValue> {
    let mut values = Vec::new();
    for (row, cell) in cells.iter().enumerate() {
        let rounds = cell
            .sides
            .get(side)
            .map_or(&[][..], |side| side.rounds.as_slice());
        for (round, value) in rounds.iter().enumerate() {
            let Some(ratio) = relative(cell, *value) else {
                continue;
            };
            let hover = format!(
                "{name}, round {}: {}",
                round + 1,
                value_text(&cell.unit, *value)
            );
            let shift = if rounds.len() > 1 {
                round as f64 / (rounds.len() - 1) as f64
            } else {
                0.5
            };
            values.push(RowValue {
                row,
                value: ratio,
                shift,
                hover,
                ..RowValue::default()
            });
        }
    }
    values
}

fn alternative(comparison: &Comparison, cells: &[&Cell]) -> String {
    let one = |cell: &&Cell| {
        let side = |side: usize| {
            let rounds = cell.sides.get(side)?.rounds.iter().flatten().copied();
            let (low, high) = rounds
                .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
                    (low.min(value), high.max(value))
                });
            (low <= high).then(|| {
                format!(
                    "{} {} to {}",
                    letter(comparison, side),
                    value_text(&cell.unit, Some(low)),
                    value_text(&cell.unit, Some(high))
                )
            })
        };
        let sides: Vec<String> = (0..comparison.sides.len().min(SIDES_DRAWN))
            .filter_map(side)
            .collect();
        format!("{}: rounds of {}.", cell_name(cell), sides.join(", of "))
    };
    cells.iter().take(12).map(one).collect::<Vec<_>>().join(" ")
}

fn table(comparison: &Comparison, cells: &[&Cell], most: usize) -> Table {
    let listed = most.min(ROUNDS_LISTED);
    let mut columns = vec![
        Column::text("step"),
        Column::text("figure"),
        Column::text("side"),
        Column::number("value"),
    ];
    columns.extend((1..=listed).map(|round| Column::number(format!("round {round}"))));
    let mut rows = Vec::new();
    for cell in cells {
        for (place, side) in cell.sides.iter().enumerate().take(SIDES_DRAWN) {
            let mut row = vec![
                cell.step.clone(),
                figure_name(cell),
                letter(comparison, place).to_string(),
                value_text(&cell.unit, side.value),
            ];
            row.extend(
                (0..listed)
                    .map(|round| value_text(&cell.unit, side.rounds.get(round).copied().flatten())),
            );
            rows.push(row);
        }
    }
    let note = if most > listed {
        format!(
            "The first {listed} of {} rounds; --json has all.",
            whole(most)
        )
    } else {
        String::new()
    };
    Table {
        columns,
        rows,
        note,
    }
}
