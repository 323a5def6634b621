//! What is said of measured figures beside published ones? How many there are, how far apart they lie, and what pinning gave.

use plumb_model::results::published::{Pinning, PublishedTable};
use plumb_model::results::summary::Sentence;
use plumb_model::statement::Statement;

use crate::compare::cells::side_cells::sentence;
use crate::phrases::{change, is_factor, rests_on, times};

/// The sentences on one table. No verdict is among them: a published figure has no spread.
pub(in crate::compare) fn sentences(table: &PublishedTable) -> Vec<Sentence> {
    let measured = table.measured().count() as u64;
    let mut sentences = vec![sentence(
        Statement::new("published-figures-measured")
            .name("experiment", &table.experiment)
            .count("measured", measured)
            .count("figures", table.rows.len() as u64),
        vec![rests_on(
            Statement::new("evidence-figures-in-common"),
            measured,
        )],
    )];
    let spans: Vec<Span> = (0..table.systems.len())
        .flat_map(|column| (0..table.runs.len()).filter_map(move |run| span(table, column, run)))
        .collect();
    // Percent beside factors would have to be converted by the reader: all are factors where one is.
    let in_times = spans
        .iter()
        .any(|span| is_factor(span.low.0) || is_factor(span.high.0));
    sentences.extend(spans.iter().map(|span| span.stated(in_times)));
    sentences.extend(of_pinning(&table.pinning));
    sentences
}

/// The smallest and the largest ratio of a run to a system, each with its row.
struct Span<'a> {
    run: &'a str,
    system: &'a str,
    figures: usize,
    low: (f64, &'a str),
    high: (f64, &'a str),
}

fn span(table: &PublishedTable, column: usize, run: usize) -> Option<Span<'_>> {
    let mut ratios: Vec<(f64, &str)> = table
        .rows
        .iter()
        .filter_map(|row| {
            let cell = row.measured.get(run)?.as_ref()?;
            let ratio = cell.ratios.get(column).copied().flatten()?;
            Some((ratio, row.name.as_str()))
        })
        .collect();
    ratios.sort_by(|a, b| a.0.total_cmp(&b.0));
    Some(Span {
        run: table.runs.get(run)?,
        system: &table.systems.get(column)?.system,
        figures: ratios.len(),
        low: *ratios.first()?,
        high: *ratios.last()?,
    })
}

impl Span<'_> {
    /// In percent of change, or as multiples of the published figures.
    fn stated(&self, in_times: bool) -> Sentence {
        let size = |ratio: f64| match in_times {
            true => times(ratio),
            false => change(ratio),
        };
        let figures = self.figures as u64;
        let statement = match (self.figures, in_times) {
            (1, false) => Statement::new("one-figure-against-published"),
            (1, true) => Statement::new("one-figure-times-published"),
            (_, false) => Statement::new("figures-against-published"),
            (_, true) => Statement::new("figures-times-published"),
        }
        .name("run", self.run)
        .name("system", self.system)
        .count("figures", figures)
        .name("low-row", self.low.1)
        .with("low", size(self.low.0))
        .name("high-row", self.high.1)
        .with("high", size(self.high.0));
        let evidence = rests_on(Statement::new("evidence-figures-in-common"), figures);
        sentence(statement, vec![evidence])
    }
}

/// Where pinning gave most, and how many of its effects are more than chance.
fn of_pinning(pinning: &[Pinning]) -> Option<Sentence> {
    let shown = |held: &&Pinning| {
        held.interval
            .is_some_and(|(low, high)| low > 1.0 || high < 1.0)
    };
    let most = pinning
        .iter()
        .filter(|held| held.ratio.is_some())
        .max_by(|a, b| {
            let size = |held: &Pinning| held.ratio.map_or(0.0, |ratio| ratio.ln().abs());
            size(a).total_cmp(&size(b))
        })?;
    let interval = match most.interval {
        Some((low, high)) => Statement::new("pinning-interval")
            .with("low", change(low))
            .with("high", change(high)),
        None => Statement::new("pinning-without-interval"),
    };
    let statement = Statement::new("pinning-changed")
        .count("shown", pinning.iter().filter(shown).count() as u64)
        .count("all", pinning.len() as u64)
        .name("test", &most.test)
        .count("workers", u64::from(most.workers))
        .count("depth", u64::from(most.depth))
        .with("change", change(most.ratio?))
        .part("interval", interval);
    let evidence = rests_on(
        Statement::new("evidence-figures-in-common"),
        pinning.len() as u64,
    );
    Some(sentence(statement, vec![evidence]))
}

#[cfg(test)]
mod tests {
    use plumb_model::results::published::{MeasuredCell, PublishedRow, PublishedSystem};

    use super::*;

    /// A table of two systems, with these ratios of one run to both in each row.
    fn stated(ratios: [[f64; 2]; 2]) -> Vec<String> {
        let row = |name: &str, ratios: [f64; 2]| PublishedRow {
            table: "t".into(),
            row: name.into(),
            name: name.into(),
            program: "bonnie++".into(),
            operation: "putc".into(),
            metric: Some("bandwidth".into()),
            published: Vec::new(),
            reason: None,
            measured: vec![Some(MeasuredCell {
                steps: vec![name.into()],
                others: Vec::new(),
                value: 1.0,
                interval: None,
                rounds: 1,
                ratios: ratios.map(Some).to_vec(),
                caveats: Vec::new(),
            })],
        };
        let system = |name: &str| PublishedSystem {
            reference: name.into(),
            system: name.into(),
        };
        let table = PublishedTable {
            experiment: "E6".into(),
            question: String::new(),
            systems: vec![system("FreeBSD"), system("Linux")],
            runs: vec!["mine".into()],
            rows: vec![row("putc", ratios[0]), row("getc", ratios[1])],
            pinning: Vec::new(),
        };
        let sentences = sentences(&table).into_iter().skip(1);
        sentences
            .map(|of| plumb_words::english(&of.statement))
            .collect()
    }

    #[test]
    fn all_sentences_are_in_percent_or_all_are_factors() {
        assert_eq!(
            stated([[1.2, 2.0], [0.9, 5.99]]),
            [
                "mine against FreeBSD, 2 figures: from -10 % (getc) to +20 % (putc).",
                "mine against Linux, 2 figures: from +100 % (putc) to +499 % (getc)."
            ]
        );
        assert_eq!(
            stated([[469.0, 5.99], [0.97, 2.0]]),
            [
                "mine against FreeBSD, 2 figures: from 0.97 times the published figure (getc) to 469 times (putc).",
                "mine against Linux, 2 figures: from 2 times the published figure (getc) to 5.99 times (putc)."
            ]
        );
    }
}
