//! How long is a message of each size under way?

use crate::chart::sizes::{Words, size_figure};
use crate::chart::{Chart, Subject};
use crate::figure::{Figure, Quantity};

pub const CHART: Chart = Chart {
    name: "message_latency",
    question: "How long is a message of each size under way?",
    figure,
};

fn figure(subject: &Subject) -> Option<Figure> {
    size_figure(
        Words {
            name: CHART.name,
            title: "Time one way by message size",
            caption: "Half of the median round trip of a ping-pong, as NetPIPE states its latency.",
            y: "time one way (logarithmic)",
        },
        Quantity::Latency,
        &subject.drawings.message_latency,
    )
}
