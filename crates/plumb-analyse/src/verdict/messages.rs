//! What are the latency and bandwidth of messages?

use plumb_model::engines;
use plumb_model::results::summary::{SentenceEvidence, StepSummary, Summary};
use plumb_model::statement::{Argument, Statement, Unit};
use plumb_model::workload::OperationKind;

use super::part::{Part, sentence};
use super::wording;
use crate::figures::planned::step_of;
use crate::phrases::rests_on;
use crate::plots::curves::round_range;
use crate::plots::messages::{Ladder, exchanges_messages, ladders, one_way_ns};

/// Bits of a gigabit.
const GIGABIT: f64 = 1e9;

/// One or two sentences for each group of messages of one kind, and one for each step with both directions at once.
pub(super) fn sentences(summary: &Summary) -> Vec<Part> {
    let mut parts: Vec<Part> = ladders(summary)
        .iter()
        .map(|ladder| {
            let found = if ladder.kind == OperationKind::PingPong {
                round_trips(ladder)
            } else {
                streams(summary, ladder)
            };
            Part {
                steps: ladder.rungs.iter().map(|(_, step)| step.step).collect(),
                sentences: found
                    .into_iter()
                    .map(|(statement, evidence)| sentence(statement, evidence))
                    .collect(),
            }
        })
        .collect();
    parts.extend(
        summary
            .steps
            .iter()
            .filter_map(|step| at_once(summary, step)),
    );
    parts
}

type Told = (Statement, Vec<SentenceEvidence>);

/// The latency of the smallest message, as NetPIPE states it, and the greatest bandwidth.
fn round_trips(ladder: &Ladder<'_>) -> Vec<Told> {
    let mut found = Vec::new();
    let Some((size, smallest)) = ladder.rungs.first() else {
        return found;
    };
    if let Some(one_way) = one_way_ns(ladder.kind, smallest) {
        let by_median = smallest.response_ns.p50.is_some();
        let round_trip = Statement::new(match by_median {
            true => "evidence-round-trip-median",
            false => "evidence-round-trip-mean",
        });
        let statement = Statement::new(match (ladder.by_writes, by_median) {
            (false, true) => "message-one-way",
            (false, false) => "message-one-way-mean",
            (true, true) => "message-one-way-by-write",
            (true, false) => "message-one-way-by-write-mean",
        })
        .bytes("size", *size as f64)
        .time_ns("time", one_way)
        .time_ns("round-trip", one_way * 2.0);
        let mut evidence = vec![
            rests_on(round_trip, (one_way * 2.0, Unit::Nanoseconds)),
            round_trips_counted(smallest),
        ];
        evidence.extend(smallest.response_ns.p99.map(|p99| {
            rests_on(
                Statement::new("evidence-round-trip-99"),
                (p99, Unit::Nanoseconds),
            )
        }));
        found.push((statement, evidence));
    } else {
        found.extend(with_others(*size, smallest));
    }
    if ladder.rungs.len() > 1
        && let Some((size, best)) = best(ladder)
    {
        let statement = Statement::new("messages-to-and-fro")
            .part("rate", rate(best))
            .bytes("size", size as f64)
            .count("sizes", ladder.rungs.len() as u64);
        found.push((statement, evidence_of(best)));
    }
    found
}

/// A round trip that waited for others in flight: half of it is no time one way.
fn with_others(size: u64, step: &StepSummary) -> Option<Told> {
    let median = step.response_ns.p50?;
    let statement = match (step.requested_depth, step.requested_rate) {
        (Some(depth), _) => Statement::new("round-trip-among-others").number("depth", depth),
        (None, Some(rate)) => Statement::new("round-trip-at-rate").number("rate", rate),
        (None, None) => return None,
    }
    .bytes("size", size as f64)
    .time_ns("time", median);
    let evidence = vec![
        rests_on(
            Statement::new("evidence-round-trip-median"),
            (median, Unit::Nanoseconds),
        ),
        round_trips_counted(step),
    ];
    Some((statement, evidence))
}

fn round_trips_counted(step: &StepSummary) -> SentenceEvidence {
    rests_on(Statement::new("evidence-round-trips"), step.total.count)
}

