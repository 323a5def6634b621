//! What is seen while a run goes on? A view in the terminal that repaints in place, or plain lines; both on the standard error, so that the
//! standard output stays clean, and neither ever makes the run wait.

mod frame;
mod paint;
mod plain;

use std::io::{IsTerminal, stderr};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::Duration;

use plumb_model::series::Interval;

pub use plain::PlainView;

/// One interval of the run so far. A missing value is one that could not be stated.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct LivePoint {
    /// Seconds since the start of the run.
    pub time_s: f64,
    /// Completed operations per second.
    pub iops: Option<f64>,
    /// Bytes per second.
    pub bandwidth_bytes_per_s: Option<f64>,
    /// Response times in nanoseconds.
    pub p50_ns: Option<f64>,
    pub p99_ns: Option<f64>,
}

impl From<&Interval> for LivePoint {
    fn from(interval: &Interval) -> LivePoint {
        LivePoint {
            time_s: interval.end_s,
            iops: interval.iops,
            bandwidth_bytes_per_s: interval.bandwidth_bytes_per_s,
            p50_ns: interval.p50_ns,
            p99_ns: interval.p99_ns,
        }
    }
}

/// A step that has ended in one round.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FinishedStep {
    /// Name of the step.
    pub step: String,
    /// From 1.
    pub round: u32,
    pub iops: Option<f64>,
    pub bandwidth_bytes_per_s: Option<f64>,
    pub p50_ns: Option<f64>,
    pub p99_ns: Option<f64>,
    /// Failed operations.
    pub errors: u64,
    /// `time`, `operations`, `failed: ...`.
    pub ended_by: String,
}

/// What the views show; filled by the caller, who knows the run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LiveState {
    /// Name of the plan.
    pub plan: String,
    /// Where the load goes.
    pub target: String,
    /// How the whole stands: `after 6 blocks: 3 worse, 12 same, 9 undecided`, `after round 6: not steady`; empty where nothing is judged on the way.
    pub standing: String,
    /// What goes on: `preparing`, `warm-up`, `measuring`, `between steps`.
    pub phase: String,
    /// Name of the step that runs; empty before the first.
    pub step: String,
    /// Which of how many steps, from 1; 0 before the first.
    pub step_number: u32,
    pub steps: u32,
    /// Which of how many rounds, from 1; 0 before the first.
    pub round: u32,
    pub rounds: u32,
    /// Engine and load in words: `io_uring, 4 KiB, depth 32 x 1 worker`.
    pub load: String,
    /// Seconds since the start of the run.
    pub elapsed_s: f64,
    /// Seconds until the end; missing when nobody can know.
    pub left_s: Option<f64>,
    /// Done share of the whole plan, from 0 to 1; missing when nobody can know.
    pub done: Option<f64>,
    /// The last interval.
    pub now: LivePoint,
    /// The intervals so far, the oldest first; the last few hundred are enough.
    pub history: Vec<LivePoint>,
    /// Failed operations so far.
    pub errors: u64,
    /// What was read and written so far, preparation included.
    pub read_bytes: u64,
    pub written_bytes: u64,
    /// Steps that have ended, the oldest first; all of them, so that plain lines miss none.
    pub finished: Vec<FinishedStep>,
    /// What the user should know now, the newest last.
    pub warnings: Vec<String>,
}

/// The view that fits the place where the program runs.
pub enum View {
    /// Repainted in place.
    Live(LiveView),
    /// Line after line.
    Plain(PlainView),
    /// Nothing at all.
    Quiet,
}

impl View {
    /// Nothing when `quiet`; repainted when the standard error is a terminal that can do it (`TERM` is not `dumb`), else plain lines.
    pub fn choose(quiet: bool) -> View {
        let terminal =
            stderr().is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb");
        match (quiet, terminal) {
            (true, _) => View::Quiet,
            (false, true) => View::Live(LiveView::new(LiveView::HEIGHT, colour_allowed())),
            (false, false) => View::Plain(PlainView::new()),
        }
    }

    /// Shows a new state. Never waits.
    pub fn update(&mut self, state: &LiveState) {
        match self {
            View::Live(view) => view.update(state),
            View::Plain(view) => view.update(state, &mut stderr()),
            View::Quiet => {}
        }
    }

    /// Ends the view: a repainted one leaves no trace.
    pub fn finish(&mut self) {
        if let View::Live(view) = self {
            view.finish();
        }
    }
}

/// False when the user asked for no colours: see no-color.org.
pub fn colour_allowed() -> bool {
    std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
        && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// A view of a few lines that is repainted in place. It asks nothing of the terminal, changes no mode of it and moves the cursor only within
/// its own lines, so that nothing needs to be restored, whatever ends the program.
pub struct LiveView {
    /// Frames to the painter; holds one, and a frame that finds no room is dropped.
    frames: Option<SyncSender<LiveState>>,
    /// Says when the painter is done.
    done: Receiver<()>,
}

impl LiveView {
    /// Lines of the view in a usual terminal.
    pub const HEIGHT: u16 = 14;
    /// Longest wait for a terminal that takes no output (stopped with Ctrl-S), at the end only.
    const PATIENCE: Duration = Duration::from_secs(1);

    /// Starts a view of `height` lines. It paints from a thread of its own: a terminal that is slow or stopped costs frames, never time.
    pub fn new(height: u16, colour: bool) -> LiveView {
        let (frames, states) = sync_channel::<LiveState>(1);
        let (ended, done) = sync_channel(1);
        let painter = std::thread::Builder::new()
            .name("plumb-view".into())
            .spawn(move || {
                let mut painter = paint::Painter::new(height, colour);
                for state in states {
                    painter.paint(&state, &mut stderr());
                }
                painter.erase(&mut stderr());
                // Nobody may be waiting any more.
                let _ = ended.send(());
            });
        // Without a thread there is no view, and the run goes on.
        LiveView {
            frames: painter.ok().map(|_| frames),
            done,
        }
    }

    /// Shows a new state, or drops it when the terminal is still busy with the last one.
    pub fn update(&mut self, state: &LiveState) {
        if let Some(frames) = &self.frames {
            let _ = frames.try_send(state.clone());
        }
    }

    /// Erases the view. Also done when it is dropped, in a panic too.
    pub fn finish(&mut self) {
        if self.frames.take().is_some() {
            let _ = self.done.recv_timeout(LiveView::PATIENCE);
        }
    }
}

impl Drop for LiveView {
    fn drop(&mut self) {
        self.finish();
    }
}
