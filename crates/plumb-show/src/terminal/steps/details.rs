//! What else was measured of a step? Spread of the intervals, depth of the queue, context switches, the device and the paths of connections: one line per step, for a few steps.

use plumb_model::results::summary::{DepthLevel, Latency, StepSummary};
use plumb_model::run::PathAccount;
use plumb_model::statement::Statement;
use plumb_words::numbers::show_count;

use super::super::layout::{printable, wrapped};
use super::super::{Page, Tone};
use super::lines::{PARTS_MAX, parts_of};
use crate::figure::{Quantity, percent_text};

/// Most steps with a line each; the report has more.
const STEPS_MAX: usize = 3;

pub(super) fn details(steps: &[&StepSummary], page: Page) -> String {
    if steps.len() > STEPS_MAX {
        return String::new();
    }
    let lines = steps.iter().map(|step| {
        let parts: Vec<String> = [
            more_parts(step),
            spread(step),
            submission(step),
            depth(step),
            switches(step),
            device(step),
            paths(step),
        ]
        .into_iter()
        .flatten()
        .map(|part| page.words.sentence(&part))
        .collect();
        if parts.is_empty() {
            return String::new();
        }
        let text = format!("{}: {}", printable(&step.name), parts.join(" · "));
        page.tone(Tone::Quiet, &wrapped(&text, "", "  ", page.width))
    });
    lines.collect()
}

/// Jobs and workers that are not in the table.
fn more_parts(step: &StepSummary) -> Option<Statement> {
    let more = parts_of(step).len().saturating_sub(PARTS_MAX);
    (more > 0).then(|| Statement::new("terminal-more-in-the-report").count("count", more as u64))
}

fn spread(step: &StepSummary) -> Option<Statement> {
    let intervals = step.total.intervals.as_ref()?;
    let rate = |value| Quantity::OperationsPerSecond.text(value);
    Some(
        Statement::new("detail-intervals")
            .name("low", rate(intervals.iops.min))
            .name("high", rate(intervals.iops.max))
            .name("length", Quantity::Latency.text(intervals.length_s * 1e9))
            .count("count", u64::from(intervals.count)),
    )
}

/// The parts of the latency, if both were measured.
fn submission(step: &StepSummary) -> Option<Statement> {
    let mean = |latency: Option<&Latency>| Some(Quantity::Latency.text(latency?.mean?));
    let total = &step.total;
    Some(
        Statement::new("detail-submission")
            .name("submission", mean(total.submission_ns.as_ref())?)
            .name("completion", mean(total.completion_ns.as_ref())?),
    )
}

/// The distribution, if there is more than one depth.
fn depth(step: &StepSummary) -> Option<Statement> {
    if step.depth_levels.len() < 2 {
        return None;
    }
    let level =
        |level: &DepthLevel| format!("{} {}", depth_text(level), percent_text(level.percent));
    let levels: Vec<String> = step
        .depth_levels
        .iter()
        .filter(|level| level.percent >= 0.1)
        .map(level)
        .collect();
    Some(Statement::new("detail-depth").name("levels", levels.join(", ")))
}

/// `4-7`: number in flight.
pub(crate) fn depth_text(level: &DepthLevel) -> String {
    if level.from == level.to {
        level.from.to_string()
    } else {
        format!("{}-{}", level.from, level.to)
    }
}

fn switches(step: &StepSummary) -> Option<Statement> {
    let (waited, preempted) = (step.cpu.voluntary_switches?, step.cpu.involuntary_switches?);
    Some(
        Statement::new("detail-switches")
            .name("count", show_count(waited.saturating_add(preempted) as f64))
            .name("preempted", show_count(preempted as f64)),
    )
}

/// If several were in use.
fn paths(step: &StepSummary) -> Option<Statement> {
    let paths = &step.connections.as_ref()?.paths;
    let bytes = |path: &PathAccount| path.sent_bytes.saturating_add(path.received_bytes) as f64;
    let all: f64 = paths.iter().map(bytes).sum();
    if paths.len() < 2 || all <= 0.0 {
        return None;
    }
    let each = paths.iter().map(|path| {
        format!(
            "{} - {} {}",
            path.client,
            path.server,
            percent_text(100.0 * bytes(path) / all)
        )
    });
    let each: Vec<String> = each.collect();
    Some(Statement::new("detail-paths").name("paths", each.join(", ")))
}

fn device(step: &StepSummary) -> Option<Statement> {
    let device = step.device.as_ref()?;
    Some(
        Statement::new("detail-device")
            .name("device", &device.name)
            .name("busy", percent_text(device.busy_percent?)),
    )
}
