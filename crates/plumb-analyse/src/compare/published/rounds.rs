//! Which values do the rounds of one step have, and those of several as their mean?

use std::collections::BTreeMap;

use plumb_model::results::comparison::ComparedMetric;
use plumb_model::run::histogram::Histogram;

use crate::compare::effects::Column;
use crate::compare::figures::Measured;
use crate::statistics::mean;

/// The rounds of a step; of several, the mean over them in each round that all of them have.
pub(in crate::compare) fn column(
    measured: &Measured,
    steps: &[usize],
    metric: &'static ComparedMetric,
    part: f64,
) -> Column {
    let mut scratch = Histogram::default();
    let mut rounds: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
    let mut resolutions = Vec::new();
    for step in steps {
        for round in measured.rounds(*step, None, &[metric], &mut scratch) {
            if let Some(value) = round.values.first().copied().flatten() {
                rounds.entry(round.number).or_default().push(value * part);
                resolutions.extend(round.resolutions.first());
            }
        }
    }
    Column {
        rounds: rounds
            .into_values()
            .map(|values| mean(&values).filter(|_| values.len() == steps.len()))
            .collect(),
        resolution: mean(&resolutions).unwrap_or(0.0),
        ..Column::default()
    }
}
