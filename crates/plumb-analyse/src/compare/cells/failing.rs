//! Which sides fail in a row of the table, and which of them may not win?

use crate::compare::effects::Column;
use crate::compare::matching::Row;
use crate::compare::troubles::{Failures, Trouble};

/// Sides that fail clearly more often than another.
pub(in crate::compare) fn troubles(row: &Row, failures: &[Option<Failures>]) -> Vec<Trouble> {
    let exceeds = |(side, failures_here): (usize, &Option<Failures>)| {
        let here = (*failures_here)?;
        let clearly = failures.iter().flatten().any(|other| here.exceed(other));
        clearly.then(|| Trouble {
            step: row.name.clone(),
            side,
            failures: here,
        })
    };
    failures.iter().enumerate().filter_map(exceeds).collect()
}

/// A side whose operations failed may not win over one whose operations did not.
pub(in crate::compare) fn mark_failing(columns: &mut [Column], failures: &[Option<Failures>]) {
    for (side, (column, failures_here)) in columns.iter_mut().zip(failures).enumerate() {
        let Some(here) = failures_here.filter(Failures::spoil) else {
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
