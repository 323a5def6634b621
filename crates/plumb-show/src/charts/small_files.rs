//! How many small files per second can be made, looked at, read and removed?

use crate::chart::bars::{Words, bar_figure};
use crate::chart::{Chart, Subject};
use crate::figure::{Figure, Quantity};

pub const CHART: Chart = Chart {
    name: "small_files",
    question: "How many small files per second can be made, looked at, read and removed?",
    figure,
};

fn figure(subject: &Subject) -> Option<Figure> {
    let bars = subject.drawings.file_operation_bars.as_ref()?;
    bar_figure(
        Words {
            name: CHART.name,
            title: "Operations on small files",
            caption: "Operations per second by kind. Whiskers span the lowest and highest of the rounds.",
            x: "operation",
            y: "operations per second",
        },
        Quantity::OperationsPerSecond,
        bars,
        str::to_string,
    )
}
