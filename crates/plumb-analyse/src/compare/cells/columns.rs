//! Which values do the rounds of each side have in one cell? The input of the statistics.

use std::collections::BTreeSet;

use plumb_model::results::comparison::{CellSide, ComparedMetric, Design};
use plumb_model::results::reference::PublishedFigure;

use crate::compare::effects::Column;
use crate::compare::figures::{Round, latency_metric};
use crate::statistics::mean;

/// The sides of one cell. In blocks, round i of each side has index i.
pub(in crate::compare) fn columns(
    design: Design,
    rounds: &[Option<Vec<Round>>],
    index: usize,
    metric: &ComparedMetric,
    figures: &[Option<&PublishedFigure>],
) -> Vec<Column> {
    let numbers: BTreeSet<u32> = rounds
        .iter()
        .flatten()
        .flatten()
        .map(|round| round.number)
        .collect();
    let column =
        |(rounds, figure): (&Option<Vec<Round>>, &Option<&PublishedFigure>)| match (rounds, figure)
        {
            (Some(rounds), _) => {
                let value = |round: &Round| round.values.get(index).copied().flatten();
                let is_missing = |round: &&Round| {
                    latency_metric(metric.id) && round.counts && value(round).is_none()
                };
                let too_few = rounds.iter().filter(is_missing).count();
                let known = rounds
                    .iter()
                    .filter(|round| value(round).is_some())
                    .filter_map(|round| round.resolutions.get(index).copied());
                let resolution = mean(&known.collect::<Vec<f64>>()).unwrap_or(0.0);
                let rounds = match design {
                    Design::Independent => rounds.iter().map(value).collect(),
                    Design::Blocks => {
                        let of = |number: &u32| {
                            rounds
                                .iter()
                                .find(|round| round.number == *number)
                                .and_then(value)
                        };
                        numbers.iter().map(of).collect()
                    }
                };
                Column {
                    rounds,
                    too_few,
                    resolution,
                    ..Column::default()
                }
            }
            (None, Some(figure)) => Column {
                rounds: vec![figure.value],
                published: true,
                ..Column::default()
            },
            (None, None) => Column::default(),
        };
    rounds.iter().zip(figures).map(column).collect()
}

/// A column as the comparison holds it.
pub(in crate::compare) fn cell_side(column: &Column) -> CellSide {
    let (value, interval) = column.location();
    CellSide {
        rounds: column.rounds.clone(),
        value,
        interval,
        remarks: Vec::new(),
    }
}
