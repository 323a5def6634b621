//! Which data of a figure does the page script get? Its axes and the values of its marks, as compact JSON.

use super::drawing::{Drawing, px};
use super::marks::{extremes, stroke_class};
use crate::escape::json_text;
use crate::figure::{Axis, Figure, Mark, Point, Quantity, Scale};

/// Most points of a line on a page; of more, the visible ones: the first, lowest, highest and last of each stretch.
const POINTS_MAX: usize = 4000;
/// Most cells of a heat map on a page.
const CELLS_MAX: usize = 40_000;

/// The figure as JSON that is safe in a script element. `m` has one entry per mark, in order.
pub(super) fn json(figure: &Figure, drawing: &Drawing) -> String {
    let plot = &drawing.plot;
    let mut shared: Vec<String> = Vec::new();
    let marks: Vec<String> = figure
        .marks
        .iter()
        .map(|mark| mark_json(mark, &mut shared))
        .collect();
    let values: Vec<String> = shared.iter().map(|values| format!("[{values}]")).collect();
    format!(
        "{{\"plot\":[{},{},{},{}],\"marked\":{},\"x\":{},\"y\":{},\"xs\":[{}],\"m\":[{}]}}",
        px(plot.x),
        px(plot.y),
        px(plot.width),
        px(plot.height),
        drawing.marked,
        axis(&figure.x, drawing.x.ends()),
        axis(&figure.y, drawing.y.ends()),
        values.join(","),
        marks.join(",")
    )
}

/// An axis: its quantity, its scale, its label, and the values and positions of its ends.
fn axis(axis: &Axis, ends: [f64; 4]) -> String {
    let scale = match &axis.scale {
        Scale::Linear => "\"lin\"".to_string(),
        Scale::Logarithmic => "\"log\"".to_string(),
        Scale::Categories(names) => {
            let names: Vec<String> = names.iter().map(|name| json_text(name)).collect();
            format!("[{}]", names.join(","))
        }
    };
    let label = json_text(&axis.label);
    let quantity = axis.quantity.code();
    format!(
        "{{\"q\":\"{quantity}\",\"s\":{scale},\"l\":{label},\"e\":[{}]}}",
        list(ends.map(Some))
    )
}

fn mark_json(mark: &Mark, shared: &mut Vec<String>) -> String {
    match mark {
        Mark::Line {
            name,
            hue,
            stroke,
            points,
            dots,
            ..
        } => {
            let points = seen(points);
            let x = list(points.iter().map(|point| Some(point.x)));
            // Lines over time share their times.
            let at = shared.iter().position(|other| *other == x);
            let at = at.unwrap_or_else(|| {
                shared.push(x);
                shared.len() - 1
            });
            format!(
                "{{\"t\":\"line\",\"n\":{},\"h\":{hue},\"k\":\"{}\",\"d\":{dots},\"x\":{at},\"y\":[{}]}}",
                json_text(name),
                stroke_class(*stroke),
                list(points.iter().map(|point| point.y))
            )
        }
        Mark::Bars { name, hue, bars } => {
            let ranges = bars.iter().flat_map(|bar| {
                let (low, high) = bar.range.unzip();
                [low, high]
            });
            format!(
                "{{\"t\":\"bars\",\"n\":{},\"h\":{hue},\"c\":[{}],\"v\":[{}],\"b\":[{}],\"r\":[{}]}}",
                json_text(name),
                list(bars.iter().map(|bar| Some(bar.category as f64))),
                list(bars.iter().map(|bar| Some(bar.value))),
                list(bars.iter().map(|bar| Some(bar.base))),
                list(ranges)
            )
        }
        Mark::Span { label, from, to } => format!(
            "{{\"t\":\"span\",\"n\":{},\"x\":[{}]}}",
            json_text(label),
            list([Some(*from), Some(*to)])
        ),
        Mark::Rows {
            name, hue, values, ..
        } => format!(
            "{{\"t\":\"rows\",\"n\":{},\"h\":{hue},\"c\":[{}],\"v\":[{}]}}",
            json_text(name),
            list(values.iter().map(|value| Some(value.row as f64))),
            list(values.iter().map(|value| Some(value.value)))
        ),
        Mark::Whiskers { hue, whiskers } => {
            let ends = whiskers
                .iter()
                .flat_map(|whisker| [whisker.x, whisker.low, whisker.high].map(Some));
            format!("{{\"t\":\"whiskers\",\"h\":{hue},\"v\":[{}]}}", list(ends))
        }
        Mark::Rule {
            at, upright, label, ..
        } => format!(
            "{{\"t\":\"rule\",\"n\":{},\"at\":{},\"up\":{upright}}}",
            json_text(label),
            number(Some(*at))
        ),
        Mark::Cells {
            edges, cells, of, ..
        } => cells_json(edges, cells, *of),
    }
}

fn cells_json(edges: &[f64], cells: &[Vec<Option<f64>>], of: Quantity) -> String {
    if edges.len() * cells.len() > CELLS_MAX {
        return "{\"t\":\"cells\"}".into();
    }
    let rows: Vec<String> = cells
        .iter()
        .map(|row| {
            let rounded = row.iter().map(|value| value.map(|value| value.round()));
            format!("[{}]", list(rounded))
        })
        .collect();
    format!(
        "{{\"t\":\"cells\",\"q\":\"{}\",\"e\":[{}],\"v\":[{}]}}",
        of.code(),
        list(edges.iter().map(|edge| Some(*edge))),
        rows.join(",")
    )
}

/// The visible points of a line, in order.
fn seen(points: &[Point]) -> Vec<&Point> {
    if points.len() <= POINTS_MAX {
        return points.iter().collect();
    }
    let stretch = points.len().div_ceil(POINTS_MAX / 4);
    points
        .chunks(stretch)
        .flat_map(|part| {
            let gap = part.iter().find(|point| point.y.is_none());
            let kept = extremes(part, |point| point.y.unwrap_or(f64::NAN));
            kept.into_iter().chain(gap)
        })
        .collect()
}

/// Numbers separated by commas; an empty string for a missing one.
fn list(values: impl IntoIterator<Item = Option<f64>>) -> String {
    let texts: Vec<String> = values.into_iter().map(number).collect();
    texts.join(",")
}

/// Seven significant digits, in the shortest form.
fn number(value: Option<f64>) -> String {
    let Some(value) = value.filter(|value| value.is_finite()) else {
        return "\"\"".into();
    };
    let rounded: f64 = format!("{value:.6e}").parse().unwrap_or(value);
    let (plain, short) = (rounded.to_string(), format!("{rounded:e}"));
    match plain.len() <= short.len() {
        true => plain,
        false => short,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_what_is_none_is_empty() {
        for (value, text) in [
            (Some(0.0), "0"),
            (Some(92_000.0), "92000"),
            (Some(1.0 / 3.0), "0.3333333"),
            (Some(1e12), "1e12"),
            (Some(f64::NAN), "\"\""),
            (None, "\"\""),
        ] {
            assert_eq!(number(value), text);
        }
    }

    #[test]
    fn a_long_line_keeps_its_extremes_and_its_gaps() {
        let point = |at: usize, y| Point {
            x: at as f64,
            y,
            ..Point::default()
        };
        let mut points: Vec<Point> = (0..100_000).map(|at| point(at, Some(1.0))).collect();
        points[77_777].y = Some(9.0);
        points[50_000].y = None;
        let seen = seen(&points);
        assert!(seen.len() <= 2 * POINTS_MAX, "{}", seen.len());
        assert!(seen.iter().any(|point| point.y == Some(9.0)));
        assert!(seen.iter().any(|point| point.y.is_none()));
    }
}