/// The bandwidth of streams in one direction, with the CPU cost at both ends.
fn streams(summary: &Summary, ladder: &Ladder<'_>) -> Vec<Told> {
    let Some((size, best)) = best(ladder) else {
        return Vec::new();
    };
    let workers = step_of(summary, best)
        .and_then(|planned| planned.jobs.first())
        .map_or(1, |job| job.workload.workers);
    let over = match workers {
        // Messages of one endpoint are outstanding together; a TCP worker has one connection, whatever the depth.
        _ if engines::is(&best.engine, |engine| engine.shares_connection) => {
            Statement::new("over-rdma").number("outstanding", best.requested_depth.unwrap_or(1.0))
        }
        workers if engines::is(&best.engine, |engine| engine.supports_scheme("udp")) => {
            Statement::new("over-udp").count("sockets", u64::from(workers.max(1)))
        }
        workers => {
            Statement::new("over-connections").count("connections", u64::from(workers.max(1)))
        }
    };
    let sizes = ladder.rungs.len() as u64;
    let most = (sizes > 1).then(|| Statement::new("most-of-sizes").count("sizes", sizes));
    let again = retransmits(best).filter(|count| *count > 0.0);
    let again = again.map(|count| Statement::new("sent-again").count("segments", count as u64));
    let lost = number(best, "messages_lost").map(|lost| {
        Statement::new("messages-lost")
            .count("count", lost as u64)
            .percent(
                "share",
                100.0 * lost / (lost + best.total.count as f64).max(1.0),
            )
    });
    let statement = Statement::new(if ladder.kind == OperationKind::Send {
        "stream-sent"
    } else {
        "stream-received"
    })
    .part("over", over)
    .part("rate", rate(best))
    .bytes("size", size as f64)
    .part("most", wording::optional(most))
    .part("cost", wording::optional(cost(best)))
    .part("again", wording::optional(again.or(lost)));
    vec![(statement, evidence_of(best))]
}

fn best<'a>(ladder: &Ladder<'a>) -> Option<(u64, &'a StepSummary)> {
    let bandwidth = |step: &StepSummary| step.total.bandwidth_bytes_per_s.unwrap_or(0.0);
    let best = ladder
        .rungs
        .iter()
        .max_by(|a, b| bandwidth(a.1).total_cmp(&bandwidth(b.1)));
    best.copied().filter(|(_, step)| bandwidth(step) > 0.0)
}

/// `about 9.41 Gbit/s`.
fn rate(step: &StepSummary) -> Statement {
    let bits = |bytes: Option<f64>| bytes.map(|bytes| bytes * 8.0);
    let range = round_range(step, |round| bits(round.bandwidth_bytes_per_s));
    wording::rate(
        bits(step.total.bandwidth_bytes_per_s).unwrap_or(0.0),
        range,
        |value| Argument::Quantity {
            value,
            unit: Unit::BitsPerSecond,
        },
    )
}

/// CPU seconds per gigabit at both ends; unreported ends are left out.
fn cost(step: &StepSummary) -> Option<Statement> {
    let here = own_cpu_s_per_gigabit(step)? * 1e9;
    Some(match peer_cpu_s_per_gigabit(step) {
        Some(there) => Statement::new("cpu-at-both-ends")
            .time_ns("here", here)
            .time_ns("there", there * 1e9),
        None => Statement::new("cpu-here").time_ns("here", here),
    })
}

fn own_cpu_s_per_gigabit(step: &StepSummary) -> Option<f64> {
    let busy_s = (step.cpu.user_percent? + step.cpu.system_percent?) / 100.0 * step.duration_s;
    Some(busy_s / (step.total.bytes as f64 * 8.0 / GIGABIT)).filter(|seconds| seconds.is_finite())
}

fn number(step: &StepSummary, name: &str) -> Option<f64> {
    step.connections.as_ref()?.numbers.get(name).copied()
}

/// The other end counts from the beginning of the connection, warm-up included: its CPU time belongs to its own bytes.
fn peer_cpu_s_per_gigabit(step: &StepSummary) -> Option<f64> {
    let busy_s = number(step, "peer_cpu_user_s")? + number(step, "peer_cpu_system_s")?;
    let bytes = number(step, "bytes_received_by_peer").unwrap_or(0.0)
        + number(step, "bytes_sent_by_peer").unwrap_or(0.0);
    Some(busy_s / (bytes * 8.0 / GIGABIT)).filter(|seconds| seconds.is_finite())
}

/// Segments sent again by the end that sends.
fn retransmits(step: &StepSummary) -> Option<f64> {
    let (own, peer) = (
        number(step, "retransmits"),
        number(step, "peer_retransmits"),
    );
    own.zip(peer).map(|(own, peer)| own + peer).or(own).or(peer)
}

fn evidence_of(step: &StepSummary) -> Vec<SentenceEvidence> {
    let bits = |bytes: f64| (bytes * 8.0, Unit::BitsPerSecond).into();
    let seconds = |seconds: f64| (seconds * 1e9, Unit::Nanoseconds);
    let bandwidth: Argument = bits(step.total.bandwidth_bytes_per_s.unwrap_or(0.0));
    let mut evidence = vec![rests_on(
        Statement::new("evidence-bandwidth-of-step").name("step", &step.name),
        bandwidth,
    )];
    evidence.extend(wording::range_evidence(
        round_range(step, |round| round.bandwidth_bytes_per_s),
        bits,
    ));
    evidence.extend(own_cpu_s_per_gigabit(step).map(|cost| {
        rests_on(
            Statement::new("evidence-cpu-per-gigabit-here"),
            seconds(cost),
        )
    }));
    evidence.extend(peer_cpu_s_per_gigabit(step).map(|cost| {
        rests_on(
            Statement::new("evidence-cpu-per-gigabit-there"),
            seconds(cost),
        )
    }));
    evidence.extend(
        retransmits(step).map(|count| rests_on(Statement::new("evidence-sent-again"), count)),
    );
    evidence.extend(
        number(step, "messages_lost")
            .map(|count| rests_on(Statement::new("evidence-messages-lost"), count)),
    );
    evidence.extend(number(step, "round_trip_us").map(|us| {
        rests_on(
            Statement::new("evidence-round-trip-of-tcp"),
            (us * 1e3, Unit::Nanoseconds),
        )
    }));
    evidence
}

