//! Which names are in the legend, and with which key?

use std::fmt::Write;

use super::drawing::{Drawing, FONT, WIDTH, px};
use super::labels::text_width;
use super::markers::marker;
use super::marks::stroke_class;
use crate::figure::{Figure, Mark, Shape};

/// A name in the legend.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Named<'a> {
    /// Index of the first mark that has it.
    mark: usize,
    pub name: &'a str,
    hue: usize,
    key: Key,
}

/// Appearance of the key of a name.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Key {
    /// A stroke of this class; with the marker of the hue, if lines have one.
    Line(&'static str),
    Bar,
    Ring,
    Dot,
}

impl Drawing {
    /// The names of lines and bars with their colors, in rows above the plot.
    pub(super) fn legend_above(&mut self, figure: &Figure) {
        let names = names(figure);
        for (row, entries) in legend_rows(&names).into_iter().enumerate() {
            let y = 13.0 + 20.0 * (row + 1) as f64;
            let mut x = self.plot.x;
            for entry in entries {
                let _ = write!(self.out, "<g class=\"key-of\" data-m=\"{}\">", entry.mark);
                self.key(entry, x, y - 4.5);
                self.text("name", "start", x + 32.0, y, entry.name);
                self.out += "</g>";
                x += 32.0 + text_width(entry.name, FONT) + 20.0;
            }
        }
    }

    fn key(&mut self, entry: &Named, x: f64, y: f64) {
        let hue = entry.hue;
        let (from, to, middle, at) = (px(x), px(x + 26.0), px(y), px(x + 16.0));
        let _ = match entry.key {
            Key::Ring => write!(
                self.out,
                "<circle class=\"hollow c{hue}\" cx=\"{at}\" cy=\"{middle}\" r=\"4\"/>"
            ),
            Key::Dot => write!(
                self.out,
                "<circle class=\"dot c{hue}\" cx=\"{at}\" cy=\"{middle}\" r=\"5\"/>"
            ),
            Key::Bar => write!(
                self.out,
                "<rect class=\"bar c{hue}\" x=\"{from}\" y=\"{}\" width=\"26\" height=\"10\"/>",
                px(y - 5.0)
            ),
            Key::Line(class) => write!(
                self.out,
                "<line class=\"key {class} c{hue}\" x1=\"{from}\" x2=\"{to}\" y1=\"{middle}\" y2=\"{middle}\"/>"
            ),
        };
        if matches!(entry.key, Key::Line(_)) && self.marked {
            self.out += &marker(hue, (x + 13.0, y), 3.6, "");
        }
    }
}

/// All named marks, each name once.
pub(super) fn names(figure: &Figure) -> Vec<Named<'_>> {
    let mut names: Vec<Named> = Vec::new();
    for (mark, drawn) in figure.marks.iter().enumerate() {
        let (name, hue, key) = match drawn {
            Mark::Line {
                name, hue, stroke, ..
            } => (name, *hue, Key::Line(stroke_class(*stroke))),
            Mark::Bars { name, hue, .. } => (name, *hue, Key::Bar),
            Mark::Rows {
                name, hue, shape, ..
            } => match shape {
                Shape::Ring => (name, *hue, Key::Ring),
                _ => (name, *hue, Key::Dot),
            },
            Mark::Span { .. } | Mark::Cells { .. } | Mark::Whiskers { .. } | Mark::Rule { .. } => {
                continue;
            }
        };
        let known = |other: &Named| other.name == name && other.hue == hue && other.key == key;
        if !name.is_empty() && !names.iter().any(known) {
            names.push(Named {
                mark,
                name,
                hue,
                key,
            });
        }
    }
    names
}

/// Breaks the legend into rows that fit the width.
pub(super) fn legend_rows<'a, 'b>(names: &'a [Named<'b>]) -> Vec<Vec<&'a Named<'b>>> {
    let mut rows: Vec<Vec<_>> = vec![Vec::new()];
    let mut x = 0.0;
    for entry in names {
        let width = 52.0 + text_width(entry.name, FONT);
        if x + width > WIDTH - 110.0 && x > 0.0 {
            rows.push(Vec::new());
            x = 0.0;
        }
        x += width;
        if let Some(row) = rows.last_mut() {
            row.push(entry);
        }
    }
    rows
}
