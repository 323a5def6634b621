//! What is seen while a run goes on? A view in the terminal that repaints in place, or plain lines; both on the standard error, so that the
//! standard output stays clean, and neither ever makes the run wait.

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

pub use plain::PlainView;
pub use screen::{Painted, Shown};
pub use state::{
    FinishedStep, LiveCore, LiveHost, LiveHosts, LiveJob, LiveKind, LivePoint, LiveState, Pause,
};

/// The view that fits the place where the program runs.
pub enum View {
    /// On a screen of its own, which somebody else paints.
    Screen(Box<dyn Shown>),
    /// Repainted in place.
    Live(LiveView),
    /// Line after line.
    Plain(PlainView),
    /// Nothing at all.
    Quiet,
}

impl View {
    /// Nothing when `quiet`; repainted when the standard error is a terminal that can do it (`TERM` is not `dumb`), else plain lines.
    pub fn choose(quiet: bool, words: Words) -> View {
        let terminal =
            stderr().is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb");
        match (quiet, terminal) {
            (true, _) => View::Quiet,
            (false, true) => View::Live(LiveView::new(LiveView::HEIGHT, colour_allowed(), words)),
            (false, false) => View::Plain(PlainView::new(words)),
        }
    }

    /// Shows a new state. Never waits.
    pub fn update(&mut self, state: &LiveState) {
        match self {
            View::Screen(view) => view.update(state),
            View::Live(view) => view.update(state),
            View::Plain(view) => view.update(state, &mut stderr()),
            View::Quiet => {}
        }
    }

    /// Ends the view: a repainted one leaves no trace.
    pub fn finish(&mut self) {
        match self {
            View::Screen(view) => view.finish(),
            View::Live(view) => view.finish(),
            View::Plain(_) | View::Quiet => {}
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
