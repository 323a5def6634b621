//! What does whoever watches counters see, and what do keys do? A graph of one figure over time, above the tables of one interval.

mod frame;
mod graph;
mod history;
mod keys;
mod rows;
mod style;
mod tables;
#[cfg(test)]
mod tests;
mod view;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::paint::cells_of;
pub use keys::{Key, keys_of};
pub use view::{Clock, KEPT_BYTES_MAX, Subject, WatchView};

impl WatchView {
    /// The frame as lines for a terminal of this size, each with all its columns.
    pub fn lines(&self, width: u16, height: u16, colour: bool) -> Vec<String> {
        let area = Rect::new(0, 0, width.max(1), height.max(1));
        let mut buffer = Buffer::empty(area);
        frame::draw(self, area, &mut buffer);
        (0..area.height)
            .map(|y| match cells_of(&buffer, y, colour) {
                (line, true) => line + "\x1b[0m",
                (line, false) => line,
            })
            .collect()
    }
}
