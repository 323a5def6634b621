//! Do the figures drift while they are measured? Values in the order of the rounds, for peculiar cells and the largest differences.

use plumb_model::results::comparison::{Cell, Comparison, Design};
use plumb_words::Words;

use crate::comparison_chart::{
    ComparisonChart, ComparisonSubject, SIDES_DRAWN, hue_of, side_name, sides_left_out,
};
use crate::figure::{Axis, Column, Figure, Mark, Naming, Point, Quantity, Scale, Stroke, Table};
use crate::tables::comparison_rows::{all, most_telling};
use crate::wording::comparison::{figure_name, letter, quantity_of, value_text, whole};
use crate::wording::sentence;

pub const CHART: ComparisonChart = ComparisonChart {
    name: "round_after_round",
    question: "Do the figures drift while they are measured?",
    figures,
};

/// Cells that are drawn, a figure each.
const FIGURES: usize = 4;
/// Rounds that the table lists.
const ROUNDS_LISTED: usize = 300;

fn figures(subject: &ComparisonSubject) -> Vec<Figure> {
    let comparison = subject.comparison;
    let drawable: Vec<&Cell> = comparison
        .cells
        .iter()
        .filter(|cell| has_rounds(cell))
        .collect();
    let chosen = choose(comparison, &drawable);
    let left_out = match drawable.len() - chosen.len() {
        0 => String::new(),
        _ => format!(
            " Drawn are {} figures of {}: what is peculiar, then the largest differences.",
            chosen.len(),
            whole(drawable.len())
        ),
    };
    let mut figures: Vec<Figure> = chosen
        .into_iter()
        .filter_map(|cell| figure(comparison, cell, subject.words))
        .collect();
    if let Some(first) = figures.first_mut() {
        first.caption += &left_out;
    }
    figures
}

/// Two rounds on any side are the least that has an order.
fn has_rounds(cell: &Cell) -> bool {
    cell.sides.iter().take(SIDES_DRAWN).any(|side| {
        side.rounds
            .iter()
            .flatten()
            .filter(|value| value.is_finite())
            .count()
            > 1
    })
}

/// Cells with remarks first, one of each step, then those with the largest differences.
fn choose<'a>(comparison: &'a Comparison, drawable: &[&'a Cell]) -> Vec<&'a Cell> {
    let peculiar = drawable
        .iter()
        .filter(|cell| cell.sides.iter().any(|side| !side.remarks.is_empty()))
        .copied();
    let telling = most_telling(
        all(comparison).filter(|row| has_rounds(row.cell) && row.is_decided()),
        FIGURES * 8,
    )
    .shown;
    let mut telling: Vec<_> = telling
        .into_iter()
        .map(|row| (row.size(), row.cell))
        .collect();
    telling.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut chosen: Vec<&Cell> = Vec::new();
    for cell in peculiar
        .chain(telling.into_iter().map(|(_, cell)| cell))
        .chain(drawable.iter().copied())
    {
        if chosen.len() < FIGURES && !chosen.iter().any(|other| other.step == cell.step) {
            chosen.push(cell);
        }
    }
    chosen
}

fn figure(comparison: &Comparison, cell: &Cell, words: Words) -> Option<Figure> {
    let quantity = quantity_of(&cell.unit)?;
    let sides = comparison.sides.len().min(SIDES_DRAWN);
    let most = cell
        .sides
        .iter()
        .take(sides)
        .map(|side| side.rounds.len())
        .max()?;
    let word = if comparison.method.design == Design::Blocks {
        "block"
    } else {
        "round"
    };
    let mark = |side: usize| {
        let name = side_name(comparison, side);
        let rounds = cell
            .sides
            .get(side)
            .map_or(&[][..], |side| side.rounds.as_slice());
        let point = |(round, value): (usize, &Option<f64>)| Point {
            x: round as f64,
            y: value.filter(|value| value.is_finite()),
            label: None,
            hover: format!(
                "{name}, {word} {}: {}",
                round + 1,
                value_text(&cell.unit, *value)
            ),
        };
        let points = rounds.iter().enumerate().map(point).collect();
        Mark::Line {
            name: name.clone(),
            hue: hue_of(side),
            stroke: Stroke::Solid,
            points,
            dots: true,
            ringed: None,
        }
    };
    let remark = |(place, side): (usize, &plumb_model::results::comparison::CellSide)| {
        side.remarks
            .iter()
            .map(move |remark| {
                format!(
                    " {}: {}.",
                    letter(comparison, place),
                    sentence(remark, words).trim_end_matches('.')
                )
            })
            .collect::<String>()
    };
    let remarks: String = cell
        .sides
        .iter()
        .enumerate()
        .take(sides)
        .map(remark)
        .collect();
    Some(Figure {
        name: CHART.name,
        title: format!("Round after round: {}, {}", cell.step, figure_name(cell)),
        caption: format!(
            "The value of each {word} in the order in which they ran.{}{remarks}{}",
            if comparison.method.design == Design::Blocks {
                " The sides of one block ran close together."
            } else {
                " The sides were measured at different times."
            },
            sides_left_out(comparison)
        ),
        x: Axis {
            label: word.into(),
            quantity: Quantity::Category,
            scale: Scale::Categories((1..=most).map(|round| round.to_string()).collect()),
        },
        y: Axis {
            label: figure_name(cell),
            quantity,
            scale: Scale::Linear,
        },
        marks: (0..sides).map(mark).collect(),
        naming: Naming::Legend,
        alternative: alternative(comparison, cell, sides),
        table: table(comparison, cell, sides, most),
    })
}

fn alternative(comparison: &Comparison, cell: &Cell, sides: usize) -> String {
    let one = |side: usize| {
        let rounds = &cell.sides.get(side)?.rounds;
        let (first, last) = (
            rounds.iter().flatten().next()?,
            rounds.iter().flatten().next_back()?,
        );
        let text = |value: &f64| value_text(&cell.unit, Some(*value));
        Some(format!(
            "{}: {} in the first of {} rounds, {} in the last.",
            side_name(comparison, side),
            text(first),
            rounds.len(),
            text(last)
        ))
    };
    (0..sides).filter_map(one).collect::<Vec<_>>().join(" ")
}

fn table(comparison: &Comparison, cell: &Cell, sides: usize, most: usize) -> Table {
    let listed = most.min(ROUNDS_LISTED);
    let columns = std::iter::once(Column::number("round"))
        .chain((0..sides).map(|side| Column::number(side_name(comparison, side))))
        .collect();
    let row = |round: usize| {
        let value = |side: usize| {
            value_text(
                &cell.unit,
                cell.sides
                    .get(side)
                    .and_then(|side| side.rounds.get(round).copied().flatten()),
            )
        };
        std::iter::once((round + 1).to_string())
            .chain((0..sides).map(value))
            .collect()
    };
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
        rows: (0..listed).map(row).collect(),
        note,
    }
}
