//! What is a figure before it is drawn? Axes with quantities, marks, a text alternative and a table, as values.

use plumb_words::numbers::{
    group_thousands, show_bandwidth, show_bit_rate, show_bytes, show_count, show_time_ns,
};

/// Quantity of an axis; determines how ticks and values are formatted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quantity {
    /// Operations per second.
    OperationsPerSecond,
    /// Bytes per second.
    Bandwidth,
    /// Bits per second, as link speeds are given.
    BitRate,
    /// Bytes.
    Size,
    /// A latency in nanoseconds.
    Latency,
    /// Seconds since the start of the run.
    Elapsed,
    /// Percent of a total.
    Percent,
    /// Ratio of two figures: 1 is no change.
    Ratio,
    /// A percentile as its number of nines, `-log10(1 - p)`: 1 is 90 %, 2 is 99 %.
    Nines,
    /// A number without a unit.
    Number,
    /// Names, one per integer from 0.
    Category,
}

impl Quantity {
    /// Whether its axis starts at 0: half the height is half the value.
    pub fn is_amount(self) -> bool {
        matches!(
            self,
            Quantity::OperationsPerSecond
                | Quantity::Bandwidth
                | Quantity::Percent
                | Quantity::Number
        )
    }

    /// Its name in the page data for the script.
    pub(crate) fn code(self) -> &'static str {
        match self {
            Quantity::OperationsPerSecond => "rate",
            Quantity::Bandwidth => "bandwidth",
            Quantity::BitRate => "bits",
            Quantity::Size => "size",
            Quantity::Latency => "latency",
            Quantity::Elapsed => "elapsed",
            Quantity::Percent => "percent",
            Quantity::Ratio => "ratio",
            Quantity::Nines => "nines",
            Quantity::Number => "number",
            Quantity::Category => "category",
        }
    }

    /// The value with its unit, for display.
    pub fn text(self, value: f64) -> String {
        match self {
            Quantity::OperationsPerSecond => format!("{}/s", show_count(value)),
            Quantity::Bandwidth => show_bandwidth(value),
            Quantity::BitRate => show_bit_rate(value),
            Quantity::Size => show_bytes(value),
            Quantity::Latency => latency_text(value),
            Quantity::Elapsed => elapsed_text(value),
            Quantity::Percent => percent_text(value),
            Quantity::Ratio => format!("{} times", show_count(value)),
            Quantity::Nines => nines_text(value),
            Quantity::Number | Quantity::Category => show_count(value),
        }
    }

    /// The value at a tick; the axis label has the rest.
    pub fn tick(self, value: f64) -> String {
        match self {
            Quantity::OperationsPerSecond if value.abs() >= 1000.0 => {
                group_thousands(value.round() as i64)
            }
            Quantity::OperationsPerSecond => show_count(value),
            Quantity::Bandwidth | Quantity::BitRate | Quantity::Size | Quantity::Latency
                if value == 0.0 =>
            {
                "0".into()
            }
            Quantity::Ratio => format!("×{}", show_count(value)),
            _ => self.text(value),
        }
    }
}

/// A latency in nanoseconds, with the micro sign.
pub fn latency_text(latency_ns: f64) -> String {
    show_time_ns(latency_ns).replace(" us", " µs")
}

/// Seconds since the start: `30 ms`, `12 s`, from two minutes on `2:05`, from an hour on `1:02:05`.
pub fn elapsed_text(seconds: f64) -> String {
    if seconds.abs() < 120.0 {
        let tenths = (seconds * 10.0).round() / 10.0;
        if seconds.abs() < 1.0 && (seconds - tenths).abs() > 1e-6 {
            return latency_text(seconds * 1e9);
        }
        return format!("{tenths} s");
    }
    clock_text(seconds)
}

/// Seconds as minutes and hours: `0:30`, `2:05`, `1:02:05`.
pub fn clock_text(seconds: f64) -> String {
    let whole = seconds.round() as i64;
    match (whole / 3600, whole / 60 % 60, whole % 60) {
        (0, minutes, rest) => format!("{minutes}:{rest:02}"),
        (hours, minutes, rest) => format!("{hours}:{minutes:02}:{rest:02}"),
    }
}

