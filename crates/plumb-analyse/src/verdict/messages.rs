//! How long does a message take, and how many bits per second do they carry?

use plumb_model::engines;
use plumb_model::summary::{StepSummary, Summary};
use plumb_model::units::{show_bit_rate, show_bytes, show_count, show_time_ns};
use plumb_model::workload::OperationKind;

use super::part::{Part, sentence};
use super::wording;
use crate::curves::round_range;
use crate::messages::{Ladder, exchanges_messages, ladders, one_way_ns};
use crate::planned::step_of;

/// Bits of a gigabit.
const GIGABIT: f64 = 1e9;

/// One or two sentences for each group of messages of one kind, and one for each step with both directions at once.
pub(super) fn sentences(summary: &Summary) -> Vec<Part> {
    let mut parts: Vec<Part> = ladders(summary)
        .iter()
        .map(|ladder| {
            let told = if ladder.kind == OperationKind::PingPong {
                round_trips(ladder)
            } else {
                streams(summary, ladder)
            };
            Part {
                steps: ladder.rungs.iter().map(|(_, step)| step.step).collect(),
                sentences: told
                    .into_iter()
                    .map(|(text, evidence)| sentence(text, evidence))
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

type Told = (String, Vec<(String, String)>);

/// The latency of the smallest message, as NetPIPE states it, and the greatest bandwidth.
fn round_trips(ladder: &Ladder<'_>) -> Vec<Told> {
    let mut told = Vec::new();
    let Some((size, smallest)) = ladder.rungs.first() else {
        return told;
    };
    if let Some(one_way) = one_way_ns(ladder.kind, smallest) {
        let (what, round_trip) = if smallest.response_ns.p50.is_some() {
            ("median ", "median")
        } else {
            ("mean ", "mean")
        };
        let time = show_time_ns(one_way * 2.0);
        let how = if ladder.by_writes {
            " by a one-sided write into polled memory"
        } else {
            ""
        };
        let text = format!(
            "A message of {} takes {} one way{how}: half of the {what}round trip of {time}.",
            show_bytes(*size as f64),
            show_time_ns(one_way)
        );
        let mut evidence = vec![
            (format!("round trip, {round_trip}"), time),
            (
                "round trips".into(),
                show_count(smallest.total.count as f64),
            ),
        ];
        evidence.extend(
            smallest
                .response_ns
                .p99
                .map(|p99| ("round trip, 99 %".into(), show_time_ns(p99))),
        );
        told.push((text, evidence));
    } else {
        told.extend(with_others(*size, smallest));
    }
    if ladder.rungs.len() > 1
        && let Some((size, best)) = best(ladder)
    {
        let text = format!(
            "Messages sent to and fro reach {} with {}, the most of {} sizes.",
            rate(best),
            show_bytes(size as f64),
            show_count(ladder.rungs.len() as f64)
        );
        told.push((text, evidence_of(best)));
    }
    told
}

/// A round trip that waited for others in flight: half of it is no time one way.
fn with_others(size: u64, step: &StepSummary) -> Option<Told> {
    let time = show_time_ns(step.response_ns.p50?);
    let load = match (step.asked_depth, step.asked_rate) {
        (Some(depth), _) => format!(
            "with {} in flight, where it waits for the others",
            show_count(depth)
        ),
        (None, Some(rate)) => format!("at {}/s asked", show_count(rate)),
        (None, None) => return None,
    };
    let text = format!(
        "A round trip of {} takes {time} (median) {load}.",
        show_bytes(size as f64)
    );
    let evidence = vec![
        ("round trip, median".into(), time),
        ("round trips".into(), show_count(step.total.count as f64)),
    ];
    Some((text, evidence))
}

/// The bandwidth of streams in one direction, with what they cost at both ends.
fn streams(summary: &Summary, ladder: &Ladder<'_>) -> Vec<Told> {
    let Some((size, best)) = best(ladder) else {
        return Vec::new();
    };
    let workers = step_of(summary, best)
        .and_then(|planned| planned.jobs.first())
        .map_or(1, |job| job.workload.workers);
    let over = match workers {
        // Messages of one endpoint are outstanding together; a TCP worker has one connection, whatever the depth.
        _ if engines::is(&best.engine, |engine| engine.shares_connection) => format!(
            "RDMA with {} outstanding",
            show_count(best.asked_depth.unwrap_or(1.0))
        ),
        0 | 1 => "1 connection".into(),
        _ => format!("{workers} connections"),
    };
    let of = if ladder.rungs.len() > 1 {
        format!(
            ", the most of {} sizes",
            show_count(ladder.rungs.len() as f64)
        )
    } else {
        String::new()
    };
    let kind = if ladder.kind == OperationKind::Send {
        "Sent"
    } else {
        "Received"
    };
    let text = format!(
        "{kind} over {over}: {} with messages of {}{of}{}.",
        rate(best),
        show_bytes(size as f64),
        cost(best)
    );
    vec![(text, evidence_of(best))]
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
fn rate(step: &StepSummary) -> String {
    let bits = |bytes: Option<f64>| bytes.map(|bytes| bytes * 8.0);
    let range = round_range(step, |round| bits(round.bandwidth_bytes_per_s));
    wording::rate(
        bits(step.total.bandwidth_bytes_per_s).unwrap_or(0.0),
        range,
        show_bit_rate,
    )
}

/// CPU seconds for each gigabit at both ends, and segments that had to be sent again; nothing of what was not told.
fn cost(step: &StepSummary) -> String {
    let peer = peer_cpu_s_per_gigabit(step)
        .map(|seconds| format!(" and {} at the other", seconds_text(seconds)))
        .unwrap_or_default();
    let here = own_cpu_s_per_gigabit(step).map(|seconds| {
        format!(
            "; {} of CPU time for each gigabit at this end{peer}",
            seconds_text(seconds)
        )
    });
    let again = retransmits(step)
        .filter(|count| *count > 0.0)
        .map(|count| match count {
            1.0 => ", 1 segment sent again".to_string(),
            _ => format!(", {} segments sent again", show_count(count)),
        });
    here.unwrap_or_default() + &again.unwrap_or_default()
}

fn seconds_text(seconds: f64) -> String {
    show_time_ns(seconds * 1e9)
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

fn evidence_of(step: &StepSummary) -> Vec<(String, String)> {
    let bits = |bytes: f64| show_bit_rate(bytes * 8.0);
    let mut evidence = vec![(
        format!("bandwidth of '{}'", step.name),
        bits(step.total.bandwidth_bytes_per_s.unwrap_or(0.0)),
    )];
    evidence.extend(wording::range_evidence(
        round_range(step, |round| round.bandwidth_bytes_per_s),
        bits,
    ));
    evidence.extend(own_cpu_s_per_gigabit(step).map(|seconds| {
        (
            "CPU time per gigabit, this end".into(),
            seconds_text(seconds),
        )
    }));
    evidence.extend(peer_cpu_s_per_gigabit(step).map(|seconds| {
        (
            "CPU time per gigabit, other end".into(),
            seconds_text(seconds),
        )
    }));
    evidence
        .extend(retransmits(step).map(|count| ("segments sent again".into(), show_count(count))));
    evidence.extend(
        number(step, "round_trip_us")
            .map(|us| ("round trip as TCP sees it".into(), show_time_ns(us * 1e3))),
    );
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
            let rate = show_bit_rate(operations.bandwidth_bytes_per_s? * 8.0);
            figures.push(format!("{kind} {rate}"));
            evidence.push((
                format!(
                    "{kind} of '{}'",
                    if job.name.is_empty() {
                        &planned.group
                    } else {
                        &job.name
                    }
                ),
                rate,
            ));
        }
    }
    let text = format!(
        "At the same time ('{}'): {}.",
        step.name,
        figures.join(", ")
    );
    (figures.len() > 1).then(|| Part {
        steps: vec![step.step],
        sentences: vec![sentence(text, evidence)],
    })
}

#[cfg(test)]
mod tests {
    use plumb_model::workload::{PingPongBy, Workload};

    use super::sentences;
    use crate::summarise::figures;
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
        let texts: Vec<&str> = parts
            .iter()
            .map(|part| part.sentences[0].text.as_str())
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

    fn said(mix: &str, depth: u32, workers: u32) -> String {
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
        sentences(&figures(&builder.finish()))
            .remove(0)
            .sentences
            .remove(0)
            .text
    }

    #[test]
    fn there_are_as_many_connections_as_workers() {
        assert!(
            said("send", 8, 1).starts_with("Sent over 1 connection: "),
            "{}",
            said("send", 8, 1)
        );
        assert!(
            said("receive", 8, 4).starts_with("Received over 4 connections: "),
            "{}",
            said("receive", 8, 4)
        );
    }

    #[test]
    fn a_time_one_way_is_told_only_of_one_message_in_flight() {
        assert!(
            said("ping-pong", 1, 1).contains(" one way: half of"),
            "{}",
            said("ping-pong", 1, 1)
        );
        let queued = said("ping-pong", 16, 1);
        assert!(
            queued.starts_with("A round trip of 4 KiB takes ")
                && queued.contains(" with 16 in flight"),
            "{queued}"
        );
        assert!(!queued.contains("one way"), "{queued}");
    }
}
