//! What does the view of a run show, and what do its keys do? The newest state, and the requests of the user.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use plumb_words::Words;

use crate::live::state::LiveState;
use crate::live::watch::Key;

/// Requests to a run besides stopping it. Clones share the state.
#[derive(Debug, Clone, Default)]
pub struct Wishes {
    /// Skip to the next step.
    pub skip: Arc<AtomicBool>,
    /// Pause before the next step.
    pub pause: Arc<AtomicBool>,
}

/// A run in full-screen view.
pub struct RunView {
    pub(super) words: Words,
    pub(super) state: LiveState,
    /// Missing if steps cannot be skipped: all sides of a comparison do the same work.
    pub(super) wishes: Option<Wishes>,
    /// Shows the help of keys instead.
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

    /// Shows this state from now on.
    pub fn show(&mut self, state: &LiveState) {
        self.state.clone_from(state);
        self.version += 1;
    }

    pub(super) fn is_pause_asked(&self) -> bool {
        let wishes = self.wishes.as_ref();
        wishes.is_some_and(|wishes| wishes.pause.load(Ordering::Relaxed))
    }

    /// Handles a key; returns true to end the view.
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
