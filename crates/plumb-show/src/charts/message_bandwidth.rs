//! How many bits per second do messages of each size carry?

use crate::chart::sizes::{Words, size_figure};
use crate::chart::{Chart, Subject};
use crate::figure::{Figure, Quantity};

pub const CHART: Chart = Chart {
    name: "message_bandwidth",
    question: "How many bits per second do messages of each size carry?",
    figure,
};

fn figure(subject: &Subject) -> Option<Figure> {
    size_figure(
        Words {
            name: CHART.name,
            title: "Bandwidth by message size",
            caption: "Of a ping-pong, one message is under way at a time: its size over half of the round trip. Send and receive stream in one direction.",
            y: "bandwidth (logarithmic)",
        },
        Quantity::BitRate,
        &subject.drawings.message_bandwidth,
    )
}
