//! What are the counters of the engines of shares and peers, and when was a connection lost?

use std::collections::{BTreeMap, BTreeSet};

use plumb_model::plan::Step;
use plumb_model::results::summary::{ConnectionSummary, Outage, StageSummary, StepSummary};
use plumb_model::run::histogram::Histogram;
use plumb_model::run::{CommandStages, ConnectionState, Event, Run};
use plumb_model::statement::Statement;
use plumb_model::workload::OperationKind;

use crate::figures::executions::Execution;
use crate::figures::tally::latency;

/// What the engines of these executions counted, and their outages; `None` when there is nothing of the kind, as for local targets.
pub fn connections(run: &Run, executions: &[&Execution]) -> Option<ConnectionSummary> {
    let is_of_step = |index: u32| executions.iter().any(|execution| execution.index == index);
    let mut numbers: BTreeMap<&str, Vec<(u32, f64)>> = BTreeMap::new();
    let mut commands: BTreeMap<&str, Histogram> = BTreeMap::new();
    let mut stages: BTreeMap<&str, CommandStages> = BTreeMap::new();
    let mut paths = Vec::new();
    for note in &run.notes {
        let Event::EngineClosed {
            execution,
            job,
            account,
            ..
        } = &note.event
        else {
            continue;
        };
        if !is_of_step(*execution) {
            continue;
        }
        let sends = sends(run, executions, *execution, *job);
        // What TCP delivered of a connection that is only received from is the requests and no figure of it.
        let found = account
            .numbers
            .iter()
            .filter(|(name, _)| sends || *name != "delivery_rate_bytes_per_s");
        found.for_each(|(name, number)| {
            numbers.entry(name).or_default().push((*execution, *number))
        });
        account
            .paths
            .iter()
            .for_each(|path| path.add_to(&mut paths));
        account
            .commands
            .iter()
            .for_each(|(name, times)| commands.entry(name).or_default().merge(times));
        account
            .stages
            .iter()
            .for_each(|(name, of)| stages.entry(name).or_default().merge(of));
    }
    paths.sort_by(|one, other| (&one.server, &one.client).cmp(&(&other.server, &other.client)));
    let summary = ConnectionSummary {
        numbers: numbers
            .into_iter()
            .map(|(name, all)| (name.to_string(), together(name, &all)))
            .collect(),
        commands: commands
            .into_iter()
            .map(|(name, times)| (name.to_string(), latency(&times)))
            .collect(),
        stages: stages
            .into_iter()
            .map(|(name, of)| (name.to_string(), stage_summary(&of)))
            .collect(),
        outages: outages(run, is_of_step),
        paths,
    };
    (summary != ConnectionSummary::default()).then_some(summary)
}

fn stage_summary(of: &CommandStages) -> StageSummary {
    let figures = |times: &Histogram| (!times.is_empty()).then(|| latency(times));
    StageSummary {
        send_queue_ns: figures(&of.send_queue),
        wake_up_ns: figures(&of.wake_up),
    }
}

/// Part of the time of operations in which something of them was on its way to the server or back: in the rest they waited for credits that the server did
/// not grant. `None`: nothing waited, or the engine does not count it.
fn part_on_wire(connections: &ConnectionSummary) -> Option<f64> {
    let seconds = |name: &str| connections.numbers.get(name).copied();
    let (waited, on_wire) = (seconds("credit_wait_s")?, seconds("on_wire_s")?);
    (waited > 0.0 && on_wire > 0.0).then(|| on_wire / (on_wire + waited))
}

/// Part of the time of its workers in which they polled their sockets before they slept (busy-poll = auto). What the warm-up took is in it: at most 1.
/// `None`: the engine does not count it.
pub fn part_polling(planned: &Step, step: &StepSummary) -> Option<f64> {
    let polled_s = step.connections.as_ref()?.numbers.get("socket_poll_s")?;
    let workers: u32 = planned.jobs.iter().map(|job| job.workload.workers).sum();
    let part = polled_s / (step.duration_s * f64::from(workers));
    part.is_finite().then(|| part.min(1.0))
}

/// Part of the time of operations, from which on their wait for credits matters.
const CREDITS_PART: f64 = 0.2;

/// Part of the time of operations on the wire, below which their number in flight for the worker is another one than that on the wire.
const LEVELS_HOLD: f64 = 0.98;

