//! What of a run is shown, and what do keys ask of it? The newest state, and the wishes of who sits there.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use plumb_words::Words;

use crate::live::state::LiveState;
use crate::live::watch::Key;

/// What may be asked of a run while it goes on, besides its end. Cloning gives the same wishes.
#[derive(Debug, Clone, Default)]
pub struct Wishes {
    /// Go on with the next step.
    pub skip: Arc<AtomicBool>,
    /// Begin no further step.
    pub pause: Arc<AtomicBool>,
}

/// A run on a whole screen.
pub struct RunView {
    pub(super) words: Words,
    pub(super) state: LiveState,
    /// Missing where steps are not to be left out: all sides of a comparison do the same.
    pub(super) wishes: Option<Wishes>,
    /// The keys are explained instead.
    pub(super) shows_help: bool,
    pub(super) version: u64,
}

impl RunView {
    pub fn new(wishes: Option<Wishes>, words: Words) -> RunView {
        RunView {
            words,
            state: LiveState::default(),
            wishes,
            shows_help: false,
            version: 0,
        }
    }

    /// From now on this is shown.
    pub fn show(&mut self, state: &LiveState) {
        self.state.clone_from(state);
        self.version += 1;
    }

    pub(super) fn is_pause_asked(&self) -> bool {
        let wishes = self.wishes.as_ref();
        wishes.is_some_and(|wishes| wishes.pause.load(Ordering::Relaxed))
    }

    /// Does what a key asks for; true: the end.
    pub(super) fn pressed(&mut self, key: Key) -> bool {
        self.version += 1;
        match (key, &self.wishes) {
            (Key::End, _) => return true,
            (Key::Help, _) => self.shows_help = !self.shows_help,
            (Key::Skip, Some(wishes)) => wishes.skip.store(true, Ordering::Relaxed),
            (Key::Pause, Some(wishes)) => {
                wishes.pause.fetch_xor(true, Ordering::Relaxed);
            }
            _ => {}
        }
        false
    }
}
