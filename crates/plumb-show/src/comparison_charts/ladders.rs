//! How does throughput scale with block size, depth or load on each side? One line per side over the steps of a sweep, with intervals.

use std::collections::BTreeSet;

use plumb_model::results::comparison::{Cell, Comparison};
use plumb_model::units::Bytes;

use crate::comparison_chart::{
    ComparisonChart, ComparisonSubject, SIDES_DRAWN, hue_of, side_name, sides_left_out,
};
use crate::figure::{
    Axis, Column, Figure, Mark, Naming, Point, Quantity, Scale, Stroke, Table, Whisker,
};
use crate::wording::MISSING;
use crate::wording::comparison::{figure_name, quantity_of, value_text};
use plumb_model::statement::Statement;
use plumb_words::Words;

pub const CHART: ComparisonChart = ComparisonChart {
    name: "ladders",
    question: "How does throughput grow with block size, depth or load on each side?",
    figures,
};

/// Figures at most.
const FIGURES: usize = 6;
/// Horizontal offset between sides, as a fraction of a step.
const BESIDE: f64 = 0.07;

/// The steps of one sweep that differ in one key only.
struct Ladder<'a> {
    group: &'a str,
    key: &'a str,
    /// The other swept keys with their values, `block=4k`, and what is compared.
    rest: String,
    unit: &'a str,
    /// (number, text, cell) in rising order.
    rungs: Vec<(f64, &'a str, &'a Cell)>,
}

fn figures(subject: &ComparisonSubject) -> Vec<Figure> {
    let ladders = ladders(subject.comparison);
    let count = ladders.len();
    let mut figures: Vec<Figure> = ladders
        .iter()
        .take(FIGURES)
        .filter_map(|ladder| figure(subject.comparison, ladder, subject.words))
        .collect();
    if let (Some(first), true) = (figures.first_mut(), count > FIGURES) {
        let drawn = Statement::new("compared-sweeps-drawn")
            .count("drawn", FIGURES as u64)
            .count("sweeps", count as u64);
        let caption = std::mem::take(&mut first.caption);
        first.caption = subject
            .words
            .sentences([Some(caption), Some(subject.words.sentence(&drawn))]);
    }
    figures
}

/// The number of a swept value: `64k`, `32`, `0.5`.
fn number(text: &str) -> Option<f64> {
    let number = text
        .parse::<f64>()
        .ok()
        .or_else(|| text.parse::<Bytes>().ok().map(|bytes| bytes.0 as f64));
    number.filter(|number| number.is_finite())
}

/// The numeric key of a group with the most values.
fn key_of<'a>(cells: &[&'a Cell]) -> Option<&'a str> {
    let keys: BTreeSet<&str> = cells
        .iter()
        .flat_map(|cell| cell.swept.keys().map(String::as_str))
        .collect();
    let values = |key: &str| {
        let texts: BTreeSet<&str> = cells
            .iter()
            .filter_map(|cell| cell.swept.get(key))
            .map(String::as_str)
            .collect();
        if texts.iter().all(|text| number(text).is_some()) {
            texts.len()
        } else {
            0
        }
    };
    keys.into_iter()
        .map(|key| (values(key), key))
        .filter(|(count, _)| *count > 1)
        .max_by_key(|(count, _)| *count)
        .map(|(_, key)| key)
}

fn ladders(comparison: &Comparison) -> Vec<Ladder<'_>> {
    let throughput: Vec<&Cell> = comparison
        .cells
        .iter()
        .filter(|cell| matches!(cell.metric.as_str(), "iops" | "bandwidth"))
        .collect();
    let mut ladders: Vec<Ladder> = Vec::new();
    for of_group in throughput.chunk_by(|a, b| a.group == b.group) {
        let Some(key) = key_of(of_group) else {
            continue;
        };
        for cell in of_group {
            let Some(text) = cell.swept.get(key) else {
                continue;
            };
            let Some(number) = number(text) else { continue };
            let others = cell
                .swept
                .iter()
                .filter(|(other, _)| *other != key)
                .map(|(key, value)| format!("{key}={value}"));
            let rest = others
                .chain([figure_name(cell)])
                .collect::<Vec<_>>()
                .join(", ");
            let rung = (number, text.as_str(), *cell);
            match ladders.iter_mut().find(|ladder| {
                ladder.group == cell.group && ladder.rest == rest && ladder.key == key
            }) {
                Some(ladder) => ladder.rungs.push(rung),
                None => ladders.push(Ladder {
                    group: &cell.group,
                    key,
                    rest,
                    unit: &cell.unit,
                    rungs: vec![rung],
                }),
            }
        }
    }
    for ladder in &mut ladders {
        ladder.rungs.sort_by(|a, b| a.0.total_cmp(&b.0));
    }
    ladders.retain(|ladder| ladder.rungs.len() > 1);
    ladders
}

fn value(cell: &Cell, side: usize) -> Option<f64> {
    cell.sides
        .get(side)?
        .value
        .filter(|value| value.is_finite())
}

