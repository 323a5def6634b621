//! Which rows can be selected, and which figure is? By name, not by index, because rows come and go.

use plumb_model::results::watch::{WatchColumn, WatchInterval, WatchRow, WatchTable};
use plumb_model::statement::Unit;

use super::history::{RowKey, key_of};

/// The figure in the graph.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Pick {
    pub row: RowKey,
    pub column: &'static str,
    pub unit: Option<Unit>,
    /// Catalog labels for when the row is missing: of the table, of the row (or empty), of the column.
    pub labels: [&'static str; 3],
}

/// Column selected by default in a table that has it.
const COLUMN_AT_FIRST: &str = "bytes_per_second";

impl Pick {
    fn new(table: &WatchTable, row: &WatchRow, column: &WatchColumn) -> Pick {
        Pick {
            row: key_of(table, row),
            column: column.id,
            unit: column.unit,
            labels: [table.label, row.label, column.label],
        }
    }

    pub fn is_of(&self, table: &WatchTable) -> bool {
        table.group == self.row.0
    }

    pub fn is_row(&self, row: &WatchRow) -> bool {
        row.instance == self.row.1 && row.kind == self.row.2
    }

    /// Its value in an interval. Missing: the row is missing, or has none.
    pub fn value(&self, interval: &WatchInterval) -> Option<f64> {
        let (table, row) = self.found(interval)?;
        let at = table.columns.iter().position(|of| of.id == self.column)?;
        row.values.get(at).copied().flatten()
    }

    /// The same row, moved by this many columns, up to the first or last.
    pub fn beside(&self, interval: &WatchInterval, by: isize) -> Option<Pick> {
        let (table, row) = self.found(interval)?;
        let at = table.columns.iter().position(|of| of.id == self.column)?;
        let to = at.saturating_add_signed(by).min(table.columns.len() - 1);
        Some(Pick::new(table, row, table.columns.get(to)?))
    }

    fn found<'a>(&self, interval: &'a WatchInterval) -> Option<(&'a WatchTable, &'a WatchRow)> {
        let table = interval.tables.iter().find(|table| self.is_of(table))?;
        let row = table.rows.iter().find(|row| self.is_row(row))?;
        Some((table, row))
    }
}

/// The shown rows of one interval, as (table, row), in order.
#[derive(Debug, Default)]
pub(super) struct Places(Vec<(usize, usize)>);

impl Places {
    pub fn of(interval: &WatchInterval, is_shown: impl Fn(&RowKey) -> bool) -> Places {
        let mut places = Vec::new();
        for (table_at, table) in interval.tables.iter().enumerate() {
            let rows = table.rows.iter().enumerate();
            let shown = rows.filter(|(_, row)| is_shown(&key_of(table, row)));
            places.extend(shown.map(|(row_at, _)| (table_at, row_at)));
        }
        Places(places)
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The tables, each with its rows.
    pub fn tables(&self) -> impl Iterator<Item = (usize, &[(usize, usize)])> {
        let tables = self.0.chunk_by(|a, b| a.0 == b.0);
        tables.map(|rows| (rows[0].0, rows))
    }

    /// Default selection.
    pub fn first(&self, interval: &WatchInterval) -> Option<Pick> {
        self.pick(interval, 0, None)
    }

    /// Position of the row of a figure.
    pub fn find(&self, interval: &WatchInterval, pick: &Pick) -> Option<usize> {
        self.0.iter().position(|(table, row)| {
            let table = &interval.tables[*table];
            pick.is_of(table) && pick.is_row(&table.rows[*row])
        })
    }

    /// A figure of the row at this position: of the previously selected column if its table has it, else one with a value.
    pub fn pick(&self, interval: &WatchInterval, at: usize, before: Option<&Pick>) -> Option<Pick> {
        let (table, row) = self.0.get(at)?;
        let table = interval.tables.get(*table)?;
        let row = table.rows.get(*row)?;
        let same = before.and_then(|before| table.columns.iter().find(|of| of.id == before.column));
        let with_value = || {
            let columns = table.columns.iter().zip(&row.values);
            let known = columns.filter(|(_, value)| value.is_some());
            let mut known: Vec<_> = known.map(|(column, _)| column).collect();
            known.sort_by_key(|column| column.id != COLUMN_AT_FIRST);
            known.first().copied()
        };
        let column = same.or_else(with_value).or(table.columns.first())?;
        Some(Pick::new(table, row, column))
    }

    /// The first row of the table this many tables after that of the row at this position, cyclically.
    pub fn of_table(&self, at: usize, by: isize) -> Option<usize> {
        let begins: Vec<usize> = (0..self.0.len())
            .filter(|at| *at == 0 || self.0[at - 1].0 != self.0[*at].0)
            .collect();
        let count = isize::try_from(begins.len())
            .ok()
            .filter(|count| *count > 0)?;
        let now = begins
            .partition_point(|begin| *begin <= at)
            .saturating_sub(1);
        let to = (isize::try_from(now).ok()? + by).rem_euclid(count);
        begins.get(usize::try_from(to).ok()?).copied()
    }
}
