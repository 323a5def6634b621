//! How is the full-screen view of a run laid out?

use plumb_model::statement::Statement;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Style};
use ratatui::text::{Line, Span};

use super::charts::{CHART_MIN, latency, throughput};
use super::contest::contest;
use super::panels::{cores, figures, help, hosts, jobs, keys, kinds, steps};
use super::style::{QUIET, STRONG, put, take_lines, whole_words};
use super::view::RunView;
use crate::live::state::{LiveState, Pause};
use crate::terminal::{printable, shortened, width};

/// Width from which charts are side by side.
const BESIDE_MIN: u16 = 72;
/// Size below which there is no chart.
const CHARTS_HEIGHT_MIN: u16 = 12;
const CHARTS_WIDTH_MIN: u16 = 30;

/// Draws the view into the area; a small terminal gets fewer parts.
pub(super) fn draw(view: &RunView, area: Rect, buffer: &mut Buffer) {
    let mut left = area;
    head(view, &mut left, buffer);
    let below = take_below(&mut left, u16::from(area.height > 5));
    keys(view, below, buffer);
    if view.shows_help {
        help(view, left, buffer);
        return;
    }
    let state = &view.state;
    if let Some(statement) = state.warnings.last().filter(|_| area.height > 8) {
        let text = format!("! {}", printable(&view.words.sentence(statement)));
        let text = whole_words(&text, usize::from(area.width));
        let line = Line::styled(text, Style::new().fg(Color::Yellow));
        put(line, take_below(&mut left, 1), buffer);
    }
    if let Some(standing) = &state.standing {
        let text = printable(&view.words.sentence(standing));
        put(Line::styled(text, STRONG), take_below(&mut left, 1), buffer);
    }
    for line in figures(view, left.width) {
        put(line, take_lines(&mut left, 1), buffer);
    }
    if area.height >= CHARTS_HEIGHT_MIN {
        for line in kinds(view, left.width) {
            put(line, take_lines(&mut left, 1), buffer);
        }
    }
    let room = left.height;
    let below = cores(view, left.width, (room / 6).max(1));
    let beside = jobs(view, left.width, (room / 8).max(1));
    let hosts = hosts(view, left.width, (room / 3).max(3));
    let taken = (below.len() + beside.len() + hosts.len()) as u16;
    if area.height >= CHARTS_HEIGHT_MIN && area.width >= CHARTS_WIDTH_MIN {
        let free = room.saturating_sub(taken);
        let listed = match &state.comparison {
            Some(comparison) => comparison.cells.len() + 1,
            None => state.plan_steps.len(),
        };
        let list = (listed as u16 + 1).min(free / 2);
        // Lists shrink before the charts do.
        let charts = free
            .saturating_sub(list)
            .min(free.saturating_sub(3))
            .max(CHART_MIN.min(free));
        draw_charts(view, take_lines(&mut left, charts), buffer);
    }
    for line in below.into_iter().chain(beside).chain(hosts) {
        put(line, take_lines(&mut left, 1), buffer);
    }
    let list = match &state.comparison {
        Some(comparison) => contest(comparison, view.words, left.width, left.height),
        None => steps(view, left.width, left.height),
    };
    for line in list {
        put(line, take_lines(&mut left, 1), buffer);
    }
}

fn draw_charts(view: &RunView, area: Rect, buffer: &mut Buffer) {
    let LiveState { history, now, .. } = &view.state;
    let (mut first, mut second) = (area, area);
    if area.width >= BESIDE_MIN {
        first.width = (area.width - 2) / 2;
        second.x = area.x + first.width + 2;
        second.width = area.width - first.width - 2;
    } else if area.height >= 2 * CHART_MIN {
        first.height = area.height / 2;
        second.y = area.y + first.height;
        second.height = area.height - first.height;
    } else {
        // Both legends remain, and one chart.
        first.height = 1;
        second.y = area.y + 1;
        second.height = area.height - 1;
    }
    throughput(history, now, view.words, first, buffer);
    latency(history, now, view.words, second, buffer);
}

