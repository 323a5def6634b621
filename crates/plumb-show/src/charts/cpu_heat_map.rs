//! Which cores were busy, and when?

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
    let map = subject.drawings.cpu_heat_map.as_ref()?;
    if !map.cells.iter().flatten().any(Option::is_some) || map.rows.is_empty() {
        return None;
    }
    let edges: Vec<f64> = std::iter::once(map.start_s)
        .chain(map.columns_s.iter().copied())
        .collect();
    let columns = std::iter::once(Column::number("until"))
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
        format!(
            "The first {kept} of {} intervals; the run folder holds all of them.",
            map.columns_s.len()
        )
    } else {
        String::new()
    };
    Some(Figure {
        name: CHART.name,
        title: "CPU use of each core".into(),
        caption:
            "All processes together. A single dark row is a core that one worker fills: then the processor sets the limit, not the storage."
                .into(),
        x: time_axis(),
        y: Axis { label: "core".into(), quantity: Quantity::Category, scale: Scale::Categories(map.rows.clone()) },
        marks: vec![Mark::Cells { edges, cells: map.cells.clone(), full: 100.0 }],
        naming: Naming::Direct,
        alternative: format!("CPU use of {} cores in {} intervals, in percent of each core.", map.rows.len(), map.columns_s.len()),
        table: Table { columns, rows, note },
    })
}
