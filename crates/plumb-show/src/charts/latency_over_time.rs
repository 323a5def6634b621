//! Was the latency steady? Median, 99th percentile and maximum response time of each interval.

use plumb_model::results::series::{KindOverTime, OverTime, Series};
use plumb_model::statement::Statement;
use plumb_words::Words;

use crate::chart::{Chart, Subject, any_value, span_marks, time_axis, timed_points, timed_table};
use crate::figure::{Axis, Figure, Hues, Mark, Naming, Quantity, Scale, Stroke};

pub const CHART: Chart = Chart {
    name: "latency_over_time",
    question: "Was the latency steady?",
    figure,
};

/// A line: its name, its points, color and stroke.
type Line<'a> = (String, &'a Series, usize, Stroke);

/// All operations together: median, 99th percentile, maximum. With several kinds: median and 99th percentile by kind, in their colors
/// of the throughput chart.
fn lines_of<'a>(over_time: &'a OverTime, words: Words) -> Vec<Line<'a>> {
    let (p50, p99, max) = (&over_time.p50_ns, &over_time.p99_ns, &over_time.max_ns);
    if over_time.kinds.is_empty() {
        return vec![
            (words.label("label-median"), p50, 0, Stroke::Solid),
            (words.label("label-99th-percentile"), p99, 3, Stroke::Solid),
            (words.label("label-longest"), max, 1, Stroke::Solid),
        ];
    }
    let mut hues = Hues::default();
    let of_kind = |kind: &'a KindOverTime| {
        let KindOverTime {
            kind,
            p50_ns,
            p99_ns,
        } = kind;
        let hue = hues.of(kind);
        [
            (format!("{kind} p50"), p50_ns, hue, Stroke::Solid),
            (format!("{kind} p99"), p99_ns, hue, Stroke::Dashed),
        ]
    };
    over_time.kinds.iter().flat_map(of_kind).collect()
}

fn figure(subject: &Subject) -> Option<Figure> {
    let words = subject.words;
    let over_time = &subject.plots.over_time;
    let lines = lines_of(over_time, words);
    let series: Vec<_> = lines.iter().map(|(_, series, _, _)| *series).collect();
    if !any_value(&series) {
        return None;
    }
    let caption = match over_time.kinds.is_empty() {
        true => "label-latency-over-time-caption",
        false => "label-latency-by-kind-over-time-caption",
    };
    let line = |(name, series, hue, stroke): &Line| Mark::Line {
        name: name.clone(),
        hue: *hue,
        stroke: *stroke,
        points: timed_points(series, &over_time.spans),
        dots: false,
        ringed: None,
    };
    let mut table = timed_table(words, &series, Quantity::Latency);
    for (column, (name, ..)) in table.columns.iter_mut().skip(1).zip(&lines) {
        column.title = name.clone();
    }
    Some(Figure {
        name: CHART.name,
        title: words.label("label-latency-over-time"),
        caption: words.label(caption),
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
