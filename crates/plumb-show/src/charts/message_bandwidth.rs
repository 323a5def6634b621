//! How many bits per second do messages of each size carry?

use crate::chart::sizes::{Labels, size_figure};
use crate::chart::{Chart, Subject};
use crate::figure::{Figure, Quantity};

pub const CHART: Chart = Chart {
    name: "message_bandwidth",
    question: "How many bits per second do messages of each size carry?",
    figure,
};

fn figure(subject: &Subject) -> Option<Figure> {
    size_figure(
        subject.words,
        Labels {
            name: CHART.name,
            title: "label-bandwidth-by-message-size",
            caption: "label-bandwidth-by-message-size-caption",
            y: "label-bandwidth-logarithmic",
        },
        Quantity::BitRate,
        &subject.plots.message_bandwidth,
    )
}
