//! What are the caveats of a comparison? Failures, different times, a different machine state, and anomalies of the rounds.

use std::collections::BTreeMap;

use plumb_model::results::comparison::{Comparison, Design, side_letter};
use plumb_model::run::Run;
use plumb_model::statement::Statement;

use crate::compare::cells::anomalies::{Anomaly, gathered};
use crate::compare::cells::side_cells::cells_of;
use crate::compare::entrants::Entrant;
use crate::compare::failures::FailingSide;
use crate::compare::machine::machine_statements;
use crate::phrases::rounded_percent;
use crate::phrases::{NAMED, named};

const HOUR_NS: u64 = 3_600_000_000_000;
/// Hours from which days are stated.
const DAYS_FROM_HOURS: u64 = 48;

/// Caveats of the comparison.
pub(super) fn remarks(
    entrants: &[Entrant],
    comparison: &Comparison,
    failures: &[FailingSide],
    anomalies: &[Anomaly],
) -> Vec<Statement> {
    let mut remarks: Vec<Statement> = Vec::new();
    remarks.extend(failures.iter().take(NAMED).map(|failing_side| {
        Statement::new("failures-of-side")
            .name("side", side_letter(failing_side.side))
            .name("step", &failing_side.step)
            .parts("failures", failing_side.failures.statements())
    }));
    if failures.len() > NAMED {
        let more = (failures.len() - NAMED) as u64;
        remarks.push(Statement::new("more-steps-fail-on-one-side").count("more", more));
    }
    remarks.extend(same_record(entrants));
    if comparison.method.design == Design::Independent && !comparison.cells.is_empty() {
        remarks.extend(different_times(entrants));
    }
    remarks.extend((1..comparison.sides.len()).filter_map(|side| machine_of(comparison, side)));
    remarks.extend(gathered(anomalies));
    remarks
}

/// What the machine took from one side or the other, and by how much that widens the intervals.
fn machine_of(comparison: &Comparison, side: usize) -> Option<Statement> {
    let evidence: Vec<_> = comparison
        .machine
        .iter()
        .filter(|held| held.side as usize == side)
        .cloned()
        .collect();
    let most_steps = evidence.iter().max_by_key(|held| held.steps.len())?;
    let widest = cells_of(comparison, side, |_| true)
        .filter_map(|(_, effect)| effect.machine)
        .map(|(below, above)| below.max(above))
        .fold(0.0, f64::max);
    let letter = side_letter(side);
    let widened = match widest >= 1.0 {
        true => Statement::new("widened-by-more-than-half"),
        false => Statement::new("widened-by-up-to").percent("part", rounded_percent(widest)),
    };
    Some(
        Statement::new("machine-was-not-the-same")
            .part("steps", named(&most_steps.steps))
            .parts(
                "evidence",
                machine_statements(&evidence, &side_letter(0), &letter),
            )
            .part("widened", widened)
            .name("side", letter),
    )
}

/// Separate runs were measured at different times.
fn different_times(entrants: &[Entrant]) -> Option<Statement> {
    let mut runs: Vec<(usize, &Run)> = entrants
        .iter()
        .enumerate()
        .filter_map(|(side, entrant)| Some((side, entrant.run()?)))
        .collect();
    runs.sort_by_key(|(_, run)| run.header.started_unix_ns);
    let ((first, earliest), (last, latest)) = (runs.first()?, runs.last()?);
    if runs.len() < 2 {
        return None;
    }
    let (began, ended) = (
        earliest.header.started_unix_ns,
        latest.header.started_unix_ns,
    );
    let apart_s = ended.saturating_sub(began) / 1_000_000_000;
    // An imported run may not record its start.
    if began == 0 || apart_s == 0 {
        return Some(Statement::new("measured-each-by-itself"));
    }
    Some(
        Statement::new("measured-at-different-times")
            .name("first", side_letter(*first))
            .name("last", side_letter(*last))
            .part("time", time_apart(apart_s * 1_000_000_000)),
    )
}

/// A record compared with itself proves nothing.
fn same_record(entrants: &[Entrant]) -> Option<Statement> {
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    for (side, run) in entrants
        .iter()
        .enumerate()
        .filter_map(|(side, entrant)| Some((side, entrant.run()?)))
    {
        if let Some(first) = seen.insert(&run.header.id, side) {
            return Some(
                Statement::new("sides-have-the-same-record")
                    .name("a", side_letter(first))
                    .name("b", side_letter(side)),
            );
        }
    }
    None
}

fn time_apart(ns: u64) -> Statement {
    match ns / HOUR_NS {
        0 => Statement::new("less-than-an-hour").time_ns("time", ns as f64),
        hours if hours < DAYS_FROM_HOURS => Statement::new("hours").count("hours", hours),
        hours => Statement::new("days").count("days", hours / 24),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_apart_in_the_unit_that_fits() {
        let check = |ns: u64, expect: Statement| assert_eq!(time_apart(ns), expect, "{ns}");
        let short = Statement::new("less-than-an-hour").time_ns("time", HOUR_NS as f64 - 1.0);
        check(HOUR_NS - 1, short);
        check(HOUR_NS, Statement::new("hours").count("hours", 1));
        check(48 * HOUR_NS - 1, Statement::new("hours").count("hours", 47));
        check(48 * HOUR_NS, Statement::new("days").count("days", 2));
        check(71 * HOUR_NS, Statement::new("days").count("days", 2));
    }
}
