//! How are the intervals of what is watched kept on the screen? Those of one recording after the other, on one axis of time.

use std::io;

use plumb_model::results::watch::WatchInterval;
use plumb_model::run::RunHeader;
use plumb_run::Stop;
use plumb_show::live::watch::WatchView;

use super::times::clock_since;
use crate::full_screen::OnScreen;
use crate::system::terminal::Output;

/// What is watched on the screen, until this value goes.
pub struct FullScreen {
    screen: OnScreen<WatchView>,
    /// When the first recording began, in nanoseconds since 1970.
    first_unix_ns: Option<u64>,
    /// Id of the recording that goes on, and its begin since that of the first one.
    recording: String,
    shift_ns: u64,
    /// End of the last interval since then.
    end_ns: u64,
}

impl FullScreen {
    /// Whoever ends the view asks `stop`.
    pub fn begin(view: WatchView, stop: &Stop) -> io::Result<FullScreen> {
        Ok(FullScreen {
            screen: OnScreen::begin(view, Output::Results, stop)?,
            first_unix_ns: None,
            recording: String::new(),
            shift_ns: 0,
            end_ns: 0,
        })
    }

    /// Takes the next interval of a recording: of the first one, or of those that follow it.
    pub fn push(&mut self, interval: &WatchInterval, header: &RunHeader) {
        let mut view = self.screen.view();
        let first_unix_ns = match self.first_unix_ns {
            Some(first_unix_ns) => first_unix_ns,
            None => {
                view.set_clock(clock_since(&header.started));
                *self.first_unix_ns.insert(header.started_unix_ns)
            }
        };
        if self.recording != header.id {
            self.recording.clone_from(&header.id);
            // Times go on from the first recording; a clock that was set back does not bring them back.
            let since_first_ns = header.started_unix_ns.saturating_sub(first_unix_ns);
            self.shift_ns = since_first_ns.max(self.end_ns);
        }
        self.end_ns = self.shift_ns + interval.end_ns;
        view.push(WatchInterval {
            begin_ns: self.shift_ns + interval.begin_ns,
            end_ns: self.end_ns,
            tables: interval.tables.clone(),
        });
    }

    /// Gives the terminal back. Errors: the terminal was gone before.
    pub fn end(self) -> anyhow::Result<()> {
        self.screen.end()
    }
}
