//! How are counters printed? The tables of one interval, and of a recording.

use plumb_model::results::watch::{WatchInterval, WatchRow, WatchSummary, WatchTable};
use plumb_model::run::INCOMPLETE;
use plumb_model::run::watch::{Collection, CommandEnd, WatchCost};
use plumb_model::statement::{Statement, Unit};
use plumb_words::Words;
use plumb_words::numbers::{number, quantity};

use super::layout::{Cells, printable, width, wrapped};
use super::{Page, Tone};
use crate::wording::{sentence, with_micro_sign};

/// Most rows of a table: those with the largest first figure.
const ROWS_MAX: usize = 24;
/// Most rows of a table whose first row is the sum of all others.
const ROWS_BESIDE_SUM_MAX: usize = 8;
/// Placeholder for a missing figure.
const NONE: &str = "-";

/// One interval, below a line with its time.
pub fn interval_text(interval: &WatchInterval, time: &str, page: Page) -> String {
    let mut out = page.tone(Tone::Strong, &printable(time)) + "\n";
    let tables = tables_text(&interval.tables, page);
    if tables.is_empty() {
        out += &format!(
            "  {}\n",
            sentence(&Statement::new("watch-idle"), page.words)
        );
    }
    out + &tables
}

/// Background collections, and whether each is running.
pub fn collections_text(collections: &[(&Collection, bool)], page: Page) -> String {
    let line = |(collection, is_running): &(&Collection, bool)| {
        let folder = collection.folder.display().to_string();
        let statement = match is_running {
            true => Statement::new("watch-collection-runs")
                .name("name", &*collection.name)
                .name("started", &*collection.started)
                .name("folder", folder),
            false => Statement::new("watch-collection-ended")
                .name("name", &*collection.name)
                .name("started", &*collection.started)
                .name("folder", folder),
        };
        printable(&sentence(&statement, page.words)) + "\n"
    };
    match collections {
        [] => sentence(&Statement::new("watch-collection-none"), page.words) + "\n",
        collections => collections.iter().map(line).collect(),
    }
}

/// A recording: its length, its figures over all intervals, and the cost of recording.
pub fn recording_text(recording: &WatchSummary, page: Page) -> String {
    let mut out = page.tone(Tone::Strong, &printable(&recording.source)) + "\n";
    let tables = tables_text(&recording.tables, page);
    for statement in &recording_statements(recording) {
        out += &wrapped(&sentence(statement, page.words), "  • ", "    ", page.width);
    }
    for statement in &recording.doubts {
        let text = wrapped(&sentence(statement, page.words), "  ? ", "    ", page.width);
        out += &page.tone(Tone::Warning, text.trim_end());
        out.push('\n');
    }
    if !tables.is_empty() {
        out.push('\n');
    }
    out + &tables
}

/// Statements on a recording: its length, how a watched command ended, and the cost of recording.
pub(crate) fn recording_statements(recording: &WatchSummary) -> Vec<Statement> {
    let mut statements = Vec::new();
    statements.push(match recording.intervals {
        0 => Statement::new("watch-no-interval"),
        intervals => Statement::new("watch-overview")
            .time_ns("span", recording.span_ns as f64)
            .count("intervals", intervals),
    });
    statements.extend(recording.command_end.as_ref().and_then(command_statement));
    match &recording.cost {
        Some(cost) => statements.extend(cost_statements(cost)),
        None if recording.watch.is_some() && recording.state == INCOMPLETE => {
            statements.push(Statement::new("watch-incomplete"));
        }
        None => {}
    }
    if recording.state == "interrupted" {
        statements.push(Statement::new("watch-interrupted"));
    }
    let mut rows = recording.tables.iter().flat_map(|table| &table.rows);
    if recording.intervals > 0 && !rows.any(|row| row.is_active) {
        statements.push(Statement::new("watch-nothing"));
    }
    statements
}

fn command_statement(end: &CommandEnd) -> Option<Statement> {
    let time = end.elapsed_ns as f64;
    if let Some(signal) = end.signal {
        return Some(
            Statement::new("watch-command-signal")
                .name("signal", signal.to_string())
                .time_ns("time", time),
        );
    }
    let status = end.status?;
    Some(
        Statement::new("watch-command-status")
            .name("status", status.to_string())
            .time_ns("time", time),
    )
}

fn cost_statements(cost: &WatchCost) -> Vec<Statement> {
    let elapsed = cost.elapsed_ns as f64;
    let mut statements = vec![match cost.cpu_ns {
        Some(cpu_ns) if cost.elapsed_ns > 0 => Statement::new("watch-cost")
            .time_ns("cpu", cpu_ns as f64)
            .time_ns("time", elapsed)
            .percent("share", 100.0 * cpu_ns as f64 / elapsed),
        _ => Statement::new("watch-cost-unknown"),
    }];
    if cost.left_out > 0 {
        statements.push(Statement::new("watch-left-out").count("count", cost.left_out));
    }
    statements
}

/// All tables with active rows; empty without activity.
fn tables_text(tables: &[WatchTable], page: Page) -> String {
    let texts = tables.iter().filter_map(|table| table_text(table, page));
    texts.collect::<Vec<_>>().join("\n")
}

