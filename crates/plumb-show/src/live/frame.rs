//! How is a frame of the live view laid out?

use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::symbols::Marker;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Axis, Chart, Dataset, GraphType, Paragraph, Widget};

use plumb_model::statement::Statement;
use plumb_words::Words;
use plumb_words::numbers::show_bytes;

use super::state::{LiveHosts, LivePoint, LiveState};
use crate::chart::or_dash;
use crate::figure::{Quantity, latency_text};
use crate::terminal::printable;

const QUIET: Style = Style::new().add_modifier(Modifier::DIM);
const STRONG: Style = Style::new().add_modifier(Modifier::BOLD);
/// Lines of a frame other than the chart.
const TEXT_LINES: u16 = 7;
/// Minimum height of a chart in lines.
const CHART_MIN: u16 = 3;
/// Intervals drawn; older ones scroll out on the left.
const INTERVALS: usize = 240;

/// Draws a state into the area; a small terminal gets fewer parts.
pub(super) fn draw(state: &LiveState, words: Words, area: Rect, buffer: &mut Buffer) {
    let kinds = u16::from(!state.kinds.is_empty());
    let between = state.hosts.as_ref().and_then(LiveHosts::told);
    let hosts = u16::from(between.is_some());
    let charts = area.height.saturating_sub(TEXT_LINES + kinds + hosts);
    let charts = if charts >= CHART_MIN && area.width >= 40 {
        charts
    } else {
        0
    };
    let heights = [1, 1, 1, 1, charts, kinds, hosts, 1, 1, 1].map(Constraint::Length);
    let [
        head,
        step,
        bar,
        titles,
        plots,
        by_kind,
        by_host,
        totals,
        last,
        warning,
    ] = Layout::vertical(heights).areas(area);
    let line =
        |text: Line, area: Rect, buffer: &mut Buffer| Paragraph::new(text).render(area, buffer);
    line(head_line(state, words, area.width), head, buffer);
    line(step_line(state, words), step, buffer);
    progress(state, words, bar, buffer);
    let halves = |area: Rect| -> [Rect; 2] {
        Layout::horizontal([Constraint::Fill(1); 2])
            .spacing(2)
            .areas(area)
    };
    let [left, right] = halves(titles);
    line(throughput_line(&state.now, words), left, buffer);
    line(latency_line(&state.now, words), right, buffer);
    if charts > 0 {
        let [left, right] = halves(plots);
        throughput_chart(&state.history, left, buffer);
        latency_chart(&state.history, right, buffer);
    }
    line(kinds_line(state), by_kind, buffer);
    if let Some(between) = between {
        let text = Line::styled(words.sentence(&between), QUIET);
        line(text, by_host, buffer);
    }
    line(totals_line(state, words), totals, buffer);
    line(finished_line(state, words), last, buffer);
    if let Some(statement) = state.warnings.last() {
        line(
            Line::styled(
                format!("! {}", printable(&words.sentence(statement))),
                Style::new().fg(Color::Yellow),
            ),
            warning,
            buffer,
        );
    }
}

/// Plan and target on the left, progress in the plan on the right.
fn head_line(state: &LiveState, words: Words, width: u16) -> Line<'static> {
    let left = format!(
        "plumb {}  {}",
        printable(&state.plan),
        printable(&state.target)
    );
    let mut place = Vec::new();
    if state.step_number > 0 && state.steps > 1 {
        place.push(
            words.sentence(
                &Statement::new("live-step-of")
                    .count("step", state.step_number.into())
                    .count("steps", state.steps.into()),
            ),
        );
    }
    if state.round > 0 && state.rounds > 1 {
        place.push(
            words.sentence(
                &Statement::new("live-round-of")
                    .count("round", state.round.into())
                    .count("rounds", state.rounds.into()),
            ),
        );
    }
    let right = place.join(", ");
    let span = |text: String, style| Span::styled(text, style);
    let room = usize::from(width)
        .saturating_sub(Line::raw(left.as_str()).width() + Line::raw(right.as_str()).width());
    if room < 2 {
        return Line::from(vec![span(left, STRONG)]);
    }
    Line::from(vec![
        span(left, STRONG),
        Span::raw(" ".repeat(room)),
        span(right, QUIET),
    ])
}

fn step_line(state: &LiveState, words: Words) -> Line<'static> {
    let mut spans = Vec::new();
    if !state.step.is_empty() {
        spans.push(Span::raw(printable(&state.step)));
        spans.push(Span::raw("  "));
    }
    let rest: Vec<String> = [&state.load, &state.phase]
        .into_iter()
        .flatten()
        .map(|statement| words.sentence(statement))
        .collect();
    spans.push(Span::styled(printable(&rest.join(", ")), QUIET));
    Line::from(spans)
}

