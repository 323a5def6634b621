//! How do throughput and latency move together as the load rises?

use plumb_model::statement::Statement;
use plumb_words::Words;

use plumb_model::results::series::{Curve, CurvePoint};
use plumb_words::numbers::show_count;

use crate::chart::{Chart, Subject, or_dash};
use crate::figure::{
    Axis, Column, Figure, Hues, Mark, Naming, Point, Quantity, Scale, Stroke, Table,
};
use crate::wording::MISSING;

pub const CHART: Chart = Chart {
    name: "throughput_latency",
    question: "How do throughput and latency move together as the load rises?",
    figure,
};

/// Above this number, curves are drawn without their 99th percentiles, which would hide the medians.
const CURVES_WITH_TAILS: usize = 3;

fn figure(subject: &Subject) -> Option<Figure> {
    let words = subject.words;
    let curves = &subject.plots.throughput_latency;
    let mut hues = Hues::default();
    let mut marks = Vec::new();
    let tails = curves.len() <= CURVES_WITH_TAILS;
    for curve in curves {
        let hue = hues.of(&curve.group);
        if tails {
            marks.push(line(words, curve, "", hue, Stroke::Dashed, |point| {
                point.p99_ns
            }));
        }
        marks.push(line(
            words,
            curve,
            &curve.group,
            hue,
            Stroke::Solid,
            |point| point.p50_ns,
        ));
    }
    let drawn = |mark: &Mark| matches!(mark, Mark::Line { points, .. } if points.iter().any(|point| point.y.is_some()));
    marks.retain(drawn);
    if marks.is_empty() {
        return None;
    }
    let mut keys: Vec<&str> = curves.iter().map(|curve| curve.key.as_str()).collect();
    keys.dedup();
    let key = match keys.as_slice() {
        [only] => only.to_string(),
        _ => words.label("label-load"),
    };
    let knees = curves.iter().any(|curve| curve.knee.is_some());
    Some(Figure {
        name: CHART.name,
        title: words.label("label-throughput-and-latency"),
        caption: words.sentences([
            Some(words.sentence(&Statement::new("chart-each-point-is-a-step").name("key", key))),
            Some(words.label(if tails {
                "label-median-and-tail-drawn"
            } else {
                "label-only-median-drawn"
            })),
            Some(words.label("label-right-is-more")),
            knees.then(|| words.label("label-ring-marks-the-knee")),
        ]),
        x: Axis {
            label: words.label("label-operations-per-second"),
            quantity: Quantity::OperationsPerSecond,
            scale: Scale::Linear,
        },
        y: Axis {
            label: words.label("label-response-time-logarithmic"),
            quantity: Quantity::Latency,
            scale: Scale::Logarithmic,
        },
        marks,
        naming: Naming::Direct,
        alternative: alternative(words, curves),
        table: table(words, curves),
    })
}

fn line(
    words: Words,
    curve: &Curve,
    name: &str,
    hue: usize,
    stroke: Stroke,
    latency: fn(&CurvePoint) -> Option<f64>,
) -> Mark {
    let named = !name.is_empty();
    let point = |point: &CurvePoint| Point {
        x: point.iops.unwrap_or(f64::NAN),
        // Without a throughput the latency has no position.
        y: latency(point).filter(|_| point.iops.is_some()),
        label: named.then(|| point.label.clone()),
        hover: words.sentence(
            &Statement::new("chart-point")
                .name("group", &curve.group)
                .name("key", &curve.key)
                .name("load", &point.label)
                .name("rate", or_dash(Quantity::OperationsPerSecond, point.iops))
                .name("median", or_dash(Quantity::Latency, point.p50_ns))
                .name("p99", or_dash(Quantity::Latency, point.p99_ns)),
        ),
    };
    let points = curve.points.iter().map(point).collect();
    Mark::Line {
        name: name.into(),
        hue,
        stroke,
        points,
        dots: named,
        ringed: curve.knee.filter(|_| named),
    }
}

fn alternative(words: Words, curves: &[Curve]) -> String {
    let one = |curve: &Curve| {
        let (first, last) = (curve.points.first()?, curve.points.last()?);
        let end = |point: &CurvePoint| {
            Statement::new("chart-rate-with-median")
                .name("rate", or_dash(Quantity::OperationsPerSecond, point.iops))
                .name("median", or_dash(Quantity::Latency, point.p50_ns))
                .name("key", &curve.key)
                .name("load", &point.label)
        };
        let knee = curve.knee.and_then(|at| curve.points.get(at));
        let knee = knee.map_or_else(
            || Statement::new("none"),
            |point| {
                Statement::new("chart-knee-from")
                    .name("key", &curve.key)
                    .name("load", &point.label)
            },
        );
        Some(
            words.sentence(
                &Statement::new("chart-curve")
                    .name("group", &curve.group)
                    .part("first", end(first))
                    .part("last", end(last))
                    .part("knee", knee),
            ),
        )
    };
    words.sentences(curves.iter().map(one))
}

fn table(words: Words, curves: &[Curve]) -> Table {
    let titles = [
        "label-operations-per-s",
        "label-lowest-round",
        "label-highest-round",
        "label-bandwidth",
        "label-achieved-depth",
        "label-mean",
    ];
    let columns = ["label-steps", "label-load"]
        .map(|label| Column::text(words.label(label)))
        .into_iter()
        .chain(titles.map(|label| Column::number(words.label(label))))
        .chain(["p50", "p99", "p99.9"].map(Column::number))
        .collect();
    let row = |curve: &Curve, point: &CurvePoint| {
        let rate = |value| or_dash(Quantity::OperationsPerSecond, value);
        let time = |value| or_dash(Quantity::Latency, value);
        vec![
            curve.group.clone(),
            format!("{} {}", curve.key, point.label),
            rate(point.iops),
            rate(point.iops_range.map(|(low, _)| low)),
            rate(point.iops_range.map(|(_, high)| high)),
            or_dash(Quantity::Bandwidth, point.bandwidth_bytes_per_s),
            point
                .achieved_depth
                .map_or_else(|| MISSING.into(), show_count),
            time(point.mean_ns),
            time(point.p50_ns),
            time(point.p99_ns),
            time(point.p99_9_ns),
        ]
    };
    let rows = curves
        .iter()
        .flat_map(|curve| curve.points.iter().map(move |point| row(curve, point)))
        .collect();
    Table {
        columns,
        rows,
        note: String::new(),
    }
}
