//! Which sides fail in a row of the table, and therefore cannot be better?

use crate::compare::effects::Column;
use crate::compare::failures::{FailingSide, Failures};
use crate::compare::matching::StepRow;

/// Sides that fail clearly more often than another.
pub(in crate::compare) fn failing_more(
    row: &StepRow,
    failures: &[Option<Failures>],
) -> Vec<FailingSide> {
    let exceeds = |(side, of_side): (usize, &Option<Failures>)| {
        let here = (*of_side)?;
        let clearly = failures.iter().flatten().any(|other| here.exceed(other));
        clearly.then(|| FailingSide {
            step: row.name.clone(),
            side,
            failures: here,
        })
    };
    failures.iter().enumerate().filter_map(exceeds).collect()
}

/// A side whose operations failed may not win over one whose operations did not.
pub(in crate::compare) fn mark_failing(columns: &mut [Column], failures: &[Option<Failures>]) {
    for (side, (column, of_side)) in columns.iter_mut().zip(failures).enumerate() {
        let Some(here) = of_side.filter(Failures::spoil) else {
            continue;
        };
        let others = failures
            .iter()
            .enumerate()
            .filter(|(index, _)| if side == 0 { *index > 0 } else { *index == 0 });
        if others
            .filter_map(|(_, other)| *other)
            .any(|other| here.exceed(&other))
        {
            column.failing = Some(here);
        }
    }
}
