//! Which styles do the parts of the screen have, and how are lines drawn?

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::Line;
use ratatui::widgets::{Paragraph, Widget};

use crate::terminal::{shortened, width};

pub(super) const QUIET: Style = Style::new().add_modifier(Modifier::DIM);
pub(super) const STRONG: Style = Style::new().add_modifier(Modifier::BOLD);

/// As many words as fit.
pub(super) fn whole_words(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_string();
    }
    let room = columns.saturating_sub(2);
    let fits = text.match_indices(' ').map(|(at, _)| at);
    let end = fits.rev().find(|at| width(&text[..*at]) <= room);
    end.map_or_else(
        || shortened(text, columns),
        |end| format!("{} …", &text[..end]),
    )
}

/// Takes up to this many lines from the top.
pub(super) fn take_lines(left: &mut Rect, lines: u16) -> Rect {
    let taken = Rect {
        height: lines.min(left.height),
        ..*left
    };
    left.y += taken.height;
    left.height -= taken.height;
    taken
}

pub(super) fn put(line: Line, area: Rect, buffer: &mut Buffer) {
    Paragraph::new(line).render(area, buffer);
}