/// How much of the time of the step's operations went by with waiting for credits, where that is much.
pub fn part_waiting(step: &StepSummary) -> Option<f64> {
    let part = 1.0 - part_on_wire(step.connections.as_ref()?)?;
    (part >= CREDITS_PART).then_some(part)
}

/// Operations waiting for credits are in flight only for the worker: the depth of a step is that on the wire. Its distribution was not counted:
/// the levels are those of the worker, and are left out if they would show another depth.
pub fn leave_waiting_out(step: &mut StepSummary) {
    let Some(on_wire) = step.connections.as_ref().and_then(part_on_wire) else {
        return;
    };
    step.achieved_depth = step.achieved_depth.map(|depth| depth * on_wire);
    if on_wire < LEVELS_HOLD {
        step.depth_levels.clear();
    }
}

/// Times without a connection in these executions.
fn outages(run: &Run, is_of_step: impl Fn(u32) -> bool) -> Vec<Outage> {
    let mut outages: Vec<(u32, u32, Outage)> = Vec::new();
    for note in &run.notes {
        let time_s = note.time_ns as f64 / 1e9;
        match &note.event {
            Event::Connection {
                execution,
                job,
                worker,
                state: ConnectionState::Lost,
                text,
            } if is_of_step(*execution) => {
                outages.push((
                    *execution,
                    *job,
                    Outage {
                        worker: *worker,
                        lost_s: time_s,
                        restored_s: None,
                        text: text.clone(),
                    },
                ));
            }
            Event::Connection {
                execution,
                job,
                worker,
                state: ConnectionState::Restored,
                text,
            } => {
                let open = outages.iter_mut().rev().find(|(of, of_job, outage)| {
                    (of, of_job, outage.worker, outage.restored_s)
                        == (execution, job, *worker, None)
                });
                if let Some((_, _, outage)) = open {
                    outage.restored_s = Some(time_s);
                    outage.text = Statement::new("connection-lost-and-restored")
                        .part("lost", outage.text.clone())
                        .part("restored", text.clone());
                }
            }
            _ => {}
        }
    }
    outages.into_iter().map(|(_, _, outage)| outage).collect()
}

/// True unless all that the job does is to receive.
fn sends(run: &Run, executions: &[&Execution], execution: u32, job: u32) -> bool {
    let step = executions
        .iter()
        .find(|of| of.index == execution)
        .and_then(|of| run.header.plan.steps.get(of.step as usize));
    let job = step.and_then(|step| step.jobs.get(job as usize));
    job.is_none_or(|job| {
        job.workload
            .mix
            .0
            .iter()
            .any(|(kind, _)| *kind != OperationKind::Receive)
    })
}

/// The mean of a level, the sum of a count. A rate is the sum over the workers of an execution, and the mean over executions: those follow each other.
fn together(name: &str, all: &[(u32, f64)]) -> f64 {
    let sum: f64 = all.iter().map(|(_, number)| number).sum();
    if name.ends_with("_per_s") {
        let executions: BTreeSet<u32> = all.iter().map(|(execution, _)| *execution).collect();
        sum / executions.len() as f64
    } else if name.ends_with("_us") || name.ends_with("_bytes") {
        sum / all.len() as f64
    } else {
        sum
    }
}

#[cfg(test)]
mod tests {
    use plumb_model::run::{EngineAccount, PathAccount};

    use super::*;
    use crate::figures::executions::executions;
    use crate::synthetic::{Builder, Interval, ladder};

    fn account(retransmits: f64, round_trip_us: f64, read_ns: u64) -> EngineAccount {
        let mut times = Histogram::default();
        times.record(read_ns);
        EngineAccount {
            numbers: [
                ("retransmits".to_string(), retransmits),
                ("round_trip_us".to_string(), round_trip_us),
            ]
            .into(),
            commands: [("READ".to_string(), times)].into(),
            stages: BTreeMap::new(),
            paths: vec![PathAccount {
                client: "10.0.1.9".into(),
                server: "10.0.1.1:445".into(),
                connections: 1,
                sent_bytes: 100,
                received_bytes: read_ns,
            }],
        }
    }

