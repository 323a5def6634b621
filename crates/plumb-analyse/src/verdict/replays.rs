//! Did requests of a replay start on time? Their lateness, and the duration compared with the recording.

use plumb_model::results::summary::{Sentence, StepSummary, Summary};
use plumb_model::statement::{Statement, Unit};

use super::part::{Part, sentence};
use super::wording;
use crate::figures::planned::step_of;
use crate::phrases::rests_on;

/// One sentence for each step whose only job replays a log at its moments.
pub(super) fn sentences(summary: &Summary) -> Vec<Part> {
    let of = |step: &StepSummary| {
        Some(Part {
            steps: vec![step.step],
            sentences: vec![of_step(summary, step)?],
        })
    };
    summary.steps.iter().filter_map(of).collect()
}

fn of_step(summary: &Summary, step: &StepSummary) -> Option<Sentence> {
    let [job] = &step_of(summary, step)?.jobs[..] else {
        return None;
    };
    let workload = &job.workload;
    let holds = workload
        .replay_holds
        .filter(|holds| workload.is_replayed_in_time() && holds.length.0 > 0)?;
    let late = step.lateness_ns.as_ref()?;
    // Only rounds that completed the log show its duration.
    let complete: Vec<f64> = step
        .rounds
        .iter()
        .filter(|round| !round.left_out)
        .map(|round| round.duration_s)
        .collect();
    if complete.is_empty() {
        return None;
    }
    let passes = workload.operations? as f64
        / (holds.requests.max(1) as f64 * f64::from(workload.workers.max(1)));
    let requested_s = holds.length.seconds() * 100.0 / workload.replay_speed_percent * passes;
    let took_s = complete.iter().sum::<f64>() / complete.len() as f64;
    // Hundredths of a percent are exact enough.
    let drift_percent = (1e4 * (took_s / requested_s - 1.0)).round() / 100.0;
    let tail = late
        .p99
        .map(|p99| Statement::new("replay-late-99").time_ns("p99", p99));
    let statement = Statement::new("replay-timing")
        .name("step", &step.name)
        .time_ns("mean", late.mean?)
        .time_ns("longest", late.max?)
        .part("tail", wording::optional(tail))
        .time_ns("took", took_s * 1e9)
        .time_ns("asked", requested_s * 1e9)
        .quantity("drift", drift_percent, Unit::PercentChange);
    let evidence = vec![
        rests_on(Statement::new("evidence-requests"), late.count),
        rests_on(
            Statement::new("evidence-lateness-mean"),
            (late.mean?, Unit::Nanoseconds),
        ),
        rests_on(
            Statement::new("evidence-time-of-the-log"),
            (requested_s * 1e9, Unit::Nanoseconds),
        ),
    ];
    Some(sentence(statement, evidence))
}
