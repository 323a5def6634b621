//! What do formats made of lines and columns share? Columns with a name, a unit and a type, and values of which some are missing.

use std::collections::HashMap;

/// What a column's numbers are measured in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// A text, an index or a count.
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
    /// What a machine-read name ends with: `_ns`.
    fn suffix(self) -> &'static str {
        match self {
            Unit::None => "",
            Unit::Seconds => "_s",
            Unit::Moment | Unit::Latency => "_ns",
            Unit::BytesPerSecond => "_bytes_per_s",
            Unit::Percent => "_percent",
        }
    }

    /// The unit that people read, and what a value is divided by for it.
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

/// One value of a line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Cell<'a> {
    Text(&'a str),
    Whole(Option<u64>),
    Real(Option<f64>),
}

/// The values of one column. `None` is a value that is not known.
#[derive(Debug, Clone, PartialEq)]
pub enum Values {
    /// Each word once, and its place for every line: a run names the same few steps in a million lines.
    Text {
        words: Vec<String>,
        places: Vec<u32>,
    },
    Whole(Vec<Option<u64>>),
    Real(Vec<Option<f64>>),
}

/// One column.
#[derive(Debug, Clone)]
pub struct Column {
    name: &'static str,
    pub unit: Unit,
    pub values: Values,
    /// Places of the words of a text column.
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

    /// A column of words.
    pub fn text(name: &'static str) -> Column {
        Column::new(
            name,
            Unit::None,
            Values::Text {
                words: Vec::new(),
                places: Vec::new(),
            },
        )
    }

    /// A column of whole numbers.
    pub fn whole(name: &'static str, unit: Unit) -> Column {
        Column::new(name, unit, Values::Whole(Vec::new()))
    }

    /// A column of real numbers.
    pub fn real(name: &'static str, unit: Unit) -> Column {
        Column::new(name, unit, Values::Real(Vec::new()))
    }

    /// Its name for programs, unit last: `response_p99_ns`.
    pub fn head(&self) -> String {
        format!("{}{}", self.name, self.unit.suffix())
    }

    /// Its name for people, and what its numbers are divided by: `response p99 (µs)`, 1000.
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
            (Values::Text { words, places }, Cell::Text(word)) => {
                let place = *self.known.entry(word.to_string()).or_insert_with(|| {
                    words.push(word.to_string());
                    (words.len() - 1) as u32
                });
                places.push(place);
            }
            (Values::Whole(values), Cell::Whole(value)) => values.push(value),
            (Values::Real(values), Cell::Real(value)) => {
                values.push(value.filter(|value| value.is_finite()))
            }
            // A value of another type than its column has is not known there.
            (Values::Whole(values), _) => values.push(None),
            (Values::Real(values), _) => values.push(None),
            (Values::Text { .. }, _) => self.push(Cell::Text("")),
        }
    }

    /// The value in a line.
    pub fn cell(&self, line: usize) -> Cell<'_> {
        match &self.values {
            Values::Text { words, places } => {
                let word = places
                    .get(line)
                    .and_then(|place| words.get(*place as usize));
                Cell::Text(word.map_or("", String::as_str))
            }
            Values::Whole(values) => Cell::Whole(values.get(line).copied().flatten()),
            Values::Real(values) => Cell::Real(values.get(line).copied().flatten()),
        }
    }
}

/// Lines and columns.
#[derive(Debug, Clone)]
pub struct Table {
    pub columns: Vec<Column>,
    lines: usize,
}

impl Table {
    pub fn new(columns: Vec<Column>) -> Table {
        Table { columns, lines: 0 }
    }

    /// Adds a line: one cell for each column.
    pub fn push<'a>(&mut self, cells: impl IntoIterator<Item = Cell<'a>>) {
        let mut cells = cells.into_iter();
        for column in &mut self.columns {
            column.push(cells.next().unwrap_or(Cell::Text("")));
        }
        self.lines += 1;
    }

    /// Number of lines.
    pub fn lines(&self) -> usize {
        self.lines
    }

    /// Place of the column with this name for programs.
    pub fn place(&self, head: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.head() == head)
    }

    /// As CSV by RFC 4180, with the names for programs. A missing value is an empty field.
    pub fn csv(&self) -> String {
        self.columns
            .iter()
            .map(Column::head)
            .collect::<Vec<_>>()
            .join(",")
            + "\r\n"
            + &self.csv_lines()
    }

    /// The lines alone.
    pub fn csv_lines(&self) -> String {
        let mut text = String::new();
        for line in 0..self.lines {
            for (place, column) in self.columns.iter().enumerate() {
                if place > 0 {
                    text.push(',');
                }
                match column.cell(line) {
                    Cell::Text(word) => text += &csv_text(word),
                    Cell::Whole(value) => {
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

/// A text as a field of CSV: quoted where it must be. One that a spreadsheet would compute gets an apostrophe before it, which makes it a text
/// (OWASP, "CSV Injection").
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
    fn what_is_missing_stays_empty_and_no_text_is_computed() {
        let columns = vec![
            Column::text("step"),
            Column::whole("count", Unit::None),
            Column::real("response_p99_9", Unit::Latency),
        ];
        let mut table = Table::new(columns);
        table.push([
            Cell::Text("=1+1"),
            Cell::Whole(None),
            Cell::Real(Some(f64::NAN)),
        ]);
        table.push([
            Cell::Text("a, \"b\""),
            Cell::Whole(Some(0)),
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
        assert_eq!(table.place("count"), Some(1));
        let Values::Text { words, places } = &table.columns[0].values else {
            panic!("a text")
        };
        assert_eq!((words.len(), places.as_slice()), (2, &[0, 1, 0][..]));
    }
}
