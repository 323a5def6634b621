//! What fills a whole terminal, and who shows a run on one? Contracts between what is drawn here and who has the terminal.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::paint::cells_of;
use super::state::LiveState;
use super::watch::Key;

/// What is painted on a screen, and obeys keys.
pub trait Painted {
    /// Another number when a frame may look different.
    fn version(&self) -> u64;

    fn draw(&self, area: Rect, buffer: &mut Buffer);

    /// Does what a key asks for; true: the end.
    fn press(&mut self, key: Key) -> bool;

    /// The frame as lines for a terminal of this size, each with all its columns.
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

/// Where a run is shown. It never waits for the terminal.
pub trait Shown {
    fn update(&mut self, state: &LiveState);

    /// Gives the terminal back: what is printed next stands on the screen from before.
    fn finish(&mut self);
}
