//! How do the rounds of the sides scatter? Every round of every side as a dot, relative to the baseline's value.

use plumb_model::results::comparison::{Cell, Comparison};

use crate::comparison_chart::{
    ComparisonChart, ComparisonSubject, SIDES_DRAWN, cell_name, hue_of, ratio_axis, row_names,
    rows_axis, side_name, sides_left_out,
};
use crate::figure::{Column, Figure, Mark, Naming, RowValue, Shape, Table};
use crate::tables::comparison_rows::{CellRow, most_telling, one_per_cell};
use crate::wording::comparison::{figure_name, letter, value_text};
use plumb_model::statement::Statement;
use plumb_words::Words;

pub const CHART: ComparisonChart = ComparisonChart {
    name: "rounds",
    question: "How do the rounds of the sides lie?",
    figures,
};

/// Cells per figure.
const CELLS: usize = 45;
/// Approximate limit of dots per figure: cells beyond it are left out.
const DOTS: usize = 6_000;
/// Rounds that the table lists.
const ROUNDS_LISTED: usize = 20;
/// A dot is cut at this factor from the baseline: one stalled round must not flatten all others.
const FURTHEST: f64 = 20.0;

fn figures(subject: &ComparisonSubject) -> Vec<Figure> {
    let (comparison, words) = (subject.comparison, subject.words);
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
        words.sentence(
            &Statement::new("compared-against-value-of").name("baseline", letter(comparison, 0)),
        ),
    );
    let mut marks = vec![band];
    marks.extend(rules);
    marks.push(line);
    marks.extend((0..sides).flat_map(|side| of_side(subject, &cells, side, sides)));
    let left_out = (count > cells.len()).then(|| {
        words.sentence(
            &Statement::new("compared-largest-differences")
                .count("shown", cells.len() as u64)
                .count("figures", count as u64),
        )
    });
    let dots = Statement::new("compared-rounds-caption").name("baseline", letter(comparison, 0));
    vec![Figure {
        name: CHART.name,
        title: words.label("label-compared-all-rounds"),
        caption: words.sentences([
            Some(words.sentence(&dots)),
            left_out,
            sides_left_out(comparison, words),
        ]),
        x,
        y: rows_axis(names),
        marks,
        naming: Naming::Legend,
        alternative: alternative(comparison, &cells, words),
        table: table(comparison, &cells, most, words),
    }]
}

/// One side's rounds, and its value as a vertical stroke.
fn of_side(subject: &ComparisonSubject, cells: &[&Cell], side: usize, sides: usize) -> [Mark; 2] {
    let name = side_name(subject.comparison, side);
    [
        Mark::Rows {
            name: String::new(),
            hue: hue_of(side),
            shape: Shape::Stroke,
            lane: side,
            lanes: sides,
            values: middles(cells, side, &name),
        },
        Mark::Rows {
            name: name.clone(),
            hue: hue_of(side),
            shape: Shape::Speck,
            lane: side,
            lanes: sides,
            values: specks(cells, side, &name, subject.words),
        },
    ]
}

/// The baseline's value, by which a cell's rounds are divided.
fn baseline(cell: &Cell) -> Option<f64> {
    cell.sides
        .first()?
        .value
        .filter(|value| value.is_finite() && *value > 0.0)
}

/// A value relative to the baseline, if a logarithmic axis can show it.
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

fn specks(cells: &[&Cell], side: usize, name: &str, words: Words) -> Vec<RowValue> {
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
            let number =
                words.sentence(&Statement::new("compared-round").count("round", round as u64 + 1));
            let hover = format!("{name}, {number}: {}", value_text(&cell.unit, *value));
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

fn alternative(comparison: &Comparison, cells: &[&Cell], words: Words) -> String {
    let one = |cell: &&Cell| {
        let side = |side: usize| {
            let rounds = cell.sides.get(side)?.rounds.iter().flatten().copied();
            let (low, high) = rounds
                .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
                    (low.min(value), high.max(value))
                });
            (low <= high).then(|| {
                let ends = Statement::new("compared-interval")
                    .name("low", value_text(&cell.unit, Some(low)))
                    .name("high", value_text(&cell.unit, Some(high)));
                format!("{} {}", letter(comparison, side), words.sentence(&ends))
            })
        };
        let sides: Vec<String> = (0..comparison.sides.len().min(SIDES_DRAWN))
            .filter_map(side)
            .collect();
        words.sentence(
            &Statement::new("compared-rounds-of")
                .name("figure", cell_name(cell))
                .name("sides", sides.join(", ")),
        )
    };
    cells.iter().take(12).map(one).collect::<Vec<_>>().join(" ")
}

fn table(comparison: &Comparison, cells: &[&Cell], most: usize, words: Words) -> Table {
    let listed = most.min(ROUNDS_LISTED);
    let mut columns = vec![
        Column::text(words.label("label-step")),
        Column::text(words.label("label-figure")),
        Column::text(words.label("label-side")),
        Column::number(words.label("label-value")),
    ];
    columns.extend((1..=listed as u64).map(|round| {
        let number = Statement::new("compared-round").count("round", round);
        Column::number(words.sentence(&number))
    }));
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
        words.sentence(
            &Statement::new("compared-rounds-listed")
                .count("listed", listed as u64)
                .count("rounds", most as u64),
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
