//! What are the service times of reads and writes of each size?

use plumb_model::statement::Statement;
use plumb_model::trace::size_times::{SizeTimes, TimesOfSize};
use plumb_words::Words;
use plumb_words::numbers::{count, show_bytes};

use crate::figure::{
    Axis, Column, Figure, Mark, Naming, Quantity, Scale, Table, latency_text, percent_text,
};
use crate::wording::MISSING;

/// Fraction of the full color for the smallest nonzero share.
const FAINTEST: f64 = 0.08;

/// The figure; `None` without sizes.
pub(crate) fn size_and_time(of: &SizeTimes, words: Words) -> Option<Figure> {
    if of.sizes.is_empty() {
        return None;
    }
    let shares = of.sizes.iter().flat_map(|size| &size.shares);
    let full = shares.copied().fold(0.0, f64::max) * 100.0;
    // Rare values stay visible, and cells without calls stay empty.
    let cells = |size: &TimesOfSize| -> Vec<Option<f64>> {
        let colour = |share: &f64| match *share > 0.0 {
            true => (share * 100.0).max(FAINTEST * full),
            false => 0.0,
        };
        size.shares
            .iter()
            .map(|share| Some(colour(share)))
            .collect()
    };
    let name = |size: &TimesOfSize| {
        let bytes = show_bytes(size.up_to_bytes as f64);
        words.sentence(
            &Statement::new("explain-size-row")
                .name("size", bytes)
                .count("count", size.count),
        )
    };
    Some(Figure {
        name: "size_and_time",
        title: words.label("label-explain-size-and-time"),
        caption: words.label("label-explain-size-and-time-caption"),
        x: Axis {
            label: words.label("label-explain-service-time-logarithmic"),
            quantity: Quantity::Latency,
            scale: Scale::Logarithmic,
        },
        y: Axis {
            label: words.label("label-explain-size-up-to"),
            quantity: Quantity::Category,
            scale: Scale::Categories(of.sizes.iter().map(name).collect()),
        },
        marks: vec![Mark::Cells {
            edges: of.time_edges_ns.clone(),
            cells: of.sizes.iter().map(cells).collect(),
            full,
            of: Quantity::Percent,
        }],
        naming: Naming::Direct,
        alternative: words.sentence(
            &Statement::new("explain-size-and-time-alternative")
                .count("sizes", of.sizes.len() as u64),
        ),
        table: table(of, words),
    })
}

/// One row per class of service time, one column per size.
fn table(of: &SizeTimes, words: Words) -> Table {
    let size = |size: &TimesOfSize| Column::number(show_bytes(size.up_to_bytes as f64));
    let row = |(place, edge): (usize, &f64)| {
        let share = |size: &TimesOfSize| match size.shares.get(place) {
            Some(share) if *share > 0.0 => percent_text(share * 100.0),
            _ => MISSING.to_string(),
        };
        std::iter::once(latency_text(*edge))
            .chain(of.sizes.iter().map(share))
            .collect()
    };
    let counts: Vec<String> = std::iter::once(words.label("label-trace-calls"))
        .chain(of.sizes.iter().map(|size| count(size.count)))
        .collect();
    Table {
        columns: std::iter::once(Column::number(words.label("label-explain-until")))
            .chain(of.sizes.iter().map(size))
            .collect(),
        rows: std::iter::once(counts)
            .chain(of.time_edges_ns.iter().skip(1).enumerate().map(row))
            .collect(),
        note: String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_size_is_a_row_and_nothing_is_no_figure() {
        let size = |up_to_bytes, shares: &[f64]| TimesOfSize {
            up_to_bytes,
            count: 7,
            shares: shares.to_vec(),
        };
        let mut of = SizeTimes {
            time_edges_ns: vec![1e3, 2e3, 4e3],
            sizes: vec![size(4096, &[1.0, 0.0]), size(65_536, &[0.001, 0.999])],
        };
        let figure = size_and_time(&of, Words::english()).expect("a figure");
        let Some(Mark::Cells { cells, full, .. }) = figure.marks.first() else {
            panic!("{figure:?}");
        };
        assert_eq!(*full, 100.0);
        assert_eq!(cells[0], [Some(100.0), Some(0.0)]);
        assert_eq!(cells[1], [Some(8.0), Some(99.9)], "what is rare is seen");
        assert_eq!(figure.table.rows.len(), 3);
        of.sizes.clear();
        assert_eq!(size_and_time(&of, Words::english()), None);
    }
}
