//! Which field of a row is it? Comma-separated rows whose first line names the columns, for formats without quoting.

use std::collections::HashMap;

use super::number::{finite, integer};

/// Columns by name; the first column with a name counts.
#[derive(Debug, Default)]
pub(crate) struct Columns {
    names: Vec<String>,
    indexes: HashMap<String, usize>,
}

impl Columns {
    /// Reads the header line.
    pub fn of(header: &str) -> Columns {
        let names: Vec<String> = header
            .split(',')
            .map(|name| name.trim().to_string())
            .collect();
        let mut indexes = HashMap::new();
        for (index, name) in names.iter().enumerate() {
            indexes.entry(name.clone()).or_insert(index);
        }
        Columns { names, indexes }
    }

    /// The names in file order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }

    /// Splits a row.
    pub fn row<'a>(&'a self, line: &'a str) -> CsvRow<'a> {
        CsvRow {
            columns: self,
            fields: line.split(',').map(str::trim).collect(),
        }
    }
}

/// One row.
#[derive(Debug)]
pub(crate) struct CsvRow<'a> {
    columns: &'a Columns,
    fields: Vec<&'a str>,
}

impl<'a> CsvRow<'a> {
    /// A field by column name; an empty one is missing.
    pub fn text(&self, name: &str) -> Option<&'a str> {
        self.columns
            .indexes
            .get(name)
            .and_then(|index| self.fields.get(*index))
            .copied()
            .filter(|field| !field.is_empty())
    }

    /// A field with a number of 0 or more.
    pub fn number(&self, name: &str) -> Option<f64> {
        self.text(name).and_then(finite)
    }

    /// A field with an integer.
    pub fn integer(&self, name: &str) -> Option<u64> {
        self.text(name).and_then(integer)
    }

    /// Number of fields.
    pub fn len(&self) -> usize {
        self.fields.len()
    }
}
