//! Where does the application operate between throughput and latency, and where would it with the advised change?

use plumb_model::explain::curve::{OperatingCurve, OperatingPoint, PredictedPoint};
use plumb_model::statement::Statement;
use plumb_words::Words;
use plumb_words::numbers::show_count;

use crate::figure::{
    Axis, Column, Figure, Mark, Naming, Point, Quantity, Scale, Stroke, Table, latency_text,
};

const HERE: usize = 3;
const SEEN: usize = 0;
const PREDICTED: usize = 2;
const MEASURED: usize = 1;

/// The figure; `None` if there is only the application's own point.
pub(crate) fn operating_curve(curve: &OperatingCurve, words: Words) -> Option<Figure> {
    let is_alone = curve.recorded.is_empty()
        && curve.predicted.is_empty()
        && curve.predicted_rate.is_none()
        && curve.measured.is_empty()
        && curve.ceiling_requests_per_s.is_none();
    if is_alone {
        return None;
    }
    let has = |there: bool, label: &'static str| there.then_some(label);
    Some(Figure {
        name: "operating_curve",
        title: words.label("label-explain-curve"),
        caption: words.captions([
            Some("label-explain-curve-caption"),
            has(
                !curve.recorded.is_empty(),
                "label-explain-curve-seen-caption",
            ),
            has(
                !curve.predicted.is_empty(),
                "label-explain-curve-predicted-caption",
            ),
            has(
                curve.predicted_rate.is_some(),
                "label-explain-curve-rate-caption",
            ),
            has(
                curve.ceiling_requests_per_s.is_some(),
                "label-explain-curve-ceiling-caption",
            ),
        ]),
        x: Axis {
            label: words.label("label-explain-requests-per-s"),
            quantity: Quantity::OperationsPerSecond,
            scale: Scale::Linear,
        },
        y: Axis {
            label: words.label("label-explain-time-logarithmic"),
            quantity: Quantity::Latency,
            scale: Scale::Logarithmic,
        },
        marks: marks(curve, words),
        naming: Naming::Legend,
        alternative: words.sentence(
            &Statement::new("explain-curve-alternative")
                .number("outstanding", curve.current.outstanding)
                .name(
                    "rate",
                    Quantity::OperationsPerSecond.text(curve.current.requests_per_s),
                )
                .name("time", latency_text(curve.current.request_ns)),
        ),
        table: table(curve, words),
    })
}

fn marks(curve: &OperatingCurve, words: Words) -> Vec<Mark> {
    let mut marks = Vec::new();
    if let Some((from, to)) = curve.predicted_rate {
        marks.push(Mark::Span {
            label: words.label("label-explain-predicted"),
            from,
            to,
        });
    }
    if let Some(at) = curve.ceiling_requests_per_s {
        marks.push(Mark::Rule {
            at,
            upright: true,
            strong: true,
            label: words.label("label-explain-ceiling"),
        });
    }
    let line = |label: &'static str, hue, stroke, points: Vec<OperatingPoint>| {
        let name = words.label(label);
        Mark::Line {
            points: points.iter().map(|of| point(of, &name, words)).collect(),
            name,
            hue,
            stroke,
            dots: true,
            ringed: None,
        }
    };
    let of_each = |end: fn(&PredictedPoint) -> OperatingPoint| curve.predicted.iter().map(end);
    if !curve.predicted.is_empty() {
        marks.push(line(
            "label-explain-predicted-least",
            PREDICTED,
            Stroke::Dotted,
            of_each(|point| point.low).collect(),
        ));
        marks.push(line(
            "label-explain-predicted-most",
            PREDICTED,
            Stroke::Dashed,
            of_each(|point| point.high).collect(),
        ));
    }
    if !curve.recorded.is_empty() {
        marks.push(line(
            "label-explain-seen",
            SEEN,
            Stroke::Solid,
            curve.recorded.clone(),
        ));
    }
    if !curve.measured.is_empty() {
        marks.push(line(
            "label-explain-measured",
            MEASURED,
            Stroke::Solid,
            curve.measured.clone(),
        ));
    }
    marks.push(current(&curve.current, words));
    marks
}

