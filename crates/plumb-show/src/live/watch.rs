//! What does the view of counters show, and what do its keys do? A graph of one figure over time, above the tables of one interval.

mod frame;
mod graph;
mod history;
pub(super) mod keys;
mod rows;
mod style;
mod tables;
#[cfg(test)]
mod tests;
mod view;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::screen::Painted;
pub use keys::{Key, keys_of};
pub use view::{Clock, KEPT_BYTES_MAX, Subject, WatchView};

impl Painted for WatchView {
    fn version(&self) -> u64 {
        self.version
    }

    fn draw(&self, area: Rect, buffer: &mut Buffer) {
        frame::draw(self, area, buffer);
    }

    fn press(&mut self, key: Key) -> bool {
        self.pressed(key)
    }
}
