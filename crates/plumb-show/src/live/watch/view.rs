//! Which intervals does the view show, and how do keys change it?

use plumb_model::results::watch::WatchInterval;
use plumb_words::Words;

use super::history::{History, signed};
use super::keys::Key;
use super::rows::{Pick, Places};

/// Memory limit of intervals in a live view. The record has all of them.
pub const KEPT_BYTES_MAX: usize = 64 << 20;

/// The same for a recording, which is shown completely if possible.
const STORED_BYTES_MAX: usize = 1 << 30;

/// Source of the view.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    /// Live counters, at this interval.
    Live { interval_ns: u64, is_recorded: bool },
    /// A complete recording.
    Stored,
}

/// Formats a time: nanoseconds since the start of the recording, may be negative.
pub type Clock = Box<dyn Fn(i64) -> String + Send>;

/// State of the view: intervals, selection and position.
pub struct WatchView {
    pub(super) words: Words,
    pub(super) subject: Subject,
    pub(super) clock: Clock,
    pub(super) history: History,
    /// The figure in the graph; missing before there is any.
    pub(super) pick: Option<Pick>,
    /// Last known position of its row, counted over all tables.
    place: usize,
    /// End of the interval that the view is paused at. Missing: it follows the newest one.
    pub(super) stands_at_ns: Option<u64>,
    /// The newest interval when it was paused: later ones are not shown.
    stood_from_ns: u64,
    shows_idle: bool,
    /// Index in [`SPANS_S`] of the time that the graph covers; beyond the last: all.
    span: usize,
    /// Counter of changes.
    pub(super) version: u64,
}

/// Seconds that a graph may cover.
const SPANS_S: [u64; 9] = [10, 30, 60, 120, 300, 900, 3600, 14_400, 86_400];
/// Minimum number of intervals that a graph covers initially.
const INTERVALS_AT_FIRST: u64 = 100;

impl WatchView {
    pub fn new(subject: Subject, clock: Clock, words: Words) -> WatchView {
        let (kept, span) = match subject {
            Subject::Live { interval_ns, .. } => {
                let wanted_ns = interval_ns.saturating_mul(INTERVALS_AT_FIRST);
                let fits = |seconds: &u64| seconds * 1_000_000_000 >= wanted_ns;
                let span = SPANS_S.iter().position(fits);
                (KEPT_BYTES_MAX, span.unwrap_or(SPANS_S.len()))
            }
            Subject::Stored => (STORED_BYTES_MAX, SPANS_S.len()),
        };
        WatchView {
            words,
            subject,
            clock,
            history: History::new(kept),
            pick: None,
            place: 0,
            stands_at_ns: None,
            stood_from_ns: 0,
            shows_idle: false,
            span,
            version: 0,
        }
    }

    /// Sets the format of times: the start of a recording is known with its first interval.
    pub fn set_clock(&mut self, clock: Clock) {
        self.clock = clock;
        self.version += 1;
    }

    /// Adds the next interval.
    pub fn push(&mut self, interval: WatchInterval) {
        self.version += 1;
        self.history.push(interval);
        if self.pick.is_none() {
            let places = self.places();
            self.pick = self.shown().and_then(|shown| places.first(shown));
        }
    }

    pub(super) fn pressed(&mut self, key: Key) -> bool {
        self.version += 1;
        match key {
            Key::End => return true,
            Key::RowAbove => self.move_row(-1),
            Key::RowBelow => self.move_row(1),
            Key::ColumnBefore => self.move_column(-1),
            Key::ColumnAfter => self.move_column(1),
            Key::TableBefore => self.move_table(-1),
            Key::TableAfter => self.move_table(1),
            Key::Pause => match self.stands_at_ns {
                Some(_) => self.stands_at_ns = None,
                None => self.stand_at(self.shown_at()),
            },
            Key::Earlier => self.go_back(1),
            Key::Later => self.go_on(1),
            Key::MuchEarlier => self.go_back(self.half_a_graph()),
            Key::MuchLater => self.go_on(self.half_a_graph()),
            Key::Oldest => self.stand_at(Some(0)),
            Key::Newest => self.stands_at_ns = None,
            Key::Longer => self.span = (self.span + 1).min(SPANS_S.len()),
            Key::Shorter => self.span = self.span.saturating_sub(1),
            Key::IdleRows => self.shows_idle = !self.shows_idle,
            // There are no steps here, and the last line has the key hints.
            Key::Skip | Key::Help => {}
        }
        false
    }

