//! Where does the time of requests to a share go? For each command of a few steps: its median, and the part spent on this machine.

use plumb_model::results::summary::{Latency, StageSummary, StepSummary};
use plumb_words::numbers::show_count;

use super::super::layout::{Cells, printable};
use super::super::{Page, Tone};
use crate::chart::or_dash;
use crate::figure::Quantity;

/// Most steps whose commands are shown; the report has more.
const STEPS_MAX: usize = 3;
/// Most commands shown per step: the most frequent ones.
const COMMANDS_MAX: usize = 4;

pub(super) fn requests(steps: &[&StepSummary], page: Page) -> String {
    if steps.len() > STEPS_MAX {
        return String::new();
    }
    let rows: Vec<Vec<String>> = steps.iter().flat_map(|step| rows(step)).collect();
    if rows.is_empty() {
        return String::new();
    }
    let head = [
        "label-step",
        "label-protocol-command",
        "label-trace-requests",
        "label-median",
        "label-send-queue",
        "label-wake-up",
    ];
    let head = head.map(|label| page.words.label(label)).to_vec();
    let table = Cells(std::iter::once(head).chain(rows).collect());
    let lines = table.lines(page.width).into_iter();
    lines
        .map(|line| page.tone(Tone::Quiet, &format!("{line}\n")))
        .collect()
}

/// Commands whose parts were measured.
fn rows(step: &StepSummary) -> Vec<Vec<String>> {
    let Some(of) = &step.connections else {
        return Vec::new();
    };
    let mut commands: Vec<_> = of
        .commands
        .iter()
        .filter_map(|(name, times)| Some((name, times, of.stages.get(name)?)))
        .collect();
    commands.sort_by_key(|(_, times, _)| std::cmp::Reverse(times.count));
    let median = |times: Option<&Latency>| or_dash(Quantity::Latency, times.and_then(|of| of.p50));
    let row = |(name, times, stages): (&String, &Latency, &StageSummary)| {
        vec![
            printable(&step.name),
            name.clone(),
            show_count(times.count as f64),
            median(Some(times)),
            median(stages.send_queue_ns.as_ref()),
            median(stages.wake_up_ns.as_ref()),
        ]
    };
    commands.into_iter().take(COMMANDS_MAX).map(row).collect()
}
