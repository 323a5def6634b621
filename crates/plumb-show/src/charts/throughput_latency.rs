//! How do throughput and latency move together as the load rises?

use plumb_model::series::{Curve, CurvePoint};
use plumb_model::units::show_count;

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

/// More curves than this are drawn without their 99th percentiles, which would hide the medians.
const CURVES_WITH_TAILS: usize = 3;

fn figure(subject: &Subject) -> Option<Figure> {
    let curves = &subject.drawings.throughput_latency;
    let mut hues = Hues::default();
    let mut marks = Vec::new();
    let tails = curves.len() <= CURVES_WITH_TAILS;
    for curve in curves {
        let hue = hues.of(&curve.group);
        if tails {
            marks.push(line(curve, "", hue, Stroke::Dashed, |point| point.p99_ns));
        }
        marks.push(line(curve, &curve.group, hue, Stroke::Solid, |point| {
            point.p50_ns
        }));
    }
    let drawn = |mark: &Mark| matches!(mark, Mark::Line { points, .. } if points.iter().any(|point| point.y.is_some()));
    marks.retain(drawn);
    if marks.is_empty() {
        return None;
    }
    let mut keys: Vec<&str> = curves.iter().map(|curve| curve.key.as_str()).collect();
    keys.dedup();
    let key = if keys.len() == 1 { keys[0] } else { "load" };
    let knees = if curves.iter().any(|curve| curve.knee.is_some()) {
        " A ring marks the point from which more load only adds latency."
    } else {
        ""
    };
    Some(Figure {
        name: CHART.name,
        title: "Throughput and latency".into(),
        caption: format!(
            "Each point is one step; the number beside it is its {key}. {} Right is more, low is quick.{knees}",
            if tails {
                "Solid: median response time; dashed: 99th percentile."
            } else {
                "The median response time is drawn; the table has the tail."
            }
        ),
        x: Axis {
            label: "operations per second".into(),
            quantity: Quantity::OperationsPerSecond,
            scale: Scale::Linear,
        },
        y: Axis {
            label: "response time (logarithmic)".into(),
            quantity: Quantity::Latency,
            scale: Scale::Logarithmic,
        },
        marks,
        naming: Naming::Direct,
        alternative: alternative(curves),
        table: table(curves),
    })
}

fn line(
    curve: &Curve,
    name: &str,
    hue: usize,
    stroke: Stroke,
    latency: fn(&CurvePoint) -> Option<f64>,
) -> Mark {
    let named = !name.is_empty();
    let point = |point: &CurvePoint| Point {
        x: point.iops.unwrap_or(f64::NAN),
        // Without a throughput there is no place for the latency.
        y: latency(point).filter(|_| point.iops.is_some()),
        label: named.then(|| point.label.clone()),
        hover: format!(
            "{}, {} {}: {}, median {}, 99 % {}",
            curve.group,
            curve.key,
            point.label,
            or_dash(Quantity::OperationsPerSecond, point.iops),
            or_dash(Quantity::Latency, point.p50_ns),
            or_dash(Quantity::Latency, point.p99_ns)
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

fn alternative(curves: &[Curve]) -> String {
    let one = |curve: &Curve| {
        let (first, last) = (curve.points.first()?, curve.points.last()?);
        let end = |point: &CurvePoint| {
            format!(
                "{} with a median of {} at {} {}",
                or_dash(Quantity::OperationsPerSecond, point.iops),
                or_dash(Quantity::Latency, point.p50_ns),
                curve.key,
                point.label
            )
        };
        let knee = curve.knee.and_then(|at| curve.points.get(at));
        let knee = knee.map_or(String::new(), |point| {
            format!(
                "; from {} {} on more load only adds latency",
                curve.key, point.label
            )
        });
        Some(format!(
            "{}: from {} to {}{knee}.",
            curve.group,
            end(first),
            end(last)
        ))
    };
    curves.iter().filter_map(one).collect::<Vec<_>>().join(" ")
}

fn table(curves: &[Curve]) -> Table {
    let titles = [
        "operations/s",
        "lowest round",
        "highest round",
        "bandwidth",
        "achieved depth",
        "mean",
        "50 %",
        "99 %",
        "99.9 %",
    ];
    let columns = [Column::text("steps"), Column::text("load")]
        .into_iter()
        .chain(titles.map(Column::number))
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
