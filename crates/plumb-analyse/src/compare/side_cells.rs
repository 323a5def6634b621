//! Which cells has a side, and how many rounds?

use plumb_model::comparison::{Cell, Comparison, Effect};

/// Cells of one side whose effect is wanted.
pub(super) fn cells_of<'c>(
    comparison: &'c Comparison,
    side: usize,
    wanted: impl Fn(&Effect) -> bool + 'c,
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
        .filter(move |(_, effect)| wanted(effect))
}

/// Most rounds that any cell has on the side that has fewer, on the baseline, and on the other side.
pub(super) fn fewest_rounds(comparison: &Comparison, side: usize) -> (usize, usize, usize) {
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
