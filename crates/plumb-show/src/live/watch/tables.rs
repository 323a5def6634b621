//! How do the tables of an interval fit into a view of a few lines? The selected figure is always shown.

use plumb_model::results::watch::{WatchColumn, WatchInterval, WatchRow, WatchTable};
use plumb_words::Words;
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};

use super::rows::{Pick, Places};
use super::style::{QUIET, STRONG};
use crate::terminal::{counter_name, counter_text, shortened, width};

/// Columns before a row: the mark of the selected one.
const MARK: usize = 2;
/// Columns between two cells.
const GAP: usize = 2;
/// Minimum width of names.
const NAME_MIN: usize = 12;
/// Mark at the end of a line with left-out columns.
const CUT: &str = " …";

/// One line of a table.
pub(super) struct TableLine {
    pub line: Line<'static>,
    /// Part of the table head.
    is_head: bool,
    /// Part of the table of the selected figure.
    is_of_picked_table: bool,
    is_picked: bool,
}

/// All lines in this width, with an empty line between tables.
pub(super) fn table_lines(
    interval: &WatchInterval,
    places: &Places,
    pick: Option<&Pick>,
    columns: usize,
    words: Words,
) -> Vec<TableLine> {
    let mut lines = Vec::new();
    for (table_at, rows) in places.tables() {
        let table = &interval.tables[table_at];
        let rows: Vec<&WatchRow> = rows.iter().map(|(_, row)| &table.rows[*row]).collect();
        let pick = pick.filter(|pick| pick.is_of(table));
        if !lines.is_empty() {
            lines.push(plain(Line::default(), false));
        }
        lines.extend(lines_of(table, &rows, pick, columns, words));
    }
    lines
}

/// The lines that fit: from the head of the first table that leaves room for all of the selected table, or else from that
/// table's own head; if it has too many rows, they scroll below the head.
pub(super) fn visible(lines: Vec<TableLine>, room: usize) -> Vec<Line<'static>> {
    let is_picked_head = |line: &TableLine| line.is_of_picked_table && line.is_head;
    let head = lines.iter().position(is_picked_head).unwrap_or(0);
    let heads = lines.iter().filter(|line| is_picked_head(line)).count();
    let picked = lines.iter().position(|line| line.is_picked).unwrap_or(head);
    let end = lines.iter().rposition(|line| line.is_of_picked_table);
    let end = end.map_or(lines.len(), |last| last + 1);
    let begins_table = |at: &usize| {
        let is_head = |at: usize| lines.get(at).is_some_and(|line| line.is_head);
        is_head(*at) && (*at == 0 || !is_head(at - 1))
    };
    let mut begins = (0..=head).filter(begins_table);
    let first = begins.find(|first| end <= first + room).unwrap_or(head);
    let hidden = (picked + 1).saturating_sub(first + room);
    let (kept_head, from) = match hidden {
        0 => (0..0, first),
        _ if room <= heads => (0..0, picked),
        _ => (head..head + heads, picked + 1 - (room - heads)),
    };
    let kept = |(at, _): &(usize, TableLine)| kept_head.contains(at) || *at >= from;
    let lines = lines.into_iter().enumerate().filter(kept);
    lines.map(|(_, line)| line.line).take(room).collect()
}

fn plain(line: Line<'static>, is_of_picked_table: bool) -> TableLine {
    TableLine {
        line,
        is_head: false,
        is_of_picked_table,
        is_picked: false,
    }
}

/// Layout of a table in the available width.
struct Layout {
    /// Width of the names.
    name: usize,
    /// Width of each shown column, the first of which is `from`.
    columns: Vec<usize>,
    from: usize,
    /// The heading has its own line.
    has_heading: bool,
}

impl Layout {
    fn of(texts: &Texts, picked: usize, room: usize) -> Layout {
        let (heading, widths) = (&texts.heading, texts.widths());
        let longest = texts
            .names
            .iter()
            .map(|name| width(name))
            .max()
            .unwrap_or(0);
        let all = widths.iter().map(|width| GAP + width).sum::<usize>();
        let has_heading = longest.max(width(heading)) + all > room && width(heading) > longest;
        let wanted = if has_heading {
            longest
        } else {
            longest.max(width(heading))
        };
        let name = wanted.min(room.saturating_sub(all).max(NAME_MIN));
        let room = match name + all > room {
            true => room.saturating_sub(width(CUT)),
            false => room,
        };
        // If not all columns fit, those around the selected one are shown.
        let fits = |from: usize| {
            let mut left = room.saturating_sub(name);
            let columns = widths[from..].iter().take_while(|width| {
                let has_room = left >= GAP + **width;
                left = left.saturating_sub(GAP + **width);
                has_room
            });
            columns.count()
        };
        let from = (0..=picked)
            .find(|from| from + fits(*from) > picked)
            .unwrap_or(picked);
        let count = fits(from).max(1).min(widths.len() - from);
        Layout {
            name,
            columns: widths[from..from + count].to_vec(),
            from,
            has_heading,
        }
    }
}

