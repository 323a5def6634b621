//! Was the throughput steady? Operations per second of each interval.

use plumb_model::statement::Statement;

use crate::chart::rate_over_time::{Rate, rate_over_time};
use crate::chart::{Chart, Subject};
use crate::figure::{Figure, Quantity};

pub const CHART: Chart = Chart {
    name: "throughput_over_time",
    question: "Was the throughput steady?",
    figure,
};

fn figure(subject: &Subject) -> Option<Figure> {
    let rate = Rate {
        name: CHART.name,
        quantity: Quantity::OperationsPerSecond,
        title: "label-throughput-over-time",
        caption: "label-throughput-over-time-caption",
        axis: [
            "label-operations-per-second",
            "label-operations-per-second-logarithmic",
        ],
        alternative: |kinds, count| {
            Statement::new("chart-throughput-over-time-alternative")
                .name("kinds", kinds)
                .count("count", count)
        },
    };
    rate_over_time(subject, &subject.plots.over_time.iops, rate)
}
