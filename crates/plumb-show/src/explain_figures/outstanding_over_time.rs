//! How many requests were outstanding over time?

use plumb_model::statement::Statement;
use plumb_model::trace::summary::Outstanding;
use plumb_words::Words;
use plumb_words::numbers::show_count;

use crate::figure::{Axis, Column, Figure, Mark, Naming, Point, Quantity, Scale, Stroke, Table};

const MEAN: usize = 0;
const MOST: usize = 3;

/// One interval: its start in seconds, the mean, and the maximum if known.
struct Interval {
    at_s: f64,
    mean: f64,
    most: Option<u64>,
}

/// For a trace; `None` with fewer than two intervals.
pub(crate) fn of_intervals(outstanding: &Outstanding, words: Words) -> Option<Figure> {
    let length_s = outstanding.interval_ns as f64 / 1e9;
    let intervals = outstanding.over_time.iter().enumerate();
    let of = |(place, interval): (usize, &plumb_model::trace::summary::Interval)| Interval {
        at_s: place as f64 * length_s,
        mean: interval.outstanding,
        most: Some(interval.outstanding_max),
    };
    figure(&intervals.map(of).collect::<Vec<_>>(), length_s, words)
}

/// For means over equal parts of a window of this many seconds; `None` with fewer than two.
pub(crate) fn of_means(means: &[f64], span_s: f64, words: Words) -> Option<Figure> {
    let length_s = span_s / means.len().max(1) as f64;
    let of = |(place, mean): (usize, &f64)| Interval {
        at_s: place as f64 * length_s,
        mean: *mean,
        most: None,
    };
    figure(
        &means.iter().enumerate().map(of).collect::<Vec<_>>(),
        length_s,
        words,
    )
}

fn figure(intervals: &[Interval], length_s: f64, words: Words) -> Option<Figure> {
    if intervals.len() < 2 {
        return None;
    }
    let line = |label: &'static str, hue, stroke, value: fn(&Interval) -> Option<f64>| {
        let points = intervals.iter().map(|of| Point {
            x: of.at_s + length_s / 2.0,
            y: value(of),
            ..Point::default()
        });
        Mark::Line {
            name: words.label(label),
            hue,
            stroke,
            points: points.collect(),
            dots: false,
            ringed: None,
        }
    };
    let mut marks = vec![line("label-mean", MEAN, Stroke::Solid, |of| Some(of.mean))];
    if intervals.iter().any(|of| of.most.is_some()) {
        let most = |of: &Interval| of.most.map(|most| most as f64);
        marks.insert(0, line("label-max", MOST, Stroke::Dotted, most));
    }
    let time = |seconds: f64| Quantity::Latency.text(seconds * 1e9);
    let row = |of: &Interval| {
        vec![
            time(of.at_s),
            show_count(of.mean),
            of.most
                .map_or_else(String::new, |most| show_count(most as f64)),
        ]
    };
    Some(Figure {
        name: "outstanding_over_time",
        title: words.label("label-explain-outstanding-over-time"),
        caption: words.sentence(
            &Statement::new("explain-outstanding-caption").name("length", time(length_s)),
        ),
        x: Axis {
            label: words.label("label-explain-time-since-first"),
            quantity: Quantity::Elapsed,
            scale: Scale::Linear,
        },
        y: Axis {
            label: words.label("label-explain-outstanding"),
            quantity: Quantity::Number,
            scale: Scale::Linear,
        },
        marks,
        naming: Naming::Legend,
        alternative: words.sentence(
            &Statement::new("explain-outstanding-alternative")
                .count("intervals", intervals.len() as u64)
                .number(
                    "most",
                    intervals.iter().map(|of| of.mean).fold(0.0, f64::max),
                ),
        ),
        table: Table {
            columns: vec![
                Column::number(words.label("label-time")),
                Column::number(words.label("label-mean")),
                Column::number(words.label("label-max")),
            ],
            rows: intervals.iter().map(row).collect(),
            note: String::new(),
        },
    })
}
