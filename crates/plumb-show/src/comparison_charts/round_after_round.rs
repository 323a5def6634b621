//! Do the figures drift during the measurement? Values by round, for cells with anomalies and the largest differences.

use plumb_model::results::comparison::{Cell, Comparison, Design};
use plumb_words::Words;

use crate::comparison_chart::{
    ComparisonChart, ComparisonSubject, SIDES_DRAWN, hue_of, side_name, sides_left_out,
};
use crate::figure::{Axis, Column, Figure, Mark, Naming, Point, Quantity, Scale, Stroke, Table};
use crate::tables::comparison_rows::{all, most_telling};
use crate::wording::comparison::{figure_name, letter, quantity_of, value_text};
use crate::wording::sentence;
use plumb_model::statement::Statement;

pub const CHART: ComparisonChart = ComparisonChart {
    name: "round_after_round",
    question: "Do the figures drift while they are measured?",
    figures,
};

/// Cells drawn, one figure each.
const FIGURES: usize = 4;
/// Rounds listed in the table.
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
        0 => None,
        _ => Some(
            subject.words.sentence(
                &Statement::new("compared-figures-drawn")
                    .count("drawn", chosen.len() as u64)
                    .count("figures", drawable.len() as u64),
            ),
        ),
    };
    let mut figures: Vec<Figure> = chosen
        .into_iter()
        .filter_map(|cell| figure(comparison, cell, subject.words))
        .collect();
    if let Some(first) = figures.first_mut() {
        let caption = std::mem::take(&mut first.caption);
        first.caption = subject.words.sentences([Some(caption), left_out]);
    }
    figures
}

/// At least one side needs two rounds.
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

/// Cells with remarks first, one per step, then those with the largest differences.
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
    let blocks = comparison.method.design == Design::Blocks;
    let word = words.label(match blocks {
        true => "label-compared-block",
        false => "label-round",
    });
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
    Some(Figure {
        name: CHART.name,
        title: words.sentence(
            &Statement::new("compared-round-after-round")
                .name("step", &cell.step)
                .name("figure", figure_name(cell)),
        ),
        caption: caption(comparison, cell, sides, words),
        x: Axis {
            label: word.clone(),
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
        alternative: alternative(comparison, cell, sides, words),
        table: table(comparison, cell, (sides, most), words),
    })
}

/// Description of the figure, and the remarks on the sides.
fn caption(comparison: &Comparison, cell: &Cell, sides: usize, words: Words) -> String {
    let shown = cell.sides.iter().enumerate().take(sides);
    let remarks = shown.flat_map(|(place, side)| {
        side.remarks.iter().map(move |remark| {
            let text = sentence(remark, words);
            format!(
                "{}: {}.",
                letter(comparison, place),
                text.trim_end_matches(['.', '。'])
            )
        })
    });
    let order = words.label(match comparison.method.design {
        Design::Blocks => "label-compared-blocks-in-order",
        Design::Independent => "label-compared-rounds-in-order",
    });
    let left_out = sides_left_out(comparison, words);
    words.sentences(
        std::iter::once(Some(order))
            .chain(remarks.map(Some))
            .chain([left_out]),
    )
}

fn alternative(comparison: &Comparison, cell: &Cell, sides: usize, words: Words) -> String {
    let one = |side: usize| {
        let rounds = &cell.sides.get(side)?.rounds;
        let (first, last) = (
            rounds.iter().flatten().next()?,
            rounds.iter().flatten().next_back()?,
        );
        let text = |value: &f64| value_text(&cell.unit, Some(*value));
        Some(
            words.sentence(
                &Statement::new("compared-first-and-last-round")
                    .name("side", side_name(comparison, side))
                    .name("first", text(first))
                    .count("rounds", rounds.len() as u64)
                    .name("last", text(last)),
            ),
        )
    };
    (0..sides).filter_map(one).collect::<Vec<_>>().join(" ")
}

fn table(
    comparison: &Comparison,
    cell: &Cell,
    (sides, most): (usize, usize),
    words: Words,
) -> Table {
    let listed = most.min(ROUNDS_LISTED);
    let columns = std::iter::once(Column::number(words.label("label-round")))
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
        rows: (0..listed).map(row).collect(),
        note,
    }
}