/// The texts of a table.
struct Texts {
    heading: String,
    /// Of the columns.
    labels: Vec<String>,
    /// Of the rows.
    names: Vec<String>,
    /// Of each row, those of its columns.
    cells: Vec<Vec<String>>,
}

impl Texts {
    fn of(table: &WatchTable, rows: &[&WatchRow], words: Words) -> Texts {
        let columns = table.columns.iter();
        let labels = columns.map(|column| words.label(column.label));
        let names = rows
            .iter()
            .map(|row| counter_name(&row.instance, row.label, words));
        let cells = rows.iter().map(|row| {
            let values = row.values.iter().zip(&table.columns);
            let texts = values.map(|(value, column)| counter_text(*value, column.unit));
            texts.collect()
        });
        Texts {
            heading: words.label(table.label),
            labels: labels.collect(),
            names: names.collect(),
            cells: cells.collect(),
        }
    }

    /// Required width of each column.
    fn widths(&self) -> Vec<usize> {
        let widest = |at: usize| {
            let of_rows = self.cells.iter().filter_map(|cells| cells.get(at));
            let all = of_rows.chain(self.labels.get(at));
            all.map(|text| width(text)).max().unwrap_or(0)
        };
        (0..self.labels.len()).map(widest).collect()
    }
}

fn lines_of(
    table: &WatchTable,
    rows: &[&WatchRow],
    pick: Option<&Pick>,
    columns: usize,
    words: Words,
) -> Vec<TableLine> {
    let texts = Texts::of(table, rows, words);
    let is_picked_column = |column: &WatchColumn| pick.is_some_and(|pick| pick.column == column.id);
    let picked = table.columns.iter().position(is_picked_column);
    let room = columns.saturating_sub(MARK);
    let layout = Layout::of(&texts, picked.unwrap_or(0), room);
    let head = |text: Line<'static>| TableLine {
        is_head: true,
        ..plain(text, pick.is_some())
    };
    let mut lines = Vec::new();
    let mut heading = texts.heading.as_str();
    if layout.has_heading {
        lines.push(head(Line::styled(format!("  {heading}"), QUIET)));
        heading = "";
    }
    let style = |at: usize| match picked {
        Some(picked) if picked == at => STRONG,
        _ => QUIET,
    };
    let labels = line_of("  ", (heading, QUIET), &texts.labels, style, &layout);
    lines.push(head(labels));
    for ((row, name), cells) in rows.iter().zip(&texts.names).zip(&texts.cells) {
        let is_picked = pick.is_some_and(|pick| pick.is_row(row));
        let base = match (is_picked, row.is_active) {
            (true, _) => STRONG,
            (false, true) => Style::new(),
            (false, false) => QUIET,
        };
        let style = |at: usize| match picked {
            Some(picked) if is_picked && picked == at => base.add_modifier(Modifier::REVERSED),
            _ => base,
        };
        let mark = if is_picked { "▸ " } else { "  " };
        let line = line_of(mark, (name, base), cells, style, &layout);
        lines.push(TableLine {
            is_picked,
            ..plain(line, pick.is_some())
        });
    }
    lines
}

/// A line of a table: mark, name and cells.
fn line_of(
    mark: &'static str,
    (name, name_style): (&str, Style),
    cells: &[String],
    style: impl Fn(usize) -> Style,
    layout: &Layout,
) -> Line<'static> {
    let spaces = |text: &str, columns: usize| " ".repeat(columns.saturating_sub(width(text)));
    let name = shortened(name, layout.name);
    let space = spaces(&name, layout.name);
    let mut spans = vec![
        Span::raw(mark),
        Span::styled(name, name_style),
        Span::raw(space),
    ];
    let shown = cells.iter().enumerate().skip(layout.from);
    for ((at, cell), columns) in shown.zip(&layout.columns) {
        spans.push(Span::raw(spaces(cell, *columns) + &" ".repeat(GAP)));
        spans.push(Span::styled(cell.clone(), style(at)));
    }
    let is_cut = layout.from > 0 || layout.from + layout.columns.len() < cells.len();
    if is_cut {
        spans.push(Span::styled(CUT, QUIET));
    }
    Line::from(spans)
}
