//! Was the throughput steady? Operations per second of each interval.

use plumb_model::statement::Statement;

use crate::chart::{
    Chart, Subject, any_value, rate_scale, span_marks, time_axis, timed_lines, timed_table,
};
use crate::figure::{Axis, Figure, Hues, Naming, Quantity, Scale, Stroke};

pub const CHART: Chart = Chart {
    name: "throughput_over_time",
    question: "Was the throughput steady?",
    figure,
};

fn figure(subject: &Subject) -> Option<Figure> {
    let words = subject.words;
    let over_time = &subject.plots.over_time;
    let lines: Vec<_> = over_time.iops.iter().collect();
    if !any_value(&lines) {
        return None;
    }
    let drawn = timed_lines(
        &over_time.iops,
        &over_time.spans,
        Stroke::Solid,
        &mut Hues::default(),
        words,
    );
    let (scale, stalls) = rate_scale(&drawn);
    let label = if scale == Scale::Linear {
        "label-operations-per-second"
    } else {
        "label-operations-per-second-logarithmic"
    };
    let names: Vec<&str> = lines.iter().map(|line| line.name.as_str()).collect();
    Some(Figure {
        name: CHART.name,
        title: words.label("label-throughput-over-time"),
        caption: words.captions([Some("label-throughput-over-time-caption"), stalls]),
        x: time_axis(words),
        y: Axis {
            label: words.label(label),
            quantity: Quantity::OperationsPerSecond,
            scale,
        },
        marks: span_marks(&over_time.spans, words).chain(drawn).collect(),
        naming: Naming::Legend,
        alternative: words.sentence(
            &Statement::new("chart-throughput-over-time-alternative")
                .name("kinds", names.join(", "))
                .count("count", over_time.spans.len() as u64),
        ),
        table: timed_table(words, &lines, Quantity::OperationsPerSecond),
    })
}