fn table_text(table: &WatchTable, page: Page) -> Option<String> {
    let (rows, left_out) = shown(table);
    if rows.is_empty() {
        return None;
    }
    let words = page.words;
    // A column without figures is left out.
    let known: Vec<usize> = (0..table.columns.len())
        .filter(|at| table.rows.iter().any(|row| row.values[*at].is_some()))
        .collect();
    let heading = words.label(table.label);
    let titles = known.iter().map(|at| words.label(table.columns[*at].label));
    let head: Vec<String> = std::iter::once(heading.clone()).chain(titles).collect();
    let cells = rows.iter().map(|row| {
        let figures = known
            .iter()
            .map(|at| counter_text(row.values[*at], table.columns[*at].unit));
        std::iter::once(counter_name(&row.instance, row.label, words))
            .chain(figures)
            .collect()
    });
    let mut cells = Cells(std::iter::once(head).chain(cells).collect());
    let columns = page.width.saturating_sub(2);
    let mut out = String::new();
    let names = cells.0.iter().skip(1).filter_map(|row| row.first());
    let longest = names.map(|name| width(name)).max().unwrap_or(0);
    if cells.width() > columns && width(&heading) > longest {
        // Cut less than names: it is above them.
        out += &(page.tone(Tone::Quiet, &heading) + "\n");
        cells.0[0][0].clear();
    }
    for (place, line) in cells.lines(columns).into_iter().enumerate() {
        out += &match place {
            0 => page.tone(Tone::Quiet, &line),
            _ => line,
        };
        out.push('\n');
    }
    if left_out > 0 {
        let more = Statement::new("watch-more-rows").count("count", left_out as u64);
        out += &page.tone(Tone::Quiet, &format!("({})", sentence(&more, words)));
        out.push('\n');
    }
    Some(out)
}

/// The shown active rows, in order, and the number of others.
fn shown(table: &WatchTable) -> (Vec<&WatchRow>, usize) {
    let mut rows: Vec<&WatchRow> = table.rows.iter().filter(|row| row.is_active).collect();
    let has_sum = rows
        .first()
        .is_some_and(|row| row.instance.is_empty() && row.kind == "all");
    let most = match has_sum {
        true => 1 + ROWS_BESIDE_SUM_MAX,
        false => ROWS_MAX,
    };
    let left_out = rows.len().saturating_sub(most);
    if left_out > 0 {
        let first = |row: &WatchRow| row.values.first().copied().flatten().unwrap_or(0.0);
        let mut order: Vec<usize> = (usize::from(has_sum)..rows.len()).collect();
        order.sort_by(|a, b| first(rows[*b]).total_cmp(&first(rows[*a])));
        let dropped = order.split_off(order.len() - left_out);
        let mut place = 0;
        rows.retain(|_| {
            place += 1;
            !dropped.contains(&(place - 1))
        });
    }
    (rows, left_out)
}

/// `vda read`, `cpu3`, `I/O`: an instance, and the label of its kind, which may be empty.
pub(crate) fn counter_name(instance: &str, label: &str, words: Words) -> String {
    let instance = printable(instance);
    let kind = match label {
        "" => String::new(),
        label => words.label(label),
    };
    format!("{instance} {kind}").trim().to_string()
}

/// A figure of a column with such a unit.
pub(crate) fn counter_text(value: Option<f64>, unit: Option<Unit>) -> String {
    match (value, unit) {
        (None, _) => NONE.into(),
        (Some(value), None) => number(value),
        (Some(value), Some(unit)) => with_micro_sign(&quantity(value, unit)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plumb_model::results::watch::WatchColumn;

    fn table(rows: &[(&'static str, &'static str, f64)]) -> WatchTable {
        let label = |kind: &str| match kind {
            "read" => "label-watch-read",
            "all" => "label-watch-all",
            _ => "",
        };
        WatchTable {
            group: "disk",
            label: "label-watch-disks",
            columns: vec![
                WatchColumn {
                    id: "per_second",
                    label: "label-watch-per-second",
                    unit: Some(Unit::PerSecond),
                },
                WatchColumn {
                    id: "time_ns",
                    label: "label-watch-time",
                    unit: Some(Unit::Nanoseconds),
                },
            ],
            rows: rows
                .iter()
                .map(|(instance, kind, value)| WatchRow {
                    instance: (*instance).into(),
                    kind,
                    label: label(kind),
                    values: vec![Some(*value), (*instance == "loop0").then_some(2e6)],
                    largest: Vec::new(),
                    is_active: *value > 0.0,
                })
                .collect(),
        }
    }

    fn page() -> Page {
        Page {
            width: 80,
            colour: false,
            words: Words::english(),
        }
    }

    #[test]
    fn idle_rows_are_left_out_and_missing_values_are_no_zeros() {
        let text = tables_text(
            &[table(&[("vda", "read", 1234.0), ("loop0", "read", 0.0)])],
            page(),
        );
        assert_eq!(text, "disk         /s  time\nvda read  1,230     -\n");
        let interval = WatchInterval {
            begin_ns: 0,
            end_ns: 1,
            tables: vec![table(&[("vda", "read", 0.0)])],
        };
        assert_eq!(
            interval_text(&interval, "03:00:01", page()),
            "03:00:01\n  nothing active\n"
        );
    }

    #[test]
    fn a_heading_is_not_cut_for_the_figures() {
        let mut wide = table(&[("", "all", 5.0)]);
        wide.label = "label-watch-tcp";
        let narrow = Page {
            width: 24,
            ..page()
        };
        assert_eq!(
            tables_text(&[wide], narrow),
            "TCP (all connections)\n     /s\nall   5\n"
        );
    }

    #[test]
    fn of_many_cores_the_busiest_are_shown_beside_the_sum() {
        let names = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"];
        let mut rows = vec![("", "all", 5.0)];
        rows.extend(
            names
                .iter()
                .enumerate()
                .map(|(at, name)| (*name, "", 1.0 + at as f64)),
        );
        let text = tables_text(&[table(&rows)], page());
        assert!(
            text.contains("all") && text.contains("(2 more, less busy)"),
            "{text}"
        );
        assert!(!text.contains("\na ") && text.contains("\nj "), "{text}");
    }
}
