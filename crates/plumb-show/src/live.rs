//! What does plumb show during a run? A view in the terminal that repaints in place, or plain lines; both on standard error, so that
//! standard output stays clean; neither ever blocks the run.

mod frame;
mod paint;
mod plain;
pub mod run;
mod screen;
mod state;
pub mod watch;
pub mod web;

use std::io::{IsTerminal, stderr};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::Duration;

use plumb_words::Words;

use crate::terminal::color_allowed;

pub use plain::PlainView;
pub use screen::{Painted, Shown};
pub use state::{
    FinishedStep, LiveCore, LiveHost, LiveHosts, LiveJob, LiveKind, LivePoint, LiveState, Pause,
};

/// The view that fits the output.
pub enum View {
    /// Full screen, painted by other code.
    Screen(Box<dyn Shown>),
    /// Repainted in place.
    Live(LiveView),
    /// Plain lines.
    Plain(PlainView),
    /// No output.
    Quiet,
}

impl View {
    /// No output if `quiet`; repainted if standard error is a capable terminal (`TERM` is not `dumb`), else plain lines.
    pub fn choose(quiet: bool, words: Words) -> View {
        let terminal =
            stderr().is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb");
        match (quiet, terminal) {
            (true, _) => View::Quiet,
            (false, true) => View::Live(LiveView::new(LiveView::HEIGHT, color_allowed(), words)),
            (false, false) => View::Plain(PlainView::new(words)),
        }
    }

    /// Shows a new state. Never blocks.
    pub fn update(&mut self, state: &LiveState) {
        match self {
            View::Screen(view) => view.update(state),
            View::Live(view) => view.update(state),
            View::Plain(view) => view.update(state, &mut stderr()),
            View::Quiet => {}
        }
    }

    /// Ends the view: a repainted one is erased.
    pub fn finish(&mut self) {
        match self {
            View::Screen(view) => view.finish(),
            View::Live(view) => view.finish(),
            View::Plain(_) | View::Quiet => {}
        }
    }
}

/// A view of a few lines that is repainted in place. It sends no queries to the terminal, changes no mode and moves the cursor only within
/// its own lines, so that nothing needs to be restored, however the program ends.
pub struct LiveView {
    /// Frames to the painter; holds one, and further frames are dropped.
    frames: Option<SyncSender<LiveState>>,
    /// Signals that the painter is done.
    done: Receiver<()>,
}

impl LiveView {
    /// Height of the view in lines.
    pub const HEIGHT: u16 = 14;
    /// Longest wait for a terminal that takes no output (stopped with Ctrl-S), at the end only.
    const PATIENCE: Duration = Duration::from_secs(1);

    /// Starts a view of `height` lines. It paints from its own thread: a slow or stopped terminal loses frames, but never delays the run.
    pub fn new(height: u16, colour: bool, words: Words) -> LiveView {
        let (frames, states) = sync_channel::<LiveState>(1);
        let (ended, done) = sync_channel(1);
        let painter = std::thread::Builder::new()
            .name("plumb-view".into())
            .spawn(move || {
                let mut painter = paint::Painter::new(height, colour, words);
                for state in states {
                    painter.paint(&state, &mut stderr());
                }
                painter.erase(&mut stderr());
                // The receiver may be gone.
                let _ = ended.send(());
            });
        // Without a thread there is no view, and the run continues.
        LiveView {
            frames: painter.ok().map(|_| frames),
            done,
        }
    }

    /// Shows a new state, or drops it if the terminal is still busy with the last one.
    pub fn update(&mut self, state: &LiveState) {
        if let Some(frames) = &self.frames {
            let _ = frames.try_send(state.clone());
        }
    }

    /// Erases the view. Also done on drop, including during a panic.
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
