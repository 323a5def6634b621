//! How many operations per second did each host complete over time?

use plumb_model::statement::Statement;
use plumb_words::numbers::show_count;

use crate::chart::heat_map::{MapTexts, figure_of, greatest};
use crate::chart::{Chart, Subject};
use crate::figure::{Figure, Quantity};

pub const CHART: Chart = Chart {
    name: "host_iops",
    question: "Which host got how much, and when?",
    figure,
};

fn figure(subject: &Subject) -> Option<Figure> {
    let words = subject.words;
    let map = subject.plots.host_iops.as_ref()?;
    let full = greatest(map);
    let texts = MapTexts {
        name: CHART.name,
        title: words.label("label-hosts-over-time-rates"),
        caption: words.sentence(
            &Statement::new("hosts-over-time-rates-caption").name("full", show_count(full)),
        ),
        row: words.label("label-host"),
        quantity: Quantity::OperationsPerSecond,
        alternative: words.sentence(
            &Statement::new("hosts-over-time-rates-alternative")
                .count("hosts", map.rows.len() as u64)
                .count("intervals", map.columns_s.len() as u64),
        ),
    };
    figure_of(map, texts, full, show_count, words)
}
