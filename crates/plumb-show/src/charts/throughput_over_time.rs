//! Was the throughput steady? Operations per second of each interval.

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
    let over_time = &subject.drawings.over_time;
    let lines: Vec<_> = over_time.iops.iter().collect();
    if !any_value(&lines) {
        return None;
    }
    let mut drawn = timed_lines(
        &over_time.iops,
        &over_time.spans,
        Stroke::Solid,
        &mut Hues::default(),
    );
    let (scale, stalls) = rate_scale(&mut drawn);
    let label = if scale == Scale::Linear {
        "operations per second"
    } else {
        "operations per second (logarithmic)"
    };
    let names: Vec<&str> = lines.iter().map(|line| line.name.as_str()).collect();
    Some(Figure {
        name: CHART.name,
        title: "Throughput over time".into(),
        caption: format!(
            "One value per interval. Shaded stretches are the steps as they ran: rest the pointer on one to read its name.{stalls}"
        ),
        x: time_axis(),
        y: Axis {
            label: label.into(),
            quantity: Quantity::OperationsPerSecond,
            scale,
        },
        marks: span_marks(&over_time.spans).chain(drawn).collect(),
        naming: Naming::Legend,
        alternative: format!(
            "Operations per second over time ({}) in {} executed steps.",
            names.join(", "),
            over_time.spans.len()
        ),
        table: timed_table(&lines, Quantity::OperationsPerSecond),
    })
}