fn current(of: &OperatingPoint, words: Words) -> Mark {
    let name = words.label("label-explain-here");
    let mut current = point(of, &name, words);
    current.label = Some(name.clone());
    Mark::Line {
        name,
        hue: HERE,
        stroke: Stroke::Solid,
        points: vec![current],
        dots: true,
        ringed: Some(0),
    }
}

fn point(of: &OperatingPoint, name: &str, words: Words) -> Point {
    Point {
        x: of.requests_per_s,
        y: Some(of.request_ns),
        label: Some(show_count(of.outstanding)),
        hover: words.sentence(
            &Statement::new("explain-curve-point")
                .name("what", name)
                .number("outstanding", of.outstanding)
                .name(
                    "rate",
                    Quantity::OperationsPerSecond.text(of.requests_per_s),
                )
                .name("time", latency_text(of.request_ns)),
        ),
    }
}

fn table(curve: &OperatingCurve, words: Words) -> Table {
    let row = |label: &'static str, of: &OperatingPoint| {
        vec![
            words.label(label),
            show_count(of.outstanding),
            Quantity::OperationsPerSecond.text(of.requests_per_s),
            latency_text(of.request_ns),
        ]
    };
    let mut rows = vec![row("label-explain-here", &curve.current)];
    let recorded = curve
        .recorded
        .iter()
        .map(|of| row("label-explain-seen", of));
    rows.extend(recorded);
    for of in &curve.predicted {
        rows.push(row("label-explain-predicted-least", &of.low));
        rows.push(row("label-explain-predicted-most", &of.high));
    }
    let rate_alone = |label: &'static str, rate: f64| {
        let rate = Quantity::OperationsPerSecond.text(rate);
        vec![words.label(label), String::new(), rate, String::new()]
    };
    if let Some((low, high)) = curve.predicted_rate {
        rows.push(rate_alone("label-explain-predicted-least", low));
        rows.push(rate_alone("label-explain-predicted-most", high));
    }
    let measured = curve.measured.iter();
    rows.extend(measured.map(|of| row("label-explain-measured", of)));
    if let Some(rate) = curve.ceiling_requests_per_s {
        rows.push(rate_alone("label-explain-ceiling", rate));
    }
    Table {
        columns: vec![
            Column::text(words.label("label-what")),
            Column::number(words.label("label-explain-outstanding")),
            Column::number(words.label("label-explain-requests-per-s")),
            Column::number(words.label("label-time-per-request")),
        ],
        rows,
        note: String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_alone_is_no_curve_and_a_prediction_is_two_lines_and_says_so() {
        let at = |outstanding: f64, requests_per_s: f64| OperatingPoint {
            outstanding,
            requests_per_s,
            request_ns: outstanding / requests_per_s * 1e9,
        };
        let mut curve = OperatingCurve {
            current: at(1.0, 176.0),
            recorded: Vec::new(),
            predicted: Vec::new(),
            predicted_rate: None,
            measured: Vec::new(),
            ceiling_requests_per_s: None,
        };
        assert_eq!(operating_curve(&curve, Words::english()), None);
        curve.predicted = [(1.0, 176.0, 176.0), (8.0, 454.0, 1480.0)]
            .map(|(outstanding, low, high)| PredictedPoint {
                low: at(outstanding, low),
                high: at(outstanding, high),
            })
            .to_vec();
        let figure = operating_curve(&curve, Words::english()).expect("a figure");
        let lines = figure.marks.iter();
        let names: Vec<&str> = lines
            .filter_map(|mark| match mark {
                Mark::Line { name, .. } => Some(name.as_str()),
                _ => None,
            })
            .collect();
        assert_eq!(
            names,
            ["predicted, at least", "predicted, at most", "you are here"]
        );
        assert!(figure.caption.contains("not measured"));
        assert_eq!(figure.table.rows.len(), 5);
    }
}
