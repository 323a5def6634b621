//! How is the view of what is watched kept on the screen? A thread of its own reads keys and paints: a slow terminal costs frames, and never a sample.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use plumb_model::results::watch::WatchInterval;
use plumb_model::run::RunHeader;
use plumb_run::Stop;
use plumb_show::live::colour_allowed;
use plumb_show::live::watch::{WatchView, keys_of};

use super::times::clock_since;
use crate::streams::say;
use crate::system::terminal::{Holder, Screen};

/// New intervals, another size and a request to end are seen within this; keys at once.
const NAP: Duration = Duration::from_millis(100);

/// The view on the screen, until this value goes.
pub struct FullScreen {
    view: Arc<Mutex<WatchView>>,
    ended: Arc<AtomicBool>,
    painter: Option<JoinHandle<io::Result<()>>>,
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
        let view = Arc::new(Mutex::new(view));
        let ended = Arc::<AtomicBool>::default();
        let (shown, is_over, stop) = (view.clone(), ended.clone(), stop.clone());
        let painter = std::thread::Builder::new()
            .name("plumb-view".into())
            .spawn(move || {
                let _told = Told;
                let is_over = || is_over.load(Ordering::Relaxed) || stop.is_asked();
                let shown = show(&shown, is_over);
                if !is_over() {
                    stop.ask_for_user();
                }
                shown
            })?;
        Ok(FullScreen {
            view,
            ended,
            painter: Some(painter),
            first_unix_ns: None,
            recording: String::new(),
            shift_ns: 0,
            end_ns: 0,
        })
    }

    /// Takes the next interval of a recording: of the first one, or of those that follow it.
    pub fn push(&mut self, interval: &WatchInterval, header: &RunHeader) {
        let mut view = locked(&self.view);
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
    pub fn end(mut self) -> anyhow::Result<()> {
        match self.join() {
            Some(Ok(shown)) => Ok(shown?),
            // A panic, which was told.
            Some(Err(_)) | None => Ok(()),
        }
    }

    fn join(&mut self) -> Option<std::thread::Result<io::Result<()>>> {
        self.ended.store(true, Ordering::Relaxed);
        self.painter.take().map(JoinHandle::join)
    }
}

impl Drop for FullScreen {
    fn drop(&mut self) {
        self.join();
    }
}

/// Says what a panic of the view means for the rest.
struct Told;

impl Drop for Told {
    fn drop(&mut self) {
        if std::thread::panicking() {
            say("plumb: the view ended by an error of its own, which is above; watching goes on");
        }
    }
}

fn locked(view: &Mutex<WatchView>) -> MutexGuard<'_, WatchView> {
    view.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Paints the view and hands keys to it, until a key ends it or it is over. Errors: the terminal is gone.
pub fn show(view: &Mutex<WatchView>, is_over: impl Fn() -> bool) -> io::Result<()> {
    let mut screen = Screen::new()?;
    let colour = colour_allowed();
    let mut painted = None;
    while !is_over() {
        match screen.turn()? {
            Holder::Other => {
                std::thread::sleep(NAP);
                continue;
            }
            Holder::New => painted = None,
            Holder::Same => {}
        }
        let size = screen.size();
        let frame = {
            let view = locked(view);
            let frame = (size, view.version());
            (painted != Some(frame)).then(|| (frame, view.lines(size.0, size.1, colour)))
        };
        if let Some((frame, lines)) = frame {
            let is_clean = painted.is_some_and(|(size, _)| size == frame.0);
            // The pair ?2026 makes terminals that know it show the frame at once; others ignore it.
            let clear = if is_clean { "" } else { "\x1b[2J" };
            let lines = lines.join("\r\n");
            screen.paint(&format!("\x1b[?2026h{clear}\x1b[H{lines}\x1b[?2026l"))?;
            painted = Some(frame);
        }
        for key in keys_of(&screen.typed(NAP)) {
            if locked(view).press(key) {
                return Ok(());
            }
        }
    }
    Ok(())
}
