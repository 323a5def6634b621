//! What do logs and pipes get during a run? One line per finished step, and a progress line every ten seconds.

use std::io::Write;

use super::state::{FinishedStep, LiveHosts, LiveKind, LivePoint, LiveState};
use plumb_model::statement::Statement;
use plumb_model::workload::OperationKind;
use plumb_words::Words;

use crate::chart::or_dash;
use crate::figure::{Quantity, clock_text, percent_text};
use crate::terminal::printable;

/// Seconds between two progress lines.
const PROGRESS_EVERY_S: f64 = 10.0;

/// Plain lines.
#[derive(Debug, Default)]
pub struct PlainView {
    words: Words,
    /// Finished steps and warnings already written.
    finished: usize,
    warnings: usize,
    /// Last printed standing.
    standing: Option<Statement>,
    /// Time of the last output, in seconds since the start of the run.
    written_s: f64,
}

impl PlainView {
    /// A new view without output.
    pub fn new(words: Words) -> PlainView {
        PlainView {
            words,
            ..PlainView::default()
        }
    }

    /// Prints what is new. A closed output is not an error of the run.
    pub fn update(&mut self, state: &LiveState, out: &mut dyn Write) {
        let words = self.words;
        let mut lines: Vec<String> = Vec::new();
        lines.extend(state.warnings.iter().skip(self.warnings).map(|warning| {
            let statement = Statement::new("live-warning").part("text", warning.clone());
            printable(&words.sentence(&statement))
        }));
        lines.extend(
            state
                .finished
                .iter()
                .skip(self.finished)
                .map(|step| finished_text(step, state.rounds, words)),
        );
        if state.standing != self.standing {
            let standing = state.standing.as_ref();
            lines.extend(standing.map(|standing| printable(&words.sentence(standing))));
            self.standing.clone_from(&state.standing);
        }
        self.warnings = self.warnings.max(state.warnings.len());
        self.finished = self.finished.max(state.finished.len());
        if lines.is_empty() && state.elapsed_s - self.written_s >= PROGRESS_EVERY_S {
            lines.push(progress_text(state, words));
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
fn finished_text(step: &FinishedStep, rounds: u32, words: Words) -> String {
    let point = LivePoint {
        iops: step.iops,
        bandwidth_bytes_per_s: step.bandwidth_bytes_per_s,
        p50_ns: step.p50_ns,
        p99_ns: step.p99_ns,
        ..LivePoint::default()
    };
    let mut figures = vec![figures_text(&point, words)];
    if step.errors > 0 {
        figures.push(errors_text(step.errors, words));
    }
    if let Some(error) = step.ended_by.failure() {
        let statement = Statement::new("live-failed").part("error", error.clone());
        figures.push(printable(&words.sentence(&statement)));
    }
    // With flushes as the only other kind, the total is that kind.
    let is_flush = |kind: &LiveKind| kind.name == OperationKind::Flush.word();
    let others = step.kinds.iter().filter(|kind| !is_flush(kind)).count();
    let kinds = step
        .kinds
        .iter()
        .filter(|kind| others > 1 || is_flush(kind));
    let of_kind = |kind: &LiveKind| {
        let name = printable(&kind.name);
        format!("; {name} {}", figures_text(&kind.figures, words))
    };
    let figures = figures.join(", ") + &kinds.map(of_kind).collect::<String>();
    let statement = if rounds > 1 {
        Statement::new("live-finished-round")
            .name("step", printable(&step.step))
            .count("round", step.round.into())
            .count("rounds", rounds.into())
            .name("figures", figures)
    } else {
        Statement::new("live-finished")
            .name("step", printable(&step.step))
            .name("figures", figures)
    };
    words.sentence(&statement)
}

fn figures_text(point: &LivePoint, words: Words) -> String {
    let figures = [
        ("", Quantity::OperationsPerSecond, point.iops),
        ("", Quantity::Bandwidth, point.bandwidth_bytes_per_s),
        ("p50 ", Quantity::Latency, point.p50_ns),
        ("p99 ", Quantity::Latency, point.p99_ns),
    ];
    let known: Vec<String> = figures
        .iter()
        .filter(|(_, _, value)| value.is_some())
        .map(|(name, quantity, value)| format!("{name}{}", or_dash(*quantity, *value)))
        .collect();
    if known.is_empty() {
        words.label("label-nothing-completed")
    } else {
        known.join(", ")
    }
}

fn errors_text(errors: u64, words: Words) -> String {
    words.sentence(&Statement::new("live-error-count").count("count", errors))
}

fn progress_text(state: &LiveState, words: Words) -> String {
    let mut parts = vec![clock_text(state.elapsed_s)];
    parts.extend(state.done.map(|done| percent_text((done * 100.0).round())));
    parts.extend(state.left_s.map(|_| words.sentence(&state.time())));
    let phase = state.phase.as_ref();
    let phase = phase.map_or_else(String::new, |phase| words.sentence(phase));
    parts.push(printable(&if state.step.is_empty() {
        phase
    } else {
        let statement = Statement::new("live-step-and-phase")
            .name("step", &state.step)
            .name("phase", phase);
        words.sentence(&statement)
    }));
    if state.now.iops.is_some() {
        parts.push(figures_text(&state.now, words));
    }
    if state.errors > 0 {
        parts.push(errors_text(state.errors, words));
    }
    let between = state.hosts.as_ref().and_then(LiveHosts::told);
    parts.extend(between.map(|between| words.sentence(&between)));
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::live::state::LiveHost;

    #[test]
    fn each_finished_step_is_one_line_and_silence_ends_after_ten_seconds() {
        let mut view = PlainView::new(Words::english());
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
            phase: Some(Statement::new("phase-measuring")),
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

    #[test]
    fn a_sign_of_life_names_the_slowest_and_the_fastest_host() {
        let host = |name: &str, iops: f64| LiveHost {
            name: name.into(),
            iops: Some(iops),
            ..LiveHost::default()
        };
        let state = LiveState {
            elapsed_s: 15.0,
            hosts: Some(LiveHosts {
                ranks: 3,
                hosts: vec![
                    LiveHost::default(),
                    host("b\x1b", 12_300.0),
                    host("c", 20_000.0),
                    host("a", 40_100.0),
                ],
            }),
            ..LiveState::default()
        };
        assert_eq!(
            progress_text(&state, Words::english()),
            "0:15, , slowest host b\\u{1b} 12,300/s, fastest a 40,100/s"
        );
        let mut one = state;
        one.hosts.iter_mut().for_each(|all| all.hosts.truncate(2));
        assert_eq!(progress_text(&one, Words::english()), "0:15, ");
    }

    #[test]
    fn flushes_stand_beside_the_writes_and_kinds_of_a_mix_each_by_itself() {
        let check = |kinds: &[(&str, f64)], expect: &str| {
            let kind = |(name, iops): &(&str, f64)| LiveKind {
                name: name.to_string(),
                figures: LivePoint {
                    iops: Some(*iops),
                    ..LivePoint::default()
                },
            };
            let step = FinishedStep {
                step: "a".into(),
                iops: Some(300.0),
                kinds: kinds.iter().map(kind).collect(),
                ..FinishedStep::default()
            };
            assert_eq!(finished_text(&step, 1, Words::english()), expect);
        };
        check(
            &[("write", 300.0), ("flush", 300.0)],
            "a: 300/s; flush 300/s",
        );
        check(
            &[("read", 200.0), ("write", 100.0)],
            "a: 300/s; read 200/s; write 100/s",
        );
    }
}