/// Percent with two significant digits; a nonzero value is never rounded to 0.
pub fn percent_text(percent: f64) -> String {
    match percent.abs() {
        size if size >= 10.0 || percent == percent.round() => format!("{percent:.0} %"),
        size if size >= 0.1 => format!("{percent:.1} %"),
        size if size >= 0.01 => format!("{percent:.2} %"),
        _ => "below 0.01 %".into(),
    }
}

/// A percentile from its number of nines: 3 is `99.9 %`, 0.301 is `50 %`.
pub fn nines_text(nines: f64) -> String {
    let percent = 100.0 * (1.0 - 10f64.powf(-nines));
    // One decimal per nine beyond the second; rounding must never reach 100 %.
    let decimals = (nines.round() as i64 - 2).clamp(0, 12) as usize;
    let text = format!("{percent:.decimals$}");
    let text = if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.')
    } else {
        &text
    };
    format!("{text} %")
}

/// Scale of an axis.
#[derive(Debug, Clone, PartialEq)]
pub enum Scale {
    Linear,
    /// Values at or below 0 are treated as missing.
    Logarithmic,
    /// One slot per name, from the left (x) or the top (y).
    Categories(Vec<String>),
}

/// One axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    /// Label, with the unit if ticks do not have it: `operations per second`.
    pub label: String,
    pub quantity: Quantity,
    pub scale: Scale,
}

/// One point of a line. A missing value breaks the line.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Point {
    pub x: f64,
    pub y: Option<f64>,
    /// Written next to the point if there is room: a depth.
    pub label: Option<String>,
    /// Hover text of the point.
    pub hover: String,
}

/// Stroke of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stroke {
    Solid,
    Dashed,
    Dotted,
}

/// One bar.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Bar {
    /// Index of its category on the x axis.
    pub category: usize,
    pub value: f64,
    /// Start of the bar: 0, or in a waterfall the end of the previous one. May be above the value: then the bar goes down.
    pub base: f64,
    /// Lowest and highest of the rounds, drawn as a whisker.
    pub range: Option<(f64, f64)>,
    /// Written above the bar if there is room.
    pub label: String,
}

/// A mark: an element drawn between the axes.
#[derive(Debug, Clone, PartialEq)]
pub enum Mark {
    /// Points joined by a line. An empty name is not shown.
    Line {
        name: String,
        /// Index of the color.
        hue: usize,
        stroke: Stroke,
        points: Vec<Point>,
        /// Draw a dot at each point; otherwise only at isolated points.
        dots: bool,
        /// Index of a point to ring: the knee.
        ringed: Option<usize>,
    },
    /// Bars of one color, at most one per category.
    Bars {
        name: String,
        hue: usize,
        bars: Vec<Bar>,
    },
    /// A named, shaded span of the x axis.
    Span { label: String, from: f64, to: f64 },
    /// A heat map: row names are the categories of the y axis; `edges` are the bounds of the columns on the x axis (one more than
    /// columns); cells are from 0 to `full`.
    Cells {
        edges: Vec<f64>,
        cells: Vec<Vec<Option<f64>>>,
        full: f64,
        /// What a cell holds.
        of: Quantity,
    },
    /// Values on rows: the names of the rows are the categories of the y axis. Each row has `lanes` lanes, stacked; these values
    /// are in lane `lane`, counted from 0.
    Rows {
        name: String,
        hue: usize,
        shape: Shape,
        lane: usize,
        lanes: usize,
        values: Vec<RowValue>,
    },
    /// Intervals of y values at positions of the x axis.
    Whiskers { hue: usize, whiskers: Vec<Whisker> },
    /// A straight line across the plot: vertical at a value of the x axis, else at a value of the y axis. The label, which may be empty, is
    /// at the upper end of a vertical line.
    Rule {
        at: f64,
        upright: bool,
        strong: bool,
        label: String,
    },
}

/// How a value on a row is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Filled: decided.
    Dot,
    /// A ring: undecided.
    Ring,
    /// A small dot, one of many.
    Speck,
    /// A vertical stroke: the middle of specks.
    Stroke,
}

/// One value on a row.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RowValue {
    /// Index of its row on the y axis.
    pub row: usize,
    pub value: f64,
    /// Position within its lane from 0 (top) to 1 (bottom).
    pub shift: f64,
    /// Interval of the value.
    pub range: Option<(f64, f64)>,
    /// Text at the right end of the row, one per row; may be empty.
    pub text: String,
    /// Hover text; may be empty.
    pub hover: String,
}

