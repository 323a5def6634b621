//! Which cores were busy, and when?

use plumb_model::statement::Statement;

use crate::chart::heat_map::{MapTexts, figure_of};
use crate::chart::{Chart, Subject};
use crate::figure::{Figure, Quantity, percent_text};

pub const CHART: Chart = Chart {
    name: "cpu_heat_map",
    question: "Which cores were busy, and when?",
    figure,
};

fn figure(subject: &Subject) -> Option<Figure> {
    let words = subject.words;
    let map = subject.plots.cpu_heat_map.as_ref()?;
    let texts = MapTexts {
        name: CHART.name,
        title: words.label("label-cpu-of-each-core"),
        caption: words.label("label-cpu-of-each-core-caption"),
        row: words.label("label-core"),
        quantity: Quantity::Percent,
        alternative: words.sentence(
            &Statement::new("chart-cpu-alternative")
                .count("cores", map.rows.len() as u64)
                .count("intervals", map.columns_s.len() as u64),
        ),
    };
    figure_of(map, texts, 100.0, percent_text, words)
}
