//! What is the one-way latency of messages of each size?

use crate::chart::sizes::{Labels, size_figure};
use crate::chart::{Chart, Subject};
use crate::figure::{Figure, Quantity};

pub const CHART: Chart = Chart {
    name: "message_latency",
    question: "How long is a message of each size under way?",
    figure,
};

fn figure(subject: &Subject) -> Option<Figure> {
    size_figure(
        subject.words,
        Labels {
            name: CHART.name,
            title: "label-time-by-message-size",
            caption: "label-time-by-message-size-caption",
            y: "label-time-one-way-logarithmic",
        },
        Quantity::Latency,
        &subject.plots.message_latency,
    )
}
