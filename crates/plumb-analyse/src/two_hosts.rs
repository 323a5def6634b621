//! What does a run of two ranks on two hosts look like? For the tests of rules and figures.

use plumb_model::run::ranks::{MachineUse, RankEnd, RankProcess, Ranks};
use plumb_model::run::step_end::StopReason;
use plumb_model::run::tick::RankTick;
use plumb_model::run::{Event, Note, Run};
use plumb_model::workload::{RankChoice, Workload};

use crate::synthetic::{Builder, Interval, ladder, step};

/// One, two and four hosts, one rank each, with these total operations per second; two rounds.
pub fn hosts_that_share(iops: [f64; 3]) -> Run {
    let hosts = [1, 2, 4];
    let steps = hosts.map(|count| {
        let workload = Workload {
            on_ranks: RankChoice::Hosts(count),
            ..Workload::default()
        };
        let text = format!("hosts:{count}");
        step(
            &format!("read on-ranks={text}"),
            "read",
            &[("on-ranks", &text)],
            workload,
        )
    });
    let mut builder = Builder::new(steps.to_vec());
    for round in 0..2 {
        for (number, iops) in iops.into_iter().enumerate() {
            let iops = iops * (1.0 + 0.01 * f64::from(round));
            let interval = Interval {
                iops,
                ..Interval::default()
            };
            builder.execute(number as u32, round, &[interval]);
        }
    }
    let mut run = builder.finish();
    let index = |rank: u32| RankProcess {
        rank,
        host: format!("host{rank}"),
        process: 1,
        time_of_day_ahead_ns: 0,
        clock_uncertainty_ns: 0,
    };
    run.header.ranks = Some(Ranks {
        carrier: "test".into(),
        processes: (0..4).map(index).collect(),
    });
    run
}

/// The same intervals as those of two ranks, each with this many operations in the measured time of the first execution; the clock of the second
/// host is so much ahead.
pub fn on_two_hosts(mut run: Run, operations: [u64; 2], ahead_ns: i64) -> Run {
    let index = |rank: u32, host: &str, ahead_ns| RankProcess {
        rank,
        host: host.into(),
        process: 100 + rank,
        time_of_day_ahead_ns: ahead_ns,
        clock_uncertainty_ns: 20_000,
    };
    run.header.ranks = Some(Ranks {
        carrier: "test".into(),
        processes: vec![index(0, "hosta", 0), index(1, "hostb", ahead_ns)],
    });
    let from_ns = run.ticks.iter().map(|tick| tick.start_ns).min();
    let to_ns = run.ticks.iter().map(|tick| tick.end_ns).max();
    let (from_ns, to_ns) = (from_ns.unwrap_or_default(), to_ns.unwrap_or_default());
    for (interval, tick) in run.ticks.iter_mut().enumerate() {
        tick.workers.clear();
        tick.ranks = Some(RankTick {
            ranks: 2,
            interval: interval as u64,
        });
    }
    let kinds = run.ticks.first().map(|tick| tick.kinds.clone());
    let kinds = kinds.unwrap_or_default();
    for (rank, measured_operations) in operations.into_iter().enumerate() {
        let end = RankEnd {
            rank: rank as u32,
            jobs: None,
            started_ns: from_ns,
            ended_ns: to_ns,
            measured_from_ns: from_ns,
            measured_to_ns: to_ns,
            stopped_by: Some(StopReason::Time),
            failed: None,
            kinds: kinds.clone(),
            measured_operations,
            measured_bytes: measured_operations * 4096,
            cpu_ns: Some((to_ns - from_ns) / 2),
            machine: None,
        };
        let event = Event::RankEnded { execution: 0, end };
        let time_ns = to_ns;
        run.notes.push(Note { time_ns, event });
    }
    run
}

/// Two hosts with equal throughput, with these counters.
pub fn on_busy_hosts(machines: [MachineUse; 2]) -> Run {
    let mut builder = Builder::new(ladder("read", &[1]));
    builder.execute(0, 0, &[Interval::default()]);
    let mut run = on_two_hosts(builder.finish(), [1000, 1000], 0);
    let ends = run
        .notes
        .iter_mut()
        .filter_map(|note| match &mut note.event {
            Event::RankEnded { end, .. } => Some(end),
            _ => None,
        });
    for (end, machine) in ends.zip(machines) {
        end.machine = Some(machine);
    }
    run
}