/// One vertical interval.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Whisker {
    pub x: f64,
    pub low: f64,
    pub high: f64,
}

/// Position of line names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Naming {
    /// At the lines; above the plot if there is no room for all.
    Direct,
    /// Above the plot.
    Legend,
}

/// Rows and columns of text.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Table {
    pub columns: Vec<Column>,
    pub rows: Vec<Vec<String>>,
    /// One sentence below the table; may be empty.
    pub note: String,
}

/// One column of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    pub title: String,
    pub kind: ColumnKind,
}

/// Alignment of the cells of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnKind {
    /// Names: left-aligned, never wrapped.
    Text,
    /// Right-aligned, with tabular figures.
    Number,
    /// Sentences: left-aligned, wrapped.
    Prose,
}

impl Column {
    /// A column of text.
    pub fn text(title: impl Into<String>) -> Column {
        Column {
            title: title.into(),
            kind: ColumnKind::Text,
        }
    }

    /// A column of numbers.
    pub fn number(title: impl Into<String>) -> Column {
        Column {
            title: title.into(),
            kind: ColumnKind::Number,
        }
    }

    /// A column of sentences.
    pub fn prose(title: impl Into<String>) -> Column {
        Column {
            title: title.into(),
            kind: ColumnKind::Prose,
        }
    }
}

/// A figure: marks, text alternative, and table.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// Name of the chart that made it: `throughput_latency`.
    pub name: &'static str,
    pub title: String,
    /// How to read it, in one or two sentences.
    pub caption: String,
    pub x: Axis,
    pub y: Axis,
    pub marks: Vec<Mark>,
    pub naming: Naming,
    /// What it shows, for those who do not see it.
    pub alternative: String,
    /// The figures drawn.
    pub table: Table,
}

/// Assigns a color to each name of a figure: fixed ones to reads and writes, the next free one to others.
#[derive(Debug, Default)]
pub struct Hues {
    taken: Vec<(String, usize)>,
    used: [bool; HUES],
}

/// Number of distinguishable series: six colors that color-blind readers can distinguish, each twice, with different markers and dashes;
/// further names start over.
pub const HUES: usize = 12;

impl Hues {
    /// The color of a name; the same name always gets the same color.
    pub fn of(&mut self, name: &str) -> usize {
        if let Some((_, hue)) = self.taken.iter().find(|(taken, _)| taken == name) {
            return *hue;
        }
        let wished = match name {
            name if name.contains("read") => Some(0),
            name if name.contains("write") || name.contains("written") => Some(1),
            _ => None,
        };
        // Colors 0 and 1 are reserved for reads and writes as long as others are free.
        let order = wished.into_iter().chain(2..HUES).chain(0..2);
        let hue = order
            .into_iter()
            .find(|hue| !self.used[*hue])
            .unwrap_or(self.taken.len() % HUES);
        self.used[hue] = true;
        self.taken.push((name.to_string(), hue));
        hue
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_written_with_their_nines() {
        for (nines, text) in [
            (2f64.log10(), "50 %"),
            (1.0, "90 %"),
            (2.0, "99 %"),
            (3.0, "99.9 %"),
            (4.0, "99.99 %"),
            (6.0, "99.9999 %"),
        ] {
            assert_eq!(nines_text(nines), text);
        }
    }

    #[test]
    fn values_are_written_with_their_units() {
        assert_eq!(Quantity::Latency.text(41_234.0), "41.2 µs");
        assert_eq!(Quantity::OperationsPerSecond.tick(120_000.0), "120,000");
        assert_eq!(Quantity::Elapsed.text(125.0), "2:05");
        assert_eq!(Quantity::Elapsed.text(2.5), "2.5 s");
        assert_eq!(Quantity::Elapsed.text(0.5), "0.5 s");
        assert_eq!(Quantity::Elapsed.text(0.003), "3 ms");
        assert_eq!(Quantity::Elapsed.text(3725.0), "1:02:05");
    }

    #[test]
    fn reads_and_writes_keep_their_colours() {
        let mut hues = Hues::default();
        assert_eq!(
            (
                hues.of("stat"),
                hues.of("random-write"),
                hues.of("random-read"),
                hues.of("random-write")
            ),
            (2, 1, 0, 1)
        );
        assert_ne!(hues.of("sequential-read"), 0);
    }
}