/// Progress bar of the plan, with share done and time left.
fn progress(state: &LiveState, words: Words, area: Rect, buffer: &mut Buffer) {
    let time = words.sentence(&state.time());
    let text = match state.done {
        Some(done) => format!(" {:3.0} %  {time}", done * 100.0),
        None => format!(" {time}"),
    };
    let room = usize::from(area.width).saturating_sub(Line::raw(text.as_str()).width());
    let done = state
        .done
        .filter(|done| done.is_finite())
        .unwrap_or(0.0)
        .clamp(0.0, 1.0);
    let full = (done * room as f64).floor() as usize;
    let spans = vec![
        Span::styled("━".repeat(full), Style::new().fg(Color::Blue)),
        Span::styled("─".repeat(room - full.min(room)), QUIET),
        Span::raw(text),
    ];
    Paragraph::new(Line::from(spans)).render(area, buffer);
}

fn throughput_line(now: &LivePoint, words: Words) -> Line<'static> {
    Line::from(vec![
        Span::styled(words.label("label-live-throughput") + " ", QUIET),
        Span::styled(
            or_dash(Quantity::OperationsPerSecond, now.iops),
            STRONG.fg(Color::Blue),
        ),
        Span::raw("  "),
        Span::raw(or_dash(Quantity::Bandwidth, now.bandwidth_bytes_per_s)),
    ])
}

/// `read 490,000/s 99 % 1 µs  write 211,000/s 99 % 1.2 µs`: each kind of operation, if there are several.
fn kinds_line(state: &LiveState) -> Line<'static> {
    let kinds = state.kinds.iter().flat_map(|kind| {
        let figures = format!(
            "{}  p99 {}    ",
            or_dash(Quantity::OperationsPerSecond, kind.figures.iops),
            or_dash(Quantity::Latency, kind.figures.p99_ns)
        );
        [
            Span::styled(format!("{} ", printable(&kind.name)), QUIET),
            Span::raw(figures),
        ]
    });
    Line::from(kinds.collect::<Vec<_>>())
}

fn latency_line(now: &LivePoint, words: Words) -> Line<'static> {
    Line::from(vec![
        Span::styled(words.label("label-live-latency-50") + " ", QUIET),
        Span::styled(
            or_dash(Quantity::Latency, now.p50_ns),
            STRONG.fg(Color::Green),
        ),
        Span::styled("  p99 ", QUIET),
        Span::styled(
            or_dash(Quantity::Latency, now.p99_ns),
            Style::new().fg(Color::Magenta),
        ),
    ])
}

/// The newest intervals with a value as (index, value), and the largest index.
fn recent(history: &[LivePoint], value: fn(&LivePoint) -> Option<f64>) -> Vec<(f64, f64)> {
    let from = history.len().saturating_sub(INTERVALS);
    let points = history[from..].iter().enumerate();
    points
        .filter_map(|(place, point)| {
            Some((
                place as f64,
                value(point).filter(|value| value.is_finite())?,
            ))
        })
        .collect()
}

fn last_place(history: &[LivePoint]) -> f64 {
    // A short history starts at the left and grows; a long one scrolls.
    history.len().clamp(30, INTERVALS) as f64 - 1.0
}

fn throughput_chart(history: &[LivePoint], area: Rect, buffer: &mut Buffer) {
    let points = recent(history, |point| point.iops);
    let highest = points.iter().map(|(_, value)| *value).fold(0.0, f64::max);
    if highest <= 0.0 {
        return;
    }
    let lines = vec![line_of(&points, Color::Blue)];
    let labels = ["0".to_string(), Quantity::OperationsPerSecond.text(highest)];
    plot(
        lines,
        last_place(history),
        [0.0, highest * 1.02],
        labels,
        area,
        buffer,
    );
}

fn latency_chart(history: &[LivePoint], area: Rect, buffer: &mut Buffer) {
    // Latencies span decades: logarithmic.
    let log = |points: Vec<(f64, f64)>| -> Vec<(f64, f64)> {
        points
            .into_iter()
            .filter(|(_, value)| *value > 0.0)
            .map(|(place, value)| (place, value.log10()))
            .collect()
    };
    let (p50, p99) = (
        log(recent(history, |point| point.p50_ns)),
        log(recent(history, |point| point.p99_ns)),
    );
    let both = || p50.iter().chain(&p99).map(|(_, value)| *value);
    let (low, high) = (
        both().fold(f64::INFINITY, f64::min),
        both().fold(f64::NEG_INFINITY, f64::max),
    );
    if low > high {
        return;
    }
    // At least a factor of two, so that a steady latency is a steady line.
    let spare = (0.301 - (high - low)).max(0.02) / 2.0;
    let bounds = [low - spare, high + spare];
    let labels = bounds.map(|bound| latency_text(10f64.powf(bound)));
    let lines = vec![line_of(&p99, Color::Magenta), line_of(&p50, Color::Green)];
    plot(lines, last_place(history), bounds, labels, area, buffer);
}

