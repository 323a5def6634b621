//! What do table formats share? Columns with a name, a unit and a type, and values of which some are missing.

use std::collections::HashMap;

/// Unit of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// A string, an index or a count.
    None,
    Seconds,
    /// A time since the start of the run, in nanoseconds.
    Moment,
    /// A duration of an operation, in nanoseconds.
    Latency,
    BytesPerSecond,
    Percent,
}

impl Unit {
    /// Suffix of machine-readable names: `_ns`.
    fn suffix(self) -> &'static str {
        match self {
            Unit::None => "",
            Unit::Seconds => "_s",
            Unit::Moment | Unit::Latency => "_ns",
            Unit::BytesPerSecond => "_bytes_per_s",
            Unit::Percent => "_percent",
        }
    }

    /// The unit for people, and the divisor to get it.
    fn for_people(self) -> (&'static str, f64) {
        match self {
            Unit::None => ("", 1.0),
            Unit::Seconds => ("s", 1.0),
            Unit::Moment => ("s", 1e9),
            Unit::Latency => ("µs", 1e3),
            Unit::BytesPerSecond => ("MB/s", 1e6),
            Unit::Percent => ("%", 1.0),
        }
    }
}

/// One value of a row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Cell<'a> {
    Text(&'a str),
    Integer(Option<u64>),
    Real(Option<f64>),
}

/// The values of one column. `None` is an unknown value.
#[derive(Debug, Clone, PartialEq)]
pub enum Values {
    /// Each distinct string once, and an index into them for every row: a run repeats a few step names in a million rows.
    Text {
        dictionary: Vec<String>,
        indexes: Vec<u32>,
    },
    Integer(Vec<Option<u64>>),
    Real(Vec<Option<f64>>),
}

/// One column.
#[derive(Debug, Clone)]
pub struct Column {
    name: &'static str,
    pub unit: Unit,
    pub values: Values,
    /// Indexes of the strings of a text column.
    known: HashMap<String, u32>,
}

impl Column {
    fn new(name: &'static str, unit: Unit, values: Values) -> Column {
        Column {
            name,
            unit,
            values,
            known: HashMap::new(),
        }
    }

    /// A column of strings.
    pub fn text(name: &'static str) -> Column {
        Column::new(
            name,
            Unit::None,
            Values::Text {
                dictionary: Vec::new(),
                indexes: Vec::new(),
            },
        )
    }

    /// A column of integers.
    pub fn integer(name: &'static str, unit: Unit) -> Column {
        Column::new(name, unit, Values::Integer(Vec::new()))
    }

    /// A column of real numbers.
    pub fn real(name: &'static str, unit: Unit) -> Column {
        Column::new(name, unit, Values::Real(Vec::new()))
    }

    /// Machine-readable name without its unit: `response_p99`.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The unit as UCUM writes it, which OpenTelemetry uses.
    pub fn ucum(&self) -> &'static str {
        match (self.unit, self.name) {
            (Unit::Seconds, _) => "s",
            (Unit::Moment | Unit::Latency, _) => "ns",
            (Unit::BytesPerSecond, _) => "By/s",
            (Unit::Percent, _) => "%",
            (Unit::None, "bytes") => "By",
            (Unit::None, "operations" | "asked_depth" | "achieved_depth") => "{operation}",
            (Unit::None, "errors") => "{error}",
            (Unit::None, "iops") => "{operation}/s",
            (Unit::None, _) => "1",
        }
    }

    /// Machine-readable name, unit last: `response_p99_ns`.
    pub fn head(&self) -> String {
        format!("{}{}", self.name, self.unit.suffix())
    }

    /// Name for people, and the divisor of its numbers: `response p99 (µs)`, 1000.
    pub fn head_for_people(&self) -> (String, f64) {
        let (unit, divisor) = self.unit.for_people();
        let name = self
            .name
            .replace("_9", ".9")
            .replace('_', " ")
            .replace("iops", "IOPS");
        (
            if unit.is_empty() {
                name
            } else {
                format!("{name} ({unit})")
            },
            divisor,
        )
    }

    fn push(&mut self, cell: Cell<'_>) {
        match (&mut self.values, cell) {
            (
                Values::Text {
                    dictionary,
                    indexes,
                },
                Cell::Text(entry),
            ) => {
                let index = *self.known.entry(entry.to_string()).or_insert_with(|| {
                    dictionary.push(entry.to_string());
                    (dictionary.len() - 1) as u32
                });
                indexes.push(index);
            }
            (Values::Integer(values), Cell::Integer(value)) => values.push(value),
            (Values::Real(values), Cell::Real(value)) => {
                values.push(value.filter(|value| value.is_finite()))
            }
            // A value of another type than its column is unknown.
            (Values::Integer(values), _) => values.push(None),
            (Values::Real(values), _) => values.push(None),
            (Values::Text { .. }, _) => self.push(Cell::Text("")),
        }
    }

    /// The value in a row.
    pub fn cell(&self, line: usize) -> Cell<'_> {
        match &self.values {
            Values::Text {
                dictionary,
                indexes,
            } => {
                let entry = indexes
                    .get(line)
                    .and_then(|index| dictionary.get(*index as usize));
                Cell::Text(entry.map_or("", String::as_str))
            }
            Values::Integer(values) => Cell::Integer(values.get(line).copied().flatten()),
            Values::Real(values) => Cell::Real(values.get(line).copied().flatten()),
        }
    }
}

