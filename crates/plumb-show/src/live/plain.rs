//! What do logs and pipes get while a run goes on? One line per finished step, and a sign of life every ten seconds.

use std::io::Write;

use super::state::{FinishedStep, LivePoint, LiveState};
use crate::chart::or_dash;
use crate::figure::{Quantity, clock_text, percent_text};
use crate::terminal::printable;

/// Seconds of run between two signs of life.
const PROGRESS_EVERY_S: f64 = 10.0;

/// Plain lines.
#[derive(Debug, Default)]
pub struct PlainView {
    /// Finished steps and warnings already written.
    finished: usize,
    warnings: usize,
    /// How it stood when that was last written.
    standing: String,
    /// When something was last written, in seconds since the start of the run.
    written_s: f64,
}

impl PlainView {
    /// A view that has written nothing yet.
    pub fn new() -> PlainView {
        PlainView::default()
    }

    /// Writes what is new. Output that is gone is no error of the run.
    pub fn update(&mut self, state: &LiveState, out: &mut dyn Write) {
        let mut lines: Vec<String> = Vec::new();
        lines.extend(
            state
                .warnings
                .iter()
                .skip(self.warnings)
                .map(|warning| format!("warning: {}", printable(warning))),
        );
        lines.extend(
            state
                .finished
                .iter()
                .skip(self.finished)
                .map(|step| finished_text(step, state.rounds)),
        );
        if state.standing != self.standing {
            lines.push(printable(&state.standing));
            self.standing.clone_from(&state.standing);
        }
        self.warnings = self.warnings.max(state.warnings.len());
        self.finished = self.finished.max(state.finished.len());
        if lines.is_empty() && state.elapsed_s - self.written_s >= PROGRESS_EVERY_S {
            lines.push(progress_text(state));
        }
        if !lines.is_empty() {
            self.written_s = state.elapsed_s;
            let _ = out
                .write_all((lines.join("\n") + "\n").as_bytes())
                .and_then(|()| out.flush());
        }
    }
}

/// `random-read depth=32, round 1 of 3: 92,100/s, 377 MB/s, 50 % 340 µs, 99 % 1.2 ms`.
fn finished_text(step: &FinishedStep, rounds: u32) -> String {
    let point = LivePoint {
        time_s: 0.0,
        iops: step.iops,
        bandwidth_bytes_per_s: step.bandwidth_bytes_per_s,
        p50_ns: step.p50_ns,
        p99_ns: step.p99_ns,
    };
    let round = if rounds > 1 {
        format!(", round {} of {rounds}", step.round)
    } else {
        String::new()
    };
    let errors = if step.errors > 0 {
        format!(", {}", errors_text(step.errors))
    } else {
        String::new()
    };
    let ended = match step.ended_by.failure() {
        Some(error) => format!(", failed: {}", printable(error)),
        None => String::new(),
    };
    format!(
        "{}{round}: {}{errors}{ended}",
        printable(&step.step),
        figures_text(&point)
    )
}

fn figures_text(point: &LivePoint) -> String {
    let figures = [
        ("", Quantity::OperationsPerSecond, point.iops),
        ("", Quantity::Bandwidth, point.bandwidth_bytes_per_s),
        ("50 % ", Quantity::Latency, point.p50_ns),
        ("99 % ", Quantity::Latency, point.p99_ns),
    ];
    let known: Vec<String> = figures
        .iter()
        .filter(|(_, _, value)| value.is_some())
        .map(|(name, quantity, value)| format!("{name}{}", or_dash(*quantity, *value)))
        .collect();
    if known.is_empty() {
        "nothing completed".into()
    } else {
        known.join(", ")
    }
}

fn errors_text(errors: u64) -> String {
    if errors == 1 {
        "1 error".into()
    } else {
        format!("{errors} errors")
    }
}

fn progress_text(state: &LiveState) -> String {
    let mut parts = vec![clock_text(state.elapsed_s)];
    parts.extend(state.done.map(|done| percent_text((done * 100.0).round())));
    parts.extend(
        state
            .left_s
            .map(|left| format!("{} left", clock_text(left))),
    );
    parts.push(printable(&if state.step.is_empty() {
        state.phase.clone()
    } else {
        format!("{} ({})", state.step, state.phase)
    }));
    if state.now.iops.is_some() {
        parts.push(figures_text(&state.now));
    }
    if state.errors > 0 {
        parts.push(errors_text(state.errors));
    }
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_finished_step_is_one_line_and_silence_ends_after_ten_seconds() {
        let mut view = PlainView::new();
        let mut out = Vec::new();
        let step = FinishedStep {
            step: "random-read\x1b".into(),
            round: 2,
            iops: Some(92_123.0),
            errors: 1,
            ..FinishedStep::default()
        };
        let mut state = LiveState {
            rounds: 3,
            elapsed_s: 4.0,
            finished: vec![step],
            phase: "measuring".into(),
            ..LiveState::default()
        };
        view.update(&state, &mut out);
        view.update(&state, &mut out);
        state.elapsed_s = 13.0;
        view.update(&state, &mut out);
        state.elapsed_s = 14.5;
        state.done = Some(0.5);
        view.update(&state, &mut out);
        let text = String::from_utf8(out).expect("text");
        assert_eq!(
            text,
            "random-read\\u{1b}, round 2 of 3: 92,100/s, 1 error\n0:15, 50 %, measuring\n"
        );
    }
}
