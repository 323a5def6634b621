//! What do time-series formats share? A point for each row of a table: its tags, its figures and its time.

use crate::exporter::Subject;
use crate::exporter::table::{Cell, Column, Table};

/// Columns that tell apart points of one time: they are tags, not figures.
const TAGS: [&str; 5] = ["step", "operation", "phase", "round", "job"];
/// Columns of the time of a point.
const BEGIN: &str = "start_ns";
const END: &str = "end_ns";

/// One figure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Figure {
    Integer(u64),
    Real(f64),
}

/// A row that has a figure.
pub struct Point<'t> {
    pub tags: Vec<(String, String)>,
    pub figures: Vec<(&'t Column, Figure)>,
    /// In nanoseconds since 1970; missing where a row has no begin.
    pub begin_ns: Option<u64>,
    /// The end of the row; of a step, which has rounds at several times, that of the last interval of the run.
    pub time_ns: u64,
}

/// What all points of a run have.
pub fn of_run(subject: &Subject<'_>) -> [(&'static str, String); 3] {
    let header = &subject.run.header;
    [
        ("run", header.id.clone()),
        ("plan", header.plan.name.clone()),
        ("target", header.target()),
    ]
}

/// The points of a table, in its order.
pub fn points<'t>(
    subject: &Subject<'_>,
    table: &'t Table,
) -> impl Iterator<Item = Point<'t>> + use<'t> {
    let last_ns = subject.run.ticks.iter().map(|tick| tick.end_ns).max();
    let began_ns = subject.run.header.started_unix_ns;
    let heads: Vec<String> = table.columns.iter().map(Column::head).collect();
    let point = move |line: usize| {
        let mut point = Point {
            tags: Vec::new(),
            figures: Vec::new(),
            begin_ns: None,
            time_ns: began_ns.saturating_add(last_ns.unwrap_or(0)),
        };
        for (head, column) in heads.iter().zip(&table.columns) {
            match column.cell(line) {
                Cell::Integer(Some(value)) if head == BEGIN => {
                    point.begin_ns = Some(began_ns.saturating_add(value));
                }
                Cell::Integer(Some(value)) if head == END => {
                    point.time_ns = began_ns.saturating_add(value);
                }
                Cell::Integer(Some(value)) if TAGS.contains(&head.as_str()) => {
                    point.tags.push((head.clone(), value.to_string()));
                }
                Cell::Text(value) => point.tags.push((head.clone(), value.to_string())),
                Cell::Integer(Some(value)) => {
                    point.figures.push((column, Figure::Integer(value)));
                }
                Cell::Real(Some(value)) if value.is_finite() => {
                    point.figures.push((column, Figure::Real(value)));
                }
                Cell::Integer(None) | Cell::Real(_) => {}
            }
        }
        (!point.figures.is_empty()).then_some(point)
    };
    (0..table.lines()).filter_map(point)
}
