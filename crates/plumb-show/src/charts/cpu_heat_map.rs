//! Which cores were busy, and when?

use plumb_model::statement::Statement;

use crate::chart::{Chart, Subject, time_axis};
use crate::figure::{Axis, Column, Figure, Mark, Naming, Quantity, Scale, Table, percent_text};
use crate::wording::MISSING;

pub const CHART: Chart = Chart {
    name: "cpu_heat_map",
    question: "Which cores were busy, and when?",
    figure,
};

/// Most rows times columns that are tabled.
const TABLE_CELLS: usize = 4000;

fn figure(subject: &Subject) -> Option<Figure> {
    let words = subject.words;
    let map = subject.plots.cpu_heat_map.as_ref()?;
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
                .map_or_else(|| MISSING.into(), percent_text)
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
        name: CHART.name,
        title: words.label("label-cpu-of-each-core"),
        caption: words.label("label-cpu-of-each-core-caption"),
        x: time_axis(words),
        y: Axis {
            label: words.label("label-core"),
            quantity: Quantity::Category,
            scale: Scale::Categories(map.rows.clone()),
        },
        marks: vec![Mark::Cells {
            edges,
            cells: map.cells.clone(),
            full: 100.0,
        }],
        naming: Naming::Direct,
        alternative: words.sentence(
            &Statement::new("chart-cpu-alternative")
                .count("cores", map.rows.len() as u64)
                .count("intervals", map.columns_s.len() as u64),
        ),
        table: Table {
            columns,
            rows,
            note,
        },
    })
}
