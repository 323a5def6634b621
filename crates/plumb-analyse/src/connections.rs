//! What did the engines of shares and peers count by themselves, and when was a connection lost?

use std::collections::BTreeMap;

use plumb_model::histogram::Histogram;
use plumb_model::run::{ConnectionState, Event, Run};
use plumb_model::summary::{ConnectionSummary, Outage};

use crate::executions::Execution;
use crate::tally::latency;

/// What the engines of these executions counted, and their outages; `None` when there is nothing of the kind, as for local targets.
pub fn connections(run: &Run, executions: &[&Execution]) -> Option<ConnectionSummary> {
    let is_of_step = |index: u32| executions.iter().any(|execution| execution.index == index);
    let mut numbers: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    let mut commands: BTreeMap<&str, Histogram> = BTreeMap::new();
    let mut outages: Vec<(u32, u32, Outage)> = Vec::new();
    for note in &run.notes {
        let time_s = note.time_ns as f64 / 1e9;
        match &note.event {
            Event::EngineClosed { execution, account, .. } if is_of_step(*execution) => {
                account.numbers.iter().for_each(|(name, number)| numbers.entry(name).or_default().push(*number));
                account.commands.iter().for_each(|(name, times)| commands.entry(name).or_default().merge(times));
            }
            Event::Connection { execution, job, worker, state: ConnectionState::Lost, text } if is_of_step(*execution) => {
                outages.push((*execution, *job, Outage { worker: *worker, lost_s: time_s, restored_s: None, text: text.clone() }));
            }
            Event::Connection { execution, job, worker, state: ConnectionState::Restored, text } => {
                let open = outages
                    .iter_mut()
                    .rev()
                    .find(|(of, of_job, outage)| (of, of_job, outage.worker, outage.restored_s) == (execution, job, *worker, None));
                if let Some((_, _, outage)) = open {
                    outage.restored_s = Some(time_s);
                    outage.text = format!("{}; {text}", outage.text);
                }
            }
            _ => {}
        }
    }
    let summary = ConnectionSummary {
        numbers: numbers.into_iter().map(|(name, all)| (name.to_string(), together(name, &all))).collect(),
        commands: commands.into_iter().map(|(name, times)| (name.to_string(), latency(&times))).collect(),
        outages: outages.into_iter().map(|(_, _, outage)| outage).collect(),
    };
    (summary != ConnectionSummary::default()).then_some(summary)
}

/// The mean of a level, the sum of a count.
fn together(name: &str, all: &[f64]) -> f64 {
    let sum: f64 = all.iter().sum();
    if name.ends_with("_us") || name.ends_with("_bytes") { sum / all.len() as f64 } else { sum }
}

#[cfg(test)]
mod tests {
    use plumb_model::run::EngineAccount;

    use super::*;
    use crate::executions::executions;
    use crate::synthetic::{Builder, Interval, ladder};

    fn account(retransmits: f64, round_trip_us: f64, read_ns: u64) -> EngineAccount {
        let mut times = Histogram::default();
        times.record(read_ns);
        EngineAccount {
            numbers: [("retransmits".to_string(), retransmits), ("round_trip_us".to_string(), round_trip_us)].into(),
            commands: [("READ".to_string(), times)].into(),
        }
    }

    #[test]
    fn counts_are_summed_levels_averaged_and_outages_paired() {
        let mut run = synthetic_run();
        let mut note = |time_s: u64, event| run.notes.push(plumb_model::run::Note { time_ns: time_s * 1_000_000_000, event });
        note(1, Event::EngineClosed { execution: 0, job: 0, worker: 0, account: account(2.0, 100.0, 1000) });
        note(1, Event::EngineClosed { execution: 0, job: 0, worker: 1, account: account(3.0, 300.0, 3000) });
        let connection = |worker, state, text: &str| Event::Connection { execution: 0, job: 0, worker, state, text: text.into() };
        note(2, connection(1, ConnectionState::Lost, "reset by peer"));
        note(3, connection(0, ConnectionState::Lost, "end of stream"));
        note(7, connection(1, ConnectionState::Restored, "after 5 attempts"));
        let (all, _) = executions(&run);
        let found = connections(&run, &all.iter().collect::<Vec<_>>()).expect("connections");
        assert_eq!((found.numbers["retransmits"], found.numbers["round_trip_us"]), (5.0, 200.0));
        assert_eq!((found.commands["READ"].count, found.commands["READ"].max), (2, Some(3000.0)));
        let outages: Vec<_> = found.outages.iter().map(|outage| (outage.worker, outage.lost_s, outage.restored_s)).collect();
        assert_eq!(outages, [(1, 2.0, Some(7.0)), (0, 3.0, None)]);
        assert_eq!(found.outages[0].text, "reset by peer; after 5 attempts");
        assert_eq!(connections(&run, &[]), None);
    }

    fn synthetic_run() -> Run {
        let mut builder = Builder::new(ladder("read", &[1]));
        builder.execute(0, 0, &[Interval::default()]);
        builder.finish()
    }
}
