//! What does the full-screen view of a run show? Figures and charts of the newest state, steps or sides, and keys.

mod charts;
mod contest;
mod frame;
mod panels;
mod style;
mod view;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::screen::Painted;
use super::watch::Key;
pub use view::{RunView, Wishes};

impl Painted for RunView {
    fn version(&self) -> u64 {
        self.version
    }

    fn draw(&self, area: Rect, buffer: &mut Buffer) {
        frame::draw(self, area, buffer);
    }

    fn press(&mut self, key: Key) -> bool {
        self.pressed(key)
    }
}

#[cfg(test)]
mod tests {
    use plumb_model::run::step_end::{StepEnd, StopReason};
    use plumb_model::statement::Statement;

    use std::sync::atomic::Ordering;

    use plumb_words::Words;

    use super::*;
    use crate::live::LiveState;
    use crate::live::{FinishedStep, LiveCore, LiveHost, LiveHosts, LiveJob, LivePoint, Pause};

    fn state() -> LiveState {
        let point = |at: u32| LivePoint {
            time_s: f64::from(at) / 2.0,
            execution: at / 100,
            iops: (at % 7 != 3).then(|| 90_000.0 + f64::from(at)),
            bandwidth_bytes_per_s: Some(400e6),
            read_bytes_per_s: Some(300e6 + f64::from(at) * 1e5),
            written_bytes_per_s: Some(100e6),
            p50_ns: Some(340e3),
            p99_ns: Some(1.2e6),
            p999_ns: Some(9.2e6),
            in_flight: Some(31.4),
        };
        let step = |name: &str, ended_by| FinishedStep {
            step: name.into(),
            round: 1,
            iops: Some(81_234.0),
            bandwidth_bytes_per_s: Some(332e6),
            p50_ns: Some(341e3),
            p99_ns: Some(1.21e6),
            errors: 0,
            kinds: Vec::new(),
            ended_by,
        };
        LiveState {
            plan: "check".into(),
            target: "/srv/data".into(),
            device: "nvme0n1, Samsung SSD 980 PRO, ext4".into(),
            phase: Some(Statement::new("phase-measuring")),
            step: "random-read depth=32".into(),
            step_number: 3,
            steps: 24,
            round: 1,
            rounds: 3,
            plan_steps: ["first-step", "second-step", "random-read depth=32"]
                .map(String::from)
                .into_iter()
                .chain((3..24).map(|step| format!("step-{step} block=64k")))
                .collect(),
            depth: Some(32),
            done: Some(0.47),
            left_s: Some(32.0),
            now: point(1),
            history: (0..300).map(point).collect(),
            finished: vec![
                step("first-step", StepEnd::Stopped(StopReason::Time)),
                step("second-step", StepEnd::Stopped(StopReason::Skipped)),
            ],
            jobs: vec![
                LiveJob::default(),
                LiveJob {
                    name: "log".into(),
                    now: point(2),
                },
            ],
            cores: (0..8)
                .map(|core| LiveCore {
                    name: core.to_string(),
                    busy: f64::from(core) / 8.0,
                })
                .collect(),
            errors: 3,
            warnings: vec![Statement::verbatim("a \x1b[2Jwarning")],
            ..LiveState::default()
        }
    }

    /// Twelve hosts, the first of which does not report and the second of which is slow.
    fn hosts() -> LiveHosts {
        let host = |at: u32| LiveHost {
            name: format!("node{at:02}"),
            iops: (at > 0).then(|| f64::from(at) * 1000.0),
            bandwidth_bytes_per_s: (at > 0).then(|| f64::from(at) * 1e6),
            is_behind: at == 1,
            silent_s: (at == 0).then_some(4),
        };
        LiveHosts {
            ranks: 24,
            hosts: (0..12).map(host).collect(),
        }
    }

    #[test]
    fn hosts_have_lines_of_their_own_and_the_slowest_and_the_fastest_are_always_there() {
        let mut view = RunView::new(Some(Wishes::default()), Words::english());
        let mut of_many = state();
        of_many.hosts = Some(hosts());
        view.show(&of_many);
        for (width, height) in [(80, 24), (120, 60)] {
            let text = shown(&view, width, height).join("\n");
            for part in [
                "12 hosts, 24 ranks",
                "no message for 4 s",
                "less than half of the others",
                "1,000/s",
                "11,000/s",
                "11 MB/s",
            ] {
                assert!(text.contains(part), "{width}x{height} {part}:\n{text}");
            }
        }
        let text = shown(&view, 120, 60).join("\n");
        assert!(text.contains("node06"), "{text}");
    }

    fn shown(view: &RunView, width: u16, height: u16) -> Vec<String> {
        view.lines(width, height, false)
    }

    #[test]
    fn every_size_is_filled_and_a_usual_one_says_it_all() {
        for words in [Words::english(), Words::of(plumb_words::Language::Japanese)] {
            let mut view = RunView::new(Some(Wishes::default()), words);
            for filled in [false, true] {
                if filled {
                    view.show(&state());
                }
                for (width, height) in [(1, 1), (20, 5), (45, 24), (80, 24), (120, 60), (300, 80)] {
                    let lines = shown(&view, width, height);
                    assert_eq!(lines.len(), usize::from(height));
                    assert!(!lines.concat().contains('\x1b'));
                }
            }
        }
        let mut view = RunView::new(Some(Wishes::default()), Words::english());
        view.show(&state());
        for (width, height) in [(80, 24), (120, 60), (45, 60)] {
            let text = shown(&view, width, height).join("\n");
            for part in [
                "check",
                "/srv/data",
                "nvme0n1",
                "step 3 of 24",
                "random-read depth=32",
                "0:32 left",
                "read 300 MB/s",
                "write 100 MB/s",
                "99.9",
                "9.2 ms",
                "31.4",
                "second-step",
                "log",
                "cores",
                "44 %",
                "2:30",
                "q stop",
                "errors 3",
                "skipped",
            ] {
                assert!(text.contains(part), "{width}x{height} {part}:\n{text}");
            }
        }
    }

    #[test]
    fn keys_become_wishes_and_help() {
        let wishes = Wishes::default();
        let mut view = RunView::new(Some(wishes.clone()), Words::english());
        view.show(&state());
        assert!(!view.press(Key::Skip) && wishes.skip.load(Ordering::Relaxed));
        assert!(!view.press(Key::Pause) && wishes.pause.load(Ordering::Relaxed));
        let text = shown(&view, 80, 24).join("\n");
        assert!(text.contains("pauses when this step has ended"), "{text}");
        view.press(Key::Pause);
        assert!(!wishes.pause.load(Ordering::Relaxed));
        view.press(Key::Help);
        let text = shown(&view, 80, 24).join("\n");
        assert!(text.contains("continues with the next"), "{text}");
        assert!(view.press(Key::End));
        // A comparison has no steps to skip.
        let mut view = RunView::new(None, Words::english());
        view.press(Key::Skip);
        let mut paused = state();
        paused.pause = Pause::Now;
        view.show(&paused);
        assert!(!shown(&view, 80, 24).join("\n").contains("s skip"));
    }
}
