//! How is a figure drawn over time? One line per contiguous stretch of known values, on an axis that starts at 0.

use plumb_model::results::watch::WatchInterval;
use plumb_model::statement::Unit;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Style};
use ratatui::symbols::Marker;
use ratatui::widgets::{Axis, Chart, Dataset, GraphType, Widget};

use super::history::signed;
use super::rows::Pick;
use super::style::QUIET;
use crate::terminal::{counter_text, width};

/// What is drawn.
pub(super) struct Graph {
    /// Points of each line: seconds since the left edge, and the value. A value is a mean over its interval, drawn as a level from start to end.
    lines: Vec<Vec<(f64, f64)>>,
    span_s: f64,
    /// The ends of the axis.
    low: f64,
    high: f64,
    unit: Option<Unit>,
    /// The largest value in it; missing without values.
    pub highest: Option<f64>,
}

impl Graph {
    pub fn of<'a>(
        intervals: impl Iterator<Item = &'a WatchInterval>,
        pick: &Pick,
        (begin_ns, end_ns): (i64, i64),
    ) -> Graph {
        let second = |time_ns: i64| (time_ns.clamp(begin_ns, end_ns) - begin_ns) as f64 / 1e9;
        let mut lines: Vec<Vec<(f64, f64)>> = Vec::new();
        // End of the previous interval, if it has a value.
        let mut known_until_ns = None;
        let (mut lowest, mut highest) = (0.0f64, None);
        for interval in intervals {
            let value = pick.value(interval).filter(|value| value.is_finite());
            if let Some(value) = value {
                if known_until_ns != Some(interval.begin_ns) {
                    lines.push(Vec::new());
                }
                let level = [interval.begin_ns, interval.end_ns]
                    .map(|time_ns| (second(signed(time_ns)), value));
                lines
                    .iter_mut()
                    .last()
                    .into_iter()
                    .for_each(|line| line.extend(level));
                lowest = lowest.min(value);
                highest = Some(highest.map_or(value, |highest: f64| highest.max(value)));
            }
            known_until_ns = value.map(|_| interval.end_ns);
        }
        Graph {
            lines,
            span_s: second(end_ns).max(1e-9),
            low: if lowest < 0.0 {
                -round_above(-lowest, pick.unit)
            } else {
                0.0
            },
            high: match highest {
                Some(highest) if highest > 0.0 => round_above(highest, pick.unit),
                _ if lowest < 0.0 => 0.0,
                _ => 1.0,
            },
            unit: pick.unit,
            highest,
        }
    }

    /// The labels of the axis, from the top, each with its line.
    fn ticks(&self, lines: u16) -> Vec<(u16, String)> {
        let last = lines.saturating_sub(1);
        let count = match last {
            0..4 => 1,
            4..12 => 2,
            _ => 4,
        };
        if self.highest.is_none() {
            return Vec::new();
        }
        let tick = |at: u16| {
            let share = f64::from(at) / f64::from(count);
            let value = self.high - (self.high - self.low) * share;
            let line = (f64::from(last) * share).round() as u16;
            (line, counter_text(Some(value), self.unit))
        };
        (0..=count).map(tick).collect()
    }

    /// Draws it, with its axis on the left and a mark at the selected second; returns the column where the time axis starts.
    pub fn draw(&self, at_s: Option<f64>, area: Rect, buffer: &mut Buffer) -> u16 {
        let ticks = self.ticks(area.height);
        let widest = ticks.iter().map(|(_, text)| width(text)).max().unwrap_or(0);
        let left = u16::try_from(widest + 1).unwrap_or(u16::MAX);
        if left + 8 > area.width {
            return area.x;
        }
        for line in 0..area.height {
            let text = ticks.iter().find(|(at, _)| *at == line);
            let mark = if text.is_some() { "┤" } else { "│" };
            let y = area.y + line;
            if let Some((_, text)) = text {
                let x = area.x + left - 1 - u16::try_from(width(text)).unwrap_or(0);
                buffer.set_string(x, y, text, QUIET);
            }
            buffer.set_string(area.x + left, y, mark, QUIET);
        }
        let plot = Rect {
            x: area.x + left + 1,
            width: area.width - left - 1,
            ..area
        };
        let lines = self.lines.iter().map(|points| {
            Dataset::default()
                .marker(Marker::Braille)
                .graph_type(GraphType::Line)
                .style(Style::new().fg(Color::Blue))
                .data(points)
        });
        Chart::new(lines.collect())
            .x_axis(Axis::default().bounds([0.0, self.span_s]))
            .y_axis(Axis::default().bounds([self.low, self.high]))
            .legend_position(None)
            .render(plot, buffer);
        if let Some(at_s) = at_s {
            let share = (at_s / self.span_s).clamp(0.0, 1.0);
            let x = plot.x + (share * f64::from(plot.width - 1)).round() as u16;
            for y in plot.top()..plot.bottom() {
                let Some(cell) = buffer.cell_mut((x, y)) else {
                    continue;
                };
                if cell.symbol() == " " || cell.symbol() == "\u{2800}" {
                    cell.set_symbol("┊").set_style(QUIET);
                }
            }
        }
        plot.x
    }
}

/// The next larger round number: 1, 2 or 5 times a power of ten, for sizes times a power of 1024.
fn round_above(value: f64, unit: Option<Unit>) -> f64 {
    let (factor, most) = match unit {
        Some(Unit::Bytes) => {
            let power = value.log(1024.0).floor().max(0.0);
            (1024f64.powf(power), 1024.0)
        }
        _ => (1.0, f64::INFINITY),
    };
    let scaled = value / factor;
    let power = 10f64.powf(scaled.log10().floor());
    // A difference within rounding error does not count.
    let mut steps = [1.0, 2.0, 5.0, 10.0].map(|step| step * power).into_iter();
    let above = steps.find(|step| *step >= scaled * (1.0 - 1e-9));
    factor * above.unwrap_or(scaled).min(most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_end_at_round_numbers() {
        for (value, unit, expected) in [
            (0.0013, None, 0.002),
            (99_000.0, Some(Unit::PerSecond), 100_000.0),
            (100_000.0, Some(Unit::PerSecond), 100_000.0),
            (2.1e6, Some(Unit::Nanoseconds), 5e6),
            (
                1.1 * 1024.0 * 1024.0,
                Some(Unit::Bytes),
                2.0 * 1024.0 * 1024.0,
            ),
            (512.0, Some(Unit::Bytes), 1000.0),
            (1010.0 * 1024.0, Some(Unit::Bytes), 1024.0 * 1024.0),
        ] {
            let found = round_above(value, unit);
            assert!((found / expected - 1.0).abs() < 1e-9, "{value}: {found}");
        }
    }
}
