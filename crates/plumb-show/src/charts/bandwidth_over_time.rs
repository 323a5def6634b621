//! How many bytes per second moved over time? Drawn if block sizes differ, because operations per second then mean little.

use plumb_model::statement::Statement;

use plumb_model::workload::BlockSizes;

use crate::chart::{
    Chart, Subject, any_value, rate_scale, span_marks, time_axis, timed_lines, timed_table,
};
use crate::figure::{Axis, Figure, Hues, Naming, Quantity, Scale, Stroke};

pub const CHART: Chart = Chart {
    name: "bandwidth_over_time",
    question: "How many bytes per second moved over time?",
    figure,
};

fn figure(subject: &Subject) -> Option<Figure> {
    let words = subject.words;
    let over_time = &subject.plots.over_time;
    let lines: Vec<_> = over_time.bandwidth.iter().collect();
    let blocks: Vec<&BlockSizes> = subject
        .summary
        .plan
        .steps
        .iter()
        .flat_map(|step| &step.jobs)
        .map(|job| &job.workload.block)
        .collect();
    let differ = blocks
        .iter()
        .any(|block| block.0.len() > 1 || block.0.iter().any(|(block, _)| block.only().is_none()))
        || blocks.windows(2).any(|pair| pair[0] != pair[1]);
    if !differ || !any_value(&lines) {
        return None;
    }
    let drawn = timed_lines(
        &over_time.bandwidth,
        &over_time.spans,
        Stroke::Solid,
        &mut Hues::default(),
        words,
    );
    let (scale, stalls) = rate_scale(&drawn);
    let label = if scale == Scale::Linear {
        "label-bandwidth"
    } else {
        "label-bandwidth-logarithmic"
    };
    let names: Vec<&str> = lines.iter().map(|line| line.name.as_str()).collect();
    Some(Figure {
        name: CHART.name,
        title: words.label("label-bandwidth-over-time"),
        caption: words.captions([Some("label-bandwidth-over-time-caption"), stalls]),
        x: time_axis(words),
        y: Axis {
            label: words.label(label),
            quantity: Quantity::Bandwidth,
            scale,
        },
        marks: span_marks(&over_time.spans, words).chain(drawn).collect(),
        naming: Naming::Legend,
        alternative: words.sentence(
            &Statement::new("chart-bandwidth-over-time-alternative")
                .name("kinds", names.join(", "))
                .count("count", over_time.spans.len() as u64),
        ),
        table: timed_table(words, &lines, Quantity::Bandwidth),
    })
}