/// Plan and target, the device, the step with its load, and the progress.
fn head(view: &RunView, left: &mut Rect, buffer: &mut Buffer) {
    let (state, words) = (&view.state, view.words);
    let room = usize::from(left.width);
    let mut place = Vec::new();
    if state.step_number > 0 && state.steps > 1 {
        let statement = Statement::new("live-step-of")
            .count("step", state.step_number.into())
            .count("steps", state.steps.into());
        place.push(words.sentence(&statement));
    }
    if state.round > 0 && state.rounds > 1 {
        let statement = Statement::new("live-round-of")
            .count("round", state.round.into())
            .count("rounds", state.rounds.into());
        place.push(words.sentence(&statement));
    }
    let place = place.join(", ");
    let title = format!(
        "plumb {}  {}",
        printable(&state.plan),
        printable(&state.target)
    );
    let title = shortened(&title, room);
    let first = take_lines(left, 1);
    if width(&title) + 2 + width(&place) <= room {
        put(
            Line::styled(place.clone(), QUIET).right_aligned(),
            first,
            buffer,
        );
    }
    let beside = width(&title) + 2 + width(&place) <= room;
    put(Line::styled(title, STRONG), first, buffer);
    if !beside {
        put(Line::styled(place, QUIET), take_lines(left, 1), buffer);
    }
    if !state.device.is_empty() && left.height > 10 {
        let device = shortened(&printable(&state.device), room);
        put(Line::styled(device, QUIET), take_lines(left, 1), buffer);
    }
    step(view, left, buffer);
    progress(view, take_lines(left, 1), buffer);
}

fn step(view: &RunView, left: &mut Rect, buffer: &mut Buffer) {
    let (state, words) = (&view.state, view.words);
    let room = usize::from(left.width);
    let name = shortened(&printable(&state.step), room);
    let pause = match state.pause {
        Pause::Now => Some(Statement::new("live-paused")),
        Pause::No | Pause::Asked if view.is_pause_asked() => {
            Some(Statement::new("live-pause-asked"))
        }
        _ => None,
    };
    let rest = [&state.load, &state.phase].into_iter().flatten();
    let rest: Vec<String> = rest
        .map(|statement| printable(&words.sentence(statement)))
        .collect();
    let rest = rest.join(", ");
    let mut line = Vec::new();
    if !name.is_empty() {
        line.push(Span::styled(name.clone(), STRONG.fg(Color::Cyan)));
    }
    if width(&name) + 2 + width(&rest) <= room {
        line.push(Span::raw(if name.is_empty() { "" } else { "  " }));
        line.push(Span::styled(rest, QUIET));
        put(Line::from(line), take_lines(left, 1), buffer);
    } else {
        if !line.is_empty() {
            put(Line::from(line), take_lines(left, 1), buffer);
        }
        let rest = whole_words(&rest, room);
        put(Line::styled(rest, QUIET), take_lines(left, 1), buffer);
    }
    if let Some(statement) = pause {
        let text = whole_words(&words.sentence(&statement), room);
        let line = Line::styled(text, STRONG.fg(Color::Yellow));
        put(line, take_lines(left, 1), buffer);
    }
}

/// Progress bar of the plan, with share done and time left.
fn progress(view: &RunView, area: Rect, buffer: &mut Buffer) {
    let (state, words) = (&view.state, view.words);
    let time = words.sentence(&state.time());
    let text = match state.done {
        Some(done) => format!(" {:3.0} %  {time}", done * 100.0),
        None => format!(" {time}"),
    };
    let room = usize::from(area.width).saturating_sub(width(&text));
    let done = state.done.filter(|done| done.is_finite());
    let full = (done.unwrap_or(0.0).clamp(0.0, 1.0) * room as f64).floor() as usize;
    let spans = vec![
        Span::styled("━".repeat(full), Style::new().fg(Color::Blue)),
        Span::styled("─".repeat(room - full.min(room)), QUIET),
        Span::raw(text),
    ];
    put(Line::from(spans), area, buffer);
}

/// Takes up to this many lines from the bottom.
fn take_below(left: &mut Rect, lines: u16) -> Rect {
    let height = lines.min(left.height);
    left.height -= height;
    Rect {
        y: left.y + left.height,
        height,
        ..*left
    }
}
