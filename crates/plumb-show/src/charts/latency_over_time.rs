//! Was the latency steady? Median, 99th percentile and longest response time of each interval.

use plumb_model::statement::Statement;

use crate::chart::{Chart, Subject, any_value, span_marks, time_axis, timed_points, timed_table};
use crate::figure::{Axis, Figure, Mark, Naming, Quantity, Scale, Stroke};

pub const CHART: Chart = Chart {
    name: "latency_over_time",
    question: "Was the latency steady?",
    figure,
};

fn figure(subject: &Subject) -> Option<Figure> {
    let words = subject.words;
    let over_time = &subject.plots.over_time;
    let lines = [
        ("label-median", &over_time.p50_ns, 0, Stroke::Solid),
        ("label-99th-percentile", &over_time.p99_ns, 3, Stroke::Solid),
        ("label-longest", &over_time.max_ns, 1, Stroke::Solid),
    ];
    let series: Vec<_> = lines.iter().map(|(_, series, _, _)| *series).collect();
    if !any_value(&series) {
        return None;
    }
    let line = |(name, series, hue, stroke): &(&str, &_, usize, Stroke)| Mark::Line {
        name: words.label(name),
        hue: *hue,
        stroke: *stroke,
        points: timed_points(series, &over_time.spans),
        dots: false,
        ringed: None,
    };
    let mut table = timed_table(words, &series, Quantity::Latency);
    for (column, (name, ..)) in table.columns.iter_mut().skip(1).zip(&lines) {
        column.title = words.label(name);
    }
    Some(Figure {
        name: CHART.name,
        title: words.label("label-latency-over-time"),
        caption: words.label("label-latency-over-time-caption"),
        x: time_axis(words),
        y: Axis {
            label: words.label("label-response-time-logarithmic"),
            quantity: Quantity::Latency,
            scale: Scale::Logarithmic,
        },
        marks: span_marks(&over_time.spans, words)
            .chain(lines.iter().map(line))
            .collect(),
        naming: Naming::Legend,
        alternative: words.sentence(
            &Statement::new("chart-latency-over-time-alternative")
                .count("count", over_time.spans.len() as u64),
        ),
        table,
    })
}