    /// Index of the shown interval.
    pub(super) fn shown_at(&self) -> Option<usize> {
        match self.stands_at_ns {
            _ if self.history.len() == 0 => None,
            Some(end_ns) => Some(self.history.place_of(end_ns)),
            None => Some(self.history.len() - 1),
        }
    }

    pub(super) fn shown(&self) -> Option<&WatchInterval> {
        self.history.get(self.shown_at()?)
    }

    pub(super) fn places(&self) -> Places {
        match self.shown() {
            Some(interval) => Places::of(interval, |key| {
                self.shows_idle || self.history.was_active(key)
            }),
            None => Places::default(),
        }
    }

    fn stand_at(&mut self, place: Option<usize>) {
        let newest_ns = self.history.newest().map_or(0, |interval| interval.end_ns);
        if self.stands_at_ns.is_none() {
            self.stood_from_ns = newest_ns;
        }
        let interval = place.and_then(|place| self.history.get(place));
        self.stands_at_ns = interval.map(|interval| interval.end_ns);
    }

    fn go_back(&mut self, intervals: usize) {
        let place = self.shown_at().map(|at| at.saturating_sub(intervals));
        self.stand_at(place);
    }

    /// Moves the position; at the newest interval it follows again.
    fn go_on(&mut self, intervals: usize) {
        let Some(at) = self.shown_at().filter(|_| self.stands_at_ns.is_some()) else {
            return;
        };
        match at + intervals {
            place if place + 1 < self.history.len() => self.stand_at(Some(place)),
            _ => self.stands_at_ns = None,
        }
    }

    /// Intervals in half of the time that the graph covers.
    fn half_a_graph(&self) -> usize {
        let (begin_ns, end_ns) = self.window_ns();
        (self.history.between(begin_ns, end_ns).count() / 2).max(1)
    }

    /// The time that the graph covers. The newest interval is at its right edge, unless the current position would not be visible.
    pub(super) fn window_ns(&self) -> (i64, i64) {
        let newest_ns = self.history.newest().map_or(0, |interval| interval.end_ns);
        let last_ns = signed(match self.stands_at_ns {
            Some(_) => self.stood_from_ns.min(newest_ns),
            None => newest_ns,
        });
        let oldest = self.history.oldest();
        let Some(seconds) = SPANS_S.get(self.span) else {
            return (oldest.map_or(0, |oldest| signed(oldest.begin_ns)), last_ns);
        };
        let span_ns = signed(seconds * 1_000_000_000);
        let shown = self.shown();
        let (begin_ns, end_ns) = shown.map_or((last_ns, last_ns), |shown| {
            (signed(shown.begin_ns), signed(shown.end_ns))
        });
        let right_ns = if begin_ns < last_ns - span_ns || end_ns > last_ns {
            // Centered, as far as there are intervals to its right.
            (end_ns + span_ns / 2).min(signed(newest_ns))
        } else {
            last_ns
        };
        (right_ns - span_ns, right_ns)
    }

    fn move_row(&mut self, by: isize) {
        let places = self.places();
        let Some(shown) = self.shown() else { return };
        let at = self.pick.as_ref().and_then(|pick| places.find(shown, pick));
        let to = match at {
            Some(at) => at.saturating_add_signed(by),
            // Its row is gone: select the row at its position.
            None => self.place,
        };
        let to = to.min(places.len().saturating_sub(1));
        if let Some(pick) = places.pick(shown, to, self.pick.as_ref()) {
            self.pick = Some(pick);
            self.place = to;
        }
    }

    fn move_column(&mut self, by: isize) {
        let moved = self.shown().zip(self.pick.as_ref());
        if let Some(pick) = moved.and_then(|(shown, pick)| pick.beside(shown, by)) {
            self.pick = Some(pick);
        }
    }

    fn move_table(&mut self, by: isize) {
        let places = self.places();
        let Some(shown) = self.shown() else { return };
        let at = self.pick.as_ref().and_then(|pick| places.find(shown, pick));
        let to = places.of_table(at.unwrap_or(self.place), by);
        if let Some(pick) = to.and_then(|to| places.pick(shown, to, self.pick.as_ref())) {
            self.pick = Some(pick);
            self.place = to.unwrap_or(0);
        }
    }
}
