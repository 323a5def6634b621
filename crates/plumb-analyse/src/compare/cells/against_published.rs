//! How do published figures compare with measured or other published ones? Only the ratio, no verdict.

use plumb_model::results::comparison::{
    Cell, Comparison, Effect, SideKind, compared_metric, side_letter,
};
use plumb_model::results::summary::Sentence;
use plumb_model::statement::Statement;

use crate::compare::cells::side_cells::{MOST_DIFFERENCES, cells_of, evidence, sentence};
use crate::compare::wording::figure;
use crate::phrases::change;
use crate::phrases::rests_on;

/// Ratios stated as equal.
const EQUAL: std::ops::Range<f64> = 0.995..1.005;

/// Sentence on this side and the baseline, at least one of which is published.
pub(in crate::compare) fn sentences(comparison: &Comparison, side: usize) -> Vec<Sentence> {
    let label = |index: usize| {
        comparison
            .sides
            .get(index)
            .map_or("", |side| side.label.as_str())
    };
    let rows: Vec<_> = cells_of(comparison, side, |effect| effect.ratio.is_some()).collect();
    if rows.is_empty() {
        let statement = Statement::new("no-figure-in-common").name("side", side_letter(side));
        return vec![sentence(statement, Vec::new())];
    }
    let in_common = || {
        vec![rests_on(
            Statement::new("evidence-figures-in-common"),
            rows.len() as u64,
        )]
    };
    let mut sentences = vec![sentence(
        Statement::new("figures-in-common-with-published")
            .name("first", label(0))
            .name("second", label(side))
            .count("figures", rows.len() as u64),
        in_common(),
    )];
    sentences.extend(
        rows.iter()
            .take(MOST_DIFFERENCES)
            .filter_map(|(cell, effect)| of_cell(comparison, side, (cell, effect))),
    );
    if rows.len() > MOST_DIFFERENCES {
        let more = (rows.len() - MOST_DIFFERENCES) as u64;
        sentences.push(sentence(
            Statement::new("more-in-the-table").count("more", more),
            in_common(),
        ));
    }
    sentences
}

fn of_cell(
    comparison: &Comparison,
    side: usize,
    (cell, effect): (&Cell, &Effect),
) -> Option<Sentence> {
    let (metric, ratio) = (compared_metric(&cell.metric)?, effect.ratio?);
    let value = |index: usize| Some(figure(metric, cell.sides.get(index)?.value?));
    let (first, second) = (value(0)?, value(side)?);
    let letter = |index: usize| {
        let published = comparison
            .sides
            .get(index)
            .is_some_and(|side| side.kind == SideKind::Reference);
        match published {
            true => Statement::new("published-side"),
            false => Statement::new("measured-side"),
        }
        .name("side", side_letter(index))
    };
    let statement = match EQUAL.contains(&ratio) {
        true => Statement::new("figures-are-equal"),
        false => Statement::new("figure-is-times-the-other").with("ratio", change(ratio)),
    }
    .name("step", &cell.step)
    .name("a", side_letter(0))
    .name("b", side_letter(side))
    .with("first", first)
    .with("second", second)
    .part("first-side", letter(0))
    .part("second-side", letter(side));
    Some(sentence(statement, evidence(cell, effect)))
}