/// Rows and columns.
#[derive(Debug, Clone)]
pub struct Table {
    pub columns: Vec<Column>,
    lines: usize,
}

impl Table {
    pub fn new(columns: Vec<Column>) -> Table {
        Table { columns, lines: 0 }
    }

    /// Adds a row: one cell for each column.
    pub fn push<'a>(&mut self, cells: impl IntoIterator<Item = Cell<'a>>) {
        let mut cells = cells.into_iter();
        for column in &mut self.columns {
            column.push(cells.next().unwrap_or(Cell::Text("")));
        }
        self.lines += 1;
    }

    /// Number of rows.
    pub fn lines(&self) -> usize {
        self.lines
    }

    /// Index of the column with this machine-readable name.
    pub fn index_of(&self, head: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.head() == head)
    }

    /// As CSV by RFC 4180, with machine-readable names. A missing value is an empty field.
    pub fn csv(&self) -> String {
        self.columns
            .iter()
            .map(Column::head)
            .collect::<Vec<_>>()
            .join(",")
            + "\r\n"
            + &self.csv_lines()
    }

    /// The rows without the header.
    pub fn csv_lines(&self) -> String {
        let mut text = String::new();
        for line in 0..self.lines {
            for (index, column) in self.columns.iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                match column.cell(line) {
                    Cell::Text(entry) => text += &csv_text(entry),
                    Cell::Integer(value) => {
                        text += &value.map(|value| value.to_string()).unwrap_or_default()
                    }
                    Cell::Real(value) => {
                        text += &value.map(|value| value.to_string()).unwrap_or_default()
                    }
                }
            }
            text += "\r\n";
        }
        text
    }
}

/// A string as a CSV field, quoted if needed. A string that a spreadsheet would evaluate as a formula gets a leading apostrophe (OWASP, "CSV Injection").
pub fn csv_text(text: &str) -> String {
    let text = if text.starts_with(['=', '+', '-', '@', '\t', '\r']) {
        format!("'{text}")
    } else {
        text.to_string()
    };
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_values_stay_empty_and_no_text_is_evaluated() {
        let columns = vec![
            Column::text("step"),
            Column::integer("count", Unit::None),
            Column::real("response_p99_9", Unit::Latency),
        ];
        let mut table = Table::new(columns);
        table.push([
            Cell::Text("=1+1"),
            Cell::Integer(None),
            Cell::Real(Some(f64::NAN)),
        ]);
        table.push([
            Cell::Text("a, \"b\""),
            Cell::Integer(Some(0)),
            Cell::Real(Some(1.5)),
        ]);
        table.push([Cell::Text("=1+1"), Cell::Real(Some(1.0))]);
        assert_eq!(
            table.csv(),
            "step,count,response_p99_9_ns\r\n'=1+1,,\r\n\"a, \"\"b\"\"\",0,1.5\r\n'=1+1,,\r\n"
        );
        assert_eq!(
            table.columns[2].head_for_people(),
            ("response p99.9 (µs)".to_string(), 1e3)
        );
        assert_eq!(table.index_of("count"), Some(1));
        let Values::Text {
            dictionary,
            indexes,
        } = &table.columns[0].values
        else {
            panic!("a text")
        };
        assert_eq!((dictionary.len(), indexes.as_slice()), (2, &[0, 1, 0][..]));
    }
}