    #[test]
    fn stages_are_merged_over_workers_and_missing_where_they_were_not_measured() {
        let mut run = synthetic_run();
        for (worker, wake_up_ns) in [(0, None), (1, Some(900))] {
            let mut account = account(0.0, 100.0, 1000);
            let mut stages = CommandStages::default();
            stages.send_queue.record(100);
            wake_up_ns
                .into_iter()
                .for_each(|ns| stages.wake_up.record(ns));
            account.stages = [("READ".to_string(), stages)].into();
            let event = Event::EngineClosed {
                execution: 0,
                job: 0,
                worker,
                account,
            };
            let time_ns = 1_000_000_000;
            run.notes.push(plumb_model::run::Note { time_ns, event });
        }
        let (all, _) = executions(&run);
        let found = connections(&run, &all.iter().collect::<Vec<_>>()).expect("connections");
        let stages = &found.stages["READ"];
        let count = |times: &Option<plumb_model::results::summary::Latency>| {
            times.as_ref().map(|times| times.count)
        };
        assert_eq!(count(&stages.send_queue_ns), Some(2));
        assert_eq!(count(&stages.wake_up_ns), Some(1));
        let mut none = CommandStages::default();
        none.send_queue.record(1);
        assert_eq!(stage_summary(&none).wake_up_ns, None);
    }

    #[test]
    fn counts_are_summed_levels_averaged_and_outages_paired() {
        let mut run = synthetic_run();
        let mut note = |time_s: u64, event| {
            run.notes.push(plumb_model::run::Note {
                time_ns: time_s * 1_000_000_000,
                event,
            })
        };
        note(
            1,
            Event::EngineClosed {
                execution: 0,
                job: 0,
                worker: 0,
                account: account(2.0, 100.0, 1000),
            },
        );
        note(
            1,
            Event::EngineClosed {
                execution: 0,
                job: 0,
                worker: 1,
                account: account(3.0, 300.0, 3000),
            },
        );
        let connection = |worker, state, text: &str| Event::Connection {
            execution: 0,
            job: 0,
            worker,
            state,
            text: Statement::verbatim(text),
        };
        note(2, connection(1, ConnectionState::Lost, "reset by peer"));
        note(3, connection(0, ConnectionState::Lost, "end of stream"));
        note(
            7,
            connection(1, ConnectionState::Restored, "after 5 attempts"),
        );
        let (all, _) = executions(&run);
        let found = connections(&run, &all.iter().collect::<Vec<_>>()).expect("connections");
        assert_eq!(
            (found.numbers["retransmits"], found.numbers["round_trip_us"]),
            (5.0, 200.0)
        );
        assert_eq!(
            (found.commands["READ"].count, found.commands["READ"].max),
            (2, Some(3000.0))
        );
        let [path] = found.paths.as_slice() else {
            panic!("one pair of addresses: {:?}", found.paths)
        };
        assert_eq!((path.connections, path.sent_bytes), (2, 200));
        let outages: Vec<_> = found
            .outages
            .iter()
            .map(|outage| (outage.worker, outage.lost_s, outage.restored_s))
            .collect();
        assert_eq!(outages, [(1, 2.0, Some(7.0)), (0, 3.0, None)]);
        assert_eq!(
            crate::english::in_english(&found.outages[0].text),
            "reset by peer; after 5 attempts"
        );
        assert_eq!(connections(&run, &[]), None);
    }

    #[test]
    fn rates_add_up_over_workers_and_not_over_rounds() {
        let rate = |mix: &str| {
            let mut builder = Builder::new(ladder(mix, &[1]));
            for execution in 0..2 {
                builder.execute(0, execution, &[Interval::default()]);
                for worker in 0..2 {
                    let numbers = [(
                        "delivery_rate_bytes_per_s".to_string(),
                        f64::from(1 + execution),
                    )]
                    .into();
                    let account = EngineAccount {
                        numbers,
                        ..EngineAccount::default()
                    };
                    builder.note(Event::EngineClosed {
                        execution,
                        job: 0,
                        worker,
                        account,
                    });
                }
            }
            let run = builder.finish();
            let (all, _) = executions(&run);
            connections(&run, &all.iter().collect::<Vec<_>>())
        };
        // 1 + 1 in the first round, 2 + 2 in the second.
        assert_eq!(
            rate("send").expect("numbers").numbers["delivery_rate_bytes_per_s"],
            3.0
        );
        assert_eq!(rate("receive"), None, "the rate of the idle direction");
    }

    fn synthetic_run() -> Run {
        let mut builder = Builder::new(ladder("read", &[1]));
        builder.execute(0, 0, &[Interval::default()]);
        builder.finish()
    }
}
