//! What is a chart? A figure that answers one question about a run, if the run has the data.

pub(crate) mod bars;
pub(crate) mod heat_map;
pub(crate) mod rate_over_time;
pub(crate) mod sizes;

use plumb_model::results::series::{Plots, Series, Span};
use plumb_model::results::summary::Summary;
use plumb_model::run::Run;
use plumb_model::statement::Statement;
use plumb_words::Words;

use crate::figure::{Axis, Column, Hues, Mark, Point, Quantity, Scale, Stroke, Table};
use crate::wording::MISSING;

/// Input of a chart: the raw run, and the figures derived from it.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'a> {
    pub run: &'a Run,
    pub summary: &'a Summary,
    pub plots: &'a Plots,
    /// The language.
    pub words: Words,
}

/// One chart.
pub struct Chart {
    /// Name of its file.
    pub name: &'static str,
    /// The question that it answers, in one sentence.
    pub question: &'static str,
    /// Draws it; `None` if the run has nothing to draw.
    pub figure: fn(&Subject) -> Option<crate::figure::Figure>,
}

/// Most rows of a table below a figure; the rest is in the run folder.
const TABLE_ROWS: usize = 300;

/// The text of a value, or an en dash if it is missing.
pub fn or_dash(quantity: Quantity, value: Option<f64>) -> String {
    value
        .filter(|value| value.is_finite())
        .map_or_else(|| MISSING.into(), |value| quantity.text(value))
}

/// The time axis of a run.
pub(crate) fn time_axis(words: Words) -> Axis {
    Axis {
        label: words.label("label-time-since-the-start"),
        quantity: Quantity::Elapsed,
        scale: Scale::Linear,
    }
}

/// The executions as shaded spans.
pub(crate) fn span_marks(spans: &[Span], words: Words) -> impl Iterator<Item = Mark> + '_ {
    let label = move |span: &Span| match span.rounds {
        0 | 1 => span.name.clone(),
        _ => words.sentence(
            &Statement::new("step-in-round")
                .name("step", &span.name)
                .count("round", u64::from(span.round) + 1),
        ),
    };
    spans.iter().map(move |span| Mark::Span {
        label: label(span),
        from: span.start_s,
        to: span.end_s,
    })
}

/// A gap longer than this many median intervals is not an interval: nothing was measured in it.
const PAUSE: f64 = 2.5;

/// A line over time that breaks between executions, and where there is no interval: that time was not
/// measured.
pub(crate) fn timed_points(series: &Series, spans: &[Span]) -> Vec<Point> {
    let pause = usual_distance(series).map_or(f64::INFINITY, |usual| usual * PAUSE);
    let mut points: Vec<Point> = Vec::with_capacity(series.points.len());
    let mut current = 0;
    let mut before = f64::INFINITY;
    for (x, y) in &series.points {
        // Spans and points are sorted: the last span that started before the point (a point may be at the end of its interval).
        let mut now = current;
        while spans.get(now + 1).is_some_and(|next| next.start_s < *x) {
            now += 1;
        }
        if (now != current || *x - before > pause) && !points.is_empty() {
            points.push(Point {
                x: *x,
                y: None,
                ..Point::default()
            });
        }
        (current, before) = (now, *x);
        points.push(Point {
            x: *x,
            y: *y,
            ..Point::default()
        });
    }
    points
}

/// The median distance of adjacent points; `None` with fewer than three.
fn usual_distance(series: &Series) -> Option<f64> {
    let pairs = series.points.windows(2);
    let mut distances: Vec<f64> = pairs.map(|pair| pair[1].0 - pair[0].0).collect();
    distances.retain(|distance| *distance > 0.0);
    distances.sort_by(f64::total_cmp);
    distances
        .get(distances.len() / 2)
        .copied()
        .filter(|_| distances.len() > 1)
}

/// True if any point of any of these lines has a value.
pub(crate) fn any_value(lines: &[&Series]) -> bool {
    lines
        .iter()
        .flat_map(|line| &line.points)
        .any(|(_, value)| value.is_some_and(f64::is_finite))
}