/// One side's line and its whiskers.
fn side_marks(comparison: &Comparison, ladder: &Ladder, side: usize, sides: usize) -> [Mark; 2] {
    let x = |rung: usize| rung as f64 + (side as f64 - (sides as f64 - 1.0) / 2.0) * BESIDE;
    let name = side_name(comparison, side);
    let point = |(place, (_, text, cell)): (usize, &(f64, &str, &Cell))| Point {
        x: x(place),
        y: value(cell, side),
        label: None,
        hover: format!(
            "{name}, {} {text}: {}",
            ladder.key,
            value_text(ladder.unit, value(cell, side))
        ),
    };
    let whisker = |(place, (_, _, cell)): (usize, &(f64, &str, &Cell))| {
        value(cell, side)?;
        let (low, high) = cell
            .sides
            .get(side)?
            .interval
            .filter(|(low, high)| low.is_finite() && high.is_finite())?;
        Some(Whisker {
            x: x(place),
            low,
            high,
        })
    };
    let whiskers = ladder
        .rungs
        .iter()
        .enumerate()
        .filter_map(whisker)
        .collect();
    let points = ladder.rungs.iter().enumerate().map(point).collect();
    [
        Mark::Whiskers {
            hue: hue_of(side),
            whiskers,
        },
        Mark::Line {
            name,
            hue: hue_of(side),
            stroke: Stroke::Solid,
            points,
            dots: true,
            ringed: None,
        },
    ]
}

fn figure(comparison: &Comparison, ladder: &Ladder, words: Words) -> Option<Figure> {
    let sides = comparison.sides.len().min(SIDES_DRAWN);
    if !ladder
        .rungs
        .iter()
        .any(|(_, _, cell)| (0..sides).any(|side| value(cell, side).is_some()))
    {
        return None;
    }
    let quantity = quantity_of(ladder.unit)?;
    let label = if quantity == Quantity::Bandwidth {
        "label-bandwidth"
    } else {
        "label-operations-per-second"
    };
    Some(Figure {
        name: CHART.name,
        title: words.sentence(
            &Statement::new("compared-by-key")
                .name("group", ladder.group)
                .name("figure", &ladder.rest)
                .name("key", ladder.key),
        ),
        caption: words.sentences([
            Some(words.label("label-compared-points-of-steps")),
            sides_left_out(comparison, words),
        ]),
        x: Axis {
            label: ladder.key.into(),
            quantity: Quantity::Category,
            scale: Scale::Categories(
                ladder
                    .rungs
                    .iter()
                    .map(|(_, text, _)| (*text).to_string())
                    .collect(),
            ),
        },
        y: Axis {
            label: words.label(label),
            quantity,
            scale: Scale::Linear,
        },
        marks: (0..sides)
            .flat_map(|side| side_marks(comparison, ladder, side, sides))
            .collect(),
        naming: Naming::Legend,
        alternative: alternative(comparison, ladder, sides, words),
        table: table(comparison, ladder, sides, words),
    })
}

fn alternative(comparison: &Comparison, ladder: &Ladder, sides: usize, words: Words) -> String {
    let (Some(first), Some(last)) = (ladder.rungs.first(), ladder.rungs.last()) else {
        return String::new();
    };
    let one = |side: usize| {
        let end = |rung: &(f64, &str, &Cell)| {
            format!(
                "{} ({} {})",
                value_text(ladder.unit, value(rung.2, side)),
                ladder.key,
                rung.1
            )
        };
        words.sentence(
            &Statement::new("compared-side-from-to")
                .name("side", side_name(comparison, side))
                .name("first", end(first))
                .name("last", end(last)),
        )
    };
    (0..sides).map(one).collect::<Vec<_>>().join(" ")
}

fn table(comparison: &Comparison, ladder: &Ladder, sides: usize, words: Words) -> Table {
    let mut columns = vec![Column::text(ladder.key)];
    for side in 0..sides {
        columns.extend([
            Column::number(side_name(comparison, side)),
            Column::number(words.label("label-interval")),
        ]);
    }
    let row = |(_, text, cell): &(f64, &str, &Cell)| {
        let mut row = vec![(*text).to_string()];
        for side in 0..sides {
            let interval = cell
                .sides
                .get(side)
                .and_then(|side| side.interval)
                .filter(|(low, high)| low.is_finite() && high.is_finite());
            let ends = |(low, high)| {
                words.sentence(
                    &Statement::new("compared-interval")
                        .name("low", value_text(ladder.unit, Some(low)))
                        .name("high", value_text(ladder.unit, Some(high))),
                )
            };
            row.extend([
                value_text(ladder.unit, value(cell, side)),
                interval.map_or_else(|| MISSING.into(), ends),
            ]);
        }
        row
    };
    Table {
        columns,
        rows: ladder.rungs.iter().map(row).collect(),
        note: String::new(),
    }
}
