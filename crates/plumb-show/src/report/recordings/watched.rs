//! What is on the page of recorded counters? What was recorded and at what cost, each object over time, and figures of the entire recording.

use plumb_model::environment::Environment;
use plumb_model::results::series::Series;
use plumb_model::results::watch::{WatchColumn, WatchInterval, WatchRow, WatchSummary, WatchTable};
use plumb_model::statement::{Statement, Unit};
use plumb_words::Words;

use crate::chart::{any_value, rate_scale, time_axis, timed_lines, timed_table};
use crate::escape::escape;
use crate::figure::{Axis, Column, Figure, Hues, Naming, Quantity, Scale, Stroke, Table};
use crate::report::page::{Drawn, PageFrame};
use crate::report::{environment, tables};
use crate::terminal::{counter_name, counter_text, recording_statements};
use crate::wording::{MISSING, date_text, sentence};

/// Columns drawn over time, and their full labels. All others are only in the tables.
const DRAWN: [(&str, &str); 9] = [
    ("per_second", "label-watch-rate"),
    ("bytes_per_second", "label-watch-bandwidth"),
    ("request_bytes", "label-watch-mean-size"),
    ("time_ns", "label-watch-mean-time"),
    ("outstanding", "label-watch-mean-outstanding"),
    ("busy_percent", "label-watch-busy"),
    ("some_percent", "label-watch-stalled"),
    ("retransmitted_percent", "label-watch-retransmitted"),
    ("dirty_bytes", "label-watch-dirty"),
];
/// Most lines of a figure: those with the largest means are drawn.
const LINES_MAX: usize = 8;

/// The page: one self-contained file. `over_time` has the intervals to draw.
pub fn watched_html(
    recording: &WatchSummary,
    over_time: &[WatchInterval],
    environment: &Environment,
    plumb_version: &str,
    words: Words,
) -> String {
    let title = Statement::new("watch-page-title").name("source", &recording.source);
    let footer = Statement::new("trace-page-footer").name("version", plumb_version);
    let drawn = Drawn::new(&figures(recording, over_time, words), words);
    PageFrame {
        words,
        title: words.sentence(&title),
        plumb_version,
        header: header(recording, environment, words),
        summary: String::new(),
        sections: vec![
            (
                "overview",
                "label-watch-overview",
                overview(recording, words),
            ),
            ("chart", "", drawn.first),
            ("figures", "label-figures", drawn.rest),
            ("tables", "label-all-figures", all_tables(recording, words)),
            (
                "environment",
                "label-environment",
                environment::section(environment, words),
            ),
        ],
        footer: escape(&words.sentence(&footer)),
    }
    .html()
}

fn header(recording: &WatchSummary, environment: &Environment, words: Words) -> String {
    let started = Some(date_text(&recording.started)).filter(|date| !date.is_empty());
    let host = environment.text("host.name").map(str::to_string);
    let command = match recording.watch.as_ref() {
        Some(watch) => watch.watched_command.join(" "),
        None => String::new(),
    };
    let facts = started.into_iter().chain(host);
    let facts: Vec<String> = facts
        .chain(Some(command).filter(|command| !command.is_empty()))
        .map(|fact| escape(&fact))
        .collect();
    format!(
        "<p class=\"what\">{}</p>\n<h1>{}</h1>\n<p class=\"facts\">{}</p>\n",
        escape(&words.label("label-watch-page")),
        escape(&recording.source),
        facts.join(" · ")
    )
}

fn overview(recording: &WatchSummary, words: Words) -> String {
    let mut out = String::new();
    for statement in &recording_statements(recording) {
        out += &format!("<p>{}</p>\n", escape(&sentence(statement, words)));
    }
    for statement in &recording.doubts {
        out += &format!(
            "<p class=\"state\">{}</p>\n",
            escape(&sentence(statement, words))
        );
    }
    out
}

fn figures(recording: &WatchSummary, over_time: &[WatchInterval], words: Words) -> Vec<Figure> {
    let of_table = |table| {
        DRAWN
            .iter()
            .filter_map(move |(column, label)| figure(table, column, label, over_time, words))
    };
    recording.tables.iter().flat_map(of_table).collect()
}

