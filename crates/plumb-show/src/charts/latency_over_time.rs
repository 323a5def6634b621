//! Was the latency steady? Median, 99th percentile and longest response time of each interval.

use crate::chart::{Chart, Subject, any_value, span_marks, time_axis, timed_points, timed_table};
use crate::figure::{Axis, Figure, Mark, Naming, Quantity, Scale, Stroke};

pub const CHART: Chart = Chart {
    name: "latency_over_time",
    question: "Was the latency steady?",
    figure,
};

fn figure(subject: &Subject) -> Option<Figure> {
    let over_time = &subject.drawings.over_time;
    let lines = [
        ("median", &over_time.p50_ns, 0, Stroke::Solid),
        ("99th percentile", &over_time.p99_ns, 3, Stroke::Solid),
        ("longest", &over_time.max_ns, 6, Stroke::Solid),
    ];
    let series: Vec<_> = lines.iter().map(|(_, series, _, _)| *series).collect();
    if !any_value(&series) {
        return None;
    }
    let line = |(name, series, hue, stroke): &(&str, &_, usize, Stroke)| Mark::Line {
        name: (*name).into(),
        hue: *hue,
        stroke: *stroke,
        points: timed_points(series, &over_time.spans),
        dots: false,
        ringed: None,
    };
    let mut table = timed_table(&series, Quantity::Latency);
    for (column, (name, ..)) in table.columns.iter_mut().skip(1).zip(&lines) {
        column.title = (*name).into();
    }
    Some(Figure {
        name: CHART.name,
        title: "Latency over time".into(),
        caption: "Response times of the operations that completed in each interval, all kinds together. A gap is an interval with too few samples. Rest the pointer on a shaded stretch to read its step.".into(),
        x: time_axis(),
        y: Axis { label: "response time (logarithmic)".into(), quantity: Quantity::Latency, scale: Scale::Logarithmic },
        marks: span_marks(&over_time.spans).chain(lines.iter().map(line)).collect(),
        naming: Naming::Legend,
        alternative: format!("Median, 99th percentile and longest response time over time, in {} executed steps.", over_time.spans.len()),
        table,
    })
}
