//! How is a frame painted over the previous one, in any terminal and through tmux?

use std::fmt::Write as _;
use std::io::Write;

use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier};

use plumb_words::Words;

use super::frame;
use super::state::LiveState;

/// Size assumed if the terminal does not report it.
const FALLBACK: (u16, u16) = (80, 24);

/// Paints frames as lines of text with relative cursor moves. ratatui's own inline viewport queries the cursor position and waits
/// for the answer (crossterm writes that query to standard output); this needs no query.
pub(super) struct Painter {
    height: u16,
    colour: bool,
    words: Words,
    /// Lines of the frame on the screen.
    painted: u16,
    last: Option<Buffer>,
}

impl Painter {
    pub fn new(height: u16, colour: bool, words: Words) -> Painter {
        Painter {
            height,
            colour,
            words,
            painted: 0,
            last: None,
        }
    }

    /// Paints one state with a single write. A closed terminal is not an error of the run.
    pub fn paint(&mut self, state: &LiveState, out: &mut dyn Write) {
        let (columns, rows) = terminal_size::terminal_size_of(std::io::stderr())
            .map_or(FALLBACK, |(width, height)| (width.0, height.0));
        // One line stays free below for the cursor; the view shrinks with the terminal.
        let area = Rect::new(
            0,
            0,
            columns.max(20),
            self.height.min(rows.saturating_sub(1)).max(1),
        );
        let mut buffer = Buffer::empty(area);
        frame::draw(state, self.words, area, &mut buffer);
        if self.last.as_ref() == Some(&buffer) {
            return;
        }
        // Synchronized output (?2026): supporting terminals show the frame at once; others ignore it.
        let text = format!(
            "\x1b[?2026h{}{}\x1b[?2026l",
            self.rewind(),
            text_of(&buffer, self.colour)
        );
        let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
        self.painted = area.height;
        self.last = Some(buffer);
    }

    /// Erases the last frame and leaves the cursor where it started.
    pub fn erase(&mut self, out: &mut dyn Write) {
        let _ = out
            .write_all(self.rewind().as_bytes())
            .and_then(|()| out.flush());
        self.painted = 0;
    }

    /// Moves to the first line of the frame and erases everything below.
    fn rewind(&self) -> String {
        if self.painted == 0 {
            String::new()
        } else {
            format!("\r\x1b[{}A\x1b[J", self.painted)
        }
    }
}

/// The lines of a buffer with colors as ANSI sequences; every line ends with default style and a line break.
fn text_of(buffer: &Buffer, colour: bool) -> String {
    let mut out = String::new();
    for y in 0..buffer.area().height {
        match cells_of(buffer, y, colour) {
            (line, true) => out += &(line + "\x1b[0m"),
            // Trailing spaces would wrap if the terminal is made narrower.
            (line, false) => out += line.trim_end_matches(' '),
        }
        out.push_str("\r\n");
    }
    out
}

/// The cells of a line with colors as ANSI sequences, and whether a style is still active at its end.
pub(super) fn cells_of(buffer: &Buffer, y: u16, colour: bool) -> (String, bool) {
    let mut out = String::new();
    let mut current = String::new();
    let mut skip = 0usize;
    for x in 0..buffer.area().width {
        let Some(cell) = buffer.cell((x, y)) else {
            continue;
        };
        // A wide character covers the cell after it as well.
        if skip > 0 {
            skip -= 1;
            continue;
        }
        skip = unicode_width::UnicodeWidthStr::width(cell.symbol()).saturating_sub(1);
        let codes = codes_of(cell, colour);
        if codes != current {
            let _ = write!(out, "\x1b[0{codes}m");
            current = codes;
        }
        out.push_str(cell.symbol());
    }
    (out, !current.is_empty())
}

/// The ANSI codes of a cell's style, each with a leading semicolon.
fn codes_of(cell: &Cell, colour: bool) -> String {
    let mut codes = String::new();
    for (modifier, code) in [(Modifier::BOLD, ";1"), (Modifier::DIM, ";2")] {
        if cell.modifier.contains(modifier) && colour {
            codes.push_str(code);
        }
    }
    // Without color this alone marks the selection.
    if cell.modifier.contains(Modifier::REVERSED) {
        codes.push_str(";7");
    }
    let foreground = match cell.fg {
        Color::Red => ";31",
        Color::Green => ";32",
        Color::Yellow => ";33",
        Color::Blue => ";34",
        Color::Magenta => ";35",
        Color::Cyan => ";36",
        _ => "",
    };
    if colour {
        codes.push_str(foreground);
    }
    codes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_is_painted_over_the_last_and_erased() {
        let mut painter = Painter::new(6, true, Words::english());
        let mut out = Vec::new();
        let mut state = LiveState {
            plan: "check".into(),
            target: "/srv".into(),
            ..LiveState::default()
        };
        painter.paint(&state, &mut out);
        let first = String::from_utf8(std::mem::take(&mut out)).expect("text");
        assert!(
            first.contains("check") && !first.contains("\x1b[6A"),
            "{first:?}"
        );
        assert_eq!(first.matches("\r\n").count(), 6);
        painter.paint(&state, &mut out);
        assert!(out.is_empty(), "an equal frame is not painted again");
        state.errors = 3;
        painter.paint(&state, &mut out);
        painter.erase(&mut out);
        let second = String::from_utf8(out).expect("text");
        assert_eq!(second.matches("\r\x1b[6A\x1b[J").count(), 2, "{second:?}");
    }

    #[test]
    fn without_colour_there_is_no_colour() {
        let mut painter = Painter::new(14, false, Words::english());
        let mut out = Vec::new();
        painter.paint(
            &LiveState {
                errors: 5,
                plan: "check".into(),
                ..LiveState::default()
            },
            &mut out,
        );
        let text = String::from_utf8(out).expect("text");
        assert!(!text.contains("\x1b[0;"), "{text:?}");
    }
}