/// One column of the active rows of a table over time. `None` without rows or values above 0.
fn figure(
    table: &WatchTable,
    column: &str,
    label: &'static str,
    over_time: &[WatchInterval],
    words: Words,
) -> Option<Figure> {
    let at = table.columns.iter().position(|known| known.id == column)?;
    let quantity = quantity_of(&table.columns[at]);
    let mean = |row: &WatchRow| row.values[at].unwrap_or(0.0);
    let largest = |row: &&WatchRow| row.largest.get(at).copied().flatten().unwrap_or(0.0);
    let mut rows: Vec<&WatchRow> = table.rows.iter().filter(|row| largest(row) > 0.0).collect();
    rows.sort_by(|a, b| mean(b).total_cmp(&mean(a)));
    let left_out = rows.len().saturating_sub(LINES_MAX);
    rows.truncate(LINES_MAX);
    let lines: Vec<Series> = rows
        .iter()
        .map(|row| line(row, table.group, at, over_time, words))
        .collect();
    let drawn: Vec<&Series> = lines.iter().collect();
    if !any_value(&drawn) {
        return None;
    }
    let marks = timed_lines(&lines, &[], Stroke::Solid, &mut Hues::default(), words);
    let (scale, at_the_edge) = match quantity {
        Quantity::OperationsPerSecond
        | Quantity::Bandwidth
        | Quantity::Latency
        | Quantity::Size => rate_scale(&marks),
        _ => (Scale::Linear, None),
    };
    let title = Statement::new("watch-figure-title")
        .name("table", words.label(table.label))
        .name("column", words.label(label));
    let title = words.sentence(&title);
    let mut caption = vec![words.label("label-watch-figure-caption")];
    caption.extend(at_the_edge.map(|label| words.label(label)));
    if left_out > 0 {
        let more = Statement::new("watch-more-rows").count("count", left_out as u64);
        caption.push(format!("({})", words.sentence(&more)));
    }
    let axis = match scale {
        Scale::Linear => words.label(label),
        _ => words
            .sentence(&Statement::new("watch-axis-logarithmic").name("column", words.label(label))),
    };
    Some(Figure {
        name: "watched",
        caption: caption.join(" "),
        x: time_axis(words),
        y: Axis {
            label: axis,
            quantity,
            scale,
        },
        marks,
        naming: Naming::Legend,
        alternative: title.clone(),
        table: timed_table(words, &drawn, quantity),
        title,
    })
}

/// Values of one row in each interval, with gaps for missing values.
fn line(
    row: &WatchRow,
    group: &str,
    at: usize,
    over_time: &[WatchInterval],
    words: Words,
) -> Series {
    let is_same = |other: &&WatchRow| other.kind == row.kind && other.instance == row.instance;
    let value = |interval: &WatchInterval| {
        let table = interval.tables.iter().find(|table| table.group == group)?;
        table.rows.iter().find(is_same)?.values[at]
    };
    Series {
        name: match counter_name(&row.instance, row.label, words) {
            name if name.is_empty() => words.label("label-watch-all"),
            name => name,
        },
        points: over_time
            .iter()
            .map(|interval| (interval.end_ns as f64 / 1e9, value(interval)))
            .collect(),
        ..Series::default()
    }
}

fn quantity_of(column: &WatchColumn) -> Quantity {
    match column.unit {
        Some(Unit::PerSecond) => Quantity::OperationsPerSecond,
        Some(Unit::BytesPerSecond) => Quantity::Bandwidth,
        Some(Unit::Bytes) => Quantity::Size,
        Some(Unit::Nanoseconds) => Quantity::Latency,
        Some(Unit::Percent) => Quantity::Percent,
        _ => Quantity::Number,
    }
}

/// Each table twice: means over the recording, and maxima over the intervals.
fn all_tables(recording: &WatchSummary, words: Words) -> String {
    let mut out = String::new();
    for table in &recording.tables {
        let means = table_of(table, words, |row| &row.values);
        let largest = table_of(table, words, |row| &row.largest);
        let name = words.label(table.label);
        let of_means = Statement::new("watch-table-means").name("table", &*name);
        let of_largest = Statement::new("watch-table-largest").name("table", &*name);
        out += &tables::folded(&words.sentence(&of_means), &means, true);
        out += &tables::folded(&words.sentence(&of_largest), &largest, false);
    }
    out
}

/// The active rows of a table.
fn table_of(table: &WatchTable, words: Words, values: fn(&WatchRow) -> &Vec<Option<f64>>) -> Table {
    let titles = table.columns.iter();
    let columns = std::iter::once(Column::text(words.label(table.label)))
        .chain(titles.map(|column| Column::number(words.label(column.label))));
    let cells = |row: &WatchRow| {
        let figures = values(row).iter().zip(&table.columns);
        let figures = figures.map(|(value, column)| match value {
            None => MISSING.to_string(),
            value => counter_text(*value, column.unit),
        });
        std::iter::once(counter_name(&row.instance, row.label, words))
            .chain(figures)
            .collect()
    };
    let active = table.rows.iter().filter(|row| row.is_active);
    Table {
        columns: columns.collect(),
        rows: active.map(cells).collect(),
        note: String::new(),
    }
}
