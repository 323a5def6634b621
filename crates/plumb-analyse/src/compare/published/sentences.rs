//! What is said of measured figures beside published ones? How many there are, how far apart they lie, and what pinning gave.

use plumb_model::results::published::{Pinning, PublishedTable};
use plumb_model::results::summary::Sentence;
use plumb_model::statement::Statement;

use crate::compare::cells::side_cells::sentence;
use crate::phrases::{change, rests_on};

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
    for column in 0..table.systems.len() {
        for run in 0..table.runs.len() {
            sentences.extend(span(table, column, run));
        }
    }
    sentences.extend(of_pinning(&table.pinning));
    sentences
}

/// The smallest and the largest ratio of a run to a system.
fn span(table: &PublishedTable, column: usize, run: usize) -> Option<Sentence> {
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
    let ((low, low_row), (high, high_row)) = (*ratios.first()?, *ratios.last()?);
    let statement = match ratios.len() {
        1 => Statement::new("one-figure-against-published"),
        _ => Statement::new("figures-against-published"),
    }
    .name("run", table.runs.get(run)?)
    .name("system", &table.systems.get(column)?.system)
    .count("figures", ratios.len() as u64)
    .name("low-row", low_row)
    .with("low", change(low))
    .name("high-row", high_row)
    .with("high", change(high));
    let evidence = rests_on(
        Statement::new("evidence-figures-in-common"),
        ratios.len() as u64,
    );
    Some(sentence(statement, vec![evidence]))
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
