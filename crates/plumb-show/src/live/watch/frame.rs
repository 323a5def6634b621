//! How is the view of counters laid out?

use plumb_model::results::watch::WatchInterval;
use plumb_model::statement::Statement;
use plumb_words::Words;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Paragraph, Widget};

use super::graph::Graph;
use super::history::signed;
use super::rows::Places;
use super::style::{QUIET, STRONG};
use super::tables::{table_lines, visible};
use super::view::{Subject, WatchView};
use crate::figure::clock_text;
use crate::terminal::{counter_name, counter_text, printable, width};

/// Minimum terminal size for a graph.
const GRAPH_HEIGHT_MIN: u16 = 14;
const GRAPH_WIDTH_MIN: u16 = 40;
/// Minimum height of a plot.
const PLOT_MIN: u16 = 4;
/// Height from which key hints may take two lines.
const TWO_LINES_OF_KEYS: u16 = 20;
/// Height below which only figures are shown.
const KEYS_HEIGHT_MIN: u16 = 6;

/// Key hints, most important first: the keys, and the label of their action.
const KEYS: [(&str, &str); 10] = [
    ("q", "label-watch-key-end"),
    ("↑↓", "label-watch-key-row"),
    ("←→", "label-watch-key-column"),
    ("Tab", "label-watch-key-table"),
    ("Space", "label-watch-key-pause"),
    ("< >", "label-watch-key-interval"),
    ("PgUp PgDn", "label-watch-key-half"),
    ("Home End", "label-watch-key-ends"),
    ("+ -", "label-watch-key-span"),
    ("a", "label-watch-key-idle"),
];

/// Draws the view into the area; a small terminal gets fewer parts.
pub(super) fn draw(view: &WatchView, area: Rect, buffer: &mut Buffer) {
    let mut left = area;
    let Some(shown) = view.shown() else {
        let waits = view.words.label("label-watch-view-waiting");
        put(Line::from(waits), take_lines(&mut left, 1), buffer);
        keys(view.words, &mut left, area.height, buffer);
        return;
    };
    head(view, shown, take_lines(&mut left, 1), buffer);
    keys(view.words, &mut left, area.height, buffer);
    let places = view.places();
    let lines = table_lines(
        shown,
        &places,
        view.pick.as_ref(),
        usize::from(area.width),
        view.words,
    );
    let has_graph = area.height >= GRAPH_HEIGHT_MIN && area.width >= GRAPH_WIDTH_MIN;
    if has_graph && view.pick.is_some() {
        // The rest beside the tables, between a third and half.
        let free = left.height.saturating_sub(4);
        let rows = u16::try_from(lines.len()).unwrap_or(u16::MAX);
        let most = (free / 2).max(PLOT_MIN);
        let plot = free
            .saturating_sub(rows)
            .clamp((free / 3).max(PLOT_MIN), most);
        let title = take_lines(&mut left, 1);
        let plot = take_lines(&mut left, plot);
        let axis = take_lines(&mut left, 1);
        graph(view, shown, [title, plot, axis], buffer);
        take_lines(&mut left, 1);
        tabs(view, shown, &places, take_lines(&mut left, 1), buffer);
    }
    if lines.is_empty() {
        let idle = view.words.sentence(&Statement::new("watch-idle"));
        put(Line::styled(idle, QUIET), take_lines(&mut left, 1), buffer);
    }
    for line in visible(lines, usize::from(left.height)) {
        put(line, take_lines(&mut left, 1), buffer);
    }
}

/// Takes up to this many lines from the top.
fn take_lines(left: &mut Rect, lines: u16) -> Rect {
    let taken = Rect {
        height: lines.min(left.height),
        ..*left
    };
    left.y += taken.height;
    left.height -= taken.height;
    taken
}

fn put(line: Line, area: Rect, buffer: &mut Buffer) {
    Paragraph::new(line).render(area, buffer);
}

/// A text on the left and one on the right, which is left out if both do not fit.
fn put_both(left: Line, right: Line, area: Rect, buffer: &mut Buffer) {
    let (begin, end) = (left.width(), right.width());
    put(left, area, buffer);
    if begin + 2 + end <= usize::from(area.width) {
        put(
            right.right_aligned(),
            Rect {
                x: area.x + begin as u16 + 2,
                width: area.width - begin as u16 - 2,
                ..area
            },
            buffer,
        );
    }
}

/// Time of the shown interval, whether it is the newest one, and how far back others are kept.
fn head(view: &WatchView, shown: &WatchInterval, area: Rect, buffer: &mut Buffer) {
    let words = view.words;
    let time = printable(&(view.clock)(signed(shown.end_ns)));
    let mut left = vec![Span::styled(time, STRONG)];
    let newest_ns = view.history.newest().map_or(0, |newest| newest.end_ns);
    let behind_s = newest_ns.saturating_sub(shown.end_ns) as f64 / 1e9;
    let behind = clock_text(behind_s);
    let mut right = Vec::new();
    match view.subject {
        Subject::Live { is_recorded, .. } if view.stands_at_ns.is_some() => {
            let statement = match is_recorded {
                true => Statement::new("watch-view-paused").name("behind", behind),
                false => Statement::new("watch-view-paused-unrecorded").name("behind", behind),
            };
            let text = format!("  {}", words.sentence(&statement));
            left.push(Span::styled(text, STRONG.fg(Color::Yellow)));
        }
        Subject::Live {
            interval_ns,
            is_recorded,
        } => {
            let every = Statement::new("watch-view-every").time_ns("interval", interval_ns as f64);
            right.push(words.sentence(&every));
            right.push(words.label(match is_recorded {
                true => "label-watch-view-recorded",
                false => "label-watch-view-not-recorded",
            }));
        }
        Subject::Stored => {
            let place = view.shown_at().map_or(0, |at| at as u64 + 1);
            let statement = Statement::new("watch-view-place")
                .count("place", place)
                .count("count", view.history.len() as u64);
            left.push(Span::styled(
                format!("  {}", words.sentence(&statement)),
                QUIET,
            ));
            if view.history.left_out() > 0 {
                let left_out =
                    Statement::new("watch-view-left-out").count("count", view.history.left_out());
                right.push(words.sentence(&left_out));
            }
        }
    }
    if let (Subject::Live { .. }, Some(oldest)) = (view.subject, view.history.oldest()) {
        let time = (view.clock)(signed(oldest.end_ns));
        right.push(words.sentence(&Statement::new("watch-view-reaches").name("time", time)));
    }
    let right = Line::styled(printable(&right.join(" · ")), QUIET);
    put_both(Line::from(left), right, area, buffer);
}

