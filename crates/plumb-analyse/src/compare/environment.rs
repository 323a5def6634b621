//! How do the environments of the sides differ? Facts of the runs, and published conditions.

use plumb_model::environment::Environment;
use plumb_model::results::comparison::Difference;

use crate::compare::entrants::Entrant;
use crate::compare::published::setup_differences;
use crate::environment_differences::environment_differences;

/// Differences of the environment, one value for each side: first what publications state, then the facts in which the runs differ among themselves.
pub(super) fn differences(entrants: &[Entrant]) -> Vec<Difference> {
    let runs: Vec<(usize, &Environment)> = entrants
        .iter()
        .enumerate()
        .filter_map(|(side, entrant)| Some((side, &entrant.run()?.header.environment)))
        .collect();
    let mut found = match runs.len() == entrants.len() {
        true => Vec::new(),
        false => setup_differences(&entrants.iter().map(Entrant::setup).collect::<Vec<_>>()),
    };
    let environments: Vec<&Environment> =
        runs.iter().map(|(_, environment)| *environment).collect();
    for difference in environment_differences(&environments) {
        if found.iter().any(|held| held.what == difference.what) {
            continue;
        }
        let mut values = vec![None; entrants.len()];
        for ((side, _), value) in runs.iter().zip(difference.values) {
            if let Some(index) = values.get_mut(*side) {
                *index = value;
            }
        }
        found.push(Difference {
            values,
            ..difference
        });
    }
    found
}
