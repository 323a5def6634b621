//! How do throughput and latency develop over time? Lines over one time axis: reads and writes, and three percentiles.

use plumb_words::Words;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Style};
use ratatui::symbols::Marker;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Axis, Chart, Dataset, GraphType, Widget};

use super::style::{QUIET, STRONG, put, take_lines};
use crate::chart::or_dash;
use crate::figure::{Quantity, clock_text, latency_text};
use crate::live::state::LivePoint;
use crate::terminal::width;

/// Minimum height of a chart with title and axis.
pub(super) const CHART_MIN: u16 = 5;

type Value = fn(&LivePoint) -> Option<f64>;

/// One line of a chart, with its entry in the title.
struct Series {
    name: String,
    /// Short form for small terminals.
    short: Option<&'static str>,
    colour: Color,
    value: Value,
    quantity: Quantity,
}

/// Reads and writes over time in bytes; in operations if no bytes are transferred.
pub(super) fn throughput(
    history: &[LivePoint],
    now: &LivePoint,
    words: Words,
    area: Rect,
    buffer: &mut Buffer,
) {
    let has = |value: Value| history.iter().any(|point| value(point).is_some());
    let series = |name: &str, colour, value, quantity| Series {
        name: words.label(name),
        short: None,
        colour,
        value,
        quantity,
    };
    let mut drawn = Vec::new();
    if has(|point| point.read_bytes_per_s) {
        let read: Value = |point| point.read_bytes_per_s;
        drawn.push(series(
            "label-live-read",
            Color::Blue,
            read,
            Quantity::Bandwidth,
        ));
    }
    if has(|point| point.written_bytes_per_s) {
        let written: Value = |point| point.written_bytes_per_s;
        drawn.push(series(
            "label-live-write",
            Color::Yellow,
            written,
            Quantity::Bandwidth,
        ));
    }
    if drawn.is_empty() {
        let operations: Value = |point| point.iops;
        drawn.push(series(
            "label-live-throughput",
            Color::Blue,
            operations,
            Quantity::OperationsPerSecond,
        ));
    }
    plot(&drawn, history, now, Scale::FromZero, area, buffer);
}

/// Percentiles of the latency over time, on a logarithmic axis: latencies span decades.
pub(super) fn latency(
    history: &[LivePoint],
    now: &LivePoint,
    words: Words,
    area: Rect,
    buffer: &mut Buffer,
) {
    let series = |name: String, short, colour, value| Series {
        name,
        short: Some(short),
        colour,
        value,
        quantity: Quantity::Latency,
    };
    let drawn = [
        series(
            words.label("label-live-latency-50"),
            "p50",
            Color::Green,
            (|point| point.p50_ns) as Value,
        ),
        series("p99".into(), "p99", Color::Magenta, |point| point.p99_ns),
        series("p99.9".into(), "p99.9", Color::Red, |point| point.p999_ns),
    ];
    plot(&drawn, history, now, Scale::Logarithmic, area, buffer);
}

#[derive(Clone, Copy, PartialEq)]
enum Scale {
    FromZero,
    Logarithmic,
}

impl Scale {
    fn place(self, value: f64) -> Option<f64> {
        match self {
            _ if !value.is_finite() => None,
            Scale::FromZero => Some(value),
            Scale::Logarithmic => (value > 0.0).then(|| value.log10()),
        }
    }

    /// The ends of the axis, and labels at equal distances from bottom to top.
    fn axis(self, low: f64, high: f64, quantity: Quantity, lines: u16) -> ([f64; 2], Vec<String>) {
        let ends = match self {
            Scale::FromZero => [0.0, round_above(high)],
            Scale::Logarithmic => {
                // At least a factor of two, so that a steady latency is a steady line.
                let spare = (0.301 - (high - low)).max(0.02) / 2.0;
                [low - spare, high + spare]
            }
        };
        let parts = match lines {
            0..8 => 1,
            8..16 => 2,
            _ => 4,
        };
        let text = |part: i32| {
            let value = ends[0] + (ends[1] - ends[0]) * f64::from(part) / f64::from(parts);
            match self {
                Scale::FromZero if part == 0 => "0".into(),
                Scale::FromZero => quantity.text(value),
                Scale::Logarithmic => latency_text(10f64.powf(value)),
            }
        };
        (ends, (0..=parts).map(text).collect())
    }
}

/// The next larger round number: 1, 2, 4 or 8 times a power of ten.
fn round_above(value: f64) -> f64 {
    if value <= 0.0 {
        return 1.0;
    }
    let power = 10f64.powf(value.log10().floor());
    let mut steps = [1.0, 2.0, 4.0, 8.0, 10.0]
        .map(|step| step * power)
        .into_iter();
    steps.find(|step| *step >= value).unwrap_or(value)
}

