//! How do latency and bandwidth of messages between two hosts depend on their size?

use plumb_model::plan::Step;
use plumb_model::results::series::Series;
use plumb_model::results::summary::{StepSummary, Summary};
use plumb_model::workload::{OperationKind, PingPongBy};

use crate::figures::planned::step_of;

/// True for a step all of whose jobs exchange messages with a peer.
pub(crate) fn exchanges_messages(step: &Step) -> bool {
    !step.jobs.is_empty()
        && step
            .jobs
            .iter()
            .all(|job| job.workload.mix.0.iter().all(|(kind, _)| kind.is_message()))
}

/// A group of steps of one job and one kind of message, by size.
pub(crate) struct Ladder<'a> {
    /// Name of the group, with the other swept keys if there are several.
    pub name: String,
    pub kind: OperationKind,
    /// Ping-pongs by one-sided writes into memory that both ends poll.
    pub by_writes: bool,
    /// (size of a message in bytes, its step), in rising order of the size.
    pub rungs: Vec<(u64, &'a StepSummary)>,
}

/// The steps that exchange messages of one size each, in groups that differ in the size alone.
pub(crate) fn ladders(summary: &Summary) -> Vec<Ladder<'_>> {
    let mut ladders: Vec<Ladder<'_>> = Vec::new();
    for step in summary.steps.iter().filter(|step| step.total.is_measured()) {
        let Some(planned) = step_of(summary, step).filter(|planned| exchanges_messages(planned))
        else {
            continue;
        };
        let [job] = planned.jobs.as_slice() else {
            continue;
        };
        let ([(kind, _)], Some(block)) = (job.workload.mix.0.as_slice(), job.workload.only_block())
        else {
            continue;
        };
        let others = step
            .swept
            .iter()
            .filter(|(key, _)| *key != "block" && *key != "workers");
        let workers = if job.workload.workers > 1 {
            format!(" workers={}", job.workload.workers)
        } else {
            String::new()
        };
        let base = if step.swept.contains_key("workers") {
            planned.group.split(" workers=").next().unwrap_or_default()
        } else {
            &planned.group
        };
        let name = others.fold(format!("{base}{workers}"), |name, (key, value)| {
            if name.contains(&format!("{key}=")) {
                name
            } else {
                format!("{name} {key}={value}")
            }
        });
        let by_writes =
            *kind == OperationKind::PingPong && job.engine.ping_pong_by == PingPongBy::Write;
        match ladders.iter_mut().find(|ladder| {
            ladder.name == name && ladder.kind == *kind && ladder.by_writes == by_writes
        }) {
            Some(ladder) => ladder.rungs.push((block.0, step)),
            None => ladders.push(Ladder {
                name,
                kind: *kind,
                by_writes,
                rungs: vec![(block.0, step)],
            }),
        }
    }
    for ladder in &mut ladders {
        ladder.rungs.sort_by_key(|(size, _)| *size);
    }
    ladders
}

/// Bandwidth by message size, one line for each group of several sizes.
pub fn bandwidth(summary: &Summary) -> Vec<Series> {
    lines(summary, "bit/s", |_, step| {
        step.total.bandwidth_bytes_per_s.map(|bytes| bytes * 8.0)
    })
}

/// The time of a message one way by its size: half of the median round trip. Ping-pongs one at a time alone have one.
pub fn one_way(summary: &Summary) -> Vec<Series> {
    lines(summary, "ns", one_way_ns)
}

/// Half of the median round trip; of the mean if there are too few samples for a median. Missing for one-way messages: they end when the system
/// has taken them; and where several were in flight: their round trips hold the wait for each other.
pub(crate) fn one_way_ns(kind: OperationKind, step: &StepSummary) -> Option<f64> {
    let round_trip = step.response_ns.p50.or(step.response_ns.mean)?;
    (kind == OperationKind::PingPong && step.requested_depth == Some(1.0))
        .then_some(round_trip / 2.0)
}

fn lines(
    summary: &Summary,
    unit: &str,
    value: impl Fn(OperationKind, &StepSummary) -> Option<f64>,
) -> Vec<Series> {
    let line = |ladder: Ladder<'_>| {
        let points: Vec<(f64, Option<f64>)> = ladder
            .rungs
            .iter()
            .map(|(size, step)| (*size as f64, value(ladder.kind, step)))
            .collect();
        let drawn = points.iter().filter(|(_, value)| value.is_some()).count() > 1;
        drawn.then_some(Series {
            name: ladder.name,
            statement: None,
            unit: unit.into(),
            points,
        })
    };
    ladders(summary).into_iter().filter_map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::summarise::figures;
    use crate::synthetic::{Builder, Interval, step};
    use plumb_model::workload::Workload;

    fn message(kind: &str, block: &str) -> Step {
        let workload = Workload {
            mix: kind.parse().expect("mix"),
            block: block.parse().expect("block"),
            ..Workload::default()
        };
        step(
            &format!("{kind} block={block}"),
            kind,
            &[("block", block)],
            workload,
        )
    }

    #[test]
    fn lines_rise_with_the_size_and_time_is_half_the_round_trip() {
        let mut builder = Builder::new(vec![
            message("ping-pong", "64k"),
            message("ping-pong", "1"),
            message("send", "1k"),
            message("send", "1m"),
        ]);
        for number in 0..4 {
            builder.execute(
                number,
                0,
                &[Interval {
                    latency_ns: 20_000.0,
                    ..Interval::default()
                }],
            );
        }
        let summary = figures(&builder.finish());
        let bandwidth = bandwidth(&summary);
        assert_eq!(
            bandwidth
                .iter()
                .map(|line| line.name.as_str())
                .collect::<Vec<_>>(),
            ["ping-pong", "send"]
        );
        assert_eq!(
            bandwidth[0]
                .points
                .iter()
                .map(|(size, _)| *size)
                .collect::<Vec<_>>(),
            [1.0, 65_536.0]
        );
        let times = one_way(&summary);
        assert_eq!(
            times.len(),
            1,
            "a message that is only sent has no time of its own"
        );
        let median = summary.steps[0].response_ns.p50.expect("median");
        assert_eq!(times[0].points[1].1, Some(median / 2.0));
    }
}
