//! How is a full-screen view updated? A separate thread reads keys and draws: a slow terminal drops frames, and never delays a measurement.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use plumb_run::Stop;
use plumb_run::measurement::OpenView;
use plumb_show::live::run::{RunView, Wishes};
use plumb_show::live::watch::keys_of;
use plumb_show::live::{LiveState, Painted, Shown, View};
use plumb_show::terminal::color_allowed;

use crate::settings::preferences;
use crate::streams::{hold_notices, release_notices, say, words};
use crate::system::terminal::{Holder, Output, Screen};

/// What is new, another size and a request to end are seen within this; keys at once.
const NAP: Duration = Duration::from_millis(100);

/// A full-screen view, until this value is dropped.
pub struct OnScreen<V> {
    view: Arc<Mutex<V>>,
    ended: Arc<AtomicBool>,
    painter: Option<JoinHandle<io::Result<()>>>,
}

impl<V: Painted + Send + 'static> OnScreen<V> {
    /// Whoever ends the view asks `stop`. What is told meanwhile is told when the terminal is given back.
    pub fn begin(view: V, output: Output, stop: &Stop) -> io::Result<OnScreen<V>> {
        let view = Arc::new(Mutex::new(view));
        let ended = Arc::<AtomicBool>::default();
        let (shown, is_over, stop) = (view.clone(), ended.clone(), stop.clone());
        hold_notices();
        let painter = std::thread::Builder::new()
            .name("plumb-view".into())
            .spawn(move || {
                let _release = ReleaseOnDrop;
                let is_over = || is_over.load(Ordering::Relaxed) || stop.is_requested();
                let shown = show(&shown, output, is_over);
                if !is_over() && shown.is_ok() {
                    stop.request_by_user();
                }
                shown
            });
        if painter.is_err() {
            release_notices();
        }
        Ok(OnScreen {
            view,
            ended,
            painter: Some(painter?),
        })
    }

    pub fn view(&self) -> MutexGuard<'_, V> {
        locked(&self.view)
    }

    /// Restores the terminal. Errors: the terminal is gone.
    pub fn end(mut self) -> anyhow::Result<()> {
        match self.join() {
            Some(Ok(shown)) => Ok(shown?),
            // A panic, which was reported.
            Some(Err(_)) | None => Ok(()),
        }
    }
}

impl<V> OnScreen<V> {
    fn join(&mut self) -> Option<std::thread::Result<io::Result<()>>> {
        self.ended.store(true, Ordering::Relaxed);
        self.painter.take().map(JoinHandle::join)
    }
}

impl<V> Drop for OnScreen<V> {
    fn drop(&mut self) {
        self.join();
    }
}

/// The terminal is given back: what was held back is told, and what a panic of the view means for the rest.
struct ReleaseOnDrop;

impl Drop for ReleaseOnDrop {
    fn drop(&mut self) {
        release_notices();
        if std::thread::panicking() {
            say("plumb: the view failed with the error above; the measurement continues");
        }
    }
}

/// A run on the screen.
struct RunScreen(OnScreen<RunView>);

impl Shown for RunScreen {
    fn update(&mut self, state: &LiveState) {
        self.0.view().show(state);
    }

    fn finish(&mut self) {
        self.0.join();
    }
}

/// Opens the view of a run: on the whole screen where there is one that takes keys, else what fits standard error. `wishes` is missing where steps are not to
/// be left out.
pub fn view_of_run(wishes: Option<Wishes>, stop: &Stop) -> OpenView {
    let stop = stop.clone();
    Box::new(move || {
        let usual = || View::choose(false, words());
        if !Screen::can_be_had(Output::Notices) {
            return usual();
        }
        let view = RunView::new(wishes.clone(), words());
        match OnScreen::begin(view, Output::Notices, &stop) {
            Ok(screen) => View::Screen(Box::new(RunScreen(screen))),
            Err(_) => usual(),
        }
    })
}

fn locked<V>(view: &Mutex<V>) -> MutexGuard<'_, V> {
    view.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Paints the view and hands keys to it, until a key ends it or it is over. Errors: the terminal is gone.
pub fn show<V: Painted>(
    view: &Mutex<V>,
    output: Output,
    is_over: impl Fn() -> bool,
) -> io::Result<()> {
    let mut screen = Screen::new(output)?;
    let colour = color_allowed() && !preferences().is_plain;
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
