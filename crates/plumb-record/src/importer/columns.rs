//! Which field of a row is it? Rows of comma-separated values whose first line names the columns, for formats that quote nothing.

use std::collections::HashMap;

use super::number::{finite, whole};

/// Columns by their names; the first of each name counts.
#[derive(Debug, Default)]
pub(crate) struct Columns {
    names: Vec<String>,
    places: HashMap<String, usize>,
}

impl Columns {
    /// Takes the line of names.
    pub fn of(header: &str) -> Columns {
        let names: Vec<String> = header
            .split(',')
            .map(|name| name.trim().to_string())
            .collect();
        let mut places = HashMap::new();
        for (place, name) in names.iter().enumerate() {
            places.entry(name.clone()).or_insert(place);
        }
        Columns { names, places }
    }

    /// The names in their order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }

    /// Takes a row apart.
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
    /// A field by the name of its column; an empty one is missing.
    pub fn text(&self, name: &str) -> Option<&'a str> {
        self.columns
            .places
            .get(name)
            .and_then(|place| self.fields.get(*place))
            .copied()
            .filter(|field| !field.is_empty())
    }

    /// A field that is a number of 0 or more.
    pub fn number(&self, name: &str) -> Option<f64> {
        self.text(name).and_then(finite)
    }

    /// A field that is a whole number.
    pub fn whole(&self, name: &str) -> Option<u64> {
        self.text(name).and_then(whole)
    }

    /// Number of fields.
    pub fn len(&self) -> usize {
        self.fields.len()
    }
}
