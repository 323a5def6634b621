//! What do recorded counters show? The common derivation of their figures, for the live view and for recordings.

mod ceilings;
mod derivation;
mod formula;
mod group;
mod groups;
mod over_time;
mod own_shares;
#[cfg(test)]
mod tests;

use plumb_model::results::watch::{WATCH_SCHEMA, WatchInterval, WatchSummary};
use plumb_model::run::{Event, INCOMPLETE, Run};

pub use ceilings::ceilings;
pub use derivation::Derivation;
pub use over_time::over_time;
pub use own_shares::OwnShares;

/// True for a run whose counters are all that it has: nothing loaded anything.
pub fn is_recording(run: &Run) -> bool {
    run.header.watch.is_some() || (run.ticks.is_empty() && !run.readings.is_empty())
}

/// The figures of a whole recording, `source` as the user named it; each interval is handed to `take`. What plumb's own clients did on a share stands among
/// them, under the names of Windows' client.
pub fn summarise_recording(
    run: &Run,
    source: &str,
    mut take: impl FnMut(WatchInterval),
) -> WatchSummary {
    let mut derivation = Derivation::new();
    let mut own_shares = OwnShares::of(run);
    for sample in run.readings.chunk_by(|a, b| a.time_ns == b.time_ns) {
        if let Some(interval) = derivation.take(&own_shares.beside(sample)) {
            take(interval);
        }
    }
    summary_of(run, &derivation, source)
}

/// The same of samples that were derived one by one: the readings of `run` are not looked at.
pub fn summary_of(run: &Run, derivation: &Derivation, source: &str) -> WatchSummary {
    let events = || run.notes.iter().rev().map(|note| &note.event);
    let cost = events().find_map(|event| match event {
        Event::Watched { cost } => Some(cost.clone()),
        _ => None,
    });
    let command_end = events().find_map(|event| match event {
        Event::CommandEnded { end } => Some(end.clone()),
        _ => None,
    });
    let mut doubts = run.doubts.clone();
    let imported = run.header.imported.iter();
    doubts.extend(imported.flat_map(|imported| imported.doubts.clone()));
    WatchSummary {
        schema: WATCH_SCHEMA,
        source: source.into(),
        started: run.header.started.clone(),
        recorded_by: run.header.command.clone(),
        watch: run.header.watch.clone(),
        span_ns: derivation.span_ns(),
        intervals: derivation.intervals(),
        state: events().find_map(Event::state).unwrap_or(INCOMPLETE).into(),
        cost,
        command_end,
        tables: derivation.tables(),
        doubts,
    }
}
