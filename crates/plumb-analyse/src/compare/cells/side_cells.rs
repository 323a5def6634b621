//! Which cells and how many rounds does a side have, and which figures support a sentence on a cell?

use plumb_model::results::comparison::{Cell, Comparison, Effect, compared_metric, side_letter};
use plumb_model::results::summary::{Sentence, SentenceEvidence};
use plumb_model::statement::{Argument, Statement};

use crate::compare::wording::figure;
use crate::phrases::rests_on;

/// Most sentences on differences of one side, and on published figures.
pub(in crate::compare) const MOST_DIFFERENCES: usize = 6;

/// Cells of one side with a matching effect.
pub(in crate::compare) fn cells_of<'c>(
    comparison: &'c Comparison,
    side: usize,
    chosen: impl Fn(&Effect) -> bool + 'c,
) -> impl Iterator<Item = (&'c Cell, &'c Effect)> {
    let of_side = move |cell: &'c Cell| {
        Some((
            cell,
            cell.effects
                .iter()
                .find(|effect| effect.side as usize == side)?,
        ))
    };
    comparison
        .cells
        .iter()
        .filter_map(of_side)
        .filter(move |(_, effect)| chosen(effect))
}

/// Most rounds that any cell has on the side that has fewer, on the baseline, and on the other side.
pub(in crate::compare) fn fewest_rounds(
    comparison: &Comparison,
    side: usize,
) -> (usize, usize, usize) {
    let rounds = |index: usize| {
        let count = |cell: &Cell| {
            cell.sides
                .get(index)
                .map_or(0, |side| side.rounds.iter().flatten().count())
        };
        comparison.cells.iter().map(count).max().unwrap_or(0)
    };
    let (ours, theirs) = (rounds(0), rounds(side));
    (ours.min(theirs), ours, theirs)
}

pub(in crate::compare) fn sentence(
    statement: Statement,
    evidence: Vec<SentenceEvidence>,
) -> Sentence {
    Sentence {
        statement,
        evidence,
    }
}

/// Both values, the ratio and the adjusted p-value.
pub(in crate::compare) fn evidence(cell: &Cell, effect: &Effect) -> Vec<SentenceEvidence> {
    let Some(metric) = compared_metric(&cell.metric) else {
        return Vec::new();
    };
    let of = |index: usize| {
        let value = figure(metric, cell.sides.get(index)?.value?);
        let value = match &cell.kind {
            Some(kind) => Statement::new("evidence-kind-and-figure")
                .name("kind", kind)
                .with("figure", value)
                .into(),
            None => value,
        };
        Some(rests_on(side_letter(index), value))
    };
    // Three digits after the point: 1.004 is not 1.
    let digits = |ratio: f64| Argument::Name(format!("{ratio:.3}"));
    let ratio = effect
        .ratio
        .map(|ratio| rests_on(Statement::new("evidence-ratio"), digits(ratio)));
    let interval = effect.interval.map(|(low, high)| {
        let interval = Statement::new("from-to")
            .with("low", digits(low))
            .with("high", digits(high));
        rests_on(Statement::new("evidence-interval"), interval)
    });
    let p = effect.adjusted_p_value.map(|p| {
        rests_on(
            Statement::new("evidence-adjusted-p-value"),
            format!("{p:.2e}"),
        )
    });
    [of(0), of(effect.side as usize), ratio, interval, p]
        .into_iter()
        .flatten()
        .collect()
}