/// Several jobs at the same time: both directions at once.
fn at_once(summary: &Summary, step: &StepSummary) -> Option<Part> {
    let planned = step_of(summary, step)
        .filter(|planned| planned.jobs.len() > 1 && exchanges_messages(planned))?;
    let (mut figures, mut evidence) = (Vec::new(), Vec::new());
    for job in &step.jobs {
        for (kind, operations) in job
            .operations
            .iter()
            .filter(|(_, operations)| operations.is_measured())
        {
            let bits_per_s = operations.bandwidth_bytes_per_s? * 8.0;
            figures.push(Statement::new("kind-and-rate").name("kind", kind).quantity(
                "rate",
                bits_per_s,
                Unit::BitsPerSecond,
            ));
            let name = match job.name.as_str() {
                "" => &planned.group,
                _ => &job.name,
            };
            evidence.push(rests_on(
                wording::kind_of(kind, name),
                (bits_per_s, Unit::BitsPerSecond),
            ));
        }
    }
    (figures.len() > 1).then(|| Part {
        steps: vec![step.step],
        sentences: vec![sentence(
            Statement::new("at-the-same-time")
                .name("step", &step.name)
                .parts("figures", figures),
            evidence,
        )],
    })
}

#[cfg(test)]
mod tests {
    use plumb_model::workload::{PingPongBy, Workload};
    use plumb_words::Words;

    use super::sentences;
    use crate::figures::summarise::figures;
    use crate::synthetic::{Builder, Interval, step};

    #[test]
    fn messages_by_writes_are_told_from_others() {
        let of = |name: &str, by: PingPongBy| {
            let workload = Workload {
                mix: "ping-pong".parse().expect("mix"),
                block: "8".parse().expect("block"),
                ..Workload::default()
            };
            let mut step = step(name, name, &[("block", "8")], workload);
            step.jobs[0].engine.ping_pong_by = by;
            step
        };
        let mut builder = Builder::new(vec![
            of("messages", PingPongBy::Send),
            of("writes", PingPongBy::Write),
        ]);
        for number in 0..2 {
            builder.execute(
                number,
                0,
                &[Interval {
                    latency_ns: 20_000.0,
                    ..Interval::default()
                }],
            );
        }
        let parts = sentences(&figures(&builder.finish()));
        let texts: Vec<String> = parts
            .iter()
            .map(|part| Words::english().sentence(&part.sentences[0].statement))
            .collect();
        assert!(
            texts[0].starts_with("A message of 8 B takes ")
                && texts[0].contains(" one way: half of"),
            "{texts:?}"
        );
        assert!(
            texts[1].contains(" one way by a one-sided write into polled memory: half of"),
            "{texts:?}"
        );
    }

    fn verdict_text(mix: &str, depth: u32, workers: u32) -> String {
        let (mix, block) = (mix.parse().expect("mix"), "4k".parse().expect("block"));
        let mut builder = Builder::new(vec![step(
            "step",
            "step",
            &[],
            Workload {
                mix,
                block,
                depth,
                workers,
                ..Workload::default()
            },
        )]);
        builder.execute(0, 0, &[Interval::default()]);
        let parts = sentences(&figures(&builder.finish()));
        Words::english().sentence(&parts[0].sentences[0].statement)
    }

    #[test]
    fn there_are_as_many_connections_as_workers() {
        assert!(
            verdict_text("send", 8, 1).starts_with("Sent over 1 connection: "),
            "{}",
            verdict_text("send", 8, 1)
        );
        assert!(
            verdict_text("receive", 8, 4).starts_with("Received over 4 connections: "),
            "{}",
            verdict_text("receive", 8, 4)
        );
    }

    #[test]
    fn a_time_one_way_is_told_only_of_one_message_in_flight() {
        assert!(
            verdict_text("ping-pong", 1, 1).contains(" one way: half of"),
            "{}",
            verdict_text("ping-pong", 1, 1)
        );
        let queued = verdict_text("ping-pong", 16, 1);
        assert!(
            queued.starts_with("A round trip of 4 KiB takes ")
                && queued.contains(" with 16 in flight"),
            "{queued}"
        );
        assert!(!queued.contains("one way"), "{queued}");
    }
}
