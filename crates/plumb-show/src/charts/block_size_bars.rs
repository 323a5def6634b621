//! Which block size does it take to reach the full bandwidth?

use plumb_model::units::Bytes;
use plumb_words::numbers::show_bytes;

use crate::chart::bars::{Labels, bar_figure};
use crate::chart::{Chart, Subject};
use crate::figure::{Figure, Quantity};

pub const CHART: Chart = Chart {
    name: "block_size_bars",
    question: "Which block size does it take to reach the full bandwidth?",
    figure,
};

fn figure(subject: &Subject) -> Option<Figure> {
    let bars = subject.plots.block_bars.as_ref()?;
    let size = |label: &str| {
        label
            .parse::<Bytes>()
            .map_or_else(|_| label.to_string(), |bytes| show_bytes(bytes.0 as f64))
    };
    bar_figure(
        subject.words,
        Labels {
            name: CHART.name,
            title: "label-bandwidth-by-block-size",
            caption: "label-bandwidth-by-block-size-caption",
            x: "label-block-size",
            y: "label-bandwidth",
        },
        Quantity::Bandwidth,
        bars,
        size,
    )
}