/// A title that is the legend with the newest values, the lines, and the time range.
fn plot(
    drawn: &[Series],
    history: &[LivePoint],
    now: &LivePoint,
    scale: Scale,
    area: Rect,
    buffer: &mut Buffer,
) {
    let mut left = area;
    legend(drawn, now, take_lines(&mut left, 1), buffer);
    let (Some(first), Some(last)) = (history.first(), history.last()) else {
        return;
    };
    let room = Rect {
        height: left.height.saturating_sub(1),
        ..left
    };
    take_lines(&mut left, room.height);
    // A short history starts at the left and grows.
    let begin_s = first.time_s;
    let span_s = (last.time_s - begin_s).max(10.0);
    let lines = lines_of(drawn, history, begin_s, scale);
    let values = || {
        lines
            .iter()
            .flat_map(|(_, points)| points)
            .map(|(_, value)| *value)
    };
    let low = values().fold(f64::INFINITY, f64::min);
    let high = values().fold(f64::NEG_INFINITY, f64::max);
    if low > high || room.height < 2 {
        return;
    }
    let quantity = drawn
        .first()
        .map_or(Quantity::Latency, |series| series.quantity);
    let (bounds, labels) = scale.axis(low, high, quantity, room.height);
    let taken = labels.iter().map(|label| width(label)).max().unwrap_or(0) as u16;
    let sets = lines.iter().map(|(colour, points)| {
        Dataset::default()
            .marker(Marker::Braille)
            .graph_type(GraphType::Line)
            .style(Style::new().fg(*colour))
            .data(points)
    });
    let labels: Vec<Span> = labels
        .into_iter()
        .map(|label| Span::styled(label, QUIET))
        .collect();
    Chart::new(sets.collect())
        .x_axis(Axis::default().bounds([0.0, span_s]))
        .y_axis(Axis::default().bounds(bounds).labels(labels).style(QUIET))
        .legend_position(None)
        .render(room, buffer);
    let axis = Rect {
        x: left.x + taken.min(left.width),
        width: left.width.saturating_sub(taken),
        ..left
    };
    times([begin_s, begin_s + span_s], axis, buffer);
}

/// The points of the lines, each in its color: one line per execution, as there is no load in between.
fn lines_of(
    drawn: &[Series],
    history: &[LivePoint],
    begin_s: f64,
    scale: Scale,
) -> Vec<(Color, Vec<(f64, f64)>)> {
    drawn
        .iter()
        .flat_map(|series| {
            let executions = history.chunk_by(|a, b| a.execution == b.execution);
            executions.map(|points| {
                let points = points.iter().filter_map(|point| {
                    Some((point.time_s - begin_s, scale.place((series.value)(point)?)?))
                });
                (series.colour, points.collect())
            })
        })
        .collect()
}

/// The time range.
fn times(ends_s: [f64; 2], area: Rect, buffer: &mut Buffer) {
    let ends = ends_s.map(clock_text);
    if width(&ends[0]) + width(&ends[1]) + 2 <= usize::from(area.width) {
        let [begin, end] = ends.map(|text| Line::styled(text, QUIET));
        put(begin, area, buffer);
        put(end.right_aligned(), area, buffer);
    }
}

/// Names in the colors of their lines with the newest values, abbreviated on small terminals; those without room are left out.
fn legend(drawn: &[Series], now: &LivePoint, area: Rect, buffer: &mut Buffer) {
    let parts: Vec<(&Series, String)> = drawn
        .iter()
        .map(|series| (series, or_dash(series.quantity, (series.value)(now))))
        .collect();
    let columns = |(series, value): &(&Series, String)| width(&series.name) + width(value) + 5;
    let is_wide = parts.iter().map(columns).sum::<usize>() <= usize::from(area.width) + 2;
    let mut spans: Vec<Span> = Vec::new();
    let mut used = 0;
    for (series, value) in &parts {
        let name = match is_wide {
            true => series.name.as_str(),
            false => series.short.unwrap_or(&series.name),
        };
        let gap = match (used, is_wide) {
            (0, _) => "",
            (_, true) => "  ",
            (_, false) => " ",
        };
        let mark = if is_wide { "━ " } else { "" };
        let wanted = width(gap) + width(mark) + width(name) + 1 + width(value);
        if used + wanted > usize::from(area.width) {
            break;
        }
        used += wanted;
        let colour = Style::new().fg(series.colour);
        spans.push(Span::raw(gap));
        spans.push(Span::styled(mark, colour));
        spans.push(Span::styled(
            format!("{name} "),
            if is_wide { QUIET } else { colour },
        ));
        spans.push(Span::styled(value.clone(), STRONG.fg(series.colour)));
    }
    put(Line::from(spans), area, buffer);
}

#[cfg(test)]
mod tests {
    use super::round_above;

    #[test]
    fn axes_end_at_round_numbers() {
        for (value, expected) in [(0.0, 1.0), (1.0, 1.0), (3.1e8, 4e8), (8.1, 10.0)] {
            assert_eq!(round_above(value), expected, "{value}");
        }
    }
}
