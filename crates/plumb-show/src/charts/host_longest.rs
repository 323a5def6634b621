//! On which host did operations take long over time?

use plumb_model::statement::Statement;
use plumb_words::numbers::show_time_ns;

use crate::chart::heat_map::{MapTexts, figure_of, greatest};
use crate::chart::{Chart, Subject};
use crate::figure::{Figure, Quantity};

pub const CHART: Chart = Chart {
    name: "host_longest",
    question: "On which host did operations take long, and when?",
    figure,
};

fn figure(subject: &Subject) -> Option<Figure> {
    let words = subject.words;
    let map = subject.plots.host_longest.as_ref()?;
    let full = greatest(map);
    let texts = MapTexts {
        name: CHART.name,
        title: words.label("label-hosts-over-time-longest"),
        caption: words.sentence(
            &Statement::new("hosts-over-time-longest-caption").name("full", show_time_ns(full)),
        ),
        row: words.label("label-host"),
        quantity: Quantity::Latency,
        alternative: words.sentence(
            &Statement::new("hosts-over-time-longest-alternative")
                .count("hosts", map.rows.len() as u64)
                .count("intervals", map.columns_s.len() as u64),
        ),
    };
    figure_of(map, texts, full, show_time_ns, words)
}
