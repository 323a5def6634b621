//! How is a map of rows over time drawn, with a table of its cells?

use plumb_model::results::series::HeatMap;
use plumb_model::statement::Statement;
use plumb_words::Words;

use crate::chart::time_axis;
use crate::figure::{Axis, Column, Figure, Mark, Naming, Quantity, Scale, Table};
use crate::wording::MISSING;

/// Most cells (rows times columns) for which a table is made.
const TABLE_CELLS: usize = 4000;

/// Names and labels of a map.
pub(crate) struct MapTexts {
    /// Name of the chart.
    pub name: &'static str,
    pub title: String,
    pub caption: String,
    /// Meaning of a row.
    pub row: String,
    /// Meaning of a cell.
    pub quantity: Quantity,
    /// Text alternative.
    pub alternative: String,
}

/// A map whose cells are shaded by value divided by `full`; `None` if no cell has a value.
pub(crate) fn figure_of(
    map: &HeatMap,
    texts: MapTexts,
    full: f64,
    text: impl Fn(f64) -> String,
    words: Words,
) -> Option<Figure> {
    if !map.cells.iter().flatten().any(Option::is_some) || map.rows.is_empty() {
        return None;
    }
    let edges: Vec<f64> = std::iter::once(map.start_s)
        .chain(map.columns_s.iter().copied())
        .collect();
    let columns = std::iter::once(Column::number(words.label("label-until")))
        .chain(map.rows.iter().map(Column::number))
        .collect();
    let row = |(column, end): (usize, &f64)| {
        let cell = |cells: &Vec<Option<f64>>| {
            cells
                .get(column)
                .copied()
                .flatten()
                .map_or_else(|| MISSING.into(), &text)
        };
        std::iter::once(format!("{end:.3} s"))
            .chain(map.cells.iter().map(cell))
            .collect()
    };
    let kept = (TABLE_CELLS / map.rows.len()).max(1);
    let rows = map
        .columns_s
        .iter()
        .enumerate()
        .take(kept)
        .map(row)
        .collect();
    let note = if map.columns_s.len() > kept {
        words.sentence(
            &Statement::new("chart-first-intervals")
                .count("shown", kept as u64)
                .count("count", map.columns_s.len() as u64),
        )
    } else {
        String::new()
    };
    Some(Figure {
        name: texts.name,
        title: texts.title,
        caption: texts.caption,
        x: time_axis(words),
        y: Axis {
            label: texts.row,
            quantity: Quantity::Category,
            scale: Scale::Categories(map.rows.clone()),
        },
        marks: vec![Mark::Cells {
            edges,
            cells: drawn_cells(map),
            full,
            of: texts.quantity,
        }],
        naming: Naming::Direct,
        alternative: texts.alternative,
        table: Table {
            columns,
            rows,
            note,
        },
    })
}

fn drawn_cells(map: &HeatMap) -> Vec<Vec<Option<f64>>> {
    let rows = map.cells.iter();
    rows.map(|row| row.iter().map(drawn).collect()).collect()
}

/// A value that has a shade; an impossible rate or time counts as missing.
fn drawn(value: &Option<f64>) -> Option<f64> {
    value.filter(|value| (0.0..1e300).contains(value))
}

/// The largest value of a map; 1 if none is above 0.
pub(crate) fn greatest(map: &HeatMap) -> f64 {
    let values = map.cells.iter().flatten().filter_map(drawn);
    let greatest = values.fold(0.0, f64::max);
    if greatest > 0.0 { greatest } else { 1.0 }
}
