//! What is a group of figures? A table: its columns, and for each kind of row a formula for each column.

use plumb_model::statement::Unit;

use super::formula::Formula;

/// One table: things of one kind, and what each of them does.
#[derive(Debug)]
pub struct Group {
    /// `disk`, `nfs`.
    pub id: &'static str,
    pub label: &'static str,
    pub columns: &'static [Column],
    pub kinds: &'static [Kind],
    /// The first row is the sum of all. Only for figures that add up, such as the time of all cores.
    pub has_total: bool,
}

#[derive(Debug, Clone, Copy)]
pub struct Column {
    pub id: &'static str,
    pub label: &'static str,
    /// Missing: a plain number.
    pub unit: Option<Unit>,
}

/// A kind of activity: a separate row.
#[derive(Debug)]
pub struct Kind {
    /// `read`; empty if there is only one.
    pub id: &'static str,
    pub label: &'static str,
    /// One for each column.
    pub formulas: &'static [Formula],
}

pub const fn column(id: &'static str, label: &'static str, unit: Unit) -> Column {
    let unit = Some(unit);
    Column { id, label, unit }
}

pub const fn plain(id: &'static str, label: &'static str) -> Column {
    let unit = None;
    Column { id, label, unit }
}

pub const PER_SECOND: Column = column("per_second", "label-watch-per-second", Unit::PerSecond);
pub const BANDWIDTH: Column = column(
    "bytes_per_second",
    "label-watch-bandwidth",
    Unit::BytesPerSecond,
);
pub const SIZE: Column = column("request_bytes", "label-watch-size", Unit::Bytes);
pub const TIME: Column = column("time_ns", "label-watch-time", Unit::Nanoseconds);
pub const OUTSTANDING: Column = plain("outstanding", "label-watch-outstanding");
pub const OF_CEILING: Column = column("ceiling_percent", "label-watch-of-ceiling", Unit::Percent);
pub const NOW: Column = plain("outstanding_at_sample", "label-watch-outstanding-now");
