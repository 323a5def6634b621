//! How does a full-screen view work with the terminal? Contracts between the views here and the owner of the terminal.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::paint::cells_of;
use super::state::LiveState;
use super::watch::keys::Key;

/// A full-screen view that handles keys.
pub trait Painted {
    /// Changes whenever a frame may look different.
    fn version(&self) -> u64;

    fn draw(&self, area: Rect, buffer: &mut Buffer);

    /// Handles a key; returns true to end the view.
    fn press(&mut self, key: Key) -> bool;

    /// The frame as lines for a terminal of this size, each padded to full width.
    fn lines(&self, width: u16, height: u16, colour: bool) -> Vec<String> {
        let area = Rect::new(0, 0, width.max(1), height.max(1));
        let mut buffer = Buffer::empty(area);
        self.draw(area, &mut buffer);
        (0..area.height)
            .map(|y| match cells_of(&buffer, y, colour) {
                (line, true) => line + "\x1b[0m",
                (line, false) => line,
            })
            .collect()
    }
}

/// Output of the view of a run. Never blocks on the terminal.
pub trait Shown {
    fn update(&mut self, state: &LiveState);

    /// Restores the terminal: later output goes to the original screen.
    fn finish(&mut self);
}