fn line_of(points: &[(f64, f64)], colour: Color) -> Dataset<'_> {
    Dataset::default()
        .marker(Marker::Braille)
        .graph_type(GraphType::Line)
        .style(Style::new().fg(colour))
        .data(points)
}

fn plot(
    lines: Vec<Dataset>,
    last: f64,
    bounds: [f64; 2],
    labels: [String; 2],
    area: Rect,
    buffer: &mut Buffer,
) {
    let labels = labels.map(|label| Span::styled(label, QUIET));
    Chart::new(lines)
        .x_axis(Axis::default().bounds([0.0, last]))
        .y_axis(Axis::default().bounds(bounds).labels(labels).style(QUIET))
        .legend_position(None)
        .render(area, buffer);
}

fn totals_line(state: &LiveState, words: Words) -> Line<'static> {
    let bytes = |bytes: u64| show_bytes(bytes as f64);
    let style = if state.errors > 0 {
        STRONG.fg(Color::Red)
    } else {
        QUIET
    };
    Line::from(vec![
        Span::styled(
            words.sentence(
                &Statement::new("live-moved")
                    .name("read", bytes(state.read_bytes))
                    .name("written", bytes(state.written_bytes)),
            ) + "  ",
            QUIET,
        ),
        Span::styled(
            words.sentence(&Statement::new("live-errors").count("count", state.errors)),
            style,
        ),
    ])
}

fn finished_line(state: &LiveState, words: Words) -> Line<'static> {
    if let Some(standing) = &state.standing {
        return Line::from(printable(&words.sentence(standing)));
    }
    let Some(step) = state.finished.last() else {
        return Line::default();
    };
    let figures = format!(
        "{}  {}  {}  p50 {}  p99 {}",
        printable(&step.step),
        or_dash(Quantity::OperationsPerSecond, step.iops),
        or_dash(Quantity::Bandwidth, step.bandwidth_bytes_per_s),
        or_dash(Quantity::Latency, step.p50_ns),
        or_dash(Quantity::Latency, step.p99_ns)
    );
    let statement = Statement::new("live-before").name("figures", figures);
    Line::styled(words.sentence(&statement), QUIET)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state() -> LiveState {
        let point = |at: u32| LivePoint {
            time_s: f64::from(at),
            iops: (at % 7 != 3).then(|| 90_000.0 + f64::from(at)),
            bandwidth_bytes_per_s: None,
            p50_ns: Some(340_000.0),
            p99_ns: Some(if at == 20 { f64::NAN } else { 1.2e6 }),
            ..LivePoint::default()
        };
        LiveState {
            plan: "check".into(),
            target: "/srv/data".into(),
            step: "random-read depth=32".into(),
            step_number: 4,
            steps: 26,
            round: 1,
            rounds: 3,
            done: Some(0.47),
            left_s: Some(32.0),
            now: point(1),
            history: (0..500).map(point).collect(),
            errors: 3,
            warnings: vec![Statement::verbatim("a \x1b[2Jwarning")],
            finished: vec![super::super::FinishedStep {
                step: "before".into(),
                ..Default::default()
            }],
            ..LiveState::default()
        }
    }

    #[test]
    fn every_size_is_drawn_and_the_usual_one_says_it_all() {
        for (width, height) in [
            (1, 1),
            (20, 1),
            (20, 5),
            (40, 10),
            (80, 14),
            (100, 24),
            (300, 50),
        ] {
            for state in [LiveState::default(), state()] {
                let area = Rect::new(0, 0, width, height);
                let mut buffer = Buffer::empty(area);
                draw(&state, Words::english(), area, &mut buffer);
                let text: String = buffer.content().iter().map(|cell| cell.symbol()).collect();
                assert!(!text.contains('\x1b'));
                if (width, height) == (80, 14) && state.steps > 0 {
                    for part in [
                        "random-read depth=32",
                        "47 %",
                        "0:32 left",
                        "90,000/s",
                        "340 µs",
                        "errors 3",
                        "step 4 of 26",
                        "⣀",
                    ] {
                        assert!(text.contains(part), "{part}: {text}");
                    }
                }
            }
        }
    }
}
