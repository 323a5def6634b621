//! How does `plumb watch` show intervals on the full screen? Successive recordings share one time axis.

use std::io;

use plumb_model::results::watch::WatchInterval;
use plumb_model::run::RunHeader;
use plumb_run::Stop;
use plumb_show::live::watch::WatchView;

use super::times::clock_since;
use crate::full_screen::OnScreen;
use crate::system::terminal::Output;

/// The full-screen view, until this value is dropped.
pub struct FullScreen {
    screen: OnScreen<WatchView>,
    /// Start of the first recording, in nanoseconds since 1970.
    first_unix_ns: Option<u64>,
    /// Id of the current recording, and its start relative to that of the first one.
    recording: String,
    shift_ns: u64,
    /// End of the last interval, relative to the same start.
    end_ns: u64,
}

impl FullScreen {
    /// Ending the view requests `stop`.
    pub fn begin(view: WatchView, stop: &Stop) -> io::Result<FullScreen> {
        Ok(FullScreen {
            screen: OnScreen::begin(view, Output::Results, stop)?,
            first_unix_ns: None,
            recording: String::new(),
            shift_ns: 0,
            end_ns: 0,
        })
    }

    /// Adds the next interval, of the first recording or of a later one.
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
            // Times continue from the first recording, even if the clock was set back.
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

    /// Restores the terminal. Errors: the terminal is gone.
    pub fn end(self) -> anyhow::Result<()> {
        self.screen.end()
    }
}