/// The displayed name of a line.
pub(crate) fn line_name(line: &Series, words: Words) -> String {
    match &line.statement {
        Some(statement) => words.sentence(statement),
        None => line.name.clone(),
    }
}

/// Lines over time as marks, each in its color.
pub(crate) fn timed_lines(
    lines: &[Series],
    spans: &[Span],
    stroke: Stroke,
    hues: &mut Hues,
    words: Words,
) -> Vec<Mark> {
    let line = |line: &Series| Mark::Line {
        name: line_name(line, words),
        hue: hues.of(&line.name),
        stroke,
        points: timed_points(line, spans),
        dots: false,
        ringed: None,
    };
    lines.iter().map(line).collect()
}

/// Ratio of the largest to the smallest value above which a linear axis would flatten the small ones.
const WIDE_RANGE: f64 = 50.0;

/// Linear, or logarithmic if the values span more than a factor of 50. On a logarithmic axis an interval without operations has no
/// position: the line breaks, and a mark at the lower edge keeps the stall visible; the caption explains it with the label that is
/// returned.
pub(crate) fn rate_scale(marks: &[Mark]) -> (Scale, Option<&'static str>) {
    let points = marks.iter().flat_map(|mark| match mark {
        Mark::Line { points, .. } => points.as_slice(),
        _ => &[],
    });
    let (mut lowest, mut highest, mut stalls) = (f64::INFINITY, 0.0f64, false);
    for value in points.filter_map(|point| point.y) {
        stalls |= value <= 0.0;
        if value > 0.0 && value.is_finite() {
            (lowest, highest) = (lowest.min(value), highest.max(value));
        }
    }
    if highest <= lowest * WIDE_RANGE {
        return (Scale::Linear, None);
    }
    (
        Scale::Logarithmic,
        stalls.then_some("label-stalls-at-the-edge"),
    )
}

/// The values of lines that share their times, one row per time.
pub(crate) fn timed_table(words: Words, lines: &[&Series], quantity: Quantity) -> Table {
    let mut times: Vec<f64> = lines
        .iter()
        .flat_map(|line| line.points.iter().map(|(x, _)| *x))
        .filter(|x| x.is_finite())
        .collect();
    times.sort_by(f64::total_cmp);
    times.dedup();
    let columns = std::iter::once(Column::number(words.label("label-time")))
        .chain(
            lines
                .iter()
                .map(|line| Column::number(line_name(line, words))),
        )
        .collect();
    // At a break of a line, a point without a value may have the time of the last one with a value.
    let at = |line: &Series, time: f64| {
        let from = line
            .points
            .partition_point(|(x, _)| x.total_cmp(&time).is_lt());
        let there = line.points[from..].iter().take_while(|(x, _)| *x == time);
        there.filter_map(|(_, value)| *value).next()
    };
    let row = |time: &f64| {
        let cells = lines.iter().map(|line| or_dash(quantity, at(line, *time)));
        std::iter::once(format!("{time:.3} s"))
            .chain(cells)
            .collect()
    };
    let rows = times.iter().take(TABLE_ROWS).map(row).collect();
    let note = if times.len() > TABLE_ROWS {
        words.sentence(
            &Statement::new("chart-first-intervals")
                .count("shown", TABLE_ROWS as u64)
                .count("count", times.len() as u64),
        )
    } else {
        String::new()
    };
    Table {
        columns,
        rows,
        note,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_breaks_where_no_interval_lies() {
        let series = |times: &[f64]| Series {
            points: times.iter().map(|time| (*time, Some(1.0))).collect(),
            ..Series::default()
        };
        let gaps = |times: &[f64]| {
            let points = timed_points(&series(times), &[]);
            points.iter().filter(|point| point.y.is_none()).count()
        };
        assert_eq!(gaps(&[1.0, 2.0, 3.0, 4.1, 5.0]), 0);
        assert_eq!(gaps(&[1.0, 2.0, 3.0, 60.0, 61.0, 62.0]), 1);
        assert_eq!(gaps(&[1.0, 60.0]), 0, "two points tell no interval");
    }
}
