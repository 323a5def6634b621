//! How does a comparison stand while it goes on? How many figures are worse, better, the same and undecided.

use plumb_model::results::comparison::{Comparison, Tally};
use plumb_model::statement::Statement;

/// `after 6 blocks: 3 worse, 12 the same, 9 undecided`.
pub(super) fn of(comparison: &Comparison, blocks: u32) -> Statement {
    let sum = |of: fn(&Tally) -> u32| u64::from(comparison.tallies.iter().map(of).sum::<u32>());
    let (worse, better) = (sum(|tally| tally.worse), sum(|tally| tally.better));
    let (same, undecided) = (sum(|tally| tally.same), sum(|tally| tally.undecided));
    let counts = [
        (worse, Statement::new("stands-worse").count("count", worse)),
        (
            better,
            Statement::new("stands-better").count("count", better),
        ),
        (same, Statement::new("stands-same").count("count", same)),
        (
            undecided,
            Statement::new("stands-undecided").count("count", undecided),
        ),
    ];
    let told = counts.into_iter().filter(|(count, _)| *count > 0);
    let joined = told.map(|(_, said)| said).rev().reduce(|rest, first| {
        Statement::new("stands-between-counts")
            .part("first", first)
            .part("rest", rest)
    });
    match joined {
        Some(counts) => Statement::new("stands-after-blocks")
            .count("blocks", blocks.into())
            .part("counts", counts),
        None => Statement::new("stands-with-nothing").count("blocks", blocks.into()),
    }
}