/// The selected figure: name, value, graph, and time range.
fn graph(
    view: &WatchView,
    shown: &WatchInterval,
    [title, plot, axis]: [Rect; 3],
    buffer: &mut Buffer,
) {
    let (Some(pick), words) = (&view.pick, view.words) else {
        return;
    };
    let window = view.window_ns();
    let graph = Graph::of(view.history.between(window.0, window.1), pick, window);
    let [table, row, column] = pick.labels;
    let name = format!(
        "{} {} · {}",
        words.label(table),
        counter_name(&pick.row.1, row, words),
        words.label(column)
    );
    let figure = |value| counter_text(value, pick.unit);
    let mut values = vec![Span::styled(
        figure(pick.value(shown)),
        STRONG.fg(Color::Blue),
    )];
    if graph.highest.is_some() {
        let statement = Statement::new("watch-view-highest").name("value", figure(graph.highest));
        values.push(Span::styled(
            format!("  {}", words.sentence(&statement)),
            QUIET,
        ));
    }
    put_both(
        Line::styled(name, STRONG),
        Line::from(values),
        title,
        buffer,
    );
    let at_s = (signed(shown.end_ns) - window.0) as f64 / 1e9;
    let stands = view.stands_at_ns.is_some() || view.subject == Subject::Stored;
    let x = graph.draw(stands.then_some(at_s), plot, buffer);
    if graph.highest.is_none() {
        let area = Rect {
            x,
            width: plot.right() - x,
            y: plot.y + plot.height / 2,
            height: 1,
        };
        let none = words.label("label-watch-view-no-value");
        put(Line::styled(none, QUIET).centered(), area, buffer);
    }
    let time = |time_ns| Line::styled(printable(&(view.clock)(time_ns)), QUIET);
    let below = Rect {
        x,
        width: axis.right() - x,
        ..axis
    };
    let (begin, end) = (time(window.0), time(window.1));
    if begin.width() + 2 + end.width() <= usize::from(below.width) {
        put_both(begin, end, below, buffer);
    } else {
        put(end.right_aligned(), below, buffer);
    }
}

/// The tables, with the one of the selected figure marked.
fn tabs(view: &WatchView, shown: &WatchInterval, places: &Places, area: Rect, buffer: &mut Buffer) {
    let tables: Vec<_> = places.tables().map(|(at, _)| &shown.tables[at]).collect();
    let is_picked = |at: usize| {
        view.pick
            .as_ref()
            .is_some_and(|pick| pick.is_of(tables[at]))
    };
    let texts: Vec<String> = tables
        .iter()
        .map(|table| view.words.label(table.label))
        .collect();
    let picked = (0..tables.len()).find(|at| is_picked(*at)).unwrap_or(0);
    // Tables before the selected one are dropped until it fits.
    let taken = |from: usize| {
        texts[from..=picked]
            .iter()
            .map(|text| width(text) + 4)
            .sum::<usize>()
    };
    let from = (0..picked)
        .find(|from| taken(*from) <= usize::from(area.width))
        .unwrap_or(picked);
    let mut spans = vec![Span::raw(if from > 0 { "… " } else { "  " })];
    for (at, text) in texts.into_iter().enumerate().skip(from) {
        let style = match at == picked {
            true => STRONG.add_modifier(Modifier::REVERSED),
            false => QUIET,
        };
        spans.push(Span::styled(format!(" {text} "), style));
        spans.push(Span::raw(" "));
    }
    put(Line::from(spans), area, buffer);
}

/// The key hints on the last one or two lines; the least important are dropped first.
fn keys(words: Words, left: &mut Rect, height: u16, buffer: &mut Buffer) {
    if height < KEYS_HEIGHT_MIN {
        return;
    }
    let most = if height >= TWO_LINES_OF_KEYS { 2 } else { 1 };
    let mut lines: Vec<Vec<Span>> = vec![Vec::new()];
    let mut used = 0;
    for (key, label) in KEYS {
        let does = words.label(label);
        let wanted = width(key) + 1 + width(&does);
        if used > 0 && used + 2 + wanted > usize::from(left.width) {
            if lines.len() == most {
                break;
            }
            lines.push(Vec::new());
            used = 0;
        }
        let Some(line) = lines.last_mut() else { break };
        if used > 0 {
            line.push(Span::raw("  "));
            used += 2;
        }
        line.push(Span::styled(key, STRONG));
        line.push(Span::styled(format!(" {does}"), QUIET));
        used += wanted;
    }
    let count = u16::try_from(lines.len()).unwrap_or(1).min(left.height);
    let mut below = Rect {
        y: left.bottom() - count,
        height: count,
        ..*left
    };
    left.height -= count;
    for line in lines {
        put(Line::from(line), take_lines(&mut below, 1), buffer);
    }
}
