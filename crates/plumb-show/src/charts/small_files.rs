//! How many small files per second can be created, stat'ed, read and deleted?

use crate::chart::bars::{Labels, bar_figure};
use crate::chart::{Chart, Subject};
use crate::figure::{Figure, Quantity};

pub const CHART: Chart = Chart {
    name: "small_files",
    question: "How many small files per second can be created, stat'ed, read and deleted?",
    figure,
};

fn figure(subject: &Subject) -> Option<Figure> {
    let bars = subject.plots.file_operation_bars.as_ref()?;
    bar_figure(
        subject.words,
        Labels {
            name: CHART.name,
            title: "label-small-files",
            caption: "label-small-files-caption",
            x: "label-operation",
            y: "label-operations-per-second",
        },
        Quantity::OperationsPerSecond,
        bars,
        str::to_string,
    )
}
