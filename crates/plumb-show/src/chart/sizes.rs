//! How is a figure over message sizes drawn? Lines on logarithmic axes, and a table by size.

use plumb_model::results::series::Series;
use plumb_model::statement::Statement;
use plumb_words::Words;
use plumb_words::numbers::show_bytes;

use crate::chart::{any_value, or_dash};
use crate::figure::{
    Axis, Column, Figure, Hues, Mark, Naming, Point, Quantity, Scale, Stroke, Table,
};

/// Names and labels of a figure.
pub(crate) struct Labels {
    pub name: &'static str,
    pub title: &'static str,
    pub caption: &'static str,
    pub y: &'static str,
}

/// Lines over message size; `None` if there is nothing to draw.
pub(crate) fn size_figure(
    words: Words,
    labels: Labels,
    quantity: Quantity,
    lines: &[Series],
) -> Option<Figure> {
    let drawn: Vec<&Series> = lines.iter().filter(|line| any_value(&[line])).collect();
    if drawn.is_empty() {
        return None;
    }
    let mut hues = Hues::default();
    let mark = |line: &&Series| {
        let point = |(size, value): &(f64, Option<f64>)| Point {
            x: *size,
            y: *value,
            label: None,
            hover: format!(
                "{}, {}: {}",
                line.name,
                show_bytes(*size),
                or_dash(quantity, *value)
            ),
        };
        let points = line.points.iter().map(point).collect();
        Mark::Line {
            name: line.name.clone(),
            hue: hues.of(&line.name),
            stroke: Stroke::Solid,
            points,
            dots: line.points.len() <= 12,
            ringed: None,
        }
    };
    let marks = drawn.iter().map(mark).collect();
    Some(Figure {
        name: labels.name,
        title: words.label(labels.title),
        caption: words.label(labels.caption),
        x: Axis {
            label: words.label("label-message-size-logarithmic"),
            quantity: Quantity::Size,
            scale: Scale::Logarithmic,
        },
        y: Axis {
            label: words.label(labels.y),
            quantity,
            scale: Scale::Logarithmic,
        },
        marks,
        naming: Naming::Direct,
        alternative: drawn
            .iter()
            .filter_map(|line| alternative(words, line, quantity))
            .collect::<Vec<_>>()
            .join(" "),
        table: table(words, &drawn, quantity),
    })
}

fn alternative(words: Words, line: &Series, quantity: Quantity) -> Option<String> {
    let at = |(size, value): &(f64, Option<f64>)| {
        Statement::new("chart-value-with-size")
            .name("value", or_dash(quantity, *value))
            .name("size", show_bytes(*size))
    };
    Some(
        words.sentence(
            &Statement::new("chart-from-to")
                .name("name", &line.name)
                .part("first", at(line.points.first()?))
                .part("last", at(line.points.last()?)),
        ),
    )
}

/// One row per size that any line has.
fn table(words: Words, lines: &[&Series], quantity: Quantity) -> Table {
    let mut sizes: Vec<f64> = lines
        .iter()
        .flat_map(|line| line.points.iter().map(|(size, _)| *size))
        .collect();
    sizes.sort_by(f64::total_cmp);
    sizes.dedup();
    let columns = std::iter::once(Column::text(words.label("label-message-size")))
        .chain(lines.iter().map(|line| Column::number(&line.name)))
        .collect();
    let at = |line: &Series, size: f64| {
        line.points
            .iter()
            .find(|(other, _)| *other == size)
            .and_then(|(_, value)| *value)
    };
    let row = |size: &f64| {
        std::iter::once(show_bytes(*size))
            .chain(lines.iter().map(|line| or_dash(quantity, at(line, *size))))
            .collect()
    };
    Table {
        columns,
        rows: sizes.iter().map(row).collect(),
        note: String::new(),
    }
}
